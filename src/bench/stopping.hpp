#pragma once
/// When enough has been measured. Pure: lists of seconds in, a decision out.

#include <cstddef>
#include <vector>

namespace gpuready::bench {

/// Samples are enough when the 95 % interval of their median is narrow. (Not their deviation: it
/// does not shrink with more samples.) No sample is ever left out.
struct StoppingRule {
  double half_width = 0.01;  ///< of the interval, over the median
  std::size_t min_samples = 10;
  double min_time_s = 0.5;
  double max_time_s = 6;
};

/// 1 % on a GPU; 2 % on a CPU, which shares its cores with the rest of the machine.
StoppingRule stopping_rule(bool runs_on_cpu, double max_time_s);

enum class Stop { go_on, converged, out_of_time };

/// `elapsed_s` since the timed section began; `next_s` is what the next batch will take. At least
/// one batch is always measured.
Stop decide(const StoppingRule& rule, const std::vector<double>& samples, double elapsed_s,
            double next_s);

/// Warm-up ends when the last batches agree.
struct WarmUpRule {
  double batch_s = 0.1;    ///< length of a batch, at least
  double spread = 0.01;    ///< of the last batches, largest minus smallest over the median
  std::size_t window = 5;  ///< number of those batches
  double min_time_s = 1;
  double max_time_s = 3;
};

/// Long products leave little room: the limits are parts of the time that the timed section has.
WarmUpRule warm_up_rule(bool runs_on_cpu, double max_time_s);

enum class WarmUp { go_on, steady, out_of_time };

WarmUp decide(const WarmUpRule& rule, const std::vector<double>& samples, double elapsed_s,
              double next_s);

/// Whether enough warm-up batches were seen to say that they do not agree.
bool seen_unsteady(const WarmUpRule& rule, const std::vector<double>& samples);

}  // namespace gpuready::bench

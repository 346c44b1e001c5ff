#pragma once
/// Which of several GPUs of one model is slower than its peers by more than chance. Pure.

#include <cstddef>
#include <optional>
#include <vector>

#include "gpuready/bench.hpp"

namespace gpuready::bench {

/// The value below which a standard normal variable lies with probability `p` (0 < p < 1).
/// P. J. Acklam's rational approximation, relative error below 1.2e-9.
double normal_quantile(double p);

/// How many deviations below the median a healthy GPU may lie among `count` of them: so many that
/// one false alarm in a hundred jobs is expected, whatever the number of GPUs. (Always 3 would
/// accuse somebody in half of all jobs of 512.)
double deviations_allowed(std::size_t count);

/// The rate below which a GPU is slower than its peers: the median less the larger of 5 % and
/// deviations_allowed() times the robust deviation (1.4826 times the median distance from the
/// median). Nothing below four of them: so few have no deviation that means anything.
std::optional<double> slow_below(const std::vector<double>& rates);

/// For each rate, whether it lies below.
std::vector<bool> slower_than_peers(const std::vector<double>& rates);

/// Fills in `limit_flops`, `slow` and `verdict` of GPUs whose rates are known: each against the
/// others of its name, by the rate under joint load (alone where that is not known), and against
/// the floor of its model where there is one. `floors` has an entry for each GPU.
void judge_peers(const std::vector<std::optional<double>>& floors, std::vector<Peer>& peers);

}  // namespace gpuready::bench

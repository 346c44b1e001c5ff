#pragma once
/// Measures a list of cases within a time limit, and keeps what came of it.

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "api/measure.hpp"
#include "bench/time_plan.hpp"

namespace gpuready::api {

class BenchRun {
 public:
  /// All are borrowed for this object's life.
  BenchRun(host::Host& host, const Machine& machine, const Doctor& doctor,
           const BenchRequest& request, const ProgressSink& progress);

  /// Plans the cases of a request (the run's own, or one made for a part of it). The error is for
  /// the user.
  Result<bool> add(const BenchRequest& part);
  /// Tells how long it will take.
  void announce();
  /// Measures what was added, smallest first, as far as the time allows.
  void measure();
  /// What the first round gives reason to measure on the CPU, too.
  void measure_second_round();
  /// Cold starts in fresh processes, for the product that the speed-up is quoted for.
  void repeat_first_use();
  /// Compares, judges, and hands the result over.
  BenchAnswer finish();

  /// What is kept of a case that is measured outside the list.
  struct Keep {
    bool error = true, result = true;
  };
  /// One case now; nothing where it failed. A wrong product is always kept.
  std::vector<Case> measure_now(const PlannedCase& planned, Keep what);
  [[nodiscard]] double predicted(const PlannedCase& planned) const;
  /// Until the limit; infinite where there is none.
  [[nodiscard]] double left_s() const;
  [[nodiscard]] bool stopped() const { return request_.stopped && request_.stopped(); }
  void show(double done, const Message& what) const;

  [[nodiscard]] Bench& bench() { return bench_; }
  [[nodiscard]] host::Host& host() const { return host_; }
  [[nodiscard]] const Machine& machine() const { return machine_; }
  [[nodiscard]] const Doctor& doctor() const { return doctor_; }
  [[nodiscard]] const BenchRequest& request() const { return request_; }
  [[nodiscard]] const ProgressSink& progress() const { return progress_; }
  [[nodiscard]] Patience patience() const;

 private:
  struct Done {
    PlannedCase planned;
    Case measured;
    bool chosen = false;  ///< its library is the fastest of several
  };

  struct Timed {
    CaseAnswer answer;
    double wall_s = 0;
  };

  [[nodiscard]] bench::Pace pace_of(const bench::MeasureRequest& request) const;
  [[nodiscard]] bench::CaseTime time_of(const PlannedCase& planned) const;
  bool has_time(std::deque<PlannedCase>& waiting, double part);
  /// `part` of the time that is left is for these cases.
  void measure(double part);
  void reuse_choice(PlannedCase& planned) const;
  void leave_out(const PlannedCase& planned);
  std::vector<double> cold_starts(const Done& done, double budget_s);
  std::vector<Case> keep(const PlannedCase& planned, Timed answer, Keep what);
  Timed measure_timed(const PlannedCase& planned, const std::function<void(double)>& progress);
  void add_notes();

  host::Host& host_;
  const Machine& machine_;
  const Doctor& doctor_;
  const BenchRequest& request_;
  const ProgressSink& progress_;
  double start_s_ = 0;
  std::vector<PlannedCase> waiting_;
  std::vector<Done> done_;
  std::map<std::string, bench::Pace> paces_;
  bool has_cpu_ = false;
  Bench bench_;
};

}  // namespace gpuready::api

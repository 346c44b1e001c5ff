#pragma once
/// Measures on a scripted backend, and keeps what came of it.

#include <vector>

#include "tests/bench/scripted_backend.hpp"

namespace gpuready::bench::testing {

inline constexpr Shape small{48, 40, 56};

inline MeasureRequest request_for(const Shape& shape) {
  MeasureRequest request;
  request.backend.device = "cuda:0";
  request.backend.backend = "scripted";
  request.shape = shape;
  return request;
}

struct Measured {
  MeasureAnswer answer;
  double took_s = 0;
  int prepared = 0, transfers = 0;
  std::vector<double> progress;

  [[nodiscard]] const Case& only_case() const { return answer.cases.at(0); }
  [[nodiscard]] const CaseError& only_error() const { return answer.errors.at(0); }
};

inline Measured run(const BackendScript& script,
                    const MeasureRequest& request = request_for(small)) {
  ManualClock clock;
  ScriptedBackend backend(script, clock);
  Measured result;
  const double start = clock.now_s;
  result.answer = measure_on(
      backend, request, [&] { return clock(); },
      [&](double part) { result.progress.push_back(part); });
  result.took_s = clock.now_s - start;
  result.prepared = backend.prepared;
  result.transfers = backend.transfers;
  return result;
}

}  // namespace gpuready::bench::testing

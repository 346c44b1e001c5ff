#pragma once
/// Which products make the CPU's side of a benchmark the best that the machine can do. Pure.

#include <string>
#include <vector>

#include "api/measure_plan.hpp"

namespace gpuready::api {

/// One file of a library.
struct CpuLibrary {
  std::string backend, file;

  bool operator==(const CpuLibrary&) const = default;
};

/// The backends that multiply a type on the CPU, best first; empty where none does.
std::vector<std::string> cpu_backends(const std::string& dtype);

/// The libraries of this machine for a type, best first and at most two files of each; only those
/// of `backend` where one is named.
std::vector<CpuLibrary> cpu_libraries(const Machine& machine, const std::string& dtype,
                                      const std::string& backend);

/// The cases of one product on the CPU: one for each library where every one is wanted, otherwise
/// one that the fastest library is to measure. A CaseError where no library is there.
tl::expected<std::vector<PlannedCase>, CaseError> plan_cpu_product(const Machine& machine,
                                                                   const BenchRequest& request,
                                                                   const std::string& dtype,
                                                                   const Shape& shape);

/// A short product with the same library, to find the fastest of several.
bench::MeasureRequest trial_of(const bench::MeasureRequest& request);

/// What the first round of cases gives reason to measure too: the fastest library with one thread
/// and with every thread; a library that chose kernels for an older CPU, with its kernels named; a
/// library with the user's own tuning variables.
std::vector<PlannedCase> plan_second_round(const Machine& machine, const BenchRequest& request,
                                           const std::vector<Case>& measured);

/// What those cases show, in words.
std::vector<Message> cpu_notes(const Machine& machine, const std::vector<Case>& measured);

/// Variables with which a user steers CPU libraries away from the kernels that they would choose.
/// They are left out for the measurement, and the result says so.
const std::vector<std::string>& cpu_tuning_variables();

}  // namespace gpuready::api

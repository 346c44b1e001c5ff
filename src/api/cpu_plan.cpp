#include "api/cpu_plan.hpp"

#include <algorithm>
#include <array>

#include "api/cpu_kernels.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"

namespace gpuready::api {

namespace {

/// Of one library: more copies are the same library in other environments.
constexpr std::size_t most_files = 2;
constexpr std::int64_t trial_size = 1024;
constexpr double trial_seconds = 0.2;
/// Less than this between two rows is nothing to tell.
constexpr double worth_telling = 1.02;

struct BackendTypes {
  std::string_view backend;
  std::vector<std::string_view> dtypes;
};

/// In the order in which they are tried: what gpuready brings along comes first.
const std::vector<BackendTypes>& known_backends() {
  static const std::vector<BackendTypes> rows{
      {"openblas", {"fp32", "fp64"}},
      {"onednn", {"fp32", "bf16", "fp16", "int8"}},
      {"mkl", {"fp32", "fp64"}},
      {"blis", {"fp32", "fp64"}},
  };
  return rows;
}

std::int64_t usual_threads(const Machine& machine, const BenchRequest& request) {
  if (request.threads > 0) return request.threads;
  return machine.cpu.usable_physical_cores.value_or(machine.cpu.usable_threads.value_or(1));
}

bench::MeasureRequest request_for(const Machine& machine, const BenchRequest& request,
                                  const CpuLibrary& library, const std::string& dtype,
                                  const Shape& shape, std::int64_t threads) {
  bench::MeasureRequest measure;
  measure.backend = {
      "cpu", library.backend, library.file, threads, machine.memory.usable_bytes.value_or(0) / 2,
      dtype};
  measure.shape = shape;
  measure.data = request.data;
  measure.cold = request.cold;
  measure.max_time_s = request.max_time_s;
  measure.with_transfers = false;
  return measure;
}

PlannedCase planned(bench::MeasureRequest request) {
  PlannedCase one;
  one.what = {"bench.progress.cpu", {}};
  one.attempts.push_back(std::move(request));
  return one;
}

/// NAME=VALUE of the user's tuning variables that `backend` reads; of all where it is empty.
std::vector<std::string> tuning_set(const Machine& machine, std::string_view backend) {
  std::vector<std::string> found;
  for (const std::string& name : cpu_tuning_variables()) {
    const auto it = machine.environment.variables.find(name);
    const bool reads = backend.empty() || base::contains(base::lower(name), backend) ||
                       (backend == "onednn" && base::starts_with(name, "DNNL_"));
    if (it != machine.environment.variables.end() && reads)
      found.push_back(name + "=" + base::printable(it->second));
  }
  return found;
}

bool has_flag(const Case& c, std::string_view flag) {
  return std::ranges::find(c.flags, flag) != c.flags.end();
}

/// A row that stands for the library as it is: neither an experiment nor another number of threads.
bool is_plain(const Case& c) {
  return c.device == "cpu" && !has_flag(c, "override") && !has_flag(c, "environment");
}

bool same_product(const Case& x, const Case& y) {
  return x.shape == y.shape && x.dtype.name == y.dtype.name;
}

CpuLibrary library_of(const Case& c) { return {c.backend, c.library.file.value_or("")}; }

/// The plain row beside which an experiment is put.
const Case* plain_row(const std::vector<Case>& cases, const Case& experiment) {
  const auto it = std::ranges::find_if(cases, [&](const Case& c) {
    return is_plain(c) && same_product(c, experiment) && c.threads == experiment.threads &&
           library_of(c) == library_of(experiment);
  });
  return it == cases.end() ? nullptr : &*it;
}

class SecondRound {
 public:
  SecondRound(const Machine& machine, const BenchRequest& request,
              const std::vector<Case>& measured)
      : machine_(machine), request_(request), measured_(measured) {}

  std::vector<PlannedCase> take() {
    for (const Case& c : measured_) {
      if (!is_plain(c)) continue;
      if (is_fastest(c)) add_threads(c);
      add_override(c);
      add_environment(c);
    }
    return std::move(planned_);
  }

 private:
  [[nodiscard]] bool is_fastest(const Case& c) const {
    return std::ranges::none_of(measured_, [&](const Case& other) {
      return is_plain(other) && same_product(other, c) && other.median_s < c.median_s;
    });
  }

  void add_threads(const Case& c) {
    if (request_.threads > 0) return;
    std::vector<std::int64_t> counts{1, machine_.cpu.usable_threads.value_or(1)};
    if (counts[0] == counts[1]) counts.pop_back();
    for (const std::int64_t count : counts)
      if (count != c.threads) add(c, count);
  }

  void add_override(const Case& c) {
    const auto change = override_for(machine_.cpu, c);
    if (!change) return;
    PlannedCase& one = add(c, c.threads);
    one.environment[change->variable] = change->value;
    one.flag = "override";
    one.is_optional = true;
  }

  void add_environment(const Case& c) {
    if (tuning_set(machine_, c.backend).empty()) return;
    PlannedCase& one = add(c, c.threads);
    one.obeys_tuning = true;
    one.flag = "environment";
    one.is_optional = true;
  }

  PlannedCase& add(const Case& c, std::int64_t threads) {
    planned_.push_back(
        planned(request_for(machine_, request_, library_of(c), c.dtype.name, c.shape, threads)));
    return planned_.back();
  }

  const Machine& machine_;
  const BenchRequest& request_;
  const std::vector<Case>& measured_;
  std::vector<PlannedCase> planned_;
};

}  // namespace

const std::vector<std::string>& cpu_tuning_variables() {
  static const std::vector<std::string> names{
      "OPENBLAS_CORETYPE",       "OPENBLAS_L2_SIZE",   "BLIS_ARCH_TYPE",  "MKL_DEBUG_CPU_TYPE",
      "MKL_ENABLE_INSTRUCTIONS", "ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA"};
  return names;
}

std::vector<std::string> cpu_backends(const std::string& dtype) {
  std::vector<std::string> names;
  for (const BackendTypes& row : known_backends())
    if (std::ranges::find(row.dtypes, dtype) != row.dtypes.end()) names.emplace_back(row.backend);
  return names;
}

std::vector<CpuLibrary> cpu_libraries(const Machine& machine, const std::string& dtype,
                                      const std::string& backend) {
  std::vector<CpuLibrary> found;
  for (const std::string& name : cpu_backends(dtype)) {
    if (!backend.empty() && name != backend) continue;
    std::size_t files = 0;
    for (const Library& library : machine.libraries)
      if (library.name == name && library.file && files++ < most_files)
        found.push_back({name, *library.file});
  }
  return found;
}

tl::expected<std::vector<PlannedCase>, CaseError> plan_cpu_product(const Machine& machine,
                                                                   const BenchRequest& request,
                                                                   const std::string& dtype,
                                                                   const Shape& shape) {
  const std::vector<std::string> able = cpu_backends(dtype);
  if (able.empty())
    return tl::unexpected(
        CaseError{"cpu", request.backend, {"bench.error.cpu-type", {dtype}}, false, dtype});
  const std::vector<CpuLibrary> libraries = cpu_libraries(machine, dtype, request.backend);
  if (libraries.empty())
    return tl::unexpected(CaseError{"cpu",
                                    able.front(),
                                    {"bench.error.no-cpu-library", {dtype, base::join(able, ", ")}},
                                    false,
                                    dtype});
  std::vector<PlannedCase> cases;
  for (const CpuLibrary& library : libraries) {
    bench::MeasureRequest one =
        request_for(machine, request, library, dtype, shape, usual_threads(machine, request));
    if (request.every_cpu_library || cases.empty())
      cases.push_back(planned(std::move(one)));
    else
      cases.front().attempts.push_back(std::move(one));
  }
  for (PlannedCase& one : cases) {
    one.tuning_is_set = !tuning_set(machine, "").empty();
    one.tries_first = one.attempts.size() > 1;
  }
  return cases;
}

bench::MeasureRequest trial_of(const bench::MeasureRequest& request) {
  bench::MeasureRequest trial = request;
  trial.shape.m = std::min(trial.shape.m, trial_size);
  trial.shape.n = std::min(trial.shape.n, trial_size);
  trial.shape.k = std::min(trial.shape.k, trial_size);
  trial.max_time_s = std::min(trial.max_time_s, trial_seconds);
  trial.with_peak = false;
  trial.cold = false;
  return trial;
}

std::vector<PlannedCase> plan_second_round(const Machine& machine, const BenchRequest& request,
                                           const std::vector<Case>& measured) {
  return SecondRound(machine, request, measured).take();
}

std::vector<Message> cpu_notes(const Machine& machine, const std::vector<Case>& measured) {
  std::vector<Message> notes;
  if (const auto set = tuning_set(machine, ""); !set.empty())
    notes.push_back({"bench.note.tuning-ignored", {base::join(set, " and ")}});
  for (const Case& c : measured) {
    const Case* const plain = c.device == "cpu" && !is_plain(c) ? plain_row(measured, c) : nullptr;
    if (plain == nullptr) continue;
    const double ratio = c.median_s / plain->median_s;
    if (has_flag(c, "environment") && ratio > worth_telling)
      notes.push_back({"bench.note.tuning-slows",
                       {base::join(tuning_set(machine, c.backend), " and "), c.backend,
                        base::show_ratio(ratio)}});
    if (has_flag(c, "override"))
      if (const auto change = override_for(machine.cpu, *plain))
        notes.push_back({"bench.note.older-kernels",
                         {c.backend, plain->library.kernel_target.value_or("?"),
                          name_of(level_of_cpu(machine.cpu)),
                          change->variable + "=" + change->value, base::show_ratio(1 / ratio)}});
  }
  return notes;
}

}  // namespace gpuready::api

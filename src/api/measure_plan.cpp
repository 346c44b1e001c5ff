#include "api/measure_plan.hpp"

#include <algorithm>
#include <iterator>

#include "api/cpu_plan.hpp"
#include "base/text.hpp"

namespace gpuready::api {

namespace {

struct Target {
  std::string kind;  ///< cpu, cuda or opencl
  std::int64_t index = 0;

  [[nodiscard]] std::string name() const {
    return kind == "cpu" ? kind : kind + ":" + std::to_string(index);
  }
};

Result<Target> parse_device(const std::string& text) {
  const std::vector<std::string> parts = base::split(text, ':');
  const bool known =
      !parts.empty() && (parts[0] == "cpu" || parts[0] == "cuda" || parts[0] == "opencl");
  const auto index = parts.size() == 2 ? base::to_integer(parts[1]) : std::int64_t{0};
  if (!known || parts.size() > 2 || !index || *index < 0 || (parts[0] == "cpu" && parts.size() > 1))
    return failure("--device " + base::printable(text) +
                   ": expected cpu, cuda, cuda:N, opencl or opencl:N");
  return Target{parts[0], *index};
}

/// Best first.
const std::vector<std::string>& backends_for(const Target& target) {
  static const std::vector<std::string> cpu{"openblas", "onednn", "mkl", "blis"},
      cuda{"cublaslt", "cublas"}, opencl{"clblast"};
  if (target.kind == "cpu") return cpu;
  return target.kind == "cuda" ? cuda : opencl;
}

Result<bool> check_backend(const Target& target, const std::string& backend) {
  const auto& known = backends_for(target);
  if (backend.empty() || std::ranges::find(known, backend) != known.end()) return true;
  return failure("--backend " + base::printable(backend) + " does not run on " + target.name() +
                 "; expected " + base::join(known, " or "));
}

/// The major number of a CUDA version ("13.0"), 0 where it is unknown.
std::int64_t major_of(const std::string& version) {
  return base::to_integer(version.substr(0, version.find('.'))).value_or(0);
}

/// A library of a newer CUDA major than the driver's cannot start on it.
bool driver_can_run(const Machine& machine, const Library& library) {
  const std::int64_t driver = major_of(machine.driver.cuda.version.value_or(""));
  const std::int64_t wanted = major_of(library.version.value_or(""));
  return driver == 0 || wanted == 0 || wanted <= driver;
}

std::vector<std::string> library_files(const Machine& machine, const std::string& backend) {
  std::vector<std::string> files;
  for (const Library& library : machine.libraries) {
    if (library.name != backend || !library.file) continue;
    if (base::starts_with(backend, "cublas") && !driver_can_run(machine, library)) continue;
    files.push_back(*library.file);
  }
  constexpr std::size_t most = 4;
  if (files.size() > most) files.resize(most);
  return files;
}

class Planner {
 public:
  Planner(const Machine& machine, const Doctor& doctor, const BenchRequest& request)
      : machine_(machine), doctor_(doctor), request_(request) {}

  void add_cpu() {
    plan_.has_cpu = true;
    for (const std::string& dtype : request_.dtypes)
      for (const Shape& shape : request_.shapes) {
        auto cases = plan_cpu_product(machine_, request_, dtype, shape);
        if (!cases) {
          plan_.impossible.push_back(cases.error());
          break;
        }
        std::ranges::move(*cases, std::back_inserter(plan_.cases));
      }
  }

  void add_cuda(std::int64_t index) {
    const Target target{"cuda", index};
    add_cases(target, {"bench.progress.gpu", {target.name()}});
  }

  void add_opencl(std::int64_t index) {
    const Target target{"opencl", index};
    add_cases(target, {"bench.progress.gpu", {target.name()}});
  }

  /// The CPU and the best GPU.
  void add_usual() {
    add_cpu();
    const auto is_gpu = [](const OpenClDevice& device) { return device.type.is("gpu"); };
    const auto opencl_gpu = std::ranges::find_if(machine_.opencl, is_gpu);
    if (kernel_ran()) {
      add_cuda(best_cuda_index());
    } else if (opencl_gpu != machine_.opencl.end()) {
      add_opencl(opencl_gpu->index);
    }
  }

  /// One device that the user named.
  Result<bool> add(const Target& target) {
    const std::int64_t count = device_count(target);
    if (count > 0 && target.index >= count) return not_there(target, count);
    if (target.kind == "cpu") {
      add_cpu();
    } else if (target.kind == "cuda" && !kernel_ran()) {
      impossible(target, doctor_.summary);
    } else if (target.kind == "cuda") {
      add_cuda(target.index);
    } else if (count == 0) {
      impossible(target, {"bench.error.no-opencl", {}});
    } else {
      add_opencl(target.index);
    }
    return true;
  }

  MeasurePlan take() { return std::move(plan_); }

 private:
  [[nodiscard]] Fact<std::int64_t> nvml_index_of(std::int64_t cuda_index) const {
    for (const Gpu& gpu : machine_.gpus)
      if (gpu.cuda_index.is(cuda_index)) return gpu.nvml_index;
    return Fact<std::int64_t>::absent(Absence::not_found, "NVML has no such GPU");
  }

  [[nodiscard]] bool kernel_ran() const {
    return std::ranges::any_of(machine_.gpus, [](const Gpu& g) { return g.kernel.is(true); });
  }

  [[nodiscard]] std::int64_t best_cuda_index() const {
    const auto works = std::ranges::find_if(
        machine_.gpus, [](const Gpu& g) { return g.kernel.is(true) && g.cuda_index; });
    return works == machine_.gpus.end() ? 0 : *works->cuda_index;
  }

  [[nodiscard]] std::int64_t device_count(const Target& target) const {
    if (target.kind == "cpu") return 1;
    if (target.kind == "cuda") return machine_.driver.cuda.device_count.value_or(0);
    return static_cast<std::int64_t>(machine_.opencl.size());
  }

  static Result<bool> not_there(const Target& target, std::int64_t count) {
    return failure("--device " + target.name() + " is not there: this machine has " + target.kind +
                   ":0" +
                   (count > 1 ? " to " + target.kind + ":" + std::to_string(count - 1) : ""));
  }

  void impossible(const Target& target, Message why) {
    plan_.impossible.push_back(
        {target.name(), backends_for(target).front(), std::move(why), false, ""});
  }

  /// Every shape in every type.
  void add_cases(const Target& target, const Message& what) {
    for (const std::string& dtype : request_.dtypes)
      for (const Shape& shape : request_.shapes) {
        PlannedCase planned;
        planned.what = what;
        for (const std::string& backend : backends_for(target))
          add_attempts(target, backend, dtype, shape, planned);
        plan_.cases.push_back(std::move(planned));
      }
  }

  void add_attempts(const Target& target, const std::string& backend, const std::string& dtype,
                    const Shape& shape, PlannedCase& planned) const {
    if (!request_.backend.empty() && backend != request_.backend) return;
    const bool only_fp32 = backend != "cublaslt";
    const bool other_is_there = backends_for(target).size() > 1 && request_.backend.empty();
    if (only_fp32 && dtype != "fp32" && other_is_there) return;
    std::vector<std::string> files = library_files(machine_, backend);
    if (files.empty()) files = {""};
    for (const std::string& file : files) {
      bench::MeasureRequest request;
      request.backend = {
          target.name(), backend, file, threads(), machine_.memory.usable_bytes.value_or(0) / 2,
          dtype};
      request.shape = shape;
      request.data = request_.data;
      request.cold = request_.cold;
      request.max_time_s = request_.max_time_s;
      if (target.kind == "cuda") request.nvml_index = nvml_index_of(target.index);
      planned.attempts.push_back(std::move(request));
    }
  }

  [[nodiscard]] std::int64_t threads() const {
    if (request_.threads > 0) return request_.threads;
    return machine_.cpu.usable_physical_cores.value_or(machine_.cpu.usable_threads.value_or(1));
  }

  const Machine& machine_;
  const Doctor& doctor_;
  const BenchRequest& request_;
  MeasurePlan plan_;
};

}  // namespace

Result<MeasurePlan> plan_cases(const Machine& machine, const Doctor& doctor,
                               const BenchRequest& request) {
  Planner planner(machine, doctor, request);
  if (request.device.empty()) {
    planner.add_usual();
    return planner.take();
  }
  const auto target = parse_device(request.device);
  if (!target) return tl::unexpected(target.error());
  if (const auto good = check_backend(*target, request.backend); !good)
    return tl::unexpected(good.error());
  if (const auto good = planner.add(*target); !good) return tl::unexpected(good.error());
  return planner.take();
}

}  // namespace gpuready::api

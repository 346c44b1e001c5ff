#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "rules/driver_rules.hpp"
#include "rules/ladder.hpp"
#include "rules/rungs.hpp"
#include "rules/torch_rules.hpp"

namespace gpuready::rules {

namespace {

/// Codes of CUresult (cuda.h) that have a sentence of their own, by rung.
constexpr std::array<std::int64_t, 6> explained_init_codes{34, 802, 803, 804, 999, 3};
constexpr std::array<std::int64_t, 4> explained_context_codes{2, 46, 214, 999};
constexpr std::array<std::int64_t, 4> explained_kernel_codes{209, 218, 222, 700};

template <std::size_t N>
bool is_one_of(const std::optional<std::int64_t>& code, const std::array<std::int64_t, N>& codes) {
  return code && std::ranges::find(codes, *code) != codes.end();
}

/// A sentence for a call that gave no answer, or an answer that has no sentence of its own.
Judgement explain_absence(const std::string& rung, const Missing& missing) {
  const std::string why = reason(missing);
  if (missing.reason == Absence::not_tested) return not_tested("ladder.not-asked", {why});
  if (missing.reason == Absence::timed_out) return finding("ladder." + rung + ".timed-out", {why});
  if (missing.reason == Absence::crashed) return finding("ladder." + rung + ".crashed", {why});
  return finding("ladder." + rung + ".failed", {why});
}

/// The variable that can hide every GPU, where it is set to something.
std::optional<std::string> visible_devices(const Machine& machine) {
  const auto& variables = machine.environment.variables;
  const auto it = variables.find("CUDA_VISIBLE_DEVICES");
  if (it == variables.end()) return {};
  return it->second;
}

/// Whether this value of CUDA_VISIBLE_DEVICES hides every GPU: the list ends at its first entry
/// that is no device.
bool hides_every_gpu(const std::string& value, const Fact<std::int64_t>& nvml_count) {
  const std::string first(base::trim(value.substr(0, value.find(','))));
  if (base::starts_with(first, "GPU-") || base::starts_with(first, "MIG-")) return false;
  const auto index = base::to_integer(first);
  return !index || *index < 0 || (nvml_count && *index >= *nvml_count);
}

/// `why`: the call that told it and its code.
Judgement explain_no_device(const Machine& machine, const std::string& why) {
  const bool mig_empty = std::ranges::any_of(machine.driver.nvml.devices, [](const NvmlDevice& d) {
    return d.mig_enabled.is(true) && d.mig_instances.is(0);
  });
  if (mig_empty) return finding("ladder.device-count.mig");
  const auto visible = visible_devices(machine);
  if (visible && *visible == "NoDevFiles" && machine.environment.slurm)
    return finding("ladder.device-count.slurm");
  if (visible && hides_every_gpu(*visible, machine.driver.nvml.device_count))
    return finding("ladder.device-count.hidden", {*visible});
  return finding("ladder.device-count.none", {why});
}

/// The first device's absence of a fact; nullptr where all know it.
template <class Pick>
const Missing* first_absence(const std::vector<CudaDevice>& devices, const Pick& pick) {
  for (const CudaDevice& device : devices)
    if (!pick(device)) return &pick(device).missing();
  return nullptr;
}

/// "0, 3": CUDA's indices of the devices that fail a test.
template <class Good>
std::string indices_without(const std::vector<CudaDevice>& devices, const Good& good) {
  std::vector<std::string> bad;
  for (const CudaDevice& device : devices)
    if (!good(device)) bad.push_back(std::to_string(device.index));
  return base::join(bad, ", ");
}

/// Fewer CUDA devices than NVML sees, and neither a variable nor MIG to account for it.
bool some_are_lost(const Machine& machine, std::int64_t count) {
  const bool mig = std::ranges::any_of(machine.driver.nvml.devices,
                                       [](const NvmlDevice& d) { return d.mig_enabled.is(true); });
  return !mig && !visible_devices(machine) && machine.driver.nvml.device_count.value_or(0) > count;
}

/// What keeps a CUDA build of PyTorch from running on this GPU, as its files and the table of
/// builds tell.
std::optional<Judgement> torch_obstacle(const Machine& machine) {
  if (const auto seen = jetson_needs_jetpack_torch(machine))
    return finding("ladder.torch.jetson", {seen->args[0]});
  if (const auto seen = driver_too_old_for_torch(machine))
    return finding("ladder.torch.driver-too-old", seen->args);
  if (const auto seen = wheel_lacks_kernels(machine))
    return finding("ladder.torch.no-kernels", {seen->args[0], seen->args[1]});
  for (const auto check : {older_cuda_shadows_torch, older_cudnn_shadows_torch})
    if (const auto seen = check(machine))
      return finding("ladder.torch.shadowed", {seen->args[0], seen->args[2]});
  return {};
}

}  // namespace

Judgement judge_cuda_init(const Machine& machine) {
  const CudaDriver& cuda = machine.driver.cuda;
  if (cuda.init.is(true)) return pass("ladder.cuda-init.pass", {cuda.version.value_or("?")});
  const Missing& missing = first_missing(cuda.library, cuda.init);
  if (missing.reason == Absence::library_missing)
    return finding(machine.environment.container ? "ladder.cuda-init.library-missing-container"
                                                 : "ladder.cuda-init.library-missing");
  constexpr std::int64_t no_device = 100;
  if (missing.code == no_device) return explain_no_device(machine, reason(missing));
  if (missing.reason == Absence::call_failed && is_one_of(missing.code, explained_init_codes))
    return finding("ladder.cuda-init.code-" + std::to_string(*missing.code), {reason(missing)});
  return explain_absence("cuda-init", missing);
}

Judgement judge_device_count(const Machine& machine) {
  const Fact<std::int64_t>& count = machine.driver.cuda.device_count;
  if (!count) {
    constexpr std::int64_t no_device = 100;
    if (count.missing().code == no_device)
      return explain_no_device(machine, reason(count.missing()));
    return explain_absence("device-count", count.missing());
  }
  if (some_are_lost(machine, *count) && *count > 0)
    return finding("ladder.device-count.fewer",
                   {std::to_string(*count), std::to_string(*machine.driver.nvml.device_count)});
  if (*count > 0) return pass("ladder.device-count.pass", {std::to_string(*count)});
  return explain_no_device(machine, "cuDeviceGetCount: 0");
}

Judgement judge_context(const Machine& machine) {
  const auto& devices = machine.driver.cuda.devices;
  const auto works = [](const CudaDevice& d) { return d.context.is(true); };
  const auto good = std::ranges::count_if(devices, works);
  const std::string total = std::to_string(devices.size());
  if (good > 0 && std::cmp_less(good, devices.size()))
    return finding("ladder.context.some",
                   {indices_without(devices, works),
                    reason(*first_absence(devices, [](const CudaDevice& d) -> const Fact<bool>& {
                      return d.context;
                    }))});
  if (good > 0) return pass("ladder.context.pass", {std::to_string(good), total});
  const Missing* missing =
      first_absence(devices, [](const CudaDevice& d) -> const Fact<bool>& { return d.context; });
  if (missing == nullptr) return not_tested("ladder.not-asked", {"no device"});
  if (missing->reason == Absence::call_failed && is_one_of(missing->code, explained_context_codes))
    return finding("ladder.context.code-" + std::to_string(*missing->code), {reason(*missing)});
  return explain_absence("context", *missing);
}

Judgement judge_kernel(const Machine& machine) {
  const auto& devices = machine.driver.cuda.devices;
  const auto right = [](const CudaDevice& d) { return d.kernel.is(true); };
  const auto wrong = [](const CudaDevice& d) { return d.kernel.is(false); };
  const auto good = std::ranges::count_if(devices, right);
  if (good > 0 && std::cmp_less(good, devices.size()))
    return finding("ladder.kernel.some", {indices_without(devices, right)});
  if (good > 0)
    return pass("ladder.kernel.pass", {std::to_string(good), std::to_string(devices.size())});
  if (std::ranges::any_of(devices, wrong)) return finding("ladder.kernel.wrong");
  const Missing* missing =
      first_absence(devices, [](const CudaDevice& d) -> const Fact<bool>& { return d.kernel; });
  if (missing == nullptr) return not_tested("ladder.not-asked", {"no device"});
  if (missing->reason == Absence::call_failed && is_one_of(missing->code, explained_kernel_codes))
    return finding("ladder.kernel.code-" + std::to_string(*missing->code), {reason(*missing)});
  return explain_absence("kernel", *missing);
}

Judgement judge_libraries(const Machine& machine) {
  const auto find = [&](const char* name) -> const Library* {
    for (const Library& library : machine.libraries)
      if (library.name == name && library.file) return &library;
    return nullptr;
  };
  const Library* cublas = find("cublas");
  const Library* cudnn = find("cudnn");
  if (cublas == nullptr) return not_tested("ladder.libraries.no-cublas");
  const std::string version = cublas->version.value_or("?");
  if (cudnn == nullptr) return pass("ladder.libraries.no-cudnn", {version});
  return pass("ladder.libraries.pass", {version, cudnn->version.value_or("?")});
}

Judgement judge_torch(const Machine& machine) {
  const PythonEnvironment* python = default_python(machine);
  if (python == nullptr) return not_tested("ladder.torch.no-python");
  if (!python->torch) return not_tested("ladder.torch.not-installed", {python->executable});
  if (const auto told = judge_torch_answer(machine)) return *told;
  const TorchBuild& torch = *python->torch;
  if (torch.cuda)
    return torch_obstacle(machine).value_or(
        pass("ladder.torch.pass", {torch.version, *torch.cuda}));
  const bool unread = torch.cuda.absent_for(Absence::unreadable);
  if (unread && base::contains(torch.version, "+cu"))
    return torch_obstacle(machine).value_or(pass("ladder.torch.pass-by-name", {torch.version}));
  if (torch.hip) return finding("ladder.torch.rocm", {torch.version});
  if (base::contains(torch.version, "+xpu")) return finding("ladder.torch.xpu", {torch.version});
  if (unread && !base::contains(torch.version, "+cpu"))
    return not_tested("ladder.torch.unread", {torch.version, reason(torch.cuda.missing())});
  return finding("ladder.torch.cpu", {torch.version, python->executable});
}

}  // namespace gpuready::rules

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "rules/ladder.hpp"
#include "rules/rungs.hpp"

namespace gpuready::rules {

namespace {

/// Codes of CUresult (cuda.h) that have a sentence of their own, by rung.
constexpr std::array<std::int64_t, 7> explained_init_codes{34, 100, 802, 803, 804, 999, 3};
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

Judgement explain_no_device(const Machine& machine) {
  if (const auto visible = visible_devices(machine))
    return finding("ladder.device-count.hidden", {*visible});
  const bool mig_empty = std::ranges::any_of(machine.driver.nvml.devices, [](const NvmlDevice& d) {
    return d.mig_enabled.is(true) && d.mig_instances.is(0);
  });
  if (mig_empty) return finding("ladder.device-count.mig");
  return finding("ladder.device-count.none");
}

/// The first device whose fact is known; otherwise the first absence.
template <class Pick>
const Missing* first_absence(const std::vector<CudaDevice>& devices, const Pick& pick) {
  for (const CudaDevice& device : devices)
    if (!pick(device)) return &pick(device).missing();
  return nullptr;
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
  if (missing.code == no_device) return explain_no_device(machine);
  if (missing.reason == Absence::call_failed && is_one_of(missing.code, explained_init_codes))
    return finding("ladder.cuda-init.code-" + std::to_string(*missing.code), {reason(missing)});
  return explain_absence("cuda-init", missing);
}

Judgement judge_device_count(const Machine& machine) {
  const Fact<std::int64_t>& count = machine.driver.cuda.device_count;
  if (!count) {
    constexpr std::int64_t no_device = 100;
    if (count.missing().code == no_device) return explain_no_device(machine);
    return explain_absence("device-count", count.missing());
  }
  if (*count > 0) return pass("ladder.device-count.pass", {std::to_string(*count)});
  return explain_no_device(machine);
}

Judgement judge_context(const Machine& machine) {
  const auto& devices = machine.driver.cuda.devices;
  const auto works = [](const CudaDevice& d) { return d.context.is(true); };
  const auto good = std::ranges::count_if(devices, works);
  const std::string total = std::to_string(devices.size());
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
  const TorchBuild& torch = *python->torch;
  if (torch.cuda && !torch.cuda_library.is(false))
    return pass("ladder.torch.pass", {torch.version, *torch.cuda});
  if (torch.hip) return finding("ladder.torch.rocm", {torch.version});
  if (base::contains(torch.version, "+xpu")) return finding("ladder.torch.xpu", {torch.version});
  return finding("ladder.torch.cpu", {torch.version, python->executable});
}

}  // namespace gpuready::rules

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "rules/evidence.hpp"
#include "rules/ladder.hpp"
#include "rules/rungs.hpp"
#include "rules/torch_rules.hpp"
#include "rules/wheel_choice.hpp"

namespace gpuready::rules {

using catalog::VersionNumber;

DefaultTorch default_torch(const Machine& machine) {
  DefaultTorch found;
  found.python = default_python(machine);
  if (found.python == nullptr) return found;
  const auto index = static_cast<std::size_t>(found.python - machine.python.data());
  found.field = "machine.python[" + std::to_string(index) + "]";
  if (found.python->torch) found.torch = &*found.python->torch;
  return found;
}

bool has_gpu_of(const Machine& machine, const char* vendor) {
  return std::ranges::any_of(machine.gpus, [&](const Gpu& g) { return g.vendor.is(vendor); });
}

bool is_cuda_wheel(const TorchBuild& torch) {
  const std::string tag = torch.tag.value_or("");
  return base::starts_with(tag, "cu") && base::to_integer(tag.substr(2)).has_value();
}

std::string install_line(const Machine& machine, const PythonEnvironment* python) {
  const WheelChoice choice = choose_wheel(wheel_request(machine, python), catalog::wheel_tables());
  if (choice.command.empty()) return "# " + choice.why;
  return (python != nullptr ? python->executable + " -m " : "") + choice.command;
}

namespace {

Evidence version_evidence(const DefaultTorch& found) {
  return {found.field + ".torch.version", found.torch->version, found.python->torch.source()};
}

bool is_cpu_build(const TorchBuild& torch) {
  if (torch.hip || base::contains(torch.version, "+xpu")) return false;
  return torch.tag.is("cpu") || torch.cuda.absent_for(Absence::not_applicable) ||
         torch.cuda_library.is(false);
}

/// A GPU that some build of PyTorch can use.
bool has_gpu_for_torch(const Machine& machine) {
  return has_gpu_of(machine, "nvidia") || has_gpu_of(machine, "amd");
}

/// The GPUs' compute capabilities for which the default environment's wheel has no kernels, and
/// those for which it has; both empty where the table does not know the wheel.
struct Coverage {
  DefaultTorch found;
  std::vector<std::string> with, without;
};

Coverage coverage_of(const Machine& machine) {
  Coverage coverage{default_torch(machine), {}, {}};
  const TorchBuild* torch = coverage.found.torch;
  if (torch == nullptr || !is_cuda_wheel(*torch)) return coverage;
  const auto version = VersionNumber::parse(torch->version);
  const WheelRequest request = wheel_request(machine, coverage.found.python);
  const catalog::Wheel* wheel =
      version ? find_wheel(catalog::wheel_tables(), *torch->tag, *version, request.arch) : nullptr;
  if (wheel == nullptr) return coverage;
  for (const VersionNumber& capability : request.capabilities) {
    const auto has = has_kernels_for(*wheel, capability);
    if (has) (*has ? coverage.with : coverage.without).push_back(capability.text());
  }
  return coverage;
}

Sighting lacking(const Machine& machine, const Coverage& coverage) {
  const DefaultTorch& found = coverage.found;
  Sighting sighting{{found.torch->version, base::join(coverage.without, ", "),
                     install_line(machine, found.python), base::join(coverage.with, ", "),
                     found.python->executable},
                    {version_evidence(found)}};
  for (const Gpu& gpu : machine.gpus)
    if (std::ranges::find(coverage.without, gpu.compute_capability.value_or("")) !=
        coverage.without.end())
      sighting.evidence.push_back(
          evidence("machine.gpus.compute_capability", gpu.compute_capability));
  return sighting;
}

}  // namespace

std::optional<Sighting> cpu_build_of_torch(const Machine& machine) {
  const DefaultTorch found = default_torch(machine);
  if (found.torch == nullptr || !has_gpu_for_torch(machine) || !is_cpu_build(*found.torch))
    return {};
  return Sighting{
      {found.torch->version, found.python->executable, install_line(machine, found.python)},
      {version_evidence(found),
       evidence(found.field + ".torch.cuda_library", found.torch->cuda_library)}};
}

std::optional<Sighting> conda_keeps_cpu_torch(const Machine& machine) {
  const DefaultTorch found = default_torch(machine);
  if (found.python == nullptr || !found.python->cpu_pin || !has_gpu_for_torch(machine)) return {};
  return Sighting{{*found.python->cpu_pin, found.python->prefix.value_or("")},
                  {evidence(found.field + ".cpu_pin", found.python->cpu_pin)}};
}

std::optional<Sighting> torch_for_other_vendor(const Machine& machine) {
  const DefaultTorch found = default_torch(machine);
  if (found.torch == nullptr) return {};
  const bool nvidia = has_gpu_of(machine, "nvidia");
  const bool amd = has_gpu_of(machine, "amd");
  const bool rocm_on_nvidia = found.torch->hip && nvidia && !amd;
  const bool cuda_on_amd = found.torch->cuda && amd && !nvidia;
  if (!rocm_on_nvidia && !cuda_on_amd) return {};
  return Sighting{
      {found.torch->version, rocm_on_nvidia ? "AMD" : "NVIDIA", rocm_on_nvidia ? "NVIDIA" : "AMD",
       install_line(machine, found.python)},
      {version_evidence(found), evidence("machine.gpus.vendor", machine.gpus.front().vendor)}};
}

std::optional<Sighting> wheel_lacks_kernels(const Machine& machine) {
  const Coverage coverage = coverage_of(machine);
  if (coverage.without.empty() || !coverage.with.empty()) return {};
  return lacking(machine, coverage);
}

std::optional<Sighting> wheel_lacks_one_gpu(const Machine& machine) {
  const Coverage coverage = coverage_of(machine);
  if (coverage.without.empty() || coverage.with.empty()) return {};
  return lacking(machine, coverage);
}

std::optional<Sighting> jetson_needs_jetpack_torch(const Machine& machine) {
  const DefaultTorch found = default_torch(machine);
  if (found.torch == nullptr || !is_cuda_wheel(*found.torch)) return {};
  const WheelChoice choice =
      choose_wheel(wheel_request(machine, found.python), catalog::wheel_tables());
  if (choice.outcome != WheelOutcome::jetson) return {};
  return Sighting{
      {found.torch->version, found.python->executable},
      {version_evidence(found), evidence("machine.os.architecture", machine.os.architecture)}};
}

}  // namespace gpuready::rules

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "rules/evidence.hpp"
#include "rules/ladder.hpp"
#include "rules/rungs.hpp"
#include "rules/torch_rules.hpp"
#include "rules/wheel_choice.hpp"
#include "rules/wheel_questions.hpp"

namespace gpuready::rules {

using catalog::VersionNumber;

namespace {

std::string last_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// An interpreter that nobody chose: the system's, pyenv's, or conda's base.
bool is_nobodys_choice(const PythonEnvironment& python) {
  if (python.kind.is("conda")) return !base::contains(python.prefix.value_or(""), "/envs/");
  return python.kind.is("system") || python.kind.is("pyenv");
}

/// Active by its variable, or in the folder where the work is, as `uv run` takes it.
bool is_at_hand(const Machine& machine, const PythonEnvironment& python) {
  const std::string prefix = python.prefix.value_or("");
  for (const char* const name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const auto active = machine.environment.variables.find(name);
        active != machine.environment.variables.end() && active->second == prefix)
      return true;
  const std::string name = last_name(prefix);
  return name == ".venv" || name == "venv" || name == "env" || name == ".env";
}

/// A program's own environment, as pipx and `uv tool` make them.
bool is_of_a_tool(const PythonEnvironment& python) {
  const std::string prefix = python.prefix.value_or("");
  return base::contains(prefix, "/pipx/") || base::contains(prefix, "/uv/tools/");
}

/// The environment that `python` means. Where that is nobody's choice and has no PyTorch: the one
/// at hand that has, or else the only one that has.
const PythonEnvironment* python_in_question(const Machine& machine) {
  const PythonEnvironment* python = default_python(machine);
  if (python == nullptr || !python->torch.absent_for(Absence::not_found)) return python;
  if (!is_nobodys_choice(*python)) return python;
  std::vector<const PythonEnvironment*> others;
  for (const PythonEnvironment& other : machine.python) {
    if (!other.torch || is_of_a_tool(other)) continue;
    if (is_at_hand(machine, other)) return &other;
    others.push_back(&other);
  }
  return others.size() == 1 ? others.front() : python;
}

}  // namespace

DefaultTorch default_torch(const Machine& machine) {
  DefaultTorch found;
  found.python = python_in_question(machine);
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
  return (python != nullptr ? base::shell_word(python->executable) + " -m " : "") + choice.command;
}

namespace {

Evidence vendor_evidence(const Machine& machine, const char* vendor) {
  const auto gpu =
      std::ranges::find_if(machine.gpus, [&](const Gpu& g) { return g.vendor.is(vendor); });
  return evidence("machine.gpus.vendor", gpu->vendor);
}

bool is_rocm_build(const TorchBuild& torch) {
  return torch.hip || base::contains(torch.version, "+rocm");
}

Evidence version_evidence(const DefaultTorch& found) {
  return {found.field + ".torch.version", found.torch->version, found.python->torch.source()};
}

bool is_cpu_build(const TorchBuild& torch) {
  if (torch.cuda || is_rocm_build(torch) || base::contains(torch.version, "+xpu")) return false;
  return torch.tag.is("cpu") || torch.cuda.absent_for(Absence::not_applicable) ||
         torch.cuda_library.is(false);
}

struct Vendor {
  std::string_view id, name;
};

constexpr Vendor nvidia{"nvidia", "NVIDIA"}, amd{"amd", "AMD"}, intel{"intel", "Intel"};

/// Whose GPUs the build is for; nothing for a CPU build or an unknown one.
std::optional<Vendor> vendor_of_build(const TorchBuild& torch) {
  if (is_rocm_build(torch)) return amd;
  if (torch.cuda || is_cuda_wheel(torch)) return nvidia;
  if (base::contains(torch.version, "+xpu")) return intel;
  return {};
}

/// An Intel card. Of a processor's graphics nobody need expect anything.
bool has_intel_card(const Machine& machine) {
  return std::ranges::any_of(machine.pci, [](const PciFunction& function) {
    return is_intel_xpu(function) && !base::starts_with(function.address, "0000:00:");
  });
}

/// Whose GPUs are here that some build of PyTorch can use, the likeliest to be meant first.
std::vector<Vendor> vendors_for_torch(const Machine& machine) {
  std::vector<Vendor> found;
  if (has_gpu_of(machine, nvidia.id.data())) found.push_back(nvidia);
  if (has_amd_gpu_for_torch(machine)) found.push_back(amd);
  if (has_intel_card(machine)) found.push_back(intel);
  return found;
}

/// A GPU that some build of PyTorch can use. Most processors of AMD have graphics that none can.
bool has_gpu_for_torch(const Machine& machine) {
  return has_gpu_of(machine, "nvidia") || has_amd_gpu_for_torch(machine);
}

/// The CUDA version of a build: from its files, or from its tag ("cu124").
std::optional<VersionNumber> cuda_of(const TorchBuild& torch) {
  if (torch.cuda) return VersionNumber::parse(*torch.cuda);
  if (!is_cuda_wheel(torch)) return {};
  const std::string tag = torch.tag->substr(2);
  return VersionNumber::parse(tag.substr(0, tag.size() - 1) + "." + tag.substr(tag.size() - 1));
}

/// Whether the build lacks code for the GPU: by the table's list of that wheel; where there is
/// none, by the GPUs that its CUDA toolkit can make code for. PyTorch's own wheels before 2.7 hold
/// no PTX, which other builds may hold, so that an old toolkit tells nothing of those.
bool lacks(const TorchBuild& torch, const catalog::Wheel* wheel, const VersionNumber& capability) {
  const catalog::WheelTables& tables = catalog::wheel_tables();
  if (wheel != nullptr)
    if (const auto has = has_kernels_for(*wheel, capability)) return !*has;
  const auto cuda = cuda_of(torch);
  if (!cuda) return false;
  return has_dropped_gpu(*cuda, capability, tables) ||
         (is_cuda_wheel(torch) && precedes_gpu(*cuda, capability, tables));
}

/// The GPUs' compute capabilities for which the default environment's build has no kernels, and
/// the others.
struct Coverage {
  DefaultTorch found;
  std::vector<std::string> with, without;
};

Coverage coverage_of(const Machine& machine) {
  Coverage coverage{default_torch(machine), {}, {}};
  const TorchBuild* torch = coverage.found.torch;
  if (torch == nullptr || torch->hip) return coverage;
  const auto version = VersionNumber::parse(torch->version);
  const WheelRequest request = wheel_request(machine, coverage.found.python);
  const catalog::Wheel* wheel =
      version && is_cuda_wheel(*torch)
          ? find_wheel(catalog::wheel_tables(), *torch->tag, *version, request.arch)
          : nullptr;
  for (const VersionNumber& capability : request.capabilities)
    (lacks(*torch, wheel, capability) ? coverage.without : coverage.with)
        .push_back(capability.text());
  return coverage;
}

/// JetPack up to 6 has kernels 4.9 to 5.15 named so; Thor came with 6.8.
bool has_kernel_of_jetpack(const Machine& machine) {
  const std::string kernel = machine.os.kernel.value_or("");
  const auto major = VersionNumber::parse(kernel);
  return base::contains(kernel, "-tegra") && major && major->first() < 6;
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
  const std::vector<Vendor> here = vendors_for_torch(machine);
  const auto built = found.torch != nullptr ? vendor_of_build(*found.torch) : std::nullopt;
  if (!built || here.empty()) return {};
  if (std::ranges::find(here, built->id, &Vendor::id) != here.end()) return {};
  return Sighting{{found.torch->version, std::string(built->name), std::string(here.front().name),
                   install_line(machine, found.python)},
                  {version_evidence(found), vendor_evidence(machine, here.front().id.data())}};
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
  const WheelRequest request = wheel_request(machine, found.python);
  const WheelChoice choice = choose_wheel(request, catalog::wheel_tables());
  const bool unseen = request.capabilities.empty() && has_kernel_of_jetpack(machine);
  if (choice.outcome != WheelOutcome::jetson && !unseen) return {};
  return Sighting{
      {found.torch->version, found.python->executable},
      {version_evidence(found), evidence("machine.os.architecture", machine.os.architecture)}};
}

}  // namespace gpuready::rules

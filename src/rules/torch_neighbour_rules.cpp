#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "rules/evidence.hpp"
#include "rules/torch_rules.hpp"
#include "rules/wheel_choice.hpp"

namespace gpuready::rules {

using catalog::VersionNumber;

namespace {

/// Folders of LD_LIBRARY_PATH, which the loader searches before those of a wheel.
std::vector<std::string> preferred_folders(const Machine& machine) {
  const auto it = machine.environment.variables.find("LD_LIBRARY_PATH");
  if (it == machine.environment.variables.end()) return {};
  std::vector<std::string> folders;
  for (std::string folder : base::split(it->second, ':')) {
    while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
    if (!folder.empty()) folders.push_back(std::move(folder));
  }
  return folders;
}

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

/// The version that the wheel brings, from its own packages: nvidia-cudnn-cu12, nvidia-cublas, ...
std::optional<VersionNumber> bundled_version(const PythonEnvironment& python,
                                             const std::string& package) {
  for (const auto& [name, version] : python.packages)
    if (name == package || base::starts_with(name, package + "-cu"))
      return VersionNumber::parse(version);
  return {};
}

/// Older wheels hold cuDNN among their own libraries, where nothing tells its version.
std::optional<VersionNumber> cudnn_by_table(const Machine& machine, const TorchBuild& torch) {
  const auto version = VersionNumber::parse(torch.version);
  if (!version) return {};
  const catalog::Wheel* wheel = find_wheel(catalog::wheel_tables(), *torch.tag, *version,
                                           machine.os.architecture.value_or("x86_64"));
  if (wheel == nullptr || wheel->cudnn.empty()) return {};
  return VersionNumber::parse(wheel->cudnn);
}

/// A copy of the library that LD_LIBRARY_PATH puts in the place of the wheel's: of the same major
/// version, on which the file's name hangs, and older than it.
std::optional<Sighting> older_copy(const Machine& machine, const std::string& name) {
  const DefaultTorch found = default_torch(machine);
  if (found.torch == nullptr || !is_cuda_wheel(*found.torch)) return {};
  auto bundled = bundled_version(*found.python, "nvidia-" + name);
  if (!bundled && name == "cudnn") bundled = cudnn_by_table(machine, *found.torch);
  const std::vector<std::string> folders = preferred_folders(machine);
  if (!bundled) return {};
  for (const Library& library : machine.libraries) {
    if (library.name != name || !library.file || !library.version) continue;
    if (std::ranges::find(folders, folder_of(*library.file)) == folders.end()) continue;
    const auto version = VersionNumber::parse(*library.version);
    if (!version || version->first() != bundled->first() || !(*version < *bundled)) continue;
    return Sighting{{*library.file, version->text(), found.torch->version, bundled->text()},
                    {evidence("machine.libraries.version", library.version),
                     {"machine.environment.variables.LD_LIBRARY_PATH", base::join(folders, ":"),
                      "environment variable LD_LIBRARY_PATH"}}};
  }
  return {};
}

/// "cu130" of "0.24.0+cu130"; empty where the version has no tag.
std::string tag_of(const Fact<std::string>& version) {
  const std::string text = version.value_or("");
  const std::size_t plus = text.find('+');
  return plus == std::string::npos ? "" : text.substr(plus + 1);
}

const PythonEnvironment* environment_of(const Machine& machine, const std::string& executable) {
  const auto it = std::ranges::find_if(machine.python, [&](const PythonEnvironment& python) {
    return python.executable == executable ||
           (python.prefix && base::starts_with(executable, *python.prefix + "/bin/python"));
  });
  return it == machine.python.end() ? nullptr : &*it;
}

bool has_gpu_torch(const PythonEnvironment& python) {
  return python.torch && (python.torch->cuda || python.torch->hip);
}

/// torchvision's release that goes with one of PyTorch (pytorch/vision, README): 0.24 with 2.9,
/// 0.14 with 1.13; nothing for builds that are no release, and before 1.7.
std::optional<VersionNumber> vision_for(const std::string& torch) {
  const auto version = VersionNumber::parse(torch);
  const std::string number = torch.substr(0, torch.find('+'));
  if (!version || number.find_first_not_of("0123456789.") != std::string::npos) return {};
  if (version->first() == 2) return VersionNumber{0, version->second() + 15};
  if (version->first() == 1 && version->second() >= 7)
    return VersionNumber{0, version->second() + 1};
  return {};
}

bool is_vision_of_another_torch(const TorchBuild& torch) {
  const auto wanted = vision_for(torch.version);
  const std::string vision = torch.torchvision.value_or("");
  const auto found = VersionNumber::parse(vision);
  const std::string number = vision.substr(0, vision.find('+'));
  if (!wanted || !found || number.find_first_not_of("0123456789.") != std::string::npos)
    return false;
  return found->release() != *wanted;
}

}  // namespace

std::optional<Sighting> several_torch_copies(const Machine& machine) {
  const DefaultTorch found = default_torch(machine);
  if (found.torch == nullptr || found.python->hidden_torch.empty()) return {};
  const HiddenTorch& other = found.python->hidden_torch.front();
  if (other.version == found.torch->version) return {};  // the same build twice does no harm
  return Sighting{{found.torch->version, found.torch->site.value_or("?"), other.version, other.site,
                   found.python->executable},
                  {evidence(found.field + ".torch.site", found.torch->site),
                   {found.field + ".hidden_torch[0].site", other.site, other.site}}};
}

/// The environment of the shell has a PyTorch with CUDA; a kernel that Jupyter offers starts
/// another interpreter, whose environment has none, and no kernel offers one that has.
std::optional<Sighting> jupyter_kernel_elsewhere(const Machine& machine) {
  const DefaultTorch found = default_torch(machine);
  if (found.torch == nullptr || !has_gpu_torch(*found.python)) return {};
  const auto offers_gpu = [&](const JupyterKernel& kernel) {
    const PythonEnvironment* other = environment_of(machine, kernel.executable.value_or(""));
    return other != nullptr && has_gpu_torch(*other);
  };
  if (std::ranges::any_of(machine.jupyter_kernels, offers_gpu)) return {};
  for (std::size_t i = 0; i < machine.jupyter_kernels.size(); ++i) {
    const JupyterKernel& kernel = machine.jupyter_kernels[i];
    if (!base::starts_with(kernel.executable.value_or(""), "/")) continue;
    if (environment_of(machine, *kernel.executable) == nullptr) continue;
    const std::string field = "machine.jupyter_kernels[" + std::to_string(i) + "].executable";
    return Sighting{{kernel.name, *kernel.executable, found.python->executable},
                    {evidence(field, kernel.executable)}};
  }
  return {};
}

std::optional<Sighting> torch_set_from_two_indexes(const Machine& machine) {
  const DefaultTorch found = default_torch(machine);
  if (found.torch == nullptr) return {};
  const TorchBuild& torch = *found.torch;
  for (const auto& [name, version] :
       {std::pair{"torchvision", &torch.torchvision}, std::pair{"torchaudio", &torch.torchaudio}}) {
    const std::string tag = tag_of(*version);
    const bool other_tag = torch.tag && !tag.empty() && tag != *torch.tag;
    const bool other_release = version == &torch.torchvision && is_vision_of_another_torch(torch);
    if (!other_tag && !other_release) continue;
    return Sighting{{torch.version, name, **version, install_line(machine, found.python)},
                    {{found.field + ".torch.version", torch.version, torch.site.value_or("?")},
                     evidence(found.field + ".torch." + name, *version)}};
  }
  return {};
}

std::optional<Sighting> older_cudnn_shadows_torch(const Machine& machine) {
  return older_copy(machine, "cudnn");
}

std::optional<Sighting> older_cuda_shadows_torch(const Machine& machine) {
  for (const char* const name : {"cublas", "nvjitlink", "nccl"})
    if (auto seen = older_copy(machine, name)) return seen;
  return {};
}

std::optional<Sighting> nvidia_packages_differ_from_pins(const Machine& machine) {
  const DefaultTorch found = default_torch(machine);
  if (found.torch == nullptr) return {};
  for (const auto& [name, wanted] : found.torch->pins) {
    const auto it = found.python->packages.find(name);
    if (it == found.python->packages.end() || it->second == wanted) continue;
    const std::string site = found.torch->site.value_or("?");
    return Sighting{{name, it->second, found.torch->version, wanted, found.python->executable},
                    {{found.field + ".packages." + name, it->second, site},
                     {found.field + ".torch.pins." + name, wanted, site}}};
  }
  return {};
}

}  // namespace gpuready::rules

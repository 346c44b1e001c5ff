#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "rules/evidence.hpp"
#include "rules/torch_rules.hpp"

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

/// A copy of the library that LD_LIBRARY_PATH puts in the place of the wheel's: of the same major
/// version, on which the file's name hangs, and older than it.
std::optional<Sighting> older_copy(const Machine& machine, const std::string& name) {
  const DefaultTorch found = default_torch(machine);
  if (found.torch == nullptr || !is_cuda_wheel(*found.torch)) return {};
  const auto bundled = bundled_version(*found.python, "nvidia-" + name);
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
/// another interpreter, whose environment has none.
std::optional<Sighting> jupyter_kernel_elsewhere(const Machine& machine) {
  const DefaultTorch found = default_torch(machine);
  if (found.torch == nullptr || !(found.torch->cuda || found.torch->hip)) return {};
  for (std::size_t i = 0; i < machine.jupyter_kernels.size(); ++i) {
    const JupyterKernel& kernel = machine.jupyter_kernels[i];
    if (!base::starts_with(kernel.executable.value_or(""), "/")) continue;
    const PythonEnvironment* other = environment_of(machine, *kernel.executable);
    if (other == nullptr || other == found.python) continue;
    const bool has_gpu_torch = other->torch && (other->torch->cuda || other->torch->hip);
    if (has_gpu_torch) continue;
    const std::string field = "machine.jupyter_kernels[" + std::to_string(i) + "].executable";
    return Sighting{{kernel.name, *kernel.executable, found.python->executable},
                    {evidence(field, kernel.executable)}};
  }
  return {};
}

std::optional<Sighting> torch_set_from_two_indexes(const Machine& machine) {
  const DefaultTorch found = default_torch(machine);
  if (found.torch == nullptr || !found.torch->tag) return {};
  const TorchBuild& torch = *found.torch;
  for (const auto& [name, version] :
       {std::pair{"torchvision", &torch.torchvision}, std::pair{"torchaudio", &torch.torchaudio}}) {
    const std::string tag = tag_of(*version);
    if (tag.empty() || tag == *torch.tag) continue;
    return Sighting{{torch.version, name, **version, install_line(machine, found.python)},
                    {evidence(found.field + ".torch.tag", torch.tag),
                     evidence(found.field + ".torch." + name, *version)}};
  }
  return {};
}

std::optional<Sighting> older_cudnn_shadows_torch(const Machine& machine) {
  return older_copy(machine, "cudnn");
}

std::optional<Sighting> older_cuda_shadows_torch(const Machine& machine) {
  return older_copy(machine, "cublas");
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

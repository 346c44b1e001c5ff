#pragma once
/// Python environments as files: nothing is imported or run.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpuready/machine.hpp"
#include "host/host.hpp"

namespace gpuready::probe {

/// The site-packages and dist-packages folders that exist, in the order of sys.path, each once.
std::vector<std::string> site_folders(host::Host& host, const PythonEnvironment& environment);

/// The value of `name = 'value'` or `name: Optional[str] = 'value'`; "None" as it stands.
std::optional<std::string> python_constant(const std::string& text, std::string_view name);

/// PyTorch's build, from the files of the first of the folders that holds it.
Fact<TorchBuild> find_torch(host::Host& host, const std::vector<std::string>& sites);
/// The copies in the other folders.
std::vector<HiddenTorch> find_hidden_torch(host::Host& host, const std::vector<std::string>& sites);
/// What lies beside PyTorch: torchvision, torchaudio, its pins, NVIDIA's packages, conda's pin.
void tell_packages(host::Host& host, const std::vector<std::string>& sites,
                   PythonEnvironment& environment);

/// Interpreters worth a look, in order of importance; `python` on PATH first. They need not exist.
struct PythonCandidates {
  std::string on_path;  ///< what `python`, or else `python3`, means; empty if neither is there
  std::vector<std::string> paths;
};
PythonCandidates python_candidates(host::Host& host);

}  // namespace gpuready::probe

#pragma once
/// Python environments as files: nothing is imported or run.

#include <string>
#include <vector>

#include "gpuready/machine.hpp"
#include "host/host.hpp"

namespace gpuready::probe {

/// The site-packages and dist-packages folders that exist, in the order of sys.path, each once.
std::vector<std::string> site_folders(host::Host& host, const PythonEnvironment& environment);

/// PyTorch's build, from the files of the first of the folders that holds it.
Fact<TorchBuild> find_torch(host::Host& host, const std::vector<std::string>& sites);

/// Interpreters worth a look, in order of importance; `python` on PATH first. They need not exist.
struct PythonCandidates {
  std::string on_path;  ///< what `python`, or else `python3`, means; empty if neither is there
  std::vector<std::string> paths;
};
PythonCandidates python_candidates(host::Host& host);

}  // namespace gpuready::probe

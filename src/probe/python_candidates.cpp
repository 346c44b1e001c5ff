#include "base/text.hpp"
#include "probe/python_files.hpp"
#include "probe/read.hpp"

namespace gpuready::probe {

namespace {

/// The version that pyenv's shims would start: PYENV_VERSION, the working folder's
/// .python-version, then the global one; the first that pyenv itself holds.
std::string behind_pyenv(host::Host& host, const std::string& root, const std::string& name) {
  std::string wanted = host.env("PYENV_VERSION").value_or("");
  const std::string working = host.env("PWD").value_or("");
  if (wanted.empty() && !working.empty())
    wanted = base::trim(read_or_empty(host, working + "/.python-version"));
  if (wanted.empty()) wanted = base::trim(read_or_empty(host, root + "/version"));
  for (char& c : wanted)
    if (c == '\n' || c == ' ') c = ':';
  for (const std::string& version : base::split(wanted, ':')) {
    if (version.empty() || base::contains(version, "/")) continue;
    const std::string path = root + "/versions/" + version + "/bin/" + name;
    if (exists(host, path)) return path;
  }
  return {};
}

/// The interpreter behind a name on PATH; a pyenv shim is a script that chooses among versions.
/// Where it would choose the system's, that is what stands next on PATH.
std::string interpreter_on_path(host::Host& host, const std::string& name) {
  const std::string path = find_on_path(host, name);
  if (!base::ends_with(folder_of(path), "/shims")) return path;
  const std::string root = host.env("PYENV_ROOT").value_or(folder_of(folder_of(path)));
  const std::string chosen = behind_pyenv(host, root, name);
  return !chosen.empty() ? chosen : "/usr/bin/" + name;
}

std::string python_in(host::Host& host, const std::string& prefix) {
  for (const char* const name : {"/bin/python", "/bin/python3"})
    if (exists(host, prefix + name)) return prefix + name;
  return {};
}

std::vector<std::string> conda_roots(host::Host& host) {
  std::vector<std::string> roots{"/opt/conda"};
  const std::string home = host.env("HOME").value_or("");
  if (home.empty()) return roots;
  for (const char* const name : {"/miniconda3", "/anaconda3", "/miniforge3", "/mambaforge"})
    roots.push_back(home + name);
  return roots;
}

/// Prefixes of environments that are active, beside the work, or in conda's usual places.
std::vector<std::string> prefixes(host::Host& host) {
  std::vector<std::string> all;
  for (const char* const name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const auto prefix = host.env(name); prefix && !prefix->empty()) all.push_back(*prefix);
  if (const auto working = host.env("PWD"); working && base::starts_with(*working, "/"))
    for (const char* const name : {"/.venv", "/venv"}) all.push_back(*working + name);
  for (const std::string& root : conda_roots(host)) {
    const Result<std::vector<std::string>> names = host.list(root + "/envs");
    if (!names && !exists(host, root)) continue;
    all.push_back(root);
    for (const std::string& name : names.value_or(std::vector<std::string>{}))
      if (name[0] != '.') all.push_back(root + "/envs/" + name);
  }
  return all;
}

}  // namespace

PythonCandidates python_candidates(host::Host& host) {
  PythonCandidates found;
  for (const char* const name : {"python", "python3"}) {
    const std::string path = interpreter_on_path(host, name);
    if (path.empty()) continue;
    if (found.on_path.empty()) found.on_path = path;
    found.paths.push_back(path);
  }
  for (const std::string& prefix : prefixes(host)) {
    const std::string path = python_in(host, prefix);
    if (!path.empty()) found.paths.push_back(path);
  }
  if (exists(host, "/usr/bin/python3")) found.paths.emplace_back("/usr/bin/python3");
  return found;
}

}  // namespace gpuready::probe

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

using Paths = std::vector<std::string>;

Paths conda_roots(host::Host& host) {
  Paths roots;
  if (const auto root = host.env("MAMBA_ROOT_PREFIX"); root && !root->empty())
    roots.push_back(*root);
  if (const auto program = host.env("CONDA_EXE"); program && base::starts_with(*program, "/"))
    roots.push_back(folder_of(folder_of(*program)));
  for (const char* const root :
       {"/opt/conda", "/opt/miniconda3", "/opt/anaconda3", "/opt/miniforge3"})
    roots.emplace_back(root);
  const std::string home = host.env("HOME").value_or("");
  if (home.empty()) return roots;
  for (const char* const name :
       {"/miniconda3", "/anaconda3", "/miniforge3", "/mambaforge", "/micromamba", "/.conda"})
    roots.push_back(home + name);
  return roots;
}

/// The folders in a folder that holds environments.
void add_each(host::Host& host, const std::string& folder, Paths& all) {
  for (const std::string& name : list_or_empty(host, folder))
    if (name[0] != '.') all.push_back(folder + "/" + name);
}

/// conda's own list of its environments comes first: they may lie anywhere.
void add_conda(host::Host& host, Paths& all) {
  const std::string home = host.env("HOME").value_or("");
  const std::string list =
      home.empty() ? "" : read_or_empty(host, home + "/.conda/environments.txt");
  for (const std::string& line : base::split_lines(list))
    if (base::starts_with(line, "/")) all.emplace_back(base::trim(line));
  for (const std::string& root : conda_roots(host)) {
    if (!exists(host, root)) continue;
    all.push_back(root);
    add_each(host, root + "/envs", all);
  }
}

/// Where virtualenvwrapper, pipenv, poetry, pyenv, pipx and uv keep environments.
void add_managed(host::Host& host, Paths& all) {
  const std::string home = host.env("HOME").value_or("");
  if (const auto folder = host.env("WORKON_HOME"); folder && !folder->empty())
    add_each(host, *folder, all);
  const std::string pyenv = host.env("PYENV_ROOT").value_or(home.empty() ? "" : home + "/.pyenv");
  if (!pyenv.empty()) add_each(host, pyenv + "/versions", all);
  if (home.empty()) return;
  for (const char* const folder :
       {"/.virtualenvs", "/.local/share/virtualenvs", "/.cache/pypoetry/virtualenvs",
        "/.local/share/pipx/venvs", "/.local/pipx/venvs", "/.local/share/uv/tools"})
    add_each(host, home + folder, all);
}

/// Prefixes of environments that are active, beside the work, or in their tools' usual places.
Paths prefixes(host::Host& host) {
  Paths all;
  for (const char* const name : {"VIRTUAL_ENV", "CONDA_PREFIX", "UV_PROJECT_ENVIRONMENT"})
    if (const auto prefix = host.env(name); prefix && base::starts_with(*prefix, "/"))
      all.push_back(*prefix);
  if (const auto working = host.env("PWD"); working && base::starts_with(*working, "/"))
    for (const char* const name : {"/.venv", "/venv", "/env", "/.env", "/.pixi/envs/default"})
      all.push_back(*working + name);
  // Folders that images of containers and rented machines use.
  for (const char* const prefix :
       {"/opt/venv", "/venv", "/venv/main", "/workspace/venv", "/workspace/.venv", "/app/.venv"})
    all.emplace_back(prefix);
  add_conda(host, all);
  add_managed(host, all);
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
  for (const char* const path : {"/usr/bin/python3", "/usr/local/bin/python3"})
    if (exists(host, path)) found.paths.emplace_back(path);
  return found;
}

}  // namespace gpuready::probe

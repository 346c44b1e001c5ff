#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "probe/probe.hpp"
#include "probe/python_files.hpp"
#include "probe/read.hpp"

namespace gpuready::probe {

namespace {

/// A folder of thousands of environments is somebody's archive; the first ones must do.
constexpr std::size_t most_environments = 64;

/// An environment's folder and, if it has one, its pyvenv.cfg (PEP 405). The interpreter's own
/// path counts, before links are resolved; without that file it is the real path that counts.
struct Prefix {
  std::string path, config;
};

Prefix prefix_of(host::Host& host, const std::string& executable) {
  const std::string folder = folder_of(folder_of(executable));
  const Result<std::string> config = host.read_file(folder + "/pyvenv.cfg");
  if (config) return {resolved(host, folder), *config};
  return {folder_of(folder_of(resolved(host, executable))), ""};
}

/// "3.12" from "python3.12"; empty where the name tells less.
std::string version_in_name(std::string_view name) {
  if (!base::starts_with(name, "python3.")) return {};
  const std::string_view version = name.substr(6);
  const bool digits = std::ranges::all_of(
      version.substr(2), [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
  return digits && version.size() > 2 ? std::string(version) : std::string();
}

/// "3.11.9" from conda-meta/python-3.11.9-h955ad1f_0.json.
std::string version_in_conda(const std::vector<std::string>& meta) {
  for (const std::string& name : meta) {
    const std::vector<std::string> parts = base::split(name, '-');
    if (parts.size() == 3 && parts[0] == "python") return parts[1];
  }
  return {};
}

/// virtualenv and uv write version_info, the standard library's venv writes version.
std::string version_in_config(const std::string& config) {
  if (auto version = base::field_value(config, "version", '=')) return *version;
  const std::string info = base::field_value(config, "version_info", '=').value_or("");
  const std::vector<std::string> parts = base::split(info, '.');
  if (parts.size() < 3) return info;
  return parts[0] + "." + parts[1] + "." + parts[2];
}

/// The only pythonX.Y folder under lib; several tell nothing.
std::string version_in_folders(host::Host& host, const std::string& lib) {
  std::string found;
  for (const std::string& name : list_or_empty(host, lib)) {
    const std::string version = version_in_name(name);
    if (version.empty()) continue;
    if (!found.empty()) return {};
    found = version;
  }
  return found;
}

bool is_pyenv(const std::string& prefix) { return base::contains(prefix, "pyenv/versions/"); }

void tell_kind_and_version(host::Host& host, const Prefix& prefix, PythonEnvironment& out) {
  const auto known = [&](const std::string& version, const std::string& source) {
    if (!out.version && !version.empty()) out.version = Fact<std::string>(version, source);
  };
  const std::string meta_folder = prefix.path + "/conda-meta";
  const Result<std::vector<std::string>> meta = host.list(meta_folder);
  out.version = Missing{Absence::not_found, "no file under " + prefix.path + " tells it", {}};
  if (!prefix.config.empty()) {
    const std::string path = prefix.path + "/pyvenv.cfg";
    out.kind = {"venv", path};
    known(version_in_config(prefix.config), path);
  } else if (meta) {
    out.kind = {"conda", meta_folder};
    known(version_in_conda(*meta), meta_folder);
  } else if (is_pyenv(prefix.path)) {
    out.kind = {"pyenv", prefix.path};
    known(name_of(prefix.path), prefix.path);
  } else {
    out.kind = {"system", out.executable};
  }
  const std::string real = resolved(host, out.executable);
  known(version_in_name(name_of(real)), real);
  known(version_in_folders(host, prefix.path + "/lib"), prefix.path + "/lib");
}

/// The environments found so far, each once.
class Environments {
 public:
  Environments(host::Host& host, std::string on_path) : host_(host), on_path_(std::move(on_path)) {}

  void add(const std::string& executable) {
    if (list.size() >= most_environments) return;
    const Prefix prefix = prefix_of(host_, executable);
    if (!seen_.insert(prefix.path).second) return;
    PythonEnvironment environment;
    environment.executable = executable;
    environment.prefix = {prefix.path, executable};
    environment.is_default = executable == on_path_;
    tell_kind_and_version(host_, prefix, environment);
    const std::vector<std::string> sites = site_folders(host_, environment);
    environment.torch = find_torch(host_, sites);
    environment.hidden_torch = find_hidden_torch(host_, sites);
    tell_packages(host_, sites, environment);
    list.push_back(std::move(environment));
  }

  std::vector<PythonEnvironment> list;

 private:
  host::Host& host_;
  std::string on_path_;
  std::set<std::string> seen_;
};

}  // namespace

std::vector<PythonEnvironment> probe_python(host::Host& host) {
  const PythonCandidates candidates = python_candidates(host);
  Environments found(host, candidates.on_path);
  for (const std::string& executable : candidates.paths) found.add(executable);
  for (const JupyterKernel& kernel : probe_jupyter(host, found.list)) {
    const std::string executable = kernel.executable.value_or("");
    if (base::starts_with(executable, "/") && exists(host, executable)) found.add(executable);
  }
  return std::move(found.list);
}

}  // namespace gpuready::probe

#include "probe/python_files.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "base/text.hpp"
#include "probe/read.hpp"

namespace gpuready::probe {

namespace {

/// "3.12" of "3.12.4".
std::string minor_version(const std::string& version) {
  const std::vector<std::string> parts = base::split(version, '.');
  return parts.size() < 2 ? version : parts[0] + "." + parts[1];
}

/// The user's own site (PEP 370); empty where there is none.
std::string user_site(host::Host& host, const std::string& python) {
  if (!host.env("PYTHONNOUSERSITE").value_or("").empty()) return {};
  const std::string home = host.env("HOME").value_or("");
  const std::string base =
      host.env("PYTHONUSERBASE").value_or(home.empty() ? "" : home + "/.local");
  return base.empty() ? "" : base + "/lib/" + python + "/site-packages";
}

/// Folders of an interpreter that is no virtual environment; Debian keeps its own packages in
/// dist-packages, Fedora puts compiled ones into lib64, and the user's site comes before the
/// system's.
std::vector<std::string> system_sites(host::Host& host, const std::string& prefix,
                                      const std::string& python) {
  std::vector<std::string> folders;
  if (const std::string user = user_site(host, python); !user.empty()) folders.push_back(user);
  if (prefix == "/usr") {
    folders.push_back("/usr/local/lib/" + python + "/dist-packages");
    folders.push_back("/usr/local/lib64/" + python + "/site-packages");
    folders.push_back("/usr/local/lib/" + python + "/site-packages");
  }
  for (const char* const lib : {"/lib/", "/lib64/"}) {
    folders.push_back(prefix + lib + python + "/site-packages");
    folders.push_back(prefix + lib + python + "/dist-packages");
  }
  folders.push_back(prefix + "/lib/python3/dist-packages");
  return folders;
}

std::vector<std::string> own_sites(host::Host& host, const PythonEnvironment& environment) {
  const std::string prefix = environment.prefix.value_or("");
  const std::string python = "python" + minor_version(environment.version.value_or("3"));
  if (!environment.kind.is("venv")) return system_sites(host, prefix, python);
  std::vector<std::string> folders{prefix + "/lib/" + python + "/site-packages",
                                   prefix + "/lib64/" + python + "/site-packages"};
  const std::string config = read_or_empty(host, prefix + "/pyvenv.cfg");
  const auto shared = base::field_value(config, "include-system-site-packages", '=');
  if (shared && base::lower(*shared) == "true") {
    const std::string home = base::field_value(config, "home", '=').value_or("/usr/bin");
    for (std::string& folder : system_sites(host, folder_of(home), python))
      folders.push_back(std::move(folder));
  }
  return folders;
}

/// PYTHONPATH comes before every interpreter's own folders.
std::vector<std::string> possible_sites(host::Host& host, const PythonEnvironment& environment) {
  std::vector<std::string> folders;
  for (const std::string& folder : base::split(host.env("PYTHONPATH").value_or(""), ':'))
    if (base::starts_with(folder, "/")) folders.push_back(folder);
  for (std::string& folder : own_sites(host, environment)) folders.push_back(std::move(folder));
  return folders;
}

/// "2.9.0+cu130" from torch-2.9.0+cu130.dist-info.
std::string version_in_metadata(const std::vector<std::string>& names) {
  constexpr std::string_view end = ".dist-info";
  for (const std::string& name : names)
    if (base::starts_with(name, "torch-") && base::ends_with(name, end))
      return name.substr(6, name.size() - 6 - end.size());
  return {};
}

Fact<std::string> built_for(const std::string& text, std::string_view name,
                            const std::string& path) {
  const auto value = python_constant(text, name);
  if (!value) return Missing{Absence::not_found, path + ": no " + std::string(name), {}};
  if (*value == "None" || value->empty())
    return Missing{Absence::not_applicable, path + ": built without " + std::string(name), {}};
  return {*value, path};
}

/// conda-forge and Debian keep libtorch apart, in the folder of the system's libraries.
Fact<bool> has_cuda_library(host::Host& host, const std::string& site) {
  const std::string folder = site + "/torch/lib", name = "libtorch_cuda.so";
  const Result<std::vector<std::string>> names = host.list(folder);
  if (names && std::ranges::find(*names, name) != names->end()) return {true, folder};
  const std::string lib = folder_of(folder_of(site));
  for (const std::string& apart : {lib, lib + "/x86_64-linux-gnu", lib + "/aarch64-linux-gnu"})
    if (exists(host, apart + "/" + name)) return {true, apart};
  if (!names) return why_absent(names.error(), folder);
  return {false, folder};
}

std::optional<Fact<TorchBuild>> torch_in(host::Host& host, const std::string& site) {
  const std::string path = site + "/torch/version.py";
  const Result<std::string> text = host.read_file(path);
  TorchBuild torch;
  std::string source = path;
  torch.version = python_constant(text.value_or(std::string()), "__version__").value_or("");
  if (torch.version.empty()) {
    torch.version = version_in_metadata(list_or_empty(host, site));
    source = site;
  }
  if (torch.version.empty()) return {};
  const std::size_t plus = torch.version.find('+');
  torch.tag = plus != std::string::npos
                  ? Fact<std::string>(torch.version.substr(plus + 1), source)
                  : Fact<std::string>(Missing{Absence::not_found, "no tag in the version", {}});
  torch.cuda = torch.hip = Missing{Absence::unreadable, path + ": could not be read", {}};
  if (text) torch.cuda = built_for(*text, "cuda", path), torch.hip = built_for(*text, "hip", path);
  torch.cuda_library = has_cuda_library(host, site);
  torch.site = {site, source};
  return Fact<TorchBuild>(std::move(torch), source);
}

}  // namespace

std::optional<std::string> python_constant(const std::string& text, std::string_view name) {
  for (const std::string& line : base::split_lines(text)) {
    if (!base::starts_with(line, name)) continue;
    std::string_view rest = base::trim(std::string_view(line).substr(name.size()));
    if (rest.empty() || (rest[0] != '=' && rest[0] != ':')) continue;
    const std::size_t equals = rest.find('=');
    if (equals == std::string_view::npos) continue;
    rest = base::trim(rest.substr(equals + 1));
    if (rest.empty() || (rest[0] != '\'' && rest[0] != '"')) return std::string(rest);
    const std::size_t closing = rest.find(rest[0], 1);
    if (closing == std::string_view::npos) return {};
    return std::string(rest.substr(1, closing - 1));
  }
  return {};
}

std::vector<std::string> site_folders(host::Host& host, const PythonEnvironment& environment) {
  std::vector<std::string> folders;
  std::set<std::string> seen;
  for (const std::string& folder : possible_sites(host, environment))
    if (exists(host, folder) && seen.insert(resolved(host, folder)).second)
      folders.push_back(folder);
  return folders;
}

Fact<TorchBuild> find_torch(host::Host& host, const std::vector<std::string>& sites) {
  for (const std::string& site : sites)
    if (auto torch = torch_in(host, site)) return *torch;
  if (sites.empty()) return Missing{Absence::not_found, "no site-packages folder", {}};
  return Missing{Absence::not_found, "no torch in " + base::join(sites, ", "), {}};
}

std::vector<HiddenTorch> find_hidden_torch(host::Host& host,
                                           const std::vector<std::string>& sites) {
  std::vector<HiddenTorch> hidden;
  bool first = true;
  for (const std::string& site : sites) {
    const auto torch = torch_in(host, site);
    if (!torch || !*torch) continue;
    if (!first) hidden.push_back({site, (*torch)->version});
    first = false;
  }
  return hidden;
}

}  // namespace gpuready::probe

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "probe/library_names.hpp"
#include "probe/probe.hpp"
#include "probe/python_files.hpp"
#include "probe/read.hpp"

namespace gpuready::probe {

namespace {

struct Folder {
  std::string path, place;
  std::string site;  ///< the site-packages folder that it belongs to
};

/// The folders in the order in which they win, each once, and only those that exist.
class Folders {
 public:
  explicit Folders(host::Host& host) : host_(host) {}

  void add(std::string path, const std::string& place, const std::string& site = "") {
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    if (path.empty() || path[0] != '/') return;
    if (!seen_.insert(path).second || !exists(host_, path)) return;
    if (seen_real_.insert(resolved(host_, path)).second) list.push_back({path, place, site});
  }
  void add_each(const std::string& paths, const std::string& place) {
    for (const std::string& path : base::split(paths, ':')) add(path, place);
  }

  std::vector<Folder> list;

 private:
  host::Host& host_;
  std::set<std::string> seen_, seen_real_;
};

/// Beside the program, as it is unpacked. In /usr/bin and the like those are the loader's own.
void add_bundled(host::Host& host, Folders& folders) {
  const std::string self = host.read_link("/proc/self/exe").value_or(std::string());
  const std::string bin = folder_of(self);
  if (bin.empty()) return;
  folders.add(bin + "/../lib/gpuready", "bundled");
  if (bin == "/bin" || bin == "/usr/bin" || bin == "/usr/local/bin") return;
  folders.add(bin + "/lib", "bundled");
  folders.add(bin + "/../lib", "bundled");
}

/// What ld.so.conf.d adds (ldconfig(8)): lines that are folders.
void add_configured(host::Host& host, Folders& folders) {
  const std::string root = "/etc/ld.so.conf.d";
  for (const std::string& name : list_or_empty(host, root)) {
    if (!base::ends_with(name, ".conf")) continue;
    for (const std::string& line : base::split_lines(read_or_empty(host, root + "/" + name)))
      folders.add(std::string(base::trim(line)), "loader");
  }
}

void add_loader(host::Host& host, Folders& folders) {
  folders.add_each(host.env("LD_LIBRARY_PATH").value_or(""), "loader");
  for (const std::string triplet : {"x86_64-linux-gnu", "aarch64-linux-gnu"}) {
    folders.add("/usr/lib/" + triplet, "loader");
    folders.add("/usr/lib/" + triplet + "/openblas-pthread", "loader");
    folders.add("/usr/lib/" + triplet + "/blis-pthread", "loader");
  }
  // Colab and WSL keep the driver's libraries apart (/usr/lib64-nvidia, /usr/lib/wsl/lib).
  for (const char* const path : {"/lib64", "/usr/lib64", "/usr/lib", "/usr/local/lib",
                                 "/usr/lib64-nvidia", "/usr/lib/wsl/lib"})
    folders.add(path, "loader");
  add_configured(host, folders);
}

void add_toolkit_root(host::Host& host, const std::string& root, Folders& folders) {
  folders.add(root + "/lib64", "toolkit");
  folders.add(root + "/lib", "toolkit");
  for (const std::string& target : list_or_empty(host, root + "/targets"))
    folders.add(root + "/targets/" + target + "/lib", "toolkit");
}

void add_toolkits(host::Host& host, Folders& folders) {
  for (const char* const name : {"CUDA_HOME", "CUDA_PATH"})
    if (const auto root = host.env(name); root && !root->empty())
      add_toolkit_root(host, *root, folders);
  std::vector<std::string> names = list_or_empty(host, "/usr/local");
  std::ranges::stable_partition(names, [](const std::string& name) { return name == "cuda"; });
  for (const std::string& name : names)
    if (base::starts_with(name, "cuda")) add_toolkit_root(host, "/usr/local/" + name, folders);
  add_toolkit_root(host, "/opt/cuda", folders);
}

void add_python(host::Host& host, const std::vector<std::string>& sites, Folders& folders) {
  for (const std::string& site : sites) {
    for (const std::string& package : list_or_empty(host, site + "/nvidia"))
      folders.add(site + "/nvidia/" + package + "/lib", "python", site);
    folders.add(site + "/scipy_openblas32/lib", "python", site);
    folders.add(site + "/scipy.libs", "python", site);
  }
  for (const std::string& site : sites) folders.add(site + "/torch/lib", "torch", site);
}

std::vector<Folder> search_folders(host::Host& host, const std::vector<PythonEnvironment>& python) {
  Folders folders(host);
  folders.add_each(host.env("GPUREADY_LIBRARY_PATH").value_or(""), "override");
  add_bundled(host, folders);
  add_loader(host, folders);
  add_toolkits(host, folders);
  std::vector<std::string> sites;
  for (const PythonEnvironment& environment : python)
    for (std::string& site : site_folders(host, environment)) sites.push_back(std::move(site));
  add_python(host, sites, folders);
  // Intel's wheels and conda's packages put their libraries there (MKL, oneDNN).
  for (const PythonEnvironment& environment : python)
    if (environment.prefix) folders.add(*environment.prefix + "/lib", "python");
  return std::move(folders.list);
}

/// The names to try in a folder. Only Python packages hold files with a hash in their names; the
/// large folders of the system are never listed.
std::vector<std::string> names_in(host::Host& host, const Folder& folder,
                                  const WantedLibrary& wanted) {
  std::vector<std::string> names(wanted.files.begin(), wanted.files.end());
  if (wanted.name != "openblas" || !base::ends_with(folder.path, "/scipy.libs")) return names;
  for (const std::string& name : list_or_empty(host, folder.path))
    if (is_lp64_openblas(name)) names.push_back(name);
  return names;
}

/// A wheel's files have bare sonames; its version stands in its dist-info folder, as in
/// nvidia_cublas_cu12-12.8.4.1.dist-info or nvidia_cublas-13.0.2.14.dist-info.
std::string version_in_metadata(host::Host& host, const Folder& folder, const WantedLibrary& wanted,
                                const std::string& file) {
  constexpr std::string_view end = ".dist-info";
  if (folder.place != "python" || wanted.package.empty()) return {};
  const std::size_t digit = file.find(".so.");
  const std::string major = digit == std::string::npos ? "" : file.substr(digit + 4);
  for (const std::string& name : list_or_empty(host, folder.site)) {
    if (!base::starts_with(name, wanted.package) || !base::ends_with(name, end)) continue;
    const std::size_t dash = name.find('-');
    if (dash == std::string::npos || dash + 1 + end.size() > name.size()) continue;
    const std::string version = name.substr(dash + 1, name.size() - end.size() - dash - 1);
    if (wanted.name == "openblas" || base::starts_with(version, major + ".")) return version;
  }
  return {};
}

Library describe(host::Host& host, const Folder& folder, const WantedLibrary& wanted,
                 const std::string& path, const std::string& real) {
  Library library{std::string(wanted.name), {path, folder.path}, {}, {folder.place, folder.path}};
  std::string version = version_in_file_name(name_of(real));
  std::string source = real;
  if (version.empty()) {
    version = version_in_metadata(host, folder, wanted, name_of(path));
    source = folder.site;
  }
  library.version =
      version.empty()
          ? Fact<std::string>(Missing{Absence::not_found, "the file's name tells none", {}})
          : Fact<std::string>(version, source);
  return library;
}

Library nowhere(const WantedLibrary& wanted, const std::vector<Folder>& folders) {
  constexpr std::size_t most_named = 12;
  std::vector<std::string> names;
  for (const Folder& folder : folders)
    if (names.size() < most_named) names.push_back(folder.path);
  std::string detail = std::string(wanted.files.front()) + " and older: not in " +
                       std::to_string(folders.size()) + " folders: " + base::join(names, ", ");
  if (folders.size() > most_named) detail += ", ...";
  const Missing why{Absence::not_found, std::move(detail), {}};
  return Library{std::string(wanted.name), why, why, why};
}

void find_copies(host::Host& host, const WantedLibrary& wanted, const std::vector<Folder>& folders,
                 std::vector<Library>& out) {
  std::set<std::string> seen;
  for (const Folder& folder : folders) {
    for (const std::string& name : names_in(host, folder, wanted)) {
      const std::string path = folder.path + "/" + name;
      const Result<std::string> real = host.real_path(path);
      if (real && seen.insert(*real).second)
        out.push_back(describe(host, folder, wanted, path, *real));
    }
  }
  if (seen.empty() && wanted.is_expected) out.push_back(nowhere(wanted, folders));
}

}  // namespace

std::vector<Library> probe_libraries(host::Host& host,
                                     const std::vector<PythonEnvironment>& python) {
  const std::vector<Folder> folders = search_folders(host, python);
  std::vector<Library> libraries;
  for (const WantedLibrary& wanted : wanted_libraries())
    find_copies(host, wanted, folders, libraries);
  return libraries;
}

}  // namespace gpuready::probe

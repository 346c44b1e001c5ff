#include <set>

#include "base/json.hpp"
#include "base/text.hpp"
#include "probe/probe.hpp"
#include "probe/read.hpp"

namespace gpuready::probe {

namespace {

/// Folders that Jupyter searches (jupyter --paths), the user's first.
std::vector<std::string> data_folders(host::Host& host,
                                      const std::vector<PythonEnvironment>& python) {
  std::vector<std::string> folders;
  const std::string own = host.env("JUPYTER_DATA_DIR").value_or("");
  const std::string home = host.env("HOME").value_or("");
  if (!own.empty()) folders.push_back(own);
  if (!home.empty()) folders.push_back(home + "/.local/share/jupyter");
  for (const PythonEnvironment& environment : python)
    if (environment.prefix) folders.push_back(*environment.prefix + "/share/jupyter");
  folders.emplace_back("/usr/local/share/jupyter");
  folders.emplace_back("/usr/share/jupyter");
  return folders;
}

/// argv[0] of a kernel.json.
Fact<std::string> first_word(const std::string& text, const std::string& path) {
  const auto json = base::parse_json(text);
  if (!json) return Missing{Absence::unreadable, path + ": " + json.error().text, {}};
  const auto argv = json->is_object() ? json->find("argv") : json->end();
  if (argv == json->end() || !argv->is_array() || argv->empty() || !argv->front().is_string())
    return Missing{Absence::unreadable, path + ": no argv", {}};
  return {argv->front().get<std::string>(), path};
}

}  // namespace

std::vector<JupyterKernel> probe_jupyter(host::Host& host,
                                         const std::vector<PythonEnvironment>& python) {
  constexpr std::size_t most_kernels = 64;
  std::vector<JupyterKernel> kernels;
  std::set<std::string> seen;
  for (const std::string& folder : data_folders(host, python)) {
    if (!seen.insert(folder).second) continue;
    for (const std::string& name : list_or_empty(host, folder + "/kernels")) {
      const std::string path = folder + "/kernels/" + name + "/kernel.json";
      const auto text = host.read_file(path);
      if (text && kernels.size() < most_kernels)
        kernels.push_back({name, path, first_word(*text, path)});
    }
  }
  return kernels;
}

}  // namespace gpuready::probe

#include "vendor/load.hpp"

#include "base/text.hpp"

namespace gpuready::vendor {

std::vector<std::string> candidates(host::Host& host, const std::vector<std::string>& sonames,
                                    const std::vector<std::string>& folders) {
  std::vector<std::string> paths;
  const auto add_existing = [&](const std::string& path) {
    if (host.status(path)) paths.push_back(path);
  };
  for (const std::string& folder : base::split(host.env("GPUREADY_LIBRARY_PATH").value_or(""), ':'))
    for (const std::string& soname : sonames)
      if (!folder.empty()) add_existing(folder + "/" + soname);
  paths.insert(paths.end(), sonames.begin(), sonames.end());
  for (const std::string& folder : folders)
    for (const std::string& soname : sonames) add_existing(folder + "/" + soname);
  return paths;
}

const std::vector<std::string>& driver_folders() {
  static const std::vector<std::string> folders{
      "/usr/lib64-nvidia", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64",
      "/usr/lib/wsl/lib",  "/usr/local/nvidia/lib64",   "/run/opengl-driver/lib"};
  return folders;
}

tl::expected<host::LibraryHandle, Missing> open_first(host::Host& host,
                                                      const std::vector<std::string>& candidates) {
  std::string failures;
  for (const std::string& name : candidates) {
    auto library = host.open_library(name);
    if (library) return *library;
    if (!failures.empty()) failures += "; ";
    failures += library.error().text;
  }
  return tl::unexpected(Missing{Absence::library_missing, failures, {}});
}

}  // namespace gpuready::vendor

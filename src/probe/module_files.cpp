#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "probe/probe.hpp"
#include "probe/read.hpp"

namespace gpuready::probe {

namespace {

/// Where the modules' folders are: /lib may be no link to /usr/lib in what can be seen of it, and
/// NixOS has them apart.
constexpr std::array module_roots{"/lib/modules/", "/usr/lib/modules/",
                                  "/run/booted-system/kernel-modules/lib/modules/"};

/// Folders below <root>/<release> where distributions, DKMS and NVIDIA's installer put the module,
/// in them or in a folder of them.
constexpr std::array deep_folders{"updates", "extra", "weak-updates"};
constexpr std::array folders{"extra/drivers/video/nvidia",
                             "kernel/drivers/video",
                             "kernel/drivers/video/nvidia",
                             "kernel/drivers/gpu/drm/nvidia",
                             "kernel/drivers/char/drm",
                             "kernel/nvidia",
                             "extramodules",
                             "misc"};

/// The file of the module nvidia, in whichever name and compression. Debian names it after the
/// branch: nvidia-current.ko, nvidia-current-open.ko, nvidia-tesla-535.ko, nvidia-legacy-390xx.ko.
bool is_module_file(const std::string& name) {
  if (!base::contains(name, ".ko")) return false;
  const std::string_view stem = std::string_view(name).substr(0, name.find(".ko"));
  if (stem == "nvidia") return true;
  const auto starts = [&](std::string_view start) { return base::starts_with(stem, start); };
  const auto ends = [&](std::string_view end) { return base::ends_with(stem, end); };
  const bool debians =
      starts("nvidia-current") || starts("nvidia-tesla") || starts("nvidia-legacy");
  constexpr std::array others{"-uvm", "-drm", "-modeset", "-peermem", "-vgpu-vfio"};
  return debians && std::ranges::none_of(others, ends);
}

std::vector<std::string> folders_to_search(host::Host& host, const std::string& root) {
  std::vector<std::string> found;
  for (const char* const folder : deep_folders) {
    found.push_back(root + "/" + folder);
    for (const std::string& name : list_or_empty(host, found.back()))
      if (!base::contains(name, ".ko")) found.push_back(root + "/" + folder + "/" + name);
  }
  for (const char* const folder : folders) found.push_back(root + "/" + folder);
  // Ubuntu's signed modules: kernel/nvidia-580/, kernel/nvidia-580srv-open/, ...
  for (const std::string& name : list_or_empty(host, root + "/kernel"))
    if (base::starts_with(name, "nvidia")) found.push_back(root + "/kernel/" + name);
  return found;
}

Fact<bool> installed_for(host::Host& host, const Fact<std::string>& release) {
  if (!release) return release.pass_absence<bool>();
  std::string listed;
  for (const char* const place : module_roots) {
    const std::string root = place + *release;
    if (!host.list(root)) continue;
    if (listed.empty()) listed = root;
    for (const std::string& folder : folders_to_search(host, root))
      for (const std::string& name : list_or_empty(host, folder))
        if (is_module_file(name)) return {true, folder + "/" + name};
  }
  if (!listed.empty()) return {false, listed};
  // A folder for other kernels alone: the running one was replaced, and its modules with it.
  for (const std::string place : module_roots) {
    const std::string folder = place.substr(0, place.size() - 1);
    if (!list_or_empty(host, folder).empty()) return {false, folder};
  }
  const std::string usual = module_roots.front() + *release;
  return why_absent(host.list(usual).error(), usual);
}

/// The variable SecureBoot of the firmware: four bytes of attributes, then 1 for "on" (UEFI
/// specification, "Globally Defined Variables").
Fact<bool> secure_boot(host::Host& host) {
  const std::string path =
      "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";
  const Result<std::string> content = host.read_file(path);
  if (!content) return why_absent(content.error(), path);
  if (content->size() < 5) return Missing{Absence::unreadable, path + ": expected five bytes", {}};
  return {(*content)[4] == '\1', path};
}

/// Whether a line of modprobe.d(5) keeps the module nvidia from being loaded.
bool forbids_nvidia(const std::string& line) {
  std::vector<std::string> words;
  std::string spaced = line;
  std::ranges::replace(spaced, '\t', ' ');
  for (const std::string& word : base::split(spaced, ' '))
    if (!word.empty()) words.push_back(word);
  if (words.size() < 2 || (words[1] != "nvidia" && words[1] != "nvidia-current")) return false;
  if (words[0] == "blacklist") return true;
  if (words[0] == "alias") return words.size() > 2 && words[2] == "off";
  return words[0] == "install" && words.size() > 2 &&
         (base::ends_with(words[2], "/false") || base::ends_with(words[2], "/true"));
}

/// The kernel's command line can forbid a module, too: module_blacklist= (Linux, kernel-parameters)
/// and modprobe.blacklist= (modprobe(8)).
Fact<std::string> blacklisted_at_boot(host::Host& host) {
  const std::string path = "/proc/cmdline";
  for (const std::string& word : base::split(read_or_empty(host, path), ' ')) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || !base::ends_with(word.substr(0, equals), "blacklist"))
      continue;
    for (const std::string& module : base::split(word.substr(equals + 1), ','))
      if (base::trim(module) == "nvidia") return {path, path};
  }
  return Missing{Absence::not_found, "no line in modprobe.d forbids it", {}};
}

Fact<std::string> blacklisted_in(host::Host& host) {
  const std::array roots{"/etc/modprobe.d", "/run/modprobe.d", "/usr/local/lib/modprobe.d",
                         "/usr/lib/modprobe.d", "/lib/modprobe.d"};
  for (const std::string root : roots) {
    for (const std::string& name : list_or_empty(host, root)) {
      if (!base::ends_with(name, ".conf")) continue;
      for (const std::string& line : base::split_lines(read_or_empty(host, root + "/" + name)))
        if (forbids_nvidia(line)) return {root + "/" + name, root + "/" + name};
    }
  }
  return blacklisted_at_boot(host);
}

}  // namespace

void probe_module_files(host::Host& host, KernelModule& module) {
  module.installed_for_kernel = installed_for(host, read_fact(host, "/proc/sys/kernel/osrelease"));
  module.secure_boot = secure_boot(host);
  module.blacklisted_in = blacklisted_in(host);
}

}  // namespace gpuready::probe

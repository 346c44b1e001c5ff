#include <string>
#include <string_view>

#include "base/text.hpp"
#include "probe/probe.hpp"
#include "probe/read.hpp"

namespace gpuready::probe {

namespace {

struct OsRelease {
  std::string text, path;
  Missing why;  ///< where neither file could be read
};

OsRelease read_os_release(host::Host& host) {
  OsRelease release;
  // os-release(5): /etc first, /usr/lib as the fallback.
  for (const char* const path : {"/etc/os-release", "/usr/lib/os-release"}) {
    Result<std::string> content = host.read_file(path);
    if (content) return {*content, path, {}};
    if (release.why.detail.empty()) release.why = why_absent(content.error(), path);
  }
  return release;
}

std::string unquoted(std::string_view value) {
  value = base::trim(value);
  const bool quoted = value.size() >= 2 && (value.front() == '"' || value.front() == '\'') &&
                      value.back() == value.front();
  return std::string(quoted ? value.substr(1, value.size() - 2) : value);
}

Fact<std::string> release_field(const OsRelease& release, std::string_view name) {
  if (release.path.empty()) return release.why;
  const auto value = base::field_value(release.text, name, '=');
  if (!value || unquoted(*value).empty())
    return Missing{Absence::not_found, release.path + ": no " + std::string(name), {}};
  return {unquoted(*value), release.path};
}

/// /proc/sys/kernel/arch came with Linux 6.1; before that /proc/cpuinfo tells.
Fact<std::string> architecture(host::Host& host) {
  Fact<std::string> arch = read_fact(host, "/proc/sys/kernel/arch");
  if (arch && !arch->empty()) return arch;
  const std::string path = "/proc/cpuinfo";
  const Result<std::string> info = host.read_file(path);
  if (!info) return why_absent(info.error(), path);
  const std::string flags = " " + base::field_value(*info, "flags").value_or("") + " ";
  if (base::contains(flags, " lm ")) return {"x86_64", path};
  if (base::field_value(*info, "CPU architecture").value_or("") == "8") return {"aarch64", path};
  if (base::starts_with(base::field_value(*info, "isa").value_or(""), "rv64"))
    return {"riscv64", path};
  if (base::starts_with(base::field_value(*info, "cpu").value_or(""), "POWER"))
    return {"ppc64le", path};
  return Missing{Absence::unreadable, path + ": names no architecture that is known here", {}};
}

/// Systems that are replaced as a whole, so that a package manager is not the way to a driver:
/// those of ostree (its own mark, ostree-prepare-root), SteamOS, openSUSE MicroOS, TrueNAS and
/// Unraid (their kernels' names).
Fact<std::string> image_of(host::Host& host, const Os& os) {
  const std::string ostree = "/run/ostree-booted";
  if (host.status(ostree)) return {"ostree", ostree};
  const std::string id = os.id.value_or("");
  if (id == "steamos") return {"steamos", os.id.source()};
  if (base::contains(id, "micro") || base::contains(id, "aeon")) return {"microos", os.id.source()};
  const std::string kernel = os.kernel.value_or("");
  if (base::contains(kernel, "truenas")) return {"truenas", os.kernel.source()};
  if (base::ends_with(kernel, "-Unraid")) return {"unraid", os.kernel.source()};
  return Missing{Absence::not_applicable, "no " + ostree + ", and no other system's mark", {}};
}

}  // namespace

Os probe_os(host::Host& host) {
  Os os;
  const OsRelease release = read_os_release(host);
  os.name = release_field(release, "PRETTY_NAME");
  os.id = release_field(release, "ID");
  os.id_like = release_field(release, "ID_LIKE");
  os.version_id = release_field(release, "VERSION_ID");
  os.kernel = read_fact(host, "/proc/sys/kernel/osrelease");
  os.image = image_of(host, os);
  os.architecture = architecture(host);
  const std::string libc = host.libc_version();
  os.libc = libc.empty() ? Fact<std::string>(Missing{Absence::not_found, "no name given", {}})
                         : Fact<std::string>(libc, "gnu_get_libc_version");
  return os;
}

}  // namespace gpuready::probe

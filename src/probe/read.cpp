#include "probe/read.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include "base/text.hpp"

namespace gpuready::probe {

std::string errno_name(int code) {
  constexpr std::array<std::pair<int, std::string_view>, 17> names{{{EPERM, "EPERM"},
                                                                    {ENOENT, "ENOENT"},
                                                                    {EINTR, "EINTR"},
                                                                    {EIO, "EIO"},
                                                                    {ENXIO, "ENXIO"},
                                                                    {EAGAIN, "EAGAIN"},
                                                                    {ENOMEM, "ENOMEM"},
                                                                    {EACCES, "EACCES"},
                                                                    {EBUSY, "EBUSY"},
                                                                    {ENODEV, "ENODEV"},
                                                                    {ENOTDIR, "ENOTDIR"},
                                                                    {EISDIR, "EISDIR"},
                                                                    {EINVAL, "EINVAL"},
                                                                    {EMFILE, "EMFILE"},
                                                                    {EROFS, "EROFS"},
                                                                    {ELOOP, "ELOOP"},
                                                                    {ENOSYS, "ENOSYS"}}};
  const auto* const it =
      std::ranges::find_if(names, [&](const auto& entry) { return entry.first == code; });
  return it != names.end() ? std::string(it->second) : "errno " + std::to_string(code);
}

Missing why_absent(const Error& error, const std::string& path) {
  Absence reason = Absence::unreadable;
  if (error.code == ENOENT || error.code == ENOTDIR) reason = Absence::not_found;
  if (error.code == EACCES || error.code == EPERM) reason = Absence::permission;
  return Missing{reason, path + ": " + errno_name(error.code), error.code};
}

Fact<std::string> read_fact(host::Host& host, const std::string& path) {
  const Result<std::string> content = host.read_file(path);
  if (!content) return why_absent(content.error(), path);
  return {std::string(base::trim(*content)), path};
}

std::string read_or_empty(host::Host& host, const std::string& path) {
  return host.read_file(path).value_or(std::string());
}

std::vector<std::string> list_or_empty(host::Host& host, const std::string& folder) {
  return host.list(folder).value_or(std::vector<std::string>{});
}

bool exists(host::Host& host, const std::string& path) { return host.status(path).has_value(); }

std::string resolved(host::Host& host, const std::string& path) {
  return host.real_path(path).value_or(std::string(path));
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {};
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string name_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string find_on_path(host::Host& host, const std::string& name) {
  for (const std::string& folder : base::split(host.env("PATH").value_or(""), ':')) {
    if (folder.empty() || folder[0] != '/') continue;
    const std::string path = folder + "/" + name;
    const Result<host::FileStatus> status = host.status(path);
    if (status && status->kind == host::FileKind::regular && (status->mode & 0111U) != 0)
      return path;
  }
  return {};
}

}  // namespace gpuready::probe

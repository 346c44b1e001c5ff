#include "host/real_host.hpp"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <poll.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "host/child_process.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace gpuready::host {

namespace {

tl::unexpected<Error> errno_failure(const std::string& path, int code) {
  return failure(path + ": " + std::strerror(code), code);
}

/// The kernel's log is a device that gives one record at a time (Linux, ABI/testing/dev-kmsg):
/// EPIPE means that the next one was overwritten, EAGAIN that there is none any more.
const std::string kernel_log = "/dev/kmsg";

FileKind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return FileKind::regular;
  if (S_ISDIR(mode)) return FileKind::directory;
  if (S_ISCHR(mode)) return FileKind::character_device;
  return FileKind::other;
}

/// The writer of a pipe may need a moment, as in --from <(xz -dc FILE).
bool data_comes(int fd) {
  constexpr int longest_ms = 10000;
  pollfd waiting{fd, POLLIN, 0};
  return ::poll(&waiting, 1, longest_ms) > 0;
}

class RealHost : public Host {
 public:
  Result<std::string> read_file(const std::string& path, std::size_t max_bytes) override {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return errno_failure(path, errno);
    std::string content;
    std::array<char, 65536> buffer;
    int code = 0;
    while (content.size() < max_bytes) {
      const std::size_t want = std::min(buffer.size(), max_bytes - content.size());
      const ssize_t got = ::read(fd, buffer.data(), want);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EPIPE && path == kernel_log) continue;
      if (got < 0 && errno == EAGAIN && path == kernel_log) break;
      if (got < 0 && errno == EAGAIN && data_comes(fd)) continue;
      if (got < 0) code = errno;
      if (got <= 0) break;
      content.append(buffer.data(), static_cast<std::size_t>(got));
    }
    ::close(fd);
    if (code != 0) return errno_failure(path, code);
    return content;
  }

  Result<std::string> read_part(const std::string& path, std::int64_t offset,
                                std::size_t count) override {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return errno_failure(path, errno);
    struct stat st {};
    const bool regular = ::fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    // So that no buffer follows what a caller asks of a short file.
    const std::int64_t left =
        std::max<std::int64_t>(st.st_size - std::max<std::int64_t>(offset, 0), 0);
    std::string content(regular ? std::min(count, static_cast<std::size_t>(left)) : 0, '\0');
    std::size_t have = 0;
    int code = regular && offset >= 0 ? 0 : EINVAL;
    while (code == 0 && have < content.size()) {
      const ssize_t got = ::pread(fd, content.data() + have, content.size() - have,
                                  offset + static_cast<std::int64_t>(have));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) code = errno;
      if (got <= 0) break;
      have += static_cast<std::size_t>(got);
    }
    ::close(fd);
    if (code != 0) return errno_failure(path, code);
    content.resize(have);
    return content;
  }

  Result<std::vector<std::string>> list(const std::string& folder) override {
    DIR* dir = ::opendir(folder.c_str());
    if (dir == nullptr) return errno_failure(folder, errno);
    std::vector<std::string> names;
    while (const dirent* entry = ::readdir(dir)) {
      const std::string name = entry->d_name;
      if (name != "." && name != "..") names.push_back(name);
    }
    ::closedir(dir);
    std::ranges::sort(names);
    return names;
  }

  Result<FileStatus> status(const std::string& path) override {
    struct stat st {};
    if (::stat(path.c_str(), &st) != 0) return errno_failure(path, errno);
    return FileStatus{kind_of(st.st_mode), st.st_mode & 07777U, st.st_uid, st.st_gid, st.st_size};
  }

  Result<std::string> read_link(const std::string& path) override {
    std::array<char, PATH_MAX> buffer;
    const ssize_t got = ::readlink(path.c_str(), buffer.data(), buffer.size());
    if (got < 0) return errno_failure(path, errno);
    return std::string(buffer.data(), static_cast<std::size_t>(got));
  }

  Result<std::string> real_path(const std::string& path) override {
    std::array<char, PATH_MAX> buffer;
    if (::realpath(path.c_str(), buffer.data()) == nullptr) return errno_failure(path, errno);
    return std::string(buffer.data());
  }

  Result<bool> try_open(const std::string& path) override {
    const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) return errno_failure(path, errno);
    ::close(fd);
    return true;
  }

  Result<bool> try_access(const std::string& path) override {
    if (::access(path.c_str(), R_OK | W_OK) != 0) return errno_failure(path, errno);
    return true;
  }

  std::optional<std::string> env(const std::string& name) override {
    const char* value = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe)
    if (value == nullptr) return {};
    return std::string(value);
  }

  std::vector<std::string> env_names() override {
    std::vector<std::string> names;
    for (char** entry = environ; *entry != nullptr; ++entry) {
      const std::string text = *entry;
      names.push_back(text.substr(0, text.find('=')));
    }
    std::ranges::sort(names);
    return names;
  }

  std::vector<CommandResult> run_all(const std::vector<Command>& commands) override {
    return run_children(commands);
  }

  Result<LibraryHandle> open_library(const std::string& name) override {
    ::dlerror();
    void* handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      const char* why = ::dlerror();
      return failure(why != nullptr ? why : name + ": the loader gave no reason");
    }
    link_map* map = nullptr;
    const bool told = ::dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr;
    const std::string file = told && map->l_name[0] != '\0' ? map->l_name : name;
    return LibraryHandle{handle, real_path(file).value_or(file)};
  }

  void* symbol(const LibraryHandle& library, const std::string& name) override {
    return ::dlsym(library.handle, name.c_str());
  }

  std::string self() override {
    const auto link = real_path("/proc/self/exe");
    if (link) return *link;
    // Without /proc: the path that the kernel was given at our start.
    const auto* started = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
    return real_path(started != nullptr ? started : "gpuready").value_or("gpuready");
  }

  std::string libc_version() override { return std::string("glibc ") + ::gnu_get_libc_version(); }

  std::int64_t now() override { return static_cast<std::int64_t>(std::time(nullptr)); }
};

}  // namespace

std::unique_ptr<Host> make_real_host() { return std::make_unique<RealHost>(); }

}  // namespace gpuready::host

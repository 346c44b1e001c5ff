#include "output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace gpuready::cli {

namespace {

tl::unexpected<Error> cannot_write(const std::string& path, int code) {
  return failure("cannot write " + path + ": " + std::strerror(code), code);
}

int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(fd, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return 0;
}

}  // namespace

bool is_special(const std::string& path) {
  struct stat st {};
  return ::stat(path.c_str(), &st) == 0 && !S_ISREG(st.st_mode);
}

Result<bool> write_file(const std::string& path, std::string_view text) {
  const bool special = is_special(path);
  const std::string target = special ? path : path + ".part-" + std::to_string(::getpid());
  const int flags = special ? O_WRONLY | O_CLOEXEC : O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
  const int fd = ::open(target.c_str(), flags, 0644);
  if (fd < 0) return cannot_write(path, errno);
  int code = write_all(fd, text);
  if (code == 0 && !special && ::fsync(fd) != 0) code = errno;
  if (::close(fd) != 0 && code == 0) code = errno;
  if (code == 0 && !special && std::rename(target.c_str(), path.c_str()) != 0) code = errno;
  if (code == 0) return true;
  if (!special) ::unlink(target.c_str());
  return cannot_write(path, code);
}

}  // namespace gpuready::cli

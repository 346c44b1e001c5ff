#include "case_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "output_file.hpp"

namespace gpuready::cli {

CaseFile::CaseFile(std::string path)
    : path_(std::move(path)),
      target_(is_special(path_) ? path_ : path_ + ".part-" + std::to_string(::getpid())) {
  const int how =
      is_special(path_) ? O_WRONLY | O_CLOEXEC : O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
  fd_ = ::open(target_.c_str(), how, 0644);
  if (fd_ < 0) code_ = errno;
}

CaseFile::~CaseFile() {
  if (fd_ >= 0) ::close(fd_);
}

void CaseFile::add(std::string_view line) {
  ++lines_;
  while (code_ == 0 && !line.empty()) {
    const ssize_t put = ::write(fd_, line.data(), line.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) code_ = errno;
    if (put > 0) line.remove_prefix(static_cast<std::size_t>(put));
  }
}

Result<bool> CaseFile::finish() {
  const bool special = target_ == path_;
  if (code_ == 0 && !special && ::fsync(fd_) != 0) code_ = errno;
  if (fd_ >= 0 && ::close(fd_) != 0 && code_ == 0) code_ = errno;
  if (fd_ >= 0 && code_ != 0 && !special) ::unlink(target_.c_str());
  fd_ = -1;
  if (code_ == 0 && !special && std::rename(target_.c_str(), path_.c_str()) != 0) code_ = errno;
  if (code_ == 0) return true;
  return failure("cannot write " + path_ + ": " + std::strerror(code_), code_);
}

}  // namespace gpuready::cli

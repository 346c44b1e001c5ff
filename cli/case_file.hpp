#pragma once

#include <string>
#include <string_view>

#include "gpuready/result.hpp"

namespace gpuready::cli {

/// Lines that are written as they come, into a file beside the wanted one, which takes its name at
/// the end. Where we are killed the lines so far stand there; what stood under the name before is
/// kept until then. Devices and pipes are written to directly.
class CaseFile {
 public:
  explicit CaseFile(std::string path);
  CaseFile(const CaseFile&) = delete;
  CaseFile& operator=(const CaseFile&) = delete;
  ~CaseFile();

  void add(std::string_view line);
  [[nodiscard]] bool empty() const { return lines_ == 0; }
  /// The first failure of all, or true once the file has its name.
  Result<bool> finish();

 private:
  std::string path_, target_;
  int fd_ = -1, code_ = 0, lines_ = 0;
};

}  // namespace gpuready::cli

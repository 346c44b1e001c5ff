#pragma once
/// A file in memory, which counts what is read of it.

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "fit/byte_source.hpp"

namespace gpuready::fit {

class MemorySource : public ByteSource {
 public:
  explicit MemorySource(std::string bytes, std::string name = "test.gguf")
      : bytes_(std::move(bytes)), name_(std::move(name)) {}

  [[nodiscard]] std::string name() const override { return name_; }
  Result<std::int64_t> size() override { return static_cast<std::int64_t>(bytes_.size()); }
  Result<std::string> read(std::int64_t offset, std::int64_t count) override {
    ++reads;
    std::string piece = bytes_.substr(static_cast<std::size_t>(offset),
                                      static_cast<std::size_t>(std::max<std::int64_t>(count, 0)));
    read_bytes += static_cast<std::int64_t>(piece.size());
    return piece;
  }

  int reads = 0;
  std::int64_t read_bytes = 0;

 private:
  std::string bytes_, name_;
};

/// Files of one folder.
inline auto sibling_of(std::map<std::string, std::string> files) {
  return
      [files = std::move(files)](const std::string& name) -> Result<std::unique_ptr<ByteSource>> {
        const auto it = files.find(name);
        if (it == files.end()) return failure(name + ": No such file or directory", 2);
        return std::make_unique<MemorySource>(it->second, name);
      };
}

}  // namespace gpuready::fit

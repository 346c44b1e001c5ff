#pragma once
/// Compares a text with the file that it is frozen in; GPUREADY_UPDATE=1 rewrites the file.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace gpuready::testing {

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void expect_golden(const std::filesystem::path& path, const std::string& text) {
  const char* update = std::getenv("GPUREADY_UPDATE");
  if (update != nullptr && std::string(update) == "1") {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  EXPECT_EQ(read_file(path), text) << path << " is stale; GPUREADY_UPDATE=1 rewrites it";
}

}  // namespace gpuready::testing

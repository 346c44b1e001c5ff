#pragma once
/// Files compiled into the binary (cmake/embed.cmake): message catalogues and data tables.

#include <string_view>
#include <vector>

namespace gpuready::base {

struct EmbeddedFile {
  std::string_view name;  ///< path below the source folder, as "data/prices.csv"
  std::string_view content;
};

const std::vector<EmbeddedFile>& embedded_files();
/// The content; empty where there is no such file.
std::string_view embedded_file(std::string_view name);

}  // namespace gpuready::base

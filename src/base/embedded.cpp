#include "base/embedded.hpp"

namespace gpuready::base {

std::string_view embedded_file(std::string_view name) {
  for (const EmbeddedFile& file : embedded_files())
    if (file.name == name) return file.content;
  return {};
}

}  // namespace gpuready::base

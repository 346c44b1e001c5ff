#include "bench/cublas_files.hpp"

#include "base/format.hpp"
#include "base/text.hpp"

namespace gpuready::bench {

std::string cublas_version_text(long long number) {
  return base::format("{}.{}.{}", number / 10000, number / 100 % 100, number % 100);
}

std::vector<std::string> cublas_candidates(host::Host& host, const std::string& stem,
                                           const std::string& file, int driver_major) {
  if (!file.empty()) return {file};
  std::vector<std::string> sonames;
  for (const int major : {13, 12, 11})
    if (major <= driver_major) sonames.push_back(stem + "." + std::to_string(major));
  return vendor::candidates(host, sonames, {});
}

void preload_companion(host::Host& host, const std::string& file) {
  const std::size_t slash = file.rfind('/');
  const std::string name = "libcublas.so";
  if (slash == std::string::npos || !base::starts_with(file.substr(slash + 1), name)) return;
  const std::string rest = file.substr(slash + 1 + name.size());
  (void)host.open_library(file.substr(0, slash + 1) + "libcublasLt.so" + rest);
}

}  // namespace gpuready::bench

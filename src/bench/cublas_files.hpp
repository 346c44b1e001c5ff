#pragma once
/// Where cuBLAS and cuBLASLt are found, and how both are opened.

#include <string>
#include <vector>

#include "gpuready/result.hpp"
#include "vendor/load.hpp"

namespace gpuready::bench {

/// "13.0.0" of CUBLAS_VERSION, which is 10000 * major + 100 * minor + patch in cublas_api.h.
std::string cublas_version_text(long long number);

/// `file` alone where it is given; otherwise `stem` with every version that the driver can run,
/// newest first.
std::vector<std::string> cublas_candidates(host::Host& host, const std::string& stem,
                                           const std::string& file, int driver_major);

/// cuBLAS needs cuBLASLt from its own folder, where the loader would not look. Where this fails,
/// opening cuBLAS itself tells why.
void preload_companion(host::Host& host, const std::string& file);

/// The first candidate that opens, or what the loader said of each.
template <class Table>
Result<vendor::Loaded<Table>> load_cublas(host::Host& host, const std::string& stem,
                                          const std::string& file, int driver_major) {
  std::string failures;
  for (const std::string& name : cublas_candidates(host, stem, file, driver_major)) {
    preload_companion(host, name);
    auto library = vendor::load<Table>(host, {name});
    if (library) return *library;
    failures += (failures.empty() ? "" : "; ") + library.error().detail;
  }
  return failure(failures.empty() ? "the driver is older than every " + stem + " that is looked for"
                                  : failures);
}

}  // namespace gpuready::bench

#pragma once
/// A backend multiplies with one library on one device. It measures and judges nothing itself.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpuready/measurements.hpp"
#include "gpuready/result.hpp"
#include "host/host.hpp"

namespace gpuready::bench {

/// Which backend to open. `library_file` is a path or soname; empty: the backend's usual names.
struct BackendRequest {
  std::string device = "cpu";  ///< cpu, cuda:N or opencl:N
  std::string backend = "openblas";
  std::string library_file;
  std::int64_t threads = 1;  ///< CPU backends
};

/// Row-major fp32 matrices in host memory: A is m x k, B is k x n, C is m x n.
struct Operands {
  Shape shape;
  std::vector<float> a, b;
};

class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  /// Device, device name, backend, library, dtype, threads: the fixed part of a Case.
  [[nodiscard]] virtual Case describe() const = 0;
  /// Memory that A, B and C together may take, in bytes.
  virtual Result<std::int64_t> budget_bytes() = 0;
  /// Largest single matrix, in bytes.
  virtual Result<std::int64_t> largest_matrix_bytes() = 0;
  /// Makes the buffers and sends A and B. `operands` outlives the backend.
  virtual Result<bool> prepare(const Operands& operands) = 0;
  /// Multiplies `repeats` times, back to back, and waits for the end. Wall seconds of it all.
  virtual Result<double> run(int repeats) = 0;
  /// Sends A and B, multiplies, fetches C: wall seconds. An error on a device that shares the
  /// host's memory, where there is nothing to send.
  virtual Result<double> run_with_transfers() = 0;
  /// Fills C with NaN (every bit set).
  virtual Result<bool> poison() = 0;
  /// C in host memory, row-major.
  virtual Result<std::vector<float>> read_back() = 0;
};

/// The explicit list of backends (backends.cpp); an unknown name is an error that lists them.
Result<std::unique_ptr<Backend>> open_backend(host::Host& host, const BackendRequest& request);
const std::vector<std::string>& backend_names();

}  // namespace gpuready::bench

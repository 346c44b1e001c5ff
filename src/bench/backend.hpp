#pragma once
/// A backend multiplies with one library on one device. It measures and judges nothing itself.

#include <cerrno>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/dtypes.hpp"
#include "bench/matrix.hpp"
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
  /// Main memory that a measurement may take in all (half of what is usable is a good choice); 0:
  /// not known, and then not limited.
  std::int64_t host_budget_bytes = 0;
  std::string dtype = "fp32";  ///< a name of dtypes.hpp
};

/// A (m x k) and B (k x n) in host memory, as they are stored on the device too.
struct Operands {
  Shape shape;
  Matrix a, b;
};

/// Time of some products, done back to back.
struct Elapsed {
  double wall_s = 0;               ///< from before the first call until the device is idle
  std::optional<double> device_s;  ///< by the device's own clock, where it has one
};

/// The code of an Error that says an allocation failed: a smaller product may still fit.
inline constexpr int out_of_memory_code = ENOMEM;
/// The code of an Error that says that the library or the device does not offer these types.
inline constexpr int unsupported_code = ENOTSUP;

class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  /// Device, device name, backend, library, dtype and threads of a Case, and the flags that became
  /// due so far.
  [[nodiscard]] virtual Case describe() const = 0;
  /// Whether the host's processor does the work: then there is nothing to send.
  [[nodiscard]] virtual bool runs_on_cpu() const = 0;
  /// Memory that A, B and C together may take on the device, in bytes.
  virtual Result<double> budget_bytes() = 0;
  /// Largest single matrix, in bytes.
  virtual Result<double> largest_matrix_bytes() = 0;
  /// Main memory that the backend takes for this shape and so many sets of buffers, beside A, B and
  /// the C that it hands out.
  [[nodiscard]] virtual double host_bytes(const Shape& shape, std::int64_t sets) const = 0;
  /// The cache that must not make a product look faster than it is: inputs in turn from this many
  /// bytes, twice over, never find themselves there. 0: not known, or of no matter.
  [[nodiscard]] virtual double cache_bytes() const { return 0; }
  /// Makes `sets` (at least 1) sets of buffers, all with the same A and B, and sends those. After a
  /// failure with out_of_memory_code it may be called again with smaller or fewer ones. `operands`
  /// must live until the last call.
  virtual Result<bool> prepare(const Operands& operands, std::int64_t sets) = 0;
  /// How many ways the library offers to do this product, most promising first; known after
  /// prepare(). The first one is in use until select() says otherwise.
  [[nodiscard]] virtual std::int64_t candidate_count() const { return 1; }
  /// A way that turns out not to work is an error, and select() must be called again.
  virtual Result<bool> select(std::int64_t /*candidate*/) { return true; }
  /// Multiplies `repeats` times, back to back, each time with the next set of buffers, and waits
  /// for the end.
  virtual Result<Elapsed> run(std::int64_t repeats) = 0;
  /// The same; calls `meanwhile` once, while a device that works by itself is at work.
  virtual Result<Elapsed> run_while(std::int64_t repeats, const std::function<void()>& meanwhile) {
    meanwhile();
    return run(repeats);
  }
  /// Empties the device's cache of what products left there; outside of any timed section.
  virtual Result<bool> flush_cache() {
    return failure("its cache can't be emptied", unsupported_code);
  }
  /// Sends A and B, multiplies, fetches C: wall seconds. Never called where runs_on_cpu().
  virtual Result<double> run_with_transfers() = 0;
  /// A rate against the device's peak; absent where the peak is not known.
  virtual PercentOfPeak percent_of_peak(double /*flops*/) { return {}; }
  /// Fills the C of the first set with NaN (every bit set), and makes that set the next one.
  virtual Result<bool> poison() = 0;
  /// The C of the first set in host memory.
  virtual Result<Matrix> read_back() = 0;
};

/// The explicit list of backends (backends.cpp); an unknown name is an error that lists them.
Result<std::unique_ptr<Backend>> open_backend(host::Host& host, const BackendRequest& request);
std::vector<std::string> backend_names();

}  // namespace gpuready::bench

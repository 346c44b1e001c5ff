#pragma once
/// One CUDA device with its primary context current; what every library on CUDA starts from.

#include <string>

#include "bench/backend.hpp"
#include "vendor/cuda.hpp"

namespace gpuready::bench {

class CudaDevice {
 public:
  /// Initialises the driver and makes the primary context of "cuda:N" current.
  static Result<std::unique_ptr<CudaDevice>> open(host::Host& host, const std::string& device);
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;
  ~CudaDevice();

  [[nodiscard]] const vendor::Cuda& api() const { return api_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Shares its memory with the host.
  [[nodiscard]] bool integrated() const { return integrated_; }
  /// Largest major version of CUDA's libraries that the driver supports.
  [[nodiscard]] int driver_major() const { return driver_major_; }
  /// 0 where the driver does not tell.
  [[nodiscard]] double l2_bytes() const { return l2_bytes_; }
  [[nodiscard]] int capability_major() const { return capability_major_; }
  /// Half of what is free, leaving 1 GiB and a library's workspace.
  [[nodiscard]] Result<double> budget_bytes() const;

 private:
  explicit CudaDevice(const vendor::Cuda& api) : api_(api) {}
  Result<bool> start(int ordinal);

  vendor::Cuda api_;
  vendor::cuda::Device device_ = 0;
  vendor::cuda::Context context_ = nullptr;
  std::string name_;
  bool integrated_ = false;
  int driver_major_ = 0, capability_major_ = 0;
  double l2_bytes_ = 0;
};

/// Times what runs on the default stream by the device's clock, where the driver has events.
class CudaTimer {
 public:
  explicit CudaTimer(const vendor::Cuda& api);
  CudaTimer(const CudaTimer&) = delete;
  CudaTimer& operator=(const CudaTimer&) = delete;
  ~CudaTimer();

  [[nodiscard]] bool usable() const { return start_ != nullptr && stop_ != nullptr; }
  Result<bool> start();
  Result<bool> stop();
  /// Seconds between start and stop; only after the device became idle.
  Result<double> seconds();

 private:
  const vendor::Cuda& api_;
  vendor::cuda::Event start_ = nullptr, stop_ = nullptr;
};

}  // namespace gpuready::bench

#pragma once
/// Memory on a CUDA device, and page-locked memory on the host; freed with their owners.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "bench/backend.hpp"
#include "vendor/cuda.hpp"

namespace gpuready::bench {

/// "cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY (2)" as an Error, or true.
Result<bool> cuda_result(const vendor::Cuda& api, std::string_view call, int code);

/// A device address as the libraries' interfaces want it.
template <class T>
T* device_address(vendor::cuda::DevicePointer address) {
  return reinterpret_cast<T*>(static_cast<std::uintptr_t>(address));
}

class DeviceMemory {
 public:
  explicit DeviceMemory(const vendor::Cuda& api) : api_(api) {}
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory() { release(); }

  Result<bool> allocate(std::size_t bytes);
  void release();
  [[nodiscard]] vendor::cuda::DevicePointer address() const { return address_; }

 private:
  const vendor::Cuda& api_;
  vendor::cuda::DevicePointer address_ = 0;
};

class PinnedMemory {
 public:
  explicit PinnedMemory(const vendor::Cuda& api) : api_(api) {}
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;
  ~PinnedMemory() { release(); }

  /// False where the driver can't or won't.
  bool allocate(std::size_t bytes);
  void release();
  [[nodiscard]] void* data() const { return data_; }

 private:
  const vendor::Cuda& api_;
  void* data_ = nullptr;
};

}  // namespace gpuready::bench

#include "bench/cuda_memory.hpp"

#include "base/format.hpp"

namespace gpuready::bench {

namespace cuda = vendor::cuda;

Result<bool> cuda_result(const vendor::Cuda& api, std::string_view call, int code) {
  if (code == cuda::success) return true;
  return failure(base::format("{}: {}", call, vendor::cuda_error(api, code)),
                 code == cuda::error_out_of_memory ? out_of_memory_code : code);
}

Result<bool> DeviceMemory::allocate(std::size_t bytes) {
  release();
  return cuda_result(api_, "cuMemAlloc_v2", api_.cuMemAlloc_v2(&address_, bytes));
}

void DeviceMemory::release() {
  if (address_ != 0) api_.cuMemFree_v2(address_);
  address_ = 0;
}

bool PinnedMemory::allocate(std::size_t bytes) {
  release();
  if (api_.cuMemAllocHost_v2 == nullptr || api_.cuMemFreeHost == nullptr) return false;
  if (api_.cuMemAllocHost_v2(&data_, bytes) != cuda::success) data_ = nullptr;
  return data_ != nullptr;
}

void PinnedMemory::release() {
  if (data_ != nullptr) api_.cuMemFreeHost(data_);
  data_ = nullptr;
}

}  // namespace gpuready::bench

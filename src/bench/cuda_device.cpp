#include "bench/cuda_device.hpp"

#include <algorithm>
#include <array>

#include "base/format.hpp"
#include "bench/backends.hpp"
#include "bench/cuda_memory.hpp"
#include "gpuready/units.hpp"

namespace gpuready::bench {

namespace cuda = vendor::cuda;

namespace {

/// What cuBLAS takes for itself on recent devices, and what is left for the desktop and others.
constexpr double workspace_bytes = 32 * mib;
constexpr double left_free_bytes = gib;

int attribute(const vendor::Cuda& api, int which, cuda::Device device) {
  int value = 0;
  return api.cuDeviceGetAttribute(&value, which, device) == cuda::success ? value : 0;
}

std::string name_of(const vendor::Cuda& api, cuda::Device device) {
  std::array<char, 256> name{};
  if (api.cuDeviceGetName == nullptr ||
      api.cuDeviceGetName(name.data(), static_cast<int>(name.size()) - 1, device) != cuda::success)
    return "CUDA device";
  return name.data();
}

}  // namespace

Result<std::unique_ptr<CudaDevice>> CudaDevice::open(host::Host& host, const std::string& device) {
  const auto ordinal = device_number(device, "cuda");
  if (!ordinal) return tl::unexpected<Error>(ordinal.error());
  const auto library = vendor::load_cuda(host);
  if (!library) return failure(library.error().detail);
  std::unique_ptr<CudaDevice> opened(new CudaDevice(library->api));
  if (const auto started = opened->start(*ordinal); !started)
    return tl::unexpected<Error>(started.error());
  return opened;
}

Result<bool> CudaDevice::start(int ordinal) {
  int count = 0;
  int version = 0;
  if (auto r = cuda_result(api_, "cuInit", api_.cuInit(0)); !r) return r;
  if (auto r = cuda_result(api_, "cuDeviceGetCount", api_.cuDeviceGetCount(&count)); !r) return r;
  if (ordinal >= count)
    return failure(base::format("no cuda:{}: the driver has {} device(s)", ordinal, count));
  if (auto r = cuda_result(api_, "cuDeviceGet", api_.cuDeviceGet(&device_, ordinal)); !r) return r;
  if (auto r = cuda_result(api_, "cuDriverGetVersion", api_.cuDriverGetVersion(&version)); !r)
    return r;
  // 1000 * major + 10 * minor, as in the reference of cuDriverGetVersion.
  driver_major_ = version / 1000;
  name_ = name_of(api_, device_);
  integrated_ = attribute(api_, cuda::attribute_integrated, device_) != 0;
  l2_bytes_ = attribute(api_, cuda::attribute_l2_cache_bytes, device_);
  capability_major_ = attribute(api_, cuda::attribute_capability_major, device_);
  cuda::Context context = nullptr;
  if (auto r = cuda_result(api_, "cuDevicePrimaryCtxRetain",
                           api_.cuDevicePrimaryCtxRetain(&context, device_));
      !r)
    return r;
  context_ = context;
  return cuda_result(api_, "cuCtxSetCurrent", api_.cuCtxSetCurrent(context_));
}

CudaDevice::~CudaDevice() {
  if (context_ != nullptr) api_.cuDevicePrimaryCtxRelease_v2(device_);
}

Result<double> CudaDevice::budget_bytes() const {
  std::size_t free = 0;
  std::size_t total = 0;
  if (api_.cuMemGetInfo_v2 == nullptr) return failure("the driver lacks cuMemGetInfo_v2");
  if (const auto r = cuda_result(api_, "cuMemGetInfo_v2", api_.cuMemGetInfo_v2(&free, &total)); !r)
    return tl::unexpected<Error>(r.error());
  const auto bytes = static_cast<double>(free);
  return std::max(0.0, std::min(bytes / 2, bytes - left_free_bytes - workspace_bytes));
}

CudaTimer::CudaTimer(const vendor::Cuda& api) : api_(api) {
  if (api.cuEventCreate == nullptr || api.cuEventDestroy_v2 == nullptr ||
      api.cuEventRecord == nullptr || api.cuEventElapsedTime == nullptr)
    return;
  if (api.cuEventCreate(&start_, cuda::event_default) != cuda::success) start_ = nullptr;
  if (api.cuEventCreate(&stop_, cuda::event_default) != cuda::success) stop_ = nullptr;
}

CudaTimer::~CudaTimer() {
  if (start_ != nullptr) api_.cuEventDestroy_v2(start_);
  if (stop_ != nullptr) api_.cuEventDestroy_v2(stop_);
}

Result<bool> CudaTimer::start() {
  return cuda_result(api_, "cuEventRecord", api_.cuEventRecord(start_, nullptr));
}

Result<bool> CudaTimer::stop() {
  return cuda_result(api_, "cuEventRecord", api_.cuEventRecord(stop_, nullptr));
}

Result<double> CudaTimer::seconds() {
  float milliseconds = 0;
  if (const auto r = cuda_result(api_, "cuEventElapsedTime",
                                 api_.cuEventElapsedTime(&milliseconds, start_, stop_));
      !r)
    return tl::unexpected<Error>(r.error());
  return static_cast<double>(milliseconds) / 1000;
}

}  // namespace gpuready::bench

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "base/text.hpp"
#include "probe/kernel.hpp"
#include "probe/vendor_child.hpp"
#include "probe/vendor_text.hpp"
#include "vendor/cuda.hpp"

namespace gpuready::probe {

namespace {

using vendor::Cuda;
namespace cuda = vendor::cuda;

Missing failed(const Cuda& api, std::string_view call, int code) {
  return {Absence::call_failed, base::format("{}: {}", call, vendor::cuda_error(api, code)), code};
}

Missing lacking(std::string_view call) {
  return {Absence::symbol_missing, base::format("the driver lacks {}", call), {}};
}

Fact<std::int64_t> attribute(const Cuda& api, cuda::Device device, int which) {
  int value = 0;
  const int code = api.cuDeviceGetAttribute(&value, which, device);
  if (code != cuda::success) return failed(api, "cuDeviceGetAttribute", code);
  return whole_number(value, "cuDeviceGetAttribute");
}

Fact<std::string> device_name(const Cuda& api, cuda::Device device) {
  if (api.cuDeviceGetName == nullptr) return lacking("cuDeviceGetName");
  std::array<char, 256> name{};
  const int code = api.cuDeviceGetName(name.data(), static_cast<int>(name.size()), device);
  if (code != cuda::success) return failed(api, "cuDeviceGetName", code);
  return {text_in(name), "cuDeviceGetName"};
}

/// Only cuDeviceGetUuid_v2 tells a MIG device's own id; both give the bytes without a prefix, and
/// only the name ("... MIG 1g.5gb") shows that the device is a MIG one.
Fact<std::string> device_uuid(const Cuda& api, cuda::Device device, const std::string& name) {
  const bool v2 = api.cuDeviceGetUuid_v2 != nullptr;
  const auto ask = v2 ? api.cuDeviceGetUuid_v2 : api.cuDeviceGetUuid;
  const char* const call = v2 ? "cuDeviceGetUuid_v2" : "cuDeviceGetUuid";
  if (ask == nullptr) return lacking(call);
  cuda::Uuid uuid{};
  const int code = ask(&uuid, device);
  if (code != cuda::success) return failed(api, call, code);
  const bool mig = v2 && base::contains(name, " MIG ");
  return {uuid_text(mig ? "MIG-" : "GPU-", uuid.bytes), call};
}

Fact<std::string> pci_address(const Cuda& api, cuda::Device device) {
  if (api.cuDeviceGetPCIBusId == nullptr) return lacking("cuDeviceGetPCIBusId");
  std::array<char, 64> address{};
  const int code =
      api.cuDeviceGetPCIBusId(address.data(), static_cast<int>(address.size()), device);
  if (code != cuda::success) return failed(api, "cuDeviceGetPCIBusId", code);
  return {kernel_pci_address(text_in(address)), "cuDeviceGetPCIBusId"};
}

Fact<std::string> compute_capability(const Cuda& api, cuda::Device device) {
  const auto major = attribute(api, device, cuda::attribute_capability_major);
  const auto minor = attribute(api, device, cuda::attribute_capability_minor);
  if (!major) return major.missing();
  if (!minor) return minor.missing();
  return {base::format("{}.{}", *major, *minor), major.source()};
}

Fact<std::int64_t> total_memory(const Cuda& api, cuda::Device device) {
  if (api.cuDeviceTotalMem_v2 == nullptr) return lacking("cuDeviceTotalMem_v2");
  std::size_t bytes = 0;
  const int code = api.cuDeviceTotalMem_v2(&bytes, device);
  if (code != cuda::success) return failed(api, "cuDeviceTotalMem_v2", code);
  return whole_number(bytes, "cuDeviceTotalMem_v2");
}

Fact<double> clock_rate(const Cuda& api, cuda::Device device) {
  const auto khz = attribute(api, device, cuda::attribute_clock_rate_khz);
  if (!khz) return khz.missing();
  return {static_cast<double>(*khz) * 1e3, khz.source()};
}

Fact<bool> is_integrated(const Cuda& api, cuda::Device device) {
  const auto value = attribute(api, device, cuda::attribute_integrated);
  if (!value) return value.missing();
  return {*value != 0, value.source()};
}

/// The primary context of a device, current while this lives.
class PrimaryContext {
 public:
  PrimaryContext(const Cuda& api, cuda::Device device) : api_(api), device_(device) {
    cuda::Context context = nullptr;
    const int retain = api.cuDevicePrimaryCtxRetain(&context, device);
    retained_ = retain == cuda::success;
    if (!retained_) {
      made_ = failed(api, "cuDevicePrimaryCtxRetain", retain);
      return;
    }
    const int current = api.cuCtxSetCurrent(context);
    if (current != cuda::success) {
      made_ = failed(api, "cuCtxSetCurrent", current);
    } else {
      made_ = Fact<bool>(true, "cuDevicePrimaryCtxRetain");
    }
  }
  PrimaryContext(const PrimaryContext&) = delete;
  PrimaryContext& operator=(const PrimaryContext&) = delete;
  ~PrimaryContext() {
    if (retained_) (void)api_.cuDevicePrimaryCtxRelease_v2(device_);
  }

  /// True, or why there is none.
  [[nodiscard]] const Fact<bool>& made() const { return made_; }

 private:
  const Cuda& api_;
  cuda::Device device_;
  bool retained_ = false;
  Fact<bool> made_;
};

Fact<std::int64_t> free_memory(const Cuda& api) {
  if (api.cuMemGetInfo_v2 == nullptr) return lacking("cuMemGetInfo_v2");
  std::size_t free_bytes = 0, total_bytes = 0;
  const int code = api.cuMemGetInfo_v2(&free_bytes, &total_bytes);
  if (code != cuda::success) return failed(api, "cuMemGetInfo_v2", code);
  return whole_number(free_bytes, "cuMemGetInfo_v2");
}

/// Our kernel and its two buffers on the device whose context is current.
class KernelRun {
 public:
  explicit KernelRun(const Cuda& api) : api_(api) {}
  KernelRun(const KernelRun&) = delete;
  KernelRun& operator=(const KernelRun&) = delete;
  ~KernelRun() {
    for (const cuda::DevicePointer buffer : {x_, y_})
      if (buffer != 0) (void)api_.cuMemFree_v2(buffer);
    if (module_ != nullptr && api_.cuModuleUnload != nullptr) (void)api_.cuModuleUnload(module_);
  }

  Fact<bool> run() {
    if (!load() || !fill() || !launch() || !fetch()) return why_;
    return {!kernel::first_wrong(result_), "cuLaunchKernel"};
  }

 private:
  bool good(std::string_view call, int code) {
    if (code != cuda::success) why_ = failed(api_, call, code);
    return code == cuda::success;
  }

  bool load() {
    return good("cuModuleLoadData", api_.cuModuleLoadData(&module_, kernel::ptx())) &&
           good("cuModuleGetFunction", api_.cuModuleGetFunction(&function_, module_, kernel::name));
  }

  bool fill() {
    const std::vector<float> input = kernel::input(), poison = kernel::poison();
    return good("cuMemAlloc_v2", api_.cuMemAlloc_v2(&x_, size(input))) &&
           good("cuMemAlloc_v2", api_.cuMemAlloc_v2(&y_, size(poison))) &&
           good("cuMemcpyHtoD_v2", api_.cuMemcpyHtoD_v2(x_, input.data(), size(input))) &&
           good("cuMemcpyHtoD_v2", api_.cuMemcpyHtoD_v2(y_, poison.data(), size(poison)));
  }

  bool launch() {
    float scale = kernel::scale;
    unsigned count = kernel::count;
    std::array<void*, 4> arguments{&y_, &x_, &scale, &count};
    return good("cuLaunchKernel",
                api_.cuLaunchKernel(function_, kernel::blocks, 1, 1, kernel::block, 1, 1, 0,
                                    nullptr, arguments.data(), nullptr)) &&
           good("cuCtxSynchronize", api_.cuCtxSynchronize());
  }

  bool fetch() {
    result_.assign(kernel::room, 0.0F);
    return good("cuMemcpyDtoH_v2", api_.cuMemcpyDtoH_v2(result_.data(), y_, size(result_)));
  }

  static std::size_t size(const std::vector<float>& values) {
    return values.size() * sizeof(float);
  }

  const Cuda& api_;
  cuda::Module module_ = nullptr;
  cuda::Function function_ = nullptr;
  cuda::DevicePointer x_ = 0, y_ = 0;
  std::vector<float> result_;
  Missing why_;
};

void ask_properties(const Cuda& api, cuda::Device device, CudaDevice& answer) {
  answer.name = device_name(api, device);
  answer.uuid = device_uuid(api, device, answer.name.value_or(""));
  answer.pci_address = pci_address(api, device);
  answer.compute_capability = compute_capability(api, device);
  answer.sm_count = attribute(api, device, cuda::attribute_multiprocessor_count);
  answer.memory_total_bytes = total_memory(api, device);
  answer.l2_bytes = attribute(api, device, cuda::attribute_l2_cache_bytes);
  answer.clock_hz = clock_rate(api, device);
  answer.integrated = is_integrated(api, device);
}

void ask_work(const Cuda& api, cuda::Device device, const std::function<void()>& so_far,
              CudaDevice& answer) {
  so_far();
  const PrimaryContext context(api, device);
  answer.context = context.made();
  if (!answer.context) {
    answer.memory_free_bytes = not_tested("no context");
    answer.kernel = not_tested("no context");
    return;
  }
  answer.memory_free_bytes = free_memory(api);
  so_far();
  answer.kernel = KernelRun(api).run();
}

void ask_device(const Cuda& api, std::int64_t index, const std::function<void()>& so_far,
                CudaDevice& answer) {
  answer.index = index;
  cuda::Device device = 0;
  const int code = api.cuDeviceGet(&device, static_cast<int>(index));
  if (code != cuda::success) {
    set_all_absent(answer, failed(api, "cuDeviceGet", code));
    answer.kernel = not_tested("no device");
    return;
  }
  ask_properties(api, device, answer);
  ask_work(api, device, so_far, answer);
}

Fact<std::string> driver_version(const Cuda& api) {
  int number = 0;
  const int code = api.cuDriverGetVersion(&number);
  if (code != cuda::success) return failed(api, "cuDriverGetVersion", code);
  return cuda_version(number, "cuDriverGetVersion");
}

Fact<std::int64_t> device_count(const Cuda& api) {
  int count = 0;
  const int code = api.cuDeviceGetCount(&count);
  if (code != cuda::success) return failed(api, "cuDeviceGetCount", code);
  if (count > most_devices) return unbelievable_count("cuDeviceGetCount", count);
  return whole_number(count, "cuDeviceGetCount");
}

}  // namespace

CudaDriver ask_cuda(host::Host& host, const CudaSoFar& so_far) {
  CudaDriver answer;
  const auto report = [&] {
    if (so_far) so_far(answer);
  };
  const auto driver = vendor::load_cuda(host);
  if (!driver) {
    set_all_absent(answer, not_tested("no CUDA driver library"));
    answer.library = driver.error();
    return answer;
  }
  const Cuda& api = driver->api;
  answer.library = Fact<std::string>(driver->file, "dlopen");
  report();
  answer.version = driver_version(api);
  report();
  const int code = api.cuInit(0);
  if (code != cuda::success) {
    answer.init = failed(api, "cuInit", code);
    answer.device_count = not_tested("CUDA did not start");
    return answer;
  }
  answer.init = Fact<bool>(true, "cuInit");
  answer.device_count = device_count(api);
  for (std::int64_t i = 0; i < answer.device_count.value_or(0); ++i) {
    answer.devices.emplace_back().index = i;
    report();
    ask_device(api, i, report, answer.devices.back());
  }
  return answer;
}

}  // namespace gpuready::probe

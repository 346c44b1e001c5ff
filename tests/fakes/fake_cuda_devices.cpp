/// The part of the fake libcuda.so.1 that tells about devices, and makes contexts.

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>

#include "fake_cuda.hpp"

using namespace gpuready::fakes;
namespace cuda = gpuready::vendor::cuda;

namespace {

int copy_text(const std::string& text, char* to, int length) {
  if (length <= 0) return invalid_value;
  std::snprintf(to, static_cast<std::size_t>(length), "%s", text.c_str());
  return cuda::success;
}

}  // namespace

extern "C" {

int cuInit(unsigned flags) {
  if (const int code = enter("cuInit"); code != 0) return code;
  if (flags != 0) return invalid_value;
  if (script().devices.empty()) return cuda::error_no_device;
  state().initialized = true;
  return cuda::success;
}

int cuDriverGetVersion(int* version) {
  if (const int code = enter("cuDriverGetVersion"); code != 0) return code;
  if (version == nullptr) return invalid_value;
  *version = static_cast<int>(script().cuda_version);
  return cuda::success;
}

/// Knows a part of the codes only, as an old driver would.
int cuGetErrorName(int code, const char** name) {
  if (const int fault = enter("cuGetErrorName"); fault != 0) return fault;
  if (name == nullptr) return invalid_value;
  static const std::map<int, const char*> names{{0, "CUDA_SUCCESS"},
                                                {1, "CUDA_ERROR_INVALID_VALUE"},
                                                {2, "CUDA_ERROR_OUT_OF_MEMORY"},
                                                {3, "CUDA_ERROR_NOT_INITIALIZED"},
                                                {100, "CUDA_ERROR_NO_DEVICE"},
                                                {101, "CUDA_ERROR_INVALID_DEVICE"},
                                                {201, "CUDA_ERROR_INVALID_CONTEXT"},
                                                {999, "CUDA_ERROR_UNKNOWN"}};
  const auto found = names.find(code);
  *name = found == names.end() ? nullptr : found->second;
  return found == names.end() ? invalid_value : cuda::success;
}

int cuDeviceGetCount(int* count) {
  if (const int code = begin("cuDeviceGetCount"); code != 0) return code;
  if (count == nullptr) return invalid_value;
  const auto told = script().cuda_count;
  *count = static_cast<int>(told >= 0 ? static_cast<std::size_t>(told) : script().devices.size());
  return cuda::success;
}

int cuDeviceGet(cuda::Device* device, int ordinal) {
  if (const int code = begin_with_device("cuDeviceGet", ordinal, device); code != 0) return code;
  *device = ordinal;
  return cuda::success;
}

int cuDeviceGetName(char* name, int length, cuda::Device device) {
  if (const int code = begin_with_device("cuDeviceGetName", device, name); code != 0) return code;
  return copy_text(device_of(device).name, name, length);
}

int cuDeviceGetUuid_v2(cuda::Uuid* uuid, cuda::Device device) {
  if (const int code = begin_with_device("cuDeviceGetUuid_v2", device, uuid); code != 0)
    return code;
  std::ranges::copy(device_of(device).uuid, uuid->bytes);
  return cuda::success;
}

int cuDeviceGetUuid(cuda::Uuid* uuid, cuda::Device device) {
  if (const int code = begin_with_device("cuDeviceGetUuid", device, uuid); code != 0) return code;
  std::ranges::copy(device_of(device).uuid, uuid->bytes);
  return cuda::success;
}

int cuDeviceGetPCIBusId(char* address, int length, cuda::Device device) {
  if (const int code = begin_with_device("cuDeviceGetPCIBusId", device, address); code != 0)
    return code;
  return copy_text(device_of(device).pci, address, length);
}

int cuDeviceGetAttribute(int* value, int attribute, cuda::Device device) {
  if (const int code = begin_with_device("cuDeviceGetAttribute", device, value); code != 0)
    return code;
  const Device& d = device_of(device);
  const std::map<int, std::int64_t> values{{cuda::attribute_clock_rate_khz, d.clock_max_mhz * 1000},
                                           {cuda::attribute_multiprocessor_count, d.sm_count},
                                           {cuda::attribute_integrated, d.integrated},
                                           {cuda::attribute_compute_mode, d.compute_mode},
                                           {cuda::attribute_l2_cache_bytes, d.l2},
                                           {cuda::attribute_capability_major, d.capability_major},
                                           {cuda::attribute_capability_minor, d.capability_minor}};
  const auto found = values.find(attribute);
  if (found == values.end()) return invalid_value;
  *value = static_cast<int>(found->second);
  return cuda::success;
}

int cuDeviceTotalMem_v2(std::size_t* bytes, cuda::Device device) {
  if (const int code = begin_with_device("cuDeviceTotalMem_v2", device, bytes); code != 0)
    return code;
  *bytes = static_cast<std::size_t>(device_of(device).memory_total);
  return cuda::success;
}

int cuDevicePrimaryCtxRetain(cuda::Context* context, cuda::Device device) {
  if (const int code = begin_with_device("cuDevicePrimaryCtxRetain", device, context); code != 0)
    return code;
  cuda::ContextTag& primary = state().contexts[device];
  primary.device = device;
  ++primary.retained;
  *context = &primary;
  return cuda::success;
}

int cuDevicePrimaryCtxRelease_v2(cuda::Device device) {
  if (const int code = begin_with_device("cuDevicePrimaryCtxRelease_v2", device, &device);
      code != 0)
    return code;
  const auto found = state().contexts.find(device);
  if (found == state().contexts.end()) return invalid_context;
  if (--found->second.retained > 0) return cuda::success;
  if (current() == &found->second) current() = nullptr;
  std::erase_if(state().allocations,
                [&](const auto& entry) { return entry.second.device == device; });
  state().contexts.erase(found);
  return cuda::success;
}

int cuCtxSetCurrent(cuda::Context context) {
  if (const int code = begin("cuCtxSetCurrent"); code != 0) return code;
  const auto is_it = [&](const auto& entry) { return &entry.second == context; };
  if (context != nullptr && std::ranges::none_of(state().contexts, is_it)) return invalid_context;
  current() = context;
  return cuda::success;
}

int cuCtxSynchronize() {
  if (const int code = begin_in_context("cuCtxSynchronize"); code != 0) return code;
  drain();
  return cuda::success;
}

}  // extern "C"

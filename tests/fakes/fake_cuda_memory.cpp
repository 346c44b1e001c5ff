/// The part of the fake libcuda.so.1 that keeps memory, streams and events. Everything is done at
/// once, in one queue for all streams, unless cuStreamWaitValue32 holds it back.

#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "fake_cuda.hpp"

using namespace gpuready::fakes;
namespace cuda = gpuready::vendor::cuda;

namespace {

/// Set in every device address, so that one that is used as a host address faults.
constexpr cuda::DevicePointer device_bit = cuda::DevicePointer{1} << 62U;

bool known(cuda::Event event) { return state().events.count(event) != 0; }

int copy_to_device(cuda::DevicePointer to, const void* from, std::size_t bytes) {
  void* const target = host_address(to, bytes);
  if (target == nullptr || from == nullptr) return invalid_value;
  std::memcpy(target, from, bytes);
  return cuda::success;
}

int copy_from_device(void* to, cuda::DevicePointer from, std::size_t bytes) {
  const void* const source = host_address(from, bytes);
  if (source == nullptr || to == nullptr) return invalid_value;
  std::memcpy(to, source, bytes);
  return cuda::success;
}

}  // namespace

extern "C" {

int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  if (const int code = begin_in_context("cuMemGetInfo_v2"); code != 0) return code;
  if (free == nullptr || total == nullptr) return invalid_value;
  *free = free_bytes(current()->device);
  *total = static_cast<std::size_t>(device_of(current()->device).memory_total);
  return cuda::success;
}

int cuMemAlloc_v2(cuda::DevicePointer* pointer, std::size_t bytes) {
  if (const int code = begin_in_context("cuMemAlloc_v2"); code != 0) return code;
  if (pointer == nullptr || bytes == 0) return invalid_value;
  if (bytes > free_bytes(current()->device)) return cuda::error_out_of_memory;
  Allocation allocation;
  allocation.bytes = bytes;
  allocation.device = current()->device;
  allocation.memory.reset(static_cast<char*>(std::malloc(bytes)));
  if (allocation.memory == nullptr) return cuda::error_out_of_memory;
  *pointer = reinterpret_cast<std::uintptr_t>(allocation.memory.get()) | device_bit;
  state().allocations[*pointer] = std::move(allocation);
  return cuda::success;
}

int cuMemFree_v2(cuda::DevicePointer pointer) {
  if (const int code = begin_in_context("cuMemFree_v2"); code != 0) return code;
  return state().allocations.erase(pointer) == 1 ? cuda::success : invalid_value;
}

int cuMemAllocHost_v2(void** pointer, std::size_t bytes) {
  if (const int code = begin_in_context("cuMemAllocHost_v2"); code != 0) return code;
  if (pointer == nullptr || bytes == 0) return invalid_value;
  auto memory = std::make_unique<char[]>(bytes);
  *pointer = memory.get();
  state().pinned[*pointer] = std::move(memory);
  return cuda::success;
}

int cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  if (const int code = begin_in_context("cuMemHostAlloc"); code != 0) return code;
  if (pointer == nullptr || bytes == 0 || flags > 7) return invalid_value;
  auto memory = std::make_unique<char[]>(bytes);
  *pointer = memory.get();
  state().pinned[*pointer] = std::move(memory);
  return cuda::success;
}

int cuMemHostGetDevicePointer_v2(cuda::DevicePointer* device, void* host, unsigned flags) {
  if (const int code = begin_in_context("cuMemHostGetDevicePointer_v2"); code != 0) return code;
  if (device == nullptr || flags != 0 || state().pinned.count(host) == 0) return invalid_value;
  *device = reinterpret_cast<std::uintptr_t>(host) | device_bit;
  return cuda::success;
}

int cuMemFreeHost(void* pointer) {
  if (const int code = begin_in_context("cuMemFreeHost"); code != 0) return code;
  return state().pinned.erase(pointer) == 1 ? cuda::success : invalid_value;
}

int cuMemcpyHtoD_v2(cuda::DevicePointer to, const void* from, std::size_t bytes) {
  if (const int code = begin_in_context("cuMemcpyHtoD_v2"); code != 0) return code;
  drain();
  return copy_to_device(to, from, bytes);
}

int cuMemcpyDtoH_v2(void* to, cuda::DevicePointer from, std::size_t bytes) {
  if (const int code = begin_in_context("cuMemcpyDtoH_v2"); code != 0) return code;
  drain();
  return copy_from_device(to, from, bytes);
}

int cuMemcpyHtoDAsync_v2(cuda::DevicePointer to, const void* from, std::size_t bytes,
                         cuda::Stream stream) {
  if (const int code = begin_in_context("cuMemcpyHtoDAsync_v2"); code != 0) return code;
  return known(stream) ? copy_to_device(to, from, bytes) : invalid_handle;
}

int cuMemcpyDtoHAsync_v2(void* to, cuda::DevicePointer from, std::size_t bytes,
                         cuda::Stream stream) {
  if (const int code = begin_in_context("cuMemcpyDtoHAsync_v2"); code != 0) return code;
  return known(stream) ? copy_from_device(to, from, bytes) : invalid_handle;
}

int cuMemcpyDtoDAsync_v2(cuda::DevicePointer to, cuda::DevicePointer from, std::size_t bytes,
                         cuda::Stream stream) {
  if (const int code = begin_in_context("cuMemcpyDtoDAsync_v2"); code != 0) return code;
  void* const target = host_address(to, bytes);
  const void* const source = host_address(from, bytes);
  if (!known(stream)) return invalid_handle;
  if (target == nullptr || source == nullptr) return invalid_value;
  enqueue([=] { std::memmove(target, source, bytes); });
  return cuda::success;
}

int cuMemsetD8Async(cuda::DevicePointer pointer, unsigned char value, std::size_t count,
                    cuda::Stream stream) {
  if (const int code = begin_in_context("cuMemsetD8Async"); code != 0) return code;
  void* const memory = host_address(pointer, count);
  if (!known(stream)) return invalid_handle;
  if (memory == nullptr) return invalid_value;
  enqueue([=] { std::memset(memory, value, count); });
  return cuda::success;
}

int cuStreamCreate(cuda::Stream* stream, unsigned flags) {
  if (const int code = begin_in_context("cuStreamCreate"); code != 0) return code;
  if (stream == nullptr || flags > cuda::stream_non_blocking) return invalid_value;
  auto made = std::make_unique<cuda::StreamTag>();
  *stream = made.get();
  state().streams[*stream] = std::move(made);
  return cuda::success;
}

int cuStreamDestroy_v2(cuda::Stream stream) {
  if (const int code = begin_in_context("cuStreamDestroy_v2"); code != 0) return code;
  return state().streams.erase(stream) == 1 ? cuda::success : invalid_handle;
}

int cuStreamSynchronize(cuda::Stream stream) {
  if (const int code = begin_in_context("cuStreamSynchronize"); code != 0) return code;
  if (!known(stream)) return invalid_handle;
  drain();
  return cuda::success;
}

int cuStreamWaitValue32_v2(cuda::Stream stream, cuda::DevicePointer address, unsigned value,
                           unsigned flags) {
  if (const int code = begin_in_context("cuStreamWaitValue32_v2"); code != 0) return code;
  if (!known(stream)) return invalid_handle;
  void* const word = reinterpret_cast<void*>(static_cast<std::uintptr_t>(address & ~device_bit));
  if (flags != cuda::wait_until_at_least || state().pinned.count(word) == 0) return invalid_value;
  drain();
  state().awaited = static_cast<const std::uint32_t*>(word);
  state().awaited_value = value;
  return cuda::success;
}

int cuEventCreate(cuda::Event* event, unsigned flags) {
  if (const int code = begin_in_context("cuEventCreate"); code != 0) return code;
  if (event == nullptr || flags > 7) return invalid_value;
  auto made = std::make_unique<cuda::EventTag>();
  *event = made.get();
  state().events[*event] = std::move(made);
  return cuda::success;
}

int cuEventDestroy_v2(cuda::Event event) {
  if (const int code = begin_in_context("cuEventDestroy_v2"); code != 0) return code;
  return state().events.erase(event) == 1 ? cuda::success : invalid_handle;
}

int cuEventRecord(cuda::Event event, cuda::Stream stream) {
  if (const int code = begin_in_context("cuEventRecord"); code != 0) return code;
  if (!known(event) || !known(stream)) return invalid_handle;
  enqueue([event] {
    event->at = std::chrono::steady_clock::now();
    event->recorded = true;
  });
  return cuda::success;
}

int cuEventSynchronize(cuda::Event event) {
  if (const int code = begin_in_context("cuEventSynchronize"); code != 0) return code;
  if (!known(event)) return invalid_handle;
  drain();
  return cuda::success;
}

int cuEventElapsedTime(float* milliseconds, cuda::Event start, cuda::Event end) {
  if (const int code = begin_in_context("cuEventElapsedTime"); code != 0) return code;
  if (milliseconds == nullptr) return invalid_value;
  if (!known(start) || !known(end) || !start->recorded || !end->recorded) return invalid_handle;
  *milliseconds = std::chrono::duration<float, std::milli>(end->at - start->at).count();
  return cuda::success;
}

}  // extern "C"

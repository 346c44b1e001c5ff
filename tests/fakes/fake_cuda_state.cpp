#include "fake_cuda.hpp"

#include <unistd.h>
#include <algorithm>
#include <iterator>
#include <utility>

#include "device_memory.hpp"

namespace gpuready::fakes {

State& state() {
  static State state;
  return state;
}

namespace {
bool held_back() {
  const State& s = state();
  return s.awaited != nullptr && __atomic_load_n(s.awaited, __ATOMIC_ACQUIRE) < s.awaited_value;
}
}  // namespace

void enqueue(std::function<void()> work) {
  if (held_back() || !state().deferred.empty()) {
    state().deferred.push_back(std::move(work));
  } else {
    work();
  }
}

void drain() {
  while (held_back()) ::usleep(100);
  for (const auto& work : std::exchange(state().deferred, {})) work();
}

cuda::Context& current() {
  thread_local cuda::Context context = nullptr;
  return context;
}

int begin(const char* call) {
  if (const int code = enter(call); code != 0) return code;
  return state().initialized ? cuda::success : not_initialized;
}

int begin_in_context(const char* call) {
  if (const int code = begin(call); code != 0) return code;
  if (current() == nullptr) return invalid_context;
  return state().sticky;
}

int begin_with_device(const char* call, cuda::Device device, const void* out) {
  if (const int code = begin(call); code != 0) return code;
  if (device < 0 || std::cmp_greater_equal(device, script().devices.size())) return invalid_device;
  return out == nullptr ? invalid_value : cuda::success;
}

const Device& device_of(cuda::Device device) {
  return script().devices[static_cast<std::size_t>(device)];
}

std::size_t free_bytes(int device) {
  std::size_t used = 0;
  for (const auto& [pointer, allocation] : state().allocations)
    if (allocation.device == device) used += allocation.bytes;
  const auto free = static_cast<std::size_t>(device_of(device).memory_free);
  return free - std::min(free, used);
}

void* host_address(cuda::DevicePointer pointer, std::size_t bytes) {
  auto next = state().allocations.upper_bound(pointer);
  if (next == state().allocations.begin()) return nullptr;
  const auto& [start, allocation] = *std::prev(next);
  const std::size_t offset = pointer - start;
  if (offset > allocation.bytes || bytes > allocation.bytes - offset) return nullptr;
  return allocation.memory.get() + offset;
}

bool known(cuda::Stream stream) { return stream == nullptr || state().streams.count(stream) != 0; }

}  // namespace gpuready::fakes

extern "C" {

bool gpuready_fake_has_context() {
  return gpuready::fakes::state().initialized && gpuready::fakes::current() != nullptr;
}

void* gpuready_fake_host_address(unsigned long long device_pointer, std::size_t bytes) {
  return gpuready::fakes::host_address(device_pointer, bytes);
}

void gpuready_fake_enqueue(void (*work)(void*), void* given) {
  gpuready::fakes::enqueue([=] { work(given); });
}

int gpuready_fake_capability() {
  const auto& device = gpuready::fakes::device_of(gpuready::fakes::current()->device);
  return static_cast<int>(10 * device.capability_major + device.capability_minor);
}

}  // extern "C"

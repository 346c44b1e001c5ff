#pragma once
/// The inside of the fake libcuda.so.1: its objects, and the checks that every call begins with.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cuda_calls.hpp"
#include "script.hpp"
#include "vendor/cuda.hpp"

namespace gpuready::vendor::cuda {
struct ContextTag {
  int device = 0, retained = 0;
};
struct FunctionTag {
  std::string name;
};
struct ModuleTag {
  std::vector<std::unique_ptr<FunctionTag>> functions;
};
struct StreamTag {};
struct EventTag {
  std::chrono::steady_clock::time_point at;
  bool recorded = false;
};
}  // namespace gpuready::vendor::cuda

namespace gpuready::fakes {

namespace cuda = vendor::cuda;

inline constexpr int invalid_value = 1, not_initialized = 3, invalid_device = 101,
                     invalid_context = 201, no_binary = 209, invalid_ptx = 218,
                     invalid_handle = 400, not_found = 500, illegal_address = 700;

struct FreeMemory {
  void operator()(char* memory) const { std::free(memory); }
};

struct Allocation {
  std::size_t bytes = 0;
  int device = 0;
  /// From malloc(), which takes memory from the system only as it is written to.
  std::unique_ptr<char[], FreeMemory> memory;
};

struct State {
  bool initialized = false;
  int sticky = 0;  ///< what every later call returns after a kernel that went wrong
  std::map<int, cuda::ContextTag> contexts;
  std::map<cuda::DevicePointer, Allocation> allocations;
  std::set<std::unique_ptr<cuda::ModuleTag>> modules;
  std::map<cuda::Stream, std::unique_ptr<cuda::StreamTag>> streams;
  std::map<cuda::Event, std::unique_ptr<cuda::EventTag>> events;
  std::map<void*, std::unique_ptr<char[]>> pinned;
  /// The word that the stream waits for, and what stands behind it in the queue.
  const std::uint32_t* awaited = nullptr;
  std::uint32_t awaited_value = 0;
  std::vector<std::function<void()>> deferred;
};

State& state();
/// Does the work now, or leaves it for drain() while the stream is held back.
void enqueue(std::function<void()> work);
/// Waits, for ever if need be, until the stream is no longer held back, and does what is left.
void drain();
/// The context that is current in this thread.
cuda::Context& current();

/// Each gives the code to return at once, or 0 to go on.
int begin(const char* call);
int begin_in_context(const char* call);
int begin_with_device(const char* call, cuda::Device device, const void* out);

const Device& device_of(cuda::Device device);
/// Whether there is such a stream; the default stream (null) always is.
bool known(cuda::Stream stream);
std::size_t free_bytes(int device);
/// The host memory behind a range of device memory; null where the range was never allocated.
void* host_address(cuda::DevicePointer pointer, std::size_t bytes);

}  // namespace gpuready::fakes

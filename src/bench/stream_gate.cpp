#include "bench/stream_gate.hpp"

#include <chrono>

namespace gpuready::bench {

namespace cuda = vendor::cuda;

namespace {
/// Filling the queue takes a few milliseconds.
constexpr std::chrono::seconds longest_closed{2};
}  // namespace

StreamGate::StreamGate(const vendor::Cuda& api) : api_(api) {
  if (api.cuMemHostAlloc == nullptr || api.cuMemFreeHost == nullptr ||
      api.cuMemHostGetDevicePointer_v2 == nullptr || api.cuStreamWaitValue32_v2 == nullptr)
    return;
  void* memory = nullptr;
  if (api.cuMemHostAlloc(&memory, sizeof *word_, cuda::host_alloc_mapped) != cuda::success ||
      memory == nullptr)
    return;
  if (api.cuMemHostGetDevicePointer_v2(&device_word_, memory, 0) != cuda::success) {
    api.cuMemFreeHost(memory);
    return;
  }
  word_ = static_cast<std::uint32_t*>(memory);
  *word_ = 0;
}

StreamGate::~StreamGate() {
  if (watchdog_.joinable()) {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    watchdog_.join();
  }
  if (word_ == nullptr) return;
  open();
  api_.cuMemFreeHost(word_);
}

void StreamGate::close() {
  if (!usable()) return;
  if (!watchdog_.joinable()) watchdog_ = std::thread([this] { watch(); });
  {
    const std::lock_guard lock(mutex_);
    ++turn_;
    closed_ = true;
    late_ = false;
  }
  changed_.notify_all();
  const int code =
      api_.cuStreamWaitValue32_v2(nullptr, device_word_, turn_, cuda::wait_until_at_least);
  if (code == cuda::success) return;
  refused_ = true;
  open();
}

void StreamGate::open() {
  if (word_ == nullptr) return;
  {
    const std::lock_guard lock(mutex_);
    closed_ = false;
    std::atomic_ref<std::uint32_t>(*word_).store(turn_, std::memory_order_release);
  }
  changed_.notify_all();
}

bool StreamGate::was_late() {
  const std::lock_guard lock(mutex_);
  return late_;
}

void StreamGate::watch() {
  std::unique_lock lock(mutex_);
  while (!over_) {
    changed_.wait(lock, [this] { return closed_ || over_; });
    const std::uint32_t turn = turn_;
    const bool opened =
        changed_.wait_for(lock, longest_closed, [&] { return !closed_ || turn_ != turn || over_; });
    if (opened) continue;
    late_ = true;
    std::atomic_ref<std::uint32_t>(*word_).store(turn_, std::memory_order_release);
  }
}

}  // namespace gpuready::bench

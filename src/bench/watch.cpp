#include "bench/watch.hpp"

namespace gpuready::bench {

Watch::Watch(const std::function<void()>& sample, std::chrono::milliseconds interval)
    : sample_(sample) {
  if (sample) thread_ = std::thread([this, interval] { look(interval); });
}

Watch::~Watch() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

/// The first look comes after one interval, when the device is at work.
void Watch::look(std::chrono::milliseconds interval) {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, interval, [this] { return over_; })) {
    lock.unlock();
    sample_();
    lock.lock();
  }
}

}  // namespace gpuready::bench

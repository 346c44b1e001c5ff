#pragma once
/// Looks at a device from time to time while it works.

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace gpuready::bench {

/// What is to be asked before a measurement, every now and then during it, and after it. Empty
/// functions are not called.
struct Monitor {
  std::function<void()> before, sample, after;
};

/// Calls `sample` in a thread of its own, from its making to its end.
class Watch {
 public:
  /// 50 ms: NVML itself updates its figures hardly more often.
  explicit Watch(const std::function<void()>& sample,
                 std::chrono::milliseconds interval = std::chrono::milliseconds(50));
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch();

 private:
  void look(std::chrono::milliseconds interval);

  const std::function<void()>& sample_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace gpuready::bench

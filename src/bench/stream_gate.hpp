#pragma once
/// Holds the default stream back until a batch of work stands in its queue, so that the time
/// between two launches does not count as the device's.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "bench/cuda_memory.hpp"
#include "vendor/cuda.hpp"

namespace gpuready::bench {

/// The stream waits for a word in mapped host memory, which the host writes when the queue is full.
/// Whatever goes wrong while the gate is closed, a watchdog opens it: a stream that waits for ever
/// would hang the process.
class StreamGate {
 public:
  explicit StreamGate(const vendor::Cuda& api);
  StreamGate(const StreamGate&) = delete;
  StreamGate& operator=(const StreamGate&) = delete;
  ~StreamGate();

  /// Whether the driver can; a driver that turns out not to be able makes it false.
  [[nodiscard]] bool usable() const { return word_ != nullptr && !refused_; }
  /// How much work may stand behind a closed gate: queues are finite, and a full one would block
  /// the very thread that opens the gate. (1024 launches on NVIDIA's drivers, by experience.)
  static constexpr std::int64_t most_queued = 256;

  /// From now on, what is put into the stream waits.
  void close();
  void open();
  /// Whether the watchdog opened it since it was closed: then the batch ran before it was whole.
  [[nodiscard]] bool was_late();

 private:
  void watch();

  const vendor::Cuda& api_;
  std::uint32_t* word_ = nullptr;
  vendor::cuda::DevicePointer device_word_ = 0;
  std::uint32_t turn_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool closed_ = false, over_ = false, refused_ = false, late_ = false;
  std::thread watchdog_;
};

}  // namespace gpuready::bench

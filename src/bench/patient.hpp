#pragma once
/// Calls what may hang, and goes on without it where it does.

#include <chrono>
#include <functional>

namespace gpuready::bench {

/// A driver that hangs (a GPU that fell off the bus, a fabric that waits) must not cost a
/// measurement that works without it.
class Patient {
 public:
  explicit Patient(std::chrono::milliseconds limit = std::chrono::seconds(2)) : limit_(limit) {}

  /// Whether `call` came to its end in time. It runs in a thread of its own, which is left behind
  /// where it does not: so it must own what it touches. After that nothing more is called.
  bool run(std::function<void()> call);
  [[nodiscard]] bool hung() const { return hung_; }

 private:
  std::chrono::milliseconds limit_;
  bool hung_ = false;
};

}  // namespace gpuready::bench

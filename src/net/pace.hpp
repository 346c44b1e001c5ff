#pragma once
/// Time as the network stages see it, so that tests need not wait.

namespace gpuready::net {

class Pace {
 public:
  Pace() = default;
  Pace(const Pace&) = delete;
  Pace& operator=(const Pace&) = delete;
  virtual ~Pace() = default;

  /// Seconds since some start, never backwards.
  virtual double now_s() = 0;
  /// Waits, or until stopped() becomes true.
  virtual void sleep_s(double seconds) = 0;
  /// Whether a signal asked us to end.
  virtual bool stopped() = 0;
  /// While it is on, what runs cleans up: stopped() is false and waits are waited out.
  virtual void finish_up(bool /*on*/) {}
};

}  // namespace gpuready::net

#include "net/real_pace.hpp"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace gpuready::net {

namespace {

class RealPace : public Pace {
 public:
  RealPace(std::function<bool()> stopped, double scale)
      : stopped_(std::move(stopped)), scale_(scale > 0 ? scale : 1) {}

  double now_s() override { return elapsed_s() / scale_; }

  void sleep_s(double seconds) override {
    constexpr double longest_slice_s = 0.2;  // a signal ends a slice by itself, too
    const double end_s = elapsed_s() + seconds * scale_;
    while (!stopped()) {
      const double left_s = end_s - elapsed_s();
      if (left_s <= 0) return;
      const double slice_s = std::min(left_s, longest_slice_s);
      ::poll(nullptr, 0, static_cast<int>(slice_s * 1000) + 1);
    }
  }

  bool stopped() override { return !finishing_ && stopped_ && stopped_(); }

  void finish_up(bool on) override { finishing_ = on; }

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] double elapsed_s() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

  std::function<bool()> stopped_;
  double scale_;
  Clock::time_point start_ = Clock::now();
  bool finishing_ = false;
};

}  // namespace

std::unique_ptr<Pace> make_real_pace(std::function<bool()> stopped, double scale) {
  return std::make_unique<RealPace>(std::move(stopped), scale);
}

}  // namespace gpuready::net

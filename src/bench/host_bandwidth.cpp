#include <algorithm>
#include <barrier>
#include <cstring>
#include <new>
#include <thread>

#include "bench/bandwidth.hpp"
#include "bench/matrix.hpp"
#include "bench/timing.hpp"
#include "gpuready/units.hpp"

namespace gpuready::bench {

namespace {

constexpr double usual_bytes = 256 * mib;
/// STREAM's own rule: each array at least four times the caches.
constexpr double times_cache = 4;

using Doubles = std::vector<double, HugePageAllocator<double>>;

/// Threads that wait between two jobs, each with its own part of the arrays, which it touched
/// first.
class Workers {
 public:
  explicit Workers(std::size_t count)
      : count_(count), begin_(static_cast<std::ptrdiff_t>(count + 1)), end_(begin_count(count)) {
    for (std::size_t i = 0; i < count; ++i) threads_.emplace_back([this, i] { work(i); });
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers() {
    job_ = nullptr;
    begin_.arrive_and_wait();
    for (std::thread& thread : threads_) thread.join();
  }

  /// Seconds that `job(part, parts)` took on all threads together.
  double run(const std::function<void(std::size_t, std::size_t)>& job) {
    job_ = &job;
    const double start = steady_seconds();
    begin_.arrive_and_wait();
    end_.arrive_and_wait();
    return steady_seconds() - start;
  }

 private:
  static std::ptrdiff_t begin_count(std::size_t count) {
    return static_cast<std::ptrdiff_t>(count + 1);
  }
  void work(std::size_t part) {
    for (;;) {
      begin_.arrive_and_wait();
      if (job_ == nullptr) return;
      (*job_)(part, count_);
      end_.arrive_and_wait();
    }
  }

  std::size_t count_;
  std::barrier<> begin_, end_;
  const std::function<void(std::size_t, std::size_t)>* job_ = nullptr;
  std::vector<std::thread> threads_;
};

struct Part {
  std::size_t begin, end;
};

Part part_of(std::size_t size, std::size_t part, std::size_t parts) {
  return {size * part / parts, size * (part + 1) / parts};
}

std::size_t array_length(const BandwidthRequest& request) {
  double bytes =
      request.bytes > 0
          ? static_cast<double>(request.bytes)
          : std::max(usual_bytes, times_cache * static_cast<double>(request.cache_bytes));
  if (request.host_budget_bytes > 0)
    bytes = std::min(bytes, static_cast<double>(request.host_budget_bytes) / 3);
  return static_cast<std::size_t>(std::max(bytes, 4096.0) / sizeof(double));
}

class HostMemory {
 public:
  HostMemory(std::size_t threads, std::size_t length)
      : workers_(threads), a_(length), b_(length), c_(length) {
    workers_.run([this](std::size_t i, std::size_t n) {
      const Part part = part_of(a_.size(), i, n);
      std::fill(a_.begin() + at(part.begin), a_.begin() + at(part.end), 0.0);
      std::fill(b_.begin() + at(part.begin), b_.begin() + at(part.end), 1.5);
      std::fill(c_.begin() + at(part.begin), c_.begin() + at(part.end), 0.25);
    });
  }

  double copy() {
    return workers_.run([this](std::size_t i, std::size_t n) {
      const Part part = part_of(a_.size(), i, n);
      std::memcpy(a_.data() + part.begin, b_.data() + part.begin,
                  (part.end - part.begin) * sizeof(double));
    });
  }
  double triad() {
    return workers_.run([this](std::size_t i, std::size_t n) {
      const Part part = part_of(a_.size(), i, n);
      double* const a = a_.data();
      const double* const b = b_.data();
      const double* const c = c_.data();
      for (std::size_t j = part.begin; j < part.end; ++j) a[j] = b[j] + 3 * c[j];
    });
  }
  /// Whether the last copy, or the last triad, is right, at both ends.
  [[nodiscard]] bool copy_is_right() const { return a_.front() == 1.5 && a_.back() == 1.5; }
  [[nodiscard]] bool triad_is_right() const { return a_.front() == 2.25 && a_.back() == 2.25; }

 private:
  static std::ptrdiff_t at(std::size_t index) { return static_cast<std::ptrdiff_t>(index); }

  Workers workers_;
  Doubles a_, b_, c_;
};

void add(BandwidthAnswer& answer, const Result<Bandwidth>& row, std::size_t bytes) {
  if (!row) {
    answer.errors.push_back({"cpu", "", {"bench.error.run", {"cpu", row.error().text}}, false});
    return;
  }
  answer.rows.push_back(*row);
  answer.rows.back().bytes = static_cast<std::int64_t>(bytes);
}

/// Marks the last row where its bytes are not what they must be.
void check(BandwidthAnswer& answer, bool right) {
  if (right || answer.rows.empty()) return;
  answer.rows.back().flags.emplace_back("wrong-bytes");
  answer.errors.push_back({"cpu", "", {"bench.error.wrong-bytes", {"cpu"}}, true});
}

}  // namespace

BandwidthAnswer measure_host_bandwidth(const BandwidthRequest& request, const Clock& clock) {
  BandwidthAnswer answer;
  try {
    const std::size_t length = array_length(request);
    const std::size_t bytes = length * sizeof(double);
    HostMemory memory(static_cast<std::size_t>(std::max<std::int64_t>(request.threads, 1)), length);
    const auto one = static_cast<double>(bytes);
    add(answer,
        measure_transfer(
            "cpu", "host-copy", 2 * one, request.max_time_s, [&] { return memory.copy(); }, clock),
        bytes);
    check(answer, memory.copy_is_right());
    add(answer,
        measure_transfer(
            "cpu", "host-triad", 3 * one, request.max_time_s, [&] { return memory.triad(); },
            clock),
        bytes);
    check(answer, memory.triad_is_right());
  } catch (const std::bad_alloc&) {
    answer.errors.push_back({"cpu", "", {"bench.error.host-memory", {"cpu"}}, false});
  }
  return answer;
}

}  // namespace gpuready::bench

#include <algorithm>
#include <cstring>
#include <new>

#include "bench/bandwidth.hpp"
#include "bench/cuda_device.hpp"
#include "bench/cuda_memory.hpp"
#include "bench/matrix.hpp"
#include "bench/timing.hpp"
#include "gpuready/units.hpp"

namespace gpuready::bench {

namespace {

constexpr double usual_bytes = 256 * mib;
constexpr double smallest_bytes = mib;

class CudaTransfers {
 public:
  explicit CudaTransfers(CudaDevice& device)
      : cuda_(device.api()),
        timer_(device.api()),
        first_(device.api()),
        second_(device.api()),
        pinned_(device.api()) {}

  /// Two arrays on the device and two in main memory.
  Result<bool> allocate(std::size_t bytes) {
    bytes_ = bytes;
    if (auto r = first_.allocate(bytes); !r) return r;
    if (auto r = second_.allocate(bytes); !r) return r;
    sent_ = Bytes(bytes);
    fetched_ = Bytes(bytes);
    for (std::size_t i = 0; i < bytes; ++i)
      sent_.data()[i] = static_cast<std::byte>(i * 131U + i / 251U);
    return true;
  }

  [[nodiscard]] bool pin() { return pinned_.allocate(bytes_); }

  Result<double> write() {
    if (cuda_.cuMemsetD8Async == nullptr) return failure("the driver lacks cuMemsetD8Async");
    return on_device([this] {
      return cuda_result(cuda_, "cuMemsetD8Async",
                         cuda_.cuMemsetD8Async(second_.address(), 0x5A, bytes_, nullptr));
    });
  }
  Result<double> copy() {
    if (cuda_.cuMemcpyDtoDAsync_v2 == nullptr)
      return failure("the driver lacks cuMemcpyDtoDAsync_v2");
    return on_device([this] {
      return cuda_result(
          cuda_, "cuMemcpyDtoDAsync_v2",
          cuda_.cuMemcpyDtoDAsync_v2(second_.address(), first_.address(), bytes_, nullptr));
    });
  }
  /// So that a transfer that moves nothing can't pass for one that does.
  void forget() {
    if (cuda_.cuMemsetD8Async != nullptr &&
        cuda_.cuMemsetD8Async(first_.address(), 0x11, bytes_, nullptr) == vendor::cuda::success)
      cuda_.cuCtxSynchronize();
    std::memset(fetched_.data(), 0, bytes_);
  }
  void forget_pinned() { std::memset(pinned_.data(), 0, bytes_); }
  Result<double> send(bool pinned) {
    const void* const from = pinned ? pinned_.data() : sent_.data();
    return by_wall_clock([&] {
      return cuda_result(cuda_, "cuMemcpyHtoD_v2",
                         cuda_.cuMemcpyHtoD_v2(first_.address(), from, bytes_));
    });
  }
  Result<double> fetch(bool pinned) {
    void* const to = pinned ? pinned_.data() : fetched_.data();
    return by_wall_clock([&] {
      return cuda_result(cuda_, "cuMemcpyDtoH_v2",
                         cuda_.cuMemcpyDtoH_v2(to, first_.address(), bytes_));
    });
  }

  void fill_pinned() { std::memcpy(pinned_.data(), sent_.data(), bytes_); }
  [[nodiscard]] bool came_back(bool pinned) const {
    return std::memcmp(sent_.data(), pinned ? pinned_.data() : fetched_.data(), bytes_) == 0;
  }

 private:
  /// So many in a row, that the gap before the first launch does not count.
  static constexpr int repeats = 32;

  /// By the device's own clock, where it has one.
  template <class Queue>
  Result<double> on_device(const Queue& queue) {
    const double start = steady_seconds();
    if (timer_.usable())
      if (const auto r = timer_.start(); !r) return tl::unexpected<Error>(r.error());
    for (int i = 0; i < repeats; ++i)
      if (const auto r = queue(); !r) return tl::unexpected<Error>(r.error());
    if (timer_.usable())
      if (const auto r = timer_.stop(); !r) return tl::unexpected<Error>(r.error());
    if (const auto r = cuda_result(cuda_, "cuCtxSynchronize", cuda_.cuCtxSynchronize()); !r)
      return tl::unexpected<Error>(r.error());
    const auto all = timer_.usable() ? timer_.seconds() : Result<double>(steady_seconds() - start);
    return all.map([](double seconds) { return seconds / repeats; });
  }
  template <class Call>
  static Result<double> by_wall_clock(const Call& call) {
    const double start = steady_seconds();
    if (const auto r = call(); !r) return tl::unexpected<Error>(r.error());
    return steady_seconds() - start;
  }

  const vendor::Cuda& cuda_;
  CudaTimer timer_;
  DeviceMemory first_, second_;
  PinnedMemory pinned_;
  Bytes sent_, fetched_;
  std::size_t bytes_ = 0;
};

/// One row after the other, into the answer.
class Table {
 public:
  Table(const BandwidthRequest& request, std::size_t bytes, const Clock& clock)
      : request_(request), bytes_(bytes), clock_(clock) {}

  /// `passes` is how often each byte is read or written in what counts.
  void add(const std::string& what, int passes, const Transfer& transfer) {
    auto row = measure_transfer(request_.device, what, passes * static_cast<double>(bytes_),
                                request_.max_time_s, transfer, clock_);
    if (!row) {
      answer.errors.push_back(
          {request_.device,
           "",
           {"bench.error.run", {request_.device, what + ": " + row.error().text}},
           false});
      return;
    }
    row->bytes = static_cast<std::int64_t>(bytes_);
    answer.rows.push_back(std::move(*row));
  }
  /// Marks the last row where the bytes that came back are not those that were sent.
  void check(bool right) {
    if (right || answer.rows.empty()) return;
    answer.rows.back().flags.emplace_back("wrong-bytes");
    answer.errors.push_back(
        {request_.device, "", {"bench.error.wrong-bytes", {request_.device}}, true});
  }

  BandwidthAnswer answer;

 private:
  const BandwidthRequest& request_;
  std::size_t bytes_;
  const Clock& clock_;
};

Result<std::size_t> transfer_bytes(const CudaDevice& device, const BandwidthRequest& request) {
  const auto budget = device.budget_bytes();
  if (!budget) return tl::unexpected<Error>(budget.error());
  double bytes = request.bytes > 0 ? static_cast<double>(request.bytes)
                                   : std::max(usual_bytes, 4 * device.l2_bytes());
  bytes = std::min(bytes, *budget / 2);
  if (request.host_budget_bytes > 0)
    bytes = std::min(bytes, static_cast<double>(request.host_budget_bytes) / 3);
  if (request.bytes == 0 && bytes < smallest_bytes) return failure("no memory is free");
  return static_cast<std::size_t>(std::max(bytes, 1.0));
}

BandwidthAnswer error_answer(const BandwidthRequest& request, const std::string& why) {
  BandwidthAnswer answer;
  answer.errors.push_back(
      {request.device, "", {"bench.error.budget", {request.device, why}}, false});
  return answer;
}

}  // namespace

BandwidthAnswer measure_cuda_bandwidth(host::Host& host, const BandwidthRequest& request,
                                       const Clock& clock) {
  try {
    const auto device = CudaDevice::open(host, request.device);
    if (!device) return error_answer(request, device.error().text);
    const auto bytes = transfer_bytes(**device, request);
    if (!bytes) return error_answer(request, bytes.error().text);
    CudaTransfers transfers(**device);
    if (const auto r = transfers.allocate(*bytes); !r) return error_answer(request, r.error().text);
    Table table(request, *bytes, clock);
    table.add("to-device-pageable", 1, [&] { return transfers.send(false); });
    table.add("from-device-pageable", 1, [&] { return transfers.fetch(false); });
    table.check(transfers.came_back(false));
    table.add("device-copy", 2, [&] { return transfers.copy(); });
    table.add("device-write", 1, [&] { return transfers.write(); });
    if (transfers.pin()) {
      transfers.fill_pinned();
      transfers.forget();
      table.add("to-device-pinned", 1, [&] { return transfers.send(true); });
      transfers.forget_pinned();
      table.add("from-device-pinned", 1, [&] { return transfers.fetch(true); });
      table.check(transfers.came_back(true));
    }
    return std::move(table.answer);
  } catch (const std::bad_alloc&) {
    return error_answer(request, "main memory ran out");
  }
}

}  // namespace gpuready::bench

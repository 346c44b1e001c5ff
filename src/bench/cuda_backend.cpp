#include "bench/cuda_backend.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "bench/cache_flush.hpp"
#include "bench/timing.hpp"
#include "gpuready/units.hpp"

namespace gpuready::bench {

namespace {

/// Page-locked memory is taken from everybody, hence these limits.
constexpr double most_pinned_bytes = 2 * gib;
constexpr double most_pinned_part = 0.25;
/// C is filled with NaN by pieces of this size where the driver has no memset.
constexpr std::size_t poison_bytes = std::size_t{1} << 24U;

template <class T>
void transpose_as(const Matrix& from, Matrix& to) {
  constexpr std::size_t tile = 32;
  const T* const source = from.as<T>();
  T* const target = to.as<T>();
  for (std::size_t i0 = 0; i0 < from.rows; i0 += tile)
    for (std::size_t j0 = 0; j0 < from.columns; j0 += tile)
      for (std::size_t i = i0; i < std::min(from.rows, i0 + tile); ++i)
        for (std::size_t j = j0; j < std::min(from.columns, j0 + tile); ++j)
          target[j * from.rows + i] = source[i * from.columns + j];
}

Matrix transposed(const Matrix& from) {
  Matrix to(from.element, from.columns, from.rows);
  switch (size_of(from.element)) {
    case 1:
      transpose_as<std::uint8_t>(from, to);
      break;
    case 2:
      transpose_as<std::uint16_t>(from, to);
      break;
    case 4:
      transpose_as<std::uint32_t>(from, to);
      break;
    default:
      transpose_as<std::uint64_t>(from, to);
  }
  return to;
}

}  // namespace

CudaBackend::CudaBackend(std::unique_ptr<CudaDevice> device, const DtypeRow& row, Case known,
                         std::int64_t host_budget_bytes)
    : device_(std::move(device)),
      row_(row),
      storage_{row.input, row.output},
      known_(std::move(known)),
      host_budget_bytes_(host_budget_bytes),
      timer_(device_->api()),
      gate_(device_->api()),
      flush_(device_->api()),
      pinned_a_(device_->api()),
      pinned_b_(device_->api()),
      pinned_c_(device_->api()) {
  known_.dtype = row.dtype();
}

Result<double> CudaBackend::largest_matrix_bytes() {
  return std::numeric_limits<double>::infinity();
}

/// The fetched C of the timed transfers, B the other way round, and the device's matrices where it
/// shares our memory. Page-locked copies have their own limit.
double CudaBackend::host_bytes(const Shape& shape, std::int64_t sets) const {
  const double shared =
      device_->integrated() ? static_cast<double>(sets) * bytes_of_all(shape, storage_) : 0;
  const double other_b = wants_b_transposed() ? bytes_of_b(shape, storage_) : 0;
  return bytes_of_c(shape, storage_) + other_b + shared;
}

Result<bool> CudaBackend::prepare(const Operands& operands, std::int64_t sets) {
  operands_ = &operands;
  travel_ = {};
  b_transposed_ = wants_b_transposed() ? transposed(operands.b) : Matrix();
  if (auto r = allocate(sets); !r) return r;
  for (const auto& set : sets_) {
    if (auto r = send(*set, operands.a.data.data(), b_as_sent().data.data()); !r) return r;
    if (auto r = fill_with_nan(*set); !r) return r;
  }
  next_set_ = 0;
  return shape_is_new();
}

Result<bool> CudaBackend::allocate(std::int64_t sets) {
  sets_.clear();
  for (std::int64_t i = 0; i < sets; ++i) {
    auto set = std::make_unique<Set>(cuda());
    if (auto r = set->a.allocate(operands_->a.data.size()); !r) return r;
    if (auto r = set->b.allocate(operands_->b.data.size()); !r) return r;
    if (auto r = set->c.allocate(c_bytes()); !r) return r;
    sets_.push_back(std::move(set));
  }
  return true;
}

const Matrix& CudaBackend::b_as_sent() const {
  return wants_b_transposed() ? b_transposed_ : operands_->b;
}

std::size_t CudaBackend::c_bytes() const {
  return operands_->a.rows * operands_->b.columns * size_of(storage_.output);
}

Result<Elapsed> CudaBackend::run_while(std::int64_t repeats,
                                       const std::function<void()>& meanwhile) {
  double started_s = 0;
  const auto queued = queue(repeats, started_s);
  gate_.open();
  if (!queued) return tl::unexpected<Error>(queued.error());
  meanwhile();
  if (const auto r = wait(); !r) return tl::unexpected<Error>(r.error());
  Elapsed elapsed{steady_seconds() - started_s, {}};
  if (!timer_.usable()) return elapsed;
  const auto seconds = timer_.seconds();
  if (!seconds) return tl::unexpected<Error>(seconds.error());
  elapsed.device_s = *seconds;
  return elapsed;
}

/// A first product of its own may load kernels, which can wait for the stream: only batches are
/// held back. `started_s` is when the device could begin.
Result<bool> CudaBackend::queue(std::int64_t repeats, double& started_s) {
  const bool held = (repeats > 1 || hold_next_) && gate_.usable();
  hold_next_ = false;
  if (held) gate_.close();
  const double begun_s = started_s = steady_seconds();
  if (timer_.usable())
    if (auto r = timer_.start(); !r) return r;
  for (std::int64_t i = 0; i < repeats; ++i) {
    if (held && i == StreamGate::most_queued) {
      started_s = steady_seconds();
      gate_.open();
    }
    if (auto r = multiply_next(); !r) return r;
  }
  if (timer_.usable())
    if (auto r = timer_.stop(); !r) return r;
  if (held && repeats <= StreamGate::most_queued)
    started_s = gate_.was_late() ? begun_s : steady_seconds();
  return true;
}

Result<bool> CudaBackend::multiply_next() {
  const Buffers set = sets_[next_set_]->addresses();
  next_set_ = (next_set_ + 1) % sets_.size();
  return multiply(set);
}

Result<bool> CudaBackend::flush_cache() {
  const double bytes = 2 * device_->l2_bytes();
  if (!(bytes > 0)) return no_cache_size();
  if (cuda().cuMemsetD8Async == nullptr)
    return failure("its driver has no cuMemsetD8Async to empty the cache with", unsupported_code);
  const auto size = static_cast<std::size_t>(bytes);
  if (flush_.address() == 0)
    if (auto r = flush_.allocate(size); !r) return r;
  const int code = cuda().cuMemsetD8Async(flush_.address(), 0, size, nullptr);
  if (auto r = cuda_result(cuda(), "cuMemsetD8Async", code); !r) return r;
  hold_next_ = true;  // else the time until the launch arrives would count
  return wait();
}

Result<double> CudaBackend::run_with_transfers() {
  choose_travel_buffers();
  const Set& set = *sets_.front();
  const double start = steady_seconds();
  if (const auto r = send(set, travel_.a, travel_.b); !r) return tl::unexpected<Error>(r.error());
  if (const auto r = multiply(set.addresses()); !r) return tl::unexpected<Error>(r.error());
  if (const auto r = fetch(set, travel_.c); !r) return tl::unexpected<Error>(r.error());
  return steady_seconds() - start;
}

Result<bool> CudaBackend::poison() {
  next_set_ = 0;
  return fill_with_nan(*sets_.front());
}

Result<bool> CudaBackend::fill_with_nan(const Set& set) {
  const std::size_t bytes = c_bytes();
  if (cuda().cuMemsetD8Async != nullptr) {
    const int code = cuda().cuMemsetD8Async(set.c.address(), 0xFF, bytes, nullptr);
    if (auto r = cuda_result(cuda(), "cuMemsetD8Async", code); !r) return r;
    return wait();
  }
  const std::vector<unsigned char> ones(std::min(bytes, poison_bytes), 0xFF);
  for (std::size_t done = 0; done < bytes; done += ones.size()) {
    const std::size_t now = std::min(ones.size(), bytes - done);
    const int code = cuda().cuMemcpyHtoD_v2(set.c.address() + done, ones.data(), now);
    if (auto r = cuda_result(cuda(), "cuMemcpyHtoD_v2", code); !r) return r;
  }
  return true;
}

Result<Matrix> CudaBackend::read_back() {
  Matrix c(storage_.output, operands_->a.rows, operands_->b.columns);
  return fetch(*sets_.front(), c.data.data()).map([&](bool) { return std::move(c); });
}

Result<bool> CudaBackend::wait() {
  return cuda_result(cuda(), "cuCtxSynchronize", cuda().cuCtxSynchronize());
}

Result<bool> CudaBackend::send(const Set& set, const std::byte* a, const std::byte* b) {
  const auto copy = [&](const DeviceMemory& to, const std::byte* from, std::size_t bytes) {
    return cuda_result(cuda(), "cuMemcpyHtoD_v2",
                       cuda().cuMemcpyHtoD_v2(to.address(), from, bytes));
  };
  if (auto r = copy(set.a, a, operands_->a.data.size()); !r) return r;
  return copy(set.b, b, operands_->b.data.size());
}

Result<bool> CudaBackend::fetch(const Set& set, std::byte* into) {
  return cuda_result(cuda(), "cuMemcpyDtoH_v2",
                     cuda().cuMemcpyDtoH_v2(into, set.c.address(), c_bytes()));
}

/// Page-locked copies of A and B and room for C, once; ordinary memory where there are none.
void CudaBackend::choose_travel_buffers() {
  if (travel_.c != nullptr) return;
  const Matrix& a = operands_->a;
  const Matrix& b = b_as_sent();
  if (pin()) {
    std::memcpy(pinned_a_.data(), a.data.data(), a.data.size());
    std::memcpy(pinned_b_.data(), b.data.data(), b.data.size());
    travel_ = {static_cast<const std::byte*>(pinned_a_.data()),
               static_cast<const std::byte*>(pinned_b_.data()),
               static_cast<std::byte*>(pinned_c_.data())};
    return;
  }
  for (PinnedMemory* memory : {&pinned_a_, &pinned_b_, &pinned_c_}) memory->release();
  known_.flags.emplace_back("pageable");
  fetched_ = Matrix(storage_.output, operands_->a.rows, operands_->b.columns);
  travel_ = {a.data.data(), b.data.data(), fetched_.data.data()};
}

bool CudaBackend::pin() {
  const double part = host_budget_bytes_ > 0
                          ? most_pinned_part * static_cast<double>(host_budget_bytes_)
                          : most_pinned_bytes;
  if (bytes_of_all(operands_->shape, storage_) > std::min(part, most_pinned_bytes)) return false;
  return pinned_a_.allocate(operands_->a.data.size()) &&
         pinned_b_.allocate(operands_->b.data.size()) && pinned_c_.allocate(c_bytes());
}

std::vector<std::string> cuda_environment_flags(host::Host& host) {
  std::vector<std::string> flags;
  if (host.env("NVIDIA_TF32_OVERRIDE").value_or("0") != "0") flags.emplace_back("tf32-override");
  if (host.env("CUDA_LAUNCH_BLOCKING").value_or("0") != "0") flags.emplace_back("launch-blocking");
  return flags;
}

}  // namespace gpuready::bench

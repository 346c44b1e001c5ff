#include "bench/load.hpp"

#include <algorithm>
#include <new>

#include "bench/dtypes.hpp"
#include "bench/memory_plan.hpp"
#include "bench/operands.hpp"
#include "bench/timing.hpp"
#include "bench/verify.hpp"

namespace gpuready::bench {

namespace {

constexpr double slice_s = 0.25;
/// Shorter products would show the driver's overhead and not the device's work.
constexpr double shortest_product_s = 0.005;
constexpr std::int64_t first_side = 256;

class Load {
 public:
  Load(Backend& backend, const MeasureRequest& request, const Clock& clock)
      : backend_(backend), request_(request), clock_(clock) {}

  Result<Busy> run(const std::function<void()>& sample) {
    if (const auto r = choose_size(); !r) return tl::unexpected<Error>(r.error());
    Busy busy;
    const double start = clock_();
    const std::int64_t repeats = repeats_for(product_s_, slice_s);
    do {
      if (const auto r = backend_.run_with_transfers(); !r) return tl::unexpected<Error>(r.error());
      const auto slice = backend_.run_while(repeats, sample);
      if (!slice) return tl::unexpected<Error>(slice.error());
      busy.products += repeats + 1;
    } while (clock_() - start < request_.max_time_s);
    busy.seconds = clock_() - start;
    const auto right = check();
    if (!right) return tl::unexpected<Error>(right.error());
    busy.right = *right;
    return busy;
  }

 private:
  [[nodiscard]] const DtypeRow& row() const { return *find_dtype("fp32"); }
  [[nodiscard]] Storage storage() const { return {row().input, row().output}; }

  /// Doubles the sides until one product is long enough, or the next would not fit.
  Result<bool> choose_size() {
    const auto budget = backend_.budget_bytes();
    if (!budget) return tl::unexpected<Error>(budget.error());
    const std::int64_t longest = request_.shape.m;
    std::int64_t side = std::min(first_side, longest);
    for (;; side *= 2) {
      if (const auto r = prepare(side); !r) return r;
      for (int i = 0; i < 2; ++i) {  // the first product loads the library's code
        const auto once = backend_.run(1);
        if (!once) return tl::unexpected<Error>(once.error());
        product_s_ = once->wall_s;
      }
      const Shape next{2 * side, 2 * side, 2 * side};
      if (product_s_ >= shortest_product_s || 2 * side > longest ||
          bytes_of_all(next, storage()) > *budget)
        return true;
    }
  }

  Result<bool> prepare(std::int64_t side) {
    try {
      operands_ = {};
      operands_ = make_operands({side, side, side}, row().input, Fill::uniform, request_.seed);
      return backend_.prepare(operands_, 1);
    } catch (const std::bad_alloc&) {
      return failure("main memory ran out", out_of_memory_code);
    }
  }

  Result<bool> check() {
    if (const auto r = backend_.poison(); !r) return r;
    if (const auto r = backend_.run(1); !r) return tl::unexpected<Error>(r.error());
    const auto product = backend_.read_back();
    if (!product) return tl::unexpected<Error>(product.error());
    return verify(operands_, *product, row().tolerance, request_.seed).verification.passed;
  }

  Backend& backend_;
  const MeasureRequest& request_;
  const Clock& clock_;
  Operands operands_;
  double product_s_ = 0;
};

}  // namespace

Result<Busy> keep_busy(Backend& backend, const MeasureRequest& request, const Clock& clock,
                       const std::function<void()>& sample) {
  try {
    return Load(backend, request, clock).run(sample);
  } catch (const std::bad_alloc&) {
    return failure("main memory ran out", out_of_memory_code);
  }
}

}  // namespace gpuready::bench

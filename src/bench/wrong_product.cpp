#include "bench/wrong_product.hpp"

#include <algorithm>
#include <optional>

#include "base/format.hpp"

namespace gpuready::bench {

namespace {

std::string scientific(double value) { return base::format("{:.1e}", value); }

/// Counted from 1, as people do.
std::string place(const std::optional<std::int64_t>& index) {
  return index ? std::to_string(*index + 1) : "?";
}

}  // namespace

Message wrong_product_message(const Case& known, std::string_view dtype, const Shape& shape,
                              const Check& check) {
  const Verification& found = check.verification;
  if (found.non_finite > 0)
    return {"bench.error.non-finite",
            {known.device, std::to_string(found.non_finite), std::to_string(shape.m * shape.n)}};
  const std::vector<std::string> args{known.device, scientific(found.error),
                                      scientific(found.tolerance), known.dtype.input};
  if (dtype != "fp32" || !looks_like_reduced_precision(check)) {
    if (found.error > found.tolerance) return {"bench.error.wrong-product", args};
    return {"bench.error.wrong-element",
            {known.device, place(check.bad_row), place(check.bad_column)}};
  }
  const bool asked_for = std::ranges::find(known.flags, "tf32-override") != known.flags.end();
  return {asked_for ? "bench.error.tf32-override" : "bench.error.reduced-precision", args};
}

}  // namespace gpuready::bench

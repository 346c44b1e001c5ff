#include "plan/range.hpp"

#include <cmath>

namespace gpuready::plan {

namespace {

/// The factor of two independent factors, each at least 1.
double joined(double a, double b) { return std::exp(std::hypot(std::log(a), std::log(b))); }

}  // namespace

PlanRange product(const PlanRange& a, const PlanRange& b) {
  const double middle = a.expected * b.expected;
  return {middle / joined(a.expected / a.low, b.expected / b.low), middle,
          middle * joined(a.high / a.expected, b.high / b.expected)};
}

PlanRange quotient(const PlanRange& a, const PlanRange& b) {
  return product(a, {1 / b.high, 1 / b.expected, 1 / b.low});
}

}  // namespace gpuready::plan

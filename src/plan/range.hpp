#pragma once
/// Arithmetic on numbers with bounds.

#include "gpuready/plan.hpp"

namespace gpuready::plan {

inline PlanRange exactly(double value) { return {value, value, value}; }
inline PlanRange scaled(const PlanRange& a, double by) {
  return {a.low * by, a.expected * by, a.high * by};
}
inline PlanRange sum(const PlanRange& a, const PlanRange& b) {
  return {a.low + b.low, a.expected + b.expected, a.high + b.high};
}
/// Products and quotients of positive numbers that vary independently: their relative errors add as
/// squares, as it is unlikely that all are at their worst together.
PlanRange product(const PlanRange& a, const PlanRange& b);
PlanRange quotient(const PlanRange& a, const PlanRange& b);

}  // namespace gpuready::plan

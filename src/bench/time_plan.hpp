#pragma once
/// How long a case will take, and which cases a limit leaves room for. Pure.

#include <cstddef>
#include <string>
#include <vector>

#include "gpuready/measurements.hpp"

namespace gpuready::bench {

/// What is known of a device beforehand, and better after each case on it.
struct Pace {
  double start_s = 0.5;     ///< a fresh process with its library and context
  double flops = 1e10;      ///< rate of products
  double element_s = 8e-9;  ///< making, moving and checking one element
};

struct CaseTime {
  Shape shape;
  Pace pace;
  double timed_s = 1;  ///< most that warm-up and timed section take together
};

/// Start, matrices, the first products, warm-up and timed section, and the check.
double predicted_s(const CaseTime& time);

/// Whether each case is measured: those that take longest are left out until the rest fits into
/// `limit_s`. In the order of the list.
std::vector<bool> choose_within(const std::vector<double>& seconds, double limit_s);

/// The part of a limit that each case may spend on its timed section: at most `wanted_s`.
double timed_share_s(double limit_s, double fixed_s, std::size_t cases, double wanted_s);

/// The pace after a case on the device that took `wall_s` in all: its rate, and a start that takes
/// what nothing else explains.
Pace learn(const Pace& before, const Case& measured, const CaseTime& foreseen, double wall_s);

}  // namespace gpuready::bench

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
  bool guessed = true;      ///< nothing was measured on the device yet
};

struct CaseTime {
  Shape shape;
  Pace pace;
  double timed_s = 1;   ///< most that warm-up and timed section take together
  double trials_s = 0;  ///< of other libraries, before
};

/// Start, matrices, the first products, warm-up and timed section, and the check.
double predicted_s(const CaseTime& time);

/// Whether each case is measured: those that take longest are left out until the rest fits into
/// `limit_s`. In the order of the list.
std::vector<bool> choose_within(const std::vector<double>& seconds, double limit_s);

/// What to do with the first of the cases that wait.
struct NextCase {
  bool leave_out = false;
  double timed_s = 0;  ///< its share of the time for warm-up and timed section
};

/// Decides on `waiting[0]` (each with the time it would like). What takes longest is left out until
/// the rest fits into `limit_s`, and the cases share what their products leave of `part` of it. A
/// device of which nothing was measured yet is believed to be up to four times as fast as guessed.
NextCase decide_next(const std::vector<CaseTime>& waiting, double limit_s, double part);

/// The pace after a case on the device that took `wall_s` in all (0: not known): its rate, and a
/// start that takes what nothing else explains, or what loading the library took.
Pace learn(const Pace& before, const Case& measured, const CaseTime& foreseen, double wall_s);

}  // namespace gpuready::bench

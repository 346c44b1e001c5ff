#pragma once
/// Statistics of a list of samples. Pure; no assumption about their distribution, because run
/// times have none that is known.

#include <cstddef>
#include <vector>

#include "gpuready/measurements.hpp"

namespace gpuready::bench {

/// The value below which the part `p` (0 to 1) of the samples lies, interpolated linearly between
/// order statistics. NaN of an empty list.
double quantile(std::vector<double> samples, double p);
double median(const std::vector<double>& samples);

/// An interval and the probability with which such an interval holds the true median.
struct MedianInterval {
  Interval interval;
  double coverage = 0;
};

/// The narrowest interval between two order statistics, equally far from both ends, that holds the
/// median with at least 95 %. Fewer than six samples can't give that: then it is the smallest and
/// the largest, and `coverage` says how little that promises.
MedianInterval median_interval(std::vector<double> samples);

/// Half the interval's width over the median.
double relative_half_width(const std::vector<double>& samples);

/// Whether the medians of the first and the second half differ by more than 2 % (heat, or somebody
/// else at work). Fewer than six samples can't tell.
bool drifts(const std::vector<double>& samples);

/// Whether the samples fall into two groups: a gap of more than 5 % between neighbours in order,
/// with at least a fifth of them on each side. Fewer than ten can't tell.
bool has_two_modes(std::vector<double> samples);

/// Where numerator / denominator lies when each lies in its interval; both are positive.
Interval ratio_interval(const Interval& numerator, const Interval& denominator);

}  // namespace gpuready::bench

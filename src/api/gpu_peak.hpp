#pragma once
/// How near a GPU's rate comes to what its multiprocessors can do.

#include <vector>

#include "catalog/peak.hpp"
#include "gpuready/machine.hpp"
#include "gpuready/measurements.hpp"

namespace gpuready::api {

/// Fills percent_of_peak of a case on CUDA: multiprocessors times clock times operations per clock
/// (data/peak_ops.csv), at the clock that NVML saw, and at the highest clock that the GPU has. Adds
/// the flags above-peak (then our table or our clock is wrong) and not-fed. Pure.
void add_gpu_peak(const Machine& machine, const std::vector<catalog::PeakOps>& table, Case& c);

}  // namespace gpuready::api

#pragma once
/// From a model, options and devices to an estimate. Pure.

#include <cstdint>
#include <string>
#include <vector>

#include "fit/model.hpp"
#include "gpuready/fit.hpp"
#include "gpuready/result.hpp"

namespace gpuready::fit {

/// A GPU (or the CPU) that a model may stand on.
struct Device {
  std::string name;               ///< cuda:0, cpu
  std::string gpu;                ///< NVIDIA GeForce RTX 4090
  std::int64_t usable_bytes = 0;  ///< measured free memory, or what the table says a program gets
  std::int64_t total_bytes = 0;
  double compute_capability = 0;     ///< 8.9; 0: not NVIDIA or not known
  double bandwidth_bytes_per_s = 0;  ///< 0: not known
  bool display_attached = false;
  /// Memory of a context, measured on this GPU; 0: take the table's.
  std::int64_t measured_context_bytes = 0;
};

struct Devices {
  std::vector<Device> gpus;  ///< those that the model may use; empty: the CPU alone
  Device cpu;                ///< main memory
  bool given = false;        ///< named by the user, not found on this machine
};

/// Memory of every device with these options, without limits and suggestions: the forward function
/// that the solver inverts. The error says which option can't be had with this model or runtime.
Result<Estimate> estimate(const Model& model, const FitRequest& request, const Devices& devices);

}  // namespace gpuready::fit

#pragma once
/// Samples a GPU through NVML while somebody else keeps it busy. Runs in the child that does so.

#include <memory>

#include "gpuready/load_test.hpp"
#include "host/host.hpp"

namespace gpuready::probe {

class LoadSampler {
 public:
  LoadSampler() = default;
  LoadSampler(const LoadSampler&) = delete;
  LoadSampler& operator=(const LoadSampler&) = delete;
  virtual ~LoadSampler() = default;

  /// What is asked before the load; then, under load, as often as wanted, a sample; and what is
  /// asked after it. Each fills its facts.
  virtual void before(GpuLoad& load) = 0;
  virtual void sample(GpuLoad& load) = 0;
  virtual void after(GpuLoad& load) = 0;
};

/// A sampler of NVML's GPU of that index; where NVML can't be had, one that fills in the reason.
std::unique_ptr<LoadSampler> open_load_sampler(host::Host& host, const Fact<std::int64_t>& index);

/// One JSON line in the form that read_answer() reads.
std::string load_as_json(const GpuLoad& load);

}  // namespace gpuready::probe

#pragma once
/// Which device holds which layer.

#include <vector>

#include "fit/estimate.hpp"
#include "fit/plan.hpp"
#include "fit/weights.hpp"

namespace gpuready::fit {

/// Layers in order over the devices, each with a part as large as its part of the memory (llama.cpp
/// --split-mode layer, transformers device_map); or over vLLM's ranks. The CPU alone holds all.
class Placement {
 public:
  Placement(const Architecture& shape, const Weights& weights, const InferencePlan& plan,
            const std::vector<Device>& devices);

  /// Devices that take part; the first of the list.
  [[nodiscard]] std::size_t devices() const { return devices_; }
  [[nodiscard]] bool holds(std::size_t layer, std::size_t device) const;
  [[nodiscard]] bool on_host(std::size_t layer) const { return owner_[layer] < 0; }
  [[nodiscard]] bool experts_on_host(std::size_t layer) const;
  [[nodiscard]] bool has_head(std::size_t device) const;
  /// Embeddings, head, towers and what is in no layer, as far as they stand on this device.
  [[nodiscard]] double ends_bytes(std::size_t device) const;
  /// Weights in main memory.
  [[nodiscard]] double host_weights() const;

 private:
  void spread_layers(const std::vector<Device>& devices);

  const Weights& weights_;
  const InferencePlan& plan_;
  bool llama_ = false, tied_ = false, head_on_gpu_ = true, cpu_alone_ = false;
  std::size_t devices_ = 1;
  std::vector<std::int64_t> owner_;  ///< stage of each layer; -1: main memory
};

}  // namespace gpuready::fit

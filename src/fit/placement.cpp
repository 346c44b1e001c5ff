#include "fit/placement.hpp"

#include <algorithm>

namespace gpuready::fit {

Placement::Placement(const Architecture& shape, const Weights& weights, const InferencePlan& plan,
                     const std::vector<Device>& devices)
    : weights_(weights),
      plan_(plan),
      llama_(plan.runtime == Runtime::llama_cpp || plan.runtime == Runtime::ollama),
      tied_(shape.tied_embeddings),
      cpu_alone_(devices.size() == 1 && devices[0].name == "cpu"),
      devices_(devices.size()),
      owner_(shape.layers.size(), 0) {
  if (plan.runtime == Runtime::vllm)
    devices_ = std::min(devices_, static_cast<std::size_t>(plan.tp * plan.pp));
  devices_ = std::max<std::size_t>(devices_, 1);
  spread_layers(devices);
}

void Placement::spread_layers(const std::vector<Device>& devices) {
  const auto layers = static_cast<double>(owner_.size());
  if (plan_.runtime == Runtime::vllm) {
    for (std::size_t i = 0; i < owner_.size(); ++i)
      owner_[i] = static_cast<std::int64_t>(static_cast<double>(i) * plan_.pp / layers);
    return;
  }
  // llama.cpp counts the head as a layer after the last.
  const double all = layers + 1;
  const double on_gpu = plan_.n_gpu_layers < 0 ? all : std::min(plan_.n_gpu_layers, all);
  head_on_gpu_ = on_gpu >= all || !llama_;
  const double first = llama_ && on_gpu < all ? layers - on_gpu : 0;
  double memory = 0;
  for (const Device& device : devices) memory += static_cast<double>(device.usable_bytes);
  const double span = llama_ ? std::max(std::min(on_gpu, all), 1.0) : std::max(layers, 1.0);
  for (std::size_t i = 0; i < owner_.size(); ++i) {
    const double place = (static_cast<double>(i) - first) / span;
    if (place < 0) {
      owner_[i] = -1;
      continue;
    }
    double end = 0;
    for (std::size_t d = 0; d < devices_; ++d) {
      end += memory > 0 ? static_cast<double>(devices[d].usable_bytes) / memory
                        : 1.0 / static_cast<double>(devices_);
      owner_[i] = static_cast<std::int64_t>(d);
      if (place < end) break;
    }
  }
}

bool Placement::holds(std::size_t layer, std::size_t device) const {
  if (plan_.runtime != Runtime::vllm) return owner_[layer] == static_cast<std::int64_t>(device);
  const auto stage = static_cast<std::int64_t>(static_cast<double>(device) / plan_.tp);
  return owner_[layer] == stage;
}

bool Placement::experts_on_host(std::size_t layer) const {
  return on_host(layer) || static_cast<double>(layer) < plan_.n_cpu_moe;
}

bool Placement::has_head(std::size_t device) const {
  if (!head_on_gpu_) return false;
  if (plan_.runtime == Runtime::vllm)
    return static_cast<double>(device) >= plan_.tp * (plan_.pp - 1);
  return device + 1 == devices_;
}

double Placement::ends_bytes(std::size_t device) const {
  const bool first =
      plan_.runtime == Runtime::vllm ? static_cast<double>(device) < plan_.tp : device == 0;
  const bool head = has_head(device);
  double bytes = 0;
  if (llama_) {
    // Token embeddings are looked up in main memory; a tied head is a second copy on the GPU.
    if (head) bytes += (tied_ ? weights_.embedding : weights_.output) + weights_.other;
    if (first) bytes += weights_.tower;
    return bytes;
  }
  if (first)
    bytes += weights_.embedding + weights_.host_embedding + weights_.tower + weights_.other;
  if (head) bytes += weights_.output;
  if (head && !first && tied_) bytes += weights_.embedding;
  return bytes;
}

double Placement::host_weights() const {
  double bytes = 0;
  for (std::size_t i = 0; i < owner_.size(); ++i) {
    if (on_host(i)) bytes += weights_.layers[i].dense;
    if (experts_on_host(i)) bytes += weights_.layers[i].experts;
  }
  if (!llama_) return bytes;
  // The CPU alone keeps a tied matrix once.
  if (!(cpu_alone_ && tied_)) bytes += weights_.embedding;
  bytes += weights_.host_embedding;
  if (!head_on_gpu_) bytes += (tied_ ? 0 : weights_.output) + weights_.other;
  return bytes;
}

}  // namespace gpuready::fit

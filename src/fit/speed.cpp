#include "fit/speed.hpp"

#include <algorithm>

#include "fit/placement.hpp"

namespace gpuready::fit {

namespace {

/// Part of the data sheet's bandwidth that decoding reaches, and time that each layer costs
/// besides. llama.cpp: Llama-3.1-8B Q4_K_M on an RTX 3080 111.95/s is 72 %
/// (dmatora/LLM-inference-speed- benchmarks #12), on an RTX 4060 Laptop 47.2/s 91 % (llmfit PR
/// 958), 7B Q4_0 on a P40 56.8/s 62 % (llama.cpp PR 4766), a 1.1B on an RTX 4090 762/s 50 %
/// (geerlingguy/ai-benchmarks #43). transformers: Qwen-7B 40.93/s, 14B 32.22/s, 72B on two
/// GPUs 8.48/s on A100-80, 0.5B 49.94/s (QwenLM's tables): half a millisecond a layer.
///
/// What a layer costs besides, however fast the memory: about ten kernels of some microseconds;
/// two sums over the ranks of tensor parallelism, each some 10 to 25 us over NVLink and more over
/// PCIe; choosing and gathering experts; the projections to and from a latent. DeepSeek-R1 in
/// vLLM's like on 16 H100 takes 31 ms a token (tenstorrent/tt-inference-server #356), of which the
/// weights are 1: some 0.2 to 0.5 ms for each of its 61 layers.
struct Pace {
  double part = 1, layer_s = 0, sum_s = 0, experts_s = 0, latent_s = 0;
};
struct Paces {
  Pace low, expected, high;
};
constexpr Paces compiled{
    {0.5, 50e-6, 0, 150e-6, 100e-6}, {0.75, 15e-6, 0, 40e-6, 40e-6}, {0.92, 3e-6, 0, 10e-6, 10e-6}};
constexpr Paces served{{0.5, 100e-6, 40e-6, 200e-6, 250e-6},
                       {0.75, 30e-6, 15e-6, 60e-6, 100e-6},
                       {0.92, 10e-6, 10e-6, 20e-6, 40e-6}};
constexpr Paces python{
    {0.5, 1e-3, 0, 5e-3, 1e-3}, {0.75, 5e-4, 0, 1e-3, 3e-4}, {0.92, 1e-4, 0, 2e-4, 1e-4}};

const Paces& paces_of(Runtime runtime) {
  if (runtime == Runtime::transformers) return python;
  return runtime == Runtime::vllm ? served : compiled;
}

/// What all layers cost besides what they read.
double layers_seconds(const Architecture& shape, double tp, const Pace& pace) {
  double seconds = 0;
  for (const Layer& layer : shape.layers) {
    seconds += pace.layer_s;
    if (tp > 1) seconds += 2 * pace.sum_s;
    if (layer.experts > 0) seconds += pace.experts_s;
    if (shape.latent.kv_lora_rank > 0) seconds += pace.latent_s;
  }
  return seconds;
}

/// Two channels of DDR4-2666 in practice, of DDR4-3200, of DDR5-5600.
struct HostBandwidth {
  double low = 25e9, expected = 45e9, high = 90e9;
};

double active_bytes(const Architecture& shape, const Weights& weights, std::size_t layer,
                    bool experts) {
  const Layer& l = shape.layers[layer];
  if (!experts) return weights.layers[layer].dense;
  const auto all = static_cast<double>(std::max<std::int64_t>(l.experts, 1));
  const auto chosen = static_cast<double>(shape.experts_per_token);
  return weights.layers[layer].experts * std::min(chosen / all, 1.0);
}

double head_bytes(const Architecture& shape, const Weights& weights) {
  return shape.tied_embeddings ? weights.embedding : weights.output;
}

/// Seconds of one token; `context`: part of the cache that is full.
double token_seconds(const TokenBytes& bytes, const std::vector<Device>& devices,
                     const Outcome& outcome, const Pace& pace, double context, double host) {
  double seconds = 0, slowest = 0;
  for (std::size_t d = 0; d < bytes.weights.size(); ++d) {
    const double read = bytes.weights[d] + context * bytes.cache[d];
    const double bandwidth = devices[d].name == "cpu" && devices[d].bandwidth_bytes_per_s <= 0
                                 ? host
                                 : devices[d].bandwidth_bytes_per_s;
    const double one = read / (pace.part * bandwidth);
    seconds += one, slowest = std::max(slowest, one);
  }
  // Ranks of tensor parallelism work side by side, stages and split layers one after the other.
  if (outcome.runtime == Runtime::vllm)
    seconds = std::max(slowest, seconds / std::max(outcome.inference.tp, 1.0));
  return seconds + bytes.host / (pace.part * host);
}

}  // namespace

TokenBytes token_bytes(const Model& model, const Outcome& outcome, const Devices& devices) {
  const Architecture& shape = model.shape;
  const InferencePlan& plan = outcome.inference;
  const std::vector<Device> all = targets(devices);
  const Weights& weights = *outcome.weights;
  const Placement placement(shape, weights, plan, all);
  TokenBytes out;
  for (std::size_t d = 0; d < placement.devices(); ++d) {
    double read = 0, cache = 0;
    for (std::size_t i = 0; i < shape.layers.size(); ++i) {
      if (!placement.holds(i, d)) continue;
      read += active_bytes(shape, weights, i, false) / plan.tp;
      if (!placement.experts_on_host(i)) read += active_bytes(shape, weights, i, true) / plan.tp;
      cache += cache_bytes(shape.layers[i], shape, plan).expected / plan.sequences;
      cache += 2 * state_bytes(shape.layers[i], plan).expected / plan.sequences;
    }
    if (placement.has_head(d)) read += head_bytes(shape, weights) / plan.tp;
    out.weights.push_back(read), out.cache.push_back(cache);
  }
  for (std::size_t i = 0; i < shape.layers.size(); ++i) {
    if (placement.on_host(i)) {
      out.host += active_bytes(shape, weights, i, false);
      out.host += cache_bytes(shape.layers[i], shape, plan).expected / plan.sequences / 2;
    }
    if (placement.experts_on_host(i)) out.host += active_bytes(shape, weights, i, true);
  }
  return out;
}

FitSpeed speed_of(const Model& model, const Outcome& outcome, const Devices& devices) {
  FitSpeed out;
  const bool inference = outcome.runtime != Runtime::train && outcome.runtime != Runtime::diffusers;
  if (!inference || !keeps_cache(model.shape) || model.shape.layers.empty()) {
    out.tokens_per_s =
        Fact<TokenRate>::absent(Absence::not_applicable, "it makes no tokens one after the other");
    return out;
  }
  if (outcome.verdict == FitVerdict::does_not_fit) {
    out.tokens_per_s = Fact<TokenRate>::absent(Absence::not_applicable, "it does not fit");
    return out;
  }
  const std::vector<Device> all = targets(devices);
  for (const DeviceTerms& share : outcome.shares) {
    const Device& device = all[static_cast<std::size_t>(share.device)];
    if (device.name == "cpu" || device.bandwidth_bytes_per_s > 0) continue;
    out.tokens_per_s = Fact<TokenRate>::absent(
        Absence::not_found, device.gpu.empty()
                                ? "the bandwidth of a GPU known by its memory alone"
                                : "data/gpus.csv has no bandwidth for " + device.gpu);
    return out;
  }
  const TokenBytes bytes = token_bytes(model, outcome, devices);
  const Paces& paces = paces_of(outcome.runtime);
  HostBandwidth host;
  if (devices.cpu.bandwidth_bytes_per_s > 0)
    host.low = host.expected = host.high = devices.cpu.bandwidth_bytes_per_s;
  const auto rate = [&](const Pace& pace, double context, double host_bytes_per_s) {
    const double seconds = token_seconds(bytes, all, outcome, pace, context, host_bytes_per_s) +
                           layers_seconds(model.shape, outcome.inference.tp, pace);
    return seconds > 0 ? 1 / seconds : 0;
  };
  const TokenRate rates{rate(paces.low, 1, host.low), rate(paces.expected, 0.5, host.expected),
                        rate(paces.high, 0, host.high)};
  out.tokens_per_s = Fact<TokenRate>(rates, "bytes read for a token / bandwidth");
  const double on_host = bytes.host / (paces.expected.part * host.expected);
  const bool cpu = all[0].name == "cpu";
  out.bound_by =
      cpu || on_host * rates.expected > 0.5 ? "host-memory-bandwidth" : "memory-bandwidth";
  return out;
}

}  // namespace gpuready::fit

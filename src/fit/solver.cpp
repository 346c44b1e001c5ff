#include "fit/solver.hpp"

#include <algorithm>
#include <cmath>

#include "fit/range.hpp"
#include "fit/usable.hpp"

namespace gpuready::fit {

namespace {

const char* const by_bisection = "bisection on the estimate";

template <class T>
Fact<T> no_sense(const std::string& why) {
  return Fact<T>::absent(Absence::not_applicable, why);
}

Fact<std::int64_t> found(std::int64_t value, const std::string& what) {
  if (value < 0)
    return Fact<std::int64_t>::absent(Absence::not_found,
                                      "it does not surely fit with any " + what);
  return {value, by_bisection};
}

bool is_llama(Runtime runtime) {
  return runtime == Runtime::llama_cpp || runtime == Runtime::ollama;
}

Fact<std::int64_t> max_batch(Forward& forward, FitRequest request, Runtime runtime) {
  constexpr std::int64_t most = 4096;
  const auto fits = [&](std::int64_t n) {
    if (runtime == Runtime::train) {
      request.training.micro_batch = n;
    } else if (runtime == Runtime::diffusers) {
      request.inference.images = n, request.inference.batch = 0;
    } else {
      request.inference.batch = n, request.inference.parallel = 0;
    }
    return does_fit(forward, request);
  };
  return found(largest_that_fits(1, most, 1, fits), "batch");
}

Fact<std::int64_t> max_rank(Forward& forward, FitRequest request, Runtime runtime) {
  if (runtime != Runtime::train || request.training.task == "full")
    return no_sense<std::int64_t>("no adapters are trained");
  const std::int64_t most = std::max<std::int64_t>(forward.model().shape.hidden, 1);
  const auto fits = [&](std::int64_t rank) {
    request.training.lora_rank = rank;
    return does_fit(forward, request);
  };
  return found(largest_that_fits(1, most, 1, fits), "rank");
}

Fact<std::int64_t> gpu_layers(Forward& forward, FitRequest request, Runtime runtime) {
  if (!is_llama(runtime) || forward.devices().gpus.empty())
    return no_sense<std::int64_t>("llama.cpp's, with a GPU");
  const auto layers = static_cast<std::int64_t>(forward.model().shape.layers.size());
  const auto fits = [&](std::int64_t n) {
    request.inference.n_gpu_layers = n;
    return does_fit(forward, request);
  };
  return found(largest_that_fits(0, layers + 1, 1, fits), "number of layers");
}

bool has_experts(const Architecture& shape) {
  return std::any_of(shape.layers.begin(), shape.layers.end(),
                     [](const Layer& layer) { return layer.experts > 0; });
}

Fact<std::int64_t> cpu_experts(Forward& forward, FitRequest request, Runtime runtime) {
  if (!is_llama(runtime) || forward.devices().gpus.empty() || !has_experts(forward.model().shape))
    return no_sense<std::int64_t>("llama.cpp's, for models with experts");
  const auto layers = static_cast<std::int64_t>(forward.model().shape.layers.size());
  // Counted from the other end, so that it is the largest that fits: layers with experts on the
  // GPU.
  const auto fits = [&](std::int64_t on_gpu) {
    request.inference.n_cpu_moe = layers - on_gpu;
    return does_fit(forward, request);
  };
  const std::int64_t on_gpu = largest_that_fits(0, layers, 1, fits);
  return found(on_gpu < 0 ? -1 : layers - on_gpu, "number of layers' experts in main memory");
}

Devices repeated(const Devices& devices, std::int64_t count) {
  Devices out = devices;
  out.gpus.assign(static_cast<std::size_t>(count), devices.gpus.front());
  for (std::size_t i = 0; i < out.gpus.size(); ++i) out.gpus[i].name = "cuda:" + std::to_string(i);
  return out;
}

Fact<std::int64_t> fewest_gpus(Forward& forward, FitRequest request, Runtime runtime) {
  if (forward.devices().gpus.empty() || runtime == Runtime::diffusers)
    return no_sense<std::int64_t>("no GPU to have more of");
  request.inference.tp = request.inference.pp = 0;
  const std::int64_t count = fewest_of_kind(forward, request);
  if (count > 0) return {count, "each number tried on the estimate"};
  const TrainingOptions& training = request.training;
  const bool shared = training.fsdp || training.zero > 0 || training.tp > 1 || training.pp > 1;
  return Fact<std::int64_t>::absent(Absence::not_found,
                                    runtime == Runtime::train && !shared
                                        ? "without --fsdp or --zero each GPU holds all of it"
                                        : "more than 64 GPUs of this kind");
}

Fact<std::string> smallest_gpu(Forward& forward, FitRequest request,
                               const std::vector<catalog::Gpu>& table) {
  request.inference.tp = request.inference.pp = request.inference.ep = 0;
  struct Candidate {
    Device device;
    std::int64_t tdp_w = 0;
  };
  std::vector<Candidate> sorted;
  for (const catalog::Gpu& gpu : table)
    // Older ones, and those that share the system's memory, are no advice.
    if (gpu.vendor == "NVIDIA" && gpu.compute_capability >= 7.5 && !gpu.unified_memory &&
        !gpu.vram_gb.empty())
      sorted.push_back({device_of(gpu, 0), gpu.tdp_w});
  // Of equal memory the slower and cooler one is the cheaper; what is not known goes last. Cards
  // of one nominal size are equal, whatever a driver reported of one of them.
  constexpr double gib_step = 1.02;
  const auto or_most = [](double value) { return value > 0 ? value : 1e30; };
  const auto size_class = [](const Device& device) {
    return std::lround(static_cast<double>(device.usable_bytes) / gibibyte * gib_step);
  };
  std::stable_sort(sorted.begin(), sorted.end(), [&](const Candidate& a, const Candidate& b) {
    if (size_class(a.device) != size_class(b.device))
      return size_class(a.device) < size_class(b.device);
    const double x = or_most(a.device.bandwidth_bytes_per_s);
    const double y = or_most(b.device.bandwidth_bytes_per_s);
    if (x != y) return x < y;
    return or_most(static_cast<double>(a.tdp_w)) < or_most(static_cast<double>(b.tdp_w));
  });
  for (const auto& [device, tdp_w] : sorted) {
    Devices one;
    one.gpus = {device}, one.cpu = forward.devices().cpu, one.given = true;
    Forward other(forward.model(), one);
    if (does_fit(other, request)) return {device.gpu, "data/gpus.csv, a single GPU"};
  }
  return Fact<std::string>::absent(Absence::not_found, "no single GPU of the table holds it");
}

Fact<std::string> best_type(Forward& forward, FitRequest request, Runtime runtime) {
  if (runtime == Runtime::train) return no_sense<std::string>("training chooses by --task");
  for (const catalog::Quant* quant : types_for(forward.model(), runtime, forward.devices())) {
    request.inference.dtype = quant->name;
    if (does_fit(forward, request)) return {quant->name, by_bisection};
  }
  return Fact<std::string>::absent(Absence::not_found, "it does not surely fit in any usual type");
}

}  // namespace

std::int64_t largest_that_fits(std::int64_t least, std::int64_t most, std::int64_t step,
                               const std::function<bool(std::int64_t)>& fits) {
  if (most < least || !fits(least)) return -1;
  if (fits(most)) return most;
  std::int64_t low = least / step, high = most / step + 1;  // low fits, high does not
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (middle * step < least || fits(middle * step) ? low : high) = middle;
  }
  return std::max(low * step, least);
}

bool does_fit(Forward& forward, const FitRequest& request) {
  const auto outcome = forward(request);
  return outcome && outcome->verdict == FitVerdict::fits;
}

std::int64_t fewest_of_kind(Forward& forward, const FitRequest& request) {
  constexpr std::int64_t most = 64;
  if (forward.devices().gpus.empty()) return 0;
  Devices more;
  Forward other(forward.model(), more);  // its weights are counted once for all numbers
  for (std::int64_t count = 1; count <= most; ++count) {
    more = repeated(forward.devices(), count);
    if (does_fit(other, request)) return count;
  }
  return 0;
}

std::vector<const catalog::Quant*> types_for(const Model& model, Runtime runtime,
                                             const Devices& devices) {
  std::vector<const catalog::Quant*> out;
  const bool gguf = is_llama(runtime);
  const std::string native = lower(model.native_dtype);
  // A model that is published in four bits gains nothing from sixteen.
  const bool four = native.starts_with("mxfp4");
  if (four) out.push_back(catalog::quant_named(gguf ? "mxfp4_moe" : "mxfp4", gguf));
  double arch = 0;
  for (const Device& device : devices.gpus) arch = std::max(arch, device.compute_capability);
  const bool old = arch > 0 && arch < 8.0, eight = native.find("8") != std::string::npos;
  for (const catalog::Quant& quant : catalog::quants()) {
    if (quant.gguf != gguf || !quant.offered) continue;
    const std::string& name = quant.name;
    const bool sixteen = name == "f16" || name == "fp16" || name == "bf16";
    if (sixteen && (eight || four)) continue;
    // Nor from another type of as many bits: it would be packed anew from the four.
    if (four && (!gguf || ggml_element_bytes(quant.base, 0) >= ggml_element_bytes("mxfp4", 0)))
      continue;
    // One of the two of 16 bits: the model's own, and what the GPU can compute with.
    if (sixteen && (name == "bf16") == (native == "fp16" || native == "f16" || old)) continue;
    if (name == "fp8" && ((arch > 0 && arch < 8.9) || runtime != Runtime::vllm)) continue;
    if (runtime == Runtime::vllm && (name == "int8" || name == "nf4")) continue;
    if (runtime == Runtime::diffusers && (name == "awq" || name == "gptq-int4")) continue;
    if (runtime == Runtime::transformers && name == "gptq-int4") continue;
    out.push_back(&quant);
  }
  std::erase(out, nullptr);
  return out;
}

Fact<std::int64_t> max_context(Forward& forward, const FitRequest& asked, Runtime runtime) {
  const Architecture& shape = forward.model().shape;
  FitRequest request = asked;
  const bool training = runtime == Runtime::train;
  if (runtime == Runtime::diffusers || (!training && !keeps_cache(shape)))
    return no_sense<std::int64_t>("it keeps no context");
  constexpr std::int64_t step = 256, far = std::int64_t{1} << 20U;
  const std::int64_t most = shape.max_context > 0 ? shape.max_context : far;
  const bool whole_prompt = asked.inference.prompt == 0;
  const auto fits = [&](std::int64_t tokens) {
    (training ? request.training.seq : request.inference.context) = tokens;
    if (!whole_prompt) request.inference.prompt = std::min(asked.inference.prompt, tokens);
    return does_fit(forward, request);
  };
  return found(largest_that_fits(std::min(step, most), most, step, fits), "context");
}

Limits limits_of(Forward& forward, const FitRequest& request, Runtime runtime,
                 const std::vector<catalog::Gpu>& table) {
  Limits out;
  out.max_context = max_context(forward, request, runtime);
  out.max_batch = max_batch(forward, request, runtime);
  out.max_lora_rank = max_rank(forward, request, runtime);
  out.n_gpu_layers = gpu_layers(forward, request, runtime);
  out.n_cpu_moe = cpu_experts(forward, request, runtime);
  out.gpus = fewest_gpus(forward, request, runtime);
  out.smallest_gpu = smallest_gpu(forward, request, table);
  out.best_dtype = best_type(forward, request, runtime);
  return out;
}

}  // namespace gpuready::fit

#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "fit/kv_cache.hpp"
#include "fit/range.hpp"
#include "fit/resolve_request.hpp"

namespace gpuready::fit {

namespace {

double count(std::int64_t n) { return static_cast<double>(n); }

bool is_llama(Runtime runtime) {
  return runtime == Runtime::llama_cpp || runtime == Runtime::ollama;
}

/// Longest context that is taken where the user says none: enough for a talk, cheap to state.
constexpr std::int64_t usual_context = 8192;

std::int64_t largest_usable(const Devices& devices) {
  std::int64_t most = 0;
  for (const Device& device : devices.gpus) most = std::max(most, device.usable_bytes);
  return most;
}

/// ollama's own tiers by GPU memory (LukeShortCloud/rootpages #1209): below 24 GiB 4,096 tokens,
/// below 48 GiB 32,768, above that 262,144.
std::int64_t ollama_context(const Devices& devices) {
  double bytes = 0;
  for (const Device& device : devices.gpus) bytes += count(device.usable_bytes);
  // A card of nominal 24 GiB gives a program 23.5.
  if (bytes < 23 * gibibyte) return 4096;
  return bytes < 46 * gibibyte ? 32768 : 262144;
}

std::int64_t default_context(const Model& model, Runtime runtime, const Devices& devices) {
  const std::int64_t most = model.shape.max_context;
  // Patches of an image of 224 x 224 pixels.
  if (model.shape.kind == ModelKind::vision) return most > 0 ? most : 256;
  const std::int64_t wanted = runtime == Runtime::ollama ? ollama_context(devices) : usual_context;
  return most > 0 ? std::min(wanted, most) : wanted;
}

/// vllm-project/vllm vllm/engine/arg_utils.py: defaults of the server by the GPU's memory.
struct VllmDefaults {
  double batched_tokens = 2048, sequences = 256;
};
VllmDefaults vllm_defaults(const Devices& devices) {
  if (count(largest_usable(devices)) < 70 * gibibyte) return {};
  for (const Device& device : devices.gpus)
    if (device.gpu.find("A100") != std::string::npos) return {8192, 256};
  return {8192, 1024};
}

Result<void> check_sizes(const InferenceOptions& options) {
  constexpr std::int64_t most = std::int64_t{1} << 40U;
  for (const std::int64_t n : {options.context, options.prompt, options.batch, options.parallel,
                               options.ubatch, options.tp, options.pp, options.ep})
    if (n < 0 || n > most)
      return failure("an option of " + std::to_string(n) + ": expected a number from 1 to 2^40");
  if (options.util < 0 || options.util > 1)
    return failure("--util " + std::to_string(options.util) + ": expected a part from 0 to 1");
  return {};
}

Result<void> resolve_cache_type(const InferenceOptions& options, const Devices& devices,
                                InferencePlan& plan) {
  const Runtime runtime = plan.runtime;
  std::string type = lower(options.kv_dtype);
  const bool automatic = type.empty() || type == "auto";
  if (automatic) type = is_llama(runtime) ? "f16" : "bf16";
  if (automatic && runtime == Runtime::vllm && lacks_bf16(devices)) type = "fp16";
  plan.kv_dtype = type;
  plan.cache_element_bytes = cache_element_bytes(type);
  const bool fp8 = type.starts_with("fp8");
  const bool sixteen =
      type == "f16" || type == "fp16" || type == "bf16" || type == "f32" || type == "fp32";
  const bool llama_type = sixteen || type == "q8_0" || type == "q5_1" || type == "q5_0" ||
                          type == "q4_1" || type == "q4_0" || type == "iq4_nl";
  if (is_llama(runtime) && !llama_type)
    return failure("--kv-dtype " + type + ": llama.cpp keeps f32, f16, bf16, q8_0, q5_1, q5_0, " +
                   "q4_1, q4_0 or iq4_nl");
  if (!is_llama(runtime) && !sixteen && !(runtime == Runtime::vllm && fp8))
    return failure("--kv-dtype " + type + ": " +
                   (runtime == Runtime::vllm ? "vllm keeps bf16, fp16 or fp8"
                                             : "transformers keeps bf16, fp16 or fp32") +
                   "; --runtime llama.cpp takes types such as q8_0");
  if (is_llama(runtime) && !sixteen && !plan.flash)
    return failure("--kv-dtype " + type + " with --flash-attention off: llama.cpp can quantise " +
                   "values only with flash attention; leave the second out");
  return {};
}

Result<void> resolve_ranks(const Model& model, const InferenceOptions& options,
                           const Devices& devices, InferencePlan& plan) {
  const auto gpus = static_cast<std::int64_t>(devices.gpus.size());
  const bool vllm = plan.runtime == Runtime::vllm;
  if ((options.tp > 1 || options.pp > 1 || options.ep > 1) && !vllm)
    return failure("--tp, --pp and --ep are vllm's; take --runtime vllm");
  if (!vllm) return {};
  const std::int64_t pp = std::max<std::int64_t>(options.pp, 1);
  const std::int64_t tp = options.tp > 0 ? options.tp : std::max<std::int64_t>(gpus / pp, 1);
  if (tp * pp > std::max<std::int64_t>(gpus, 1))
    return failure("--tp " + std::to_string(tp) + " --pp " + std::to_string(pp) + " takes " +
                   std::to_string(tp * pp) + " GPUs, there are " + std::to_string(gpus) +
                   "; add --gpus " + std::to_string(tp * pp));
  for (const Layer& layer : model.shape.layers)
    if (layer.heads > 0 && layer.heads % tp != 0)
      return failure("--tp " + std::to_string(tp) + ": " + model.name + " has " +
                     std::to_string(layer.heads) + " heads, which don't divide by it");
  plan.tp = count(tp), plan.pp = count(pp);
  plan.ep = count(std::max<std::int64_t>(options.ep, 1));
  return {};
}

/// vLLM's installation page (GPU): compute capability 7.0 or higher; CUDA has bf16 from 8.0 on.
/// Apple's GPUs are not among its platforms.
Result<void> check_vllm(const InferenceOptions& options, const Devices& devices) {
  for (const Device& device : devices.gpus) {
    if (device.gpu.starts_with("Apple"))
      return failure("--runtime vllm: it does not run on the GPU of " + device.gpu +
                     "; take --runtime llama.cpp");
    if (device.compute_capability > 0 && device.compute_capability < 7.0)
      return failure("--runtime vllm: it needs compute capability 7.0, " + device.gpu + " has " +
                     base::format("{:.1f}", device.compute_capability) +
                     "; take --runtime llama.cpp");
  }
  if (!lacks_bf16(devices)) return {};
  for (const auto& [option, value] : {std::pair{"--dtype ", lower(options.dtype)},
                                      std::pair{"--kv-dtype ", lower(options.kv_dtype)}})
    if (value == "bf16")
      return failure(std::string(option) + "bf16: " + devices.gpus.front().gpu +
                     " does not compute in bf16 (compute capability below 8.0); take " + option +
                     "fp16");
  return {};
}

Result<void> resolve_offload(const InferenceOptions& options, InferencePlan& plan) {
  if (options.n_gpu_layers < 0 && options.n_cpu_moe < 0) return {};
  if (!is_llama(plan.runtime))
    return failure("--n-gpu-layers and --n-cpu-moe are llama.cpp's; take --runtime llama.cpp");
  if (options.n_gpu_layers >= 0) plan.n_gpu_layers = count(options.n_gpu_layers);
  if (options.n_cpu_moe >= 0) plan.n_cpu_moe = count(options.n_cpu_moe);
  return {};
}

/// Tokens: what the cache holds, and what goes through the layers at a time.
void resolve_tokens(const Model& model, const InferenceOptions& options, const Devices& devices,
                    ResolvedInference& out) {
  InferencePlan& plan = out.plan;
  const std::int64_t asked_context = std::max(options.context, options.prompt);
  std::int64_t context = asked_context;
  if (context == 0) {
    context = default_context(model, plan.runtime, devices);
    if (!model.shape.layers.empty())
      out.assumptions.push_back({"fit.assume.context", {std::to_string(context)}});
  }
  const std::int64_t most = model.shape.max_context;
  if (most > 0 && context > most)
    out.assumptions.push_back(
        {"fit.assume.beyond-context", {std::to_string(context), std::to_string(most)}});
  const std::int64_t slots = options.parallel > 0 ? options.parallel : options.batch;
  plan.sequences = count(std::max<std::int64_t>(slots, 1));
  plan.context = count(context);
  if (is_llama(plan.runtime)) {
    // llama.cpp's slots share the context; ollama gives each slot its own.
    if (plan.runtime == Runtime::llama_cpp && slots > 1 && options.parallel > 0)
      plan.context = std::ceil(plan.context / plan.sequences);
    plan.tokens = count(options.ubatch > 0 ? options.ubatch : 512);
    if (!keeps_cache(model.shape)) plan.tokens = plan.context;
    plan.tokens = std::min(plan.tokens, plan.context * plan.sequences);
    return;
  }
  if (plan.runtime == Runtime::vllm) {
    const VllmDefaults defaults = vllm_defaults(devices);
    plan.batched_tokens = options.prompt > 0 ? count(options.prompt) : defaults.batched_tokens;
    plan.running_sequences = slots > 0 ? plan.sequences : defaults.sequences;
    out.assumptions.push_back({"fit.assume.vllm-batch",
                               {std::to_string(whole_bytes(plan.batched_tokens)),
                                std::to_string(whole_bytes(plan.running_sequences))}});
    return;
  }
  plan.tokens = options.prompt > 0 ? count(options.prompt) : plan.context;
  if (options.prompt == 0 && keeps_cache(model.shape))
    out.assumptions.push_back({"fit.assume.prompt", {}});
}

}  // namespace

Result<ResolvedInference> resolve_inference(const Model& model, const FitRequest& request,
                                            Runtime runtime, const Devices& devices) {
  const InferenceOptions& options = request.inference;
  ResolvedInference out;
  out.plan.runtime = runtime;
  if (auto checked = check_sizes(options); !checked) return tl::unexpected(checked.error());
  if (runtime == Runtime::vllm)
    if (auto checked = check_vllm(options, devices); !checked)
      return tl::unexpected(checked.error());
  if (options.flash_attention == "off") out.plan.flash = false;
  if (const std::string dtype = lower(options.dtype); dtype == "fp32" || dtype == "f32")
    out.plan.activation_bytes = 4;
  if (auto done = resolve_cache_type(options, devices, out.plan); !done)
    return tl::unexpected(done.error());
  if (auto done = resolve_ranks(model, options, devices, out.plan); !done)
    return tl::unexpected(done.error());
  if (auto done = resolve_offload(options, out.plan); !done) return tl::unexpected(done.error());
  resolve_tokens(model, options, devices, out);
  if (runtime == Runtime::vllm) {
    out.plan.util = options.util > 0 ? options.util : 0.9;
    out.assumptions.push_back(
        {"fit.assume.vllm-util", {std::to_string(std::lround(100 * out.plan.util))}});
  }
  return out;
}

}  // namespace gpuready::fit

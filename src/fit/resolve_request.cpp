#include "fit/resolve_request.hpp"

#include <algorithm>
#include <array>

#include "fit/kv_cache.hpp"
#include "fit/range.hpp"

namespace gpuready::fit {

namespace {

bool is_llama(Runtime runtime) {
  return runtime == Runtime::llama_cpp || runtime == Runtime::ollama;
}

std::string runtime_name(Runtime runtime) {
  return std::string(EnumNames<Runtime>::list[static_cast<std::size_t>(runtime)]);
}

std::string names_of(bool gguf) {
  std::string out;
  for (const catalog::Quant& quant : catalog::quants())
    if (quant.gguf == gguf && quant.offered) out += (out.empty() ? "" : ", ") + quant.name;
  return out;
}

/// Why this type of weights can't be had with this runtime, and what can.
std::string wrong_dtype(const std::string& dtype, Runtime runtime) {
  const bool gguf = is_llama(runtime);
  const std::string head = "--dtype " + dtype + ": ";
  if (catalog::quant_named(dtype, !gguf) == nullptr)
    return head + "no such type of weights; known are " + names_of(false) + ", and of GGUF " +
           names_of(true);
  if (gguf)
    return head + runtime_name(runtime) + " reads GGUF types alone (" + names_of(true) +
           "); --runtime transformers or vllm takes " + dtype;
  return head + "a type of GGUF files, which " + runtime_name(runtime) +
         " does not read; take --runtime llama.cpp, or one of " + names_of(false);
}

Result<void> check_runtime(const Model& model, Runtime runtime) {
  const bool images = model.shape.kind == ModelKind::diffusion;
  if (images != (runtime == Runtime::diffusers) && runtime != Runtime::train)
    return failure("--runtime " + runtime_name(runtime) + ": " + model.name +
                   (images ? " makes images or video; take --runtime diffusers"
                           : " makes no images; take --runtime llama.cpp, transformers or vllm"));
  if (images && runtime == Runtime::train)
    return failure(
        "--task: training of image models is not estimated; inference is (leave --task "
        "out)");
  if (model.gguf && !is_llama(runtime))
    return failure(
        "--runtime " + runtime_name(runtime) + ": " + model.name +
        " is a GGUF file, which llama.cpp and ollama read; name the original model for " +
        "this runtime");
  return {};
}

}  // namespace

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

std::string published_dtype(const Model& model) {
  const std::string method = lower(model.quantisation.method);
  const std::int64_t bits = model.quantisation.bits;
  if (method == "gptq") return bits == 8 ? "gptq-int8" : "gptq-int4";
  if (method == "bitsandbytes") return bits == 8 ? "int8" : "nf4";
  if (!method.empty()) return method;
  return model.native_dtype.empty() ? "bf16" : lower(model.native_dtype);
}

bool keeps_cache(const Architecture& shape) {
  return shape.kind == ModelKind::llm || shape.kind == ModelKind::vlm ||
         shape.kind == ModelKind::speech || shape.encoder_layers > 0;
}

std::vector<Device> targets(const Devices& devices) {
  if (!devices.gpus.empty()) return devices.gpus;
  Device cpu = devices.cpu;
  cpu.name = "cpu";
  return {cpu};
}

Result<Runtime> runtime_for(const Model& model, const FitRequest& request) {
  Runtime runtime = Runtime::llama_cpp;
  const std::string dtype = lower(request.inference.dtype);
  const bool torch_alone = !dtype.empty() && catalog::quant_named(dtype, true) == nullptr &&
                           catalog::quant_named(dtype, false) != nullptr;
  if (!request.training.task.empty()) {
    runtime = Runtime::train;
    if (!request.runtime.empty() && request.runtime != "train")
      return failure("--runtime " + request.runtime + " with --task " + request.training.task +
                     ": training has its own; leave --runtime out");
  } else if (!request.runtime.empty()) {
    const auto& names = EnumNames<Runtime>::list;
    const auto found = std::find(names.begin(), names.end(), request.runtime);
    if (found == names.end() || *found == "train")
      return failure("--runtime " + request.runtime +
                     ": known are llama.cpp, transformers, vllm, ollama and diffusers");
    runtime = static_cast<Runtime>(found - names.begin());
  } else if (model.shape.kind == ModelKind::diffusion) {
    runtime = Runtime::diffusers;
  } else if (!model.gguf &&
             (torch_alone ||
              (!model.quantisation.method.empty() && model.source != Source::catalogue) ||
              (model.shape.kind != ModelKind::llm && model.shape.kind != ModelKind::vlm) ||
              (model.source == Source::file_header && dtype.empty()))) {
    runtime = Runtime::transformers;
  }
  if (auto checked = check_runtime(model, runtime); !checked)
    return tl::unexpected(checked.error());
  return runtime;
}

Result<void> check_options(const Model& model, const FitRequest& request, Runtime runtime) {
  const InferenceOptions& asked = request.inference;
  const bool images = runtime == Runtime::diffusers;
  if (asked.util > 0 && runtime != Runtime::vllm)
    return failure("--util: vllm alone takes a part of the memory; add --runtime vllm, or leave " +
                   std::string("--util out"));
  if ((asked.image_width > 0 || asked.images > 0 || asked.vae_slicing || asked.vae_tiling) &&
      !images)
    return failure("--image, --images, --vae-slicing and --vae-tiling: " + model.name +
                   " makes no images; leave them out");
  if (!images && runtime != Runtime::train && !asked.offload.empty() && asked.offload != "none")
    return failure("--offload " + asked.offload + ": diffusers moves parts so; " + model.name +
                   (is_llama(runtime) ? " takes --n-gpu-layers"
                                      : " takes --runtime llama.cpp "
                                        "with --n-gpu-layers"));
  if (images && request.gpus > 1)
    return failure("--gpus " + std::to_string(request.gpus) + ": diffusers keeps " + model.name +
                   " on one GPU; leave --gpus out");
  const TrainingOptions& training = request.training;
  if (training.task == "full" && (training.lora_rank > 0 || !training.lora_targets.empty()))
    return failure(
        std::string("--lora-rank and --lora-targets with --task full: no adapters are ") +
        "trained; take --task lora or qlora");
  return {};
}

bool lacks_bf16(const Devices& devices) {
  return std::any_of(devices.gpus.begin(), devices.gpus.end(), [](const Device& device) {
    return device.compute_capability > 0 && device.compute_capability < 8.0;
  });
}

Result<WeightChoice> weights_for(const Model& model, const FitRequest& request, Runtime runtime,
                                 const Devices& devices) {
  WeightChoice out;
  const bool gguf = is_llama(runtime);
  std::string dtype = lower(request.inference.dtype);
  const bool stored = model.source == Source::file_header && model.gguf == gguf;
  if (dtype.empty() && runtime == Runtime::train && request.training.task == "qlora")
    dtype = "nf4", out.assumptions.push_back({"fit.assume.qlora-type", {}});
  if (runtime == Runtime::train && request.training.task == "full") return out;
  if (dtype.empty() && stored) return out;
  if (dtype.empty() && gguf) {
    // A model that is published in MXFP4 keeps it: its GGUF files do.
    dtype = lower(model.native_dtype).starts_with("mxfp4") ? "mxfp4_moe" : "q4_k_m";
    out.assumptions.push_back({"fit.assume.gguf-type", {dtype}});
  } else if (dtype.empty()) {
    dtype = published_dtype(model);
    if (catalog::quant_named(dtype, false) == nullptr) return out;  // as its configuration says
    const bool narrow = runtime == Runtime::vllm && dtype == "bf16" && lacks_bf16(devices);
    if (narrow) dtype = "fp16";
    const bool said = !model.native_dtype.empty() || !model.quantisation.method.empty();
    const char* const why = said ? "fit.assume.published-type" : "fit.assume.unsaid-type";
    out.assumptions.push_back({narrow ? "fit.assume.fp16-for-bf16" : why, {dtype}});
  }
  if (stored && dtype == lower(model.native_dtype)) return out;
  out.quant = catalog::quant_named(dtype, gguf);
  // diffusers takes the denoiser from a GGUF file too.
  if (out.quant == nullptr && runtime == Runtime::diffusers)
    out.quant = catalog::quant_named(dtype, true);
  if (out.quant == nullptr) return failure(wrong_dtype(dtype, runtime));
  return out;
}

}  // namespace gpuready::fit

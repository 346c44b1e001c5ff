#include "fit/diffusion.hpp"

#include <algorithm>

#include "fit/overhead.hpp"
#include "fit/range.hpp"

namespace gpuready::fit {

namespace {

double count(std::int64_t n) { return static_cast<double>(n); }

Range range_of(const Span& span) { return between(span.low, span.expected, span.high); }

/// PyTorch's types quantise the denoiser and the large text encoder; a GGUF file replaces the
/// denoiser alone.
Span part_bytes(const catalog::PipelinePart& part, const ImagePlan& plan) {
  const double all = count(part.parameters);
  const bool wide_type = plan.quant != nullptr && plan.quant->base == "f32";
  if (wide_type) return {4 * all, 4 * all, 4 * all};
  constexpr double large = 1e9;  // smaller encoders and the decoder are left alone by all guides
  const bool packed = plan.quant != nullptr && !plan.quant->gguf && plan.quant->linear_bytes < 2;
  if (!packed || part.role != "text" || all < large) return {2 * all, 2 * all, 2 * all};
  const double kept = count(part.embedding_parameters), wide = count(part.wide_parameters);
  const double linear = (all - kept - wide) * plan.quant->linear_bytes;
  // T5's last matrices stay in 16 bits, or in 32 with older releases of transformers.
  return {linear + 2 * kept + 2 * wide, linear + 2 * kept + 3 * wide, linear + 2 * kept + 4 * wide};
}

Span& operator*=(Span& span, double factor) {
  span.low *= factor, span.expected *= factor, span.high *= factor;
  return span;
}

Span larger(const Span& a, const Span& b) {
  return {std::max(a.low, b.low), std::max(a.expected, b.expected), std::max(a.high, b.high)};
}

struct Resident {
  Span denoiser, text, vae, largest, all;
};

Resident resident(const Weights& weights, const ImagePlan& plan) {
  Resident out;
  const double bytes = weights.total_bytes() + weights.mtp;
  out.denoiser = {bytes * weights.low, bytes, bytes * weights.high};
  out.all = out.largest = out.denoiser;
  for (const catalog::PipelinePart& part : plan.parts) {
    const Span one = part_bytes(part, plan);
    if (part.role == "text") out.text += one;
    if (part.role == "vae") out.vae += one;
    out.all += one, out.largest = larger(out.largest, one);
  }
  return out;
}

}  // namespace

double decode_bytes(const ImagePlan& plan) {
  // Fitted to the public figures of FLUX.1-dev (4.0 to 4.7 GiB for one image of 1024 x 1024 in
  // every type of weights) and SDXL (15.2 GiB for four): the widest layers have 256 channels at
  // full size, in 16 or 32 bits; more or less 17 bytes of each element are alive.
  constexpr double channels = 256, alive_bytes = 17;
  constexpr double tile = 512 * 512;
  double pixels = plan.width * plan.height;
  if (plan.vae_tiling) pixels = std::min(pixels, 2 * tile);
  const double at_once = plan.vae_slicing ? 1 : plan.images;
  return at_once * pixels * channels * alive_bytes;
}

double denoise_bytes(const Architecture& shape, const ImagePlan& plan) {
  const auto denoiser = std::find_if(plan.parts.begin(), plan.parts.end(), [](const auto& part) {
    return part.role == "unet" || part.role == "dit";
  });
  const bool unet = denoiser != plan.parts.end() && denoiser->role == "unet";
  const double side = denoiser == plan.parts.end() ? 16 : count(denoiser->pixels_per_token);
  const double guidance = denoiser == plan.parts.end() ? 1 : count(denoiser->guidance);
  const double frames = denoiser == plan.parts.end() ? 1 : count(denoiser->frames);
  const double text = denoiser == plan.parts.end() ? 512 : count(denoiser->text_tokens);
  const double samples = plan.images * guidance;
  const double tokens = plan.width / side * (plan.height / side) * frames;
  double bytes = 0;
  if (unet) {
    // Twelve maps of 320 channels at an eighth of the size, skips included.
    bytes = samples * (plan.width / 8) * (plan.height / 8) * 320 * 2 * 12;
  } else {
    const double ffn = shape.layers.empty() ? 4 * count(shape.hidden) : count(shape.layers[0].ffn);
    bytes = 2 * samples * (tokens + text) * (3 * ffn + 3 * count(shape.hidden));
  }
  // Without flash attention: the scores, their softmax, and the buffer that they are added to.
  const double heads = denoiser == plan.parts.end() ? 24 : count(denoiser->heads);
  if (!plan.flash) bytes += samples * heads * tokens * tokens * 2 * 3;
  return bytes;
}

DeviceTerms image_terms(const Model& model, const Weights& weights, const ImagePlan& plan,
                        const Device& device, double* host_bytes) {
  const Resident held = resident(weights, plan);
  const double decode = decode_bytes(plan), denoise = denoise_bytes(model.shape, plan);
  DeviceTerms out;
  out.layers = static_cast<std::int64_t>(model.shape.layers.size());
  Span kept = held.all;
  double step = std::max(decode, denoise);
  *host_bytes = 0;
  if (plan.offload == ImageOffload::model) {
    // One component at a time; a packed denoiser is not moved out before the image is decoded.
    const bool stays =
        plan.quant != nullptr && plan.quant->linear_bytes > 0 && plan.quant->linear_bytes < 2;
    Span decoding = stays ? held.denoiser : Span{};
    decoding += held.vae;
    const bool decodes = decoding.expected + decode > held.largest.expected + denoise;
    kept = decodes ? decoding : held.largest, step = decodes ? decode : denoise;
  } else if (plan.offload == ImageOffload::sequential) {
    const double blocks = std::max<double>(count(out.layers), 20);
    kept = held.largest, kept *= 2 / blocks;
  }
  if (plan.offload != ImageOffload::none) *host_bytes = held.all.expected;
  out[TermName::weights] = range_of(kept);
  out[TermName::compute] = between(0.85 * step, step, 1.2 * step);
  const auto allocated = static_cast<double>(out.total().expected_bytes);
  Span reserve = reserve_bytes(Runtime::diffusers, allocated);
  // What goes in and out leaves holes between the activations.
  if (plan.offload != ImageOffload::none) reserve += {0.03 * step, 0.15 * step, 0.4 * step};
  out[TermName::reserve] = range_of(reserve);
  out[TermName::context] = range_of(context_bytes(device, Runtime::diffusers, 1));
  return out;
}

namespace {

/// The parts of a pipeline: those that its files hold, or those that the table names for the
/// denoiser. The table knows of the files' parts what a quantiser leaves alone.
std::vector<catalog::PipelinePart> parts_of(const Model& model) {
  std::vector<catalog::PipelinePart> known = catalog::pipeline_of(model.name);
  if (model.components.empty()) return known;
  std::vector<catalog::PipelinePart> out;
  for (const catalog::PipelinePart& part : known)
    if (part.role == "unet" || part.role == "dit") out.push_back(part);
  for (const Component& component : model.components) {
    catalog::PipelinePart part;
    part.component = component.name;
    part.role = component.name.find("vae") != std::string::npos ? "vae" : "text";
    // What is stored in fewer than two bytes stays so.
    part.parameters = component.bytes > 0 ? std::min(component.parameters, component.bytes / 2)
                                          : component.parameters;
    for (const catalog::PipelinePart& row : known) {
      const double ratio = count(part.parameters) / std::max(count(row.parameters), 1.0);
      if (row.role != part.role || std::abs(ratio - 1) > 0.01) continue;
      part.embedding_parameters = row.embedding_parameters;
      part.wide_parameters = row.wide_parameters;
    }
    out.push_back(std::move(part));
  }
  return out;
}

}  // namespace

Result<ResolvedImages> resolve_images(const Model& model, const FitRequest& request,
                                      const catalog::Quant* quant) {
  const InferenceOptions& options = request.inference;
  ResolvedImages out;
  ImagePlan& plan = out.plan;
  constexpr std::int64_t most = 1 << 16;
  for (const std::int64_t n : {options.image_width, options.image_height, options.images})
    if (n < 0 || n > most)
      return failure("an image option of " + std::to_string(n) +
                     ": expected a number from 1 to 65536");
  if (options.image_width > 0) plan.width = count(options.image_width);
  if (options.image_height > 0) plan.height = count(options.image_height);
  plan.images = count(std::max<std::int64_t>({options.images, options.batch, 1}));
  plan.flash = options.flash_attention != "off";
  plan.vae_slicing = options.vae_slicing, plan.vae_tiling = options.vae_tiling;
  const std::string& offload = options.offload;
  if (offload == "model") plan.offload = ImageOffload::model;
  if (offload == "sequential") plan.offload = ImageOffload::sequential;
  if (!offload.empty() && offload != "none" && plan.offload == ImageOffload::none)
    return failure("--offload " + offload + ": for images known are none, model and sequential");
  plan.quant = quant;
  plan.parts = parts_of(model);
  if (options.image_width == 0 || options.image_height == 0)
    out.assumptions.push_back({"fit.assume.image", {"1024x1024"}});
  if (plan.parts.empty()) {
    out.assumptions.push_back({"fit.assume.no-pipeline", {}});
  } else {
    std::string beside;
    for (const catalog::PipelinePart& part : plan.parts)
      if (part.role == "text" || part.role == "vae")
        beside += (beside.empty() ? "" : ", ") + part.component;
    out.assumptions.push_back({"fit.assume.pipeline", {beside}});
  }
  for (const catalog::PipelinePart& part : plan.parts)
    if (part.frames > 1) out.assumptions.push_back({"fit.assume.video", {std::to_string(81)}});
  return out;
}

}  // namespace gpuready::fit

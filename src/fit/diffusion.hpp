#pragma once
/// Memory of a pipeline that makes images: text encoders, denoiser, decoder (VAE).

#include <string>
#include <vector>

#include "catalog/pipelines.hpp"
#include "fit/estimate.hpp"
#include "fit/kv_cache.hpp"
#include "fit/plan.hpp"
#include "fit/weights.hpp"

namespace gpuready::fit {

enum class ImageOffload { none, model, sequential };

struct ImagePlan {
  double width = 1024, height = 1024, images = 1;
  bool flash = true, vae_slicing = false, vae_tiling = false;
  ImageOffload offload = ImageOffload::none;
  const catalog::Quant* quant = nullptr;  ///< of the denoiser; nullptr: as stored
  std::vector<catalog::PipelinePart> parts;
};

struct ResolvedImages {
  ImagePlan plan;
  std::vector<Message> assumptions;
};
/// The error says which option can't be had.
Result<ResolvedImages> resolve_images(const Model& model, const FitRequest& request,
                                      const catalog::Quant* quant);

/// Decoding latents of so many pixels: about 16.6 bytes for each of 256 channels and each pixel.
double decode_bytes(const ImagePlan& plan);
/// One step of the denoiser for all images, with its guidance.
double denoise_bytes(const Architecture& shape, const ImagePlan& plan);

DeviceTerms image_terms(const Model& model, const Weights& weights, const ImagePlan& plan,
                        const Device& device, double* host_bytes);

}  // namespace gpuready::fit

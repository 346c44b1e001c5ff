#pragma once
/// data/pipelines.csv: what stands beside the denoiser in a pipeline that makes images.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/rows.hpp"
#include "gpuready/result.hpp"

namespace gpuready::catalog {

struct PipelinePart {
  std::string models;     ///< beginning of the names of the denoisers that it goes with
  std::string component;  ///< CLIP-L, VAE
  std::string role;       ///< unet or dit (the denoiser itself), text, vae
  std::int64_t parameters = 0;
  std::int64_t embedding_parameters = 0;  ///< never quantised
  std::int64_t wide_parameters = 0;       ///< kept wide by quantisers (T5's last matrices)
  /// Of the denoiser: pixels that one token of its first attention covers on each side, its heads,
  /// samples for each image (2 with classifier-free guidance), text tokens, frames of a video.
  std::int64_t pixels_per_token = 0, heads = 0, guidance = 1, text_tokens = 0, frames = 1;
  std::string source, as_of;
};

/// The error names the file, the record and the column.
Result<std::vector<PipelinePart>> load_pipelines(const Override& replaced);
/// The compiled-in parts that go with a denoiser of this name, itself included; empty: none known.
std::vector<PipelinePart> pipeline_of(std::string_view denoiser);

}  // namespace gpuready::catalog

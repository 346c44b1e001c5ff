#pragma once
/// In which type, and so in how many bytes, the tensors of each role are stored.

#include <string>

#include "fit/model.hpp"
#include "gpuready/result.hpp"

namespace gpuready::fit {

/// Sets type, elements and bytes of every group by the model's native type and quantisation.
/// Methods leave embeddings, head, router, norms and towers in 16 bits, where their tools do.
Result<void> store_weights(Model& model);

/// Quantisation that a native type of data/models.csv means: fp8, mxfp4, int4, fp4.
Quantisation quantisation_of_dtype(const std::string& native_dtype);

}  // namespace gpuready::fit

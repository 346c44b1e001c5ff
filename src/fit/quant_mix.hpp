#pragma once
/// Which type each part of a layer gets in a mix such as Q4_K_M, and the bytes of it.

#include "catalog/quants.hpp"
#include "fit/model.hpp"

namespace gpuready::fit {

/// Bytes that the parameters of this group take in this type of weights.
double group_bytes(const WeightGroup& group, const Architecture& shape,
                   const catalog::Quant& quant);

}  // namespace gpuready::fit

#pragma once
/// What to say of a product that failed its check. Pure.

#include <string_view>

#include "bench/verify.hpp"
#include "gpuready/measurements.hpp"

namespace gpuready::bench {

/// `known` tells the device and its flags; `dtype` is a name of dtypes.hpp.
Message wrong_product_message(const Case& known, std::string_view dtype, const Shape& shape,
                              const Check& check);

}  // namespace gpuready::bench

#pragma once
/// How each family's configuration is read. One function per `model_type`, or per few of them.

#include <span>
#include <string_view>

#include "fit/blueprint.hpp"
#include "fit/config_keys.hpp"

namespace gpuready::fit {

using ReadFamily = void (*)(ConfigKeys& keys, Blueprint& plan);

struct Family {
  std::string_view model_type;
  ReadFamily read;
};

/// The reader of a `model_type`; nothing where the type is not known.
ReadFamily family_reader(std::string_view model_type);

/// Any decoder with the usual keys: gated feed-forward, two RMS norms, no biases unless said.
void read_generic(ConfigKeys& keys, Blueprint& plan);

/// The lists that family_reader searches.
std::span<const Family> dense_families();
std::span<const Family> classic_families();
std::span<const Family> expert_families();
std::span<const Family> hybrid_families();
std::span<const Family> encoder_families();
std::span<const Family> uneven_families();

}  // namespace gpuready::fit

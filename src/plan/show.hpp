#pragma once
/// Words for places.

#include <string>

#include "gpuready/plan.hpp"

namespace gpuready::plan {

std::string provider_name(const std::string& where);  ///< "Lambda"
/// "RunPod, 2 x GeForce RTX 4090 (community)", "GeForce RTX 4090"; nothing for a CPU.
std::string place_words(const Choice& choice);
/// The end of a key for sentences about a choice: this-cpu, this-gpu, free or rented.
std::string place_key(const Choice& choice);

}  // namespace gpuready::plan

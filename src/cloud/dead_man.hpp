#pragma once
/// A timer in the rented machine that ends it, whatever becomes of the computer that rented it.

#include <cstdint>
#include <string>
#include <string_view>

namespace gpuready::cloud {

/// Text for a POSIX shell that returns at once and leaves a timer behind. It holds no secret: the
/// machine finds a key that can end this machine alone in its own environment (RunPod:
/// RUNPOD_API_KEY and RUNPOD_POD_ID; Vast: CONTAINER_API_KEY and CONTAINER_ID). Empty for a provider
/// that gives its machines none. `base_url` is the provider's usual address unless a test says
/// otherwise.
std::string dead_man_script(std::string_view provider, std::int64_t minutes,
                            std::string_view base_url = {});

}  // namespace gpuready::cloud

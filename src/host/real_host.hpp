#pragma once

#include <memory>

#include "host/host.hpp"

namespace gpuready::host {

/// The machine that this runs on.
std::unique_ptr<Host> make_real_host();

}  // namespace gpuready::host

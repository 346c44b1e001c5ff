#pragma once
/// The clock of this computer.

#include <functional>
#include <memory>

#include "net/pace.hpp"

namespace gpuready::net {

/// `stopped` is asked while waiting; may be empty. `scale` is of tests alone: a wait of a second
/// takes `scale` seconds, and the clock runs faster by as much.
std::unique_ptr<Pace> make_real_pace(std::function<bool()> stopped, double scale = 1);

}  // namespace gpuready::net

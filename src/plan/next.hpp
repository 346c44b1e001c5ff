#pragma once

#include "catalog/catalog.hpp"
#include "gpuready/bench.hpp"
#include "gpuready/choices.hpp"
#include "gpuready/findings.hpp"
#include "gpuready/machine.hpp"

namespace gpuready::plan {

/// What to do now, from what was found. Without a usable GPU: also the places where one can be
/// had, with the price range of the dated table.
Next next_steps(const Machine& machine, const Doctor& doctor, const DeviceChoice& torch_device,
                const Bench& bench, const catalog::Catalog& catalog);

}  // namespace gpuready::plan

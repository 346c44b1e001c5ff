#pragma once

#include "catalog/catalog.hpp"
#include "gpuready/estimates.hpp"
#include "gpuready/findings.hpp"
#include "gpuready/machine.hpp"

namespace gpuready::fit {

/// The rule of thumb (weights only: 2, 1 or 0.5 bytes per parameter) on the memory that is free on
/// the usable GPU with most of it, or on main memory where no GPU is usable.
Fit rule_of_thumb(const Machine& machine, const catalog::Catalog& catalog);

/// The same rule for so many bytes.
std::vector<RuleOfThumb> rules_of_thumb(std::int64_t usable_bytes, const catalog::Catalog& catalog);

}  // namespace gpuready::fit

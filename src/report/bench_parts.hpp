#pragma once
/// The parts of bench's text beside the table of cases.

#include <string>

#include "report/report.hpp"

namespace gpuready::report {

/// "4096 x 4096 x 4096": rows of A, columns of A, columns of B.
std::string shape_text(const Shape& shape);

/// Rates over the size, where at least three squares were measured; empty otherwise.
std::string plot_text(const Bench& bench, const Context& context);
/// CPU against GPU size by size, and the break-even.
std::string sizes_text(const Bench& bench, const Context& context);
std::string claims_text(const Bench& bench, const Context& context);
std::string peaks_text(const Bench& bench, const Context& context);
std::string peers_text(const Bench& bench, const Context& context);
std::string torch_text(const Bench& bench, const Context& context);
/// What the time limit left out.
std::string left_out_text(const Bench& bench, const Context& context);
/// Why the lesson's quotient and the honest figures differ.
std::string lesson_reasons(const Run& run, const Context& context);

}  // namespace gpuready::report

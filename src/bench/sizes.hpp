#pragma once
/// Which products each mode of bench asks for. Pure.

#include <vector>

#include "gpuready/measurements.hpp"

namespace gpuready::bench {

Shape square(std::int64_t side);
/// A small, a large and, between them, none: what a minute's patience is not needed for.
std::vector<Shape> quick_shapes();
/// Squares from 256 to 16384 with the lesson's 5000; 4095 and 4097, which no tile divides; one, 16
/// and 64 rows against 8192 x 8192 (a language model that writes one, 16 or 64 tokens at a time);
/// and the layers of two language models of usual widths.
std::vector<Shape> standard_shapes();

}  // namespace gpuready::bench

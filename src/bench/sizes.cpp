#include "bench/sizes.hpp"

namespace gpuready::bench {

Shape square(std::int64_t side) { return {side, side, side}; }

std::vector<Shape> quick_shapes() { return {square(1024), square(4096)}; }

std::vector<Shape> standard_shapes() {
  std::vector<Shape> shapes;
  for (const std::int64_t side : {256, 512, 1024, 2048, 4096, 5000, 8192, 16384, 4095, 4097})
    shapes.push_back(square(side));
  for (const std::int64_t rows : {1, 16, 64}) shapes.push_back({rows, 8192, 8192});
  shapes.push_back({4096, 11008, 4096});  // a 7 B model's feed-forward layer (Llama 2's sizes)
  shapes.push_back({8192, 28672, 8192});  // a 70 B model's
  return shapes;
}

}  // namespace gpuready::bench

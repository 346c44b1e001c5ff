#pragma once
/// A search for the shape with the highest rate, by measuring one shape after another. Pure.

#include <cstdint>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "gpuready/measurements.hpp"

namespace gpuready::bench {

/// What bounds the search.
struct PeakSpace {
  std::int64_t processors = 1;   ///< SMs or cores, which take the tiles of C in waves
  std::int64_t tile = 128;       ///< rows and columns of a tile
  std::int64_t largest = 16384;  ///< longest m or n
  std::vector<std::int64_t> depths{1024, 2048, 4096, 8192};  ///< k
  std::int64_t reference = 4096;  ///< the first square; the second is twice as long
};

/// First the two squares that others quote; then m and n whose tiles fill whole waves of the
/// processors, for each k; then the neighbours of the best one, until none is better.
class PeakSearch {
 public:
  explicit PeakSearch(PeakSpace space);

  /// The next shape to measure; nothing when the search is over.
  std::optional<Shape> next();
  /// The rate of the shape that next() gave; 0 where it could not be measured.
  void report(const Shape& shape, double flops);

  [[nodiscard]] std::optional<Shape> best() const;
  [[nodiscard]] std::int64_t tried() const { return static_cast<std::int64_t>(seen_.size()); }

 private:
  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

  void add(const Shape& shape);
  void add_neighbours();

  PeakSpace space_;
  std::vector<Shape> waiting_;  ///< last one first
  std::set<Key> seen_;
  std::optional<Shape> best_;
  double best_flops_ = 0;
  bool neighbours_of_best_added_ = false;
};

/// Tiles over whole waves: 1 where the last wave is full, less where processors stand idle in it.
double wave_use(const Shape& shape, const PeakSpace& space);

}  // namespace gpuready::bench

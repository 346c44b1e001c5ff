#include "bench/peak_search.hpp"

#include <algorithm>
#include <cmath>

#include "bench/sizes.hpp"

namespace gpuready::bench {

namespace {

std::int64_t tiles_of(std::int64_t side, std::int64_t tile) { return (side + tile - 1) / tile; }

/// Sides that are powers of two times a tile, or one and a half times that.
std::vector<std::int64_t> usual_sides(const PeakSpace& space) {
  std::vector<std::int64_t> sides;
  for (std::int64_t side = 8 * space.tile; side <= space.largest; side *= 2) {
    sides.push_back(side);
    if (side * 3 / 2 <= space.largest) sides.push_back(side * 3 / 2);
  }
  return sides;
}

/// The largest n for which m x n tiles fill whole waves, not above m's own order of size.
std::optional<std::int64_t> full_wave_side(std::int64_t m, std::int64_t about,
                                           const PeakSpace& space) {
  const std::int64_t rows = tiles_of(m, space.tile);
  const double waves =
      std::max(1.0, std::floor(static_cast<double>(rows * tiles_of(about, space.tile)) /
                               static_cast<double>(space.processors)));
  const auto columns =
      static_cast<std::int64_t>(waves * static_cast<double>(space.processors)) / rows;
  const std::int64_t side = columns * space.tile;
  if (side < space.tile || side > space.largest) return {};
  return side;
}

}  // namespace

double wave_use(const Shape& shape, const PeakSpace& space) {
  const auto tiles =
      static_cast<double>(tiles_of(shape.m, space.tile) * tiles_of(shape.n, space.tile));
  const double waves = tiles / static_cast<double>(space.processors);
  return waves / std::ceil(waves);
}

PeakSearch::PeakSearch(PeakSpace space) : space_(std::move(space)) {
  std::vector<Shape> shapes;
  for (const std::int64_t m : usual_sides(space_))
    if (const auto n = full_wave_side(m, m, space_))
      for (const std::int64_t k : space_.depths) shapes.push_back({m, *n, k});
  // The fullest waves first: time may run out.
  std::ranges::stable_sort(shapes, {}, [&](const Shape& s) { return wave_use(s, space_); });
  for (const Shape& shape : shapes) add(shape);
  add(square(2 * space_.reference));
  add(square(space_.reference));
}

void PeakSearch::add(const Shape& shape) {
  const bool possible =
      std::min({shape.m, shape.n, shape.k}) >= 1 &&
      std::max(shape.m, shape.n) <= std::max(space_.largest, 2 * space_.reference);
  if (possible && !seen_.contains({shape.m, shape.n, shape.k})) waiting_.push_back(shape);
}

void PeakSearch::add_neighbours() {
  const std::int64_t step = 2 * space_.tile;
  const Shape b = *best_;
  add({b.m, b.n, b.k * 2 <= space_.depths.back() ? b.k * 2 : b.k});
  add({b.m, b.n, std::max(b.k / 2, space_.depths.front())});
  for (const std::int64_t change : {step, -step}) {
    add({b.m + change, b.n, b.k});
    add({b.m, b.n + change, b.k});
  }
  neighbours_of_best_added_ = true;
}

std::optional<Shape> PeakSearch::next() {
  for (;;) {
    if (waiting_.empty()) {
      if (!best_ || neighbours_of_best_added_) return {};
      add_neighbours();
      continue;
    }
    const Shape shape = waiting_.back();
    waiting_.pop_back();
    if (seen_.insert({shape.m, shape.n, shape.k}).second) return shape;
  }
}

void PeakSearch::report(const Shape& shape, double flops) {
  if (!(flops > best_flops_)) return;
  best_ = shape, best_flops_ = flops;
  neighbours_of_best_added_ = false;
}

std::optional<Shape> PeakSearch::best() const { return best_; }

}  // namespace gpuready::bench

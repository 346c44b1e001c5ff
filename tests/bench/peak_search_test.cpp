#include "bench/peak_search.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "bench/sizes.hpp"

namespace gpuready::bench {
namespace {

/// A GPU whose rate is the use of its waves, and a little less for short sums.
double rate(const Shape& s, const PeakSpace& space) {
  return 1e14 * wave_use(s, space) * (1 - 200.0 / static_cast<double>(s.k));
}

TEST(PeakSearch, TheTwoSquaresComeFirst) {
  PeakSearch search({132, 128, 16384, {1024, 2048, 4096, 8192}, 4096});
  EXPECT_EQ(search.next(), square(4096));
  EXPECT_EQ(search.next(), square(8192));
}

TEST(PeakSearch, FindsAFullWaveWithTheLongestSum) {
  const PeakSpace space{132, 128, 16384, {1024, 2048, 4096, 8192}, 4096};
  PeakSearch search(space);
  while (const auto shape = search.next()) search.report(*shape, rate(*shape, space));
  ASSERT_TRUE(search.best());
  EXPECT_GT(rate(*search.best(), space), 0.97e14);
  EXPECT_GT(rate(*search.best(), space), rate(square(4096), space));
  EXPECT_LT(search.tried(), 80);
}

TEST(PeakSearch, FewTriesAreEnoughForMostOfIt) {
  const PeakSpace space{108, 128, 16384, {1024, 2048, 4096, 8192}, 4096};
  PeakSearch search(space);
  for (int i = 0; i < 12; ++i)
    if (const auto shape = search.next()) search.report(*shape, rate(*shape, space));
  EXPECT_GT(rate(*search.best(), space), 0.9e14);
}

TEST(PeakSearch, NoShapeIsTriedTwiceAndNoneIsTooLong) {
  const PeakSpace space{16, 64, 4096, {512, 1024, 2048}, 1024};
  PeakSearch search(space);
  std::vector<Shape> seen;
  while (const auto shape = search.next()) {
    EXPECT_EQ(std::ranges::find(seen, *shape), seen.end());
    EXPECT_LE(std::max(shape->m, shape->n), 4096);
    EXPECT_GE(std::min({shape->m, shape->n, shape->k}), 1);
    seen.push_back(*shape);
    search.report(*shape, rate(*shape, space));
  }
}

TEST(PeakSearch, WhereNothingCouldBeMeasuredThereIsNoBest) {
  PeakSearch search({4, 64, 2048, {512}, 1024});
  while (const auto shape = search.next()) search.report(*shape, 0);
  EXPECT_FALSE(search.best());
}

}  // namespace
}  // namespace gpuready::bench

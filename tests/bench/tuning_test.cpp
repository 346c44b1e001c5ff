#include "bench/tuning.hpp"

#include <gmock/gmock.h>

#include "tests/bench/measured.hpp"

namespace gpuready::bench {
namespace {

using testing::BackendScript;
using ::testing::Contains;
using ::testing::Not;
using testing::request_for;
using testing::run;

TEST(Tuning, BuffersAreTakenInTurnUntilTheCacheCannotHoldThem) {
  BackendScript script;
  script.cache_bytes = 1e6;
  const Case c = run(script, request_for({100, 100, 100})).only_case();
  EXPECT_EQ(c.buffer_sets, 25);  // twice 1 MB over the 80 kB of A and B
  EXPECT_THAT(c.flags, Not(Contains("cache-warm")));
  EXPECT_EQ(run(script, request_for({1000, 1000, 1000})).only_case().buffer_sets, 2);
}

TEST(Tuning, TooLittleMemoryForTheTurnsIsTold) {
  BackendScript script;
  script.cache_bytes = 1e6;
  script.budget_bytes = 10.0 * 3 * 4 * 100 * 100;
  Case c = run(script, request_for({100, 100, 100})).only_case();
  EXPECT_EQ(c.buffer_sets, 6);
  EXPECT_THAT(c.flags, Contains("cache-warm"));
  script.allocation_limit_bytes = 4.0 * 3 * 4 * 100 * 100;  // less than the budget promised
  c = run(script, request_for({100, 100, 100})).only_case();
  EXPECT_EQ(c.buffer_sets, 1);
  EXPECT_EQ(c.shape, (Shape{100, 100, 100}));
}

TEST(Tuning, TheFastestWayIsTaken) {
  BackendScript script;
  script.candidate_s = {0.05, -1, 0.04, 0.06};
  const Case c = run(script).only_case();
  EXPECT_EQ(c.algorithm.candidates, 4);
  EXPECT_EQ(c.algorithm.rank, 3);
  EXPECT_NEAR(c.algorithm.gain, 1.25, 1e-9);
  EXPECT_NEAR(c.median_s, 0.04, 1e-9);
}

TEST(Tuning, AFirstWayThatFailsIsPassedOver) {
  BackendScript script;
  script.candidate_s = {-1, 0.04};
  const Case c = run(script).only_case();
  EXPECT_EQ(c.algorithm.rank, 2);
  EXPECT_TRUE(c.first_call.first_product_s.absent_for(Absence::call_failed));
  EXPECT_NEAR(c.median_s, 0.04, 1e-9);
}

TEST(Tuning, AWayThatIsHardlyFasterIsNotTaken) {
  BackendScript script;
  script.candidate_s = {0.05, 0.0495};
  EXPECT_EQ(run(script).only_case().algorithm.rank, 1);
}

TEST(Tuning, NoWayThatWorksIsAnError) {
  BackendScript script;
  script.candidate_s = {-1, -1};
  EXPECT_EQ(run(script).only_error().why,
            (Message{"bench.error.run", {"cuda:0", "not supported"}}));
}

}  // namespace
}  // namespace gpuready::bench

#include "bench/peers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace gpuready::bench {
namespace {

TEST(Peers, TheNormalQuantileIsThatOfTheTables) {
  EXPECT_NEAR(normal_quantile(0.5), 0, 1e-9);
  EXPECT_NEAR(normal_quantile(0.975), 1.959963985, 1e-7);
  EXPECT_NEAR(normal_quantile(0.01), -2.326347874, 1e-7);
  EXPECT_NEAR(normal_quantile(0.9999), 3.719016485, 1e-7);
}

/// 2.8 for 4, 3.0 for 8, 3.6 for 64, 4.1 for 512, 4.6 for 5000.
TEST(Peers, MoreGpusAreAllowedMoreDeviations) {
  EXPECT_NEAR(deviations_allowed(4), 2.8, 0.05);
  EXPECT_NEAR(deviations_allowed(8), 3.0, 0.05);
  EXPECT_NEAR(deviations_allowed(64), 3.6, 0.05);
  EXPECT_NEAR(deviations_allowed(512), 4.1, 0.05);
  EXPECT_NEAR(deviations_allowed(5000), 4.6, 0.05);
}

TEST(Peers, AGpuEightPercentBelowSevenEqualOnesIsSlow) {
  std::vector<double> rates(8, 100.0);
  rates[3] = 92;
  const auto slow = slower_than_peers(rates);
  EXPECT_EQ(std::ranges::count(slow, true), 1);
  EXPECT_TRUE(slow[3]);
}

TEST(Peers, FourPercentIsWithinWhatHealthyGpusDiffer) {
  EXPECT_EQ(std::ranges::count(slower_than_peers({100, 100, 100, 96}), true), 0);
}

TEST(Peers, AFastGpuIsNoOffence) {
  EXPECT_EQ(std::ranges::count(slower_than_peers({100, 100, 100, 100, 130}), true), 0);
}

TEST(Peers, FewerThanFourHaveNoPeers) { EXPECT_FALSE(slow_below({100, 100, 20})); }

/// How often somebody is accused among `count` healthy GPUs.
double false_alarms(std::size_t count, double sigma) {
  std::mt19937_64 random(count);
  std::normal_distribution<double> rate(100, 100 * sigma);
  int accused = 0;
  constexpr int jobs = 400;
  for (int job = 0; job < jobs; ++job) {
    std::vector<double> rates;
    for (std::size_t i = 0; i < count; ++i) rates.push_back(rate(random));
    const auto slow = slower_than_peers(rates);
    if (std::ranges::find(slow, true) != slow.end()) ++accused;
  }
  return static_cast<double>(accused) / jobs;
}

TEST(Peers, HealthyGpusAreAccusedInFewerThanFivePercentOfJobs) {
  for (const double sigma : {0.01, 0.02})
    for (const std::size_t count : {4U, 8U, 64U, 512U})
      EXPECT_LT(false_alarms(count, sigma), 0.05) << count << " GPUs, sigma " << sigma;
}

TEST(Peers, EightPercentSlowIsFoundAmongEightWithASpreadOfOnePercent) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> rate(100, 1);
  int found = 0;
  constexpr int jobs = 200;
  for (int job = 0; job < jobs; ++job) {
    std::vector<double> rates;
    for (int i = 0; i < 8; ++i) rates.push_back(rate(random));
    rates[0] *= 0.92;
    if (slower_than_peers(rates)[0]) ++found;
  }
  EXPECT_GT(found, jobs * 9 / 10);
}

Peer peer(const char* name, double alone, double together) {
  Peer p;
  p.device_name = name;
  p.alone_flops = Fact<double>(alone, "bench");
  p.together_flops = Fact<double>(together, "bench");
  return p;
}

TEST(Peers, EachIsJudgedAgainstItsOwnModel) {
  std::vector<Peer> peers;
  for (int i = 0; i < 4; ++i) peers.push_back(peer("H100", 100, 100));
  peers.push_back(peer("T4", 10, 10));
  judge_peers(std::vector<std::optional<double>>(5), peers);
  for (const Peer& p : peers) EXPECT_FALSE(p.slow);
  EXPECT_EQ(peers[4].verdict.key, "bench.peer.no-measure");
  EXPECT_EQ(peers[0].verdict.key, "bench.peer.fine");
}

TEST(Peers, AFloorCatchesOneAmongTwoAndAllOfFour) {
  std::vector<Peer> two{peer("H100", 100, 100), peer("H100", 60, 60)};
  judge_peers({85, 85}, two);
  EXPECT_FALSE(two[0].slow);
  EXPECT_TRUE(two[1].slow);
  EXPECT_EQ(two[1].verdict.key, "bench.peer.below-floor");
  std::vector<Peer> four(4, peer("H100", 50, 50));
  judge_peers(std::vector<std::optional<double>>(4, 85.0), four);
  for (const Peer& p : four) EXPECT_TRUE(p.slow);
}

TEST(Peers, WhatOnlyJointLoadCostsIsTold) {
  std::vector<Peer> peers(4, peer("H100", 100, 90));
  judge_peers(std::vector<std::optional<double>>(4), peers);
  EXPECT_FALSE(peers[0].slow);
  EXPECT_EQ(peers[0].verdict.key, "bench.peer.joint");
  EXPECT_EQ(peers[0].verdict.args.front(), "10.0");
}

}  // namespace
}  // namespace gpuready::bench

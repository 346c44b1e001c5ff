#include "bench/peers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "base/quantity.hpp"
#include "bench/stats.hpp"

namespace gpuready::bench {

namespace {

/// The polynomial with these coefficients, highest power first.
template <std::size_t N>
double polynomial(const std::array<double, N>& coefficients, double x) {
  double value = 0;
  for (const double c : coefficients) value = value * x + c;
  return value;
}

std::optional<double> rate_of(const Peer& peer) {
  if (peer.together_flops) return *peer.together_flops;
  if (peer.alone_flops) return *peer.alone_flops;
  return {};
}

std::string percent_below(double whole, double part) {
  return base::show_fixed(100 * (1 - part / whole), 1);
}

/// How much a GPU loses when the others work, too, where that is more than 5 %: shared power,
/// cooling or links.
std::optional<std::string> joint_loss(const Peer& peer) {
  if (!peer.alone_flops || !peer.together_flops) return {};
  if (*peer.together_flops >= 0.95 * *peer.alone_flops) return {};
  return percent_below(*peer.alone_flops, *peer.together_flops);
}

}  // namespace

double normal_quantile(double p) {
  static constexpr std::array<double, 6> a{-3.969683028665376e+01, 2.209460984245205e+02,
                                           -2.759285104469687e+02, 1.383577518672690e+02,
                                           -3.066479806614716e+01, 2.506628277459239e+00};
  static constexpr std::array<double, 6> b{-5.447609879822406e+01, 1.615858368580409e+02,
                                           -1.556989798598866e+02, 6.680131188771972e+01,
                                           -1.328068155288572e+01, 1};
  static constexpr std::array<double, 6> c{-7.784894002430293e-03, -3.223964580411365e-01,
                                           -2.400758277161838e+00, -2.549732539343734e+00,
                                           4.374664141464968e+00,  2.938163982698783e+00};
  static constexpr std::array<double, 5> d{7.784695709041462e-03, 3.224671290700398e-01,
                                           2.445134137142996e+00, 3.754408661907416e+00, 1};
  constexpr double tail = 0.02425;
  if (p < tail) {
    const double q = std::sqrt(-2 * std::log(p));
    return polynomial(c, q) / polynomial(d, q);
  }
  if (p > 1 - tail) return -normal_quantile(1 - p);
  const double q = p - 0.5, r = q * q;
  return polynomial(a, r) * q / polynomial(b, r);
}

double deviations_allowed(std::size_t count) {
  constexpr double false_alarms = 0.01;
  return normal_quantile(1 - false_alarms / static_cast<double>(count));
}

std::optional<double> slow_below(const std::vector<double>& rates) {
  constexpr std::size_t fewest = 4;
  constexpr double normal_over_mad = 1.4826, least_part = 0.05;
  if (rates.size() < fewest) return {};
  const double middle = median(rates);
  std::vector<double> distances;
  for (const double rate : rates) distances.push_back(std::abs(rate - middle));
  const double deviation = normal_over_mad * median(distances);
  return middle - std::max(deviations_allowed(rates.size()) * deviation, least_part * middle);
}

std::vector<bool> slower_than_peers(const std::vector<double>& rates) {
  const auto limit = slow_below(rates);
  std::vector<bool> slow;
  for (const double rate : rates) slow.push_back(limit && rate < *limit);
  return slow;
}

void judge_peers(const std::vector<std::optional<double>>& floors, std::vector<Peer>& peers) {
  for (std::size_t i = 0; i < peers.size(); ++i) {
    Peer& peer = peers[i];
    const auto own = rate_of(peer);
    if (!own) continue;
    std::vector<double> rates;
    for (const Peer& other : peers)
      if (const auto rate = rate_of(other); rate && other.device_name == peer.device_name)
        rates.push_back(*rate);
    const auto limit = slow_below(rates);
    const bool below_peers = limit && *own < *limit, below_floor = floors[i] && *own < *floors[i];
    peer.slow = below_peers || below_floor;
    peer.limit_flops =
        limit ? Fact<double>(*limit, "bench")
              : Fact<double>::absent(Absence::not_applicable, "fewer than four GPUs of this model");
    peer.verdict = below_peers ? Message{"bench.peer.slower", {percent_below(median(rates), *own)}}
                   : below_floor ? Message{"bench.peer.below-floor", {base::show_flops(*floors[i])}}
                   : joint_loss(peer)   ? Message{"bench.peer.joint", {*joint_loss(peer)}}
                   : limit || floors[i] ? Message{"bench.peer.fine", {}}
                                        : Message{"bench.peer.no-measure", {}};
  }
}

}  // namespace gpuready::bench

#pragma once
/// A backend in memory whose products are right, and whose times and faults a test writes down.

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bench/memory_plan.hpp"
#include "bench/runner.hpp"

namespace gpuready::bench::testing {

/// A clock that only moves when somebody works.
struct ManualClock {
  double now_s = 100;
  double operator()() const { return now_s; }
};

struct BackendScript {
  bool on_cpu = false;
  /// Wall seconds of the n-th product ever made, from 0.
  std::function<double(std::int64_t)> product_s = [](std::int64_t) { return 0.05; };
  /// What the device's own clock says of a batch that took so long.
  std::function<std::optional<double>(double)> device_s = [](double) {
    return std::optional<double>();
  };
  double transfers_s = 0.08;
  double cache_bytes = 0;
  double cold_s = 0;  ///< more for the first product after the cache was emptied
  double budget_bytes = std::numeric_limits<double>::infinity();
  double largest_matrix_bytes = std::numeric_limits<double>::infinity();
  /// Buffers of more than this can't be had, whatever the budget said.
  double allocation_limit_bytes = std::numeric_limits<double>::infinity();
  /// Errors: at prepare, and at the n-th run (from 1).
  std::optional<Error> prepare_error, flush_error, transfers_error, poison_error, read_error,
      budget_error;
  int failing_run = 0;
  /// Changes the product before it is read back.
  std::function<void(std::span<float>)> spoil = [](std::span<float>) {};
  /// Seconds of a product by each way that the library offers; negative: it fails.
  std::vector<double> candidate_s;
  std::vector<std::string> flags;
};

inline Matrix plain_product(const Operands& x) {
  const auto m = static_cast<std::size_t>(x.shape.m);
  const auto n = static_cast<std::size_t>(x.shape.n);
  const auto k = static_cast<std::size_t>(x.shape.k);
  Matrix product(Element::fp32, m, n);
  const float* const a = x.a.as<float>();
  const float* const b = x.b.as<float>();
  float* const c = product.as<float>();
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t p = 0; p < k; ++p)
      for (std::size_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
  return product;
}

class ScriptedBackend : public Backend {
 public:
  ScriptedBackend(BackendScript script, ManualClock& clock)
      : script_(std::move(script)), clock_(clock) {}

  [[nodiscard]] Case describe() const override {
    Case known;
    known.device = script_.on_cpu ? "cpu" : "cuda:0";
    known.flags = script_.flags;
    return known;
  }
  [[nodiscard]] bool runs_on_cpu() const override { return script_.on_cpu; }
  Result<double> budget_bytes() override {
    if (script_.budget_error) return tl::unexpected<Error>(*script_.budget_error);
    return script_.budget_bytes;
  }
  Result<double> largest_matrix_bytes() override { return script_.largest_matrix_bytes; }
  [[nodiscard]] double host_bytes(const Shape& shape, std::int64_t /*sets*/) const override {
    return bytes_of_c(shape);
  }

  Result<bool> prepare(const Operands& operands, std::int64_t sets) override {
    ++prepared;
    if (script_.prepare_error) return tl::unexpected<Error>(*script_.prepare_error);
    if (static_cast<double>(sets) * bytes_of_all(operands.shape) > script_.allocation_limit_bytes)
      return failure("no room", out_of_memory_code);
    right_ = plain_product(operands);
    sets_prepared = sets;
    return true;
  }

  [[nodiscard]] double cache_bytes() const override { return script_.cache_bytes; }
  [[nodiscard]] std::int64_t candidate_count() const override {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(script_.candidate_s.size()));
  }
  Result<bool> select(std::int64_t candidate) override {
    selected = candidate;
    if (script_.candidate_s[static_cast<std::size_t>(candidate)] < 0)
      return failure("not supported", 15);
    return true;
  }

  Result<Elapsed> run(std::int64_t repeats) override {
    if (++runs_ == script_.failing_run) return failure("the device is lost", 15);
    double wall_s = 0;
    if (!script_.candidate_s.empty() && script_.candidate_s[static_cast<std::size_t>(selected)] < 0)
      return failure("not supported", 15);
    for (std::int64_t i = 0; i < repeats; ++i) wall_s += product_s();
    clock_.now_s += wall_s;
    c_ = right_;
    return Elapsed{wall_s, script_.device_s(wall_s)};
  }

  Result<bool> flush_cache() override {
    ++flushes;
    after_flush_ = true;
    clock_.now_s += 0.01;
    if (script_.flush_error) return tl::unexpected<Error>(*script_.flush_error);
    return true;
  }

  Result<double> run_with_transfers() override {
    ++transfers;
    if (script_.transfers_error) return tl::unexpected<Error>(*script_.transfers_error);
    clock_.now_s += script_.transfers_s;
    return script_.transfers_s;
  }

  Result<bool> poison() override {
    if (script_.poison_error) return tl::unexpected<Error>(*script_.poison_error);
    c_ = right_;
    std::fill_n(c_.as<float>(), c_.size(), std::numeric_limits<float>::quiet_NaN());
    return true;
  }

  Result<Matrix> read_back() override {
    if (script_.read_error) return tl::unexpected<Error>(*script_.read_error);
    script_.spoil({c_.as<float>(), c_.size()});
    return c_;
  }

  int prepared = 0, transfers = 0, flushes = 0;
  std::int64_t sets_prepared = 0, selected = 0;

 private:
  double product_s() {
    const double plain = script_.product_s(products_++) + (after_flush_ ? script_.cold_s : 0);
    after_flush_ = false;
    return script_.candidate_s.empty() ? plain
                                       : script_.candidate_s[static_cast<std::size_t>(selected)];
  }

  BackendScript script_;
  ManualClock& clock_;
  int runs_ = 0;
  std::int64_t products_ = 0;
  bool after_flush_ = false;
  Matrix right_, c_;
};

}  // namespace gpuready::bench::testing

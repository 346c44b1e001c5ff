#pragma once
/// What the backends that work on the CPU share: the matrices, in turn, and the clock.

#include <string>
#include <vector>

#include "bench/backends.hpp"
#include "bench/cache_flush.hpp"

namespace gpuready::bench {

/// The checks and the facts that every backend for the CPU begins with; the error is for the user.
Result<Case> start_cpu_case(host::Host& host, const BackendRequest& request);

/// Bytes of all last caches together that /sys tells of; 0 where it tells of none.
double last_level_cache_bytes(host::Host& host);

class CpuBackend : public Backend {
 public:
  CpuBackend(Case known, const DtypeRow& row, double cache_bytes)
      : row_(row), known_(std::move(known)), cache_bytes_(cache_bytes) {}

  [[nodiscard]] Case describe() const override { return known_; }
  [[nodiscard]] bool runs_on_cpu() const override { return true; }
  /// Limited as part of the host's memory.
  Result<double> budget_bytes() override;
  Result<double> largest_matrix_bytes() override;
  [[nodiscard]] double host_bytes(const Shape& shape, std::int64_t sets) const override;
  [[nodiscard]] double cache_bytes() const override { return cache_bytes_; }
  Result<bool> prepare(const Operands& operands, std::int64_t sets) override;
  Result<Elapsed> run(std::int64_t repeats) override;
  Result<bool> flush_cache() override { return sweep_.run(cache_bytes_); }
  Result<double> run_with_transfers() override;
  Result<bool> poison() override;
  Result<Matrix> read_back() override { return products_.front(); }
  PercentOfPeak percent_of_peak(double flops) override;

 protected:
  /// One set of matrices; A and B are never written.
  struct Set {
    const Matrix* a = nullptr;
    const Matrix* b = nullptr;
    Matrix* c = nullptr;
  };

  /// What the library needs before the first product of this shape.
  virtual Result<bool> plan(const Shape& shape) = 0;
  virtual Result<bool> multiply(const Set& set) = 0;

  [[nodiscard]] Case& known() { return known_; }
  [[nodiscard]] const DtypeRow& row() const { return row_; }
  [[nodiscard]] const Shape& shape() const { return operands_->shape; }
  [[nodiscard]] const Set& first_set() const { return sets_.front(); }

 private:
  void make_sets(std::int64_t count);

  const DtypeRow& row_;
  Case known_;
  double cache_bytes_;
  CacheSweep sweep_;
  const Operands* operands_ = nullptr;
  std::vector<Matrix> copies_;    ///< A and B of the second set and on
  std::vector<Matrix> products_;  ///< C of each set
  std::vector<Set> sets_;
  std::size_t next_ = 0;
};

}  // namespace gpuready::bench

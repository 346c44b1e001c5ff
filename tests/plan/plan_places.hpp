#pragma once
/// Places, tasks and choices for the tests of plan.

#include <gtest/gtest.h>

#include <string>

#include "plan/evaluate.hpp"

namespace gpuready::plan {

inline const catalog::Catalog& tables() {
  static const auto catalog = catalog::load_catalog();
  EXPECT_TRUE(catalog) << catalog.error().text;
  return *catalog;
}

inline Bench measured(const std::string& device, const std::string& dtype, double flops) {
  Bench bench;
  Case c;
  c.device = device, c.dtype.name = dtype, c.flops = flops;
  c.verification.passed = true;
  bench.cases = {c};
  return bench;
}

/// A rented or free GPU of the table.
inline Candidate place(const std::string& where, const std::string& gpu, std::int64_t count,
                       double usd_per_hour) {
  Candidate c;
  c.where = where, c.gpu_count = count;
  c.row = row_of(tables().gpus, gpu, 0).row;
  EXPECT_NE(c.row, nullptr) << gpu;
  if (c.row != nullptr) c.gpu = c.row->name;
  c.usd_per_hour = Fact<double>(usd_per_hour, "test");
  return c;
}

inline Candidate this_cpu() {
  Candidate c;
  c.where = "this-cpu", c.device = "cpu";
  c.usd_per_hour = Fact<double>(0.0, "test");
  return c;
}

/// Everything that a Task refers to.
struct Setting {
  PlanRequest request;
  PlanWork work;
  Machine machine;
  Bench bench;
  ModelSummary model;
  RateBook rates{tables().gpus};

  [[nodiscard]] Task task(double model_bytes = 0, bool here = false) const {
    return {request, work, machine, bench, rates, &model, model_bytes, here};
  }
};

inline Setting cpu_hours(double hours, double cpu_flops) {
  Setting s;
  s.request.cpu_hours = hours;
  s.work.kind = WorkKind::cpu_hours, s.work.dtype = "fp32";
  s.work.cpu_hours = Fact<double>(hours, "test");
  if (cpu_flops > 0) s.bench = measured("cpu", "fp32", cpu_flops);
  return s;
}

/// A choice with these figures, each bound a fifth away.
inline Choice choice(const std::string& where, double hours, double usd,
                     PlanFits fits = PlanFits::yes, PlanMeets meets = PlanMeets::yes) {
  Choice c;
  c.where = where, c.gpu = "GeForce RTX 4090", c.gpu_count = 1;
  c.fits = fits, c.meets = meets;
  c.hours = Fact<PlanRange>({hours * 0.8, hours, hours * 1.2}, "test");
  c.usd = Fact<PlanRange>({usd * 0.8, usd, usd * 1.2}, "test");
  return c;
}

}  // namespace gpuready::plan

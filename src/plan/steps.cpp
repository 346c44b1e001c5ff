/// What comes before the work, and what is billed.

#include <algorithm>
#include <cmath>

#include "base/quantity.hpp"
#include "plan/evaluate.hpp"
#include "plan/range.hpp"

namespace gpuready::plan {

namespace {

constexpr double minutes = 1.0 / 60, seconds = 1.0 / 3600;

/// Minutes until a machine can be used. Lambda: 3 to 15 for small types, 25 for eight H100
/// (dstackai/dstack #2342), and a minute or two until SSH answers (skypilot PR #2265). RunPod: 30 s
/// with a cached image, 170 s for 16 GB (Crazytieguy/alignment-hive #98). Vast: the same image at
/// 128 Mb/s, which dstack's gpuhunt asks of hosts at least, takes 17. Colab: a click, and a wait.
PlanRange boot_minutes(const Candidate& candidate) {
  if (candidate.where == "lambda")
    return candidate.gpu_count >= 8 ? PlanRange{10, 18, 27} : PlanRange{4, 7, 17};
  if (candidate.where == "runpod") return {0.5, 2, 10};
  if (candidate.where == "vast") return {1, 4, 17};
  return {0.5, 1, 5};
}

bool is_here(const Candidate& candidate) { return !candidate.device.empty(); }

bool torch_is_here(const Machine& machine) {
  return std::ranges::any_of(machine.python,
                             [](const PythonEnvironment& p) { return p.torch.known(); });
}

/// Images of clouds and Colab hold PyTorch; with CUDA its wheels are some 3 GB.
PlanStep install_step(const Task& task, const Candidate& candidate) {
  if (!is_here(candidate))
    return {"install", scaled({0, 1, 5}, minutes), {"plan.step.install-image", {}}};
  if (candidate.device == "cpu" || torch_is_here(task.machine))
    return {"install", exactly(0), {"plan.step.install-there", {}}};
  return {"install", scaled({0, 5, 20}, minutes), {"plan.step.install-wheels", {}}};
}

/// Data centres: 128 Mb/s (gpuhunt's least of Vast) to 300 MB/s. At home 50 Mb/s down and 10 to 100
/// up: what stands on this disk alone has to be sent from it.
PlanStep download_step(const Task& task, const Candidate& candidate) {
  const double bytes = task.model_bytes;
  const std::string size = base::show_bytes(static_cast<std::int64_t>(bytes));
  if (is_here(candidate) && task.model_is_here)
    return {"download", exactly(0), {"plan.step.download-there", {size}}};
  constexpr double at_home = 6e6;
  if (is_here(candidate))
    return {"download", {0, 0, bytes / at_home * seconds}, {"plan.step.download-here", {size}}};
  if (task.model_is_here)
    return {"download",
            scaled({bytes / 12e6, bytes / 4e6, bytes / 1.2e6}, seconds),
            {"plan.step.upload", {size}}};
  return {"download",
          scaled({bytes / 300e6, bytes / 60e6, bytes / 16e6}, seconds),
          {"plan.step.download", {size}}};
}

double rounded_up(double hours, double unit_hours) {
  // What is a whole number of units but for rounding is not one more.
  constexpr double slack = 1e-9;
  return std::ceil(hours / unit_hours - slack) * unit_hours;
}

}  // namespace

std::vector<PlanStep> first_steps(const Task& task, const Candidate& candidate) {
  std::vector<PlanStep> steps;
  if (!is_here(candidate))
    steps.push_back({"boot",
                     scaled(boot_minutes(candidate), minutes),
                     {"plan.step.boot-" + candidate.where, {}}});
  steps.push_back(install_step(task, candidate));
  if (task.model_bytes > 0) steps.push_back(download_step(task, candidate));
  return steps;
}

PlanRange billed_hours(const std::string& provider, const std::vector<PlanStep>& steps) {
  PlanRange all;
  for (const PlanStep& step : steps) {
    // Vast bills a GPU from when it runs, not while its image loads; a host may count otherwise.
    const bool is_free = provider == "vast" && step.name == "boot";
    all = sum(all, is_free ? PlanRange{0, 0, step.hours.high} : step.hours);
  }
  // Lambda by the minute, RunPod and Vast by the second.
  const double unit = provider == "lambda" ? minutes : seconds;
  return {rounded_up(all.low, unit), rounded_up(all.expected, unit), rounded_up(all.high, unit)};
}

}  // namespace gpuready::plan

#pragma once
/// The options of `plan`.

#include <functional>
#include <string>
#include <vector>

#include "fit_options.hpp"
#include "gpuready/plan.hpp"

namespace gpuready::cli {

struct PlanOptions {
  FitOptions fit;
  /// Amounts as they were written: the parser of numbers takes neither "15T" nor refuses "nan".
  std::string tokens, prompt_tokens, train_tokens, epochs, flops, cpu_hours;
  std::string budget, deadline, max_price;
  std::string gpu, compute_dtype;
  std::vector<std::string> providers;
  bool offline = false, no_bench = false;
};

/// `help` gives the text of an option by its whole key after "help.".
void add_plan_options(CLI::App& command, PlanOptions& options,
                      const std::function<std::string(const std::string&)>& help);

/// What the parser can't: amounts, and options that exclude each other. The error is for the user.
Result<PlanRequest> plan_request(const PlanOptions& options);

}  // namespace gpuready::cli

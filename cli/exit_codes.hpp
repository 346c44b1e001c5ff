#pragma once

namespace gpuready::cli {

/// The exit codes of the contract.
enum ExitCode : int {
  exit_yes = 0,
  exit_no = 1,
  exit_usage = 2,
  exit_undecided = 3,
  exit_outside_failed = 4,
  exit_wrong_product = 5,
  exit_maybe_billing = 6,
  exit_bug = 70,
  exit_signal_base = 128,
};

}  // namespace gpuready::cli

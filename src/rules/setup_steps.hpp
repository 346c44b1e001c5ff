#pragma once
/// What to install on a machine, step by step: driver, container toolkit, PyTorch, and the command
/// that shows that it works. Pure.

#include <optional>
#include <vector>

#include "catalog/rule_text.hpp"
#include "catalog/setup_tables.hpp"
#include "gpuready/findings.hpp"
#include "gpuready/machine.hpp"
#include "gpuready/setup.hpp"

namespace gpuready::rules {

/// What a plan is made from; `doctor` is what was judged of this machine.
struct SetupInput {
  const Machine& machine;
  const Doctor& doctor;
  const catalog::SetupTables& tables;
  const catalog::RuleTexts& texts;
};

/// Never installs a driver inside WSL or a container: there it belongs to Windows or to the host.
/// No steps where there is no GPU of a vendor that PyTorch knows.
Setup plan_setup(const SetupInput& input);

/// The same plan for root, who needs no sudo (and may not have it).
void leave_out_sudo(Setup& setup);

// The parts of a plan.

/// NVIDIA's driver: install, replace, repair, or done; then Secure Boot and the restart where the
/// driver's step has commands. `driver` becomes the version that there is or will be.
std::vector<SetupStep> driver_steps(const SetupInput& input,
                                    std::optional<catalog::VersionNumber>& driver);
/// PyTorch: one step, or one per generation where no build has kernels for all; then the check.
std::vector<SetupStep> torch_steps(const SetupInput& input,
                                   const std::optional<catalog::VersionNumber>& driver,
                                   TorchPlan& plan);
/// The build for the CPU, where no GPU is.
TorchPlan torch_for_cpu();

}  // namespace gpuready::rules

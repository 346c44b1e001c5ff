#include "rules/setup_steps.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "rules/questions.hpp"
#include "rules/rule.hpp"
#include "rules/rungs.hpp"
#include "rules/setup_driver.hpp"
#include "rules/torch_rules.hpp"
#include "rules/wheel_choice.hpp"

namespace gpuready::rules {

namespace {

using Steps = std::vector<SetupStep>;

void append(Steps& to, Steps from) {
  for (SetupStep& step : from) to.push_back(std::move(step));
}

/// Where docker is and NVIDIA's container toolkit is not. Inside a container both are the host's.
Steps toolkit_steps(const SetupInput& input) {
  const Environment& where = input.machine.environment;
  if (!where.docker || where.container || where.colab || where.kaggle) return {};
  SetupStep step;
  step.id = "container-toolkit";
  step.what = {"setup.toolkit.what", {}};
  step.needs_root = true;
  if (where.container_toolkit) {
    step.done = true;
    step.why = {"setup.toolkit.done", {*where.container_toolkit}};
    return {step};
  }
  step.why = {"setup.toolkit.why", {*where.docker}};
  const auto text = input.texts.find("docker-without-gpu-toolkit");
  if (text != input.texts.end())
    for (const Fix& fix : fixes_for(text->second, {}, input.machine))
      step.commands.insert(step.commands.end(), fix.commands.begin(), fix.commands.end());
  return {step};
}

/// NVSwitches need a manager of exactly the driver's version.
Steps fabric_steps(const SetupInput& input, const std::optional<catalog::VersionNumber>& driver) {
  const Environment& where = input.machine.environment;
  const bool waits = std::ranges::any_of(
      input.doctor.findings, [](const Finding& f) { return f.id == "fabric-not-ready"; });
  if (!(waits || has_nvswitch(input.machine)) || where.container || where.wsl) return {};
  SetupStep step;
  step.id = "fabric-manager";
  step.what = {"setup.fabric.what", {}};
  step.needs_root = true;
  step.done = cuda_sees_a_device(input.machine);
  if (step.done) {
    step.why = {"setup.fabric.done", {}};
    return {step};
  }
  step.why = {"setup.fabric.why", {}};
  if (distribution_family(input.machine) == "ubuntu" && driver)
    step.commands.push_back("sudo apt-get install -y nvidia-fabricmanager-" +
                            std::to_string(driver->first()));
  step.commands.emplace_back("sudo systemctl enable --now nvidia-fabricmanager");
  return {step};
}

/// A notebook without a GPU: its runtime decides.
Steps runtime_steps(const SetupInput& input) {
  const Environment& where = input.machine.environment;
  if (!where.colab && !where.kaggle) return {};
  SetupStep step;
  step.id = "runtime";
  step.what = {"setup.runtime.what", {}};
  step.why = {where.colab ? "setup.runtime.colab" : "setup.runtime.kaggle", {}};
  return {step};
}

/// A GPU that is switched off is on no bus: until it is on, nothing can be chosen for it.
Steps switched_off_steps(const SetupInput& input) {
  const auto& findings = input.doctor.findings;
  const auto it = std::ranges::find(findings, "gpu-switched-off", &Finding::id);
  if (it == findings.end()) return {};
  SetupStep step;
  step.id = "driver";
  step.what = {"setup.driver.what-switched-off", {}};
  step.why = it->meaning;
  return {step};
}

Message summary_of(const Steps& steps) {
  if (steps.empty()) return {"setup.summary.nothing", {}};
  const auto to_do = std::ranges::count_if(
      steps, [](const SetupStep& step) { return !step.done && step.id != "check"; });
  if (to_do == 0) return {"setup.summary.done", {}};
  const auto by_hand = std::ranges::count_if(steps, [](const SetupStep& step) {
    return !step.done && step.id != "check" && step.commands.empty();
  });
  if (by_hand == to_do) return {"setup.summary.by-hand", {}};
  if (by_hand > 0) return {"setup.summary.mixed", {std::to_string(to_do), std::to_string(by_hand)}};
  return {to_do == 1 ? "setup.summary.one" : "setup.summary.some", {std::to_string(to_do)}};
}

/// "sudo " at the start of a command and after &&, || and |.
std::string without_sudo(const std::string& command) {
  const std::string sudo = "sudo ";
  std::string out;
  for (std::size_t at = 0; at < command.size();) {
    const bool starts = out.empty() || base::ends_with(out, "&& ") || base::ends_with(out, "| ") ||
                        base::ends_with(out, "|| ");
    if (starts && command.compare(at, sudo.size(), sudo) == 0) {
      at += sudo.size();
    } else {
      out += command[at++];
    }
  }
  return out;
}

}  // namespace

Setup plan_setup(const SetupInput& input) {
  const Machine& machine = input.machine;
  // In WSL the bus names Microsoft, whatever the GPU is; without a driver in Windows none is seen.
  const bool unseen = machine.environment.wsl && machine.gpus.empty();
  const bool nvidia =
      unseen || has_gpu_of(machine, "nvidia") || !nvidia_gpus_on_pci(machine).empty();
  const bool any = nvidia || has_gpu_of(machine, "amd") || has_gpu_of(machine, "intel");
  Setup setup;
  setup.verdict = Fact<std::string>::absent(Absence::not_tested, "not applied");
  setup.steps = switched_off_steps(input);
  if (!setup.steps.empty()) {
    setup.torch = torch_for_cpu();
  } else if (any) {
    std::optional<catalog::VersionNumber> driver;
    if (nvidia) {
      append(setup.steps, driver_steps(input, driver));
      append(setup.steps, fabric_steps(input, driver));
      append(setup.steps, toolkit_steps(input));
    }
    append(setup.steps, torch_steps(input, driver, setup.torch));
  } else {
    setup.steps = runtime_steps(input);
    setup.torch = torch_for_cpu();
  }
  setup.summary = summary_of(setup.steps);
  return setup;
}

void leave_out_sudo(Setup& setup) {
  for (SetupStep& step : setup.steps)
    for (std::string& command : step.commands) command = without_sudo(command);
}

}  // namespace gpuready::rules

#include "rules/setup_steps.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "rules/ladder.hpp"
#include "rules/rungs.hpp"
#include "rules/situation.hpp"
#include "rules/torch_rules.hpp"
#include "rules/wheel_choice.hpp"

namespace gpuready::rules {

namespace {

using Steps = std::vector<SetupStep>;

/// The distribution's family; empty where it is not known.
std::string family_of(const Machine& machine) {
  const std::vector<std::string> where = situations(machine);
  return where.size() > 1 ? where[where.size() - 2] : "";
}

std::string why_this_driver(const DriverNeed& need) {
  if (!need.known)
    return "the generation of the GPU is not known: take the driver that NVIDIA's "
           "page lists for it";
  if (!need.possible)
    return "no driver serves both GPUs: Blackwell needs the open kernel module, and GPUs before "
           "Turing need the proprietary one; take one of them out";
  if (need.last_branch != 0)
    return "branch " + std::to_string(need.last_branch) +
           " is the last for this GPU, with the proprietary kernel module; newer ones ignore it";
  return "the open kernel module serves GPUs from Turing on, and Blackwell works with no other";
}

SetupStep driver_step(const Machine& machine) {
  const bool works = cuda_sees_a_device(machine);
  if (machine.environment.wsl)
    return {"NVIDIA's driver in Windows",
            "inside WSL no driver is installed: the one of Windows brings the libraries. Update it "
            "in Windows, then run `wsl --update` and `wsl --shutdown` there",
            {},
            false,
            works};
  if (machine.environment.container || machine.environment.colab || machine.environment.kaggle)
    return {"NVIDIA's driver on the host",
            "inside a container no driver is installed: the host has it, and the container must be "
            "started with its GPUs (docker: --gpus all; a notebook service: a GPU runtime)",
            {},
            false,
            works};
  const DriverNeed need = driver_need(machine);
  SetupStep step{"NVIDIA's driver", why_this_driver(need),
                 driver_commands(family_of(machine), need), true, works};
  if (!step.commands.empty()) step.commands.emplace_back("sudo reboot");
  return step;
}

/// Commands that make an environment where `python` is the system's, which pip may not change.
std::vector<std::string> torch_commands(const PythonEnvironment* python, const WheelChoice& choice,
                                        const std::string& name) {
  if (choice.command.empty()) return {};
  const bool own = python != nullptr && !python->kind.is("system") && name == ".venv";
  if (own) return {python->executable + " -m " + choice.command};
  return {"python3 -m venv " + name, name + "/bin/python -m " + choice.command};
}

SetupStep torch_step(const Machine& machine, const PythonEnvironment* python,
                     const WheelRequest& request, const std::string& name) {
  const WheelChoice choice = choose_wheel(request, catalog::wheel_tables());
  SetupStep step{choice.tag.empty() ? "PyTorch" : "PyTorch (" + choice.tag + ")", choice.why,
                 torch_commands(python, choice, name), false, false};
  for (const std::string& note : choice.notes) step.why += "; " + note;
  step.done = judge_torch(machine).outcome == Outcome::pass && !wheel_lacks_one_gpu(machine);
  return step;
}

/// One step, or one per GPU generation where no build has kernels for all.
Steps torch_steps(const Machine& machine) {
  const PythonEnvironment* python = default_python(machine);
  const WheelRequest request = wheel_request(machine, python);
  const WheelChoice choice = choose_wheel(request, catalog::wheel_tables());
  if (choice.outcome != WheelOutcome::two_environments)
    return {torch_step(machine, python, request, ".venv")};
  Steps steps;
  for (const catalog::VersionNumber& capability : request.capabilities) {
    WheelRequest one = request;
    one.capabilities = {capability};
    steps.push_back(torch_step(machine, python, one, ".venv-" + capability.text()));
  }
  return steps;
}

SetupStep verify_step(const std::string& vendor) {
  const std::string device = vendor == "intel" ? "xpu" : "cuda";
  return {"Check",
          "a product on the GPU shows more than an answer that it is available",
          {"python -c \"import torch; a = torch.rand(256, 256, device='" + device +
               "'); print((a @ a).sum().item())\"",
           "gpuready doctor"},
          false,
          false};
}

}  // namespace

std::vector<SetupStep> setup_steps(const Machine& machine) {
  // In WSL the bus names Microsoft, whatever the GPU is; without a driver in Windows none is seen.
  const bool unseen = machine.environment.wsl && machine.gpus.empty();
  const bool nvidia =
      unseen || has_gpu_of(machine, "nvidia") || !nvidia_gpus_on_pci(machine).empty();
  const bool any = nvidia || has_gpu_of(machine, "amd") || has_gpu_of(machine, "intel");
  if (!any) return {};
  Steps steps;
  if (nvidia) steps.push_back(driver_step(machine));
  for (SetupStep& step : torch_steps(machine)) steps.push_back(std::move(step));
  steps.push_back(verify_step(wheel_request(machine, nullptr).vendor));
  return steps;
}

}  // namespace gpuready::rules

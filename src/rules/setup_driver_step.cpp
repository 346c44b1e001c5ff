#include <algorithm>
#include <array>

#include "base/messages.hpp"
#include "base/text.hpp"
#include "rules/ladder.hpp"
#include "rules/rule.hpp"
#include "rules/rungs.hpp"
#include "rules/setup_driver.hpp"
#include "rules/setup_steps.hpp"
#include "rules/wheel_choice.hpp"
#include "rules/wheel_questions.hpp"

namespace gpuready::rules {

namespace {

using catalog::VersionNumber;
using Steps = std::vector<SetupStep>;

/// Findings whose cure installs, builds or loads what is there, and so may be part of a plan.
constexpr std::array<std::string_view, 9> curable{"module-not-built-for-kernel",
                                                  "module-blacklisted",
                                                  "module-not-loaded",
                                                  "nouveau-bound",
                                                  "nova-bound",
                                                  "driver-library-mismatch",
                                                  "driver-mismatch-while-running",
                                                  "libcuda-missing",
                                                  "uvm-missing"};

SetupStep driver_step(Message why, bool done) {
  SetupStep step;
  step.id = "driver";
  step.what = {"setup.driver.what", {}};
  step.why = std::move(why);
  step.done = done;
  return step;
}

/// Findings of a driver that is whole and can't serve the GPU, so that another one is installed.
constexpr std::array<std::string_view, 3> wrong_drivers{
    "closed-module-on-new-gpu", "open-module-on-old-gpu", "gpu-too-old-for-driver"};

bool has_finding(const Doctor& doctor, std::string_view id) {
  return std::ranges::any_of(doctor.findings, [&](const Finding& f) { return f.id == id; });
}

template <std::size_t N>
bool has_any_finding(const Doctor& doctor, const std::array<std::string_view, N>& ids) {
  return std::ranges::any_of(ids, [&](std::string_view id) { return has_finding(doctor, id); });
}

/// What keeps an installed driver from working, where a rule knows it; nullptr otherwise.
const Finding* first_blocker(const Doctor& doctor) {
  const bool blocked =
      !doctor.findings.empty() && doctor.findings.front().severity == Severity::blocker;
  return blocked ? &doctor.findings.front() : nullptr;
}

Message see_doctor(const Doctor& doctor) {
  const Finding* blocker = first_blocker(doctor);
  if (blocker == nullptr || blocker->meaning.args.empty()) return {"setup.driver.see-doctor", {}};
  return base::put_around("setup.driver.see-doctor-for", blocker->meaning);
}

/// Inside WSL, a container or a notebook: where the driver belongs instead.
std::optional<SetupStep> driver_elsewhere(const SetupInput& input, bool works) {
  const Environment& where = input.machine.environment;
  if (where.wsl) {
    SetupStep step =
        driver_step({works ? "setup.driver.windows-works" : "setup.driver.windows", {}}, works);
    if (has_finding(input.doctor, "linux-driver-in-wsl")) step.why = see_doctor(input.doctor);
    step.what = {"setup.driver.what-windows", {}};
    return step;
  }
  if (where.colab || where.kaggle)
    return driver_step({works ? "setup.driver.notebook-works" : "setup.driver.notebook", {}},
                       works);
  if (!where.container) return {};
  SetupStep step =
      driver_step({works ? "setup.driver.host-works" : "setup.driver.host", {}}, works);
  step.what = {"setup.driver.what-host", {}};
  return step;
}

bool is_installed(const Driver& driver) {
  return driver.nvml.library || driver.cuda.library || driver.module.version ||
         driver.module.installed_for_kernel.is(true);
}

/// Whether the installed driver, whatever its state, can't serve the GPUs.
bool is_wrong_driver(const Machine& machine, const DriverNeed& need,
                     const std::optional<VersionNumber>& version,
                     const catalog::SetupTables& tables) {
  if (!need.known || !need.possible) return false;
  const Fact<std::string>& flavour = machine.driver.module.flavour;
  if ((!need.open && flavour.is("open")) || (need.blackwell && flavour.is("proprietary")))
    return true;
  if (!version) return false;
  if (need.last_branch != 0 && version->first() > need.last_branch) return true;
  const auto first = first_driver_for(tables.wheels, need.capabilities.back());
  return first && *version < *first;
}

/// Why this driver, in the order of what decides.
Message reason_for(const Machine& machine, const DriverNeed& need, const DriverInstall& install,
                   const catalog::SetupTables& tables) {
  if (!need.known && need.unknown_device.empty()) return {"setup.driver.why-unseen", {}};
  if (!need.known)
    return {install.commands.empty() ? "setup.driver.why-newer" : "setup.driver.why-newer-detected",
            {need.unknown_device, tables.chips_as_of}};
  if (!need.possible) return {"setup.driver.why-impossible", {need.generations}};
  const std::string branch = std::to_string(need.last_branch);
  if (need.last_branch != 0 && need.last_branch < 470)
    return {"setup.driver.why-too-old", {need.generations, branch}};
  const std::string family = distribution_family(machine);
  if (family == "nixos") return {"setup.driver.why-nixos", {need.open ? "true" : "false"}};
  if (install.commands.empty() && need.last_branch != 0)
    return {family == "arch" ? "setup.driver.why-aur" : "setup.driver.why-last-no-way",
            {branch, need.generations}};
  if (install.commands.empty()) return {"setup.driver.why-no-way", {need.generations}};
  if (need.last_branch != 0 && install.version && install.version->first() >= need.last_branch)
    return {"setup.driver.why-last-branch", {branch, need.generations}};
  if (!install.open && install.version)
    return {"setup.driver.why-distribution", {install.version->text(), need.generations}};
  return {need.blackwell ? "setup.driver.why-open-only" : "setup.driver.why-open",
          {need.generations}};
}

SetupStep install_step(const SetupInput& input, const DriverNeed& need,
                       const DriverInstall& install, bool replaces) {
  SetupStep step = driver_step(reason_for(input.machine, need, install, input.tables), false);
  if (replaces) step.what = {"setup.driver.what-replace", {}};
  step.commands = install.commands;
  step.needs_root = !step.commands.empty();
  return step;
}

/// A system that is one image brings the driver in its own way, which the rule's text tells.
SetupStep image_step(const SetupInput& input, bool replaces) {
  SetupStep step = driver_step({"setup.driver.why-image", {}}, false);
  if (replaces) step.what = {"setup.driver.what-replace", {}};
  const auto text = input.texts.find("driver-not-installed");
  if (text == input.texts.end()) return step;
  for (const Fix& fix : fixes_for(text->second, {}, input.machine))
    if (fix.commands.empty()) step.why = fix.when;  // a text that leads to no commands
  return step;
}

/// A driver that is installed and does not work: the cure of the worst finding, where it is one
/// that a plan may hold.
SetupStep repair_step(const Doctor& doctor, bool& restarts) {
  SetupStep step = driver_step(see_doctor(doctor), false);
  step.what = {"setup.driver.what-repair", {}};
  const Finding* blocker = first_blocker(doctor);
  if (blocker == nullptr || std::ranges::find(curable, blocker->id) == curable.end()) return step;
  step.why = blocker->meaning;
  for (const Fix& fix : blocker->fixes)
    for (const std::string& command : fix.commands) {
      if (base::contains(command, "dmesg")) continue;  // a question, no cure
      restarts = restarts || command == "sudo reboot";
      if (!restarts) step.commands.push_back(command);
    }
  step.needs_root = !step.commands.empty();
  return step;
}

/// Modules that DKMS or akmods build must be signed with a key that the firmware knows.
SetupStep secure_boot_step(const SetupInput& input, bool rejected) {
  SetupStep step;
  step.id = "secure-boot";
  step.what = {"setup.secure-boot.what", {}};
  const std::string family = distribution_family(input.machine);
  if (family == "ubuntu" && !rejected) {
    step.done = true;
    step.why = {"setup.secure-boot.signed", {}};
    return step;
  }
  step.why = {"setup.secure-boot.why", {}};
  const auto text = input.texts.find("secure-boot-rejects-module");
  const bool known = family == "ubuntu" || family == "debian" || family == "fedora";
  if (!known || text == input.texts.end()) {
    step.why = {"setup.secure-boot.by-hand", {}};
    return step;
  }
  for (const Fix& fix : fixes_for(text->second, {}, input.machine))
    for (const std::string& command : fix.commands)
      if (command != "sudo reboot") step.commands.push_back(command);
  step.needs_root = true;
  return step;
}

SetupStep restart_step(bool secure_boot) {
  SetupStep step;
  step.id = "restart";
  step.what = {"setup.restart.what", {}};
  step.why = {secure_boot ? "setup.restart.why-secure-boot" : "setup.restart.why", {}};
  step.commands = {"sudo reboot"};
  step.needs_root = true;
  return step;
}

/// Whether every GPU on the bus is set aside for a virtual machine.
bool all_set_aside(const Machine& machine) {
  const auto gpus = nvidia_gpus_on_pci(machine);
  return !gpus.empty() && std::ranges::all_of(gpus, [](const PciFunction* gpu) {
    return gpu->driver.is("vfio-pci");
  });
}

/// A driver that runs, where the builds of PyTorch for these GPUs need a newer one.
std::optional<VersionNumber> newer_driver_needed(const SetupInput& input) {
  const PythonEnvironment* python = default_python(input.machine);
  const WheelChoice choice =
      choose_wheel(wheel_request(input.machine, python), input.tables.wheels);
  if (choice.outcome != WheelOutcome::driver_too_old) return {};
  return choice.driver_needed;
}

Message works(const Machine& machine, const std::optional<VersionNumber>& version) {
  if (!version) return {"setup.driver.works-unnamed", {}};
  return {"setup.driver.works",
          {version->text(), std::to_string(machine.driver.cuda.devices.size())}};
}

Steps with_secure_boot_and_restart(const SetupInput& input, SetupStep driver, bool restarts) {
  const bool rejected = has_finding(input.doctor, "secure-boot-rejects-module");
  const bool installs = !driver.commands.empty();
  const bool secure = input.machine.driver.module.secure_boot.is(true) && (installs || rejected);
  Steps steps;
  if (!rejected) steps.push_back(std::move(driver));
  if (secure) steps.push_back(secure_boot_step(input, rejected));
  const bool enrols = secure && !steps.back().done && !steps.back().commands.empty();
  if (restarts || enrols) steps.push_back(restart_step(enrols));
  return steps;
}

}  // namespace

Steps driver_steps(const SetupInput& input, std::optional<VersionNumber>& driver) {
  const Machine& machine = input.machine;
  const bool runs = cuda_sees_a_device(machine);
  driver = wheel_request(machine, nullptr).driver;
  if (auto elsewhere = driver_elsewhere(input, runs)) return {std::move(*elsewhere)};
  const auto needed = runs ? newer_driver_needed(input) : std::nullopt;
  if (runs && !needed) return {driver_step(works(machine, driver), true)};
  if (all_set_aside(machine)) return {driver_step({"setup.driver.set-aside", {}}, false)};
  const DriverNeed need = driver_need(machine, input.tables);
  const bool installed = is_installed(machine.driver);
  const bool wrong = needed || has_any_finding(input.doctor, wrong_drivers) ||
                     is_wrong_driver(machine, need, driver, input.tables);
  if (installed && !wrong && has_finding(input.doctor, "fabric-not-ready"))
    return {driver_step({"setup.driver.waits-for-fabric", {}}, true)};
  if (installed && !wrong && machine.os.image) {  // only its next image, or the last, mends it
    SetupStep step = driver_step(see_doctor(input.doctor), false);
    step.what = {"setup.driver.what-repair", {}};
    return {std::move(step)};
  }
  if (installed && !wrong) {
    bool restarts = false;
    SetupStep step = repair_step(input.doctor, restarts);
    return with_secure_boot_and_restart(input, std::move(step), restarts);
  }
  if (machine.os.image) return {image_step(input, installed)};
  const DriverInstall install = driver_install(machine, need, input.tables);
  SetupStep step = install_step(input, need, install, installed);
  if (needed && driver) step.why = {"setup.driver.why-update", {driver->text(), needed->text()}};
  driver = install.version;
  const bool restarts = !step.commands.empty();
  return with_secure_boot_and_restart(input, std::move(step), restarts);
}

}  // namespace gpuready::rules

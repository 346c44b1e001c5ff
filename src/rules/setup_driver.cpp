#include <algorithm>

#include "base/text.hpp"
#include "catalog/wheels.hpp"
#include "rules/rungs.hpp"
#include "rules/setup_steps.hpp"

namespace gpuready::rules {

namespace {

using catalog::VersionNumber;
using Commands = std::vector<std::string>;

/// Generations by what a driver can do for them.
enum class Age { kepler, maxwell_to_volta, turing_to_hopper, blackwell };

Age age_of(const VersionNumber& capability) {
  if (capability < VersionNumber{5, 0}) return Age::kepler;
  if (capability < VersionNumber{7, 5}) return Age::maxwell_to_volta;
  if (capability < VersionNumber{10, 0}) return Age::turing_to_hopper;
  return Age::blackwell;
}

/// NVIDIA numbers its devices by generation (the PCI ID repository: GM107 begins at 0x1340, TU102
/// at 0x1e00, GB100 at 0x2900).
Age age_of_device(std::int64_t device) {
  if (device < 0x1340) return Age::kepler;
  if (device < 0x1e00) return Age::maxwell_to_volta;
  if (device < 0x2900) return Age::turing_to_hopper;
  return Age::blackwell;
}

/// From the bus, which knows every GPU with or without a driver; from CUDA where the bus is hidden.
std::vector<Age> ages(const Machine& machine) {
  std::vector<Age> found;
  for (const PciFunction* gpu : nvidia_gpus_on_pci(machine)) {
    const std::string id = gpu->device_id.value_or("");
    const auto device = base::starts_with(id, "0x")
                            ? base::to_integer(std::string_view(id).substr(2), 16)
                            : std::nullopt;
    if (device) found.push_back(age_of_device(*device));
  }
  if (!found.empty()) return found;
  for (const CudaDevice& device : machine.driver.cuda.devices)
    if (const auto capability = VersionNumber::parse(device.compute_capability.value_or("")))
      found.push_back(age_of(*capability));
  return found;
}

/// "580" as the end of a package's name, or nothing for the current branch.
std::string branch_or(const DriverNeed& need, const std::string& current) {
  return need.last_branch != 0 ? std::to_string(need.last_branch) : current;
}

Commands for_ubuntu(const DriverNeed& need) {
  if (need.last_branch == 0 && !need.open) return {"sudo ubuntu-drivers install"};
  const std::string package =
      "nvidia-driver-" + branch_or(need, "580") + (need.open ? "-open" : "");
  Commands commands{"sudo apt update", "sudo apt install -y " + package};
  if (need.last_branch != 0) commands.push_back("sudo apt-mark hold " + package);
  return commands;
}

Commands for_debian(const DriverNeed& need) {
  if (need.last_branch == 470) return {};
  const std::string module = need.open ? "nvidia-open-kernel-dkms " : "";
  return {"sudo apt update", "sudo apt install -y linux-headers-$(uname -r) " + module +
                                 "nvidia-driver firmware-misc-nonfree"};
}

Commands for_fedora(const DriverNeed& need) {
  const std::string branch = need.last_branch != 0 ? "-" + branch_or(need, "") + "xx" : "";
  Commands commands;
  if (need.open)
    commands.emplace_back(
        "echo '%_with_kmod_nvidia_open 1' | sudo tee /etc/rpm/macros.nvidia-kmod");
  commands.push_back("sudo dnf install -y akmod-nvidia" + branch + " xorg-x11-drv-nvidia" + branch +
                     "-cuda");
  commands.emplace_back("sudo akmods --force");
  return commands;
}

Commands for_rhel(const DriverNeed& need) {
  const std::string stream = need.open ? "open-dkms" : branch_or(need, "latest") + "-dkms";
  return {"sudo dnf module install -y nvidia-driver:" + stream};
}

}  // namespace

DriverNeed driver_need(const Machine& machine) {
  DriverNeed need;
  const std::vector<Age> found = ages(machine);
  if (found.empty()) return need;
  const auto [oldest, newest] = std::ranges::minmax(found);
  need.known = true;
  const bool legacy = oldest < Age::turing_to_hopper;
  need.open = !legacy;  // the open module has no code for GPUs before Turing
  need.last_branch = oldest == Age::kepler ? 470 : legacy ? 580 : 0;
  // Blackwell needs the open module; branch 470 ends before Ada and Hopper, and is kept to Kepler.
  need.possible = !(legacy && newest == Age::blackwell);
  return need;
}

Commands driver_commands(const std::string& family, const DriverNeed& need) {
  if (!need.known || !need.possible) return {};
  if (family == "ubuntu") return for_ubuntu(need);
  if (family == "debian") return for_debian(need);
  if (family == "fedora") return for_fedora(need);
  if (family == "rhel") return for_rhel(need);
  if (family == "suse" && need.open)
    return {
        "sudo zypper install -y nvidia-open-driver-G06-signed-kmp-default "
        "nvidia-compute-utils-G06"};
  if (family == "arch" && need.open) return {"sudo pacman -S --needed nvidia-open nvidia-utils"};
  return {};
}

}  // namespace gpuready::rules

/// The distributions' ways to NVIDIA's driver. Sources: the distributions' own package lists and
/// pages (Ubuntu Server guide, Debian wiki NvidiaGraphicsDrivers, RPM Fusion Howto/NVIDIA, Arch
/// wiki NVIDIA, openSUSE SDB:NVIDIA drivers), NVIDIA's driver installation guide.

#include "base/text.hpp"
#include "rules/setup_driver.hpp"

namespace gpuready::rules {

namespace {

using catalog::DistroDriver;
using catalog::SetupTables;
using catalog::VersionNumber;
using Commands = std::vector<std::string>;

const std::string nvidia_repository = "https://developer.download.nvidia.com/compute/cuda/repos/";

/// The first release of a branch for Linux (580.65.06 is its first production release); of others
/// nothing is said.
std::optional<VersionNumber> first_of_branch(int branch) {
  if (branch == 580) return VersionNumber::parse("580.65.06");
  if (branch == 470) return VersionNumber::parse("470.42.01");
  return {};
}

/// NVIDIA's name of the architecture in its repositories.
std::string repository_arch(const Machine& machine) {
  return machine.os.architecture.is("aarch64") ? "sbsa" : "x86_64";
}

DriverInstall with_ubuntu_drivers(const DriverNeed& need, const DistroDriver* row) {
  DriverInstall install;
  install.commands = {"sudo apt-get update", "sudo apt-get install -y ubuntu-drivers-common"};
  const auto version = need.last_branch != 0 ? first_of_branch(need.last_branch)
                       : row != nullptr      ? std::optional(row->driver)
                                             : std::nullopt;
  if (!need.known || !version) {  // it looks for itself
    install.open = need.open;
    install.commands.emplace_back("sudo ubuntu-drivers install");
    return install;
  }
  const std::string branch = std::to_string(version->first());
  const bool server = need.data_center && need.open;
  install.open = need.open, install.version = version;
  install.commands.push_back("sudo ubuntu-drivers install " +
                             std::string(server ? "--gpgpu " : "") + "nvidia:" + branch +
                             (server ? "-server" : "") + (need.open ? "-open" : ""));
  if (server)
    install.commands.push_back("sudo apt-get install -y nvidia-utils-" + branch + "-server");
  if (need.last_branch != 0)
    install.commands.push_back("sudo apt-mark hold nvidia-driver-" + branch);
  return install;
}

DriverInstall for_ubuntu(const Machine& machine, const DriverNeed& need,
                         const SetupTables& tables) {
  if (machine.os.id.is("pop")) {
    if (need.last_branch != 0) return {};
    return {
        {"sudo apt-get update", "sudo apt-get install -y system76-driver-nvidia"}, need.open, {}};
  }
  return with_ubuntu_drivers(need, find_distro_driver(tables, machine.os.id.value_or(""),
                                                      machine.os.version_id.value_or("")));
}

/// Debian's own packages; NVIDIA's where Debian's are older than the GPU.
DriverInstall for_debian(const Machine& machine, const DriverNeed& need,
                         const SetupTables& tables) {
  const std::string release = machine.os.version_id.value_or("");
  const DistroDriver* row = find_distro_driver(tables, "debian", release);
  if (row == nullptr || !machine.os.id.is("debian") || !need.known) return {};
  const bool proxmox = base::ends_with(machine.os.kernel.value_or(""), "-pve");
  const std::string headers = std::string("sudo apt-get install -y ") +
                              (proxmox ? "proxmox" : "linux") + "-headers-$(uname -r) ";
  if (need.blackwell) {
    const std::string keyring = "cuda-keyring_1.1-1_all.deb";
    return {{"wget -O /tmp/" + keyring + " " + nvidia_repository + "debian" + release + "/" +
                 repository_arch(machine) + "/" + keyring,
             "sudo dpkg -i /tmp/" + keyring, "sudo apt-get update", headers + "nvidia-open"},
            true,
            {}};
  }
  const bool kepler = need.last_branch == 470;
  if (kepler && release != "12") return {};
  DriverInstall install;
  install.commands = {
      "echo \"deb http://deb.debian.org/debian $(. /etc/os-release && echo $VERSION_CODENAME) "
      "contrib non-free non-free-firmware\" | sudo tee /etc/apt/sources.list.d/non-free.list",
      "sudo apt-get update",
      headers + (kepler ? "nvidia-tesla-470-driver" : "nvidia-driver firmware-misc-nonfree")};
  install.version = kepler ? first_of_branch(470) : row->driver;
  return install;
}

DriverInstall for_fedora(const Machine& machine, const DriverNeed& need) {
  if (!need.known || !machine.os.id.is("fedora")) return {};
  const std::string branch =
      need.last_branch != 0 ? "-" + std::to_string(need.last_branch) + "xx" : "";
  const std::string source = "https://mirrors.rpmfusion.org/";
  DriverInstall install;
  install.open = need.open, install.version = first_of_branch(need.last_branch);
  install.commands = {"sudo dnf install -y " + source +
                      "free/fedora/rpmfusion-free-release-$(rpm -E %fedora).noarch.rpm " + source +
                      "nonfree/fedora/rpmfusion-nonfree-release-$(rpm -E %fedora).noarch.rpm"};
  if (need.open)
    install.commands.emplace_back(
        "echo '%_with_kmod_nvidia_open 1' | sudo tee /etc/rpm/macros.nvidia-kmod");
  install.commands.push_back("sudo dnf install -y kernel-devel-$(uname -r) akmod-nvidia" + branch +
                             " xorg-x11-drv-nvidia" + branch + "-cuda");
  install.commands.emplace_back("sudo akmods --force");
  return install;
}

/// Amazon Linux 2023, for which NVIDIA's repository has the open flavour.
DriverInstall for_amazon(const Machine& machine, const DriverNeed& need) {
  if (!need.known || !need.open || !machine.os.version_id.is("2023")) return {};
  return {{"sudo dnf install -y kernel-devel-$(uname -r) kernel-modules-extra",
           "sudo dnf config-manager --add-repo " + nvidia_repository + "amzn2023/" +
               repository_arch(machine) + "/cuda-amzn2023.repo",
           "sudo dnf module install -y nvidia-driver:open-dkms"},
          true,
          {}};
}

DriverInstall for_rhel(const Machine& machine, const DriverNeed& need) {
  const std::string release = machine.os.version_id.value_or("");
  const std::string major = release.substr(0, release.find('.'));
  const bool known_release = major == "8" || major == "9" || major == "10";
  if (machine.os.id.is("amzn")) return for_amazon(machine, need);
  if (!need.known || !known_release) return {};
  if (need.last_branch == 470 && major != "8") return {};
  if (need.last_branch != 0 && major == "10") return {};
  DriverInstall install;
  install.open = need.open, install.version = first_of_branch(need.last_branch);
  install.commands = {
      "sudo dnf install -y dnf-plugins-core kernel-devel-$(uname -r) "
      "https://dl.fedoraproject.org/pub/epel/epel-release-latest-" +
          major + ".noarch.rpm",
      "sudo dnf config-manager --add-repo " + nvidia_repository + "rhel" + major + "/" +
          repository_arch(machine) + "/cuda-rhel" + major + ".repo"};
  const std::string stream = need.open ? "open-dkms" : std::to_string(need.last_branch) + "-dkms";
  install.commands.push_back(major == "10" ? "sudo dnf install -y nvidia-open"
                                           : "sudo dnf module install -y nvidia-driver:" + stream);
  return install;
}

DriverInstall for_suse(const Machine& machine, const DriverNeed& need) {
  if (!need.known || !need.open) return {};
  DriverInstall install;
  install.open = true;
  if (machine.os.id.is("opensuse-leap"))
    install.commands.emplace_back("sudo zypper install -y openSUSE-repos-Leap-NVIDIA");
  if (machine.os.id.is("opensuse-tumbleweed"))
    install.commands.emplace_back("sudo zypper install -y openSUSE-repos-Tumbleweed-NVIDIA");
  install.commands.emplace_back(
      "sudo zypper --gpg-auto-import-keys install -y "
      "nvidia-open-driver-G06-signed-kmp-default nvidia-compute-utils-G06");
  return install;
}

/// The packages of the module for the running kernel.
std::string arch_module(const std::string& kernel) {
  if (base::contains(kernel, "-arch")) return "nvidia-open";
  if (base::ends_with(kernel, "-lts")) return "nvidia-open-dkms linux-lts-headers";
  if (base::ends_with(kernel, "-zen")) return "nvidia-open-dkms linux-zen-headers";
  return {};
}

DriverInstall for_arch(const Machine& machine, const DriverNeed& need) {
  if (machine.os.id.is("manjaro"))
    return {{"sudo mhwd -a pci nonfree 0300"}, need.open, first_of_branch(need.last_branch)};
  // CachyOS chooses branch and flavour by the GPU.
  if (machine.os.id.is("cachyos"))
    return {{"sudo chwd -a"}, need.open, first_of_branch(need.last_branch)};
  const std::string module = arch_module(machine.os.kernel.value_or(""));
  if (!need.known || !need.open || module.empty()) return {};
  return {{"sudo pacman -S --needed --noconfirm " + module + " nvidia-utils"}, true, {}};
}

}  // namespace

DriverInstall driver_install(const Machine& machine, const DriverNeed& need,
                             const SetupTables& tables) {
  const bool too_old = need.last_branch != 0 && need.last_branch < 470;
  if ((need.known && !need.possible) || too_old) return {};
  const std::string family = distribution_family(machine);
  if (family == "ubuntu") return for_ubuntu(machine, need, tables);
  if (family == "debian") return for_debian(machine, need, tables);
  if (family == "fedora") return for_fedora(machine, need);
  if (family == "rhel") return for_rhel(machine, need);
  if (family == "suse") return for_suse(machine, need);
  if (family == "arch") return for_arch(machine, need);
  return {};
}

}  // namespace gpuready::rules

#include "rules/situation.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"

namespace gpuready::rules {

namespace {

/// Short names of os-release and the family whose package manager they share.
constexpr std::array<std::pair<const char*, const char*>, 24> families{
    {{"ubuntu", "ubuntu"},
     {"pop", "ubuntu"},
     {"linuxmint", "ubuntu"},
     {"elementary", "ubuntu"},
     {"zorin", "ubuntu"},
     {"debian", "debian"},
     {"kali", "debian"},
     {"fedora", "fedora"},
     {"nobara", "fedora"},
     {"rhel", "rhel"},
     {"centos", "rhel"},
     {"rocky", "rhel"},
     {"almalinux", "rhel"},
     {"ol", "rhel"},
     {"amzn", "rhel"},
     {"opensuse-leap", "suse"},
     {"opensuse-tumbleweed", "suse"},
     {"sles", "suse"},
     {"suse", "suse"},
     {"arch", "arch"},
     {"manjaro", "arch"},
     {"endeavouros", "arch"},
     {"cachyos", "arch"},
     {"nixos", "nixos"}}};

/// The family of one short name, or an empty word.
std::string family_named(const std::string& id) {
  const auto* const it =
      std::ranges::find_if(families, [&](const auto& row) { return id == row.first; });
  return it == families.end() ? "" : it->second;
}

/// Linux Mint's edition that is made of Debian (LMDE) has Mint's name and Debian's packages.
bool is_debians_mint(const Os& os) {
  return os.id.is("linuxmint") && os.id_like && !base::contains(*os.id_like, "ubuntu");
}

/// By the distribution's own name, or by the first relative that is known (os-release(5): ID_LIKE
/// begins with the closest).
std::string family_of(const Os& os) {
  std::vector<std::string> names = base::split(os.id_like.value_or(""), ' ');
  if (!is_debians_mint(os)) names.insert(names.begin(), os.id.value_or(""));
  for (const std::string& name : names)
    if (std::string family = family_named(name); !family.empty()) return family;
  return {};
}

}  // namespace

std::vector<std::string> situations(const Machine& machine) {
  const Environment& where = machine.environment;
  std::vector<std::string> found;
  if (where.colab) found.emplace_back("colab");
  if (where.kaggle) found.emplace_back("kaggle");
  if (where.slurm) found.emplace_back("slurm");
  if (where.wsl) found.emplace_back("wsl");
  if (where.container) {
    found.push_back(*where.container);  // docker, podman, kubernetes, apptainer, lxc, ...
    found.emplace_back("container");
  }
  // Proxmox VE is Debian with a kernel of its own.
  if (base::ends_with(machine.os.kernel.value_or(""), "-pve")) found.emplace_back("proxmox");
  // Into an image nothing is installed by its family's package manager.
  if (machine.os.image)
    found.push_back(*machine.os.image);  // ostree, steamos, microos, truenas, unraid
  else if (const std::string family = family_of(machine.os); !family.empty())
    found.push_back(family);
  found.emplace_back("any");
  return found;
}

}  // namespace gpuready::rules

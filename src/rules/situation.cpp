#include "rules/situation.hpp"

#include <array>
#include <utility>

namespace gpuready::rules {

namespace {

/// Short names of os-release and the family whose package manager they share.
constexpr std::array<std::pair<const char*, const char*>, 22> families{
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
     {"arch", "arch"},
     {"manjaro", "arch"},
     {"endeavouros", "arch"},
     {"nixos", "nixos"}}};

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
  for (const auto& [id, family] : families)
    if (machine.os.id.is(id)) found.emplace_back(family);
  found.emplace_back("any");
  return found;
}

}  // namespace gpuready::rules

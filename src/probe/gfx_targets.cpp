#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/format.hpp"
#include "base/text.hpp"
#include "probe/pci_class.hpp"
#include "probe/probe.hpp"
#include "probe/read.hpp"

namespace gpuready::probe {

namespace {

const std::string nodes = "/sys/class/kfd/kfd/topology/nodes";

/// Numbers of a node's properties (amdkfd's kfd_topology.c: "name value" per line).
std::int64_t property(const std::string& text, std::string_view name) {
  for (const std::string& line : base::split_lines(text))
    if (base::starts_with(line, name) && line.size() > name.size() && line[name.size()] == ' ')
      return base::to_integer(base::trim(std::string_view(line).substr(name.size()))).value_or(0);
  return 0;
}

/// 90010 is gfx90a: major * 10000 + minor * 100 + stepping, of which the last two are hexadecimal
/// digits.
std::string gfx_name(std::int64_t version) {
  return base::format("gfx{}{:x}{:x}", version / 10000, version / 100 % 100, version % 100);
}

/// "0000:03:00.0" from the domain and the location: bus, device and function in 8, 5 and 3 bits.
std::string address_of(std::int64_t domain, std::int64_t location) {
  const auto at = static_cast<std::uint64_t>(location);
  return base::format("{:04x}:{:02x}:{:02x}.{:x}", domain, (at >> 8U) & 0xffU, (at >> 3U) & 0x1fU,
                      at & 7U);
}

struct Target {
  std::string name, path;
};

std::map<std::string, Target> targets_by_address(host::Host& host) {
  std::map<std::string, Target> found;
  for (const std::string& name : list_or_empty(host, nodes)) {
    const std::string path = nodes + "/" + name + "/properties";
    const std::string text = read_or_empty(host, path);
    const std::int64_t version = property(text, "gfx_target_version");
    if (version <= 0) continue;  // a CPU's node
    const std::string address = address_of(property(text, "domain"), property(text, "location_id"));
    found.emplace(address, Target{gfx_name(version), path});
  }
  return found;
}

}  // namespace

void probe_gfx_targets(host::Host& host, std::vector<PciFunction>& pci) {
  std::map<std::string, Target> targets;
  bool asked = false;
  for (PciFunction& function : pci) {
    if (!is_gpu(function) || !function.vendor_id.is(std::string(pci_amd))) {
      function.gfx_target = Missing{Absence::not_applicable, "only AMD's GPUs have one", {}};
      continue;
    }
    if (!asked) targets = targets_by_address(host);
    asked = true;
    const auto it = targets.find(function.address);
    function.gfx_target =
        it != targets.end()
            ? Fact<std::string>(it->second.name, it->second.path)
            : Fact<std::string>(Missing{Absence::not_found, nodes + " does not list this GPU", {}});
  }
}

}  // namespace gpuready::probe

#include "rules/visible_devices.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"

namespace gpuready::rules {

namespace {

bool names_a_gpu(const std::string& entry, const std::vector<NvmlDevice>& devices) {
  if (base::starts_with(entry, "MIG-")) return true;
  if (base::starts_with(entry, "GPU-"))
    return std::ranges::any_of(devices, [&](const NvmlDevice& device) {
      return !device.uuid || base::starts_with(*device.uuid, entry);
    });
  const auto number = base::to_integer(entry);
  return number && *number >= 0 && *number < static_cast<std::int64_t>(devices.size());
}

}  // namespace

std::optional<InvalidEntry> first_invalid_entry(std::string_view value,
                                                const std::vector<NvmlDevice>& devices) {
  if (base::trim(value).empty()) return {};
  std::set<std::string> seen;
  for (const std::string& part : base::split(value, ',')) {
    const std::string entry(base::trim(part));
    if (!names_a_gpu(entry, devices) || !seen.insert(entry).second)
      return InvalidEntry{entry.empty() ? "(empty)" : entry, seen.size()};
  }
  return {};
}

}  // namespace gpuready::rules

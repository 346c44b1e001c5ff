#pragma once
/// Where this process's control group and its ancestors stand in /sys/fs/cgroup.

#include <string>
#include <string_view>
#include <vector>

#include "host/host.hpp"

namespace gpuready::probe {

struct ControlGroup {
  /// Folders from the process's own group up to the root, of version 2 and of version 1's
  /// `controller`. A folder need not exist: inside a container the path can be the host's, and
  /// then only the root (which is the container's own group) answers.
  std::vector<std::string> v2, v1;
  bool known = false;  ///< whether /proc/self/cgroup or /sys/fs/cgroup could be read at all
};

ControlGroup find_control_group(host::Host& host, std::string_view controller);

}  // namespace gpuready::probe

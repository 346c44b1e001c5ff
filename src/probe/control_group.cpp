#include "probe/control_group.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "probe/read.hpp"

namespace gpuready::probe {

namespace {

/// A path deeper than any service manager makes; bounds the work on a made-up one.
constexpr std::size_t most_levels = 64;

/// root/a/b, root/a, root for "/a/b". A path that leads out of the namespace ("/../x") counts as
/// the root.
std::vector<std::string> with_ancestors(const std::string& root, const std::string& path) {
  std::vector<std::string> folders{root};
  for (const std::string& part : base::split(path, '/')) {
    if (part.empty()) continue;
    if (part == ".." || folders.size() > most_levels) return {root};
    folders.push_back(folders.back() + "/" + part);
  }
  std::ranges::reverse(folders);
  return folders;
}

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
  for (const std::string& folder : more)
    if (std::ranges::find(to, folder) == to.end()) to.push_back(folder);
}

/// Fields of one line of /proc/self/cgroup, see cgroups(7): hierarchy:controllers:path.
struct Line {
  std::string controllers, path;
};

std::vector<Line> parse_lines(const std::string& text) {
  std::vector<Line> lines;
  for (const std::string& line : base::split_lines(text)) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    lines.push_back({line.substr(first + 1, second - first - 1), line.substr(second + 1)});
  }
  return lines;
}

}  // namespace

ControlGroup find_control_group(host::Host& host, std::string_view controller) {
  const std::string root = "/sys/fs/cgroup";
  const Result<std::string> text = host.read_file("/proc/self/cgroup");
  ControlGroup group;
  group.known = text.has_value() || exists(host, root);
  for (const Line& line : parse_lines(text.value_or(std::string()))) {
    const std::vector<std::string> names = base::split(line.controllers, ',');
    if (line.controllers.empty()) {
      append(group.v2, with_ancestors(root, line.path));
    } else if (std::ranges::find(names, controller) != names.end()) {
      append(group.v1, with_ancestors(root + "/" + line.controllers, line.path));
      append(group.v1, with_ancestors(root + "/" + std::string(controller), line.path));
    }
  }
  append(group.v2, {root});
  append(group.v1, {root + "/" + std::string(controller)});
  return group;
}

}  // namespace gpuready::probe

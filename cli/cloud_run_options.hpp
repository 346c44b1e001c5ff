#pragma once
/// Options of `gpuready cloud run`, `down` and `reap`, and of `gpuready remote`.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace gpuready::cli {

struct CloudRunOptions {
  std::vector<std::string> providers, command;
  std::string gpu, min_vram, region, kind;
  std::int64_t gpu_count = 1, max_minutes = 60;
  /// Enough for one GPU of any but the newest kinds; nothing dearer is taken unasked.
  double max_price = 2.0;
  bool yes = false;
};
struct CloudEndOptions {
  bool reap = false, all = false;
  std::string id;
  std::vector<std::string> providers;
};
struct RemoteOptions {
  std::vector<std::string> hosts, command;
  bool keep = false;
  /// What was wrong with the words; empty: nothing.
  std::string wrong;
};

using Help = std::function<std::string(const std::string& name)>;

void add_cloud_run_options(CLI::App& command, CloudRunOptions& options, const Help& help);
void add_cloud_down_options(CLI::App& command, CloudEndOptions& options, const Help& help);
void add_cloud_reap_options(CLI::App& command, CloudEndOptions& options, const Help& help);
void add_remote_options(CLI::App& command, RemoteOptions& options, const Help& help);

/// Hosts, then a command of gpuready with its own options. Of the options before the command `json`
/// and `keep` are taken here; a --json of the command counts, too.
void read_remote_words(const std::vector<std::string>& words, RemoteOptions& options, bool& json);

}  // namespace gpuready::cli

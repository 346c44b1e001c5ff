#pragma once
/// Options of `gpuready cloud offers`, `list` and `keys`.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gpuready/cloud.hpp"

namespace CLI {
class App;
}

namespace gpuready::cli {

struct CloudOffersOptions {
  std::vector<std::string> providers;
  std::string gpu, min_vram, region, kind;
  std::int64_t gpu_count = 0;
  double max_price = 0;
};
struct CloudListOptions {
  std::vector<std::string> providers;
};
struct CloudKeysOptions {
  std::vector<std::string> providers;
};

using Help = std::function<std::string(const std::string& name)>;

void add_cloud_offers_options(CLI::App& command, CloudOffersOptions& options, const Help& help);
void add_cloud_providers_option(CLI::App& command, std::vector<std::string>& providers,
                                const Help& help);
/// The error is one line.
Result<OffersRequest> offers_request(const CloudOffersOptions& options);

}  // namespace gpuready::cli

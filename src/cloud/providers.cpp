#include "cloud/providers.hpp"

#include <algorithm>

namespace gpuready::cloud {

const std::vector<ProviderRow>& providers() {
  static const std::vector<ProviderRow> rows{
      {"lambda",
       "LAMBDA_API_KEY",
       "GPUREADY_LAMBDA_URL",
       "https://cloud.lambda.ai",
       {{".lambda_cloud/lambda_keys", KeyFileForm::assign, "api_key"}},  // SkyPilot's
       "https://cloud.lambda.ai/api-keys",
       "https://cloud.lambda.ai/instances",
       false,
       make_lambda},
      {"runpod",
       "RUNPOD_API_KEY",
       "GPUREADY_RUNPOD_URL",
       "https://api.runpod.io",
       {{".runpod/config.toml", KeyFileForm::assign, "apikey"},    // runpodctl's
        {".runpod/config.toml", KeyFileForm::assign, "api_key"}},  // runpod-python's
       "https://console.runpod.io/user/settings",
       "https://console.runpod.io/pods",
       false,
       make_runpod},
      {"vast",
       "VAST_API_KEY",
       "GPUREADY_VAST_URL",
       "https://console.vast.ai",
       {{".config/vastai/vast_api_key", KeyFileForm::bare, ""},
        {".vast_api_key", KeyFileForm::bare, ""}},  // the older place
       "https://cloud.vast.ai/manage-keys/",
       "https://cloud.vast.ai/instances/",
       true,
       make_vast}};
  return rows;
}

const ProviderRow* find_provider(std::string_view name) {
  const auto& rows = providers();
  const auto it = std::ranges::find(rows, name, &ProviderRow::name);
  return it == rows.end() ? nullptr : &*it;
}

}  // namespace gpuready::cloud

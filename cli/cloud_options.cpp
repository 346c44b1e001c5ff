#include "cloud_options.hpp"

#include <CLI/CLI.hpp>
#include <cmath>

#include "gpuready/gpuready.hpp"

namespace gpuready::cli {

namespace {

/// "nan" is neither below nor above a range.
std::string is_finite(const std::string& text) {
  double value = 0;
  if (!CLI::detail::lexical_cast(text, value) || !std::isfinite(value))
    return "expected a number, found " + text;
  return {};
}

}  // namespace

void add_cloud_providers_option(CLI::App& command, std::vector<std::string>& providers,
                                const Help& help) {
  command.add_option("--provider", providers, help("cloud-provider"))
      ->type_name("lambda|runpod|vast,...")
      ->delimiter(',')
      ->check(CLI::IsMember({"lambda", "runpod", "vast"}));
}

void add_cloud_offers_options(CLI::App& command, CloudOffersOptions& options, const Help& help) {
  constexpr double dearest = 10000;
  constexpr std::int64_t most_gpus = 64;
  add_cloud_providers_option(command, options.providers, help);
  command.add_option("--gpu", options.gpu, help("cloud-gpu"))->type_name("NAME");
  command.add_option("--gpu-count", options.gpu_count, help("cloud-gpu-count"))
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{1}, most_gpus));
  command.add_option("--min-vram", options.min_vram, help("cloud-min-vram"))->type_name("SIZE");
  command.add_option("--max-price", options.max_price, help("cloud-max-price"))
      ->type_name("USD")
      ->check(is_finite)
      ->check(CLI::Range(0.001, dearest));
  command.add_option("--region", options.region, help("cloud-region"))->type_name("NAME");
  command.add_option("--kind", options.kind, help("cloud-kind"))
      ->type_name("on-demand|spot|community|secure")
      ->check(CLI::IsMember({"on-demand", "spot", "community", "secure"}));
}

Result<OffersRequest> offers_request(const CloudOffersOptions& options) {
  OffersRequest request;
  request.providers = options.providers;
  request.gpu = options.gpu, request.gpu_count = options.gpu_count;
  request.max_usd_per_hour = options.max_price;
  request.region = options.region, request.kind = options.kind;
  if (options.min_vram.empty()) return request;
  const auto bytes = parse_bytes(options.min_vram);
  if (!bytes) return failure("--min-vram " + options.min_vram + ": " + bytes.error().text);
  if (*bytes <= 0)
    return failure("--min-vram " + options.min_vram + ": expected a size above 0, as 24GiB");
  request.min_vram_bytes = *bytes;
  return request;
}

}  // namespace gpuready::cli

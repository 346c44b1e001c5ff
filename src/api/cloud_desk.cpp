#include "api/cloud_desk.hpp"

#include "base/text.hpp"
#include "catalog/catalog.hpp"
#include "cloud/fault.hpp"
#include "host/real_host.hpp"
#include "net/curl_http.hpp"
#include "net/real_pace.hpp"

namespace gpuready::api {

double time_scale(host::Host& host) {
  constexpr double least = 0.001;
  const auto text = host.env("GPUREADY_TEST_TIME_SCALE");
  const auto scale = text ? base::to_number(*text) : std::nullopt;
  return scale && *scale >= least && *scale <= 1 ? *scale : 1;
}

Result<std::unique_ptr<CloudDesk>> CloudDesk::open(const std::string& data_dir,
                                                   std::function<bool()> stopped) {
  auto desk = std::unique_ptr<CloudDesk>(new CloudDesk);
  desk->host_ = host::make_real_host();
  host::Host& host = *desk->host_;
  const catalog::Override replaced = [&](const std::string& name) -> std::optional<std::string> {
    if (data_dir.empty()) return {};
    auto text = host.read_file(data_dir + "/" + name, std::size_t{64} << 20U);
    return text ? std::optional<std::string>(std::move(*text)) : std::nullopt;
  };
  auto gpus = catalog::load_gpus(replaced);
  if (!gpus) return tl::unexpected<Error>(gpus.error());
  desk->gpus_ = std::move(*gpus);
  auto http = net::make_curl_http(host);
  if (!http) return tl::unexpected<Error>(http.error());
  desk->http_ = std::move(*http);
  desk->scale_ = time_scale(host);
  desk->pace_ = net::make_real_pace(std::move(stopped), desk->scale_);
  return desk;
}

cloud::Answer<OpenProvider> CloudDesk::provider(const cloud::ProviderRow& row,
                                                bool key_is_optional) {
  OpenProvider open;
  open.row = &row;
  auto key = cloud::find_key(*host_, row);
  if (!key && key_is_optional && key.error().kind == cloud::FaultKind::no_key)
    key = cloud::FoundKey{};
  if (!key) return tl::unexpected<cloud::Fault>(key.error());
  open.key_source = key->source, open.key_last4 = key->last4;
  auto url = cloud::base_url_of(*host_, row);
  if (!url) {
    cloud::Fault fault;
    fault.kind = cloud::FaultKind::refused, fault.message = url.error().text;
    return tl::unexpected<cloud::Fault>(fault);
  }
  open.base_url = *url;
  open.provider = row.make(cloud::Access{*http_, *pace_, gpus_, key->key, *url});
  return open;
}

ProviderError error_with_key(const OpenProvider& open, const cloud::Fault& fault) {
  ProviderError error = cloud::to_error(open.row->name, fault);
  const bool of_key =
      fault.kind == cloud::FaultKind::bad_key || fault.kind == cloud::FaultKind::forbidden;
  if (of_key && !open.key_source.empty())
    error.message += "; the key is from " + base::printable(open.key_source) +
                     (open.key_last4.empty() ? "" : " and ends in " + open.key_last4);
  return error;
}

Result<cloud::Ledger> CloudDesk::ledger() {
  const auto folder = cloud::state_folder(*host_);
  if (!folder) return tl::unexpected<Error>(folder.error());
  return cloud::Ledger::open(*folder);
}

Result<std::vector<const cloud::ProviderRow*>> chosen_providers(
    const std::vector<std::string>& names) {
  std::vector<const cloud::ProviderRow*> rows;
  if (names.empty())
    for (const cloud::ProviderRow& row : cloud::providers()) rows.push_back(&row);
  for (const std::string& name : names) {
    const cloud::ProviderRow* row = cloud::find_provider(name);
    if (row == nullptr)
      return failure("no provider is called '" + base::printable(name) +
                     "'; there are lambda, runpod and vast");
    rows.push_back(row);
  }
  return rows;
}

}  // namespace gpuready::api

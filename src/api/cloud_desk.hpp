#pragma once
/// What every command about rented machines needs: the providers with their keys, the ledger, time.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "catalog/gpus.hpp"
#include "cloud/keys.hpp"
#include "cloud/ledger.hpp"
#include "cloud/providers.hpp"
#include "host/host.hpp"
#include "net/http.hpp"
#include "net/pace.hpp"

namespace gpuready::api {

struct OpenProvider {
  const cloud::ProviderRow* row = nullptr;
  std::string base_url;
  std::string key_source;  ///< variable or file; empty: asked without a key
  std::string key_last4;
  std::unique_ptr<cloud::Provider> provider;
};

/// How much faster than the world tests let time run: GPUREADY_TEST_TIME_SCALE, between 0.001 and
/// 1; 1 where it is not set.
double time_scale(host::Host& host);

class CloudDesk {
 public:
  static Result<std::unique_ptr<CloudDesk>> open(const std::string& data_dir,
                                                 std::function<bool()> stopped);

  /// Without a key an error, unless one is not needed.
  cloud::Answer<OpenProvider> provider(const cloud::ProviderRow& row, bool key_is_optional = false);
  Result<cloud::Ledger> ledger();
  host::Host& host() { return *host_; }
  net::Pace& pace() { return *pace_; }
  [[nodiscard]] const std::vector<catalog::Gpu>& gpus() const { return gpus_; }
  [[nodiscard]] double scale() const { return scale_; }

 private:
  CloudDesk() = default;

  std::unique_ptr<host::Host> host_;
  std::unique_ptr<net::Http> http_;
  std::unique_ptr<net::Pace> pace_;
  std::vector<catalog::Gpu> gpus_;
  double scale_ = 1;
};

/// The error, and of a key that is not accepted which it was.
ProviderError error_with_key(const OpenProvider& open, const cloud::Fault& fault);

/// The rows of the names, all where there are none; the error names an unknown one.
Result<std::vector<const cloud::ProviderRow*>> chosen_providers(
    const std::vector<std::string>& names);

}  // namespace gpuready::api

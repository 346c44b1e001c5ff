#pragma once
/// Where a provider's API key comes from, and whether it may be used.

#include <string>

#include "cloud/providers.hpp"
#include "host/host.hpp"

namespace gpuready::cloud {

struct FoundKey {
  net::Secret key;
  std::string source;  ///< "LAMBDA_API_KEY", or the file
  std::string last4;   ///< its last four characters; empty where it is shorter than 12
};

/// The environment variable, then our own file ($XDG_CONFIG_HOME/gpuready/<provider>.key), then the
/// files of other programs. The first that is there decides: one that others can read, or that
/// holds no key, is an error with its cure. The kind of the fault is no_key or refused.
Answer<FoundKey> find_key(host::Host& host, const ProviderRow& provider);

/// The address to ask: the usual one, or that of the variable. Plain http for this machine alone.
Result<std::string> base_url_of(host::Host& host, const ProviderRow& provider);

}  // namespace gpuready::cloud

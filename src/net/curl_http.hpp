#pragma once
/// HTTP through libcurl, opened at run time. Proxies come from the environment, by libcurl's rules
/// (https_proxy, no_proxy); never for this machine itself.

#include <memory>

#include "host/host.hpp"
#include "net/http.hpp"

namespace gpuready::net {

/// The error says which libraries were tried and what to install. One thread at a time.
Result<std::unique_ptr<Http>> make_curl_http(host::Host& host);

}  // namespace gpuready::net

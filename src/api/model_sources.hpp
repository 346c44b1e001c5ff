#pragma once
/// Files that are read in parts: on this machine, or behind HTTP.

#include <memory>
#include <string>

#include "fit/byte_source.hpp"
#include "host/host.hpp"
#include "net/http.hpp"

namespace gpuready::api {

/// Errors of the network carry this code; all others are of what the user gave.
inline constexpr int network_fault = 10000;

/// Both must outlive what they open.
std::unique_ptr<fit::ByteSource> open_local(host::Host& host, std::string path);
/// Reads by range requests. `shown` names it in messages.
std::unique_ptr<fit::ByteSource> open_remote(net::Http& http, net::HttpRequest request,
                                             std::string shown);

}  // namespace gpuready::api

#pragma once
/// Files that are read in parts: on this machine, or behind HTTP.

#include <functional>
#include <memory>
#include <string>

#include "fit/byte_source.hpp"
#include "host/host.hpp"
#include "net/http.hpp"

namespace gpuready::api {

/// Errors of the network carry network_fault; all others are of what the user gave.
/// `host` must outlive it.
std::unique_ptr<fit::ByteSource> open_local(host::Host& host, std::string path);

/// A file behind HTTP.
struct RemoteFile {
  net::HttpRequest request;
  std::string shown;  ///< its name in messages
  /// The error for an answer that is no part of the file (401, 404, ...).
  std::function<Error(const net::HttpResponse&)> explain;
};
/// Reads by range requests; `http` must outlive it.
std::unique_ptr<fit::ByteSource> open_remote(net::Http& http, RemoteFile file);

}  // namespace gpuready::api

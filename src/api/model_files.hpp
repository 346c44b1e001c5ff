#pragma once
/// MODEL of the command line, where it is a file, a folder or a model of the Hub.

#include <functional>
#include <memory>
#include <string>

#include "fit/model.hpp"
#include "gpuready/result.hpp"
#include "host/host.hpp"
#include "net/http.hpp"

namespace gpuready::api {

/// Whether the argument means a file or folder: it is one, or it is written like one (./x, x.gguf).
bool is_local_model(host::Host& host, const std::string& argument);
/// A folder, config.json, .safetensors (with its index or config.json beside it) or .gguf. `dtype`
/// says which of several GGUF files of a folder is meant; empty: not said.
Result<fit::Model> read_local_model(host::Host& host, const std::string& argument,
                                    const std::string& dtype);

/// Whether the argument may be the id of a model on the Hub: org/name, name, org/name:q4_k_m.
bool is_hub_model(const std::string& argument);
/// The Hub's local cache first, then its headers by range requests. `make_http` is called only if
/// the network is needed. Errors of the network have the code network_fault (model_sources.hpp).
Result<fit::Model> read_hub_model(
    host::Host& host, const std::function<Result<std::unique_ptr<net::Http>>()>& make_http,
    const std::string& argument, const std::string& dtype);

}  // namespace gpuready::api

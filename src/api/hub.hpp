#pragma once
/// Models on the Hugging Face Hub, or a mirror of it: its local cache, then HTTPS.

#include <functional>
#include <memory>
#include <string>

#include "api/model_folder.hpp"
#include "host/host.hpp"
#include "net/http.hpp"

namespace gpuready::api {

/// What the environment says of the Hub.
struct HubAccess {
  std::string endpoint = "https://huggingface.co";  ///< HF_ENDPOINT, without a slash at the end
  net::Secret token;         ///< HF_TOKEN, or the file that huggingface_hub keeps it in
  std::string cache_folder;  ///< HF_HUB_CACHE, HF_HOME/hub, XDG_CACHE_HOME or ~/.cache
  bool offline = false;      ///< HF_HUB_OFFLINE
};
HubAccess hub_access(host::Host& host);

/// "org/name" or "name", with letters, digits, '-', '_' and '.'.
bool is_hub_id(std::string_view text);

/// The snapshot of a model in the cache; empty where there is none.
std::string cached_snapshot(host::Host& host, const HubAccess& access, const std::string& id);

/// A model's files behind HTTP. `http` must outlive it. Errors of its files() say whether there is
/// no such model, whether it is gated, and what to do.
std::unique_ptr<ModelFolder> open_hub_folder(net::Http& http, const HubAccess& access,
                                             const std::string& id);

}  // namespace gpuready::api

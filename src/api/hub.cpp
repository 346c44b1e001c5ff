#include "api/hub.hpp"

#include <algorithm>
#include <utility>

#include "api/model_sources.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "net/url.hpp"

namespace gpuready::api {

namespace {

/// A path or file name with each part escaped.
std::string escaped(const std::string& path) {
  std::string out;
  for (const std::string& part : base::split(path, '/'))
    out += (out.empty() ? "" : "/") + net::escape_url(part);
  return out;
}

/// Names that stay inside the model's folder.
bool is_inside(const std::string& file) {
  return !file.empty() && file.front() != '/' && file.find("..") == std::string::npos &&
         file.find('\\') == std::string::npos;
}

class HubFolder : public ModelFolder {
 public:
  HubFolder(net::Http& http, HubAccess access, std::string id)
      : http_(http), access_(std::move(access)), id_(std::move(id)) {}

  [[nodiscard]] std::string name() const override { return id_ + " on " + server(); }
  [[nodiscard]] std::string model_name() const override { return id_; }

  Result<std::vector<std::string>> files() override {
    auto response = net::fetch(http_, request("/api/models/" + escaped(id_)));
    if (!response)
      return failure(response.error().text +
                         "; is this machine online? A folder, a file or a model of the catalogue "
                         "(gpuready fit) needs no network",
                     network_fault);
    if (response->status != ok) return tl::unexpected(refused(*response, ""));
    const auto json = base::parse_json(response->body);
    const base::Json none;
    const auto list = json && json->is_object() ? json->find("siblings") : none.end();
    if (!json || !json->is_object() || list == json->end() || !list->is_array())
      return failure(name() + ": an answer without 'siblings', expected the list of its files",
                     network_fault);
    std::vector<std::string> names;
    for (const auto& item : *list) {
      const auto file = item.is_object() ? item.find("rfilename") : item.end();
      if (item.is_object() && file != item.end() && file->is_string() &&
          is_inside(file->get<std::string>()))
        names.push_back(file->get<std::string>());
    }
    return names;
  }

  Result<std::unique_ptr<fit::ByteSource>> open(const std::string& file) override {
    // `this` is the folder, which outlives its files.
    return open_remote(http_, {request("/" + escaped(id_) + "/resolve/main/" + escaped(file)),
                               id_ + "/" + file, [this, file](const net::HttpResponse& response) {
                                 return refused(response, file);
                               }});
  }

 private:
  static constexpr int ok = 200, unauthorised = 401, forbidden = 403, not_found = 404,
                       too_many = 429;

  [[nodiscard]] net::HttpRequest request(const std::string& path) const {
    net::HttpRequest request;
    request.url = access_.endpoint + path;
    request.token = access_.token;
    return request;
  }

  [[nodiscard]] std::string server() const {
    const auto url = net::parse_url(access_.endpoint);
    return url ? url->host : base::printable(access_.endpoint);
  }

  /// The Hub tells by a header what its status alone does not: of a model that does not exist it
  /// says 401, as of one that is private. `file` is empty for the list of files.
  [[nodiscard]] Error refused(const net::HttpResponse& response, const std::string& file) const {
    const std::string why = response.header("x-error-code");
    const bool no_token = access_.token.empty();
    const int status = response.status;
    if (why == "EntryNotFound" || (status == not_found && !file.empty()))
      return {name() + ": no file " + base::printable(file), 0};
    if (why == "RepoNotFound" || status == not_found)
      return {name() + ": no such model" +
                  (no_token ? ", or a private one (HF_TOKEN is not set)" : "") +
                  "; check the name, gpuready fit lists the catalogue",
              0};
    if (status == unauthorised || status == forbidden)
      return {name() + ": gated or private; accept its terms at " + access_.endpoint + "/" + id_ +
                  (no_token ? " and set HF_TOKEN to a token that may read it"
                            : " with the account of HF_TOKEN"),
              0};
    if (status == too_many)
      return {name() + ": too many requests; wait, or set HF_TOKEN", network_fault};
    return {name() + ": HTTP status " + std::to_string(status), network_fault};
  }

  net::Http& http_;
  HubAccess access_;
  std::string id_;
};

/// The first of these variables that is set and not empty, with something behind it.
std::string first_of(host::Host& host,
                     std::initializer_list<std::pair<const char*, const char*>> places) {
  for (const auto& [variable, behind] : places) {
    const std::string value = host.env(variable).value_or("");
    if (!value.empty()) return value + behind;
  }
  return {};
}

net::Secret token_of(host::Host& host) {
  for (const char* name : {"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"})
    if (const auto value = host.env(name); value && !base::trim(*value).empty())
      return net::Secret(std::string(base::trim(*value)));
  const std::string file = first_of(host, {{"HF_TOKEN_PATH", ""},
                                           {"HF_HOME", "/token"},
                                           {"XDG_CACHE_HOME", "/huggingface/token"},
                                           {"HOME", "/.cache/huggingface/token"}});
  constexpr std::size_t longest = 4096;
  const auto text = host.read_file(file, longest);
  return text ? net::Secret(std::string(base::trim(*text))) : net::Secret();
}

}  // namespace

HubAccess hub_access(host::Host& host) {
  HubAccess access;
  if (const auto endpoint = host.env("HF_ENDPOINT"); endpoint && !endpoint->empty())
    access.endpoint = *endpoint;
  while (base::ends_with(access.endpoint, "/")) access.endpoint.pop_back();
  access.token = token_of(host);
  access.cache_folder = first_of(host, {{"HF_HUB_CACHE", ""},
                                        {"HF_HOME", "/hub"},
                                        {"XDG_CACHE_HOME", "/huggingface/hub"},
                                        {"HOME", "/.cache/huggingface/hub"}});
  const std::string offline = base::lower(host.env("HF_HUB_OFFLINE").value_or(""));
  access.offline = offline == "1" || offline == "true" || offline == "yes" || offline == "on";
  return access;
}

bool is_hub_id(std::string_view text) {
  constexpr std::size_t longest = 96;  // the Hub's own limit for each name
  const std::vector<std::string> parts = base::split(text, '/');
  return !parts.empty() && parts.size() <= 2 && !base::ends_with(text, "/") &&
         std::ranges::all_of(parts, [](const std::string& part) {
           return !part.empty() && part.size() <= longest && part.front() != '.' &&
                  part.front() != '-' && part.find("..") == std::string::npos &&
                  std::ranges::all_of(part, [](char c) {
                    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
                  });
         });
}

std::string cached_snapshot(host::Host& host, const HubAccess& access, const std::string& id) {
  if (access.cache_folder.empty()) return {};
  std::string folder = access.cache_folder + "/models";
  for (const std::string& part : base::split(id, '/')) folder += "--" + part;
  constexpr std::size_t commit_bytes = 100;
  const auto commit = host.read_file(folder + "/refs/main", commit_bytes);
  if (!commit || base::trim(*commit).empty() || !is_hub_id(base::trim(*commit))) return {};
  const std::string snapshot = folder + "/snapshots/" + std::string(base::trim(*commit));
  const auto status = host.status(snapshot);
  return status && status->kind == host::FileKind::directory ? snapshot : std::string();
}

std::unique_ptr<ModelFolder> open_hub_folder(net::Http& http, const HubAccess& access,
                                             const std::string& id) {
  return std::make_unique<HubFolder>(http, access, id);
}

}  // namespace gpuready::api

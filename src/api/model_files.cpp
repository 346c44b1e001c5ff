#include "api/model_files.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "api/hub.hpp"
#include "api/model_folder.hpp"
#include "api/model_sources.hpp"
#include "base/text.hpp"
#include "fit/gguf.hpp"
#include "fit/hf_config.hpp"
#include "fit/safetensors.hpp"
#include "fit/safetensors_header.hpp"

namespace gpuready::api {

namespace {

using base::ends_with;
using base::starts_with;

std::string without_slash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string file_of(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

class LocalFolder : public ModelFolder {
 public:
  /// `model` is what it is called; the folder's own name where it is empty.
  LocalFolder(host::Host& host, std::string path, std::string model)
      : host_(host), path_(without_slash(std::move(path))), model_(std::move(model)) {}

  [[nodiscard]] std::string name() const override { return base::printable(path_); }
  [[nodiscard]] std::string model_name() const override {
    if (!model_.empty()) return model_;
    const std::string real = host_.real_path(path_).value_or(path_);
    return base::printable(file_of(real));
  }

  Result<std::vector<std::string>> files() override {
    auto names = host_.list(path_);
    if (!names) return names;
    if (std::ranges::find(*names, "model_index.json") == names->end()) return names;
    std::vector<std::string> all = *names;
    for (const std::string& name : *names) {
      const auto inside = host_.list(path_ + "/" + name);
      if (!inside) continue;
      for (const std::string& file : *inside) all.push_back(name + "/" + file);
    }
    return all;
  }

  Result<std::unique_ptr<fit::ByteSource>> open(const std::string& file) override {
    const std::string path = path_ + "/" + file;
    // A missing file is found here, and not only when it is read.
    const auto status = host_.status(path);
    if (!status) return tl::unexpected(status.error());
    return open_local(host_, path);
  }

 private:
  host::Host& host_;
  std::string path_, model_;
};

bool is_folder(host::Host& host, const std::string& path) {
  const auto status = host.status(path);
  return status && status->kind == host::FileKind::directory;
}

bool is_model_folder(host::Host& host, const std::string& path) {
  const auto files = host.list(path);
  return files && std::ranges::any_of(*files, [](const std::string& file) {
           return file == "config.json" || file == "model_index.json" ||
                  ends_with(file, ".safetensors") || ends_with(file, ".gguf");
         });
}

bool is_model_file(std::string_view name) {
  // The last ones are pickles: told that they are not read, instead of looked up as names.
  static constexpr std::array<std::string_view, 7> endings{".gguf", ".safetensors", ".json", ".pt",
                                                           ".pth",  ".bin",         ".ckpt"};
  return std::ranges::any_of(endings, [&](auto ending) { return ends_with(name, ending); });
}

Result<fit::Model> read_gguf_file(host::Host& host, const std::string& path) {
  LocalFolder folder(host, folder_of(path), "");
  const auto source = open_local(host, path);
  return fit::read_gguf(*source, [&](const std::string& name) { return folder.open(name); });
}

/// One file is the whole model, unless it is a shard or has an index beside it.
Result<fit::Model> read_safetensors_file(host::Host& host, const std::string& path) {
  const std::string name = file_of(path);
  const std::string stem = name.substr(0, name.size() - std::string(".safetensors").size());
  if (!fit::gguf_shards(stem + ".gguf").empty()) {
    LocalFolder folder(host, folder_of(path), "");
    return read_model_folder(folder, "");
  }
  const auto source = open_local(host, path);
  const auto header = fit::read_safetensors_header(*source);
  if (!header) return tl::unexpected(header.error());
  constexpr std::size_t most = std::size_t{16} << 20U;
  const auto config = host.read_file(folder_of(path) + "/config.json", most);
  auto shape = config ? fit::read_hf_config(*config) : failure("");
  auto model = shape ? fit::with_safetensors(std::move(*shape), {*header})
                     : fit::model_of_safetensors({*header});
  if (!model) return model;
  model->where = base::printable(path);
  if (model->name.empty()) model->name = base::printable(stem);
  return model;
}

Result<fit::Model> read_json_file(host::Host& host, const std::string& path) {
  const std::string name = file_of(path);
  if (name == "model_index.json" || ends_with(name, ".safetensors.index.json")) {
    LocalFolder folder(host, folder_of(path), "");
    return read_model_folder(folder, "");
  }
  constexpr std::size_t most = std::size_t{16} << 20U;
  const auto text = host.read_file(path, most);
  if (!text) return tl::unexpected(text.error());
  auto model = fit::read_hf_config(*text);
  if (!model) return failure(base::printable(path) + ": " + model.error().text);
  model->where = base::printable(path);
  if (model->name.empty()) {
    const std::string folder = host.real_path(folder_of(path)).value_or(folder_of(path));
    model->name = base::printable(file_of(folder));
  }
  return model;
}

struct HubName {
  std::string id, dtype;
};

/// "org/name:q4_k_m".
HubName hub_name(const std::string& argument) {
  const std::size_t colon = argument.find(':');
  if (colon == std::string::npos) return {argument, ""};
  return {argument.substr(0, colon), argument.substr(colon + 1)};
}

}  // namespace

bool is_local_model(host::Host& host, const std::string& argument) {
  if (argument.empty()) return false;
  if (argument == "." || argument == ".." || starts_with(argument, "/") ||
      starts_with(argument, "./") || starts_with(argument, "../") || ends_with(argument, "/") ||
      is_model_file(argument))
    return true;
  return is_folder(host, argument) && is_model_folder(host, argument);
}

Result<fit::Model> read_local_model(host::Host& host, const std::string& argument,
                                    const std::string& dtype) {
  const auto status = host.status(argument);
  if (!status && status.error().code == ENOENT)
    return failure("no such file or folder: " + base::printable(argument), ENOENT);
  if (!status) return tl::unexpected(status.error());
  if (status->kind == host::FileKind::directory) {
    LocalFolder folder(host, argument, "");
    return read_model_folder(folder, dtype);
  }
  // Ollama's files have no ending.
  const auto magic = host.read_part(argument, 0, 4);
  if (ends_with(argument, ".gguf") || (magic && *magic == "GGUF"))
    return read_gguf_file(host, argument);
  if (ends_with(argument, ".safetensors")) return read_safetensors_file(host, argument);
  if (ends_with(argument, ".json")) return read_json_file(host, argument);
  return failure(base::printable(argument) +
                 ": no model file, expected config.json, .safetensors, .gguf or a folder of them");
}

bool is_hub_model(const std::string& argument) { return is_hub_id(hub_name(argument).id); }

Result<fit::Model> read_hub_model(
    host::Host& host, const std::function<Result<std::unique_ptr<net::Http>>()>& make_http,
    const std::string& argument, const std::string& dtype) {
  const HubName name = hub_name(argument);
  const std::string wanted = dtype.empty() ? name.dtype : dtype;
  const HubAccess access = hub_access(host);
  const std::string snapshot = cached_snapshot(host, access, name.id);
  Result<fit::Model> cached = failure("not in the Hub's cache");
  if (!snapshot.empty()) {
    LocalFolder folder(host, snapshot, name.id);
    cached = read_model_folder(folder, wanted);
    // Without weights it is as good as the network's only where there is no network.
    if (cached && cached->source == fit::Source::file_header) return cached;
  }
  const auto or_cached = [&](const Error& error) -> Result<fit::Model> {
    if (!cached) return tl::unexpected(error);
    cached->doubts.push_back({"fit.doubt-cache", {base::printable(error.text)}});
    return std::move(cached);
  };
  if (access.offline)
    return or_cached({name.id + ": HF_HUB_OFFLINE is set, and in the Hub's cache it is " +
                          (snapshot.empty() ? "not" : "not whole"),
                      0});
  const auto http = make_http();
  if (!http) return or_cached({http.error().text, network_fault});
  const auto folder = open_hub_folder(**http, access, name.id);
  auto model = read_model_folder(*folder, wanted);
  return model || model.error().code != network_fault ? model : or_cached(model.error());
}

}  // namespace gpuready::api

#include "api/fit_model.hpp"

#include <algorithm>
#include <iterator>

#include "api/model_files.hpp"
#include "base/text.hpp"
#include "fit/from_catalogue.hpp"
#include "fit/resolve.hpp"
#include "net/curl_http.hpp"

namespace gpuready::api {

namespace {

Result<FoundModel> catalogued(const fit::Resolved& resolved, const std::string& argument,
                              const std::string& dtype) {
  auto model = fit::model_of_row(*resolved.row);
  if (!model) return tl::unexpected(model.error());
  // llama.cpp's usual type is taken for a language model and said; images have none.
  if (resolved.dtype == "gguf" && dtype.empty() && model->shape.kind == fit::ModelKind::diffusion)
    return failure(argument + ": GGUF files of several types; say which, as --dtype q8_0");
  std::ranges::copy(resolved.doubts, std::back_inserter(model->doubts));
  // "gguf" alone does not say which.
  return FoundModel{std::move(*model), resolved.dtype == "gguf" ? "" : resolved.dtype};
}

Result<FoundModel> found(Result<fit::Model> model) {
  if (!model) return tl::unexpected(model.error());
  return FoundModel{std::move(*model), ""};
}

}  // namespace

Result<FoundModel> find_model(host::Host& host, const catalog::Catalog& catalog,
                              const std::string& argument, const std::string& dtype) {
  if (is_local_model(host, argument)) return found(read_local_model(host, argument, dtype));
  const auto resolved = fit::resolve_model(catalog.models, argument);
  if (resolved) return catalogued(*resolved, argument, dtype);
  // What is there and no model is told as such.
  if (host.status(argument)) return found(read_local_model(host, argument, dtype));
  // A name without its owner is meant for the catalogue: the error lists the near ones.
  if (!is_hub_model(argument) || !base::contains(argument, "/"))
    return tl::unexpected(resolved.error());
  auto model = read_hub_model(
      host, [&host] { return net::make_curl_http(host); }, argument, dtype);
  if (model) return found(std::move(model));
  return failure(model.error().text + "; " + resolved.error().text, model.error().code);
}

}  // namespace gpuready::api

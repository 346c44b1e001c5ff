#pragma once
/// MODEL of the command line, wherever it is.

#include <string>

#include "catalog/catalog.hpp"
#include "fit/model.hpp"
#include "gpuready/result.hpp"
#include "host/host.hpp"

namespace gpuready::api {

struct FoundModel {
  fit::Model model;
  std::string dtype;  ///< what its name says of the weights, as fit's --dtype; may be empty
};

/// A file or folder; else the catalogue, which needs no network; else the Hub. Errors of the
/// network have the code network_fault. `dtype` chooses among several files.
Result<FoundModel> find_model(host::Host& host, const catalog::Catalog& catalog,
                              const std::string& argument, const std::string& dtype);

}  // namespace gpuready::api

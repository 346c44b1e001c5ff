#pragma once
/// The options of `fit`, which are many.

#include <functional>
#include <string>

#include "gpuready/fit.hpp"
#include "gpuready/result.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace gpuready::cli {

struct FitOptions {
  FitRequest request;
  std::string vram, image;
};

/// `help` gives the text of an option by the end of its key.
void add_fit_options(CLI::App& command, FitOptions& options,
                     const std::function<std::string(const std::string&)>& help);

/// Those of the model's memory alone, without MODEL and the devices.
void add_model_options(CLI::App& command, FitOptions& options,
                       const std::function<std::string(const std::string&)>& help);

/// What the parser can't: sizes, and options that exclude each other. The error is for the user.
Result<FitRequest> fit_request(const FitOptions& options);

}  // namespace gpuready::cli

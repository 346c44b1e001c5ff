#pragma once
/// The providers, one row each.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cloud/provider.hpp"

namespace gpuready::cloud {

/// How a file of another program holds its key.
enum class KeyFileForm {
  bare,    ///< the key alone
  assign,  ///< a line "name = key", quotes around the key or not (TOML, INI)
};

struct KeyFile {
  std::string_view path;  ///< below the home folder
  KeyFileForm form;
  std::string_view field;  ///< of `assign`
};

struct ProviderRow {
  std::string_view name;             ///< lambda, runpod, vast
  std::string_view key_variable;     ///< environment variable of the API key
  std::string_view url_variable;     ///< environment variable that replaces the address (tests)
  std::string_view url;              ///< usual address
  std::vector<KeyFile> other_files;  ///< of other programs; read, never written
  /// Pages of people: where keys are made, and where a machine is ended by hand.
  std::string_view key_page, machine_page;
  bool lists_offers_without_key;
  std::unique_ptr<Provider> (*make)(Access access);
};

const std::vector<ProviderRow>& providers();
/// Nothing where there is no such provider.
const ProviderRow* find_provider(std::string_view name);

std::unique_ptr<Provider> make_lambda(Access access);
std::unique_ptr<Provider> make_runpod(Access access);
std::unique_ptr<Provider> make_vast(Access access);

}  // namespace gpuready::cloud

#pragma once
/// Names of status codes, for libraries that don't tell them themselves.

#include <span>
#include <string>
#include <string_view>

namespace gpuready::vendor {

struct CodeName {
  int code;
  std::string_view name;
};

/// The name of a code; empty where the list lacks it.
std::string_view name_in(std::span<const CodeName> names, int code);

/// A C string that a library returned, cut at a sane length and fit to be printed; empty for none.
std::string library_text(const char* text);

/// "NAME (code)", or "error code" where there is no name.
std::string name_and_code(std::string_view name, int code);

}  // namespace gpuready::vendor

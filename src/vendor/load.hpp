#pragma once
/// Opens a vendor's library at run time and fills a table of typed function pointers.

#include <string>
#include <string_view>
#include <vector>

#include "gpuready/fact.hpp"
#include "gpuready/result.hpp"
#include "host/host.hpp"

namespace gpuready::vendor {

/// A missing required symbol makes the library unusable; a missing optional one costs a feature.
enum class Need { required, optional };

template <class Table>
struct Loaded {
  Table api;
  std::string file;  ///< the file that the loader really mapped
  std::vector<std::string> missing_optional;
};

/// Where to look: each soname in the folders of GPUREADY_LIBRARY_PATH, then by the loader's own
/// rules, then in `folders` (known absolute places).
std::vector<std::string> candidates(host::Host& host, const std::vector<std::string>& sonames,
                                    const std::vector<std::string>& folders);

/// Folders where NVIDIA's driver libraries are found when the loader's path lacks them (Colab over
/// SSH, WSL, containers, NixOS).
const std::vector<std::string>& driver_folders();

/// The first candidate that opens, or every failure in the loader's own words.
tl::expected<host::LibraryHandle, Missing> open_first(host::Host& host,
                                                      const std::vector<std::string>& candidates);

/// Fills `table` from the library; Missing names the first required symbol that isn't there.
/// A Table lists its symbols in `symbols(self, visit)`, as visit("cuInit", self.cuInit, need).
template <class Table>
tl::expected<Loaded<Table>, Missing> bind(host::Host& host, const host::LibraryHandle& library,
                                          std::string_view prefix = "",
                                          std::string_view suffix = "") {
  Loaded<Table> loaded{{}, library.file, {}};
  std::string missing;
  Table::symbols(loaded.api, [&](std::string_view name, auto& pointer, Need need) {
    const std::string full = std::string(prefix) + std::string(name) + std::string(suffix);
    void* found = host.symbol(library, full);
    pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(found);
    if (found != nullptr) return;
    if (need == Need::optional) loaded.missing_optional.push_back(full);
    if (need == Need::required && missing.empty()) missing = full;
  });
  if (!missing.empty())
    return tl::unexpected(
        Missing{Absence::symbol_missing, library.file + " lacks the function " + missing, {}});
  return loaded;
}

/// Opens and binds in one go.
template <class Table>
tl::expected<Loaded<Table>, Missing> load(host::Host& host,
                                          const std::vector<std::string>& candidates) {
  const auto library = open_first(host, candidates);
  if (!library) return tl::unexpected(library.error());
  return bind<Table>(host, *library);
}

}  // namespace gpuready::vendor

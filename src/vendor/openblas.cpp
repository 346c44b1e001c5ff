#include "vendor/cblas.hpp"

namespace gpuready::vendor {

tl::expected<Loaded<OpenBlas>, Missing> load_openblas(host::Host& host, const std::string& file) {
  const auto library = open_first(host, {file});
  if (!library) return tl::unexpected(library.error());
  auto plain = bind<OpenBlas>(host, *library);
  if (plain) return plain;
  auto prefixed = bind<OpenBlas>(host, *library, "scipy_");
  if (prefixed) return prefixed;
  return plain;
}

}  // namespace gpuready::vendor

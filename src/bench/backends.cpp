#include "bench/backends.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "base/format.hpp"
#include "base/text.hpp"

namespace gpuready::bench {

namespace {

struct Row {
  std::string_view name;
  OpenedBackend (*open)(host::Host&, const BackendRequest&);
};

OpenedBackend open_unknown(host::Host&, const BackendRequest& request) {
  return failure(base::format("unknown backend '{}', expected one of {}", request.backend,
                              base::join(backend_names(), ", ")));
}

/// The last row is the null object: it answers for every other name.
constexpr std::array rows{
    Row{"openblas", open_cblas},  Row{"onednn", open_onednn},     Row{"blis", open_cblas},
    Row{"mkl", open_cblas},       Row{"cublaslt", open_cublaslt}, Row{"cublas", open_cublas},
    Row{"clblast", open_clblast}, Row{"", open_unknown},
};

}  // namespace

OpenedBackend open_backend(host::Host& host, const BackendRequest& request) {
  const auto row = std::find_if(rows.begin(), rows.end() - 1,
                                [&](const Row& r) { return r.name == request.backend; });
  return row->open(host, request);
}

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for (const Row& row : rows)
    if (!row.name.empty()) names.emplace_back(row.name);
  return names;
}

tl::unexpected<Error> unsupported_type(const BackendRequest& request) {
  return failure(
      base::format("{} does not multiply {} on {}", request.backend, request.dtype, request.device),
      unsupported_code);
}

Result<int> device_number(std::string_view device, std::string_view kind) {
  if (device == kind) return 0;
  const bool right_kind = base::starts_with(device, kind) && device.size() > kind.size() + 1 &&
                          device[kind.size()] == ':';
  const auto number = right_kind ? base::to_integer(device.substr(kind.size() + 1)) : std::nullopt;
  if (!number || *number < 0 || *number > std::numeric_limits<int>::max())
    return failure(base::format("device '{}' given, expected {}:N", device, kind));
  return static_cast<int>(*number);
}

}  // namespace gpuready::bench

#pragma once
/// How each backend is opened; the rows of the list in backends.cpp.

#include <memory>
#include <string_view>

#include "bench/backend.hpp"

namespace gpuready::bench {

using OpenedBackend = Result<std::unique_ptr<Backend>>;

OpenedBackend open_cblas(host::Host& host, const BackendRequest& request);  ///< openblas, blis, mkl
OpenedBackend open_onednn(host::Host& host, const BackendRequest& request);
OpenedBackend open_cublas(host::Host& host, const BackendRequest& request);
OpenedBackend open_cublaslt(host::Host& host, const BackendRequest& request);
OpenedBackend open_clblast(host::Host& host, const BackendRequest& request);

/// The error of a backend that does not multiply the types that were asked for.
tl::unexpected<Error> unsupported_type(const BackendRequest& request);

/// The N of "cuda:N" or "opencl:N" (0 where the kind stands alone).
Result<int> device_number(std::string_view device, std::string_view kind);

}  // namespace gpuready::bench

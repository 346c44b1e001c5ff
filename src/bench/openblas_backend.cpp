#include <cstring>
#include <limits>

#include "base/format.hpp"
#include "base/text.hpp"
#include "bench/backends.hpp"
#include "bench/memory_plan.hpp"
#include "bench/timing.hpp"
#include "vendor/cblas.hpp"

namespace gpuready::bench {

namespace {

using vendor::OpenBlas;
using OpenedLibrary = Result<vendor::Loaded<OpenBlas>>;

/// "0.3.21" from "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ...".
Fact<std::string> version_of(const OpenBlas& api) {
  if (api.openblas_get_config == nullptr)
    return Fact<std::string>::absent(Absence::symbol_missing, "openblas_get_config");
  const std::string config = api.openblas_get_config();
  const std::vector<std::string> words = base::split(config, ' ');
  if (words.size() < 2 || words[0] != "OpenBLAS")
    return Fact<std::string>::absent(Absence::unreadable, config);
  return {words[1], "openblas_get_config"};
}

Fact<std::string> target_of(const OpenBlas& api) {
  if (api.openblas_get_corename == nullptr)
    return Fact<std::string>::absent(Absence::symbol_missing, "openblas_get_corename");
  return {api.openblas_get_corename(), "openblas_get_corename"};
}

std::string cpu_name(host::Host& host) {
  const auto text = host.read_file("/proc/cpuinfo");
  if (!text) return "CPU";
  return base::field_value(*text, "model name").value_or("CPU");
}

class OpenBlasBackend : public Backend {
 public:
  OpenBlasBackend(const vendor::Loaded<OpenBlas>& library, const BackendRequest& request,
                  std::string device_name)
      : api_(library.api) {
    api_.openblas_set_num_threads(static_cast<int>(request.threads));
    known_.device = "cpu";
    known_.device_name = std::move(device_name);
    known_.backend = "openblas";
    known_.library = {"openblas", version_of(api_), target_of(api_), {library.file, "loader"}};
    // The library may have been built for fewer threads than were asked for.
    known_.threads = api_.openblas_get_num_threads != nullptr ? api_.openblas_get_num_threads()
                                                              : request.threads;
  }

  [[nodiscard]] Case describe() const override { return known_; }
  [[nodiscard]] bool runs_on_cpu() const override { return true; }
  /// Limited as part of the host's memory.
  Result<double> budget_bytes() override { return std::numeric_limits<double>::infinity(); }
  Result<double> largest_matrix_bytes() override { return std::numeric_limits<double>::infinity(); }
  [[nodiscard]] double host_bytes(const Shape& shape, std::int64_t /*sets*/) const override {
    return bytes_of_c(shape);
  }

  Result<bool> prepare(const Operands& operands, std::int64_t /*sets*/) override {
    operands_ = &operands;
    c_ = {};
    c_ = Matrix(Element::fp32, operands.a.rows, operands.b.columns);
    return true;
  }

  Result<Elapsed> run(std::int64_t repeats) override {
    const double start = steady_seconds();
    for (std::int64_t i = 0; i < repeats; ++i) multiply();
    return Elapsed{steady_seconds() - start, {}};
  }

  Result<double> run_with_transfers() override {
    return failure("the CPU works in main memory: nothing travels");
  }

  Result<bool> poison() override {
    std::memset(c_.data.data(), 0xFF, c_.data.size());
    return true;
  }

  Result<Matrix> read_back() override { return c_; }

 private:
  void multiply() {
    const auto m = static_cast<int>(operands_->shape.m);
    const auto n = static_cast<int>(operands_->shape.n);
    const auto k = static_cast<int>(operands_->shape.k);
    api_.cblas_sgemm(vendor::cblas::row_major, vendor::cblas::no_transpose,
                     vendor::cblas::no_transpose, m, n, k, 1.0F, operands_->a.as<float>(), k,
                     operands_->b.as<float>(), n, 0.0F, c_.as<float>(), n);
  }

  OpenBlas api_;
  Case known_;
  const Operands* operands_ = nullptr;
  Matrix c_;
};

OpenedLibrary load_library(host::Host& host, const std::string& file) {
  const std::vector<std::string> sonames{"libopenblas.so.0", "libopenblasp.so.0",
                                         "libscipy_openblas.so"};
  std::string failures;
  for (const std::string& name :
       file.empty() ? vendor::candidates(host, sonames, {}) : std::vector<std::string>{file}) {
    auto library = vendor::load_openblas(host, name);
    if (library) return *library;
    failures += (failures.empty() ? "" : "; ") + library.error().detail;
  }
  return failure(failures);
}

}  // namespace

OpenedBackend open_openblas(host::Host& host, const BackendRequest& request) {
  if (request.device != "cpu")
    return failure(base::format("device '{}' given, expected cpu", request.device));
  if (request.dtype != "fp32") return unsupported_type(request);
  if (request.threads < 1 || request.threads > std::numeric_limits<int>::max())
    return failure(base::format("{} threads given, expected at least 1", request.threads));
  const auto library = load_library(host, request.library_file);
  if (!library) return tl::unexpected<Error>(library.error());
  return std::make_unique<OpenBlasBackend>(*library, request, cpu_name(host));
}

}  // namespace gpuready::bench

#include "bench/onednn_library.hpp"

#include <array>
#include <string_view>

#include "base/format.hpp"
#include "base/text.hpp"

namespace gpuready::bench {

namespace {

namespace dnnl = vendor::onednn;

/// dnnl_cpu_runtime: DNNL_RUNTIME_SEQ, DNNL_RUNTIME_OMP, DNNL_RUNTIME_TBB (dnnl_config.h).
constexpr unsigned sequential = 1, openmp = 2, tbb = 4;

struct IsaName {
  int isa;
  std::string_view name;
};
/// dnnl_cpu_isa_t of versions 2.6 and 3.2.
constexpr std::array isa_names{IsaName{0x1, "SSE4.1"},
                               IsaName{0x3, "AVX"},
                               IsaName{0x7, "AVX2"},
                               IsaName{0xf, "AVX2-VNNI"},
                               IsaName{0x407, "AVX2-VNNI"},
                               IsaName{0x1f, "AVX2-VNNI-2"},
                               IsaName{0x27, "AVX512"},
                               IsaName{0x67, "AVX512-VNNI"},
                               IsaName{0xe7, "AVX512-BF16"},
                               IsaName{0x1ef, "AVX512-FP16"},
                               IsaName{0x3e7, "AVX512-AMX"},
                               IsaName{0xfef, "AVX512-AMX"},
                               IsaName{0x1fef, "AVX512-AMX-FP16"}};

Result<bool> set_threads(host::Host& host, const host::LibraryHandle& handle,
                         OneDnnLibrary& library, unsigned runtime, std::int64_t threads) {
  if (runtime == sequential) return true;
  const auto omp = vendor::bind<vendor::OpenMp>(host, handle);
  if (runtime != openmp || !omp)
    return failure(base::format(
        "{} takes its threads from {}, where their number cannot be set; a build of oneDNN with "
        "OpenMP is needed",
        library.file, runtime == tbb ? "TBB" : "something else than OpenMP"));
  omp->api.omp_set_num_threads(static_cast<int>(threads));
  library.threads = omp->api.omp_get_max_threads();
  return true;
}

Result<OneDnnLibrary> open_one(host::Host& host, const std::string& file, std::int64_t threads) {
  const auto handle = host.open_library(file);
  if (!handle) {
    Error error = handle.error();
    if (base::contains(error.text, "libgomp"))
      error.text += "; oneDNN needs GCC's OpenMP library (package libgomp1 or libgomp)";
    return tl::unexpected<Error>(error);
  }
  const auto bound = vendor::bind<vendor::OneDnn>(host, *handle);
  if (!bound) return failure(bound.error().detail);
  OneDnnLibrary library;
  library.api = bound->api;
  library.file = handle->file;
  const dnnl::Version& told = *library.api.dnnl_version();
  library.version = base::format("{}.{}.{}", told.major, told.minor, told.patch);
  if (library.api.dnnl_get_effective_cpu_isa != nullptr)
    library.isa = library.api.dnnl_get_effective_cpu_isa();
  if (const auto done = set_threads(host, *handle, library, told.cpu_runtime, threads); !done)
    return tl::unexpected<Error>(done.error());
  return library;
}

}  // namespace

bool OneDnnLibrary::has_matmul() const {
  return api.dnnl_matmul_primitive_desc_create != nullptr &&
         api.dnnl_memory_desc_create_with_strides != nullptr &&
         api.dnnl_memory_desc_destroy != nullptr;
}

Fact<std::string> OneDnnLibrary::instructions() const {
  if (isa == 0)
    return Fact<std::string>::absent(Absence::not_found, "dnnl_get_effective_cpu_isa tells none");
  return {isa_name(isa), "dnnl_get_effective_cpu_isa"};
}

Result<OneDnnLibrary> open_onednn_library(host::Host& host, const std::string& file,
                                          std::int64_t threads) {
  if (!file.empty()) return open_one(host, file, threads);
  std::string failures;
  for (const std::string& name : vendor::candidates(host, {"libdnnl.so.3", "libdnnl.so.2"}, {})) {
    auto library = open_one(host, name, threads);
    if (library) return library;
    failures += (failures.empty() ? "" : "; ") + library.error().text;
  }
  return failure(failures);
}

std::string isa_name(int isa) {
  for (const IsaName& row : isa_names)
    if (row.isa == isa) return std::string(row.name);
  return base::format("instruction set {:#x}", isa);
}

std::string onednn_error(const char* function, int status) {
  static constexpr std::array<std::string_view, 8> names{
      "success",           "out of memory", "invalid arguments", "unimplemented",
      "last impl reached", "runtime error", "not required",      "invalid graph"};
  const auto place = static_cast<std::size_t>(status);
  return base::format("{}: {} ({})", function,
                      status >= 0 && place < names.size() ? names.at(place) : "error", status);
}

Result<bool> multiplies_itself(const OneDnnLibrary& library, const std::string& dtype) {
  if (dtype != "fp32" && !library.has_matmul())
    return failure(
        base::format("oneDNN {} multiplies {} only from version 3 on", library.version, dtype),
        unsupported_code);
  if (library.isa == 0) return true;
  // Without VNNI the sums of pairs of products are held in 16 bits on the way and may overflow:
  // oneDNN's page "Nuances of int8 Computations".
  const int vnni = dnnl::isa_avx2_vnni | dnnl::isa_avx512_vnni;
  if (dtype == "int8" && (library.isa & vnni) == 0)
    return failure(base::format("oneDNN multiplies int8 exactly only with VNNI, which this CPU "
                                "lacks (it has {})",
                                isa_name(library.isa)),
                   unsupported_code);
  return dtype != "bf16" || (library.isa & dnnl::isa_avx512_bf16) != 0;
}

}  // namespace gpuready::bench

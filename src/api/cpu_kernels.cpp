#include "api/cpu_kernels.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.hpp"

namespace gpuready::api {

namespace {

struct KernelRow {
  std::string_view backend, target;
  VectorLevel level;
};

/// OpenBLAS: the DYNAMIC_ARCH names of driver/others/dynamic.c; BLIS: bli_arch.c; MKL: its files.
/// Names in small letters. MKL's "def" is not here: it holds kernels of its own for AMD too.
constexpr std::array rows{KernelRow{"openblas", "skylakex", VectorLevel::avx512},
                          KernelRow{"openblas", "cooperlake", VectorLevel::avx512},
                          KernelRow{"openblas", "sapphirerapids", VectorLevel::avx512},
                          KernelRow{"openblas", "haswell", VectorLevel::avx2},
                          KernelRow{"openblas", "zen", VectorLevel::avx2},
                          KernelRow{"openblas", "excavator", VectorLevel::avx2},
                          KernelRow{"openblas", "sandybridge", VectorLevel::older},
                          KernelRow{"openblas", "bulldozer", VectorLevel::older},
                          KernelRow{"openblas", "piledriver", VectorLevel::older},
                          KernelRow{"openblas", "steamroller", VectorLevel::older},
                          KernelRow{"openblas", "nehalem", VectorLevel::older},
                          KernelRow{"openblas", "core2", VectorLevel::older},
                          KernelRow{"openblas", "penryn", VectorLevel::older},
                          KernelRow{"openblas", "dunnington", VectorLevel::older},
                          KernelRow{"openblas", "prescott", VectorLevel::older},
                          KernelRow{"openblas", "barcelona", VectorLevel::older},
                          KernelRow{"blis", "skx", VectorLevel::avx512},
                          KernelRow{"blis", "knl", VectorLevel::avx512},
                          KernelRow{"blis", "zen4", VectorLevel::avx512},
                          KernelRow{"blis", "zen5", VectorLevel::avx512},
                          KernelRow{"blis", "haswell", VectorLevel::avx2},
                          KernelRow{"blis", "zen", VectorLevel::avx2},
                          KernelRow{"blis", "zen2", VectorLevel::avx2},
                          KernelRow{"blis", "zen3", VectorLevel::avx2},
                          KernelRow{"blis", "excavator", VectorLevel::older},
                          KernelRow{"blis", "sandybridge", VectorLevel::older},
                          KernelRow{"blis", "penryn", VectorLevel::older},
                          KernelRow{"blis", "generic", VectorLevel::older},
                          KernelRow{"mkl", "avx10", VectorLevel::avx512},
                          KernelRow{"mkl", "avx512", VectorLevel::avx512},
                          KernelRow{"mkl", "avx2", VectorLevel::avx2},
                          KernelRow{"mkl", "avx", VectorLevel::older},
                          KernelRow{"mkl", "mc3", VectorLevel::older}};

bool has_all(const std::vector<std::string>& flags, std::initializer_list<std::string_view> names) {
  return std::ranges::all_of(
      names, [&](std::string_view name) { return std::ranges::find(flags, name) != flags.end(); });
}

}  // namespace

VectorLevel level_of_cpu(const Cpu& cpu) {
  if (!cpu.instruction_sets) return VectorLevel::unknown;
  const std::vector<std::string>& flags = *cpu.instruction_sets;
  if (has_all(flags, {"avx512f", "avx512bw", "avx512dq", "avx512vl"})) return VectorLevel::avx512;
  if (has_all(flags, {"avx2", "fma"})) return VectorLevel::avx2;
  return has_all(flags, {"sse2"}) ? VectorLevel::older : VectorLevel::unknown;
}

std::string name_of(VectorLevel level) {
  if (level == VectorLevel::avx512) return "AVX-512";
  return level == VectorLevel::avx2 ? "AVX2" : "";
}

VectorLevel level_of_kernels(const std::string& backend, const std::string& target) {
  const std::string small = base::lower(target);
  const auto* row = std::ranges::find_if(
      rows, [&](const KernelRow& r) { return r.backend == backend && r.target == small; });
  return row == rows.end() ? VectorLevel::unknown : row->level;
}

std::optional<KernelOverride> override_for(const Cpu& cpu, const Case& measured) {
  if (!measured.library.kernel_target) return {};
  const VectorLevel has = level_of_cpu(cpu);
  const VectorLevel uses = level_of_kernels(measured.backend, *measured.library.kernel_target);
  if (uses == VectorLevel::unknown || has <= uses) return {};
  const bool wide = has == VectorLevel::avx512;
  if (measured.backend == "openblas")
    return KernelOverride{"OPENBLAS_CORETYPE", wide ? "SkylakeX" : "Haswell"};
  if (measured.backend == "blis") return KernelOverride{"BLIS_ARCH_TYPE", wide ? "skx" : "haswell"};
  return {};
}

}  // namespace gpuready::api

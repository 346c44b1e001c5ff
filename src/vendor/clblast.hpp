#pragma once
/// The functions of CLBlast (libclblast.so.1) that we call, as in clblast_c.h.

#include <cstddef>
#include <cstdint>

#include "vendor/load.hpp"
#include "vendor/opencl.hpp"

namespace gpuready::vendor {

namespace clblast {
inline constexpr int success = 0;
inline constexpr int layout_row_major = 101;
inline constexpr int transpose_no = 111;
}  // namespace clblast

struct ClBlast {
  int (*CLBlastSgemm)(int layout, int transpose_a, int transpose_b, std::size_t m, std::size_t n,
                      std::size_t k, float alpha, opencl::Buffer a, std::size_t a_offset,
                      std::size_t lda, opencl::Buffer b, std::size_t b_offset, std::size_t ldb,
                      float beta, opencl::Buffer c, std::size_t c_offset, std::size_t ldc,
                      opencl::Queue* queue, opencl::Event* event);
  int (*CLBlastDgemm)(int layout, int transpose_a, int transpose_b, std::size_t m, std::size_t n,
                      std::size_t k, double alpha, opencl::Buffer a, std::size_t a_offset,
                      std::size_t lda, opencl::Buffer b, std::size_t b_offset, std::size_t ldb,
                      double beta, opencl::Buffer c, std::size_t c_offset, std::size_t ldc,
                      opencl::Queue* queue, opencl::Event* event);
  /// cl_half is the bits of an fp16 number.
  int (*CLBlastHgemm)(int layout, int transpose_a, int transpose_b, std::size_t m, std::size_t n,
                      std::size_t k, std::uint16_t alpha, opencl::Buffer a, std::size_t a_offset,
                      std::size_t lda, opencl::Buffer b, std::size_t b_offset, std::size_t ldb,
                      std::uint16_t beta, opencl::Buffer c, std::size_t c_offset, std::size_t ldc,
                      opencl::Queue* queue, opencl::Event* event);

  template <class Self, class Visit>
  static void symbols(Self& s, Visit&& v) {
    v("CLBlastSgemm", s.CLBlastSgemm, Need::required);
    v("CLBlastDgemm", s.CLBlastDgemm, Need::optional);
    v("CLBlastHgemm", s.CLBlastHgemm, Need::optional);
  }
};

/// Opens libclblast.so.1.
tl::expected<Loaded<ClBlast>, Missing> load_clblast(host::Host& host);

/// "CLBlastInvalidLocalMemUsage (-2046)", or OpenCL's name where CLBlast passes its code on.
std::string clblast_error(int code);

}  // namespace gpuready::vendor

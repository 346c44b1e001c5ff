/// Compares vendor::OneDnn with dnnl.h of oneDNN 3, where it is there.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "vendor/onednn.hpp"

#ifdef GPUREADY_HAVE_DNNL_HEADER
#include <oneapi/dnnl/dnnl.h>
#include <oneapi/dnnl/dnnl_version.h>

#include "tests/vendor/declarations.hpp"
#endif

namespace gpuready::vendor {
namespace {

#if defined(GPUREADY_HAVE_DNNL_HEADER) && DNNL_VERSION_MAJOR >= 3

static_assert(onednn::most_dimensions == DNNL_MAX_NDIMS);
static_assert(onednn::success == dnnl_success);
static_assert(onednn::out_of_memory == dnnl_out_of_memory);
static_assert(onednn::unimplemented == dnnl_unimplemented);
static_assert(onednn::cpu == dnnl_cpu);
static_assert(onednn::in_order == dnnl_stream_in_order);
static_assert(onednn::type_fp16 == dnnl_f16);
static_assert(onednn::type_bf16 == dnnl_bf16);
static_assert(onednn::type_fp32 == dnnl_f32);
static_assert(onednn::type_int32 == dnnl_s32);
static_assert(onednn::type_int8 == dnnl_s8);
static_assert(onednn::place_a == DNNL_ARG_SRC);
static_assert(onednn::place_b == DNNL_ARG_WEIGHTS);
static_assert(onednn::place_c == DNNL_ARG_DST);
static_assert(onednn::query_implementation == dnnl_query_impl_info_str);
static_assert((dnnl_cpu_isa_avx2_vnni & ~dnnl_cpu_isa_avx2) == onednn::isa_avx2_vnni);
static_assert((dnnl_cpu_isa_avx512_core_vnni & ~dnnl_cpu_isa_avx512_core) ==
              onednn::isa_avx512_vnni);
static_assert((dnnl_cpu_isa_avx512_core_bf16 & ~dnnl_cpu_isa_avx512_core_vnni) ==
              onednn::isa_avx512_bf16);
static_assert(sizeof(onednn::Argument) == sizeof(dnnl_exec_arg_t));
static_assert(offsetof(onednn::Argument, memory) == offsetof(dnnl_exec_arg_t, memory));
static_assert(sizeof(onednn::Version) == sizeof(dnnl_version_t));
static_assert(offsetof(onednn::Version, cpu_runtime) == offsetof(dnnl_version_t, cpu_runtime));

TEST(DnnlHeader, DeclaresEveryFunctionAsWeDo) {
  const std::vector<declarations::Compared> compared{
      GPUREADY_COMPARE(OneDnn, dnnl_version),
      GPUREADY_COMPARE(OneDnn, dnnl_get_effective_cpu_isa),
      GPUREADY_COMPARE(OneDnn, dnnl_sgemm),
      GPUREADY_COMPARE(OneDnn, dnnl_engine_create),
      GPUREADY_COMPARE(OneDnn, dnnl_engine_destroy),
      GPUREADY_COMPARE(OneDnn, dnnl_stream_create),
      GPUREADY_COMPARE(OneDnn, dnnl_stream_wait),
      GPUREADY_COMPARE(OneDnn, dnnl_stream_destroy),
      GPUREADY_COMPARE(OneDnn, dnnl_memory_desc_create_with_strides),
      GPUREADY_COMPARE(OneDnn, dnnl_memory_desc_destroy),
      GPUREADY_COMPARE(OneDnn, dnnl_memory_create),
      GPUREADY_COMPARE(OneDnn, dnnl_memory_set_data_handle),
      GPUREADY_COMPARE(OneDnn, dnnl_memory_destroy),
      GPUREADY_COMPARE(OneDnn, dnnl_matmul_primitive_desc_create),
      GPUREADY_COMPARE(OneDnn, dnnl_primitive_desc_query),
      GPUREADY_COMPARE(OneDnn, dnnl_primitive_desc_destroy),
      GPUREADY_COMPARE(OneDnn, dnnl_primitive_create),
      GPUREADY_COMPARE(OneDnn, dnnl_primitive_execute),
      GPUREADY_COMPARE(OneDnn, dnnl_primitive_destroy)};
  EXPECT_THAT(declarations::faults<OneDnn>(compared), ::testing::IsEmpty());
}

#else

TEST(DnnlHeader, DeclaresEveryFunctionAsWeDo) {
  GTEST_SKIP() << "SKIPPED: no dnnl.h of oneDNN 3 (PyPI: onednn-devel-cpu-gomp)";
}

#endif

}  // namespace
}  // namespace gpuready::vendor

#pragma once
/// The functions of oneDNN (libdnnl.so.3 and .2) that we call. What is optional here came with
/// version 3, or is needed only for types beyond fp32. Its enumerations are ints here; a test
/// compares them with dnnl_types.h wherever that is installed.

#include <cstddef>
#include <cstdint>

#include "vendor/load.hpp"

namespace gpuready::vendor {

namespace onednn {
using Engine = struct DnnlEngineTag*;
using Stream = struct DnnlStreamTag*;
using MemoryDesc = struct DnnlMemoryDescTag*;
using Memory = struct DnnlMemoryTag*;
using PrimitiveDesc = struct DnnlPrimitiveDescTag*;
using Primitive = struct DnnlPrimitiveTag*;

inline constexpr int most_dimensions = 12;
using Dimensions = std::int64_t[most_dimensions];

/// dnnl_exec_arg_t.
struct Argument {
  int place;
  Memory memory;
};
/// dnnl_version_t.
struct Version {
  int major, minor, patch;
  const char* hash;
  unsigned cpu_runtime, gpu_runtime;
};

/// dnnl_status_t.
inline constexpr int success = 0, out_of_memory = 1, unimplemented = 3;
/// dnnl_engine_kind_t, dnnl_stream_flags_t (in order).
inline constexpr int cpu = 1;
inline constexpr unsigned in_order = 1;
/// dnnl_data_type_t.
inline constexpr int type_fp16 = 1, type_bf16 = 2, type_fp32 = 3, type_int32 = 4, type_int8 = 5;
/// DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST.
inline constexpr int place_a = 1, place_b = 33, place_c = 17;
/// dnnl_query_impl_info_str.
inline constexpr int query_implementation = 8;
/// Bits of dnnl_cpu_isa_t: VNNI with 256 and 512 bits, AVX512-BF16.
inline constexpr int isa_avx2_vnni = 0x8, isa_avx512_vnni = 0x40, isa_avx512_bf16 = 0x80;
}  // namespace onednn

struct OneDnn {
  const onednn::Version* (*dnnl_version)();
  int (*dnnl_get_effective_cpu_isa)();
  int (*dnnl_sgemm)(char transpose_a, char transpose_b, std::int64_t m, std::int64_t n,
                    std::int64_t k, float alpha, const float* a, std::int64_t lda, const float* b,
                    std::int64_t ldb, float beta, float* c, std::int64_t ldc);
  int (*dnnl_engine_create)(onednn::Engine* engine, int kind, std::size_t index);
  int (*dnnl_engine_destroy)(onednn::Engine engine);
  int (*dnnl_stream_create)(onednn::Stream* stream, onednn::Engine engine, unsigned flags);
  int (*dnnl_stream_wait)(onednn::Stream stream);
  int (*dnnl_stream_destroy)(onednn::Stream stream);
  int (*dnnl_memory_desc_create_with_strides)(onednn::MemoryDesc* desc, int dimensions,
                                              const onednn::Dimensions sizes, int type,
                                              const onednn::Dimensions strides);
  int (*dnnl_memory_desc_destroy)(onednn::MemoryDesc desc);
  int (*dnnl_memory_create)(onednn::Memory* memory, onednn::MemoryDesc desc, onednn::Engine engine,
                            void* data);
  int (*dnnl_memory_set_data_handle)(onednn::Memory memory, void* data);
  int (*dnnl_memory_destroy)(onednn::Memory memory);
  int (*dnnl_matmul_primitive_desc_create)(onednn::PrimitiveDesc* desc, onednn::Engine engine,
                                           onednn::MemoryDesc a, onednn::MemoryDesc b,
                                           onednn::MemoryDesc bias, onednn::MemoryDesc c,
                                           const void* attributes);
  int (*dnnl_primitive_desc_query)(onednn::PrimitiveDesc desc, int what, int index, void* result);
  int (*dnnl_primitive_desc_destroy)(onednn::PrimitiveDesc desc);
  int (*dnnl_primitive_create)(onednn::Primitive* primitive, onednn::PrimitiveDesc desc);
  int (*dnnl_primitive_execute)(onednn::Primitive primitive, onednn::Stream stream, int count,
                                const onednn::Argument* arguments);
  int (*dnnl_primitive_destroy)(onednn::Primitive primitive);

  template <class Self, class Visit>
  static void symbols(Self& s, Visit&& v) {
    v("dnnl_version", s.dnnl_version, Need::required);
    v("dnnl_get_effective_cpu_isa", s.dnnl_get_effective_cpu_isa, Need::optional);
    v("dnnl_sgemm", s.dnnl_sgemm, Need::required);
    v("dnnl_engine_create", s.dnnl_engine_create, Need::required);
    v("dnnl_engine_destroy", s.dnnl_engine_destroy, Need::required);
    v("dnnl_stream_create", s.dnnl_stream_create, Need::required);
    v("dnnl_stream_wait", s.dnnl_stream_wait, Need::required);
    v("dnnl_stream_destroy", s.dnnl_stream_destroy, Need::required);
    v("dnnl_memory_desc_create_with_strides", s.dnnl_memory_desc_create_with_strides,
      Need::optional);
    v("dnnl_memory_desc_destroy", s.dnnl_memory_desc_destroy, Need::optional);
    v("dnnl_memory_create", s.dnnl_memory_create, Need::required);
    v("dnnl_memory_set_data_handle", s.dnnl_memory_set_data_handle, Need::required);
    v("dnnl_memory_destroy", s.dnnl_memory_destroy, Need::required);
    v("dnnl_matmul_primitive_desc_create", s.dnnl_matmul_primitive_desc_create, Need::optional);
    v("dnnl_primitive_desc_query", s.dnnl_primitive_desc_query, Need::required);
    v("dnnl_primitive_desc_destroy", s.dnnl_primitive_desc_destroy, Need::required);
    v("dnnl_primitive_create", s.dnnl_primitive_create, Need::required);
    v("dnnl_primitive_execute", s.dnnl_primitive_execute, Need::required);
    v("dnnl_primitive_destroy", s.dnnl_primitive_destroy, Need::required);
  }
};

/// The OpenMP library that another library is linked with: its threads are set there.
struct OpenMp {
  void (*omp_set_num_threads)(int threads);
  int (*omp_get_max_threads)();

  template <class Self, class Visit>
  static void symbols(Self& s, Visit&& v) {
    v("omp_set_num_threads", s.omp_set_num_threads, Need::required);
    v("omp_get_max_threads", s.omp_get_max_threads, Need::required);
  }
};

}  // namespace gpuready::vendor

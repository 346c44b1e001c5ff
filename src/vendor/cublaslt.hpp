#pragma once
/// The functions of cuBLASLt (libcublasLt.so.*) that we call. Column-major. Its descriptors are
/// handles here; their attributes are written by number, and a test compares the numbers with
/// cublasLt.h and library_types.h wherever a toolkit is installed.

#include <cstddef>
#include <cstdint>

#include "vendor/cuda.hpp"
#include "vendor/load.hpp"

namespace gpuready::vendor {

namespace cublaslt {
using Handle = struct LtHandleTag*;
using MatmulDesc = struct LtMatmulTag*;
using Layout = struct LtLayoutTag*;
using Preference = struct LtPreferenceTag*;

/// cublasLtMatmulAlgo_t.
struct Algorithm {
  std::uint64_t data[8];
};
/// cublasLtMatmulHeuristicResult_t.
struct Candidate {
  Algorithm algorithm;
  std::size_t workspace_bytes;
  int state;  ///< a status; only 0 may be used
  float waves;
  int reserved[4];
};

inline constexpr int success = 0;
inline constexpr int alloc_failed = 3;
inline constexpr int not_supported = 15;

/// cudaDataType_t.
inline constexpr int type_fp32 = 0, type_fp64 = 1, type_fp16 = 2, type_int8 = 3, type_int32 = 10,
                     type_bf16 = 14, type_fp8_e4m3 = 28;
/// cublasComputeType_t.
inline constexpr int compute_fp16 = 64, compute_fp32 = 68, compute_fp64 = 70, compute_int32 = 72,
                     compute_fast_tf32 = 77;
/// cublasLtMatmulDescAttributes_t: operations (int32), fast accumulation (int8).
inline constexpr int desc_transpose_a = 3, desc_transpose_b = 4, desc_fast_accumulate = 25;
/// cublasLtMatmulPreferenceAttributes_t: uint64.
inline constexpr int preference_workspace_bytes = 1;
/// cublasOperation_t.
inline constexpr std::int32_t operation_none = 0, operation_transpose = 1;
}  // namespace cublaslt

struct CublasLt {
  int (*cublasLtCreate)(cublaslt::Handle* handle);
  int (*cublasLtDestroy)(cublaslt::Handle handle);
  std::size_t (*cublasLtGetVersion)();
  const char* (*cublasLtGetStatusString)(int status);
  int (*cublasLtMatmulDescCreate)(cublaslt::MatmulDesc* desc, int compute_type, int scale_type);
  int (*cublasLtMatmulDescDestroy)(cublaslt::MatmulDesc desc);
  int (*cublasLtMatmulDescSetAttribute)(cublaslt::MatmulDesc desc, int attribute, const void* value,
                                        std::size_t bytes);
  int (*cublasLtMatrixLayoutCreate)(cublaslt::Layout* layout, int type, std::uint64_t rows,
                                    std::uint64_t columns, std::int64_t leading_dimension);
  int (*cublasLtMatrixLayoutDestroy)(cublaslt::Layout layout);
  int (*cublasLtMatmulPreferenceCreate)(cublaslt::Preference* preference);
  int (*cublasLtMatmulPreferenceDestroy)(cublaslt::Preference preference);
  int (*cublasLtMatmulPreferenceSetAttribute)(cublaslt::Preference preference, int attribute,
                                              const void* value, std::size_t bytes);
  int (*cublasLtMatmulAlgoGetHeuristic)(cublaslt::Handle handle, cublaslt::MatmulDesc desc,
                                        cublaslt::Layout a, cublaslt::Layout b, cublaslt::Layout c,
                                        cublaslt::Layout d, cublaslt::Preference preference,
                                        int wanted, cublaslt::Candidate* candidates, int* found);
  int (*cublasLtMatmul)(cublaslt::Handle handle, cublaslt::MatmulDesc desc, const void* alpha,
                        const void* a, cublaslt::Layout a_layout, const void* b,
                        cublaslt::Layout b_layout, const void* beta, const void* c,
                        cublaslt::Layout c_layout, void* d, cublaslt::Layout d_layout,
                        const cublaslt::Algorithm* algorithm, void* workspace,
                        std::size_t workspace_bytes, cuda::Stream stream);

  template <class Self, class Visit>
  static void symbols(Self& s, Visit&& v) {
    v("cublasLtCreate", s.cublasLtCreate, Need::required);
    v("cublasLtDestroy", s.cublasLtDestroy, Need::required);
    v("cublasLtGetVersion", s.cublasLtGetVersion, Need::optional);
    v("cublasLtGetStatusString", s.cublasLtGetStatusString, Need::optional);
    v("cublasLtMatmulDescCreate", s.cublasLtMatmulDescCreate, Need::required);
    v("cublasLtMatmulDescDestroy", s.cublasLtMatmulDescDestroy, Need::required);
    v("cublasLtMatmulDescSetAttribute", s.cublasLtMatmulDescSetAttribute, Need::required);
    v("cublasLtMatrixLayoutCreate", s.cublasLtMatrixLayoutCreate, Need::required);
    v("cublasLtMatrixLayoutDestroy", s.cublasLtMatrixLayoutDestroy, Need::required);
    v("cublasLtMatmulPreferenceCreate", s.cublasLtMatmulPreferenceCreate, Need::required);
    v("cublasLtMatmulPreferenceDestroy", s.cublasLtMatmulPreferenceDestroy, Need::required);
    v("cublasLtMatmulPreferenceSetAttribute", s.cublasLtMatmulPreferenceSetAttribute,
      Need::required);
    v("cublasLtMatmulAlgoGetHeuristic", s.cublasLtMatmulAlgoGetHeuristic, Need::required);
    v("cublasLtMatmul", s.cublasLtMatmul, Need::required);
  }
};

/// "CUBLAS_STATUS_NOT_SUPPORTED (15)", as cublas_error().
std::string cublaslt_error(const CublasLt& library, int status);

}  // namespace gpuready::vendor

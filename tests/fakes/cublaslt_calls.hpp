#pragma once
/// Declares the fake functions with the very types of our table (which a test compares with the
/// real declarations), so that a definition of another type does not compile.

#include <type_traits>

#include "vendor/cublaslt.hpp"

namespace gpuready::fakes {
/// The type of the function that a pointer of the table points to.
template <class Pointer>
using Call = std::remove_pointer_t<Pointer>;
}  // namespace gpuready::fakes

extern "C" {
using gpuready::fakes::Call;
using gpuready::vendor::CublasLt;
Call<decltype(CublasLt::cublasLtCreate)> cublasLtCreate;
Call<decltype(CublasLt::cublasLtDestroy)> cublasLtDestroy;
Call<decltype(CublasLt::cublasLtGetVersion)> cublasLtGetVersion;
Call<decltype(CublasLt::cublasLtGetStatusString)> cublasLtGetStatusString;
Call<decltype(CublasLt::cublasLtMatmulDescCreate)> cublasLtMatmulDescCreate;
Call<decltype(CublasLt::cublasLtMatmulDescDestroy)> cublasLtMatmulDescDestroy;
Call<decltype(CublasLt::cublasLtMatmulDescSetAttribute)> cublasLtMatmulDescSetAttribute;
Call<decltype(CublasLt::cublasLtMatrixLayoutCreate)> cublasLtMatrixLayoutCreate;
Call<decltype(CublasLt::cublasLtMatrixLayoutDestroy)> cublasLtMatrixLayoutDestroy;
Call<decltype(CublasLt::cublasLtMatmulPreferenceCreate)> cublasLtMatmulPreferenceCreate;
Call<decltype(CublasLt::cublasLtMatmulPreferenceDestroy)> cublasLtMatmulPreferenceDestroy;
Call<decltype(CublasLt::cublasLtMatmulPreferenceSetAttribute)> cublasLtMatmulPreferenceSetAttribute;
Call<decltype(CublasLt::cublasLtMatmulAlgoGetHeuristic)> cublasLtMatmulAlgoGetHeuristic;
Call<decltype(CublasLt::cublasLtMatmul)> cublasLtMatmul;
}  // extern "C"

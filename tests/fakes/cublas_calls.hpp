#pragma once
/// Declares the fake functions with the very types of our table (which a test compares with the
/// real declarations), so that a definition of another type does not compile.

#include <type_traits>

#include "vendor/cublas.hpp"

namespace gpuready::fakes {
/// The type of the function that a pointer of the table points to.
template <class Pointer>
using Call = std::remove_pointer_t<Pointer>;
}  // namespace gpuready::fakes

extern "C" {
gpuready::fakes::Call<decltype(gpuready::vendor::Cublas::cublasCreate_v2)> cublasCreate_v2;
gpuready::fakes::Call<decltype(gpuready::vendor::Cublas::cublasDestroy_v2)> cublasDestroy_v2;
gpuready::fakes::Call<decltype(gpuready::vendor::Cublas::cublasSetStream_v2)> cublasSetStream_v2;
gpuready::fakes::Call<decltype(gpuready::vendor::Cublas::cublasGetVersion_v2)> cublasGetVersion_v2;
gpuready::fakes::Call<decltype(gpuready::vendor::Cublas::cublasGetStatusString)>
    cublasGetStatusString;
gpuready::fakes::Call<decltype(gpuready::vendor::Cublas::cublasSetMathMode)> cublasSetMathMode;
gpuready::fakes::Call<decltype(gpuready::vendor::Cublas::cublasSgemm_v2)> cublasSgemm_v2;
}  // extern "C"

/// Compares vendor::Cuda and vendor::Cublas with cuda.h and cublas_v2.h, where a toolkit is there.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "vendor/cublas.hpp"
#include "vendor/cublaslt.hpp"
#include "vendor/cuda.hpp"

#ifdef GPUREADY_HAVE_CUDA_HEADERS
/// Makes cuda.h declare every version of a function under its own name.
#define __CUDA_API_VERSION_INTERNAL
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda.h>

#include "tests/vendor/declarations.hpp"
#endif

namespace gpuready::vendor {
namespace {

#ifdef GPUREADY_HAVE_CUDA_HEADERS

using declarations::Compared;

static_assert(cuda::attribute_clock_rate_khz == CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
static_assert(cuda::attribute_multiprocessor_count == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
static_assert(cuda::attribute_integrated == CU_DEVICE_ATTRIBUTE_INTEGRATED);
static_assert(cuda::attribute_compute_mode == CU_DEVICE_ATTRIBUTE_COMPUTE_MODE);
static_assert(cuda::attribute_l2_cache_bytes == CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
static_assert(cuda::attribute_capability_major == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
static_assert(cuda::attribute_capability_minor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
static_assert(cuda::event_default == CU_EVENT_DEFAULT);
static_assert(cuda::stream_non_blocking == CU_STREAM_NON_BLOCKING);
static_assert(cuda::success == CUDA_SUCCESS);
static_assert(cuda::error_out_of_memory == CUDA_ERROR_OUT_OF_MEMORY);
static_assert(cuda::error_stub_library == CUDA_ERROR_STUB_LIBRARY);
static_assert(cuda::error_device_unavailable == CUDA_ERROR_DEVICE_UNAVAILABLE);
static_assert(cuda::error_no_device == CUDA_ERROR_NO_DEVICE);
static_assert(cuda::error_no_binary_for_gpu == CUDA_ERROR_NO_BINARY_FOR_GPU);
static_assert(cuda::error_unsupported_ptx_version == CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
static_assert(cuda::error_system_not_ready == CUDA_ERROR_SYSTEM_NOT_READY);
static_assert(cuda::error_system_driver_mismatch == CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
static_assert(cuda::error_compat_not_supported == CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE);
static_assert(cuda::error_unknown == CUDA_ERROR_UNKNOWN);
static_assert(sizeof(cuda::Uuid) == sizeof(CUuuid));
static_assert(sizeof(cuda::Device) == sizeof(CUdevice));
static_assert(sizeof(cuda::DevicePointer) == sizeof(CUdeviceptr));
static_assert(cublas::success == CUBLAS_STATUS_SUCCESS);
static_assert(cublas::not_initialized == CUBLAS_STATUS_NOT_INITIALIZED);
static_assert(cublas::alloc_failed == CUBLAS_STATUS_ALLOC_FAILED);
static_assert(cublas::operation_none == CUBLAS_OP_N);
static_assert(cublas::math_default == CUBLAS_DEFAULT_MATH);
static_assert(cublas::math_pedantic == CUBLAS_PEDANTIC_MATH);

TEST(CudaHeaders, DeclareEveryDriverFunctionAsWeDo) {
  const std::vector<Compared> compared{GPUREADY_COMPARE(Cuda, cuInit),
                                       GPUREADY_COMPARE(Cuda, cuDriverGetVersion),
                                       GPUREADY_COMPARE(Cuda, cuGetErrorName),
                                       GPUREADY_COMPARE(Cuda, cuDeviceGetCount),
                                       GPUREADY_COMPARE(Cuda, cuDeviceGet),
                                       GPUREADY_COMPARE(Cuda, cuDeviceGetName),
                                       GPUREADY_COMPARE(Cuda, cuDeviceGetUuid),
                                       GPUREADY_COMPARE(Cuda, cuDeviceGetUuid_v2),
                                       GPUREADY_COMPARE(Cuda, cuDeviceGetPCIBusId),
                                       GPUREADY_COMPARE(Cuda, cuDeviceGetAttribute),
                                       GPUREADY_COMPARE(Cuda, cuDeviceTotalMem_v2),
                                       GPUREADY_COMPARE(Cuda, cuDevicePrimaryCtxRetain),
                                       GPUREADY_COMPARE(Cuda, cuDevicePrimaryCtxRelease_v2),
                                       GPUREADY_COMPARE(Cuda, cuCtxSetCurrent),
                                       GPUREADY_COMPARE(Cuda, cuCtxSynchronize),
                                       GPUREADY_COMPARE(Cuda, cuMemGetInfo_v2),
                                       GPUREADY_COMPARE(Cuda, cuMemAlloc_v2),
                                       GPUREADY_COMPARE(Cuda, cuMemFree_v2),
                                       GPUREADY_COMPARE(Cuda, cuMemAllocHost_v2),
                                       GPUREADY_COMPARE(Cuda, cuMemFreeHost),
                                       GPUREADY_COMPARE(Cuda, cuMemcpyHtoD_v2),
                                       GPUREADY_COMPARE(Cuda, cuMemcpyDtoH_v2),
                                       GPUREADY_COMPARE(Cuda, cuMemcpyHtoDAsync_v2),
                                       GPUREADY_COMPARE(Cuda, cuMemcpyDtoHAsync_v2),
                                       GPUREADY_COMPARE(Cuda, cuMemcpyDtoDAsync_v2),
                                       GPUREADY_COMPARE(Cuda, cuMemsetD8Async),
                                       GPUREADY_COMPARE(Cuda, cuStreamCreate),
                                       GPUREADY_COMPARE(Cuda, cuStreamDestroy_v2),
                                       GPUREADY_COMPARE(Cuda, cuStreamSynchronize),
                                       GPUREADY_COMPARE(Cuda, cuStreamWaitValue32_v2),
                                       GPUREADY_COMPARE(Cuda, cuMemHostAlloc),
                                       GPUREADY_COMPARE(Cuda, cuMemHostGetDevicePointer_v2),
                                       GPUREADY_COMPARE(Cuda, cuEventCreate),
                                       GPUREADY_COMPARE(Cuda, cuEventDestroy_v2),
                                       GPUREADY_COMPARE(Cuda, cuEventRecord),
                                       GPUREADY_COMPARE(Cuda, cuEventSynchronize),
                                       GPUREADY_COMPARE(Cuda, cuEventElapsedTime),
                                       GPUREADY_COMPARE(Cuda, cuModuleLoadData),
                                       GPUREADY_COMPARE(Cuda, cuModuleGetFunction),
                                       GPUREADY_COMPARE(Cuda, cuModuleUnload),
                                       GPUREADY_COMPARE(Cuda, cuLaunchKernel)};
  EXPECT_THAT(declarations::faults<Cuda>(compared), ::testing::IsEmpty());
}

static_assert(cuda::host_alloc_mapped == CU_MEMHOSTALLOC_DEVICEMAP);
static_assert(cuda::wait_until_at_least == CU_STREAM_WAIT_VALUE_GEQ);

static_assert(cublaslt::success == CUBLAS_STATUS_SUCCESS);
static_assert(cublaslt::alloc_failed == CUBLAS_STATUS_ALLOC_FAILED);
static_assert(cublaslt::not_supported == CUBLAS_STATUS_NOT_SUPPORTED);
static_assert(cublaslt::type_fp32 == CUDA_R_32F && cublaslt::type_fp64 == CUDA_R_64F);
static_assert(cublaslt::type_fp16 == CUDA_R_16F && cublaslt::type_bf16 == CUDA_R_16BF);
static_assert(cublaslt::type_int8 == CUDA_R_8I && cublaslt::type_int32 == CUDA_R_32I);
static_assert(cublaslt::type_fp8_e4m3 == CUDA_R_8F_E4M3);
static_assert(cublaslt::compute_fp16 == CUBLAS_COMPUTE_16F);
static_assert(cublaslt::compute_fp32 == CUBLAS_COMPUTE_32F);
static_assert(cublaslt::compute_fp64 == CUBLAS_COMPUTE_64F);
static_assert(cublaslt::compute_int32 == CUBLAS_COMPUTE_32I);
static_assert(cublaslt::compute_fast_tf32 == CUBLAS_COMPUTE_32F_FAST_TF32);
static_assert(cublaslt::desc_transpose_a == CUBLASLT_MATMUL_DESC_TRANSA);
static_assert(cublaslt::desc_transpose_b == CUBLASLT_MATMUL_DESC_TRANSB);
static_assert(cublaslt::desc_fast_accumulate == CUBLASLT_MATMUL_DESC_FAST_ACCUM);
static_assert(cublaslt::preference_workspace_bytes == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
static_assert(cublaslt::operation_none == CUBLAS_OP_N);
static_assert(cublaslt::operation_transpose == CUBLAS_OP_T);
static_assert(sizeof(cublaslt::Algorithm) == sizeof(cublasLtMatmulAlgo_t));
static_assert(sizeof(cublaslt::Candidate) == sizeof(cublasLtMatmulHeuristicResult_t));
static_assert(offsetof(cublaslt::Candidate, workspace_bytes) ==
              offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
static_assert(offsetof(cublaslt::Candidate, state) ==
              offsetof(cublasLtMatmulHeuristicResult_t, state));

TEST(CudaHeaders, DeclareEveryCublasLtFunctionAsWeDo) {
  const std::vector<Compared> compared{
      GPUREADY_COMPARE(CublasLt, cublasLtCreate),
      GPUREADY_COMPARE(CublasLt, cublasLtDestroy),
      GPUREADY_COMPARE(CublasLt, cublasLtGetVersion),
      GPUREADY_COMPARE(CublasLt, cublasLtGetStatusString),
      GPUREADY_COMPARE(CublasLt, cublasLtMatmulDescCreate),
      GPUREADY_COMPARE(CublasLt, cublasLtMatmulDescDestroy),
      GPUREADY_COMPARE(CublasLt, cublasLtMatmulDescSetAttribute),
      GPUREADY_COMPARE(CublasLt, cublasLtMatrixLayoutCreate),
      GPUREADY_COMPARE(CublasLt, cublasLtMatrixLayoutDestroy),
      GPUREADY_COMPARE(CublasLt, cublasLtMatmulPreferenceCreate),
      GPUREADY_COMPARE(CublasLt, cublasLtMatmulPreferenceDestroy),
      GPUREADY_COMPARE(CublasLt, cublasLtMatmulPreferenceSetAttribute),
      GPUREADY_COMPARE(CublasLt, cublasLtMatmulAlgoGetHeuristic),
      GPUREADY_COMPARE(CublasLt, cublasLtMatmul)};
  EXPECT_THAT(declarations::faults<CublasLt>(compared), ::testing::IsEmpty());
}

TEST(CudaHeaders, DeclareEveryCublasFunctionAsWeDo) {
  const std::vector<Compared> compared{GPUREADY_COMPARE(Cublas, cublasCreate_v2),
                                       GPUREADY_COMPARE(Cublas, cublasDestroy_v2),
                                       GPUREADY_COMPARE(Cublas, cublasSetStream_v2),
                                       GPUREADY_COMPARE(Cublas, cublasGetVersion_v2),
                                       GPUREADY_COMPARE(Cublas, cublasGetStatusString),
                                       GPUREADY_COMPARE(Cublas, cublasSetMathMode),
                                       GPUREADY_COMPARE(Cublas, cublasSgemm_v2)};
  EXPECT_THAT(declarations::faults<Cublas>(compared), ::testing::IsEmpty());
}

TEST(CudaHeaders, WouldShowAFunctionThatDiffers) {
  struct Wrong {
    int (*cuInit)(unsigned long flags);
    int (*cuDriverGetVersion)(long* version);
    int (*cuDeviceGet)(cuda::Device* device);
    int (*cuCtxSynchronize)();
  };
  EXPECT_FALSE((declarations::Functions<decltype(Wrong::cuInit), decltype(::cuInit)>::value));
  EXPECT_FALSE((declarations::Functions<decltype(Wrong::cuDriverGetVersion),
                                        decltype(::cuDriverGetVersion)>::value));
  EXPECT_FALSE(
      (declarations::Functions<decltype(Wrong::cuDeviceGet), decltype(::cuDeviceGet)>::value));
  EXPECT_TRUE((declarations::Functions<decltype(Wrong::cuCtxSynchronize),
                                       decltype(::cuCtxSynchronize)>::value));
}

/// A code of the real header, and its name.
struct Named {
  int code;
  std::string name;

  [[nodiscard]] std::string text() const { return name + " (" + std::to_string(code) + ")"; }
};

TEST(CudaHeaders, NameTheDriversCodesAsWeDo) {
  const std::vector<Named> codes{
      {CUDA_SUCCESS, "CUDA_SUCCESS"},
      {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
      {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
      {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED"},
      {CUDA_ERROR_DEINITIALIZED, "CUDA_ERROR_DEINITIALIZED"},
      {CUDA_ERROR_STUB_LIBRARY, "CUDA_ERROR_STUB_LIBRARY"},
      {CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER, "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER"},
      {CUDA_ERROR_DEVICE_UNAVAILABLE, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
      {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE"},
      {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE"},
      {CUDA_ERROR_DEVICE_NOT_LICENSED, "CUDA_ERROR_DEVICE_NOT_LICENSED"},
      {CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE"},
      {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT"},
      {CUDA_ERROR_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
      {CUDA_ERROR_ECC_UNCORRECTABLE, "CUDA_ERROR_ECC_UNCORRECTABLE"},
      {CUDA_ERROR_INVALID_PTX, "CUDA_ERROR_INVALID_PTX"},
      {CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
      {CUDA_ERROR_OPERATING_SYSTEM, "CUDA_ERROR_OPERATING_SYSTEM"},
      {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE"},
      {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND"},
      {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
      {CUDA_ERROR_LAUNCH_TIMEOUT, "CUDA_ERROR_LAUNCH_TIMEOUT"},
      {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED"},
      {CUDA_ERROR_NOT_PERMITTED, "CUDA_ERROR_NOT_PERMITTED"},
      {CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED"},
      {CUDA_ERROR_SYSTEM_NOT_READY, "CUDA_ERROR_SYSTEM_NOT_READY"},
      {CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
      {CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"},
      {CUDA_ERROR_MPS_CONNECTION_FAILED, "CUDA_ERROR_MPS_CONNECTION_FAILED"},
      {CUDA_ERROR_MPS_RPC_FAILURE, "CUDA_ERROR_MPS_RPC_FAILURE"},
      {CUDA_ERROR_MPS_SERVER_NOT_READY, "CUDA_ERROR_MPS_SERVER_NOT_READY"},
      {CUDA_ERROR_MPS_MAX_CLIENTS_REACHED, "CUDA_ERROR_MPS_MAX_CLIENTS_REACHED"},
      {CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED, "CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED"},
      {CUDA_ERROR_MPS_CLIENT_TERMINATED, "CUDA_ERROR_MPS_CLIENT_TERMINATED"},
      {CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN"}};
  for (const Named& one : codes) EXPECT_EQ(cuda_error(Cuda{}, one.code), one.text());
}

TEST(CudaHeaders, NameCublasCodesAsWeDo) {
  const std::vector<Named> codes{{CUBLAS_STATUS_SUCCESS, "CUBLAS_STATUS_SUCCESS"},
                                 {CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED"},
                                 {CUBLAS_STATUS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED"},
                                 {CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE"},
                                 {CUBLAS_STATUS_ARCH_MISMATCH, "CUBLAS_STATUS_ARCH_MISMATCH"},
                                 {CUBLAS_STATUS_MAPPING_ERROR, "CUBLAS_STATUS_MAPPING_ERROR"},
                                 {CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED"},
                                 {CUBLAS_STATUS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR"},
                                 {CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED"},
                                 {CUBLAS_STATUS_LICENSE_ERROR, "CUBLAS_STATUS_LICENSE_ERROR"}};
  for (const Named& one : codes) EXPECT_EQ(cublas_error(Cublas{}, one.code), one.text());
}

#else

TEST(CudaHeaders, DeclareEveryFunctionAsWeDo) {
  GTEST_SKIP() << "SKIPPED: no CUDA toolkit on this machine";
}

#endif

}  // namespace
}  // namespace gpuready::vendor

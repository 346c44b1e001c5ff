#include "vendor/cublas.hpp"

#include <array>

#include "vendor/code_names.hpp"
#include "vendor/cublaslt.hpp"

namespace gpuready::vendor {

namespace {

/// cublasStatus_t of cublas_api.h. Needed even beside a new cuBLAS: cublasGetStatusString() tells a
/// sentence, not the name, and is missing before 11.4.
constexpr auto cublas_names = std::to_array<CodeName>({
    {0, "CUBLAS_STATUS_SUCCESS"},
    {1, "CUBLAS_STATUS_NOT_INITIALIZED"},
    {3, "CUBLAS_STATUS_ALLOC_FAILED"},
    {7, "CUBLAS_STATUS_INVALID_VALUE"},
    {8, "CUBLAS_STATUS_ARCH_MISMATCH"},
    {11, "CUBLAS_STATUS_MAPPING_ERROR"},
    {13, "CUBLAS_STATUS_EXECUTION_FAILED"},
    {14, "CUBLAS_STATUS_INTERNAL_ERROR"},
    {15, "CUBLAS_STATUS_NOT_SUPPORTED"},
    {16, "CUBLAS_STATUS_LICENSE_ERROR"},
});

/// The library's words only where we have no name.
std::string status_text(int status, const char* (*words)(int)) {
  const std::string_view ours = name_in(cublas_names, status);
  if (!ours.empty() || words == nullptr) return name_and_code(ours, status);
  return name_and_code(library_text(words(status)), status);
}

}  // namespace

std::string cublas_error(const Cublas& cublas, int status) {
  return status_text(status, cublas.cublasGetStatusString);
}

std::string cublaslt_error(const CublasLt& library, int status) {
  return status_text(status, library.cublasLtGetStatusString);
}

}  // namespace gpuready::vendor

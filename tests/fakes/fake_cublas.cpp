/// A libcublas whose products are right: computed here, in the memory of the fake libcuda.so.1.

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <set>
#include <vector>

#include "cublas_calls.hpp"
#include "device_memory.hpp"
#include "fake_gemm.hpp"
#include "script.hpp"

namespace cublas = gpuready::vendor::cublas;
namespace cuda = gpuready::vendor::cuda;
namespace fakes = gpuready::fakes;

namespace gpuready::vendor::cublas {
struct HandleTag {
  cuda::Stream stream = nullptr;
  int mode = math_default;
};
}  // namespace gpuready::vendor::cublas

namespace {

using fakes::Stored;

constexpr int invalid_value = 7, execution_failed = 13;
constexpr int version = 130000;

/// A function of the driver that the process has already loaded; null where it has none.
template <class Function>
Function* of_driver(const char* name) {
  void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr) return nullptr;
  auto* const found = reinterpret_cast<Function*>(::dlsym(driver, name));
  ::dlclose(driver);
  return found;
}

std::set<std::unique_ptr<cublas::HandleTag>>& handles() {
  static std::set<std::unique_ptr<cublas::HandleTag>> handles;
  return handles;
}

int begin(const char* call, cublas::Handle handle) {
  if (const int code = fakes::enter(call); code != 0) return code;
  const auto is_it = [&](const auto& one) { return one.get() == handle; };
  return std::ranges::any_of(handles(), is_it) ? cublas::success : cublas::not_initialized;
}

/// The host memory of a matrix; null where it isn't all in device memory.
float* on_host(const Stored& x, const float* data) {
  const auto resolve =
      of_driver<decltype(gpuready_fake_host_address)>("gpuready_fake_host_address");
  if (resolve == nullptr) return nullptr;
  return static_cast<float*>(
      resolve(reinterpret_cast<std::uintptr_t>(data), x.span() * sizeof(float)));
}

/// As BLAS says, C is not even read where beta is 0.
void scale(float* c, std::size_t m, std::size_t n, std::size_t stride, float beta) {
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < m; ++i)
      c[i + j * stride] = beta == 0.0F ? 0.0F : beta * c[i + j * stride];
}

void spoil(float* c, std::size_t m, std::size_t n, std::size_t stride) {
  float& element = c[m / 2 + n / 2 * stride];
  if (fakes::script().wrong_element) element = element * 1.5F + 1.0F;
  if (fakes::script().nan) element = std::numeric_limits<float>::quiet_NaN();
}

/// One call, with everything that it needs when the device comes to it.
struct Sgemm {
  Stored a, b, c;
  float alpha, beta;
  const float *a_data, *b_data;
  float* c_data;

  void operator()() const {
    const auto left = fakes::pack<float>(a, [this](std::size_t i) { return a_data[i]; });
    const auto right = fakes::pack<float>(b, [this](std::size_t i) { return b_data[i]; });
    scale(c_data, c.rows, c.columns, c.stride, beta);
    fakes::add_product(left, right, c_data, c.rows, c.columns, a.columns, c.stride, alpha);
    spoil(c_data, c.rows, c.columns, c.stride);
  }
};

std::size_t size(int number) { return static_cast<std::size_t>(number); }

bool good_shape(int transpose, int rows, int columns, int stride) {
  return (transpose == 0 || transpose == 1) && rows >= 0 && columns >= 0 &&
         stride >= std::max(1, transpose == 0 ? rows : columns);
}

/// Hands the work to the device, which does it when the stream comes to it.
int enqueue(const Sgemm& work) {
  const auto queue = of_driver<decltype(gpuready_fake_enqueue)>("gpuready_fake_enqueue");
  if (queue == nullptr) return execution_failed;
  queue(
      [](void* given) {
        const std::unique_ptr<Sgemm> owned(static_cast<Sgemm*>(given));
        (*owned)();
      },
      new Sgemm(work));
  return cublas::success;
}

}  // namespace

extern "C" {

int cublasCreate_v2(cublas::Handle* handle) {
  if (const int code = fakes::enter("cublasCreate_v2"); code != 0) return code;
  if (handle == nullptr) return invalid_value;
  const auto ready = of_driver<decltype(gpuready_fake_has_context)>("gpuready_fake_has_context");
  if (ready == nullptr || !ready()) return cublas::not_initialized;
  auto made = std::make_unique<cublas::HandleTag>();
  *handle = made.get();
  handles().insert(std::move(made));
  return cublas::success;
}

int cublasDestroy_v2(cublas::Handle handle) {
  if (const int code = begin("cublasDestroy_v2", handle); code != 0) return code;
  std::erase_if(handles(), [&](const auto& one) { return one.get() == handle; });
  return cublas::success;
}

int cublasSetStream_v2(cublas::Handle handle, cuda::Stream stream) {
  if (const int code = begin("cublasSetStream_v2", handle); code != 0) return code;
  handle->stream = stream;
  return cublas::success;
}

int cublasGetVersion_v2(cublas::Handle handle, int* number) {
  if (const int code = begin("cublasGetVersion_v2", handle); code != 0) return code;
  if (number == nullptr) return invalid_value;
  *number = version;
  return cublas::success;
}

const char* cublasGetStatusString(int status) {
  if (fakes::enter("cublasGetStatusString") != 0) return nullptr;
  return status == cublas::success ? "success" : "the fake cuBLAS failed";
}

int cublasSetMathMode(cublas::Handle handle, int mode) {
  if (const int code = begin("cublasSetMathMode", handle); code != 0) return code;
  if (mode < cublas::math_default || mode > 3) return invalid_value;
  handle->mode = mode;
  return cublas::success;
}

int cublasSgemm_v2(cublas::Handle handle, int transpose_a, int transpose_b, int m, int n, int k,
                   const float* alpha, const float* a, int lda, const float* b, int ldb,
                   const float* beta, float* c, int ldc) {
  if (const int code = begin("cublasSgemm_v2", handle); code != 0) return code;
  if (!good_shape(transpose_a, m, k, lda) || !good_shape(transpose_b, k, n, ldb) ||
      !good_shape(0, m, n, ldc))
    return invalid_value;
  if (alpha == nullptr || beta == nullptr) return invalid_value;
  if (m == 0 || n == 0) return cublas::success;
  Sgemm work{{transpose_a != 0, size(m), size(k), size(lda)},
             {transpose_b != 0, size(k), size(n), size(ldb)},
             {false, size(m), size(n), size(ldc)},
             *alpha,
             *beta,
             nullptr,
             nullptr,
             nullptr};
  work.a_data = k == 0 ? nullptr : on_host(work.a, a);
  work.b_data = k == 0 ? nullptr : on_host(work.b, b);
  work.c_data = on_host(work.c, c);
  if (work.c_data == nullptr || (k > 0 && (work.a_data == nullptr || work.b_data == nullptr)))
    return execution_failed;
  return enqueue(work);
}

}  // extern "C"

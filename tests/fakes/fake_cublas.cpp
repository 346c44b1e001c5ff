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

/// A column-major matrix as the caller gave it.
struct Operand {
  int transpose, rows, columns;
  const float* data;
  int stride;
};

int rows_stored(const Operand& x) { return x.transpose == 0 ? x.rows : x.columns; }
int columns_stored(const Operand& x) { return x.transpose == 0 ? x.columns : x.rows; }

/// The host memory of a matrix; null where it isn't all in device memory.
float* on_host(const Operand& x) {
  const auto resolve =
      of_driver<decltype(gpuready_fake_host_address)>("gpuready_fake_host_address");
  if (resolve == nullptr) return nullptr;
  const auto stride = static_cast<std::size_t>(x.stride);
  const auto columns = static_cast<std::size_t>(columns_stored(x));
  const auto rows = static_cast<std::size_t>(rows_stored(x));
  const std::size_t elements = (columns - 1) * stride + rows;
  return static_cast<float*>(
      resolve(reinterpret_cast<std::uintptr_t>(x.data), elements * sizeof(float)));
}

/// op(X) without gaps, column by column.
std::vector<float> pack(const Operand& x, const float* data) {
  const auto rows = static_cast<std::size_t>(x.rows), columns = static_cast<std::size_t>(x.columns);
  const auto stride = static_cast<std::size_t>(x.stride);
  std::vector<float> packed(rows * columns);
  for (std::size_t j = 0; j < columns; ++j)
    for (std::size_t i = 0; i < rows; ++i)
      packed[i + j * rows] = x.transpose == 0 ? data[i + j * stride] : data[j + i * stride];
  return packed;
}

struct Panel {
  std::size_t begin, end;
};

/// Adds alpha times columns `inner` of A times rows `inner` of B to rows `rows` of C.
void add_panel(const std::vector<float>& a, const std::vector<float>& b, float* c, std::size_t m,
               std::size_t n, std::size_t k, std::size_t c_stride, float alpha, Panel rows,
               Panel inner) {
  for (std::size_t j = 0; j < n; ++j) {
    float* const column = c + j * c_stride;
    for (std::size_t p = inner.begin; p < inner.end; ++p) {
      const float factor = alpha * b[p + j * k];
      const float* const from = a.data() + p * m;
      for (std::size_t i = rows.begin; i < rows.end; ++i) column[i] += factor * from[i];
    }
  }
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

void multiply(const Operand& a, const Operand& b, const Operand& c, float alpha, float beta,
              const float* a_data, const float* b_data, float* c_data) {
  const auto m = static_cast<std::size_t>(c.rows), n = static_cast<std::size_t>(c.columns);
  const auto k = static_cast<std::size_t>(a.columns), stride = static_cast<std::size_t>(c.stride);
  const std::vector<float> left = pack(a, a_data), right = pack(b, b_data);
  scale(c_data, m, n, stride, beta);
  constexpr std::size_t rows_at_once = 512, inner_at_once = 64;  // a panel of A stays in the cache
  for (std::size_t p = 0; p < k; p += inner_at_once)
    for (std::size_t i = 0; i < m; i += rows_at_once)
      add_panel(left, right, c_data, m, n, k, stride, alpha, {i, std::min(m, i + rows_at_once)},
                {p, std::min(k, p + inner_at_once)});
  spoil(c_data, m, n, stride);
}

bool good_shape(const Operand& x) {
  return (x.transpose == 0 || x.transpose == 1) && x.rows >= 0 && x.columns >= 0 &&
         x.stride >= std::max(1, rows_stored(x));
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
  const Operand left{transpose_a, m, k, a, lda}, right{transpose_b, k, n, b, ldb},
      product{0, m, n, c, ldc};
  if (!good_shape(left) || !good_shape(right) || !good_shape(product)) return invalid_value;
  if (alpha == nullptr || beta == nullptr) return invalid_value;
  if (m == 0 || n == 0) return cublas::success;
  const float* const a_data = k == 0 ? nullptr : on_host(left);
  const float* const b_data = k == 0 ? nullptr : on_host(right);
  float* const c_data = on_host(product);
  if (c_data == nullptr || (k > 0 && (a_data == nullptr || b_data == nullptr)))
    return execution_failed;
  multiply(left, right, product, *alpha, *beta, a_data, b_data, c_data);
  return cublas::success;
}

}  // extern "C"

/// Checks the fakes themselves. A program of its own: it loads them, and whoever loads a fake has
/// it for good.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "host/real_host.hpp"
#include "probe/kernel.hpp"
#include "vendor/cublas.hpp"
#include "vendor/cuda.hpp"

namespace gpuready::vendor {
namespace {

namespace kernel = probe::kernel;

constexpr int invalid_value = 1, not_initialized = 3, invalid_device = 101, invalid_context = 201,
              invalid_ptx = 218, invalid_handle = 400, not_found = 500, illegal_address = 700;

template <class Table>
Table open_fake(const std::string& file) {
  const auto host = host::make_real_host();
  const auto library = load<Table>(*host, {GPUREADY_FAKES_DIR "/" + file});
  EXPECT_TRUE(library) << library.error().detail;
  return library ? library->api : Table{};
}

/// A started driver with the context of its first device.
class FakeCuda : public ::testing::Test {
 protected:
  FakeCuda() : cuda_(open_fake<Cuda>("libcuda.so.1")) {
    EXPECT_EQ(cuda_.cuInit(0), 0);
    EXPECT_EQ(cuda_.cuDevicePrimaryCtxRetain(&context_, 0), 0);
    EXPECT_EQ(cuda_.cuCtxSetCurrent(context_), 0);
  }
  ~FakeCuda() override { cuda_.cuDevicePrimaryCtxRelease_v2(0); }

  cuda::DevicePointer send(const std::vector<float>& values) {
    const std::size_t bytes = values.size() * sizeof(float);
    cuda::DevicePointer pointer = 0;
    EXPECT_EQ(cuda_.cuMemAlloc_v2(&pointer, bytes), 0);
    EXPECT_EQ(cuda_.cuMemcpyHtoD_v2(pointer, values.data(), bytes), 0);
    return pointer;
  }

  std::vector<float> fetch(cuda::DevicePointer pointer, std::size_t count) {
    std::vector<float> values(count);
    EXPECT_EQ(cuda_.cuMemcpyDtoH_v2(values.data(), pointer, count * sizeof(float)), 0);
    return values;
  }

  cuda::Function check_kernel() {
    cuda::Module module = nullptr;
    cuda::Function function = nullptr;
    EXPECT_EQ(cuda_.cuModuleLoadData(&module, kernel::ptx()), 0);
    EXPECT_EQ(cuda_.cuModuleGetFunction(&function, module, kernel::name), 0);
    return function;
  }

  int launch(unsigned blocks, unsigned width, unsigned count, cuda::DevicePointer y,
             cuda::DevicePointer x) {
    float scale = kernel::scale;
    std::array<void*, 4> arguments{&y, &x, &scale, &count};
    return cuda_.cuLaunchKernel(check_kernel(), blocks, 1, 1, width, 1, 1, 0, nullptr,
                                arguments.data(), nullptr);
  }

  Cuda cuda_;
  cuda::Context context_ = nullptr;
};

/// Must come first: nothing else in this process has started the driver yet.
TEST(AFakeDriver, RefusesEveryCallBeforeItIsStarted) {
  const Cuda cuda = open_fake<Cuda>("libcuda.so.1");
  int count = 0;
  cuda::DevicePointer pointer = 0;
  EXPECT_EQ(cuda.cuDriverGetVersion(&count), 0);
  EXPECT_EQ(cuda.cuDeviceGetCount(&count), not_initialized);
  EXPECT_EQ(cuda.cuMemAlloc_v2(&pointer, 16), not_initialized);
  EXPECT_EQ(cuda.cuInit(1), invalid_value);
}

TEST_F(FakeCuda, RefusesWorkWithoutAContext) {
  ASSERT_EQ(cuda_.cuCtxSetCurrent(nullptr), 0);
  cuda::DevicePointer pointer = 0;
  EXPECT_EQ(cuda_.cuMemAlloc_v2(&pointer, 16), invalid_context);
  EXPECT_EQ(cuda_.cuCtxSynchronize(), invalid_context);
}

TEST_F(FakeCuda, ChecksItsArguments) {
  int value = 0;
  cuda::DevicePointer pointer = 0;
  EXPECT_EQ(cuda_.cuDeviceGetCount(nullptr), invalid_value);
  EXPECT_EQ(cuda_.cuDeviceGet(&value, 7), invalid_device);
  EXPECT_EQ(cuda_.cuDeviceGetAttribute(&value, 9999, 0), invalid_value);
  EXPECT_EQ(cuda_.cuMemAlloc_v2(&pointer, 0), invalid_value);
  EXPECT_EQ(cuda_.cuMemFree_v2(12345), invalid_value);
  EXPECT_EQ(cuda_.cuMemcpyHtoD_v2(12345, &value, 4), invalid_value);
  EXPECT_EQ(cuda_.cuStreamSynchronize(reinterpret_cast<cuda::Stream>(&value)), invalid_handle);
  cuda::Module module = nullptr;
  EXPECT_EQ(cuda_.cuModuleLoadData(&module, "not PTX"), invalid_ptx);
  ASSERT_EQ(cuda_.cuModuleLoadData(&module, kernel::ptx()), 0);
  cuda::Function function = nullptr;
  EXPECT_EQ(cuda_.cuModuleGetFunction(&function, module, "another"), not_found);
}

TEST_F(FakeCuda, GivesNoMoreMemoryThanIsFree) {
  std::size_t free_bytes = 0, total = 0, later = 0;
  ASSERT_EQ(cuda_.cuMemGetInfo_v2(&free_bytes, &total), 0);
  cuda::DevicePointer first = 0, second = 0;
  EXPECT_EQ(cuda_.cuMemAlloc_v2(&first, free_bytes + 1), cuda::error_out_of_memory);
  ASSERT_EQ(cuda_.cuMemAlloc_v2(&first, free_bytes), 0);
  EXPECT_EQ(cuda_.cuMemAlloc_v2(&second, 1), cuda::error_out_of_memory);
  ASSERT_EQ(cuda_.cuMemFree_v2(first), 0);
  ASSERT_EQ(cuda_.cuMemGetInfo_v2(&later, &total), 0);
  EXPECT_EQ(later, free_bytes);
}

TEST_F(FakeCuda, CopiesOnlyInsideABuffer) {
  const cuda::DevicePointer buffer = send({1, 2, 3, 4});
  float value = 0;
  EXPECT_EQ(cuda_.cuMemcpyDtoH_v2(&value, buffer + 12, 4), 0);
  EXPECT_EQ(value, 4.0F);
  EXPECT_EQ(cuda_.cuMemcpyDtoH_v2(&value, buffer + 13, 4), invalid_value);
  EXPECT_EQ(cuda_.cuMemsetD8Async(buffer, 0xFF, 16, nullptr), 0);
  EXPECT_TRUE(std::isnan(fetch(buffer, 4)[3]));
  EXPECT_EQ(cuda_.cuMemsetD8Async(buffer, 0xFF, 17, nullptr), invalid_value);
}

TEST_F(FakeCuda, RunsTheKernelForTheThreadsThatWereLaunched) {
  const cuda::DevicePointer x = send(kernel::input()), y = send(kernel::poison());
  ASSERT_EQ(launch(kernel::blocks - 1, kernel::block, kernel::count, y, x), 0);
  EXPECT_EQ(kernel::first_wrong(fetch(y, kernel::room)), kernel::block * (kernel::blocks - 1));
  ASSERT_EQ(launch(kernel::blocks, kernel::block, kernel::count, y, x), 0);
  EXPECT_EQ(kernel::first_wrong(fetch(y, kernel::room)), std::nullopt);
  EXPECT_EQ(launch(0, 1, 1, y, x), invalid_value);
  EXPECT_EQ(launch(1, 2048, 1, y, x), invalid_value);
}

TEST_F(FakeCuda, TimesEventsByTheClock) {
  std::array<cuda::Event, 2> events{};
  float milliseconds = -1;
  for (auto& event : events) ASSERT_EQ(cuda_.cuEventCreate(&event, cuda::event_default), 0);
  EXPECT_EQ(cuda_.cuEventElapsedTime(&milliseconds, events[0], events[1]), invalid_handle);
  for (const auto event : events) ASSERT_EQ(cuda_.cuEventRecord(event, nullptr), 0);
  EXPECT_EQ(cuda_.cuEventElapsedTime(&milliseconds, events[0], events[1]), 0);
  EXPECT_GE(milliseconds, 0.0F);
  EXPECT_EQ(cuda_.cuEventDestroy_v2(events[0]), 0);
  EXPECT_EQ(cuda_.cuEventSynchronize(events[0]), invalid_handle);
}

struct Product {
  int transpose_a, transpose_b;
};

class FakeCublas : public FakeCuda {
 protected:
  FakeCublas() : cublas_(open_fake<Cublas>("libcublas.so.13")) {
    EXPECT_EQ(cublas_.cublasCreate_v2(&handle_), 0);
  }
  ~FakeCublas() override { cublas_.cublasDestroy_v2(handle_); }

  static const float* device(cuda::DevicePointer pointer) {
    return reinterpret_cast<const float*>(pointer);
  }

  Cublas cublas_;
  cublas::Handle handle_ = nullptr;
};

std::vector<float> random_values(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(generator() % 19) - 9.0F;
  return values;
}

TEST_F(FakeCublas, MultipliesAsBlasDefinesIt) {
  constexpr int m = 37, n = 29, k = 131, lead = 150;  // padded: every matrix fits with 150 rows
  const auto a = random_values(lead * lead, 1), b = random_values(lead * lead, 2),
             c = random_values(lead * lead, 3);
  const float alpha = 2, beta = -1;
  const auto da = send(a), db = send(b);
  for (const Product t : {Product{0, 0}, Product{0, 1}, Product{1, 0}, Product{1, 1}}) {
    const auto dc = send(c);
    ASSERT_EQ(
        cublas_.cublasSgemm_v2(handle_, t.transpose_a, t.transpose_b, m, n, k, &alpha, device(da),
                               lead, device(db), lead, &beta, const_cast<float*>(device(dc)), lead),
        0);
    const auto result = fetch(dc, c.size());
    std::vector<float> expected = c;
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i) {
        float sum = 0;
        for (int p = 0; p < k; ++p)
          sum += a[static_cast<std::size_t>(t.transpose_a ? p + i * lead : i + p * lead)] *
                 b[static_cast<std::size_t>(t.transpose_b ? j + p * lead : p + j * lead)];
        float& element = expected[static_cast<std::size_t>(i + j * lead)];
        element = alpha * sum + beta * element;
      }
    EXPECT_EQ(result, expected) << t.transpose_a << t.transpose_b;
  }
}

TEST_F(FakeCublas, DoesNotReadAProductThatIsToBeReplaced) {
  const float one = 1, zero = 0;
  const auto a = send({2}), b = send({3}), c = send({std::nanf("")});
  ASSERT_EQ(cublas_.cublasSgemm_v2(handle_, 0, 0, 1, 1, 1, &one, device(a), 1, device(b), 1, &zero,
                                   const_cast<float*>(device(c)), 1),
            0);
  EXPECT_EQ(fetch(c, 1)[0], 6.0F);
}

TEST_F(FakeCublas, ChecksItsArguments) {
  constexpr int cublas_invalid_value = 7, execution_failed = 13;
  const float one = 1;
  const auto a = send({1, 2, 3, 4});
  float* const c = const_cast<float*>(device(a));
  const auto sgemm = cublas_.cublasSgemm_v2;
  EXPECT_EQ(sgemm(nullptr, 0, 0, 2, 2, 2, &one, c, 2, c, 2, &one, c, 2), cublas::not_initialized);
  EXPECT_EQ(sgemm(handle_, 0, 0, -1, 2, 2, &one, c, 2, c, 2, &one, c, 2), cublas_invalid_value);
  EXPECT_EQ(sgemm(handle_, 0, 0, 2, 2, 2, &one, c, 1, c, 2, &one, c, 2), cublas_invalid_value);
  EXPECT_EQ(sgemm(handle_, 0, 0, 2, 2, 2, nullptr, c, 2, c, 2, &one, c, 2), cublas_invalid_value);
  EXPECT_EQ(sgemm(handle_, 0, 0, 3, 3, 3, &one, c, 3, c, 3, &one, c, 3), execution_failed);
  EXPECT_EQ(cublas_.cublasSetMathMode(handle_, cublas::math_pedantic), 0);
  EXPECT_EQ(cublas_.cublasSetMathMode(handle_, 99), cublas_invalid_value);
}

/// Last: a kernel that goes wrong spoils the process, as on a real GPU.
class FakeCudaAtLast : public FakeCuda {};

TEST_F(FakeCudaAtLast, StaysBrokenAfterAKernelThatReadElsewhere) {
  const cuda::DevicePointer y = send(kernel::poison());
  ASSERT_EQ(launch(kernel::blocks, kernel::block, kernel::count, y, 0), 0);
  EXPECT_EQ(cuda_.cuCtxSynchronize(), illegal_address);
  std::vector<float> values(4);
  EXPECT_EQ(cuda_.cuMemcpyDtoH_v2(values.data(), y, 16), illegal_address);
}

}  // namespace
}  // namespace gpuready::vendor

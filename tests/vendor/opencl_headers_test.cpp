/// Compares vendor::OpenCl and vendor::ClBlast with CL/cl.h and clblast_c.h, where they are there.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "vendor/clblast.hpp"
#include "vendor/opencl.hpp"

#ifdef GPUREADY_HAVE_OPENCL_HEADERS
#define CL_TARGET_OPENCL_VERSION 300
/// clCreateCommandQueue, which every OpenCL has, is deprecated since 2.0.
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include "tests/vendor/declarations.hpp"
#endif

#ifdef GPUREADY_HAVE_CLBLAST_HEADER
#include <clblast_c.h>
#endif

namespace gpuready::vendor {
namespace {

#ifdef GPUREADY_HAVE_OPENCL_HEADERS

static_assert(opencl::success == CL_SUCCESS);
static_assert(opencl::device_not_found == CL_DEVICE_NOT_FOUND);
static_assert(opencl::out_of_memory == CL_MEM_OBJECT_ALLOCATION_FAILURE);
static_assert(opencl::platform_not_found == CL_PLATFORM_NOT_FOUND_KHR);
static_assert(opencl::type_cpu == CL_DEVICE_TYPE_CPU);
static_assert(opencl::type_gpu == CL_DEVICE_TYPE_GPU);
static_assert(opencl::type_accelerator == CL_DEVICE_TYPE_ACCELERATOR);
static_assert(opencl::type_all == CL_DEVICE_TYPE_ALL);
static_assert(opencl::platform_name == CL_PLATFORM_NAME);
static_assert(opencl::device_type == CL_DEVICE_TYPE);
static_assert(opencl::device_max_compute_units == CL_DEVICE_MAX_COMPUTE_UNITS);
static_assert(opencl::device_max_mem_alloc_size == CL_DEVICE_MAX_MEM_ALLOC_SIZE);
static_assert(opencl::device_global_mem_cache_size == CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
static_assert(opencl::device_host_unified_memory == CL_DEVICE_HOST_UNIFIED_MEMORY);
static_assert(opencl::queue_profiling_enable == CL_QUEUE_PROFILING_ENABLE);
static_assert(opencl::profiling_command_start == CL_PROFILING_COMMAND_START);
static_assert(opencl::profiling_command_end == CL_PROFILING_COMMAND_END);
static_assert(opencl::device_global_mem_size == CL_DEVICE_GLOBAL_MEM_SIZE);
static_assert(opencl::device_name == CL_DEVICE_NAME);
static_assert(opencl::device_version == CL_DEVICE_VERSION);
static_assert(opencl::driver_version == CL_DRIVER_VERSION);
static_assert(opencl::mem_read_write == CL_MEM_READ_WRITE);
static_assert(opencl::mem_alloc_host_ptr == CL_MEM_ALLOC_HOST_PTR);

TEST(OpenClHeaders, DeclareEveryFunctionAsWeDo) {
  using declarations::Compared;
  const std::vector<Compared> compared{GPUREADY_COMPARE(OpenCl, clGetPlatformIDs),
                                       GPUREADY_COMPARE(OpenCl, clGetPlatformInfo),
                                       GPUREADY_COMPARE(OpenCl, clGetDeviceIDs),
                                       GPUREADY_COMPARE(OpenCl, clGetDeviceInfo),
                                       GPUREADY_COMPARE(OpenCl, clCreateContext),
                                       GPUREADY_COMPARE(OpenCl, clCreateCommandQueue),
                                       GPUREADY_COMPARE(OpenCl, clCreateBuffer),
                                       GPUREADY_COMPARE(OpenCl, clEnqueueWriteBuffer),
                                       GPUREADY_COMPARE(OpenCl, clEnqueueReadBuffer),
                                       GPUREADY_COMPARE(OpenCl, clFinish),
                                       GPUREADY_COMPARE(OpenCl, clReleaseMemObject),
                                       GPUREADY_COMPARE(OpenCl, clReleaseCommandQueue),
                                       GPUREADY_COMPARE(OpenCl, clReleaseContext),
                                       GPUREADY_COMPARE(OpenCl, clReleaseEvent),
                                       GPUREADY_COMPARE(OpenCl, clEnqueueMarkerWithWaitList),
                                       GPUREADY_COMPARE(OpenCl, clGetEventProfilingInfo)};
  EXPECT_THAT(declarations::faults<OpenCl>(compared), ::testing::IsEmpty());
}

TEST(OpenClHeaders, NameTheCodesAsWeDo) {
  EXPECT_EQ(opencl_error(CL_DEVICE_NOT_FOUND),
            "CL_DEVICE_NOT_FOUND (" + std::to_string(CL_DEVICE_NOT_FOUND) + ")");
  EXPECT_EQ(opencl_error(CL_DEVICE_NOT_AVAILABLE),
            "CL_DEVICE_NOT_AVAILABLE (" + std::to_string(CL_DEVICE_NOT_AVAILABLE) + ")");
  EXPECT_EQ(opencl_error(CL_COMPILER_NOT_AVAILABLE),
            "CL_COMPILER_NOT_AVAILABLE (" + std::to_string(CL_COMPILER_NOT_AVAILABLE) + ")");
  EXPECT_EQ(opencl_error(CL_MEM_OBJECT_ALLOCATION_FAILURE),
            "CL_MEM_OBJECT_ALLOCATION_FAILURE (" +
                std::to_string(CL_MEM_OBJECT_ALLOCATION_FAILURE) + ")");
  EXPECT_EQ(opencl_error(CL_OUT_OF_RESOURCES),
            "CL_OUT_OF_RESOURCES (" + std::to_string(CL_OUT_OF_RESOURCES) + ")");
  EXPECT_EQ(opencl_error(CL_OUT_OF_HOST_MEMORY),
            "CL_OUT_OF_HOST_MEMORY (" + std::to_string(CL_OUT_OF_HOST_MEMORY) + ")");
  EXPECT_EQ(opencl_error(CL_BUILD_PROGRAM_FAILURE),
            "CL_BUILD_PROGRAM_FAILURE (" + std::to_string(CL_BUILD_PROGRAM_FAILURE) + ")");
  EXPECT_EQ(opencl_error(CL_INVALID_VALUE),
            "CL_INVALID_VALUE (" + std::to_string(CL_INVALID_VALUE) + ")");
  EXPECT_EQ(opencl_error(CL_INVALID_DEVICE_TYPE),
            "CL_INVALID_DEVICE_TYPE (" + std::to_string(CL_INVALID_DEVICE_TYPE) + ")");
  EXPECT_EQ(opencl_error(CL_INVALID_PLATFORM),
            "CL_INVALID_PLATFORM (" + std::to_string(CL_INVALID_PLATFORM) + ")");
  EXPECT_EQ(opencl_error(CL_INVALID_DEVICE),
            "CL_INVALID_DEVICE (" + std::to_string(CL_INVALID_DEVICE) + ")");
  EXPECT_EQ(opencl_error(CL_INVALID_CONTEXT),
            "CL_INVALID_CONTEXT (" + std::to_string(CL_INVALID_CONTEXT) + ")");
  EXPECT_EQ(opencl_error(CL_INVALID_COMMAND_QUEUE),
            "CL_INVALID_COMMAND_QUEUE (" + std::to_string(CL_INVALID_COMMAND_QUEUE) + ")");
  EXPECT_EQ(opencl_error(CL_INVALID_MEM_OBJECT),
            "CL_INVALID_MEM_OBJECT (" + std::to_string(CL_INVALID_MEM_OBJECT) + ")");
  EXPECT_EQ(opencl_error(CL_INVALID_PROGRAM),
            "CL_INVALID_PROGRAM (" + std::to_string(CL_INVALID_PROGRAM) + ")");
  EXPECT_EQ(opencl_error(CL_INVALID_KERNEL),
            "CL_INVALID_KERNEL (" + std::to_string(CL_INVALID_KERNEL) + ")");
  EXPECT_EQ(opencl_error(CL_INVALID_WORK_GROUP_SIZE),
            "CL_INVALID_WORK_GROUP_SIZE (" + std::to_string(CL_INVALID_WORK_GROUP_SIZE) + ")");
  EXPECT_EQ(opencl_error(CL_INVALID_EVENT),
            "CL_INVALID_EVENT (" + std::to_string(CL_INVALID_EVENT) + ")");
  EXPECT_EQ(opencl_error(CL_INVALID_OPERATION),
            "CL_INVALID_OPERATION (" + std::to_string(CL_INVALID_OPERATION) + ")");
  EXPECT_EQ(opencl_error(CL_INVALID_BUFFER_SIZE),
            "CL_INVALID_BUFFER_SIZE (" + std::to_string(CL_INVALID_BUFFER_SIZE) + ")");
  EXPECT_EQ(opencl_error(CL_PLATFORM_NOT_FOUND_KHR),
            "CL_PLATFORM_NOT_FOUND_KHR (" + std::to_string(CL_PLATFORM_NOT_FOUND_KHR) + ")");
}

#else

TEST(OpenClHeaders, DeclareEveryFunctionAsWeDo) {
  GTEST_SKIP() << "SKIPPED: no OpenCL headers on this machine";
}

#endif

#if defined(GPUREADY_HAVE_OPENCL_HEADERS) && defined(GPUREADY_HAVE_CLBLAST_HEADER)

static_assert(clblast::success == CLBlastSuccess);
static_assert(clblast::layout_row_major == CLBlastLayoutRowMajor);
static_assert(clblast::transpose_no == CLBlastTransposeNo);

TEST(ClBlastHeader, DeclaresEveryFunctionAsWeDo) {
  const std::vector<declarations::Compared> compared{GPUREADY_COMPARE(ClBlast, CLBlastSgemm),
                                                     GPUREADY_COMPARE(ClBlast, CLBlastDgemm),
                                                     GPUREADY_COMPARE(ClBlast, CLBlastHgemm)};
  EXPECT_THAT(declarations::faults<ClBlast>(compared), ::testing::IsEmpty());
}

TEST(ClBlastHeader, NamesTheCodesAsWeDo) {
  EXPECT_EQ(clblast_error(CLBlastInsufficientMemoryC),
            "CLBlastInsufficientMemoryC (" + std::to_string(int{CLBlastInsufficientMemoryC}) + ")");
  EXPECT_EQ(clblast_error(CLBlastInsufficientMemoryB),
            "CLBlastInsufficientMemoryB (" + std::to_string(int{CLBlastInsufficientMemoryB}) + ")");
  EXPECT_EQ(clblast_error(CLBlastInsufficientMemoryA),
            "CLBlastInsufficientMemoryA (" + std::to_string(int{CLBlastInsufficientMemoryA}) + ")");
  EXPECT_EQ(clblast_error(CLBlastInvalidLeadDimC),
            "CLBlastInvalidLeadDimC (" + std::to_string(int{CLBlastInvalidLeadDimC}) + ")");
  EXPECT_EQ(clblast_error(CLBlastInvalidLeadDimB),
            "CLBlastInvalidLeadDimB (" + std::to_string(int{CLBlastInvalidLeadDimB}) + ")");
  EXPECT_EQ(clblast_error(CLBlastInvalidLeadDimA),
            "CLBlastInvalidLeadDimA (" + std::to_string(int{CLBlastInvalidLeadDimA}) + ")");
  EXPECT_EQ(clblast_error(CLBlastInvalidDimension),
            "CLBlastInvalidDimension (" + std::to_string(int{CLBlastInvalidDimension}) + ")");
  EXPECT_EQ(clblast_error(CLBlastInvalidMatrixC),
            "CLBlastInvalidMatrixC (" + std::to_string(int{CLBlastInvalidMatrixC}) + ")");
  EXPECT_EQ(clblast_error(CLBlastInvalidMatrixB),
            "CLBlastInvalidMatrixB (" + std::to_string(int{CLBlastInvalidMatrixB}) + ")");
  EXPECT_EQ(clblast_error(CLBlastInvalidMatrixA),
            "CLBlastInvalidMatrixA (" + std::to_string(int{CLBlastInvalidMatrixA}) + ")");
  EXPECT_EQ(clblast_error(CLBlastNotImplemented),
            "CLBlastNotImplemented (" + std::to_string(int{CLBlastNotImplemented}) + ")");
  EXPECT_EQ(clblast_error(CLBlastUnexpectedError),
            "CLBlastUnexpectedError (" + std::to_string(int{CLBlastUnexpectedError}) + ")");
  EXPECT_EQ(clblast_error(CLBlastUnknownError),
            "CLBlastUnknownError (" + std::to_string(int{CLBlastUnknownError}) + ")");
  EXPECT_EQ(clblast_error(CLBlastDatabaseError),
            "CLBlastDatabaseError (" + std::to_string(int{CLBlastDatabaseError}) + ")");
  EXPECT_EQ(
      clblast_error(CLBlastInvalidLocalMemUsage),
      "CLBlastInvalidLocalMemUsage (" + std::to_string(int{CLBlastInvalidLocalMemUsage}) + ")");
  EXPECT_EQ(
      clblast_error(CLBlastInsufficientMemoryTemp),
      "CLBlastInsufficientMemoryTemp (" + std::to_string(int{CLBlastInsufficientMemoryTemp}) + ")");
}

#else

TEST(ClBlastHeader, DeclaresEveryFunctionAsWeDo) {
  GTEST_SKIP() << "SKIPPED: no CLBlast header on this machine";
}

#endif

}  // namespace
}  // namespace gpuready::vendor

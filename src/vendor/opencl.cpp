#include "vendor/opencl.hpp"

#include <array>

#include "vendor/code_names.hpp"

namespace gpuready::vendor {

namespace {

/// Error codes of CL/cl.h and CL/cl_ext.h that finding, allocating and multiplying can give.
constexpr auto opencl_names = std::to_array<CodeName>({
    {-1, "CL_DEVICE_NOT_FOUND"},          {-2, "CL_DEVICE_NOT_AVAILABLE"},
    {-3, "CL_COMPILER_NOT_AVAILABLE"},    {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    {-5, "CL_OUT_OF_RESOURCES"},          {-6, "CL_OUT_OF_HOST_MEMORY"},
    {-11, "CL_BUILD_PROGRAM_FAILURE"},    {-30, "CL_INVALID_VALUE"},
    {-31, "CL_INVALID_DEVICE_TYPE"},      {-32, "CL_INVALID_PLATFORM"},
    {-33, "CL_INVALID_DEVICE"},           {-34, "CL_INVALID_CONTEXT"},
    {-36, "CL_INVALID_COMMAND_QUEUE"},    {-38, "CL_INVALID_MEM_OBJECT"},
    {-44, "CL_INVALID_PROGRAM"},          {-48, "CL_INVALID_KERNEL"},
    {-54, "CL_INVALID_WORK_GROUP_SIZE"},  {-58, "CL_INVALID_EVENT"},
    {-59, "CL_INVALID_OPERATION"},        {-61, "CL_INVALID_BUFFER_SIZE"},
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
});

}  // namespace

tl::expected<Loaded<OpenCl>, Missing> load_opencl(host::Host& host) {
  return load<OpenCl>(host, candidates(host, {"libOpenCL.so.1"}, driver_folders()));
}

std::string opencl_error(int code) { return name_and_code(name_in(opencl_names, code), code); }

}  // namespace gpuready::vendor

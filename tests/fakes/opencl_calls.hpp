#pragma once
/// Declares the fake functions with the very types of our table (which a test compares with the
/// real declarations), so that a definition of another type does not compile.

#include <type_traits>

#include "vendor/opencl.hpp"

namespace gpuready::fakes {
/// The type of the function that a pointer of the table points to.
template <class Pointer>
using Call = std::remove_pointer_t<Pointer>;
}  // namespace gpuready::fakes

extern "C" {
gpuready::fakes::Call<decltype(gpuready::vendor::OpenCl::clGetPlatformIDs)> clGetPlatformIDs;
gpuready::fakes::Call<decltype(gpuready::vendor::OpenCl::clGetPlatformInfo)> clGetPlatformInfo;
gpuready::fakes::Call<decltype(gpuready::vendor::OpenCl::clGetDeviceIDs)> clGetDeviceIDs;
gpuready::fakes::Call<decltype(gpuready::vendor::OpenCl::clGetDeviceInfo)> clGetDeviceInfo;
}  // extern "C"

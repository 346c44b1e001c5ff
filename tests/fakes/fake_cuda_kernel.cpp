/// The part of the fake libcuda.so.1 that loads and runs the one kernel it knows.

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "fake_cuda.hpp"

using namespace gpuready::fakes;
namespace cuda = gpuready::vendor::cuda;

namespace {

/// The number after `.target sm_`; 0 where there is none.
int ptx_target(std::string_view ptx) {
  constexpr std::string_view mark = ".target sm_";
  const std::size_t at = ptx.find(mark);
  return at == std::string_view::npos ? 0 : std::atoi(ptx.data() + at + mark.size());
}

std::unique_ptr<cuda::ModuleTag> read_module(std::string_view ptx) {
  auto module = std::make_unique<cuda::ModuleTag>();
  constexpr std::string_view mark = ".entry ";
  for (std::size_t at = ptx.find(mark); at != std::string_view::npos; at = ptx.find(mark, at)) {
    at += mark.size();
    auto function = std::make_unique<cuda::FunctionTag>();
    function->name = std::string(ptx.substr(at, ptx.find_first_of("( \n", at) - at));
    module->functions.push_back(std::move(function));
  }
  return module;
}

bool known(cuda::Function function) {
  for (const auto& module : state().modules)
    for (const auto& one : module->functions)
      if (one.get() == function) return true;
  return false;
}

/// y[i] = a * x[i] + i for the threads below n: the arguments and the meaning of gpuready_check.
/// Every thread of the grid is run, so that too small or too large a grid shows.
int run_check_kernel(unsigned blocks, unsigned width, void** arguments) {
  const auto y = *static_cast<const cuda::DevicePointer*>(arguments[0]);
  const auto x = *static_cast<const cuda::DevicePointer*>(arguments[1]);
  const float a = *static_cast<const float*>(arguments[2]);
  const unsigned n = *static_cast<const unsigned*>(arguments[3]);
  const std::size_t bytes = std::min(n, blocks * width) * sizeof(float);
  auto* const to = static_cast<float*>(host_address(y, bytes));
  const auto* const from = static_cast<const float*>(host_address(x, bytes));
  if (to == nullptr || from == nullptr) {
    state().sticky = illegal_address;
    return cuda::success;
  }
  for (unsigned i = 0; i < blocks * width; ++i)
    if (i < n) to[i] = a * from[i] + static_cast<float>(i);
  if (script().kernel_wrong) to[n / 2] += 1.0F;
  return cuda::success;
}

}  // namespace

extern "C" {

int cuModuleLoadData(cuda::Module* module, const void* image) {
  if (const int code = begin_in_context("cuModuleLoadData"); code != 0) return code;
  if (module == nullptr || image == nullptr) return invalid_value;
  const std::string_view ptx = static_cast<const char*>(image);
  const Device& device = device_of(current()->device);
  if (!ptx.starts_with(".version ") || ptx_target(ptx) == 0) return invalid_ptx;
  if (ptx_target(ptx) > device.capability_major * 10 + device.capability_minor) return no_binary;
  auto made = read_module(ptx);
  *module = made.get();
  state().modules.insert(std::move(made));
  return cuda::success;
}

int cuModuleGetFunction(cuda::Function* function, cuda::Module module, const char* name) {
  if (const int code = begin_in_context("cuModuleGetFunction"); code != 0) return code;
  if (function == nullptr || name == nullptr) return invalid_value;
  const auto is_it = [&](const auto& one) { return one.get() == module; };
  if (std::ranges::none_of(state().modules, is_it)) return invalid_handle;
  for (const auto& one : module->functions)
    if (one->name == name) return *function = one.get(), cuda::success;
  return not_found;
}

int cuModuleUnload(cuda::Module module) {
  if (const int code = begin_in_context("cuModuleUnload"); code != 0) return code;
  const auto is_it = [&](const auto& one) { return one.get() == module; };
  return std::erase_if(state().modules, is_it) == 1 ? cuda::success : invalid_handle;
}

int cuLaunchKernel(cuda::Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   cuda::Stream stream, void** arguments, void** extra) {
  if (const int code = begin_in_context("cuLaunchKernel"); code != 0) return code;
  if (!known(function) || !known(stream)) return invalid_handle;
  constexpr unsigned most_threads = 1024, most_shared = 48 * 1024;
  const bool flat = grid_y == 1 && grid_z == 1 && block_y == 1 && block_z == 1;
  if (!flat || grid_x == 0 || block_x == 0 || block_x > most_threads) return invalid_value;
  if (shared_bytes > most_shared || arguments == nullptr || extra != nullptr) return invalid_value;
  if (function->name != "gpuready_check") return not_found;
  return run_check_kernel(grid_x, block_x, arguments);
}

}  // extern "C"

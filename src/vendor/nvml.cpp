#include "vendor/nvml.hpp"

#include <array>

#include "vendor/code_names.hpp"

namespace gpuready::vendor {

namespace {

/// nvmlReturn_t of nvml.h, in words.
constexpr auto nvml_names = std::to_array<CodeName>({
    {0, "success"},
    {1, "not initialized"},
    {2, "invalid argument"},
    {3, "not supported"},
    {4, "no permission"},
    {6, "not found"},
    {7, "insufficient size"},
    {8, "insufficient external power"},
    {9, "driver not loaded"},
    {10, "timeout"},
    {11, "interrupt request issue"},
    {12, "library not found"},
    {13, "function not found"},
    {14, "corrupted infoROM"},
    {15, "GPU is lost"},
    {16, "GPU requires a reset"},
    {17, "blocked by the operating system"},
    {18, "driver and library versions differ"},
    {19, "in use"},
    {20, "out of memory"},
    {21, "no data"},
    {22, "not available with vGPU and ECC"},
    {23, "insufficient resources"},
    {25, "argument version mismatch"},
    {26, "deprecated"},
    {28, "GPU not found"},
    {999, "unknown error"},
});

}  // namespace

tl::expected<Loaded<Nvml>, Missing> load_nvml(host::Host& host) {
  return load<Nvml>(host, candidates(host, {"libnvidia-ml.so.1"}, driver_folders()));
}

std::string nvml_error(const Nvml& nvml, int code) {
  const std::string told =
      nvml.nvmlErrorString != nullptr ? library_text(nvml.nvmlErrorString(code)) : std::string();
  return name_and_code(told.empty() ? name_in(nvml_names, code) : told, code);
}

}  // namespace gpuready::vendor

#pragma once
/// data/gpus.csv: what data sheets and drivers say of GPUs.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/rows.hpp"
#include "gpuready/result.hpp"

namespace gpuready::catalog {

/// A row; of one GPU, not of a board with several. 0 means: not known, or the GPU has not got it.
struct Gpu {
  std::string name, vendor, arch;
  double compute_capability = 0;       ///< 8.9; 0: not NVIDIA
  std::vector<double> vram_gb;         ///< nominal; several where it is sold so; empty: not known
  std::int64_t vram_mib_reported = 0;  ///< what a driver reported
  std::string mem_type;
  double bandwidth_gbs = 0;  ///< GB/s
  /// Dense peaks in TFLOP/s and TOP/s; fp16 with fp32 accumulation, fp16_acc16 with fp16.
  double fp32_tflops = 0, tf32_tflops = 0, fp16_tflops = 0, fp16_acc16_tflops = 0;
  double bf16_tflops = 0, fp8_tflops = 0, int8_tops = 0;
  std::int64_t tdp_w = 0;
  std::string pcie, nvlink;
  bool unified_memory = false;  ///< shared with the CPU
  std::string source, notes, as_of;
};

/// The error names the file, the record and the field.
Result<std::vector<Gpu>> load_gpus(const Override& replaced);

/// Rows that a user may mean by `name`: without regard to case, spaces and signs, and without the
/// words that drivers and people put before it or leave out (NVIDIA, GeForce, Tesla, AMD, Intel).
/// One row where the name is exact; several where it fits several (H100); none where it is unknown.
std::vector<const Gpu*> find_gpus(const std::vector<Gpu>& gpus, std::string_view name);

}  // namespace gpuready::catalog

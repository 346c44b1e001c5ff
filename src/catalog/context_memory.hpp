#pragma once
/// data/context_memory.csv: memory that a program holds on a GPU before it loads anything.

#include <string>
#include <string_view>
#include <vector>

#include "catalog/rows.hpp"
#include "gpuready/result.hpp"

namespace gpuready::catalog {

/// Driver context and libraries of one kind of client on the GPUs of these compute capabilities.
struct ContextMemory {
  std::string client;  ///< cuda: a C++ program; torch; nccl: added where several GPUs work together
  double arch_from = 0, arch_to = 0;
  double low_mib = 0, expected_mib = 0, high_mib = 0;
  std::string source, as_of;
};

/// The error names the file, the record and the column.
Result<std::vector<ContextMemory>> load_context_memory(const Override& replaced);
/// The compiled-in row of a client; all zero where there is none.
ContextMemory context_memory(std::string_view client, double compute_capability);

}  // namespace gpuready::catalog

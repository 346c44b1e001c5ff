#include "fit/ggml_types.hpp"

#include <array>

namespace gpuready::fit {

const std::vector<GgmlType>& ggml_types() {
  // ggml-org/llama.cpp: ids of ggml/include/ggml.h, sizes of the blocks in ggml/src/ggml-common.h.
  static const std::vector<GgmlType> types{
      {0, "f32", 1, 4},
      {1, "f16", 1, 2},
      {2, "q4_0", 32, 18},
      {3, "q4_1", 32, 20},
      {4, "q4_2", 16, 10, true},
      {5, "q4_3", 16, 12, true},
      {6, "q5_0", 32, 22},
      {7, "q5_1", 32, 24},
      {8, "q8_0", 32, 34},
      {9, "q8_1", 32, 36},
      {10, "q2_k", 256, 84},
      {11, "q3_k", 256, 110},
      {12, "q4_k", 256, 144},
      {13, "q5_k", 256, 176},
      {14, "q6_k", 256, 210},
      {15, "q8_k", 256, 292},
      {16, "iq2_xxs", 256, 66},
      {17, "iq2_xs", 256, 74},
      {18, "iq3_xxs", 256, 98},
      {19, "iq1_s", 256, 50},
      {20, "iq4_nl", 32, 18},
      {21, "iq3_s", 256, 110},
      {22, "iq2_s", 256, 82},
      {23, "iq4_xs", 256, 136},
      {24, "i8", 1, 1},
      {25, "i16", 1, 2},
      {26, "i32", 1, 4},
      {27, "i64", 1, 8},
      {28, "f64", 1, 8},
      {29, "iq1_m", 256, 56},
      {30, "bf16", 1, 2},
      {31, "q4_0_4_4", 32, 18, true},
      {32, "q4_0_4_8", 32, 18, true},
      {33, "q4_0_8_8", 32, 18, true},
      {34, "tq1_0", 256, 54},
      {35, "tq2_0", 256, 66},
      {36, "iq4_nl_4_4", 32, 18, true},
      {37, "iq4_nl_4_8", 32, 18, true},
      {38, "iq4_nl_8_8", 32, 18, true},
      {39, "mxfp4", 32, 17},
      {40, "nvfp4", 64, 36},
      {41, "q1_0", 128, 18},
      {42, "q2_0", 64, 18},
  };
  return types;
}

Result<GgmlType> ggml_type(std::uint32_t id) {
  const std::vector<GgmlType>& types = ggml_types();
  if (id >= types.size())
    return failure("unknown type " + std::to_string(id) + ", known are 0 to " +
                   std::to_string(types.size() - 1) + " (a newer llama.cpp, or another program)");
  const GgmlType& type = types[id];
  if (type.removed)
    return failure("type " + std::to_string(id) + " (" + std::string(type.name) +
                   "), which llama.cpp has removed; expected a file quantised anew");
  return type;
}

const GgmlType* ggml_type_named(std::string_view name) {
  for (const GgmlType& type : ggml_types())
    if (type.name == name && !type.removed) return &type;
  return nullptr;
}

Result<std::int64_t> ggml_bytes(const GgmlType& type, std::int64_t row, std::int64_t elements) {
  if (row % type.block != 0)
    return failure("rows of " + std::to_string(row) + " elements, which is no multiple of the " +
                   std::to_string(type.block) + " of a block of " + std::string(type.name));
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(elements / type.block, type.bytes, &bytes))
    return failure(std::to_string(elements) + " elements, more bytes than 64 bits count");
  return bytes;
}

std::string_view ggml_file_type(std::int64_t id) {
  // ggml-org/llama.cpp include/llama.h, llama_ftype; 1024 marks a guess of the loader.
  static constexpr std::array<std::string_view, 41> names{
      "F32",   "F16",     "Q4_0",   "Q4_1",   "",       "",        "",       "Q8_0",   "Q5_0",
      "Q5_1",  "Q2_K",    "Q3_K_S", "Q3_K_M", "Q3_K_L", "Q4_K_S",  "Q4_K_M", "Q5_K_S", "Q5_K_M",
      "Q6_K",  "IQ2_XXS", "IQ2_XS", "Q2_K_S", "IQ3_XS", "IQ3_XXS", "IQ1_S",  "IQ4_NL", "IQ3_S",
      "IQ3_M", "IQ2_S",   "IQ2_M",  "IQ4_XS", "IQ1_M",  "BF16",    "",       "",       "",
      "TQ1_0", "TQ2_0",   "MXFP4",  "NVFP4",  "Q1_0"};
  constexpr std::int64_t guessed = 1024;
  if (id >= guessed) id -= guessed;
  return id >= 0 && id < static_cast<std::int64_t>(names.size())
             ? names[static_cast<std::size_t>(id)]
             : std::string_view{};
}

}  // namespace gpuready::fit

#include "fit/storage.hpp"

#include <string_view>

namespace gpuready::fit {

namespace {

/// Bits of one parameter, and bits that go with each group of parameters.
struct Format {
  std::string dtype;
  std::int64_t bits = 16, group = 0, group_bits = 0;
};

Format plain_format(std::string_view dtype) {
  if (dtype == "fp32") return {"f32", 32};
  if (dtype == "fp16") return {"f16", 16};
  return {"bf16", 16};
}

/// What a method makes of a linear layer. Sources: 2-byte scale and a zero point of `bits` per
/// group (GPTQ, AWQ); 4-byte scale per 64 (NF4, bitsandbytes); a byte per 32 and per 16 (OCP MXFP4,
/// NVFP4); 4 bytes per 128 x 128 block (DeepSeek's FP8).
Format packed_format(const Quantisation& q) {
  const std::int64_t group = q.group_size > 0 ? q.group_size : 0;
  const std::string bits = std::to_string(q.bits);
  if (q.method == "gptq" || q.method == "awq") {
    return {q.method == "awq" ? "awq" : "gptq-int" + bits, q.bits, group, 16 + q.bits};
  }
  if (q.method == "fp8") return {"f8_e4m3", 8, 16384, group == 128 ? 32 : 0};
  if (q.method == "mxfp4") return {"mxfp4", 4, 32, 8};
  if (q.method == "nvfp4") return {"nvfp4", 4, 16, 8};
  if (q.method == "bitsandbytes" && q.bits == 4) return {"nf4", 4, 64, 32};
  // Scales in a byte each, and a 4-byte scale per 256 of them.
  if (q.method == "nf4-dq") return {"nf4-dq", 4, 16384, 8 * 256 + 32};
  return {"int" + bits, q.bits, group, group > 0 ? 16 : 0};
}

bool packs(const Quantisation& q, Role role) {
  switch (role) {
    case Role::experts:
      return true;
    case Role::attention:
    case Role::feed_forward:
      return q.method != "mxfp4" && q.method != "int4-experts";
    case Role::mtp:
      return q.method == "fp8";
    default:
      return false;
  }
}

void store(WeightGroup& group, const Format& format) {
  group.dtype = format.dtype;
  group.elements = group.parameters;
  std::int64_t bits = group.parameters * format.bits;
  if (format.group > 0)
    bits += (group.parameters + format.group - 1) / format.group * format.group_bits;
  group.bytes = (bits + 7) / 8;
}

}  // namespace

Quantisation quantisation_of_dtype(const std::string& native_dtype) {
  if (native_dtype == "fp8") return {"fp8", 8, 128};
  if (native_dtype == "mxfp4") return {"mxfp4", 4, 32};
  // Kimi-K2-Thinking: the routed experts alone, in groups of 32 (its model card).
  if (native_dtype == "int4") return {"int4-experts", 4, 32};
  // DeepSeek-V4: experts in FP4, the rest in FP8 (its model card).
  if (native_dtype == "fp4") return {"fp4-experts", 4, 32};
  return {};
}

Result<void> store_weights(Model& model) {
  constexpr std::int64_t most = std::int64_t{1} << 56U;  // so that bits don't overflow
  if (model.parameters > most) return failure("these sizes give more than 2^56 parameters");
  const Quantisation& q = model.quantisation;
  const Format plain = plain_format(model.native_dtype);
  for (WeightGroup& group : model.weights) {
    const bool packed = !q.method.empty() && packs(q, group.role);
    if (!packed) {
      store(group, plain);
    } else if (q.method == "fp4-experts") {
      store(group, group.role == Role::experts ? Format{"mxfp4", 4, 32, 8}
                                               : packed_format({"fp8", 8, 128}));
    } else {
      store(group, packed_format(q));
    }
  }
  return {};
}

}  // namespace gpuready::fit

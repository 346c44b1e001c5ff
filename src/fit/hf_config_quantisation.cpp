/// `quantization_config`, as the tools that quantise write it.

#include "fit/config_keys.hpp"
#include "fit/hf_config.hpp"

namespace gpuready::fit {

namespace {

Quantisation read_bitsandbytes(ConfigKeys& keys) {
  if (keys.flag({"load_in_8bit", "_load_in_8bit"}, false)) return {"bitsandbytes", 8, 0};
  if (keys.flag({"bnb_4bit_use_double_quant"}, false)) return {"nf4-dq", 4, 64};
  return {"bitsandbytes", 4, 64};
}

/// `config_groups` -> `weights` {num_bits, type, group_size}.
Quantisation read_compressed_tensors(ConfigKeys& keys) {
  Quantisation q{"compressed-tensors", 8, 0};
  const base::Json* groups = keys.object("config_groups");
  if (groups == nullptr || groups->empty()) return q;
  ConfigKeys group(groups->begin().value());
  const base::Json* weights = group.object("weights");
  if (weights == nullptr) return q;
  ConfigKeys inner(*weights);
  q.bits = inner.size({"num_bits"}, 8);
  const std::string type = inner.text({"type"});
  const base::Json* size = inner.find({"group_size"});
  q.group_size = size != nullptr && size->is_number() && size->get<double>() > 0
                     ? inner.size({"group_size"}, 0)
                     : 0;
  if (type == "float" && q.bits == 8) return {"fp8", 8, q.group_size};
  if (type == "float" && q.bits == 4)
    return q.group_size == 32 ? Quantisation{"mxfp4", 4, 32} : Quantisation{"nvfp4", 4, 16};
  return q;
}

Quantisation read_modelopt(ConfigKeys& keys) {
  const std::string algorithm = keys.text({"quant_algo"});
  if (algorithm.find("NVFP4") != std::string::npos || algorithm.find("FP4") != std::string::npos)
    return {"nvfp4", 4, 16};
  return {"fp8", 8, 0};
}

Quantisation read_torchao(const base::Json& object) {
  const std::string text = base::dump_json(object, false);
  const auto says = [&](const char* word) { return text.find(word) != std::string::npos; };
  if (says("int4") || says("Int4")) return {"torchao", 4, 128};
  if (says("float8") || says("Float8")) return {"fp8", 8, 0};
  return {"torchao", 8, 0};
}

std::int64_t group_of(ConfigKeys& keys, std::int64_t otherwise) {
  const base::Json* value = keys.find({"group_size", "q_group_size"});
  if (value == nullptr || !value->is_number()) return otherwise;
  // -1: one scale for a whole column.
  return value->get<double>() <= 0 ? 0 : keys.size({"group_size", "q_group_size"}, otherwise);
}

/// FP8 with a scale per block of 128 x 128, as DeepSeek writes it, or one per row.
Quantisation read_fp8(ConfigKeys& keys) {
  const std::vector<std::int64_t> block = keys.sizes({"weight_block_size"});
  return {"fp8", 8, block.size() == 2 ? block.front() : 0};
}

}  // namespace

Quantisation read_quantisation(const base::Json& config) {
  if (!config.is_object()) return {};
  const ConfigKeys keys(config);
  const base::Json* object = keys.object("quantization_config");
  if (object == nullptr) object = keys.object("compression_config");
  if (object == nullptr) return {};
  ConfigKeys inner(*object);
  const std::string method = inner.text({"quant_method", "quantization_method"});
  if (method == "bitsandbytes") return read_bitsandbytes(inner);
  if (method == "compressed-tensors") return read_compressed_tensors(inner);
  if (method == "modelopt" || method == "modelopt_fp4") return read_modelopt(inner);
  if (method == "torchao") return read_torchao(*object);
  if (method == "fp8" || method == "fbgemm_fp8") return read_fp8(inner);
  if (method == "mxfp4") return {"mxfp4", 4, 32};
  const std::int64_t bits = inner.size({"bits", "w_bit", "nbits"}, 4);
  if (bits < 1 || bits > 16) return {method, 8, 0};
  return {method, bits, group_of(inner, 128)};
}

}  // namespace gpuready::fit

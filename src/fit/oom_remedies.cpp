#include <array>
#include <cmath>
#include <string_view>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "fit/oom.hpp"

namespace gpuready::fit {

namespace {

struct Row {
  std::string_view program, asked_for, change, what;
};

/// What helps each program for each purpose, least loss first; "*" is any. Options as their
/// programs name them: PyTorch's notes on CUDA semantics, transformers' and diffusers' guides to
/// memory, llama.cpp's and vLLM's --help (2026-08).
constexpr std::array shortage_rows{
    Row{"pytorch", "logits", "micro-batch / seq", "oom.do.smaller-logits"},
    Row{"pytorch", "logits", "use_liger_kernel=True", "oom.do.fused-loss"},
    Row{"pytorch", "attention-scores", "attn_implementation=\"sdpa\"", "oom.do.flash-attention"},
    Row{"pytorch", "optimizer", "optim=\"adamw_bnb_8bit\"", "oom.do.small-optimizer"},
    Row{"pytorch", "optimizer", "LoRA", "oom.do.lora"},
    Row{"pytorch", "backward", "gradient_checkpointing=True", "oom.do.checkpointing"},
    Row{"pytorch", "backward", "per_device_train_batch_size=1", "oom.do.micro-batch"},
    Row{"pytorch", "weights", "dtype=torch.bfloat16", "oom.do.half"},
    Row{"pytorch", "weights", "load_in_4bit=True", "oom.do.four-bit"},
    Row{"pytorch", "weights", "device_map=\"auto\"", "oom.do.offload"},
    Row{"pytorch", "kv-cache", "cache_implementation=\"quantized\"", "oom.do.small-cache"},
    Row{"pytorch", "kv-cache", "max_new_tokens", "oom.do.shorter"},
    Row{"pytorch", "vae", "pipe.vae.enable_tiling()", "oom.do.vae-tiling"},
    Row{"pytorch", "vae", "pipe.enable_model_cpu_offload()", "oom.do.pipe-offload"},
    Row{"pytorch", "unknown", "torch.inference_mode()", "oom.do.no-gradients"},
    Row{"pytorch", "unknown", "batch size", "oom.do.smaller-batch"},
    Row{"vllm", "kv-cache", "--max-model-len", "oom.do.max-model-len"},
    Row{"vllm", "kv-cache", "--kv-cache-dtype fp8", "oom.do.small-cache"},
    Row{"vllm", "kv-cache", "--gpu-memory-utilization 0.95", "oom.do.util-up"},
    Row{"vllm", "kv-cache", "--tensor-parallel-size 2", "oom.do.tensor-parallel"},
    Row{"vllm", "logits", "--max-num-seqs 64", "oom.do.fewer-seqs"},
    Row{"vllm", "logits", "--gpu-memory-utilization 0.85", "oom.do.util-down"},
    Row{"sglang", "kv-cache", "--mem-fraction-static 0.9", "oom.do.util-up"},
    Row{"sglang", "kv-cache", "--context-length", "oom.do.shorter"},
    Row{"ollama", "kv-cache", "OLLAMA_FLASH_ATTENTION=1 OLLAMA_KV_CACHE_TYPE=q8_0",
        "oom.do.small-cache"},
    Row{"ollama", "*", "OLLAMA_CONTEXT_LENGTH (num_ctx)", "oom.do.shorter"},
    Row{"ollama", "*", "num_gpu", "oom.do.fewer-layers"},
    Row{"ollama", "*", "q4_K_M", "oom.do.smaller-quant"},
    Row{"llama.cpp", "kv-cache", "-ctk q8_0 -ctv q8_0", "oom.do.small-cache"},
    Row{"llama.cpp", "kv-cache", "-c", "oom.do.shorter"},
    Row{"llama.cpp", "compute-buffer", "-fa on", "oom.do.flash-attention"},
    Row{"llama.cpp", "compute-buffer", "-ub 128", "oom.do.small-ubatch"},
    Row{"llama.cpp", "compute-buffer", "-c", "oom.do.shorter"},
    Row{"llama.cpp", "weights", "--n-cpu-moe N", "oom.do.cpu-moe"},
    Row{"llama.cpp", "weights", "-ngl N", "oom.do.fewer-layers"},
    Row{"llama.cpp", "weights", "Q4_K_M", "oom.do.smaller-quant"},
    Row{"llama.cpp", "unknown", "-ngl N", "oom.do.fewer-layers"},
    Row{"jax", "*", "XLA_PYTHON_CLIENT_PREALLOCATE=false", "oom.do.no-preallocation"},
    Row{"tensorflow", "*", "TF_FORCE_GPU_ALLOW_GROWTH=true", "oom.do.no-preallocation"},
    Row{"cupy", "*", "cupy.get_default_memory_pool().free_all_blocks()", "oom.do.free-pool"},
    Row{"*", "*", "batch size", "oom.do.smaller-batch"},
};

/// ROCm's PyTorch takes the same cures.
std::string_view cured_as(const Oom& oom) {
  return oom.program == "pytorch-rocm" ? std::string_view("pytorch") : oom.program;
}

bool fits(std::string_view pattern, std::string_view word) {
  return pattern == "*" || pattern == word;
}

void add(Oom& oom, std::string_view change, std::string_view what,
         std::vector<std::string> args = {}) {
  oom.remedies.push_back({std::string(change), {std::string(what), std::move(args)}});
}

void add_for_purpose(Oom& oom) {
  for (const Row& row : shortage_rows)
    if (fits(row.program, cured_as(oom)) && fits(row.asked_for, oom.asked_for) &&
        (row.program != "*" || oom.remedies.empty()))
      add(oom, row.change, row.what);
}

void add_for_others(Oom& oom) {
  if (oom.device == "metal" || oom.device == "vulkan" || oom.device == "mps" ||
      base::starts_with(oom.device, "xpu"))
    return;  // no tool that every such machine has
  if (oom.program == "pytorch-rocm") return add(oom, "rocm-smi --showpids", "oom.do.who");
  if (oom.program == "vllm" && oom.asked_for == "start" && oom.free_bytes && oom.total_bytes) {
    const double part =
        static_cast<double>(*oom.free_bytes) / static_cast<double>(*oom.total_bytes);
    add(oom, "--gpu-memory-utilization " + base::show_fixed(std::floor(part * 100) / 100, 2),
        "oom.do.util-down");
  }
  add(oom, "nvidia-smi --query-compute-apps=pid,process_name,used_memory --format=csv",
      "oom.do.who");
  add(oom, "CUDA_VISIBLE_DEVICES", "oom.do.other-gpu");
}

void add_for_fragments(Oom& oom) {
  const std::string variable =
      oom.program == "pytorch-rocm" ? "PYTORCH_HIP_ALLOC_CONF" : "PYTORCH_CUDA_ALLOC_CONF";
  add(oom, variable + "=expandable_segments:True", "oom.do.expandable");
  add(oom, variable + "=max_split_size_mb:128", "oom.do.max-split");
  add(oom, "torch.cuda.empty_cache()", "oom.do.empty-cache");
}

void add_for_host(Oom& oom) {
  if (oom.asked_for == "shared-memory") {
    add(oom, "docker run --shm-size=8g", "oom.do.shm");
    return add(oom, "num_workers=0", "oom.do.workers");
  }
  if (oom.asked_for == "container-limit") add(oom, "docker run --memory", "oom.do.container");
  if (oom.program == "ollama") {
    add(oom, "q4_K_M", "oom.do.smaller-quant");
    add(oom, "OLLAMA_CONTEXT_LENGTH (num_ctx)", "oom.do.shorter");
  } else if (oom.program != "numpy") {
    add(oom, "low_cpu_mem_usage=True", "oom.do.low-cpu");
    add(oom, "num_workers=0", "oom.do.workers");
  }
  add(oom, "free -h", "oom.do.host-free");
}

}  // namespace

void add_remedies(Oom& oom) {
  switch (oom.cause) {
    case OomCause::fragmentation:
      add_for_fragments(oom);
      break;
    case OomCause::other_process:
      add_for_others(oom);
      break;
    case OomCause::limit:
      add(oom, "torch.cuda.set_per_process_memory_fraction", "oom.do.fraction");
      add(oom, "free -h", "oom.do.host-free");
      add(oom, "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True", "oom.do.expandable");
      break;
    case OomCause::host_memory:
      add_for_host(oom);
      break;
    case OomCause::unknown:
      add_for_others(oom);
      [[fallthrough]];
    case OomCause::shortage:
    case OomCause::cache_limit:
      if (oom.max_context && oom.program == "vllm")
        add(oom, "--max-model-len " + std::to_string(*oom.max_context), "oom.do.told-context");
      add_for_purpose(oom);
      break;
  }
  add(oom, "gpuready fit MODEL", "oom.do.fit");
}

}  // namespace gpuready::fit

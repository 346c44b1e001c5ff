#pragma once
/// What is asked of fit, and what it answers: memory term by term, each low, expected and high.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "gpuready/estimates.hpp"
#include "gpuready/fact.hpp"
#include "gpuready/message.hpp"
#include "gpuready/units.hpp"

namespace gpuready {

enum class Runtime { llama_cpp, transformers, vllm, ollama, diffusers, train };
template <>
struct EnumNames<Runtime> {
  static constexpr std::array<std::string_view, 6> list{"llama.cpp", "transformers", "vllm",
                                                        "ollama",    "diffusers",    "train"};
};

/// What the user says of inference; 0 and empty mean: not said, take the runtime's default.
struct InferenceOptions {
  std::string dtype, kv_dtype, flash_attention;  ///< flash_attention: on, off or empty
  std::int64_t context = 0, prompt = 0, batch = 0, parallel = 0, ubatch = 0;
  std::int64_t tp = 0, pp = 0, ep = 0;
  double util = 0;                                 ///< part of the memory that vLLM may take
  std::int64_t n_gpu_layers = -1, n_cpu_moe = -1;  ///< -1: not said
  std::int64_t image_width = 0, image_height = 0, images = 0;
  bool vae_slicing = false, vae_tiling = false;
  std::string offload;  ///< none, model, sequential
};

/// What the user says of training.
struct TrainingOptions {
  std::string task;  ///< full, lora, qlora; empty: no training
  std::string precision;  ///< fp32, amp, mixed, bf16; empty: as suits the model and the GPU
  std::string optimizer = "adamw", checkpointing = "none", offload = "none";
  /// How logits become a loss: full (all at once, as transformers does), chunked (an eighth at a
  /// time: torchtune, LitGPT) or fused (never stored: Liger, Unsloth).
  std::string loss = "full";
  std::int64_t micro_batch = 1, seq = 0, lora_rank = 0;
  std::vector<std::string> lora_targets;
  std::int64_t zero = 0;
  bool fsdp = false;
  std::int64_t tp = 0, pp = 0, cp = 0;
};

/// `gpuready fit`: empty fields mean this machine, and the runtime that suits the model.
struct FitRequest {
  std::string model;                 ///< as the user names it; empty: which models fit
  std::string runtime;               ///< empty: as suits the model
  std::string gpu;                   ///< a name of data/gpus.csv; empty: this machine
  std::int64_t vram_bytes = 0;       ///< of each GPU; 0: that of the GPU
  std::int64_t gpus = 0;             ///< 0: those of this machine, or one
  std::string kind, family, search;  ///< filters of the list
  bool verify = false;               ///< allocate the prediction and compare
  InferenceOptions inference;
  TrainingOptions training;
};

/// Bytes as an interval with a middle: the verdict rests on `high`.
struct Range {
  std::int64_t low_bytes = 0, expected_bytes = 0, high_bytes = 0;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("low_bytes", s.low_bytes, Unit::bytes, "at least");
    f("expected_bytes", s.expected_bytes, Unit::bytes, "most likely");
    f("high_bytes", s.high_bytes, Unit::bytes, "at most; the verdict rests on it");
  }
};

enum class TermName {
  weights,
  kv_cache,
  state,
  compute,
  logits,
  vision,
  gradients,
  optimizer,
  activations,
  adapters,
  buckets,
  context,
  reserve
};
template <>
struct EnumNames<TermName> {
  static constexpr std::array<std::string_view, 13> list{
      "weights",   "kv_cache",    "state",    "compute", "logits",  "vision", "gradients",
      "optimizer", "activations", "adapters", "buckets", "context", "reserve"};
};

/// One part of the memory that a model takes on a device.
struct Term {
  TermName name = TermName::weights;
  Range bytes;
  Message how;  ///< the rule and its numbers

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("name", s.name, Unit::none, "what takes the memory");
    f("low_bytes", s.bytes.low_bytes, Unit::bytes, "at least");
    f("expected_bytes", s.bytes.expected_bytes, Unit::bytes, "most likely");
    f("high_bytes", s.bytes.high_bytes, Unit::bytes, "at most");
    f("how", s.how, Unit::none, "the rule and its numbers");
  }
};

struct ModelSummary {
  std::string name, source, where, family, kind, native_dtype, quantisation;
  std::int64_t parameters = 0, active_parameters = 0, layers = 0, hidden = 0, vocab = 0;
  std::int64_t max_context = 0, file_bytes = 0, weight_bytes = 0;
  double cache_bytes_per_token = 0;  ///< of one sequence, with the KV type in use

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("name", s.name, Unit::none, "the model");
    f("source", s.source, Unit::none, "file-header, configuration or catalogue");
    f("where", s.where, Unit::none, "path, address or row that it was read from");
    f("family", s.family, Unit::none, "architecture, as its source calls it");
    f("kind", s.kind, Unit::none, "llm, vlm, encoder, embedding, vision, speech or diffusion");
    f("native_dtype", s.native_dtype, Unit::none, "type of its weights as published");
    f("quantisation", s.quantisation, Unit::none, "method by which its files are quantised");
    f("parameters", s.parameters, Unit::count, "all, every expert counted");
    f("active_parameters", s.active_parameters, Unit::count, "used for one token");
    f("layers", s.layers, Unit::count, "blocks of the decoder");
    f("hidden", s.hidden, Unit::count, "width of the residual stream");
    f("vocab", s.vocab, Unit::count, "tokens of the vocabulary");
    f("max_context", s.max_context, Unit::count, "tokens, as configured; 0: not said");
    f("file_bytes", s.file_bytes, Unit::bytes, "of the weight files; 0: none was read");
    f("weight_bytes", s.weight_bytes, Unit::bytes, "of the weights in the type in use");
    f("cache_bytes_per_token", s.cache_bytes_per_token, Unit::bytes,
      "growth of the cache by one token of one sequence");
  }
};

/// What stands on one device.
struct DeviceShare {
  std::string device, gpu;
  std::int64_t layers = 0;  ///< blocks placed there
  std::int64_t usable_bytes = 0;
  std::vector<Term> terms;
  Range total;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("device", s.device, Unit::none, "as cuda:0");
    f("gpu", s.gpu, Unit::none, "its name");
    f("layers", s.layers, Unit::count, "blocks of the model placed there");
    f("usable_bytes", s.usable_bytes, Unit::bytes, "memory that a program gets there");
    f("terms", s.terms, Unit::none, "what takes it");
    f("total", s.total, Unit::none, "sum of the terms");
  }
};

enum class FitVerdict { fits, tight, does_not_fit, unknown };
template <>
struct EnumNames<FitVerdict> {
  static constexpr std::array<std::string_view, 4> list{"fits", "tight", "does-not-fit", "unknown"};
};

/// A change that takes less memory, with what it comes to.
struct Suggestion {
  std::string option;  ///< as it is given on the command line: --kv-dtype q8_0
  Message what;        ///< what it costs in quality or speed
  Range total;
  FitVerdict verdict = FitVerdict::fits;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("option", s.option, Unit::none, "options to add");
    f("what", s.what, Unit::none, "what changes, and what it costs");
    f("total", s.total, Unit::none, "memory then, on the fullest device");
    f("verdict", s.verdict, Unit::none, "verdict then");
  }
};

/// The largest (or smallest) of each option with which it still fits; absent where it has no sense.
struct Limits {
  Fact<std::int64_t> max_context, max_batch, max_lora_rank, n_gpu_layers, n_cpu_moe, gpus;
  Fact<std::string> smallest_gpu, best_dtype;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("max_context", s.max_context, Unit::count, "longest context that fits, in tokens");
    f("max_batch", s.max_batch, Unit::count, "most sequences, or largest micro-batch");
    f("max_lora_rank", s.max_lora_rank, Unit::count, "largest rank of an adapter");
    f("n_gpu_layers", s.n_gpu_layers, Unit::count, "layers that fit on the GPU (-ngl)");
    f("n_cpu_moe", s.n_cpu_moe, Unit::count, "layers whose experts must stay in main memory");
    f("gpus", s.gpus, Unit::count, "fewest GPUs of this kind");
    f("smallest_gpu", s.smallest_gpu, Unit::none, "least GPU of the table that holds it");
    f("best_dtype", s.best_dtype, Unit::none, "type of the weights with least loss that fits");
  }
};

struct TokenRate {
  double low = 0, expected = 0, high = 0;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("low", s.low, Unit::none, "tokens a second, at least");
    f("expected", s.expected, Unit::none, "tokens a second, most likely");
    f("high", s.high, Unit::none, "tokens a second, at most: what the memory can deliver");
  }
};

/// One sequence's speed.
struct FitSpeed {
  Fact<TokenRate> tokens_per_s;
  std::string bound_by;  ///< memory-bandwidth, host-memory-bandwidth, link

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("tokens_per_s", s.tokens_per_s, Unit::none, "tokens a second of one sequence");
    f("bound_by", s.bound_by, Unit::none, "what limits it");
  }
};

/// With --verify: the prediction allocated on a GPU.
struct FitCheck {
  std::string device;
  std::int64_t asked_bytes = 0;
  Fact<std::int64_t> allocated_bytes, taken_bytes, context_bytes;
  bool held = false;
  Message why;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("device", s.device, Unit::none, "as cuda:0");
    f("asked_bytes", s.asked_bytes, Unit::bytes, "the high total without the context");
    f("allocated_bytes", s.allocated_bytes, Unit::bytes, "what the driver gave");
    f("taken_bytes", s.taken_bytes, Unit::bytes, "by how much free memory fell");
    f("context_bytes", s.context_bytes, Unit::bytes,
      "what a context takes here: free memory before it less that after it");
    f("held", s.held, Unit::none, "whether all of it could be had");
    f("why", s.why, Unit::none, "one sentence");
  }
};

/// The answer for one model with one runtime.
struct Estimate {
  ModelSummary model;
  Runtime runtime = Runtime::llama_cpp;
  std::string task;  ///< inference, full, lora or qlora
  std::string dtype, kv_dtype;
  std::int64_t context = 0;  ///< tokens that the cache holds, of all sequences
  std::vector<Message> assumptions;
  std::vector<Term> terms;  ///< of the fullest device
  std::vector<DeviceShare> devices;
  std::int64_t host_bytes = 0;    ///< main memory beside the GPU's
  Range total;                    ///< of the fullest device
  std::int64_t usable_bytes = 0;  ///< of that device
  std::string device;             ///< that device
  FitVerdict verdict = FitVerdict::unknown;
  Limits limits;
  std::vector<Suggestion> suggestions;
  FitSpeed speed;
  std::vector<FitCheck> checks;  ///< with --verify, one for each device

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("model", s.model, Unit::none, "what the model is");
    f("runtime", s.runtime, Unit::none, "program whose memory is estimated");
    f("task", s.task, Unit::none, "inference, full, lora or qlora");
    f("dtype", s.dtype, Unit::none, "type of the weights");
    f("kv_dtype", s.kv_dtype, Unit::none, "type of the cache");
    f("context", s.context, Unit::count, "tokens that the cache holds");
    f("assumptions", s.assumptions, Unit::none, "what was taken for granted");
    f("terms", s.terms, Unit::none, "what takes memory on the fullest device");
    f("devices", s.devices, Unit::none, "every device, where there are several");
    f("host_bytes", s.host_bytes, Unit::bytes, "main memory that is needed beside");
    f("total", s.total, Unit::none, "sum of the terms");
    f("usable_bytes", s.usable_bytes, Unit::bytes, "memory that a program gets on that device");
    f("device", s.device, Unit::none, "the fullest device");
    f("verdict", s.verdict, Unit::none, "from the high total against the usable memory");
    f("limits", s.limits, Unit::none, "largest options with which it still fits");
    f("suggestions", s.suggestions, Unit::none, "what would take less, least loss first");
    f("speed", s.speed, Unit::none, "expected speed of one sequence");
    f("checks", s.checks, Unit::none, "with --verify: the prediction allocated, device by device");
  }
};

/// A catalogued model in the list of what fits.
struct FittingModel {
  std::string name, family, kind, dtype;
  std::int64_t parameters = 0, max_context = 0;
  Range total;
  FitVerdict verdict = FitVerdict::fits;
  FitSpeed speed;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("name", s.name, Unit::none, "the model");
    f("family", s.family, Unit::none, "its family");
    f("kind", s.kind, Unit::none, "llm, vlm, encoder, embedding, vision, speech or diffusion");
    f("dtype", s.dtype, Unit::none, "type with least loss that fits");
    f("parameters", s.parameters, Unit::count, "all, every expert counted");
    f("max_context", s.max_context, Unit::count, "longest context that fits, in tokens");
    f("total", s.total, Unit::none, "memory with the default context");
    f("verdict", s.verdict, Unit::none, "fits or tight");
    f("speed", s.speed, Unit::none, "expected speed of one sequence");
  }
};

}  // namespace gpuready

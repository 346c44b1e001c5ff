#include "fit/suggest.hpp"

#include <algorithm>
#include <functional>

#include "fit/solver.hpp"

namespace gpuready::fit {

namespace {

using Change = std::function<void(FitRequest&)>;

std::string text(std::int64_t number) { return std::to_string(number); }

bool is_llama(Runtime runtime) {
  return runtime == Runtime::llama_cpp || runtime == Runtime::ollama;
}

/// Tries changes and keeps those that help.
class Advisor {
 public:
  Advisor(Forward& forward, const FitRequest& request, const Outcome& outcome)
      : forward_(forward), request_(request), outcome_(outcome) {
    expected_ = total(outcome).expected_bytes;
  }

  /// Keeps the change where it lowers the fullest device by a hundredth or more.
  void add(std::string option, Message what, const Change& change) {
    FitRequest changed = request_;
    change(changed);
    judge(forward_, std::move(option), std::move(what), changed);
  }

  /// The same on other devices.
  void add_on(const Devices& devices, std::string option, Message what, const Change& change) {
    FitRequest changed = request_;
    change(changed);
    Forward other(forward_.model(), devices);
    judge(other, std::move(option), std::move(what), changed);
  }

  [[nodiscard]] const Outcome& outcome() const { return outcome_; }
  [[nodiscard]] Forward& forward() { return forward_; }
  [[nodiscard]] const FitRequest& request() const { return request_; }
  [[nodiscard]] bool solved() const { return solved_; }
  std::vector<Suggestion> take() { return std::move(list_); }

 private:
  static Range total(const Outcome& outcome) {
    return outcome.shares.empty() ? Range{} : outcome.shares[outcome.fullest].total();
  }

  void judge(Forward& forward, std::string option, Message what, const FitRequest& changed) {
    const auto outcome = forward(changed);
    if (!outcome || outcome->shares.empty()) return;
    const Range bytes = total(*outcome);
    constexpr double enough = 0.99;
    const bool less =
        static_cast<double>(bytes.expected_bytes) < enough * static_cast<double>(expected_);
    if (!less && outcome->verdict != FitVerdict::fits) return;
    solved_ = solved_ || outcome->verdict == FitVerdict::fits;
    list_.push_back({std::move(option), std::move(what), bytes, outcome->verdict});
  }

  Forward& forward_;
  const FitRequest& request_;
  const Outcome& outcome_;
  std::int64_t expected_ = 0;
  bool solved_ = false;
  std::vector<Suggestion> list_;
};

void suggest_cache_types(Advisor& advisor) {
  const Runtime runtime = advisor.outcome().runtime;
  const std::string& now = advisor.outcome().inference.kv_dtype;
  const bool wide = now == "f16" || now == "bf16" || now == "fp16" || now == "f32";
  const auto to = [](const char* type) {
    return [type](FitRequest& request) { request.inference.kv_dtype = type; };
  };
  if (is_llama(runtime) && wide && advisor.request().inference.flash_attention != "off")
    advisor.add("--kv-dtype q8_0", {"fit.suggest.kv-q8", {}}, to("q8_0"));
  if (runtime == Runtime::vllm && wide && !lacks_bf16(advisor.forward().devices()))
    advisor.add("--kv-dtype fp8", {"fit.suggest.kv-fp8", {}}, to("fp8"));
}

void suggest_context(Advisor& advisor, const Limits& limits) {
  constexpr std::int64_t least = 2048;
  const InferencePlan& plan = advisor.outcome().inference;
  if (!limits.max_context || *limits.max_context < least ||
      static_cast<double>(*limits.max_context) >= plan.context * plan.sequences)
    return;
  const std::int64_t tokens = *limits.max_context;
  advisor.add("--context " + text(tokens), {"fit.suggest.context", {text(tokens)}},
              [tokens](FitRequest& request) { request.inference.context = tokens; });
}

/// The best type that fits; where none does, the smallest with a short context.
void suggest_type(Advisor& advisor, const Limits& limits) {
  const auto types =
      types_for(advisor.forward().model(), advisor.outcome().runtime, advisor.forward().devices());
  if (types.empty()) return;
  const std::string best = limits.best_dtype ? *limits.best_dtype : types.back()->name;
  if (best == advisor.outcome().weights->dtype) return;
  advisor.add("--dtype " + best, {"fit.suggest.dtype", {best}},
              [best](FitRequest& request) { request.inference.dtype = best; });
  constexpr std::int64_t context = 2048;
  if (!limits.best_dtype && advisor.outcome().inference.context > static_cast<double>(context))
    advisor.add("--dtype " + best + " --context " + text(context),
                {"fit.suggest.dtype-and-context", {best, text(context)}},
                [best](FitRequest& request) {
                  request.inference.dtype = best, request.inference.context = context;
                  request.inference.prompt = 0;
                });
}

/// The whole context with both narrowed, where neither alone is enough.
void suggest_type_and_cache(Advisor& advisor, const Limits& limits) {
  const Runtime runtime = advisor.outcome().runtime;
  const bool vllm = runtime == Runtime::vllm;
  if ((!vllm && !is_llama(runtime)) || limits.best_dtype) return;
  const std::string& now = advisor.outcome().inference.kv_dtype;
  const std::string narrow = vllm ? "fp8" : "q8_0";
  if (now == narrow || (vllm && lacks_bf16(advisor.forward().devices())) ||
      (!vllm && advisor.request().inference.flash_attention == "off"))
    return;
  FitRequest changed = advisor.request();
  changed.inference.kv_dtype = narrow;
  for (const catalog::Quant* quant :
       types_for(advisor.forward().model(), runtime, advisor.forward().devices())) {
    changed.inference.dtype = quant->name;
    if (!does_fit(advisor.forward(), changed)) continue;
    if (quant->name == advisor.outcome().weights->dtype) return;  // the cache alone was enough
    advisor.add("--dtype " + quant->name + " --kv-dtype " + narrow,
                {"fit.suggest.dtype-and-kv", {quant->name, narrow}},
                [&changed](FitRequest& request) { request = changed; });
    return;
  }
}

bool host_has(std::int64_t bytes, const Devices& devices) {
  return devices.given || devices.cpu.usable_bytes <= 0 || bytes <= devices.cpu.usable_bytes;
}

void suggest_offload(Advisor& advisor, const Limits& limits) {
  if (!is_llama(advisor.outcome().runtime)) return;
  const Devices& devices = advisor.forward().devices();
  const auto add = [&](const std::string& option, const Message& what, const Change& change) {
    FitRequest changed = advisor.request();
    change(changed);
    const auto outcome = advisor.forward()(changed);
    if (outcome && host_has(outcome->host_bytes, devices)) advisor.add(option, what, change);
  };
  if (limits.n_cpu_moe && *limits.n_cpu_moe > 0) {
    const std::int64_t n = *limits.n_cpu_moe;
    add("--n-cpu-moe " + text(n), {"fit.suggest.cpu-moe", {text(n)}},
        [n](FitRequest& request) { request.inference.n_cpu_moe = n; });
  } else if (limits.n_gpu_layers && *limits.n_gpu_layers > 0) {
    const std::int64_t n = *limits.n_gpu_layers;
    add("--n-gpu-layers " + text(n), {"fit.suggest.gpu-layers", {text(n)}},
        [n](FitRequest& request) { request.inference.n_gpu_layers = n; });
  }
}

/// How a training is divided among GPUs: --zero and --fsdp exclude each other.
struct Sharing {
  std::string option;
  Change change;
};
Sharing sharing_of(const TrainingOptions& training) {
  if (training.task.empty() || training.fsdp || training.zero >= 3) return {"", [](FitRequest&) {}};
  if (training.zero > 0)
    return {" --zero 3", [](FitRequest& request) { request.training.zero = 3; }};
  return {" --fsdp", [](FitRequest& request) { request.training.fsdp = true; }};
}

/// More than one machine holds is advice only where nothing else helps.
constexpr std::int64_t gpus_of_a_machine = 8;

/// The fewest GPUs with this change of the request. Whether there are so many.
bool suggest_more_gpus(Advisor& advisor, const std::string& options, const Change& change) {
  const Devices& devices = advisor.forward().devices();
  if (devices.gpus.empty()) return false;
  FitRequest changed = advisor.request();
  change(changed);
  const std::int64_t count = fewest_of_kind(advisor.forward(), changed);
  if (count <= static_cast<std::int64_t>(devices.gpus.size())) return count > 0;
  if (count > gpus_of_a_machine && advisor.solved()) return true;
  Devices more = devices;
  more.gpus.assign(static_cast<std::size_t>(count), devices.gpus.front());
  advisor.add_on(more, "--gpus " + text(count) + options, {"fit.suggest.gpus", {text(count)}},
                 change);
  return true;
}

/// More GPUs; of training those that divide the states, and where this is not enough, recompute.
void suggest_gpus(Advisor& advisor) {
  if (advisor.outcome().runtime == Runtime::diffusers) return;
  const TrainingOptions& now = advisor.request().training;
  const Sharing sharing = sharing_of(now);
  const auto change = [&](FitRequest& request) {
    request.inference.tp = request.inference.pp = 0;
    sharing.change(request);
  };
  if (suggest_more_gpus(advisor, sharing.option, change) || now.task.empty()) return;
  suggest_more_gpus(advisor, sharing.option + " --checkpointing full --loss fused",
                    [&](FitRequest& request) {
                      change(request);
                      request.training.checkpointing = "full", request.training.loss = "fused";
                    });
}

void suggest_training(Advisor& advisor) {
  const TrainingOptions& now = advisor.request().training;
  if (now.checkpointing != "full")
    advisor.add("--checkpointing full", {"fit.suggest.checkpointing", {}},
                [](FitRequest& request) { request.training.checkpointing = "full"; });
  if (now.loss != "fused")
    advisor.add("--loss fused", {"fit.suggest.loss", {}},
                [](FitRequest& request) { request.training.loss = "fused"; });
  if (now.micro_batch > 1)
    advisor.add("--micro-batch 1", {"fit.suggest.micro-batch", {}},
                [](FitRequest& request) { request.training.micro_batch = 1; });
  if (now.task == "full" && now.optimizer == "adamw")
    advisor.add("--optimizer adamw-8bit", {"fit.suggest.optimizer", {}},
                [](FitRequest& request) { request.training.optimizer = "adamw-8bit"; });
  if (const Sharing sharing = sharing_of(now);
      advisor.forward().devices().gpus.size() > 1 && !sharing.option.empty())
    advisor.add(sharing.option.substr(1), {"fit.suggest.fsdp", {}}, sharing.change);
  const auto sparing = [](FitRequest& request) {
    request.training.checkpointing = "full", request.training.loss = "fused";
  };
  if (!advisor.solved() && now.checkpointing != "full" && now.loss != "fused")
    advisor.add("--checkpointing full --loss fused", {"fit.suggest.recompute-and-loss", {}},
                sparing);
  if (!advisor.solved() && now.micro_batch > 1)
    advisor.add("--checkpointing full --loss fused --micro-batch 1",
                {"fit.suggest.sparing-and-one", {}},
                [&](FitRequest& request) { sparing(request), request.training.micro_batch = 1; });
  if (now.task == "full") {
    advisor.add("--offload optimizer", {"fit.suggest.offload-optimizer", {}},
                [](FitRequest& request) { request.training.offload = "optimizer"; });
    if (!advisor.solved())
      advisor.add("--offload optimizer --checkpointing full --loss fused --micro-batch 1",
                  {"fit.suggest.offload-all-ways", {}}, [&](FitRequest& request) {
                    sparing(request), request.training.offload = "optimizer";
                    request.training.micro_batch = 1;
                  });
    advisor.add("--task lora --checkpointing full --loss fused", {"fit.suggest.lora", {}},
                [&](FitRequest& request) { sparing(request), request.training.task = "lora"; });
  }
  if (now.task != "qlora")
    advisor.add("--task qlora --checkpointing full --loss fused", {"fit.suggest.qlora", {}},
                [&](FitRequest& request) { sparing(request), request.training.task = "qlora"; });
}

/// The type with least loss that fits while each part is on the GPU only for its work.
void suggest_type_and_offload(Advisor& advisor) {
  FitRequest changed = advisor.request();
  changed.inference.offload = "model";
  for (const catalog::Quant* quant :
       types_for(advisor.forward().model(), Runtime::diffusers, advisor.forward().devices())) {
    changed.inference.dtype = quant->name;
    if (!does_fit(advisor.forward(), changed)) continue;
    advisor.add("--dtype " + quant->name + " --offload model",
                {"fit.suggest.dtype-and-offload", {quant->name}},
                [&changed](FitRequest& request) { request = changed; });
    return;
  }
}

void suggest_images(Advisor& advisor, const Limits& limits) {
  const InferenceOptions& now = advisor.request().inference;
  if (now.images > 1 && !now.vae_slicing)
    advisor.add("--vae-slicing", {"fit.suggest.vae-slicing", {}},
                [](FitRequest& request) { request.inference.vae_slicing = true; });
  if (!now.vae_tiling)
    advisor.add("--vae-tiling", {"fit.suggest.vae-tiling", {}},
                [](FitRequest& request) { request.inference.vae_tiling = true; });
  suggest_type(advisor, limits);
  advisor.add("--offload model", {"fit.suggest.offload-model", {}},
              [](FitRequest& request) { request.inference.offload = "model"; });
  if (!advisor.solved()) suggest_type_and_offload(advisor);
  if (!advisor.solved())
    advisor.add("--offload sequential --vae-tiling", {"fit.suggest.offload-sequential", {}},
                [](FitRequest& request) {
                  request.inference.offload = "sequential", request.inference.vae_tiling = true;
                });
}

}  // namespace

std::vector<Suggestion> suggestions_for(Forward& forward, const FitRequest& request,
                                        const Outcome& outcome, const Limits& limits) {
  if (outcome.verdict == FitVerdict::fits || outcome.verdict == FitVerdict::unknown) return {};
  Advisor advisor(forward, request, outcome);
  if (outcome.runtime == Runtime::train) {
    suggest_training(advisor);
  } else if (outcome.runtime == Runtime::diffusers) {
    suggest_images(advisor, limits);
  } else {
    suggest_cache_types(advisor);
    suggest_context(advisor, limits);
    suggest_type(advisor, limits);
    suggest_type_and_cache(advisor, limits);
    suggest_offload(advisor, limits);
  }
  suggest_gpus(advisor);
  return advisor.take();
}

}  // namespace gpuready::fit

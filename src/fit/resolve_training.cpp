#include <algorithm>
#include <array>

#include "base/quantity.hpp"
#include "catalog/conv_nets.hpp"
#include "fit/range.hpp"
#include "fit/resolve_request.hpp"
#include "fit/training.hpp"

namespace gpuready::fit {

namespace {

template <std::size_t N>
Result<std::size_t> one_of(const std::string& option, const std::string& value,
                           const std::array<const char*, N>& known) {
  std::string list;
  for (std::size_t i = 0; i < N; ++i) {
    if (value == known[i]) return i;
    list += (i > 0 ? ", " : "") + std::string(known[i]);
  }
  return failure(option + " " + value + ": known are " + list);
}

double count(std::int64_t n) { return static_cast<double>(n); }

Result<void> check_names(const TrainingOptions& options) {
  constexpr std::array tasks{"full", "lora", "qlora"};
  constexpr std::array precisions{"fp32", "amp", "mixed", "bf16"};
  constexpr std::array optimizers{"adamw",        "adamw-8bit", "adamw-4bit", "adafactor", "sgd",
                                  "sgd-momentum", "lion",       "lion-8bit",  "muon"};
  if (auto found = one_of("--task", options.task, tasks); !found)
    return tl::unexpected(found.error());
  if (auto found = one_of("--precision", options.precision, precisions); !found)
    return tl::unexpected(found.error());
  if (auto found = one_of("--optimizer", options.optimizer, optimizers); !found)
    return tl::unexpected(found.error());
  constexpr std::int64_t most = std::int64_t{1} << 40U;
  for (const std::int64_t n :
       {options.micro_batch, options.seq, options.lora_rank, options.tp, options.pp, options.cp})
    if (n < 0 || n > most)
      return failure("an option of " + std::to_string(n) + ": expected a number from 1 to 2^40");
  if (options.zero < 0 || options.zero > 3)
    return failure("--zero " + std::to_string(options.zero) + ": expected 0, 1, 2 or 3");
  return {};
}

Result<void> resolve_kinds(const TrainingOptions& options, TrainingPlan& plan) {
  constexpr std::array checkpointings{"none", "selective", "full"};
  constexpr std::array losses{"full", "chunked", "fused"};
  constexpr std::array offloads{"none", "optimizer", "all"};
  const auto checkpointing = one_of("--checkpointing", options.checkpointing, checkpointings);
  if (!checkpointing) return tl::unexpected(checkpointing.error());
  const auto loss = one_of("--loss", options.loss, losses);
  if (!loss) return tl::unexpected(loss.error());
  const auto offload = one_of("--offload", options.offload, offloads);
  if (!offload) return tl::unexpected(offload.error());
  plan.checkpointing = static_cast<Checkpointing>(*checkpointing);
  plan.loss = static_cast<Loss>(*loss), plan.offload = static_cast<TrainingOffload>(*offload);
  plan.fsdp = options.fsdp;
  plan.zero = options.fsdp ? 3 : static_cast<int>(options.zero);
  if (plan.offload == TrainingOffload::all && plan.zero < 3 && !plan.adapters)
    return failure("--offload all: weights leave the GPU only with --zero 3 or --fsdp");
  return {};
}

Result<void> resolve_ranks(const TrainingOptions& options, const Devices& devices,
                           TrainingPlan& plan) {
  const std::int64_t gpus =
      std::max<std::int64_t>(static_cast<std::int64_t>(devices.gpus.size()), 1);
  const std::int64_t tp = std::max<std::int64_t>(options.tp, 1);
  const std::int64_t pp = std::max<std::int64_t>(options.pp, 1);
  const std::int64_t cp = std::max<std::int64_t>(options.cp, 1);
  const double wanted = count(tp) * count(pp) * count(cp);
  if (wanted > count(gpus) || gpus % (tp * pp * cp) != 0)
    return failure("--tp " + std::to_string(tp) + " --pp " + std::to_string(pp) + " --cp " +
                   std::to_string(cp) + ": " + std::to_string(gpus) +
                   " GPUs don't divide by their product; set --gpus to a multiple of it");
  plan.tp = count(tp), plan.pp = count(pp), plan.cp = count(cp);
  plan.data_ranks = count(gpus / (tp * pp * cp));
  return {};
}

/// Names as peft and the papers write them, to one letter or word each.
Result<void> resolve_targets(const TrainingOptions& options, ResolvedTraining& out) {
  TrainingPlan& plan = out.plan;
  plan.lora_rank = options.lora_rank > 0 ? count(options.lora_rank) : 16;
  static const std::vector<std::string> all{"q", "k", "v", "o", "gate", "up", "down"};
  if (options.lora_targets.empty()) {
    plan.lora_targets = plan.quantised ? all : std::vector<std::string>{"q", "v"};
    out.assumptions.push_back(
        {plan.quantised ? "fit.assume.lora-all" : "fit.assume.lora-attention", {}});
  }
  for (std::string target : options.lora_targets) {
    target = lower(std::move(target));
    if (const auto end = target.find("_proj"); end != std::string::npos) target.resize(end);
    if (target == "all" || target == "all-linear") {
      plan.lora_targets = all;
    } else if (std::find(all.begin(), all.end(), target) != all.end()) {
      plan.lora_targets.push_back(target);
    } else {
      return failure("--lora-targets " + target + ": known are q, k, v, o, gate, up, down and all");
    }
  }
  if (options.lora_rank == 0)
    out.assumptions.push_back({"fit.assume.lora-rank", {std::to_string(16)}});
  return {};
}

bool is_published_wide(const Model& model) {
  const std::string native = lower(model.native_dtype);
  return native == "fp32" || native == "f32";
}

/// The recipe in words, and where the published weights or the GPU don't suit it.
void tell_recipe(const Model& model, const TrainingOptions& options, const Devices& devices,
                 std::vector<Message>& out) {
  out.push_back(
      {"fit.assume.recipe",
       {options.precision, options.optimizer,
        std::to_string(std::max<std::int64_t>(options.micro_batch, 1)), options.checkpointing}});
  if (options.precision != "bf16") return;
  if (options.task == "full" && is_published_wide(model))
    out.push_back({"fit.assume.bf16-of-fp32", {}});
  if (lacks_bf16(devices)) out.push_back({"fit.assume.no-bf16", {devices.gpus.front().gpu}});
}

Result<void> check_model(const Model& model, const TrainingOptions& options) {
  if (model.gguf)
    return failure("--task " + options.task + ": " + model.name +
                   " is a GGUF file, for inference alone; name the original model");
  if (options.task == "full" && !model.quantisation.method.empty() &&
      lower(model.quantisation.method) != "fp8")
    return failure("--task full: the weights of " + model.name + " are quantised (" +
                   model.quantisation.method + "); take --task qlora, or the original model");
  return {};
}

}  // namespace

FitRequest with_precision(const Model& model, const FitRequest& request, const Devices& devices) {
  FitRequest out = request;
  std::string& precision = out.training.precision;
  if (!precision.empty() || out.training.task.empty()) return out;
  // The base of an adapter takes two bytes in bf16 and in fp16 alike.
  const bool full = out.training.task == "full";
  if (full && is_published_wide(model)) return precision = "fp32", out;
  return precision = full && lacks_bf16(devices) ? "amp" : "bf16", out;
}

Result<ResolvedTraining> resolve_training(const Model& model, const FitRequest& request,
                                          const Devices& devices) {
  const TrainingOptions& options = request.training;
  ResolvedTraining out;
  TrainingPlan& plan = out.plan;
  if (auto done = check_names(options); !done) return tl::unexpected(done.error());
  if (auto done = check_model(model, options); !done) return tl::unexpected(done.error());
  plan.adapters = options.task != "full", plan.quantised = options.task == "qlora";
  plan.optimizer = options.optimizer, plan.precision = options.precision;
  plan.activation_bytes = options.precision == "fp32" ? 4 : 2;
  plan.flash = request.inference.flash_attention != "off";
  plan.micro_batch = count(std::max<std::int64_t>(options.micro_batch, 1));
  plan.conv_elements = catalog::kept_elements(model.name);
  // A text; of images the patches of 224 x 224 pixels.
  const std::int64_t usual = model.shape.kind == ModelKind::vision ? 256 : 2048;
  const std::int64_t most = model.shape.max_context > 0 ? model.shape.max_context : usual;
  plan.seq = count(options.seq > 0 ? options.seq : std::min(usual, most));
  if (options.seq == 0 && plan.conv_elements == 0)
    out.assumptions.push_back({"fit.assume.seq", {std::to_string(whole_bytes(plan.seq))}});
  if (auto done = resolve_kinds(options, plan); !done) return tl::unexpected(done.error());
  if (auto done = resolve_ranks(options, devices, plan); !done) return tl::unexpected(done.error());
  if (plan.adapters)
    if (auto done = resolve_targets(options, out); !done) return tl::unexpected(done.error());
  tell_recipe(model, options, devices, out.assumptions);
  if (plan.zero == 3 && !plan.fsdp && !plan.adapters)
    out.assumptions.push_back(
        {"fit.assume.zero-init", {base::show_bytes(whole_bytes(2 * count(model.parameters)))}});
  return out;
}

}  // namespace gpuready::fit

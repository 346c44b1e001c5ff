#include "fit_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "gpuready/gpuready.hpp"

namespace gpuready::cli {

namespace {

using Help = std::function<std::string(const std::string&)>;

constexpr std::int64_t most_tokens = std::int64_t{1} << 30U;

CLI::Option* add_count(CLI::App& c, const char* name, std::int64_t& value, const std::string& text,
                       std::int64_t least, std::int64_t most) {
  return c.add_option(name, value, text)->type_name("N")->check(CLI::Range(least, most));
}

void add_memory(CLI::App& c, FitOptions& o, const Help& help) {
  c.add_option("--gpu", o.request.gpu, help("gpu"))->type_name("NAME")->check([](const auto& name) {
    return name.empty() ? std::string("expected a name, as \"RTX 4090\"") : std::string();
  });
  c.add_option("--vram", o.vram, help("vram"))->type_name("SIZE");
  add_count(c, "--gpus", o.request.gpus, help("gpus"), 1, 4096);
  c.add_option("--kind", o.request.kind, help("kind"))
      ->type_name("llm|vlm|...")
      ->check(
          CLI::IsMember({"llm", "vlm", "encoder", "embedding", "vision", "speech", "diffusion"}));
  c.add_option("--family", o.request.family, help("family"))->type_name("NAME");
  c.add_option("--search", o.request.search, help("search"))->type_name("WORD");
  c.add_flag("--verify", o.request.verify, help("verify"));
}

void add_inference(CLI::App& c, FitOptions& o, const Help& help) {
  InferenceOptions& i = o.request.inference;
  c.add_option("--runtime", o.request.runtime, help("runtime"))
      ->type_name("NAME")
      ->check(CLI::IsMember({"llama.cpp", "transformers", "vllm", "ollama", "diffusers", "train"}));
  c.add_option("--dtype", i.dtype, help("dtype"))->type_name("NAME");
  c.add_option("--kv-dtype", i.kv_dtype, help("kv-dtype"))->type_name("NAME");
  c.add_option("--flash-attention", i.flash_attention, help("flash-attention"))
      ->type_name("on|off")
      ->check(CLI::IsMember({"on", "off"}));
  add_count(c, "--context", i.context, help("context"), 1, most_tokens);
  add_count(c, "--prompt", i.prompt, help("prompt"), 1, most_tokens);
  add_count(c, "--batch", i.batch, help("batch"), 1, 1 << 20U);
  add_count(c, "--parallel", i.parallel, help("parallel"), 1, 1 << 16U);
  add_count(c, "--ubatch", i.ubatch, help("ubatch"), 1, 1 << 20U);
  add_count(c, "--ep", i.ep, help("ep"), 1, 4096);
  c.add_option("--util", i.util, help("util"))->type_name("F")->check(CLI::Range(0.01, 1.0));
  add_count(c, "--n-gpu-layers,--ngl", i.n_gpu_layers, help("n-gpu-layers"), 0, 100000);
  add_count(c, "--n-cpu-moe", i.n_cpu_moe, help("n-cpu-moe"), 0, 100000);
}

void add_images(CLI::App& c, FitOptions& o, const Help& help) {
  InferenceOptions& i = o.request.inference;
  c.add_option("--image", o.image, help("image"))->type_name("WxH");
  add_count(c, "--images", i.images, help("images"), 1, 1024);
  c.add_flag("--vae-slicing", i.vae_slicing, help("vae-slicing"));
  c.add_flag("--vae-tiling", i.vae_tiling, help("vae-tiling"));
}

void add_training(CLI::App& c, FitOptions& o, const Help& help) {
  TrainingOptions& t = o.request.training;
  auto* const task = c.add_option("--task", t.task, help("task"))
                         ->type_name("full|lora|qlora")
                         ->check(CLI::IsMember({"full", "lora", "qlora"}));
  c.add_option("--optimizer", t.optimizer, help("optimizer"))
      ->type_name("NAME")
      ->check(CLI::IsMember({"adamw", "adamw-8bit", "adamw-4bit", "adafactor", "sgd",
                             "sgd-momentum", "lion", "lion-8bit", "muon"}));
  c.add_option("--precision", t.precision, help("precision"))
      ->type_name("fp32|amp|mixed|bf16")
      ->check(CLI::IsMember({"fp32", "amp", "mixed", "bf16"}));
  c.add_option("--checkpointing", t.checkpointing, help("checkpointing"))
      ->type_name("none|selective|full")
      ->check(CLI::IsMember({"none", "selective", "full"}));
  c.add_option("--loss", t.loss, help("loss"))
      ->type_name("full|chunked|fused")
      ->check(CLI::IsMember({"full", "chunked", "fused"}));
  add_count(c, "--micro-batch", t.micro_batch, help("micro-batch"), 1, 1 << 20U);
  add_count(c, "--seq", t.seq, help("seq"), 1, most_tokens);
  add_count(c, "--lora-rank", t.lora_rank, help("lora-rank"), 1, 1 << 16U);
  c.add_option("--lora-targets", t.lora_targets, help("lora-targets"))
      ->type_name("NAME,...")
      ->delimiter(',');
  auto* const zero = add_count(c, "--zero", t.zero, help("zero"), 0, 3);
  c.add_flag("--fsdp", t.fsdp, help("fsdp"))->excludes(zero);
  add_count(c, "--cp", t.cp, help("cp"), 1, 4096);
  // Without a task they would change nothing, and the answer would be taken for that of training.
  for (const char* name :
       {"--optimizer", "--precision", "--checkpointing", "--loss", "--micro-batch", "--seq",
        "--lora-rank", "--lora-targets", "--zero", "--fsdp", "--cp"})
    c.get_option(name)->needs(task);
}

}  // namespace

void add_model_options(CLI::App& command, FitOptions& options, const Help& help) {
  add_inference(command, options, help);
  add_images(command, options, help);
  add_training(command, options, help);
  // One option, read by inference (images) and by training.
  command.add_option("--offload", options.request.inference.offload, help("offload"))
      ->type_name("none|model|sequential|optimizer|all")
      ->check(CLI::IsMember({"none", "model", "sequential", "optimizer", "all"}));
  add_count(command, "--tp", options.request.inference.tp, help("tp"), 1, 4096);
  add_count(command, "--pp", options.request.inference.pp, help("pp"), 1, 4096);
}

void add_fit_options(CLI::App& command, FitOptions& options, const Help& help) {
  command.add_option("MODEL", options.request.model, help("model"));
  add_memory(command, options, help);
  add_model_options(command, options, help);
}

Result<FitRequest> fit_request(const FitOptions& options) {
  FitRequest request = options.request;
  if (!options.vram.empty()) {
    const auto bytes = parse_bytes(options.vram);
    if (!bytes) return failure("--vram " + options.vram + ": " + bytes.error().text);
    if (*bytes <= 0)
      return failure("--vram " + options.vram + ": expected a size above 0, as 24GiB");
    request.vram_bytes = *bytes;
  }
  InferenceOptions& i = request.inference;
  TrainingOptions& t = request.training;
  if (!options.image.empty()) {
    char rest = 0;
    const int read =
        std::sscanf(options.image.c_str(), "%ldx%ld%c", &i.image_width, &i.image_height, &rest);
    constexpr std::int64_t most = 16384;
    if (read != 2 || std::min(i.image_width, i.image_height) < 8 ||
        std::max(i.image_width, i.image_height) > most)
      return failure("--image " + options.image +
                     ": expected width and height from 8 to 16384, as 1024x1024");
  }
  if (request.runtime == "train" && t.task.empty()) t.task = "full";
  const bool trains = !t.task.empty();
  if (trains && (i.batch > 0 || i.context > 0))
    return failure(i.batch > 0 ? "--batch is of inference: with --task, say --micro-batch"
                               : "--context is of inference: with --task, say --seq");
  const bool of_training = i.offload == "optimizer" || i.offload == "all";
  if (!i.offload.empty() && i.offload != "none" && of_training != trains)
    return failure("--offload " + i.offload + ": expected " +
                   (trains ? "none, optimizer or all with --task"
                           : "none, model or sequential without --task"));
  if (trains) t.offload = i.offload.empty() ? "none" : i.offload;
  if (trains) t.tp = i.tp, t.pp = i.pp;
  if (trains && !request.runtime.empty() && request.runtime != "train")
    return failure("--task " + t.task + " is training: leave --runtime out, or --runtime train");
  if (request.model.empty() && (trains || request.verify))
    return failure(std::string(trains ? "--task" : "--verify") +
                   " needs a MODEL: a catalogue name, a Hub id, a folder or a file");
  return request;
}

}  // namespace gpuready::cli

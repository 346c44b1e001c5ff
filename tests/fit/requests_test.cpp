/// What a request means: defaults, errors with the next step, devices, placement.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/catalog.hpp"
#include "fit/outcome.hpp"
#include "fit/resolve_request.hpp"
#include "fit/usable.hpp"
#include "tests/fit/shapes.hpp"

namespace gpuready::fit {
namespace {

constexpr double gib = 1073741824.0;

std::string error_of(const Model& model, const FitRequest& request, const Devices& devices) {
  const auto out = estimate(model, request, devices);
  return out ? "no error" : out.error().text;
}

Estimate answer(const Model& model, const FitRequest& request, const Devices& devices) {
  auto out = estimate(model, request, devices);
  EXPECT_TRUE(out) << (out ? "" : out.error().text);
  return out ? *out : Estimate{};
}

bool assumes(const Estimate& estimate, const std::string& key) {
  for (const Message& message : estimate.assumptions)
    if (message.key == key) return true;
  return false;
}

double term(const std::vector<Term>& terms, TermName name) {
  for (const Term& t : terms)
    if (t.name == name) return static_cast<double>(t.bytes.expected_bytes);
  return 0;
}

TEST(Requests, TakeTheRuntimeThatSuitsTheModel) {
  const Devices gpu = shapes::gpus(1, 80);
  const auto runtime = [&](const std::string& model, const std::string& dtype) {
    FitRequest request;
    request.inference.dtype = dtype;
    return answer(shapes::named(model), request, gpu).runtime;
  };
  EXPECT_EQ(runtime("llama-3-8b", ""), Runtime::llama_cpp);
  EXPECT_EQ(runtime("llama-3-8b", "q5_k_m"), Runtime::llama_cpp);
  EXPECT_EQ(runtime("llama-3-8b", "nf4"), Runtime::transformers);
  EXPECT_EQ(runtime("bge-m3", ""), Runtime::transformers);
  EXPECT_EQ(runtime("flux.1-dev", ""), Runtime::diffusers);
  FitRequest training;
  training.training.task = "lora";
  EXPECT_EQ(answer(shapes::named("llama-3-8b"), training, gpu).runtime, Runtime::train);
}

TEST(Requests, SayWhatTheyTakeForGranted) {
  const Estimate found = answer(shapes::named("llama-3-8b"), {}, shapes::gpus(1, 24));
  EXPECT_TRUE(assumes(found, "fit.assume.gguf-type"));
  EXPECT_TRUE(assumes(found, "fit.assume.context"));
  EXPECT_EQ(found.context, 8192);
  EXPECT_EQ(found.dtype, "q4_k_m");
}

TEST(Requests, OfConvolutionNetsSpeakOfNoTokens) {
  const Estimate found = answer(shapes::named("resnet-50"), {}, shapes::gpus(1, 24));
  EXPECT_FALSE(assumes(found, "fit.assume.context"));
  EXPECT_FALSE(assumes(found, "fit.assume.prompt"));
  EXPECT_GT(term(found.terms, TermName::compute), 1e6);
}

TEST(Requests, OllamaTakesItsContextByTheMemory) {
  FitRequest request;
  request.runtime = "ollama";
  const Model model = shapes::named("mistral-7b");
  EXPECT_EQ(answer(model, request, shapes::gpus(1, 11.7)).context, 4096);
  EXPECT_EQ(answer(model, request, shapes::gpus(1, 23.5)).context, 32768);
  EXPECT_EQ(answer(model, request, shapes::gpus(1, 79)).context, 262144);
}

TEST(Requests, SlotsOfLlamaCppShareTheContextAndThoseOfOllamaDoNot) {
  FitRequest request;
  request.runtime = "llama.cpp", request.inference.context = 8192, request.inference.parallel = 4;
  EXPECT_EQ(answer(shapes::named("mistral-7b"), request, shapes::gpus(1, 24)).context, 8192);
  request.runtime = "ollama";
  EXPECT_EQ(answer(shapes::named("mistral-7b"), request, shapes::gpus(1, 24)).context, 32768);
}

TEST(Requests, ThatCannotBeHadSayWhatCan) {
  const Devices gpu = shapes::gpus(1, 24);
  const Model model = shapes::named("llama-3-8b");
  FitRequest request;
  request.runtime = "vllm", request.inference.dtype = "q4_k_m";
  EXPECT_THAT(error_of(model, request, gpu), testing::HasSubstr("take --runtime llama.cpp"));
  request.runtime = "llama.cpp", request.inference.dtype = "awq";
  EXPECT_THAT(error_of(model, request, gpu), testing::HasSubstr("--runtime transformers or vllm"));
  request.inference.dtype = "q4_k_x";
  EXPECT_THAT(error_of(model, request, gpu), testing::HasSubstr("no such type"));
  request = {}, request.runtime = "diffusers";
  EXPECT_THAT(error_of(model, request, gpu), testing::HasSubstr("makes no images"));
  request.runtime = "vllm";
  EXPECT_THAT(error_of(shapes::named("flux.1-dev"), request, gpu),
              testing::HasSubstr("take --runtime diffusers"));
  request.runtime = "tensorrt";
  EXPECT_THAT(error_of(model, request, gpu), testing::HasSubstr("known are llama.cpp"));
}

TEST(Requests, OfAFileTakeItAsItIsStored) {
  Model model = shapes::named("llama-3-8b");
  model.source = Source::file_header, model.gguf = true, model.native_dtype = "Q4_K_M";
  for (WeightGroup& group : model.weights) group.bytes = group.parameters / 2;
  const Devices gpu = shapes::gpus(1, 24);
  const Estimate found = answer(model, {}, gpu);
  EXPECT_EQ(found.runtime, Runtime::llama_cpp);
  EXPECT_EQ(found.dtype, "Q4_K_M");
  EXPECT_EQ(found.terms[0].bytes.low_bytes, found.terms[0].bytes.high_bytes);
  FitRequest request;
  request.inference.dtype = "q4_k_m";  // the same type by name
  EXPECT_EQ(answer(model, request, gpu).total.high_bytes, found.total.high_bytes);
  request = {}, request.runtime = "transformers";
  EXPECT_THAT(error_of(model, request, gpu), testing::HasSubstr("a GGUF file"));
  request = {}, request.training.task = "lora";
  EXPECT_THAT(error_of(model, request, gpu), testing::HasSubstr("a GGUF file"));
  model.gguf = false, model.native_dtype = "bf16";  // safetensors
  EXPECT_EQ(answer(model, {}, gpu).runtime, Runtime::transformers);
}

TEST(Requests, OfCachesAndRanksAreChecked) {
  const Devices gpu = shapes::gpus(2, 24);
  const Model model = shapes::named("llama-3-8b");
  FitRequest request;
  request.runtime = "llama.cpp", request.inference.kv_dtype = "fp8";
  EXPECT_THAT(error_of(model, request, gpu), testing::HasSubstr("llama.cpp keeps"));
  request.inference.kv_dtype = "q8_0", request.inference.flash_attention = "off";
  EXPECT_THAT(error_of(model, request, gpu), testing::HasSubstr("only with flash attention"));
  request = {}, request.runtime = "vllm", request.inference.tp = 4;
  EXPECT_THAT(error_of(model, request, gpu), testing::HasSubstr("add --gpus 4"));
  request.inference.tp = 3;
  EXPECT_THAT(error_of(model, request, shapes::gpus(3, 24)), testing::HasSubstr("don't divide"));
  request = {}, request.runtime = "transformers", request.inference.n_gpu_layers = 3;
  EXPECT_THAT(error_of(model, request, gpu), testing::HasSubstr("llama.cpp's"));
  request = {}, request.inference.context = -5;
  EXPECT_THAT(error_of(model, request, gpu), testing::HasSubstr("-5"));
}

TEST(Requests, OfTrainingAreChecked) {
  const Devices gpu = shapes::gpus(2, 24);
  Model model = shapes::named("llama-3-8b");
  const auto wrong = [&](auto&& change) {
    FitRequest request;
    request.training.task = "full";
    change(request.training);
    return error_of(model, request, gpu);
  };
  using T = TrainingOptions&;
  EXPECT_THAT(wrong([](T t) { t.task = "dpo"; }), testing::HasSubstr("full, lora, qlora"));
  EXPECT_THAT(wrong([](T t) { t.optimizer = "adam"; }), testing::HasSubstr("adamw-8bit"));
  EXPECT_THAT(wrong([](T t) { t.precision = "fp16"; }), testing::HasSubstr("mixed"));
  EXPECT_THAT(wrong([](T t) { t.offload = "all"; }), testing::HasSubstr("--zero 3 or --fsdp"));
  EXPECT_THAT(wrong([](T t) { t.tp = 3; }), testing::HasSubstr("--gpus"));
  EXPECT_THAT(wrong([](T t) { t.task = "lora", t.lora_targets = {"w1"}; }),
              testing::HasSubstr("q, k, v, o"));
  model.quantisation.method = "gptq";
  EXPECT_THAT(wrong([](T) {}), testing::HasSubstr("take --task qlora"));
}

TEST(Placement, SplitsLayersByMemoryAndNamesTheFullestDevice) {
  FitRequest request;
  request.runtime = "llama.cpp", request.inference.context = 4096;
  Devices devices = shapes::gpus(2, 24);
  devices.gpus[1].usable_bytes /= 3;
  const Estimate found = answer(shapes::named("llama-3-8b"), request, devices);
  ASSERT_EQ(found.devices.size(), 2U);
  EXPECT_EQ(found.devices[0].layers + found.devices[1].layers, 32);
  EXPECT_NEAR(static_cast<double>(found.devices[0].layers), 24, 1);
  EXPECT_EQ(found.device, "cuda:1");  // a third of the memory, and the head
  EXPECT_EQ(found.usable_bytes, devices.gpus[1].usable_bytes);
}

TEST(Placement, LayersOffTheGpuAreInMainMemory) {
  FitRequest request;
  request.runtime = "llama.cpp", request.inference.dtype = "f16";
  request.inference.context = 4096;
  const Model model = shapes::named("llama-3-8b");
  const Estimate all = answer(model, request, shapes::gpus(1, 24));
  request.inference.n_gpu_layers = 16;
  const Estimate half = answer(model, request, shapes::gpus(1, 24));
  EXPECT_EQ(half.devices[0].layers, 16);
  const auto sum = [](const Estimate& e) {
    return term(e.terms, TermName::weights) + static_cast<double>(e.host_bytes) +
           term(e.terms, TermName::kv_cache);
  };
  EXPECT_NEAR(sum(half) / sum(all), 1, 0.001);
  request.inference.n_gpu_layers = 0;
  EXPECT_EQ(answer(model, request, shapes::gpus(1, 24)).devices[0].layers, 0);
}

TEST(Placement, ExpertsOfTheFirstLayersGoToMainMemory) {
  FitRequest request;
  request.runtime = "llama.cpp", request.inference.dtype = "q4_0";
  request.inference.n_cpu_moe = 8;
  const Model model = shapes::named("mixtral-8x7b");
  const Estimate found = answer(model, request, shapes::gpus(1, 24));
  const double experts = 8.0 * 8 * 3 * 4096 * 14336 * 18 / 32;
  EXPECT_NEAR(static_cast<double>(found.host_bytes), experts, 0.2 * gib);
}

TEST(Placement, RanksOfVllmHoldAPartEach) {
  FitRequest request;
  request.runtime = "vllm", request.inference.dtype = "bf16", request.inference.tp = 2;
  const Estimate two = answer(shapes::named("llama-3-8b"), request, shapes::gpus(2, 24));
  ASSERT_EQ(two.devices.size(), 2U);
  EXPECT_NEAR(term(two.devices[0].terms, TermName::weights) / gib, 14.96 / 2, 0.01);
  EXPECT_EQ(term(two.devices[1].terms, TermName::weights),
            term(two.devices[0].terms, TermName::weights));
  request.inference.tp = 1, request.inference.pp = 2;
  const Estimate stages = answer(shapes::named("llama-3-8b"), request, shapes::gpus(2, 24));
  EXPECT_EQ(stages.devices[0].layers, 16);
  EXPECT_EQ(stages.devices[1].layers, 16);
}

TEST(Requests, TrainInTheTypeThatSuitsTheModelAndTheGpu) {
  const auto precision = [](Model model, double capability, const std::string& task) {
    Devices devices = shapes::gpus(1, 80);
    devices.gpus[0].compute_capability = capability;
    FitRequest request;
    request.training.task = task;
    return with_precision(model, request, devices).training.precision;
  };
  const Model llama = shapes::named("llama-3-8b");
  Model published_wide = shapes::named("bert-large");
  published_wide.native_dtype = "fp32";
  EXPECT_EQ(precision(published_wide, 9.0, "full"), "fp32");
  EXPECT_EQ(precision(llama, 9.0, "full"), "bf16");
  EXPECT_EQ(precision(llama, 7.5, "full"), "amp");
  EXPECT_EQ(precision(llama, 7.5, "qlora"), "bf16");
}

TEST(Requests, WithoutAConfigurationOnlyDoesNotFitIsCertain) {
  Model model = shapes::named("llama-3-8b");
  model.shape_known = false;
  FitRequest request;
  request.runtime = "transformers";
  EXPECT_EQ(answer(model, request, shapes::gpus(1, 80)).verdict, FitVerdict::unknown);
  EXPECT_EQ(answer(model, request, shapes::gpus(1, 8)).verdict, FitVerdict::does_not_fit);
}

TEST(Placement, ShardsOfTrainingFallAsTheFigureSays) {
  // Llama-3.1-8B from 8 to 128 GPUs: 16 P (1/8 - 1/128) = 14.0 GiB.
  FitRequest request;
  request.training.task = "full", request.training.precision = "mixed",
  request.training.fsdp = true;
  const auto states = [&](std::int64_t gpus) {
    const Estimate e = answer(shapes::named("llama-3-8b"), request, shapes::gpus(gpus, 94));
    return term(e.terms, TermName::weights) + term(e.terms, TermName::gradients) +
           term(e.terms, TermName::optimizer);
  };
  EXPECT_NEAR((states(8) - states(128)) / gib, 14.0, 0.05);
}

TEST(Placement, StagesOfZeroDivideOneMoreThingEach) {
  FitRequest request;
  request.training.task = "full", request.training.precision = "mixed";
  const auto of = [&](std::int64_t zero, TermName name) {
    request.training.zero = zero;
    return term(answer(shapes::named("llama-2-7b"), request, shapes::gpus(4, 80)).terms, name);
  };
  const double weights = of(0, TermName::weights), gradients = of(0, TermName::gradients);
  EXPECT_EQ(of(1, TermName::optimizer), of(0, TermName::optimizer) / 4);
  EXPECT_EQ(of(1, TermName::gradients), gradients);
  EXPECT_EQ(of(2, TermName::gradients), gradients / 4);
  EXPECT_EQ(of(2, TermName::weights), weights);
  EXPECT_EQ(of(3, TermName::weights), weights / 4);
}

TEST(Placement, TheFirstStageOfAPipelineHoldsMostMicroBatches) {
  FitRequest request;
  request.training.task = "full", request.training.pp = 4;
  const Estimate found = answer(shapes::named("llama-2-7b"), request, shapes::gpus(4, 80));
  ASSERT_EQ(found.devices.size(), 4U);
  EXPECT_NEAR(term(found.devices[0].terms, TermName::activations),
              4 * term(found.devices[3].terms, TermName::activations), 1e6);
  EXPECT_EQ(term(found.devices[0].terms, TermName::logits), 0);
  EXPECT_GT(term(found.devices[3].terms, TermName::logits), 0);
}

TEST(Verdict, ComesFromTheHighFigureAndTheUsableMemory) {
  const Model model = shapes::named("llama-3-8b");
  FitRequest request;
  request.runtime = "transformers", request.inference.context = 4096;
  Devices devices = shapes::gpus(1, 80);
  const Estimate found = answer(model, request, devices);
  const auto with = [&](std::int64_t usable) {
    devices.gpus[0].usable_bytes = usable;
    return answer(model, request, devices).verdict;
  };
  EXPECT_EQ(with(found.total.high_bytes), FitVerdict::fits);
  EXPECT_EQ(with(found.total.high_bytes - 1), FitVerdict::tight);
  EXPECT_EQ(with(found.total.expected_bytes), FitVerdict::tight);
  EXPECT_EQ(with(found.total.expected_bytes - 1), FitVerdict::does_not_fit);
  EXPECT_EQ(with(0), FitVerdict::unknown);
}

const std::vector<catalog::Gpu>& gpu_table() {
  static const auto table = catalog::load_gpus({}).value();
  return table;
}

TEST(Usable, IsLessThanTheDataSheetSays) {
  FitRequest request;
  request.gpu = "RTX 4090";
  const auto found = devices_for(request, Machine{}, gpu_table());
  ASSERT_TRUE(found) << found.error().text;
  EXPECT_NEAR(static_cast<double>(found->gpus[0].usable_bytes) / 1048576.0, 24080, 20);
  EXPECT_EQ(found->gpus[0].compute_capability, 8.9);
  EXPECT_EQ(found->gpus[0].bandwidth_bytes_per_s, 1008e9);
  EXPECT_TRUE(found->given);
  request.gpu = "A100 SXM4 80 GB", request.gpus = 4;
  const auto four = devices_for(request, Machine{}, gpu_table());
  ASSERT_TRUE(four);
  EXPECT_EQ(four->gpus.size(), 4U);
  EXPECT_EQ(four->gpus[3].name, "cuda:3");
  EXPECT_NEAR(static_cast<double>(four->gpus[0].usable_bytes) / gib, 79.2, 0.1);
}

TEST(Usable, NamesThatAreAmbiguousOrUnknownListTheNearOnes) {
  FitRequest request;
  request.gpu = "A100";
  const auto several = devices_for(request, Machine{}, gpu_table());
  ASSERT_FALSE(several);
  EXPECT_THAT(several.error().text, testing::HasSubstr("A100 PCIe 40 GB"));
  request.gpu = "RTX 4095";
  EXPECT_THAT(devices_for(request, Machine{}, gpu_table()).error().text,
              testing::HasSubstr("--vram"));
}

TEST(Usable, OfThisMachineIsWhatIsFreeNow) {
  Machine machine;
  Gpu gpu;
  gpu.name = Fact<std::string>("NVIDIA GeForce RTX 4090", "test");
  gpu.memory_total_bytes = Fact<std::int64_t>(24LL << 30U, "nvml");
  gpu.memory_free_bytes = Fact<std::int64_t>(20LL << 30U, "nvmlDeviceGetMemoryInfo_v2");
  gpu.compute_capability = Fact<std::string>("8.9", "test");
  gpu.cuda_index = Fact<std::int64_t>(0, "test"), gpu.kernel = Fact<bool>(true, "test");
  machine.gpus = {gpu};
  const auto nvml = devices_for({}, machine, gpu_table());
  ASSERT_TRUE(nvml);
  EXPECT_EQ(nvml->gpus[0].usable_bytes, 20LL << 30U);
  EXPECT_FALSE(nvml->given);
  // Told by CUDA, a context was already counted: not twice.
  machine.gpus[0].memory_free_bytes = Fact<std::int64_t>(20LL << 30U, "cuMemGetInfo_v2");
  EXPECT_EQ(devices_for({}, machine, gpu_table())->gpus[0].usable_bytes,
            (20LL << 30U) + (250LL << 20U));
  machine.gpus[0].kernel = Fact<bool>(false, "test");
  EXPECT_TRUE(devices_for({}, machine, gpu_table())->gpus.empty());
}

TEST(Hostile, NumbersBeyondAnyModelAreCutOff) {
  Model model = shapes::named("mistral-7b");
  for (Layer& layer : model.shape.layers)
    layer.heads = layer.kv_heads = std::int64_t{1} << 40U, layer.ffn = std::int64_t{1} << 50U;
  model.shape.vocab = model.shape.hidden = std::int64_t{1} << 60U;
  model.shape.layers[0].head_dim_k = model.shape.layers[0].head_dim_v = std::int64_t{1} << 60U;
  FitRequest request;
  request.inference.context = std::int64_t{1} << 40U;
  const Estimate found = answer(model, request, shapes::gpus(1, 24));
  EXPECT_EQ(found.verdict, FitVerdict::does_not_fit);
  request.training.task = "full", request.training.seq = std::int64_t{1} << 40U;
  EXPECT_EQ(answer(model, request, shapes::gpus(1, 24)).verdict, FitVerdict::does_not_fit);
}

TEST(Hostile, AModelWithoutLayersIsItsWeights) {
  Model model;
  model.name = "empty";
  model.weights.push_back({Role::other, -1, "f32", 1, 1000, 1000, 4000, false});
  for (const char* runtime : {"llama.cpp", "transformers", "vllm", "ollama"}) {
    FitRequest request;
    request.runtime = runtime;
    EXPECT_TRUE(estimate(model, request, shapes::gpus(1, 24))) << runtime;
  }
  FitRequest request;
  request.training.task = "full";
  EXPECT_TRUE(estimate(model, request, shapes::gpus(1, 24)));
}

}  // namespace
}  // namespace gpuready::fit

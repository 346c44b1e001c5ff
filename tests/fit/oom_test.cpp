#include "fit/oom.hpp"

#include <gmock/gmock.h>

#include "fit/size_text.hpp"

namespace gpuready::fit {
namespace {

using ::testing::HasSubstr;

constexpr double gib_bytes = 1024.0 * 1024 * 1024;

Oom explained(std::string_view text) {
  const auto oom = explain_oom(text);
  EXPECT_TRUE(oom) << text;
  return oom.value_or(Oom{});
}

void expect_gib(const Fact<std::int64_t>& bytes, double gib) {
  ASSERT_TRUE(bytes);
  EXPECT_NEAR(static_cast<double>(*bytes) / gib_bytes, gib, 1e-3);
}

TEST(SizeText, ReadsWhatProgramsWrite) {
  EXPECT_EQ(size_at_start("0 bytes is free"), 0);
  EXPECT_EQ(size_at_start("8,589,934,592 bytes"), 8589934592);
  EXPECT_EQ(size_at_start("1900,00 MiB"), std::int64_t{1900} << 20U);
  EXPECT_EQ(size_at_start("1.50 GiB."), std::int64_t{1536} << 20U);
  EXPECT_EQ(size_at_start("17.50 GB", true), std::int64_t{17920} << 20U);
  EXPECT_EQ(size_at_start("2 GB"), 2000000000);
  for (const char* text : {"", "12", "GiB", "1e999 GiB", "99999999999999999999 TiB", ".,. MiB"})
    EXPECT_FALSE(size_at_start(text)) << text;
  EXPECT_EQ(size_before("(GPU 0; 3.00 GiB free;", "free;"), std::int64_t{3} << 30U);
  EXPECT_FALSE(size_before("free;", "free;"));
}

// murong-xu/CADS issue 4.
TEST(Oom, AReserveThatIsTooSmallIsNotFragmentation) {
  const Oom oom = explained(
      "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 22.78 GiB. GPU 0 has a total "
      "capacity of 31.47 GiB of which 12.73 GiB is free. Including non-PyTorch memory, this "
      "process "
      "has 18.73 GiB memory in use. Of the allocated memory 9.08 GiB is allocated by PyTorch, and "
      "9.35 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is "
      "large "
      "try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.");
  EXPECT_EQ(oom.program, "pytorch");
  EXPECT_EQ(oom.device, "cuda:0");
  expect_gib(oom.asked_bytes, 22.78);
  expect_gib(oom.context_bytes, 18.73 - 9.08 - 9.35);
  expect_gib(oom.other_bytes, 31.47 - 12.73 - 18.73);
  expect_gib(oom.missing_bytes, 22.78 - 12.73);
  EXPECT_EQ(oom.cause, OomCause::shortage);
}

// kerrj/lerf issue 73: "capacty" is PyTorch's own word of that time.
TEST(Oom, AReserveLargerThanThePieceIsFragmentation) {
  const Oom oom = explained(
      "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.00 GiB. GPU 0 has a "
      "total capacty of 23.65 GiB of which 1.66 GiB is free. Including non-PyTorch memory, this "
      "process has 20.81 GiB memory in use. Of the allocated memory 12.09 GiB is allocated by "
      "PyTorch, and 4.84 GiB is reserved by PyTorch but unallocated.");
  EXPECT_EQ(oom.cause, OomCause::fragmentation);
  expect_gib(oom.context_bytes, 20.81 - 12.09 - 4.84);
  EXPECT_THAT(oom.remedies.at(0).change, HasSubstr("expandable_segments"));
}

// CUDA graphs keep pools of their own, which the sentence puts in between.
TEST(Oom, PrivatePoolsAreNoReserve) {
  const Oom oom = explained(
      "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 1 has a total capacity of 79.15 GiB of "
      "which 1.10 GiB is free. Process 77 has 40.00 GiB memory in use. Including non-PyTorch "
      "memory, this process has 38.05 GiB memory in use. Of the allocated memory 36.00 GiB is "
      "allocated by PyTorch, with 1.20 GiB allocated in private pools (e.g., CUDA Graphs), and "
      "512.00 MiB is reserved by PyTorch but unallocated.");
  expect_gib(oom.reserve_bytes, 0.5);
  expect_gib(oom.other_bytes, 40);
  EXPECT_EQ(oom.device, "cuda:1");
  EXPECT_EQ(oom.cause, OomCause::other_process);
  EXPECT_THAT(oom.remedies.at(0).change, HasSubstr("nvidia-smi"));
}

// pytorch/pytorch issues 59778 and 16417: the old form, and the still older one.
TEST(Oom, OldMessagesOfPyTorchAreRead) {
  const Oom limited = explained(
      "CUDA out of memory. Tried to allocate 2.26 GiB (GPU 0; 6.00 GiB total capacity; 781.59 MiB "
      "already allocated; 3.03 GiB free; 1.24 GiB reserved in total by PyTorch)");
  expect_gib(limited.total_bytes, 6);
  expect_gib(limited.free_bytes, 3.03);
  expect_gib(limited.reserve_bytes, 1.24 - 781.59 / 1024);
  EXPECT_EQ(limited.cause, OomCause::limit);
  const Oom cached = explained(
      "RuntimeError: CUDA out of memory. Tried to allocate 12.50 MiB (GPU 0; 10.92 GiB total "
      "capacity; 8.57 MiB already allocated; 9.28 GiB free; 4.68 MiB cached)");
  EXPECT_EQ(cached.cause, OomCause::limit);
  expect_gib(cached.allocated_bytes, 8.57 / 1024);
}

// lllyasviel/FramePack issue 369.
TEST(Oom, APieceLargerThanTheGpuIsAShortage) {
  const Oom oom = explained(
      "CUDA out of memory. Tried to allocate 30.29 GiB. GPU 0 has a total capacity of 10.74 GiB of "
      "which 3.69 GiB is free. Including non-PyTorch memory, this process has 6.68 GiB memory in "
      "use. Of the allocated memory 6.10 GiB is allocated by PyTorch, and 396.58 MiB is reserved "
      "by "
      "PyTorch but unallocated.");
  EXPECT_EQ(oom.cause, OomCause::shortage);
}

TEST(Oom, TheTraceTellsWhatTheMemoryWasFor) {
  const auto asked = [](const std::string& trace) {
    return explained(trace +
                     "\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.64 "
                     "GiB. GPU 0 has a total capacity of 23.64 GiB of which 1.00 GiB is free.")
        .asked_for;
  };
  EXPECT_EQ(asked("trainer.py in train\n  loss = nn.functional.cross_entropy(source, target)"),
            "logits");
  EXPECT_EQ(asked("  loss.backward()\n _engine_run_backward"), "backward");
  EXPECT_EQ(asked("in from_pretrained\n in load_state_dict"), "weights");
  EXPECT_EQ(asked("optimizer.step()\n state[\"exp_avg\"] = torch.zeros_like("), "optimizer");
  EXPECT_EQ(asked("attn_weights = torch.matmul(query, key)"), "attention-scores");
  EXPECT_EQ(asked("image = pipe(prompt)\n self.vae.decode(latents)"), "vae");
  EXPECT_EQ(asked("x = f(y)"), "unknown");
}

// MPS writes MB and GB for powers of two.
TEST(Oom, MpsIsRead) {
  const Oom oom = explained(
      "RuntimeError: MPS backend out of memory (MPS allocated: 17.50 GB, other allocations: 512.00 "
      "MB, max allowed: 18.13 GB). Tried to allocate 256.00 MB on private pool.");
  EXPECT_EQ(oom.device, "mps");
  expect_gib(oom.asked_bytes, 0.25);
  expect_gib(oom.allocated_bytes, 17.5);
  EXPECT_EQ(oom.cause, OomCause::shortage);
}

TEST(Oom, MainMemoryIsToldApart) {
  const Oom torch = explained(
      "RuntimeError: [enforce fail at alloc_cpu.cpp:114] err == 0. DefaultCPUAllocator: can't "
      "allocate memory: you tried to allocate 17179869184 bytes. Error code 12 (Cannot allocate)");
  expect_gib(torch.asked_bytes, 16);
  EXPECT_EQ(torch.cause, OomCause::host_memory);
  EXPECT_EQ(explained("Killed\n").cause, OomCause::host_memory);
  const Oom kernel = explained(
      "[ 4812.1] Out of memory: Killed process 1234 (python3) total-vm:61234567kB, "
      "anon-rss:24063120kB, file-rss:0kB");
  expect_gib(kernel.process_bytes, 24063120.0 / 1024 / 1024);
  EXPECT_EQ(kernel.program, "kernel");
  const Oom ollama =
      explained("Error: model requires more system memory (5.6 GiB) than is available (3.3 GiB)");
  EXPECT_EQ(ollama.cause, OomCause::host_memory);
  expect_gib(ollama.free_bytes, 3.3);
}

// vllm-project/vllm issues 27508 and 2418, and a terminal that breaks words (issue 4 of
// SergiioB/intel-arc-pro-b70-inference-cookbook).
TEST(Oom, VllmsCacheIsRead) {
  const Oom oom = explained(
      "ValueError: To serve at least one request with the models's max seq len (131072), (4.54 GiB "
      "KV cache is needed, which is larger than the available KV cache memory (1.71 GiB). Based on "
      "the available memory, the estimated maximum model length is 49248. Try increasing");
  EXPECT_EQ(oom.cause, OomCause::cache_limit);
  expect_gib(oom.asked_bytes, 4.54);
  expect_gib(oom.free_bytes, 1.71);
  EXPECT_EQ(*oom.max_context, 49248);
  EXPECT_EQ(oom.remedies.at(0).change, "--max-model-len 49248");
  const Oom broken = explained(
      "(EngineCore pid=316) ValueError: To serve at least one request with the model's max seq len "
      "(100000), (4.26 GiB KV cach\ne is needed, which is larger than the available KV cache "
      "memory "
      "(4.25 GiB). Based on the avai\nlable memory, the estimated maximum model length is 99328.");
  expect_gib(broken.asked_bytes, 4.26);
  EXPECT_EQ(*broken.max_context, 99328);
  const Oom old = explained(
      "ValueError: The model's max seq len (4096) is larger than the maximum number of tokens that "
      "can be stored in KV cache (3664). Try increasing `gpu_memory_utilization`");
  EXPECT_EQ(*old.max_context, 3664);
  const Oom start = explained(
      "ValueError: Free memory on device (20.5/23.64 GiB) on startup is less than desired GPU "
      "memory "
      "utilization (0.9, 21.28 GiB). Decrease GPU memory utilization or reduce GPU memory used by "
      "other processes.");
  expect_gib(start.free_bytes, 20.5);
  expect_gib(start.asked_bytes, 21.28);
  EXPECT_EQ(start.cause, OomCause::other_process);
}

// ggml-org/llama.cpp issues 20431, 16725 and 11476.
TEST(Oom, LlamaCppIsRead) {
  const Oom weights = explained(
      "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 144817.04 MiB on device 0: "
      "cudaMalloc "
      "failed: out of memory\nalloc_tensor_range: failed to allocate CUDA0 buffer of size "
      "151851674624\nllama_model_load: error loading model: unable to allocate CUDA0 buffer\n");
  EXPECT_EQ(weights.program, "llama.cpp");
  EXPECT_EQ(*weights.asked_bytes, 151851674624);
  EXPECT_EQ(weights.asked_for, "weights");
  EXPECT_EQ(weights.device, "CUDA0");
  EXPECT_EQ(weights.cause, OomCause::shortage);
  const Oom compute = explained(
      "load_tensors:  ROCm0 model buffer size = 20000.00 MiB\n"
      "llama_kv_cache:  ROCm0 KV buffer size =  1024.00 MiB\n"
      "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 14136.04 MiB on device 0: cudaMalloc "
      "failed: out of memory\nggml_gallocr_reserve_n: failed to allocate ROCm0 buffer of size "
      "14822711296\ngraph_reserve: failed to allocate compute buffers\n");
  EXPECT_EQ(compute.device, "ROCm0");
  EXPECT_EQ(compute.asked_for, "compute-buffer");
  EXPECT_EQ(*compute.allocated_bytes, std::int64_t{21024} << 20U);
  const Oom cache = explained(
      "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 16384.00 MiB on device 0: cudaMalloc "
      "failed: out of memory\nalloc_tensor_range: failed to allocate CUDA0 buffer of size "
      "17179869184\nllama_init_from_model: failed to initialize the context: failed to allocate "
      "buffer for kv cache\n");
  EXPECT_EQ(cache.asked_for, "kv-cache");
  EXPECT_EQ(cache.remedies.at(0).change, "-ctk q8_0 -ctv q8_0");
}

TEST(Oom, OtherProgramsAreNamed) {
  EXPECT_EQ(
      explained("jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while "
                "trying to allocate 8589934592 bytes.")
          .program,
      "jax");
  EXPECT_EQ(explained("cupy.cuda.memory.OutOfMemoryError: Out of memory allocating 8,589,934,592 "
                      "bytes (allocated so far: 4,000 bytes).")
                .program,
            "cupy");
  EXPECT_EQ(explained("RuntimeError: CUDA error: out of memory").cause, OomCause::unknown);
}

TEST(Oom, InAContainerOurOwnProcessIsNotAnother) {
  const Oom oom = explained(
      "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB of "
      "which 1.05 GiB is free. Process 12345 has 60.00 GiB memory in use. Process 22222 has 18.10 "
      "GiB "
      "memory in use. Of the allocated memory 17.00 GiB is allocated by PyTorch, and 600.00 MiB is "
      "reserved by PyTorch but unallocated.");
  expect_gib(oom.process_bytes, 18.1);
  expect_gib(oom.other_bytes, 60);
  EXPECT_EQ(oom.cause, OomCause::other_process);
}

TEST(Oom, CachedMeantUnusedBefore1Point4) {
  const Oom oom = explained(
      "CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 7.93 GiB total capacity; 5.23 GiB "
      "already allocated; 10.56 MiB free; 52.56 MiB cached)");
  expect_gib(oom.reserve_bytes, 52.56 / 1024);
  EXPECT_EQ(oom.cause, OomCause::fragmentation);
}

TEST(Oom, AFullGpuIsNotCalledFragmented) {
  const Oom oom = explained(
      "CUDA out of memory. Tried to allocate 14.00 MiB. GPU 0 has a total capacity of 23.69 GiB of "
      "which 10.00 MiB is free. Including non-PyTorch memory, this process has 23.67 GiB memory in "
      "use. Of the allocated memory 23.10 GiB is allocated by PyTorch, and 243.00 MiB is reserved "
      "by "
      "PyTorch but unallocated.");
  EXPECT_EQ(oom.cause, OomCause::shortage);
  EXPECT_EQ(oom.why.key, "oom.why.full");
}

TEST(Oom, RocmAndXpuAreNamedAsPyTorchNamesThem) {
  const std::string rest =
      " Tried to allocate 3.00 GiB. GPU 0 has a total capacity of 15.98 GiB of which 1.00 GiB is "
      "free."
      " Of the allocated memory 8.00 GiB is allocated by PyTorch, and 4.00 GiB is reserved by "
      "PyTorch"
      " but unallocated.";
  const Oom rocm = explained("torch.OutOfMemoryError: HIP out of memory." + rest);
  EXPECT_EQ(rocm.program, "pytorch-rocm");
  EXPECT_EQ(rocm.device, "cuda:0");
  EXPECT_THAT(rocm.remedies.at(0).change, HasSubstr("PYTORCH_HIP_ALLOC_CONF"));
  EXPECT_EQ(explained("torch.OutOfMemoryError: XPU out of memory." + rest).device, "xpu:0");
}

TEST(Oom, ComfysTableIsRead) {
  const Oom oom = explained(
      "torch.OutOfMemoryError: Allocation on device 0 would exceed allowed memory. (out of "
      "memory)\n"
      "Currently allocated     : 10.72 GiB\nRequested               : 70.00 MiB\n"
      "Device limit            : 12.00 GiB\nFree (according to CUDA): 0 bytes\n"
      "PyTorch limit (set by user-supplied memory fraction)\n                        : 17.18 "
      "PiB\n");
  expect_gib(oom.allocated_bytes, 10.72);
  expect_gib(oom.asked_bytes, 70.0 / 1024);
  expect_gib(oom.total_bytes, 12);
  EXPECT_EQ(*oom.free_bytes, 0);
  EXPECT_EQ(oom.cause, OomCause::shortage);
}

TEST(Oom, EachProgramIsKnownAndCuredByItsOwnMeans) {
  struct Row {
    const char* text;
    const char* program;
  };
  for (const Row& row : {
           Row{"torch.OutOfMemoryError: Allocation on device", "pytorch"},
           Row{"ggml_metal: error: failed to allocate buffer, size = 8192.00 MiB", "llama.cpp"},
           Row{"Exception: can't allocate 8589934592 Bytes of memory on device", "sycl"},
           Row{"CUDA error 2 at ggml-cuda.cu:6301: out of memory", "cuda"},
           Row{"RuntimeError: cuda runtime error (2) : out of memory at THCStorage.cu:58", "cuda"},
           Row{"Allocator (GPU_0_bfc) ran out of memory trying to allocate 32.00GiB", "tensorflow"},
           Row{"RuntimeError: Invalid buffer size: 24.00 GB", "pytorch"},
           Row{"Error: llama runner process has terminated: signal: killed", "kernel"},
           Row{"llama runner process has terminated: cudaMalloc failed: out of memory", "ollama"},
           Row{"numpy.core._exceptions._ArrayMemoryError: Unable to allocate 7.45 GiB for an array",
               "numpy"},
           Row{"It is possible that dataloader's workers are out of shared memory.", "pytorch"},
           Row{"RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.",
               "sglang"},
           Row{"Failed to allocate memory for requested buffer of size 4294967296", "onnxruntime"},
           Row{"RuntimeError: CUDA out of memory occurred when warming up sampler with 1024 dummy "
               "requests. Please try lowering `max_num_seqs`",
               "vllm"},
       }) {
    const Oom oom = explained(row.text);
    EXPECT_EQ(oom.program, row.program) << row.text;
    ASSERT_FALSE(oom.remedies.empty());
    if (oom.device == "metal") {
      for (const OomRemedy& remedy : oom.remedies)
        EXPECT_EQ(remedy.change.find("nvidia-smi"), std::string::npos);
    }
  }
  EXPECT_THAT(
      explained("ValueError: Free memory on device (19.62/23.64 GiB) on startup is less than "
                "desired GPU memory utilization (0.9, 21.28 GiB).")
          .remedies.at(0)
          .change,
      HasSubstr("--gpu-memory-utilization 0.82"));
}

TEST(Oom, TheLastOfSeveralIsExplained) {
  const std::string one = "CUDA out of memory. Tried to allocate ";
  const Oom oom =
      explained(one + "1.00 GiB. x\n" + one + "2.00 GiB. GPU 3 has a total capacity of");
  EXPECT_EQ(oom.messages, 2);
  expect_gib(oom.asked_bytes, 2);
  EXPECT_EQ(oom.device, "cuda:3");
}

TEST(Oom, WhatIsNoSuchMessageIsAnError) {
  for (const char* text : {"", "hello", "RuntimeError: CUDA error: device-side assert triggered"})
    EXPECT_FALSE(explain_oom(text)) << text;
}

TEST(Oom, EveryMessageEndsWithARemedy) {
  for (const char* text :
       {"Killed", "CUDA error: out of memory", "CUDA out of memory. Tried to allocate 20.00 MiB",
        "Tried to allocate 99999999999999999999 GiB. GPU 99999999999999999999 has",
        "failed to allocate buffer of size ", "buffer of size"}) {
    const auto oom = explain_oom(text);
    if (oom) {
      EXPECT_FALSE(oom->remedies.empty()) << text;
    }
  }
}

}  // namespace
}  // namespace gpuready::fit

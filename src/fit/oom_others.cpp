#include <array>
#include <string>

#include "base/text.hpp"
#include "fit/oom_readers.hpp"
#include "fit/size_text.hpp"

namespace gpuready::fit::oom {

using base::contains;

namespace {

/// "Currently allocated     : 10.72 GiB".
std::optional<std::int64_t> size_of_line(std::string_view text, std::string_view name) {
  const std::size_t at = text.rfind(name);
  if (at == std::string_view::npos) return {};
  const std::size_t colon = text.find(':', at);
  if (colon == std::string_view::npos) return {};
  return size_at_start(base::trim(text.substr(colon + 1)));
}

struct Other {
  std::string_view phrase, program, device, asked_for;
};

/// From the most telling to the least; a size that follows the phrase is what was asked for.
constexpr std::array others{
    Other{"Out of memory while trying to allocate ", "jax", "", "unknown"},
    Other{"ran out of memory trying to allocate ", "tensorflow", "", "unknown"},
    Other{"OOM when allocating tensor", "tensorflow", "", "unknown"},
    Other{"failed to allocate memory [Op:", "tensorflow", "", "unknown"},
    Other{"Out of memory allocating ", "cupy", "", "unknown"},
    Other{"can't allocate ", "sycl", "xpu", "unknown"},
    Other{"failed to allocate buffer, size = ", "llama.cpp", "metal", "unknown"},
    Other{"Invalid buffer size: ", "pytorch", "mps", "unknown"},
    Other{"occurred when warming up sampler", "vllm", "", "logits"},
    Other{"Not enough memory. Please try to increase --mem-fraction-static", "sglang", "",
          "kv-cache"},
    Other{"Failed to allocate memory for requested buffer of size ", "onnxruntime", "", "unknown"},
    Other{"Requested amount of GPU memory (", "tensorrt", "", "unknown"},
    Other{"Unable to allocate ", "numpy", "cpu", "unknown"},
    Other{"out of shared memory", "pytorch", "cpu", "shared-memory"},
    Other{"insufficient shared memory (shm)", "pytorch", "cpu", "shared-memory"},
    Other{"CUDA error: out of memory", "cuda", "", "unknown"},
    Other{"CUDA error 2", "cuda", "", "unknown"},
    Other{"cuda runtime error (2)", "cuda", "", "unknown"},
    Other{"CUDA out of memory", "pytorch", "", "unknown"},
    Other{"HIP out of memory", "pytorch-rocm", "", "unknown"},
    Other{"XPU out of memory", "pytorch", "xpu", "unknown"},
    Other{"Allocation on device", "pytorch", "", "unknown"},
    Other{"CUDA_ERROR_OUT_OF_MEMORY", "cuda", "", "unknown"},
    Other{"cudaErrorMemoryAllocation", "cuda", "", "unknown"},
    Other{"hipErrorOutOfMemory", "pytorch-rocm", "", "unknown"},
    Other{"CUBLAS_STATUS_ALLOC_FAILED", "cuda", "", "unknown"},
    Other{"CUDNN_STATUS_ALLOC_FAILED", "cuda", "", "unknown"},
    Other{"ErrorOutOfDeviceMemory", "llama.cpp", "vulkan", "unknown"},
    Other{"kIOGPUCommandBufferCallbackErrorOutOfMemory", "llama.cpp", "metal", "unknown"},
};

/// A phrase that other sentences have too counts only with its own continuation.
bool is_meant(std::string_view text, const Other& other) {
  if (!contains(text, other.phrase)) return false;
  if (other.phrase == "can't allocate ") return contains(text, "of memory on device");
  if (other.phrase == "Unable to allocate ") return contains(text, "for an array");
  if (other.phrase == "CUDA error 2") return contains(text, "out of memory");
  return true;
}

}  // namespace

/// "Allocation on device 0 would exceed allowed memory. (out of memory)", and a table of sizes.
bool read_comfy(std::string_view text, Oom& oom) {
  constexpr std::string_view begin = "would exceed allowed memory";
  if (!contains(text, begin) || !contains(text, "Currently allocated")) return false;
  oom.program = "pytorch", oom.messages = count_of(text, begin);
  if (const auto gpu = integer_after(text, "Allocation on device "))
    oom.device = "cuda:" + std::to_string(*gpu);
  oom.allocated_bytes = told(size_of_line(text, "Currently allocated"));
  oom.asked_bytes = told(size_of_line(text, "Requested"));
  oom.total_bytes = told(size_of_line(text, "Device limit"));
  oom.free_bytes = told(size_of_line(text, "Free (according to CUDA)"));
  return true;
}

bool read_others(std::string_view text, Oom& oom) {
  for (const Other& other : others) {
    if (!is_meant(text, other)) continue;
    oom.program = std::string(other.program), oom.device = std::string(other.device);
    oom.asked_for = std::string(other.asked_for);
    oom.messages = count_of(text, other.phrase);
    oom.asked_bytes = told(size_after(text, other.phrase));
    if (!oom.asked_bytes && other.program == "onnxruntime")
      oom.asked_bytes = told(integer_after(text, other.phrase));
    return true;
  }
  return false;
}

}  // namespace gpuready::fit::oom

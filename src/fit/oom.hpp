#pragma once
/// Explains out-of-memory messages of other programs. Pure.

#include <string_view>

#include "gpuready/oom.hpp"
#include "gpuready/result.hpp"

namespace gpuready::fit {

/// Reads the last out-of-memory message of a log (PyTorch, vLLM, llama.cpp, Ollama, JAX,
/// TensorFlow, CuPy, the kernel) and says what asked, what held the rest, why it was not there and
/// what to change. The error says that there is no such message.
Result<Oom> explain_oom(std::string_view text);

/// The first half: what the message tells, without a cause. An Oom without `messages` where there
/// is none.
Oom read_oom(std::string_view text);

/// The second half: the cause, from the numbers.
void judge_oom(Oom& oom);

/// What to change, least loss first.
void add_remedies(Oom& oom);

}  // namespace gpuready::fit

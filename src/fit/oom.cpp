#include "fit/oom.hpp"

#include <algorithm>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "gpuready/units.hpp"

namespace gpuready::fit {

namespace {

/// Less than this held by others is a desktop, or the rounding of the message.
constexpr std::int64_t little_bytes = std::int64_t{300} << 20U;

Fact<std::int64_t> derived(std::int64_t value, const char* how) { return {value, how}; }

std::string shown(const Fact<std::int64_t>& bytes) {
  return bytes ? base::show_bytes(*bytes) : "?";
}

/// What the numbers leave for the driver's context and for others.
void add_remainders(Oom& oom) {
  if (oom.process_bytes && oom.allocated_bytes && oom.reserve_bytes)
    oom.context_bytes = derived(
        std::max<std::int64_t>(*oom.process_bytes - *oom.allocated_bytes - *oom.reserve_bytes, 0),
        "process - allocated - reserve");
  if (!oom.other_bytes && oom.total_bytes && oom.free_bytes && oom.process_bytes)
    oom.other_bytes =
        derived(std::max<std::int64_t>(*oom.total_bytes - *oom.free_bytes - *oom.process_bytes, 0),
                "total - free - process");
  if (oom.asked_bytes && oom.free_bytes)
    oom.missing_bytes =
        derived(std::max<std::int64_t>(*oom.asked_bytes - *oom.free_bytes, 0), "asked - free");
}

/// Nearly all of the device is in tensors: then pieces in reserve are no way out.
bool is_full(const Oom& oom) {
  constexpr double nearly = 0.93;
  return oom.total_bytes && oom.allocated_bytes &&
         static_cast<double>(*oom.allocated_bytes) > nearly * static_cast<double>(*oom.total_bytes);
}

Message why_of(const Oom& oom) {
  switch (oom.cause) {
    case OomCause::fragmentation:
      return {"oom.why.fragmentation", {shown(oom.asked_bytes), shown(oom.reserve_bytes)}};
    case OomCause::other_process:
      return {"oom.why.other-process", {shown(oom.asked_bytes), shown(oom.other_bytes)}};
    case OomCause::limit:
      return {"oom.why.limit", {shown(oom.asked_bytes), shown(oom.free_bytes)}};
    case OomCause::cache_limit:
      if (oom.asked_bytes && oom.free_bytes)
        return {"oom.why.cache-limit", {shown(oom.asked_bytes), shown(oom.free_bytes)}};
      return {"oom.why.cache-limit-plain", {}};
    case OomCause::host_memory:
      if (oom.asked_bytes && oom.free_bytes)
        return {"oom.why.host-memory", {shown(oom.asked_bytes), shown(oom.free_bytes)}};
      return {"oom.why.host-memory-plain", {}};
    case OomCause::shortage:
      if (is_full(oom))
        return {"oom.why.full",
                {shown(oom.asked_bytes), shown(oom.allocated_bytes), shown(oom.total_bytes)}};
      if (oom.missing_bytes)
        return {"oom.why.shortage", {shown(oom.asked_bytes), shown(oom.missing_bytes)}};
      return {"oom.why.shortage-plain", {shown(oom.asked_bytes)}};
    case OomCause::unknown:
      break;
  }
  return {"oom.why.unknown", {}};
}

OomCause cause_of(const Oom& oom) {
  if (oom.cause == OomCause::cache_limit) return oom.cause;
  if (oom.device == "cpu") return OomCause::host_memory;
  const std::int64_t asked = oom.asked_bytes.value_or(0);
  if (!oom.asked_bytes) return OomCause::unknown;
  // Of a piece larger than the whole device nobody else is the cause.
  if (oom.total_bytes && asked > *oom.total_bytes) return OomCause::shortage;
  if (oom.free_bytes && *oom.free_bytes > asked + little_bytes) return OomCause::limit;
  if (oom.reserve_bytes && *oom.reserve_bytes >= asked && !is_full(oom))
    return OomCause::fragmentation;
  const std::int64_t others = oom.other_bytes.value_or(0);
  if (oom.missing_bytes && others > little_bytes && others >= *oom.missing_bytes)
    return OomCause::other_process;
  return OomCause::shortage;
}

}  // namespace

void judge_oom(Oom& oom) {
  add_remainders(oom);
  oom.cause = cause_of(oom);
  oom.why = why_of(oom);
}

Result<Oom> explain_oom(std::string_view text) {
  Oom oom = read_oom(text);
  if (oom.messages == 0)
    return failure(
        "no out-of-memory message of PyTorch, vLLM, llama.cpp, Ollama, JAX, TensorFlow, CuPy, "
        "CUDA, "
        "or the kernel in it; give the whole log, or its last page");
  judge_oom(oom);
  add_remedies(oom);
  return oom;
}

}  // namespace gpuready::fit

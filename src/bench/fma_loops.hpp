#pragma once
/// Loops that do nothing but arithmetic in registers: what a CPU can do at best.

#include <cstdint>
#include <string_view>

namespace gpuready::bench {

/// The loop that a CPU can run.
enum class FmaLoop { none, sse, avx, fma, avx512, avx512_bf16, avx512_vnni, neon };

struct Loop {
  FmaLoop kind;
  std::string_view name;
  void (*run)(std::int64_t rounds);
  double flop_per_round;
};

/// The row of FmaLoop::none where this build has no such loop.
const Loop& find_loop(FmaLoop kind);

/// Whether this build has a chain of additions.
bool has_chain();
/// Eight additions a round that each wait for the one before.
void add_in_a_chain(std::int64_t rounds);

}  // namespace gpuready::bench

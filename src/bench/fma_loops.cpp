#include "bench/fma_loops.hpp"

#include <iterator>

namespace gpuready::bench {

namespace {

void run_nothing(std::int64_t /*rounds*/) {}

#if defined(__x86_64__)

/// Accumulators in each loop: more than latency times units of any CPU so far (at most 5 x 2).
constexpr int accumulators = 12;

/// Written in assembly so that the loop is the same at every level of optimisation, and so that no
/// file has to be built for a CPU that the rest may not have.
alignas(4) constexpr float factor = 0.999F;

#define GPUREADY_TWELVE(op) \
  op(0) op(1) op(2) op(3) op(4) op(5) op(6) op(7) op(8) op(9) op(10) op(11)
#define GPUREADY_CLOBBERS                                                                  \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", \
      "xmm11", "xmm12", "xmm13", "cc", "memory"
#define GPUREADY_ZERO_AVX(i) "vxorps %%xmm" #i ", %%xmm" #i ", %%xmm" #i "\n"
#define GPUREADY_ZERO_SSE(i) "xorps %%xmm" #i ", %%xmm" #i "\n"

#define GPUREADY_FMA512(i) "vfmadd231ps %%zmm12, %%zmm13, %%zmm" #i "\n"
void run_avx512(std::int64_t rounds) {
  asm volatile(
      "vbroadcastss (%1), %%zmm12\n"
      "vbroadcastss (%1), %%zmm13\n" GPUREADY_TWELVE(GPUREADY_ZERO_AVX) "1:\n" GPUREADY_TWELVE(
          GPUREADY_FMA512) "dec %0\n jnz 1b\n vzeroupper\n"
      : "+r"(rounds)
      : "r"(&factor)
      : GPUREADY_CLOBBERS);
}

#define GPUREADY_FMA256(i) "vfmadd231ps %%ymm12, %%ymm13, %%ymm" #i "\n"
void run_fma(std::int64_t rounds) {
  asm volatile(
      "vbroadcastss (%1), %%ymm12\n"
      "vbroadcastss (%1), %%ymm13\n" GPUREADY_TWELVE(GPUREADY_ZERO_AVX) "1:\n" GPUREADY_TWELVE(
          GPUREADY_FMA256) "dec %0\n jnz 1b\n vzeroupper\n"
      : "+r"(rounds)
      : "r"(&factor)
      : GPUREADY_CLOBBERS);
}

// Without multiply-add: half of the chains multiply and half add, which go to two units.
void run_avx(std::int64_t rounds) {
  asm volatile("vbroadcastss (%1), %%ymm12\n"
               "vbroadcastss (%1), %%ymm13\n" GPUREADY_TWELVE(GPUREADY_ZERO_AVX)
               "1:\n"
               "vmulps %%ymm12, %%ymm0, %%ymm0\n vaddps %%ymm13, %%ymm1, %%ymm1\n"
               "vmulps %%ymm12, %%ymm2, %%ymm2\n vaddps %%ymm13, %%ymm3, %%ymm3\n"
               "vmulps %%ymm12, %%ymm4, %%ymm4\n vaddps %%ymm13, %%ymm5, %%ymm5\n"
               "vmulps %%ymm12, %%ymm6, %%ymm6\n vaddps %%ymm13, %%ymm7, %%ymm7\n"
               "vmulps %%ymm12, %%ymm8, %%ymm8\n vaddps %%ymm13, %%ymm9, %%ymm9\n"
               "vmulps %%ymm12, %%ymm10, %%ymm10\n vaddps %%ymm13, %%ymm11, %%ymm11\n"
               "dec %0\n jnz 1b\n vzeroupper\n"
               : "+r"(rounds)
               : "r"(&factor)
               : GPUREADY_CLOBBERS);
}

void run_sse(std::int64_t rounds) {
  asm volatile("movss (%1), %%xmm12\n shufps $0, %%xmm12, %%xmm12\n"
               "movaps %%xmm12, %%xmm13\n" GPUREADY_TWELVE(GPUREADY_ZERO_SSE)
               "1:\n"
               "mulps %%xmm12, %%xmm0\n addps %%xmm13, %%xmm1\n"
               "mulps %%xmm12, %%xmm2\n addps %%xmm13, %%xmm3\n"
               "mulps %%xmm12, %%xmm4\n addps %%xmm13, %%xmm5\n"
               "mulps %%xmm12, %%xmm6\n addps %%xmm13, %%xmm7\n"
               "mulps %%xmm12, %%xmm8\n addps %%xmm13, %%xmm9\n"
               "mulps %%xmm12, %%xmm10\n addps %%xmm13, %%xmm11\n"
               "dec %0\n jnz 1b\n"
               : "+r"(rounds)
               : "r"(&factor)
               : GPUREADY_CLOBBERS);
}

#define GPUREADY_DOT_BF16(i) "vdpbf16ps %%zmm12, %%zmm13, %%zmm" #i "\n"
void run_avx512_bf16(std::int64_t rounds) {
  asm volatile(
      "vbroadcastss (%1), %%zmm12\n"
      "vbroadcastss (%1), %%zmm13\n" GPUREADY_TWELVE(GPUREADY_ZERO_AVX) "1:\n" GPUREADY_TWELVE(
          GPUREADY_DOT_BF16) "dec %0\n jnz 1b\n vzeroupper\n"
      : "+r"(rounds)
      : "r"(&factor)
      : GPUREADY_CLOBBERS);
}

#define GPUREADY_DOT_INT8(i) "vpdpbusd %%zmm12, %%zmm13, %%zmm" #i "\n"
void run_avx512_vnni(std::int64_t rounds) {
  asm volatile(
      "vbroadcastss (%1), %%zmm12\n"
      "vbroadcastss (%1), %%zmm13\n" GPUREADY_TWELVE(GPUREADY_ZERO_AVX) "1:\n" GPUREADY_TWELVE(
          GPUREADY_DOT_INT8) "dec %0\n jnz 1b\n vzeroupper\n"
      : "+r"(rounds)
      : "r"(&factor)
      : GPUREADY_CLOBBERS);
}

constexpr Loop loops[]{
    {FmaLoop::avx512, "AVX-512", run_avx512, accumulators * 16 * 2},
    // A product of two pairs (or of two fours) in each of the 16 lanes.
    {FmaLoop::avx512_bf16, "AVX512-BF16", run_avx512_bf16, accumulators * 16 * 4},
    {FmaLoop::avx512_vnni, "AVX512-VNNI", run_avx512_vnni, accumulators * 16 * 8},
    {FmaLoop::fma, "AVX2 and FMA", run_fma, accumulators * 8 * 2},
    {FmaLoop::avx, "AVX", run_avx, accumulators * 8},
    {FmaLoop::sse, "SSE", run_sse, accumulators * 4},
    {FmaLoop::none, "none", run_nothing, 0}};

void chain(std::int64_t rounds) {
  std::int64_t sum = 0;
  asm volatile(
      "1:\n"
      "add %2, %1\n add %2, %1\n add %2, %1\n add %2, %1\n"
      "add %2, %1\n add %2, %1\n add %2, %1\n add %2, %1\n"
      "dec %0\n jnz 1b\n"
      : "+r"(rounds), "+r"(sum)
      : "r"(std::int64_t{3})
      : "cc");
}

#elif defined(__aarch64__)

void run_neon(std::int64_t rounds) {
  asm volatile(
      "fmov v16.4s, #0.5\n fmov v17.4s, #0.5\n"
      "1:\n"
      "fmla v0.4s, v16.4s, v17.4s\n fmla v1.4s, v16.4s, v17.4s\n"
      "fmla v2.4s, v16.4s, v17.4s\n fmla v3.4s, v16.4s, v17.4s\n"
      "fmla v4.4s, v16.4s, v17.4s\n fmla v5.4s, v16.4s, v17.4s\n"
      "fmla v6.4s, v16.4s, v17.4s\n fmla v7.4s, v16.4s, v17.4s\n"
      "fmla v18.4s, v16.4s, v17.4s\n fmla v19.4s, v16.4s, v17.4s\n"
      "fmla v20.4s, v16.4s, v17.4s\n fmla v21.4s, v16.4s, v17.4s\n"
      "fmla v22.4s, v16.4s, v17.4s\n fmla v23.4s, v16.4s, v17.4s\n"
      "fmla v24.4s, v16.4s, v17.4s\n fmla v25.4s, v16.4s, v17.4s\n"
      "subs %0, %0, #1\n b.ne 1b\n"
      : "+r"(rounds)
      :
      : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19", "v20", "v21",
        "v22", "v23", "v24", "v25", "cc");
}

constexpr Loop loops[]{{FmaLoop::neon, "NEON", run_neon, 16 * 4 * 2},
                       {FmaLoop::none, "none", run_nothing, 0}};

void chain(std::int64_t rounds) {
  std::int64_t sum = 0;
  asm volatile(
      "1:\n"
      "add %1, %1, %2\n add %1, %1, %2\n add %1, %1, %2\n add %1, %1, %2\n"
      "add %1, %1, %2\n add %1, %1, %2\n add %1, %1, %2\n add %1, %1, %2\n"
      "subs %0, %0, #1\n b.ne 1b\n"
      : "+r"(rounds), "+r"(sum)
      : "r"(std::int64_t{3})
      : "cc");
}

#else

constexpr Loop loops[]{{FmaLoop::none, "none", run_nothing, 0}};
void chain(std::int64_t /*rounds*/) {}

#endif

}  // namespace

const Loop& find_loop(FmaLoop kind) {
  for (const Loop& loop : loops)
    if (loop.kind == kind) return loop;
  return *(std::end(loops) - 1);
}

bool has_chain() { return loops[0].kind != FmaLoop::none; }

void add_in_a_chain(std::int64_t rounds) { chain(rounds); }

}  // namespace gpuready::bench

#include "probe/kernel.hpp"

#include <bit>
#include <limits>

namespace gpuready::probe::kernel {

namespace {

/// PTX 3.0 for sm_30: CUDA 4.2, the first that knows Kepler, which is the oldest architecture that
/// a driver still in use (470) runs. PTX for an architecture is translated for every later one
/// (PTX ISA, ".target"), and every later driver accepts an older version (".version").
constexpr const char* ptx_text = R"(.version 3.0
.target sm_30
.address_size 64

.visible .entry gpuready_check(
  .param .u64 y, .param .u64 x, .param .f32 a, .param .u32 n
)
{
  .reg .pred %outside;
  .reg .f32 %scale, %value, %offset;
  .reg .u32 %block, %width, %thread, %i, %count;
  .reg .u64 %to, %from, %bytes;

  ld.param.u64 %to, [y];
  ld.param.u64 %from, [x];
  ld.param.f32 %scale, [a];
  ld.param.u32 %count, [n];
  mov.u32 %block, %ctaid.x;
  mov.u32 %width, %ntid.x;
  mov.u32 %thread, %tid.x;
  mad.lo.u32 %i, %block, %width, %thread;
  setp.ge.u32 %outside, %i, %count;
  @%outside bra done;
  cvta.to.global.u64 %to, %to;
  cvta.to.global.u64 %from, %from;
  mul.wide.u32 %bytes, %i, 4;
  add.u64 %to, %to, %bytes;
  add.u64 %from, %from, %bytes;
  ld.global.f32 %value, [%from];
  cvt.rn.f32.u32 %offset, %i;
  fma.rn.f32 %value, %scale, %value, %offset;
  st.global.f32 [%to], %value;
done:
  ret;
}
)";

float input_at(std::size_t i) { return static_cast<float>((i * 7) % 101); }

}  // namespace

const char* ptx() { return ptx_text; }

std::vector<float> input() {
  std::vector<float> x(count);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = input_at(i);
  return x;
}

std::vector<float> poison() {
  return std::vector<float>(room, std::numeric_limits<float>::quiet_NaN());
}

std::optional<std::size_t> first_wrong(std::span<const float> y) {
  const float untouched = std::numeric_limits<float>::quiet_NaN();
  for (std::size_t i = 0; i < room; ++i) {
    const float right = i < count ? scale * input_at(i) + static_cast<float>(i) : untouched;
    // By bits: a NaN equals no NaN, and -0 is not 0.
    if (i >= y.size() || std::bit_cast<std::uint32_t>(y[i]) != std::bit_cast<std::uint32_t>(right))
      return i;
  }
  return {};
}

}  // namespace gpuready::probe::kernel

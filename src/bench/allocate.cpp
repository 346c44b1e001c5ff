#include "bench/allocate.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "bench/cuda_device.hpp"
#include "bench/cuda_memory.hpp"

namespace gpuready::bench {

namespace {

constexpr std::int64_t piece_bytes = std::int64_t{512} << 20U;

Fact<std::int64_t> free_bytes(const vendor::Cuda& api) {
  if (api.cuMemGetInfo_v2 == nullptr)
    return Fact<std::int64_t>::absent(Absence::symbol_missing, "the driver has no cuMemGetInfo_v2");
  std::size_t free = 0, total = 0;
  const int code = api.cuMemGetInfo_v2(&free, &total);
  if (const auto done = cuda_result(api, "cuMemGetInfo_v2", code); !done)
    return Fact<std::int64_t>::absent(Absence::call_failed, done.error().text, code);
  return {static_cast<std::int64_t>(free), "cuMemGetInfo_v2"};
}

}  // namespace

AllocateAnswer try_to_allocate(host::Host& host, const AllocateRequest& request) {
  AllocateAnswer answer;
  answer.free_before_bytes = answer.free_after_bytes =
      Fact<std::int64_t>::absent(Absence::not_tested, "nothing could be tried");
  const auto device = CudaDevice::open(host, request.device);
  if (!device) {
    answer.error = device.error().text;
    return answer;
  }
  const vendor::Cuda& api = (*device)->api();
  answer.free_before_bytes = free_bytes(api);
  std::vector<std::unique_ptr<DeviceMemory>> pieces;
  while (answer.allocated_bytes < request.bytes) {
    const std::int64_t now = std::min(piece_bytes, request.bytes - answer.allocated_bytes);
    auto piece = std::make_unique<DeviceMemory>(api);
    if (const auto done = piece->allocate(static_cast<std::size_t>(now)); !done) {
      answer.error = done.error().text;
      break;
    }
    pieces.push_back(std::move(piece));
    answer.allocated_bytes += now;
  }
  answer.free_after_bytes = free_bytes(api);
  return answer;
}

}  // namespace gpuready::bench

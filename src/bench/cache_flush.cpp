#include "bench/cache_flush.hpp"

namespace gpuready::bench {

tl::unexpected<Error> no_cache_size() {
  return failure("the size of its cache is not known, so it can't be emptied");
}

Result<bool> CacheSweep::run(double cache_bytes) {
  if (!(cache_bytes > 0)) return no_cache_size();
  constexpr std::size_t line = 64;
  const auto size = static_cast<std::size_t>(2 * cache_bytes);
  if (bytes_.size() != size) bytes_ = Bytes(size);
  volatile std::byte* const bytes = bytes_.data();
  for (std::size_t i = 0; i < size; i += line)
    bytes[i] = static_cast<std::byte>(std::to_integer<unsigned>(bytes[i]) + 1U);
  return true;
}

}  // namespace gpuready::bench

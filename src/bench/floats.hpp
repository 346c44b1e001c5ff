#pragma once
/// Large arrays of fp32 on huge pages where the kernel grants them: a matrix of 100 MB on 4 KiB
/// pages costs a BLAS several per cent in address translation (measured; NumPy does the same).

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>
#include <vector>

namespace gpuready::bench {

template <class T>
struct HugePageAllocator {
  using value_type = T;

  HugePageAllocator() = default;
  template <class U>
  HugePageAllocator(const HugePageAllocator<U>&) {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t count) {
    constexpr std::size_t line = 64, huge_page = std::size_t{2} << 20U;
    if (count > std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T) / 2) throw std::bad_alloc();
    const std::size_t unit = count * sizeof(T) >= huge_page ? huge_page : line;
    const std::size_t bytes = (count * sizeof(T) + unit - 1) / unit * unit;
    void* memory = std::aligned_alloc(unit, bytes);
    if (memory == nullptr) throw std::bad_alloc();
    if (unit == huge_page) ::madvise(memory, bytes, MADV_HUGEPAGE);  // a wish; refusal is fine
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t /*count*/) { std::free(memory); }

  template <class U>
  bool operator==(const HugePageAllocator<U>&) const {
    return true;
  }
};

using Floats = std::vector<float, HugePageAllocator<float>>;

}  // namespace gpuready::bench

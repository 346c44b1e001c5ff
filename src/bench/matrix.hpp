#pragma once
/// A matrix in main memory.

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include "bench/element.hpp"

namespace gpuready::bench {

/// Huge pages where the kernel grants them: a matrix of 100 MB on 4 KiB pages costs a BLAS several
/// per cent in address translation (measured; NumPy does the same).
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
  /// Elements are left as they are: the thread that works with a page must be the first to touch it.
  template <class U>
  void construct(U* place) noexcept {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Values>
  void construct(U* place, Values&&... values) {
    ::new (static_cast<void*>(place)) U(std::forward<Values>(values)...);
  }

  template <class U>
  bool operator==(const HugePageAllocator<U>&) const {
    return true;
  }
};

/// A block of bytes, all zero at first. Copied and cleared as a whole: a std::vector with an
/// allocator of its own goes through them one by one, which takes seconds in a build without
/// optimisation.
class Bytes {
 public:
  Bytes() = default;
  explicit Bytes(std::size_t size) : Bytes(size, nullptr) { std::memset(data(), 0, size_); }
  Bytes(const Bytes& other) : Bytes(other.size_, nullptr) {
    if (size_ > 0) std::memcpy(data(), other.data(), size_);
  }
  Bytes(Bytes&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Bytes& operator=(Bytes other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Bytes() { HugePageAllocator<std::byte>().deallocate(data_, size_); }

  [[nodiscard]] std::byte* data() { return data_; }
  [[nodiscard]] const std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::byte* begin() { return data_; }
  [[nodiscard]] std::byte* end() { return data_ + size_; }
  [[nodiscard]] const std::byte* begin() const { return data_; }
  [[nodiscard]] const std::byte* end() const { return data_ + size_; }

 private:
  Bytes(std::size_t size, std::nullptr_t /*as it is*/)
      : data_(HugePageAllocator<std::byte>().allocate(size)), size_(size) {}

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Row-major, without gaps.
struct Matrix {
  Element element = Element::fp32;
  std::size_t rows = 0, columns = 0;
  Bytes data;

  Matrix() = default;
  /// All zero; throws std::bad_alloc.
  Matrix(Element stored, std::size_t row_count, std::size_t column_count)
      : element(stored),
        rows(row_count),
        columns(column_count),
        data(row_count * column_count * size_of(stored)) {}

  [[nodiscard]] std::size_t size() const { return rows * columns; }
  [[nodiscard]] const std::byte* row(std::size_t i) const {
    return data.data() + i * columns * size_of(element);
  }
  /// The numbers as the type that they are stored as.
  template <class T>
  [[nodiscard]] T* as() {
    return reinterpret_cast<T*>(data.data());
  }
  template <class T>
  [[nodiscard]] const T* as() const {
    return reinterpret_cast<const T*>(data.data());
  }
  /// Row i in fp64, into room for `columns` numbers.
  void read_row(std::size_t i, double* to) const { decode(element, row(i), columns, to); }
};

}  // namespace gpuready::bench

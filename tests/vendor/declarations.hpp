#pragma once
/// Compares our declarations of a vendor's functions with the vendor's own header: would a call
/// through our pointer put every argument where the library looks for it?

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "vendor/load.hpp"

namespace gpuready::vendor::declarations {

template <class Ours, class Real>
constexpr bool alike();

/// What pointers point to: numbers must be alike, so that the library writes as much as we read.
/// Handles (structures of unknown content) and void fit any.
template <class Ours, class Real>
constexpr bool pointees_alike() {
  constexpr bool told = !std::is_void_v<Ours> && !std::is_void_v<Real> && !std::is_class_v<Ours> &&
                        !std::is_class_v<Real> && !std::is_union_v<Real>;
  if constexpr (told) return alike<Ours, Real>();
  return true;
}

/// Same place and same meaning in a call: pointers alike, enumerations as integers of their size,
/// integers of one size and sign, floats of one kind.
template <class Ours, class Real>
constexpr bool alike() {
  using A = std::remove_cv_t<Ours>;
  using B = std::remove_cv_t<Real>;
  if constexpr (std::is_same_v<A, B>) {
    return true;
  } else if constexpr (std::is_pointer_v<A> && std::is_pointer_v<B>) {
    return pointees_alike<std::remove_pointer_t<A>, std::remove_pointer_t<B>>();
  } else if constexpr (std::is_enum_v<B> && std::is_integral_v<A>) {
    return sizeof(A) == sizeof(B);
  } else if constexpr (std::is_integral_v<A> && std::is_integral_v<B>) {
    return sizeof(A) == sizeof(B) && std::is_signed_v<A> == std::is_signed_v<B>;
  } else if constexpr (std::is_function_v<A> && std::is_function_v<B>) {
    return true;
  } else {
    return false;
  }
}

template <class Ours, class Real>
struct Functions : std::false_type {};

template <class R1, class... A1, class R2, class... A2>
struct Functions<R1 (*)(A1...), R2(A2...)> {
  static constexpr bool same() {
    if constexpr (sizeof...(A1) == sizeof...(A2)) {
      return alike<R1, R2>() && (alike<A1, A2>() && ...);
    } else {
      return false;
    }
  }
  static constexpr bool value = same();
};

template <class R1, class... A1, class R2, class... A2>
struct Functions<R1 (*)(A1..., ...), R2(A2..., ...)> : Functions<R1 (*)(A1...), R2(A2...)> {};

/// A function of the table that was compared.
struct Compared {
  std::string name;
  bool same;
};

/// Names in the table that no comparison covers, or that differ from the real declaration.
template <class Table>
std::vector<std::string> faults(const std::vector<Compared>& compared) {
  std::vector<std::string> faults;
  Table table{};
  Table::symbols(table, [&](std::string_view name, auto&, Need) {
    bool found = false;
    for (const Compared& one : compared) {
      if (one.name != name) continue;
      found = true;
      if (!one.same) faults.push_back(one.name + " differs");
    }
    if (!found) faults.push_back(std::string(name) + " was not compared");
  });
  return faults;
}

}  // namespace gpuready::vendor::declarations

/// One entry of a comparison. A macro, because the name is needed as text, as our member and as the
/// real function.
#define GPUREADY_COMPARE(Table, name)                                         \
  gpuready::vendor::declarations::Compared {                                  \
#name, gpuready::vendor::declarations::Functions < decltype(Table::name), \
        decltype(::name)> ::value                                             \
  }

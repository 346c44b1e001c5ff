#pragma once
/// A Fact is a value and where it was read, or an absence and its reason. In a doctor the reason
/// is the product: there are no sentinels and no silent defaults.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace gpuready {

/// The names of an enumeration as they stand in JSON, in the order of its values.
template <class E>
struct EnumNames;

/// Why a fact is not known.
enum class Absence {
  not_tested,       ///< nobody asked, or a lower rung is broken
  not_applicable,   ///< the question makes no sense on this machine
  not_found,        ///< looked for, and not there
  library_missing,  ///< the library could not be opened
  symbol_missing,   ///< the library lacks the function
  call_failed,      ///< the function returned an error; `code` holds it
  permission,       ///< EACCES or EPERM
  timed_out,        ///< no answer before the deadline
  crashed,          ///< the child that asked was killed by a signal; `code` holds it
  unreadable,       ///< there, but it could not be read or understood
};

template <>
struct EnumNames<Absence> {
  static constexpr std::array<std::string_view, 10> list{
      "not-tested",  "not-applicable", "not-found", "library-missing", "symbol-missing",
      "call-failed", "permission",     "timed-out", "crashed",         "unreadable"};
};

/// The reason of an absence, in a form for programs (reason, code) and for people (detail).
struct Missing {
  Absence reason = Absence::not_tested;
  std::string detail;
  std::optional<std::int64_t> code;
};

template <class T>
class Fact {
 public:
  using value_type = T;

  Fact() = default;
  /// A known value; `source` is the file or call that it came from.
  Fact(T value, std::string source) : value_(std::move(value)), source_(std::move(source)) {}
  Fact(Missing missing) : missing_(std::move(missing)) {}  // NOLINT(google-explicit-constructor)

  static Fact absent(Absence reason, std::string detail, std::optional<std::int64_t> code = {}) {
    return Fact(Missing{reason, std::move(detail), code});
  }

  [[nodiscard]] bool known() const { return value_.has_value(); }
  explicit operator bool() const { return known(); }
  /// The value; only where known().
  [[nodiscard]] const T& operator*() const { return *value_; }
  [[nodiscard]] const T* operator->() const { return &*value_; }
  [[nodiscard]] T& get() { return *value_; }
  [[nodiscard]] T value_or(T other) const { return value_ ? *value_ : std::move(other); }
  [[nodiscard]] bool is(const T& other) const { return value_ && *value_ == other; }

  [[nodiscard]] const std::string& source() const { return source_; }
  /// The reason; only where not known().
  [[nodiscard]] const Missing& missing() const { return missing_; }
  [[nodiscard]] bool absent_for(Absence reason) const {
    return !known() && missing_.reason == reason;
  }

  /// The same absence for a value of another type.
  template <class U>
  [[nodiscard]] Fact<U> pass_absence() const {
    return Fact<U>(missing_);
  }

 private:
  std::optional<T> value_;
  std::string source_;
  Missing missing_;
};

}  // namespace gpuready

#pragma once
/// What can fail in normal life returns Result<T>; the error says what, where and the next step.

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace gpuready {

/// Why an operation failed. `code` is the errno, the vendor's return code, or 0.
struct Error {
  std::string text;  ///< one line: lower case, names the thing, what was found, what was expected
  int code = 0;
};

/// The code of an Error that the network is to blame for.
inline constexpr int network_fault = 10000;

template <class T>
using Result = tl::expected<T, Error>;

/// An Error wrapped for return from a function that gives Result<T>.
inline tl::unexpected<Error> failure(std::string text, int code = 0) {
  return tl::unexpected<Error>(Error{std::move(text), code});
}

}  // namespace gpuready

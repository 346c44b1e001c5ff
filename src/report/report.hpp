#pragma once
/// Renderers: a Run becomes text. No input, no output, no clock.

#include <string>
#include <vector>

#include "base/messages.hpp"
#include "gpuready/gpuready.hpp"

namespace gpuready::report {

/// What every text renderer gets.
struct Context {
  const base::Messages& messages;
  Style style;

  [[nodiscard]] std::string text(std::string_view key, std::vector<std::string> args = {}) const {
    return messages.text(key, std::move(args));
  }
  [[nodiscard]] std::string text(const Message& message) const { return messages.text(message); }
};

std::string page(const Run& run, const Context& context);
std::string facts(const Run& run, const Context& context);
std::string doctor(const Run& run, const Context& context);
std::string bench(const Run& run, const Context& context);
std::string lesson(const Run& run, const Context& context);
std::string setup(const Run& run, const Context& context);

std::string json(const Run& run, View view);

/// A heading in bold where colours are wanted.
std::string heading(const Context& context, std::string_view text);
/// "absent: why", in the reader's language and short.
std::string show_missing(const Context& context, const Missing& missing);
/// Lines of measured cases and the speed-up, for the page and for bench.
std::string bench_block(const Run& run, const Context& context);

}  // namespace gpuready::report

#include "probe/child_answer.hpp"

#include <vector>

#include "base/text.hpp"

namespace gpuready::probe {

std::string last_words(const host::CommandResult& result) {
  const std::vector<std::string> lines = base::split_lines(base::trim(result.errors));
  constexpr std::size_t most = 200;
  return lines.empty() ? std::string() : "; " + base::printable(lines.back().substr(0, most));
}

Missing why_no_answer(const host::CommandResult& result, const host::Command& command) {
  std::string detail = host::describe(result, command) + last_words(result);
  switch (result.end) {
    case host::End::timed_out:
      return {Absence::timed_out, std::move(detail), {}};
    case host::End::signalled:
      return {Absence::crashed, std::move(detail), result.code};
    case host::End::not_started:
      return {Absence::not_tested, std::move(detail), result.code};
    case host::End::exited:
      break;
  }
  return {Absence::unreadable, std::move(detail), result.code};
}

std::string_view last_whole_line(std::string_view output, bool ended_well) {
  if (!ended_well) output = output.substr(0, output.rfind('\n') + 1);
  while (!output.empty() && output.back() == '\n') output.remove_suffix(1);
  const std::size_t before = output.rfind('\n');
  return before == std::string_view::npos ? output : output.substr(before + 1);
}

}  // namespace gpuready::probe

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "probe/child_answer.hpp"
#include "probe/probe.hpp"
#include "probe/torch_script.hpp"

namespace gpuready::probe {

namespace {

/// More than the longest answer's many versions; the rest of a flood is thrown away.
constexpr std::size_t most_bytes = std::size_t{8} << 20U;

host::Command ask_command(const std::string& executable, std::chrono::milliseconds deadline) {
  host::Command command;
  command.argv = {executable, "-"};
  command.input = torch_script();
  command.deadline = deadline;
  command.max_output_bytes = most_bytes;
  command.environment["PYTHONDONTWRITEBYTECODE"] = "1";
  return command;
}

/// The last line that is ours and whole; empty where there is none.
std::string_view last_marked_line(std::string_view output) {
  std::string_view last;
  for (std::size_t start = 0; start < output.size();) {
    const std::size_t end = output.find('\n', start);
    if (end == std::string_view::npos) break;
    const std::string_view line = output.substr(start, end - start);
    if (base::starts_with(line, torch_mark)) last = line.substr(torch_mark.size());
    start = end + 1;
  }
  return last;
}

bool is_done(std::string_view line) {
  const auto json = base::parse_json(line);
  if (!json || !json->is_object()) return false;
  const auto done = json->find("done");
  return done != json->end() && done->is_boolean() && done->get<bool>();
}

const PythonEnvironment* python_to_ask(const std::vector<PythonEnvironment>& python) {
  const auto it = std::ranges::find(python, true, &PythonEnvironment::is_default);
  if (it != python.end()) return &*it;
  return python.empty() ? nullptr : &python.front();
}

}  // namespace

Fact<TorchAnswer> probe_torch_answer(host::Host& host, const std::vector<PythonEnvironment>& python,
                                     std::chrono::milliseconds deadline) {
  const PythonEnvironment* chosen = python_to_ask(python);
  if (chosen == nullptr) return Missing{Absence::not_found, "no Python was found", {}};
  const host::Command command = ask_command(chosen->executable, deadline);
  const host::CommandResult result = host.run(command);
  const Missing why = why_no_answer(result, command);
  const std::string_view line = last_marked_line(result.output);
  if (line.empty()) return Missing{why.reason, chosen->executable + " " + why.detail, why.code};
  TorchAnswer answer;
  if (const auto read = read_answer_line(line, answer); !read)
    return Missing{Absence::unreadable, chosen->executable + ": " + read.error().text, {}};
  answer.executable = chosen->executable;
  fill_pending(answer, is_done(line) ? Missing{Absence::not_tested, "was not asked", {}} : why);
  return {std::move(answer), chosen->executable + " -"};
}

}  // namespace gpuready::probe

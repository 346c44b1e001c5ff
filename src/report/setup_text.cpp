#include "base/table.hpp"
#include "base/text.hpp"
#include "report/report.hpp"

namespace gpuready::report {

namespace {

/// Indentation of the reasons, and of commands, which stay on one line however long they are.
constexpr std::size_t reason_indent = 4;
const std::string command_indent = "      ";

std::string step_text(const Context& c, const SetupStep& step, std::size_t number) {
  const std::string what = c.text(step.what);
  const std::string title =
      std::to_string(number) + ". " + (step.done ? c.text("setup.done", {what}) : what);
  std::string out;
  for (const std::string& line :
       base::split_lines(base::layout_paragraph(title, c.style.width, 0, 3)))
    out += heading(c, line) + "\n";
  const std::string why = c.text(step.why);
  if (!why.empty()) out += base::layout_paragraph(why, c.style.width, reason_indent);
  if (step.done) return out;
  for (const std::string& command : step.commands)
    out += command_indent + base::printable(command) + "\n";
  return out;
}

}  // namespace

std::string setup(const Run& run, const Context& c) {
  std::string out = base::layout_paragraph(c.text(run.setup.summary), c.style.width);
  std::size_t number = 0;
  for (const SetupStep& step : run.setup.steps) out += "\n" + step_text(c, step, ++number);
  if (run.setup.steps.empty() && run.setup.torch.command)
    out +=
        "\n" + c.text("setup.torch.cpu") + "\n" + command_indent + *run.setup.torch.command + "\n";
  return out;
}

}  // namespace gpuready::report

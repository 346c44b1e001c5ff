#include <algorithm>
#include <array>

#include "reference.hpp"

namespace gpuready::cli {

namespace {

/// A line of text in roff: no leading dot or quote, dashes as they are typed.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n'))
      out += "\\&" + std::string(1, c);
    else
      out += c;
  }
  return out;
}

std::string option_lines(const std::vector<OptionEntry>& options) {
  std::string out;
  for (const OptionEntry& option : options) {
    std::string head;
    for (const std::string& name : option.names)
      head += (head.empty() ? "" : ", ") + std::string("\\fB") + roff(name) + "\\fR";
    if (!option.value.empty())
      head += (head.empty() ? "" : " ") + std::string("\\fI") + roff(option.value) + "\\fR";
    out += ".TP\n" + head + "\n" + roff(option.help) + "\n";
  }
  return out;
}

struct Line {
  const char *name, *text;
};

// The contract's exit codes.
constexpr std::array exit_codes{
    Line{"0", "done, and the answer is yes"},
    Line{"1", "done, and the answer is no"},
    Line{"2", "wrong usage, or input that cannot be read"},
    Line{"3", "could not decide: nothing to test, or not converged under --strict"},
    Line{"4", "an outside system failed: network, provider, SSH"},
    Line{"5", "a computed product failed its numerical check"},
    Line{"6", "a rented machine may still be billing"},
    Line{"70", "a bug of gpuready"},
    Line{"128+n", "stopped by signal n, after cleaning up"}};

constexpr std::array variables{
    Line{"HF_ENDPOINT, HF_TOKEN, HF_HOME, HF_HUB_CACHE, HF_HUB_OFFLINE",
         "the Hub, as huggingface_hub has them"},
    Line{"LAMBDA_API_KEY, RUNPOD_API_KEY, VAST_API_KEY", "keys of the providers"},
    Line{"GPUREADY_STATE_DIR", "folder of the record of rented machines and of caches"},
    Line{"GPUREADY_LIBRARY_PATH", "folders searched for vendors' libraries before the system's"},
    Line{"NO_COLOR", "no colours"}};

template <std::size_t N>
std::string list_of(const std::array<Line, N>& lines) {
  std::string out;
  for (const Line& line : lines)
    out += std::string(".TP\n\\fB") + roff(line.name) + "\\fR\n" + roff(line.text) + "\n";
  return out;
}

}  // namespace

std::string man_page(const Reference& reference, std::string_view version) {
  std::string out =
      ".TH GPUREADY 1 \"\" \"gpuready " + std::string(version) + "\" \"User Commands\"\n";
  out += ".SH NAME\ngpuready \\- " + roff(reference.tagline) + "\n";
  out += ".SH SYNOPSIS\n.B gpuready\n[\\fIOPTION\\fR]... [\\fICOMMAND\\fR [\\fIOPTION\\fR]...]\n";
  out +=
      ".SH DESCRIPTION\nWithout a command: one page with what is here, whether it works, how fast "
      "it is, what fits, and what to do next.\n";
  out += ".SH OPTIONS\nOf every command:\n" + option_lines(reference.common);
  out += ".SH COMMANDS\n";
  for (const CommandEntry& command : reference.commands)
    out += ".SS gpuready " + roff(command.name) + "\n" + roff(command.help) + "\n" +
           option_lines(command.options);
  out += ".SH EXIT STATUS\n" + list_of(exit_codes);
  out += ".SH ENVIRONMENT\n" + list_of(variables);
  return out;
}

}  // namespace gpuready::cli

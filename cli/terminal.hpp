#pragma once
/// The only code that touches the terminal.

#include <string>
#include <string_view>

#include "gpuready/gpuready.hpp"
#include "options.hpp"

namespace gpuready::cli {

/// Makes sure that descriptors 0 to 2 are open, so that no other file can land on them. Must run
/// first.
void open_standard_streams();

/// Width, colours and language for the answer.
Style choose_style(const CommonOptions& options);
/// Language for help, before the options are parsed.
std::string language_from_environment();

/// Writes all of it to standard output; an error names the reason.
Result<bool> print(std::string_view text);
/// One line on standard error, with the program's name in front.
void complain(std::string_view text);

/// Whether there is somebody to ask: standard input is a terminal.
bool can_ask();
/// Asks on standard error; true only for the answer y or yes.
bool ask(std::string_view question);

/// Ctrl-C and its kin: kills children, clears the progress line, ends with 128 + signal.
void catch_signals();

/// For a child: ends it when its parent ends.
void end_with_parent();

/// A bar on standard error where that is a terminal and the user wants one.
class ProgressBar {
 public:
  ProgressBar(const CommonOptions& options, Style style);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar();

  void show(double done, const std::string& what);

 private:
  bool active_ = false;
  Style style_;
};

}  // namespace gpuready::cli

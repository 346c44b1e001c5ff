#pragma once
/// The only code that touches the terminal.

#include <chrono>
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
/// From now on (or no longer) the first such signal only kills children and is remembered; a second
/// one ends as before.
void stop_gently(bool gently);
/// The signal that was remembered, or 0.
int stop_signal();

/// A line for standard error if a second signal ends us at once, which then is exit code 6: what
/// may still cost money. Empty: there is nothing to say.
void set_last_words(const std::string& line);

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
  /// A line above the bar, on standard error, whether that is a terminal or not.
  void say(const std::string& line);

 private:
  std::string time_left(double part);

  bool active_ = false;
  Style style_;
  std::chrono::steady_clock::time_point begun_;
  double begun_at_ = -1;  ///< the part that was done then
};

}  // namespace gpuready::cli

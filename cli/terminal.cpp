#include "terminal.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "exit_codes.hpp"

namespace gpuready::cli {

namespace {

/// Set before anything else; read when the answer is printed.
bool standard_output_was_open = true;
volatile std::sig_atomic_t progress_is_shown = 0;
volatile std::sig_atomic_t stops_gently = 0, remembered_signal = 0;

/// Two, so that one is whole while the other is written.
std::array<std::array<char, 512>, 2> last_words{};
volatile std::sig_atomic_t words_in_use = 0;

constexpr std::string_view clear_line = "\r\x1b[K";

std::string environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "" : value;
}

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(fd, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
}

extern "C" void end_by_signal(int signal) {
  if (forward_signal(signal)) return;  // it ends first, and we after it
  stop_children();
  if (stops_gently != 0 && remembered_signal == 0) {
    remembered_signal = signal;
    return;
  }
  if (progress_is_shown != 0) write_all(2, clear_line);
  const char* words = last_words[static_cast<std::size_t>(words_in_use)].data();
  write_all(2, words);
  ::_exit(words[0] != '\0' ? static_cast<int>(exit_maybe_billing) : exit_signal_base + signal);
}

std::size_t terminal_width() {
  constexpr std::size_t narrowest = 40, widest = 100, usual = 80;
  winsize size{};
  if (::isatty(1) == 0 || ::ioctl(1, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return usual;
  return std::clamp<std::size_t>(size.ws_col, narrowest, widest);
}

/// As setlocale() would choose: the first of these that is set.
bool speaks_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string value = environment(name);
    if (value.empty()) continue;
    return value.find("UTF-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

bool wants_color(const CommonOptions& options) {
  if (options.color == "always") return true;
  if (options.color == "never" || !environment("NO_COLOR").empty()) return false;
  return ::isatty(1) != 0 && environment("TERM") != "dumb";
}

}  // namespace

void open_standard_streams() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (::fcntl(fd, F_GETFD) != -1) continue;
    if (fd == 1) standard_output_was_open = false;
    const int opened = ::open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY);
    if (opened != fd && opened >= 0) ::dup2(opened, fd);
  }
}

std::string language_from_environment() {
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"})
    if (const std::string value = environment(name); !value.empty()) return language_for(value);
  return "en";
}

Style choose_style(const CommonOptions& options) {
  Style style;
  style.language =
      options.language.empty() ? language_from_environment() : language_for(options.language);
  style.width = terminal_width();
  style.color = wants_color(options);
  style.unicode = ::isatty(1) != 0 && speaks_utf8();
  style.verbose = options.verbose;
  return style;
}

Result<bool> print(std::string_view text) {
  if (!standard_output_was_open) return failure("standard output is closed", EBADF);
  while (!text.empty()) {
    const ssize_t put = ::write(1, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return failure(std::string("standard output: ") + std::strerror(errno), errno);
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

void complain(std::string_view text) { write_all(2, "gpuready: " + std::string(text) + "\n"); }

bool can_ask() { return ::isatty(0) != 0; }

bool ask(std::string_view question) {
  write_all(2, std::string(question) + " ");
  std::string answer;
  if (!std::getline(std::cin, answer)) write_all(2, "\n");
  for (char& c : answer) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return answer == "y" || answer == "yes";
}

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = end_by_signal;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    const bool ignored = before.sa_handler == SIG_IGN;  // as nohup asks
    if (!ignored) ::sigaction(signal, &action, nullptr);
  }
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);  // a file-size limit is an error of write(), not our end
}

void stop_gently(bool gently) { stops_gently = gently ? 1 : 0; }

int stop_signal() { return remembered_signal; }

void set_last_words(const std::string& line) {
  const int spare = 1 - words_in_use;
  auto& buffer = last_words[static_cast<std::size_t>(spare)];
  const std::string text = line.empty() ? line : "gpuready: " + line + "\n";
  const std::size_t length = std::min(text.size(), buffer.size() - 1);
  std::memcpy(buffer.data(), text.data(), length);
  buffer[length] = '\0';
  words_in_use = spare;
}

void end_with_parent() { ::prctl(PR_SET_PDEATHSIG, SIGKILL); }

ProgressBar::ProgressBar(const CommonOptions& options, Style style)
    : active_(!options.no_progress && !options.quiet && ::isatty(2) != 0),
      style_(std::move(style)) {}

ProgressBar::~ProgressBar() {
  if (active_ && progress_is_shown != 0) write_all(2, clear_line);
  progress_is_shown = 0;
}

void ProgressBar::show(double done, const std::string& what) {
  if (!active_) return;
  constexpr std::size_t cells = 24;
  const double part = std::clamp(done, 0.0, 1.0);
  const auto full = static_cast<std::size_t>(part * static_cast<double>(cells));
  const std::string bar = "[" + std::string(full, '#') + std::string(cells - full, '.') + "] " +
                          std::to_string(static_cast<int>(part * 100)) + "%  " + what;
  progress_is_shown = 1;
  write_all(2, std::string(clear_line) + bar + time_left(part));
}

/// ", about 12 s left", once enough is done to tell.
std::string ProgressBar::time_left(double part) {
  constexpr double enough = 0.05, soon_s = 1;
  const auto now = std::chrono::steady_clock::now();
  if (begun_at_ < 0 || part < begun_at_) begun_ = now, begun_at_ = part;
  const double elapsed_s = std::chrono::duration<double>(now - begun_).count();
  if (part - begun_at_ < enough || elapsed_s < soon_s || part >= 1) return {};
  const double left_s = elapsed_s * (1 - part) / (part - begun_at_);
  return ", " + message_text(style_, "cli.time-left",
                             {std::to_string(static_cast<int>(left_s) + 1) + " s"});
}

void ProgressBar::say(const std::string& line) {
  write_all(2, (active_ ? std::string(clear_line) : std::string()) + "gpuready: " + line + "\n");
}

}  // namespace gpuready::cli

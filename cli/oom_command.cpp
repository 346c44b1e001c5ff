#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "exit_codes.hpp"
#include "work.hpp"

namespace gpuready::cli {

namespace {

/// The last of a log: its end tells why it ended.
constexpr std::size_t most_bytes = std::size_t{16} << 20U;

Result<std::string> read_log(const std::string& file) {
  if (file.empty() || file == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  if (std::error_code ignored; std::filesystem::is_directory(file, ignored))
    return failure(std::strerror(EISDIR));
  std::ifstream in(file, std::ios::binary);
  if (!in) return failure(std::strerror(errno));
  in.seekg(0, std::ios::end);
  const std::streamoff size = in.tellg();
  if (size > static_cast<std::streamoff>(most_bytes))
    in.seekg(size - static_cast<std::streamoff>(most_bytes));
  else
    in.clear(), in.seekg(0);
  in.clear();
  std::string text(std::istreambuf_iterator<char>(in), {});
  if (in.bad()) return failure(std::strerror(EIO));
  return text;
}

}  // namespace

int run_oom_command(const Work& work, const OomOptions& options) {
  const bool from_input = options.file.empty() || options.file == "-";
  const std::string name = from_input ? "standard input" : options.file;
  if (from_input && can_ask() && !work.common.quiet)
    complain(message_text(work.style, "cli.oom.terminal"));
  const auto log = read_log(options.file);
  if (!log)
    return fail(exit_usage,
                message_text(work.style, "cli.oom.unreadable", {name, log.error().text}));
  const auto oom = explain_oom(*log);
  if (!oom)
    return fail(log->empty() ? exit_usage : exit_undecided,
                message_text(work.style, "cli.oom.nothing", {name, oom.error().text}));
  const Run run = work.session.new_run("oom");
  return print_answer(work.common.json ? show_json(run, *oom) : show_text(run, *oom, work.style),
                      exit_yes);
}

}  // namespace gpuready::cli

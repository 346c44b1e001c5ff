#include "cloud_run_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>

namespace gpuready::cli {

namespace {

void add_providers(CLI::App& c, std::vector<std::string>& providers, const Help& help) {
  c.add_option("--provider", providers, help("cloud-provider"))
      ->type_name("lambda|runpod|vast,...")
      ->delimiter(',')
      ->check(CLI::IsMember({"lambda", "runpod", "vast"}));
}

/// "nan" is neither below nor above a range.
std::string is_finite(const std::string& text) {
  double value = 0;
  if (!CLI::detail::lexical_cast(text, value) || !std::isfinite(value))
    return "expected a number, found " + text;
  return {};
}

bool is_command(const std::string& word) {
  constexpr std::array<std::string_view, 10> commands{
      "facts", "device", "doctor", "setup", "bench", "fit", "oom", "plan", "compare", "record"};
  return std::ranges::find(commands, word) != commands.end();
}

}  // namespace

void add_cloud_run_options(CLI::App& c, CloudRunOptions& options, const Help& help) {
  constexpr double dearest = 10000;
  constexpr std::int64_t most_gpus = 64, longest_minutes = 24 * 60;
  add_providers(c, options.providers, help);
  c.add_option("--gpu", options.gpu, help("cloud-gpu"))->type_name("NAME");
  c.add_option("--gpu-count", options.gpu_count, help("cloud-gpu-count"))
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{1}, most_gpus));
  c.add_option("--min-vram", options.min_vram, help("cloud-min-vram"))->type_name("SIZE");
  c.add_option("--max-price", options.max_price, help("cloud-run-max-price"))
      ->type_name("USD")
      ->check(is_finite)
      ->check(CLI::Range(0.01, dearest));
  c.add_option("--max-minutes", options.max_minutes, help("cloud-max-minutes"))
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{1}, longest_minutes));
  c.add_option("--region", options.region, help("cloud-region"))->type_name("NAME");
  c.add_option("--kind", options.kind, help("cloud-kind"))
      ->type_name("on-demand|community|secure")
      ->check(CLI::IsMember({"on-demand", "community", "secure"}));
  c.add_flag("--yes", options.yes, help("cloud-yes"));
  c.add_option("COMMAND", options.command, help("cloud-command"))->type_name("WORD");
}

void add_cloud_down_options(CLI::App& c, CloudEndOptions& options, const Help& help) {
  auto* const id = c.add_option("ID", options.id, help("cloud-id"))->type_name("[PROVIDER:]ID");
  auto* const all = c.add_flag("--all", options.all, help("cloud-all"));
  id->excludes(all);
  add_providers(c, options.providers, help);
}

void add_cloud_reap_options(CLI::App& c, CloudEndOptions& options, const Help& help) {
  options.reap = true;
  add_providers(c, options.providers, help);
}

void add_remote_options(CLI::App& c, RemoteOptions& options, const Help& help) {
  c.add_flag("--keep", options.keep, help("remote-keep"));
  c.prefix_command()->fallthrough(false);  // what follows is read by read_remote_words()
}

void read_remote_words(const std::vector<std::string>& words, RemoteOptions& options, bool& json) {
  auto word = words.begin();
  for (; word != words.end() && !is_command(*word); ++word) {
    if (*word == "--json")
      json = true;
    else if (*word == "--keep")
      options.keep = true;
    else if (*word == "--")
      continue;
    else if (word->starts_with("-"))
      options.wrong = *word;
    else
      options.hosts.push_back(*word);
  }
  options.command.assign(word, words.end());
  if (std::ranges::find(options.command, "--json") != options.command.end()) json = true;
}

}  // namespace gpuready::cli

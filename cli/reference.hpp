#pragma once
/// The commands and options as data, read from the parser itself, so that the man page and the
/// shells' completions can't differ from --help.

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace gpuready::cli {

struct OptionEntry {
  std::vector<std::string> names;  ///< with their dashes, short ones first; empty: positional
  std::string value;               ///< what follows, as FILE; empty: a flag
  std::string help;
  std::vector<std::string> words;  ///< the values that there are; empty: any
};

struct CommandEntry {
  std::string name, help;  ///< the name of a command below another has a space: "cloud run"
  std::vector<OptionEntry> options;
};

struct Reference {
  std::string program, tagline;
  std::vector<OptionEntry> common;
  std::vector<CommandEntry> commands;
};

Reference read_reference(const CLI::App& app);

/// For `source <(gpuready __reference bash)`, and zsh and fish.
std::string bash_completion(const Reference& reference);
std::string zsh_completion(const Reference& reference);
std::string fish_completion(const Reference& reference);
/// In roff, for man(1).
std::string man_page(const Reference& reference, std::string_view version);

/// One of these by its name: bash, zsh, fish or man; empty for any other.
std::string reference_as(std::string_view form, const CLI::App& app);

}  // namespace gpuready::cli

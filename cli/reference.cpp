#include "reference.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "gpuready/gpuready.hpp"

namespace gpuready::cli {

namespace {

bool is_file(const std::string& value) { return value == "FILE" || value == "DIR"; }

bool is_literal(const std::string& word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  });
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

/// The parser's name of a type is ours, then ":" and what its checks say of themselves
/// ("en|zh:{en,zh}"); ours may have a colon in brackets ("cuda[:i]").
struct TypeName {
  std::string shown, checks;
};

TypeName type_of(const std::string& text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '[' ? 1 : text[i] == ']' ? -1 : 0;
    if (text[i] == ':' && depth == 0) return {text.substr(0, i), text.substr(i + 1)};
  }
  return {text, ""};
}

/// The words of a check "{a,b}", else those of "auto|always|never"; "..." and "cuda[:i]" are none.
std::vector<std::string> words_of(const TypeName& type) {
  std::vector<std::string> words;
  if (type.checks.size() > 2 && type.checks.front() == '{' && type.checks.back() == '}')
    words = split(type.checks.substr(1, type.checks.size() - 2), ',');
  else if (type.shown.find('|') != std::string::npos)
    words = split(type.shown, '|');
  std::erase_if(words, [](const std::string& word) { return !is_literal(word) || word == "..."; });
  return words;
}

OptionEntry entry_of(const CLI::Option& option) {
  OptionEntry entry;
  for (const std::string& name : option.get_snames()) entry.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) entry.names.push_back("--" + name);
  entry.help = option.get_description();
  if (option.get_items_expected_max() == 0) return entry;
  const TypeName type = type_of(option.get_type_name());
  entry.value = type.shown, entry.words = words_of(type);
  return entry;
}

/// Help is a common option: it is listed once.
std::vector<OptionEntry> entries_of(const CLI::App& app) {
  std::vector<OptionEntry> entries;
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty() &&
        (app.get_parent() == nullptr || option != app.get_help_ptr()))
      entries.push_back(entry_of(*option));
  return entries;
}

void add_commands(const CLI::App& app, const std::string& prefix, std::vector<CommandEntry>& out) {
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    const std::string name = prefix + command->get_name();
    out.push_back({name, command->get_description(), entries_of(*command)});
    add_commands(*command, name + " ", out);
  }
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : std::string(between)) + word;
  return out;
}

/// Within single quotes of a shell.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string first_words(const std::vector<CommandEntry>& commands) {
  std::vector<std::string> words;
  for (const CommandEntry& command : commands)
    if (command.name.find(' ') == std::string::npos) words.push_back(command.name);
  return joined(words, " ");
}

std::string names_of(const std::vector<OptionEntry>& options) {
  std::vector<std::string> names;
  for (const OptionEntry& option : options)
    names.insert(names.end(), option.names.begin(), option.names.end());
  return joined(names, " ");
}

/// The words below a command that has commands of its own.
std::string words_below(const Reference& reference, const std::string& name) {
  std::vector<std::string> words;
  for (const CommandEntry& command : reference.commands)
    if (command.name.rfind(name + " ", 0) == 0)
      words.push_back(command.name.substr(name.size() + 1));
  return joined(words, " ");
}

/// `case` rows of bash: what may follow an option that takes a value.
std::string bash_values(const std::vector<OptionEntry>& options) {
  std::string out;
  for (const OptionEntry& option : options) {
    if (option.value.empty() || option.names.empty()) continue;
    out += "    " + joined(option.names, "|") + ") ";
    if (!option.words.empty())
      out += "COMPREPLY=($(compgen -W " + quoted(joined(option.words, " ")) + " -- \"$cur\"))";
    else if (is_file(option.value))
      out += "COMPREPLY=($(compgen -f -- \"$cur\"))";
    else
      out += ":";
    out += "; return;;\n";
  }
  return out;
}

}  // namespace

Reference read_reference(const CLI::App& app) {
  Reference out{app.get_name(), app.get_description(), entries_of(app), {}};
  add_commands(app, "", out.commands);
  return out;
}

std::string bash_completion(const Reference& reference) {
  std::string out =
      "# bash completion for gpuready\n_gpuready() {\n"
      "  local cur=\"${COMP_WORDS[COMP_CWORD]}\" prev=\"${COMP_WORDS[COMP_CWORD-1]}\" "
      "command= word i\n  COMPREPLY=()\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n    word=\"${COMP_WORDS[i]}\"\n"
      "    case \"${command:+$command }$word\" in\n";
  for (const CommandEntry& command : reference.commands)
    out += "      " + quoted(command.name) + ") command=" + quoted(command.name) + ";;\n";
  out += "    esac\n  done\n  case \"$command\" in\n";
  for (const CommandEntry& command : reference.commands)
    out += "  " + quoted(command.name) + ") case \"$prev\" in\n" + bash_values(command.options) +
           "    esac;;\n";
  out += "  esac\n  case \"$prev\" in\n" + bash_values(reference.common) +
         "  esac\n"
         "  local words=" +
         quoted(names_of(reference.common)) +
         "\n  case \"$command\" in\n"
         "    '') words+=" +
         quoted(" " + first_words(reference.commands)) + ";;\n";
  for (const CommandEntry& command : reference.commands)
    out += "    " + quoted(command.name) + ") words+=" +
           quoted(" " + names_of(command.options) + " " + words_below(reference, command.name)) +
           ";;\n";
  return out +
         "  esac\n  if [[ $cur == -* || -z $command || $command == cloud ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
         "  else\n    COMPREPLY=($(compgen -f -- \"$cur\"))\n  fi\n}\n"
         "complete -o filenames -F _gpuready gpuready\n";
}

namespace {

/// One option as _arguments wants it: '(-q --quiet)'{-q,--quiet}'[help]:FILE:_files'.
std::string zsh_option(const OptionEntry& option) {
  std::string help;
  for (const char c : option.help) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') help += '\\';
    help += c;
  }
  std::string value;
  if (!option.value.empty()) {
    value = ":" + (option.words.empty() ? option.value : std::string("value")) + ":";
    if (!option.words.empty())
      value += "(" + joined(option.words, " ") + ")";
    else if (is_file(option.value))
      value += "_files";
  }
  if (option.names.empty()) return "    " + quoted("*" + value) + " \\\n";
  std::string out;
  for (const std::string& name : option.names)
    out += "    " + quoted(name + "[" + help + "]" + value) + " \\\n";
  return out;
}

std::string function_name(const std::string& command) {
  std::string out = "_gpuready_" + command;
  std::replace(out.begin(), out.end(), ' ', '_');
  return out;
}

}  // namespace

std::string zsh_completion(const Reference& reference) {
  std::string common;
  for (const OptionEntry& option : reference.common) common += zsh_option(option);
  std::string out = "#compdef gpuready\n# zsh completion for gpuready\n\n";
  for (const CommandEntry& command : reference.commands) {
    out += function_name(command.name) + "() {\n  _arguments -s \\\n" + common;
    for (const OptionEntry& option : command.options) out += zsh_option(option);
    const std::string below = words_below(reference, command.name);
    if (!below.empty()) out += "    " + quoted("1:command:(" + below + ")") + " \\\n";
    out += "    '*:file:_files'\n}\n\n";
  }
  out += "_gpuready() {\n  local -a commands\n  commands=(\n";
  for (const CommandEntry& command : reference.commands)
    if (command.name.find(' ') == std::string::npos)
      out += "    " + quoted(command.name + ":" + command.help) + "\n";
  out +=
      "  )\n  local word i command=\n  for ((i = 2; i < CURRENT; i++)); do\n"
      "    word=\"${command:+$command }${words[i]}\"\n    case \"$word\" in\n";
  for (const CommandEntry& command : reference.commands)
    out += "      " + quoted(command.name) + ") command=" + quoted(command.name) + ";;\n";
  out += "    esac\n  done\n  case \"$command\" in\n";
  for (const CommandEntry& command : reference.commands)
    out += "    " + quoted(command.name) + ") " + function_name(command.name) + ";;\n";
  return out + "    *) _arguments -s \\\n" + common +
         "    '1:command:->command' && return\n      _describe command commands;;\n  esac\n}\n\n"
         "_gpuready \"$@\"\n";
}

std::string fish_completion(const Reference& reference) {
  const auto line = [](const OptionEntry& option, const std::string& when) {
    std::string out;
    if (option.names.empty()) return out;
    out = "complete -c gpuready" + when;
    for (const std::string& name : option.names)
      out += name.rfind("--", 0) == 0 ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (!option.value.empty()) out += is_file(option.value) ? " -r" : " -x";
    if (!option.words.empty()) out += " -a " + quoted(joined(option.words, " "));
    return out + " -d " + quoted(option.help) + "\n";
  };
  std::string out = "# fish completion for gpuready\n";
  for (const OptionEntry& option : reference.common) out += line(option, "");
  for (const CommandEntry& command : reference.commands) {
    const std::size_t space = command.name.find(' ');
    const std::string last =
        space == std::string::npos ? command.name : command.name.substr(space + 1);
    const std::string when = space == std::string::npos
                                 ? "__fish_use_subcommand"
                                 : "__fish_seen_subcommand_from " + command.name.substr(0, space);
    out += "complete -c gpuready -n " + quoted(when) + " -f -a " + last + " -d " +
           quoted(command.help) + "\n";
    for (const OptionEntry& option : command.options)
      out += line(option, " -n " + quoted("__fish_seen_subcommand_from " + last));
  }
  return out;
}

std::string reference_as(std::string_view form, const CLI::App& app) {
  const Reference reference = read_reference(app);
  if (form == "bash") return bash_completion(reference);
  if (form == "zsh") return zsh_completion(reference);
  if (form == "fish") return fish_completion(reference);
  if (form == "man") return man_page(reference, version());
  return "";
}

}  // namespace gpuready::cli

#pragma once
/// Small text helpers: splitting, numbers, width in terminal cells.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuready::base {

std::vector<std::string> split(std::string_view text, char separator);
std::vector<std::string> split_lines(std::string_view text);
std::string_view trim(std::string_view text);
bool starts_with(std::string_view text, std::string_view prefix);
bool ends_with(std::string_view text, std::string_view suffix);
bool contains(std::string_view text, std::string_view part);
std::string lower(std::string_view text);
std::string join(const std::vector<std::string>& parts, std::string_view separator);
/// The whole text as a number; nothing where it is not one, or does not fit.
std::optional<std::int64_t> to_integer(std::string_view text, int base = 10);
std::optional<double> to_number(std::string_view text);
/// The value of `name<separator>value` in the first line that starts with `name`, trimmed.
std::optional<std::string> field_value(std::string_view text, std::string_view name,
                                       char separator = ':');
/// "0-3,8" -> {0, 1, 2, 3, 8}; nothing where it is malformed or absurdly long.
std::optional<std::vector<int>> parse_cpu_list(std::string_view text);

/// Cells that the text takes in a terminal: East Asian wide characters count two, combining marks
/// and control characters none.
std::size_t display_width(std::string_view utf8);
/// The text without control characters and escape sequences, fit to be printed.
std::string printable(std::string_view utf8);
/// The text as one word of a POSIX shell: as it is where nothing in it is special, else quoted.
std::string shell_word(std::string_view text);
/// Lines of at most `width` cells, broken at spaces or beside wide characters, not at wrong marks.
std::vector<std::string> wrap(std::string_view utf8, std::size_t width);

}  // namespace gpuready::base

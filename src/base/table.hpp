#pragma once
/// Tables and wrapped paragraphs for a terminal, aligned by display width.

#include <string>
#include <string_view>
#include <vector>

namespace gpuready::base {

enum class Align { left, right };

/// Columns two cells apart, each as wide as its widest cell; where that passes `width`, the widest
/// columns are narrowed and their cells wrapped. No trailing spaces; ends with a newline.
std::string layout_table(const std::vector<std::vector<std::string>>& rows,
                         const std::vector<Align>& align, std::size_t width,
                         std::size_t indent = 0);
/// A paragraph wrapped to `width`, its lines after the first indented by `hanging`.
std::string layout_paragraph(std::string_view text, std::size_t width, std::size_t indent = 0,
                             std::size_t hanging = 0);
std::string pad(std::string_view text, std::size_t width, Align align);

}  // namespace gpuready::base

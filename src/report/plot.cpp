#include "report/plot.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/quantity.hpp"
#include "base/table.hpp"
#include "base/text.hpp"

namespace gpuready::report {

namespace {

constexpr std::size_t label_width = 13;  // "999 GFLOP/s |"

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = 0;

  void hold(double value) { low = std::min(low, value), high = std::max(high, value); }
  /// 0 at the low end, 1 at the high one, by logarithms.
  [[nodiscard]] double part(double value) const {
    if (!(high > low)) return 0.5;
    return std::log(value / low) / std::log(high / low);
  }
};

/// Dots in a grid, `across` to a cell horizontally and `down` vertically; row 0 is on top.
class Canvas {
 public:
  Canvas(std::size_t columns, std::size_t rows, bool braille)
      : columns_(columns),
        rows_(rows),
        braille_(braille),
        cells_(columns * rows, ' '),
        dots_(columns * rows, 0) {}

  [[nodiscard]] std::size_t dots_across() const { return columns_ * (braille_ ? 2 : 1); }
  [[nodiscard]] std::size_t dots_down() const { return rows_ * (braille_ ? 4 : 1); }

  /// x and y from 0 to 1, y upwards.
  void dot(double x, double y, char mark) {
    const auto at = [](double part, std::size_t count) {
      return static_cast<std::size_t>(
          std::lround(std::clamp(part, 0.0, 1.0) * static_cast<double>(count - 1)));
    };
    const std::size_t column = at(x, dots_across()), row = at(1 - y, dots_down());
    const std::size_t cell = braille_ ? row / 4 * columns_ + column / 2 : row * columns_ + column;
    // Unicode, block "Braille Patterns": dots 1-3 and 7 stand left, 4-6 and 8 right.
    static constexpr unsigned bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    if (braille_) dots_[cell] |= bits[row % 4][column % 2];
    cells_[cell] = mark;
  }

  [[nodiscard]] std::string row(std::size_t index) const {
    std::string out;
    for (std::size_t i = index * columns_; i < (index + 1) * columns_; ++i) {
      if (dots_[i] == 0) {
        out += braille_ ? ' ' : cells_[i];
      } else {
        const unsigned code = 0x2800U + dots_[i];  // three bytes of UTF-8
        out += static_cast<char>(0xE0U | (code >> 12U));
        out += static_cast<char>(0x80U | ((code >> 6U) & 0x3FU));
        out += static_cast<char>(0x80U | (code & 0x3FU));
      }
    }
    while (!out.empty() && out.back() == ' ') out.pop_back();
    return out;
  }

 private:
  std::size_t columns_, rows_;
  bool braille_;
  std::string cells_;
  std::vector<unsigned> dots_;
};

void draw(const Curve& curve, const Range& x, const Range& y, Canvas& canvas) {
  for (std::size_t i = 1; i < curve.points.size(); ++i) {
    const auto [x0, y0] = curve.points[i - 1];
    const auto [x1, y1] = curve.points[i];
    const double steps = 2 * static_cast<double>(canvas.dots_across());
    for (double step = 0; step <= steps; ++step) {
      const double part = step / steps;
      canvas.dot(x.part(x0) + part * (x.part(x1) - x.part(x0)),
                 y.part(y0) + part * (y.part(y1) - y.part(y0)), curve.mark);
    }
  }
}

/// Sides below the axis, each at its place, as many as have room.
std::string ticks(const std::vector<double>& sides, const Range& x, std::size_t columns) {
  std::string line(label_width + columns, ' ');
  std::size_t free_from = 0;
  for (const double side : sides) {
    const std::string text = base::show_fixed(side, 0);
    const auto middle =
        static_cast<std::size_t>(std::lround(x.part(side) * static_cast<double>(columns - 1)));
    const std::size_t half = text.size() / 2;
    const std::size_t at =
        std::min(label_width + (middle > half ? middle - half : 0), line.size() - text.size());
    if (at < free_from) continue;
    line.replace(at, text.size(), text);
    free_from = at + text.size() + 1;
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace

std::string plot(const std::vector<Curve>& curves, const PlotFrame& frame) {
  Range x, y;
  std::vector<double> sides;
  bool worth_it = false;
  for (const Curve& curve : curves) {
    worth_it = worth_it || curve.points.size() > 1;
    for (const auto& [side, rate] : curve.points) x.hold(side), y.hold(rate), sides.push_back(side);
  }
  if (!worth_it || frame.width < label_width + 20) return {};
  const std::size_t columns = frame.width - label_width - 1;
  Canvas canvas(columns, frame.rows, frame.braille);
  if (frame.marked_x && *frame.marked_x >= x.low && *frame.marked_x <= x.high)
    for (std::size_t row = 0; row < frame.rows; ++row)
      canvas.dot(x.part(*frame.marked_x),
                 static_cast<double>(row) / static_cast<double>(frame.rows - 1), ':');
  for (const Curve& curve : curves) draw(curve, x, y, canvas);
  std::string out;
  for (std::size_t row = 0; row < frame.rows; ++row) {
    const bool ends = row == 0 || row + 1 == frame.rows;
    const std::string label = ends ? base::show_flops(row == 0 ? y.high : y.low) : "";
    out += base::pad(label, label_width - 1, base::Align::right) + "|" + canvas.row(row) + "\n";
  }
  std::ranges::sort(sides);
  sides.erase(std::ranges::unique(sides).begin(), sides.end());
  return out + ticks(sides, x, columns) + "\n";
}

}  // namespace gpuready::report

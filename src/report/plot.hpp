#pragma once
/// A picture of rates over sizes in characters. Pure.

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpuready::report {

struct Curve {
  std::string name;
  char mark = '*';  ///< in plain ASCII; in braille all curves are dots
  std::vector<std::pair<double, double>> points;  ///< x ascending, both positive
};

struct PlotFrame {
  std::size_t width = 80, rows = 12;
  bool braille = false;
  std::optional<double> marked_x;  ///< a vertical line
};

/// Both axes logarithmic; straight lines between the points; the y axis in FLOP/s, the x axis in
/// sides. Empty where no curve has two points.
std::string plot(const std::vector<Curve>& curves, const PlotFrame& frame);

}  // namespace gpuready::report

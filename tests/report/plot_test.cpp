#include "report/plot.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace gpuready::report {
namespace {

const std::vector<Curve> curves{{"cpu", 'c', {{256, 1e10}, {1024, 1e11}, {4096, 2e11}}},
                                {"cuda:0", 'g', {{256, 1e9}, {1024, 1e12}, {4096, 1e13}}}};

TEST(Plot, FitsItsWidthAndHasBothCurvesTheAxesAndTheLine) {
  PlotFrame frame;
  frame.marked_x = 512;
  const std::string text = plot(curves, frame);
  const auto lines = base::split_lines(text);
  ASSERT_EQ(lines.size(), frame.rows + 1);
  for (const std::string& line : lines) EXPECT_LE(base::display_width(line), 80U) << line;
  EXPECT_NE(text.find('c'), std::string::npos);
  EXPECT_NE(text.find('g'), std::string::npos);
  EXPECT_NE(text.find(':'), std::string::npos);
  EXPECT_NE(lines.front().find("10.0 TFLOP/s"), std::string::npos);
  EXPECT_NE(lines[frame.rows - 1].find("1.00 GFLOP/s"), std::string::npos);
  EXPECT_NE(lines.back().find("256"), std::string::npos);
  EXPECT_NE(lines.back().find("4096"), std::string::npos);
}

TEST(Plot, BrailleIsUsedWhereTheTerminalKnowsIt) {
  PlotFrame frame;
  frame.braille = true;
  const std::string text = plot(curves, frame);
  EXPECT_NE(text.find("\xE2\xA0"), std::string::npos);
  for (const std::string& line : base::split_lines(text))
    EXPECT_LE(base::display_width(line), 80U) << line;
}

TEST(Plot, OnePointIsNoCurve) { EXPECT_EQ(plot({{"cpu", 'c', {{256, 1e10}}}}, {}), ""); }

TEST(Plot, AFlatCurveIsDrawn) {
  EXPECT_NE(plot({{"cpu", 'c', {{256, 1e10}, {512, 1e10}}}}, {}).find("ccc"), std::string::npos);
}

}  // namespace
}  // namespace gpuready::report

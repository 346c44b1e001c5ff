#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/text.hpp"
#include "gpuready/gpuready.hpp"

namespace gpuready {
namespace {

Style chinese() {
  Style style;
  style.language = "zh";
  return style;
}

Run run_of(const std::string& machine) {
  const std::string folder = std::string(GPUREADY_SOURCE_DIR) + "/tests/machines/";
  auto session = open_session({folder + machine + ".json", ""});
  Run run;
  if (!session) {
    ADD_FAILURE() << session.error().text;
    return run;
  }
  run = (*session)->new_run("doctor");
  run.machine = (*session)->facts(true);
  run.doctor = diagnose(run.machine);
  run.device = choose_device(run.machine, run.doctor);
  if (auto next = (*session)->next(run.machine, run.doctor, run.device, {})) run.next = *next;
  run.setup = (*session)->setup(run.machine, run.doctor);
  return run;
}

/// The first byte of a Chinese character in UTF-8.
bool begins_ideograph(char c) {
  return static_cast<unsigned char>(c) >= 0xE4 && static_cast<unsigned char>(c) <= 0xE9;
}

TEST(RulesInChinese, ARuleIsExplainedAndListedInChinese) {
  const auto explained = explain_rule("nouveau-bound", chinese());
  ASSERT_TRUE(explained);
  EXPECT_TRUE(base::contains(*explained, "开源驱动 nouveau")) << *explained;
  EXPECT_FALSE(base::contains(*explained, "the open driver")) << *explained;
  EXPECT_TRUE(base::contains(list_rules(chinese()), "开源驱动 nouveau"));
  EXPECT_FALSE(base::contains(list_rules(Style{}), "开源驱动 nouveau"));
}

TEST(RulesInChinese, FindingsAreInChineseForPeopleAndInEnglishInJson) {
  const gpuready::Run run = run_of("driver-library-mismatch");
  ASSERT_FALSE(run.doctor.findings.empty());
  const std::string title = "驱动库与已加载模块的版本不一致";
  for (const View view : {View::doctor, View::page})
    EXPECT_TRUE(base::contains(show_text(run, view, chinese()), title));
  for (const View view : {View::doctor, View::page, View::setup}) {
    const std::string json = show_json(run, view);
    EXPECT_TRUE(std::ranges::none_of(json, begins_ideograph)) << json;
  }
  EXPECT_TRUE(base::contains(show_json(run, View::doctor), "are of two versions"));
  EXPECT_FALSE(base::contains(show_text(run, View::doctor, Style{}), title));
}

TEST(RulesInChinese, ValuesThatArePhrasesOfOursAreInChineseToo) {
  const std::string text = show_text(run_of("rules/gpu-fell-off-the-bus"), View::doctor, chinese());
  EXPECT_TRUE(base::contains(text, "分钟前")) << text;
  EXPECT_FALSE(base::contains(text, " min ago")) << text;
}

TEST(RulesInChinese, NoSpaceStandsBetweenAChineseValueAndChineseWords) {
  const gpuready::Run run = run_of("rules/load-power-brake");
  ASSERT_FALSE(run.doctor.findings.empty());
  const Message& meaning = run.doctor.findings[0].meaning;
  ASSERT_EQ(meaning.args.size(), 3U);
  EXPECT_TRUE(base::contains(meaning.args[2], "因为电源的功率制动信号")) << meaning.args[2];
}

}  // namespace
}  // namespace gpuready

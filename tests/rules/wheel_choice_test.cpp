#include "rules/wheel_choice.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/text.hpp"
#include "rules/wheel_questions.hpp"

namespace gpuready::rules {
namespace {

using catalog::VersionNumber;
using enum WheelOutcome;

/// A class of machines and what fits it; `torch`: lowest and highest release.
struct Class {
  std::string name;
  std::vector<VersionNumber> capabilities;
  std::optional<VersionNumber> driver;
  std::optional<VersionNumber> python;
  WheelOutcome outcome;
  std::string tag, torch;
  std::string arch = "x86_64";
};

WheelChoice choose(const Class& one) {
  WheelRequest request;
  request.capabilities = one.capabilities;
  request.driver = one.driver, request.python = one.python, request.arch = one.arch;
  return choose_wheel(request, catalog::wheel_tables());
}

std::string range_of(const WheelChoice& choice) {
  if (!choice.torch_min || !choice.torch_max) return "";
  return choice.torch_min->text() + "-" + choice.torch_max->text();
}

const VersionNumber py312{3, 12, 3}, py39{3, 9, 21}, py38{3, 8, 10};
const VersionNumber d470{470, 256, 2}, d535{535, 274, 2}, d565{565, 57, 1}, d580{580, 95, 5};

const std::vector<Class> classes{
    {"GTX 1080 on 580", {{6, 1}}, d580, py312, fits, "cu126", "2.6-2.14"},
    {"GTX 1080 on 535", {{6, 1}}, d535, py312, fits, "cu126", "2.6-2.14"},
    {"GTX 1080 on 470", {{6, 1}}, d470, py312, fits, "cu118", "2.4-2.7"},
    {"GTX 750 Ti on 580", {{5, 0}}, d580, py312, fits, "cu126", "2.6-2.14"},
    {"V100 on 580", {{7, 0}}, d580, py312, fits, "cu126", "2.6-2.14"},
    {"V100 and B200", {{7, 0}, {10, 0}}, d580, py312, fits, "cu128", "2.8-2.10"},
    {"V100 and B200, Python 3.9", {{7, 0}, {10, 0}}, d580, py39, fits, "cu128", "2.8-2.8"},
    {"V100 and H100", {{7, 0}, {9, 0}}, d580, py312, fits, "cu126", "2.6-2.14"},
    {"GTX 1080 and RTX 4090", {{6, 1}, {8, 9}}, d580, py312, fits, "cu126", "2.6-2.14"},
    {"GTX 1080 and RTX 5090", {{6, 1}, {12, 0}}, d580, py312, two_environments, "", ""},
    {"T4 and B200", {{7, 5}, {10, 0}}, d580, py312, fits, "cu130", "2.9-2.14"},
    {"T4 and RTX 5090 on 565", {{7, 5}, {12, 0}}, d565, py312, fits, "cu128", "2.7-2.11"},
    {"RTX 5090 on 580", {{12, 0}}, d580, py312, fits, "cu130", "2.9-2.14"},
    {"RTX 5090 on 565", {{12, 0}}, d565, py312, fits, "cu128", "2.7-2.11"},
    {"RTX 5090 on 470", {{12, 0}}, d470, py312, driver_too_old, "", ""},
    {"B300 on 580", {{10, 3}}, d580, py312, fits, "cu130", "2.9-2.14"},
    {"T4 on 580", {{7, 5}}, d580, py312, fits, "cu130", "2.9-2.14"},
    {"T4 on 535", {{7, 5}}, d535, py312, fits, "cu126", "2.6-2.14"},
    {"T4 on 470", {{7, 5}}, d470, py312, fits, "cu118", "2.4-2.7"},
    {"T4 on 470, Python 3.8", {{7, 5}}, d470, py38, fits, "cu118", "2.0-2.4"},
    {"T4 on 440", {{7, 5}}, VersionNumber{440, 33}, py312, driver_too_old, "", ""},
    {"A100 just below the floor of 12",
     {{8, 0}},
     VersionNumber{525, 60, 12},
     py312,
     fits,
     "cu118",
     "2.4-2.7"},
    {"A100 at the floor of 12",
     {{8, 0}},
     VersionNumber{525, 60, 13},
     py312,
     fits,
     "cu126",
     "2.6-2.14"},
    {"A100 just below the floor of 13",
     {{8, 0}},
     VersionNumber{580, 65, 5},
     py312,
     fits,
     "cu126",
     "2.6-2.14"},
    {"RTX 4090 on 580", {{8, 9}}, d580, py312, fits, "cu130", "2.9-2.14"},
    {"RTX 4090, Python 3.9", {{8, 9}}, d580, py39, fits, "cu126", "2.6-2.8"},
    {"RTX 4090, Python 3.8", {{8, 9}}, d580, py38, fits, "cu121", "2.1-2.4"},
    {"RTX 4090, Python 3.6", {{8, 9}}, d580, VersionNumber{3, 6}, python_unsupported, "", ""},
    {"RTX 4090, Python 3.15", {{8, 9}}, d580, VersionNumber{3, 15}, newer_than_table, "", ""},
    {"RTX 4090, Python not known", {{8, 9}}, d580, {}, fits, "cu130", "2.9-2.14"},
    {"RTX 4090 without driver", {{8, 9}}, {}, py312, fits, "cu130", "2.9-2.14"},
    {"RTX 5090, Python 3.8", {{12, 0}}, d580, py38, python_unsupported, "", ""},
    {"K80", {{3, 7}}, d470, py312, no_wheel, "", ""},
    {"K80 and A100", {{3, 7}, {8, 0}}, d470, py312, no_wheel, "", ""},
    {"a GPU newer than the table runs PTX", {{13, 0}}, d580, py312, fits, "cu130", "2.9-2.14"},
    {"a GPU between the known ones", {{11, 5}}, d580, py312, newer_than_table, "", ""},
    {"no GPU's capability known", {}, d580, py312, unknown, "", ""},
    {"GB10", {{12, 1}}, d580, py312, fits, "cu130", "2.12-2.14", "aarch64"},
    {"GH200", {{9, 0}}, d580, py312, fits, "cu130", "2.12-2.14", "aarch64"},
    {"GH200 on 535", {{9, 0}}, d535, py312, fits, "cu126", "2.12-2.14", "aarch64"},
    {"Thor", {{11, 0}}, d580, py312, fits, "cu130", "2.12-2.14", "aarch64"},
    {"T4 in an Arm server", {{7, 5}}, d580, py312, no_wheel, "", "", "aarch64"},
    {"Orin", {{8, 7}}, VersionNumber{540, 4}, py312, jetson, "", "", "aarch64"},
    {"a POWER machine", {{7, 0}}, d535, py312, no_wheel, "", "", "ppc64le"},
};

TEST(WheelQuestions, AToolkitMakesNoCodeForWhatCameAfterItOrWasDropped) {
  const catalog::WheelTables& tables = catalog::wheel_tables();
  EXPECT_TRUE(precedes_gpu({12, 4}, {12, 0}, tables));
  EXPECT_TRUE(precedes_gpu({11, 7}, {9, 0}, tables));
  EXPECT_TRUE(precedes_gpu({10, 2}, {8, 6}, tables));
  // Code for an older GPU of the same major version runs: 8.6 on 8.9, 12.0 on 12.1.
  EXPECT_FALSE(precedes_gpu({11, 7}, {8, 9}, tables));
  EXPECT_FALSE(precedes_gpu({12, 8}, {12, 1}, tables));
  EXPECT_FALSE(precedes_gpu({12, 4}, {99, 0}, tables)) << "no word on what the table does not know";
  EXPECT_TRUE(has_dropped_gpu({13, 0}, {6, 1}, tables));
  EXPECT_TRUE(has_dropped_gpu({12, 1}, {3, 7}, tables));
  EXPECT_FALSE(has_dropped_gpu({12, 9}, {6, 1}, tables));
  EXPECT_FALSE(has_dropped_gpu({13, 2}, {7, 5}, tables));
  EXPECT_FALSE(has_dropped_gpu({13, 2}, {99, 0}, tables));
}

TEST(WheelChoice, EveryClassOfMachinesGetsItsBuildOrTheReason) {
  for (const Class& one : classes) {
    const WheelChoice choice = choose(one);
    EXPECT_EQ(choice.outcome, one.outcome) << one.name << ": " << choice.why;
    EXPECT_EQ(choice.tag, one.tag) << one.name;
    EXPECT_EQ(range_of(choice), one.torch) << one.name;
    EXPECT_FALSE(choice.why.empty()) << one.name;
    EXPECT_EQ(choice.command.empty(), one.tag.empty()) << one.name;
  }
}

Class named(const std::string& name) {
  for (const Class& one : classes)
    if (one.name == name) return one;
  ADD_FAILURE() << "no class " << name;
  return {};
}

TEST(WheelChoice, TheCommandIsBoundedWhereLaterReleasesDoNotFit) {
  EXPECT_EQ(choose(named("V100 and B200")).command,
            "pip install \"torch<2.11\" torchvision --index-url "
            "https://download.pytorch.org/whl/cu128");
  EXPECT_EQ(choose(named("GTX 1080 on 580")).command,
            "pip install \"torch<2.15\" torchvision --index-url "
            "https://download.pytorch.org/whl/cu126");
  EXPECT_EQ(choose(named("RTX 4090 on 580")).command,
            "pip install torch torchvision --index-url https://download.pytorch.org/whl/cu130");
}

TEST(WheelChoice, ADriverOlderThanTheGpusFirstIsNoted) {
  const WheelChoice choice = choose(named("RTX 5090 on 565"));
  ASSERT_EQ(choice.notes.size(), 1U);
  EXPECT_TRUE(base::contains(choice.notes[0], "570.26")) << choice.notes[0];
}

TEST(WheelChoice, WhatIsNewerThanTheTableIsSaidAndNotGuessed) {
  Class newer = named("RTX 4090 on 580");
  newer.driver = VersionNumber{700, 1};
  EXPECT_EQ(choose(newer).tag, "cu130");
  ASSERT_EQ(choose(newer).notes.size(), 1U);
  EXPECT_TRUE(base::contains(choose(newer).notes[0],
                             "driver 700.1 is newer than this table (as of 2026-09)"));
  EXPECT_EQ(choose(named("RTX 4090, Python 3.15")).why,
            "Python 3.15 is newer than this table (as of 2026-09)");
  EXPECT_EQ(choose(named("a GPU between the known ones")).why,
            "compute capability 11.5 is newer than this table (as of 2026-09)");
  EXPECT_TRUE(base::contains(choose(named("a GPU newer than the table runs PTX")).notes.at(0),
                             "compute capability 13.0 is newer than this table"));
}

TEST(WheelChoice, TheDriverThatIsNeededIsTold) {
  EXPECT_EQ(choose(named("RTX 5090 on 470")).driver_needed, (VersionNumber{525, 60, 13}));
  EXPECT_EQ(choose(named("T4 on 440")).driver_needed, (VersionNumber{450, 80, 2}));
}

WheelChoice choose_amd(std::vector<std::string> targets) {
  WheelRequest request;
  request.vendor = "amd", request.gfx_targets = std::move(targets), request.python = py312;
  return choose_wheel(request, catalog::wheel_tables());
}

TEST(WheelChoice, AmdIsChosenByItsTarget) {
  EXPECT_EQ(choose_amd({"gfx1100"}).tag, "rocm7.2");
  EXPECT_EQ(choose_amd({"gfx1151", "gfx942"}).tag, "rocm7.2");
  EXPECT_EQ(choose_amd({"gfx803"}).outcome, no_wheel);
  EXPECT_EQ(choose_amd({"gfx1100", "gfx1036"}).outcome, no_wheel);
  EXPECT_EQ(choose_amd({}).outcome, unknown);
}

TEST(WheelChoice, IntelGetsTheXpuIndex) {
  WheelRequest request;
  request.vendor = "intel";
  const WheelChoice choice = choose_wheel(request, catalog::wheel_tables());
  EXPECT_EQ(choice.outcome, fits);
  EXPECT_EQ(choice.command,
            "pip install torch torchvision --index-url https://download.pytorch.org/whl/xpu");
}

TEST(WheelChoice, CodeOfTheSameGenerationRunsOnItsYoungerGpusOnly) {
  catalog::Wheel wheel;
  EXPECT_EQ(has_kernels_for(wheel, {8, 9}), std::nullopt);
  wheel.targets = {"7.5", "8.6", "12.0"};
  EXPECT_EQ(has_kernels_for(wheel, {8, 9}), true);
  EXPECT_EQ(has_kernels_for(wheel, {8, 7}), true);
  EXPECT_EQ(has_kernels_for(wheel, {12, 1}), true);
  EXPECT_EQ(has_kernels_for(wheel, {8, 0}), false);
  EXPECT_EQ(has_kernels_for(wheel, {9, 0}), false);
  EXPECT_EQ(has_kernels_for(wheel, {7, 0}), false);
  wheel.ptx = VersionNumber{8, 6};
  EXPECT_EQ(has_kernels_for(wheel, {9, 0}), true);
  EXPECT_EQ(has_kernels_for(wheel, {7, 0}), false);
}

}  // namespace
}  // namespace gpuready::rules

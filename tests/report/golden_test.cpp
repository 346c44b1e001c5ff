#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/text.hpp"
#include "gpuready/gpuready.hpp"
#include "tests/golden.hpp"

namespace gpuready {
namespace {

namespace fs = std::filesystem;
const fs::path source = GPUREADY_SOURCE_DIR;

std::vector<fs::path> recorded_machines() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(source / "tests" / "machines"))
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

/// The whole answer for a recorded machine.
Run answer_for(const fs::path& path) {
  auto session = open_session({path.string(), ""});
  if (!session) {
    ADD_FAILURE() << session.error().text;
    return {};
  }
  Run run = (*session)->new_run("run");
  run.tool.version = "X";  // so that a release does not touch every file
  run.machine = (*session)->facts(true);
  run.doctor = diagnose(run.machine);
  run.device = choose_device(run.machine, run.doctor);
  run.torch_device = choose_torch_device(run.machine, run.doctor);
  run.bench = (*session)->bench(run.machine, run.doctor, {}, {})->bench;
  run.fit = *(*session)->fit(run.machine);
  run.next = *(*session)->next(run.machine, run.doctor, run.torch_device, run.bench);
  return run;
}

/// Commands stay on one line, however long: they are pasted.
bool is_command(const std::string& line) {
  return base::starts_with(line, "      ") && line.size() > 6 && line[6] != ' ';
}

void expect_fits(const std::string& text, const fs::path& path) {
  for (const std::string& line : base::split_lines(text)) {
    const std::size_t width = is_command(line) ? 0 : base::display_width(line);
    EXPECT_LE(width, 80U) << path << ": " << line;
  }
}

TEST(Golden, ThereAreAtLeastTwelveRecordedMachines) { EXPECT_GE(recorded_machines().size(), 12U); }

TEST(Golden, ThePageAndTheLadderOfEveryRecordedMachineAreFrozen) {
  for (const fs::path& path : recorded_machines()) {
    const gpuready::Run run = answer_for(path);
    Style verbose;
    verbose.verbose = true;
    std::string text =
        show_text(run, View::page, {}) + "\n--- doctor\n" + show_text(run, View::doctor, {});
    if (run.doctor.verdict == Verdict::usable)
      text += "\n--- doctor -v\n" + show_text(run, View::doctor, verbose);
    expect_fits(text, path);
    testing::expect_golden(source / "tests" / "golden" / (path.stem().string() + ".txt"), text);
  }
}

/// Machines of tests/machines/rules whose plans differ from those of the others.
const std::vector<std::string> plans_of_rules{"closed-module-on-new-gpu",
                                              "colab-without-gpu",
                                              "docker-without-gpu-toolkit",
                                              "driver-newer-than-tables",
                                              "driver-not-installed",
                                              "driver-too-old-for-torch",
                                              "gfx-target-without-wheel",
                                              "gpu-too-old-for-driver",
                                              "intel-graphics-only",
                                              "jetson-with-server-torch",
                                              "kfd-permission",
                                              "linux-driver-in-wsl",
                                              "module-not-built-for-kernel",
                                              "no-wheel-for-python",
                                              "open-module-on-old-gpu",
                                              "secure-boot-rejects-module",
                                              "vfio-bound",
                                              "wheel-lacks-kernels"};

TEST(Golden, TheInstallPlansAreFrozen) {
  std::vector<fs::path> paths = recorded_machines();
  for (const std::string& name : plans_of_rules)
    paths.push_back(source / "tests" / "machines" / "rules" / (name + ".json"));
  for (const fs::path& path : paths) {
    auto session = open_session({path.string(), ""});
    ASSERT_TRUE(session) << session.error().text;
    gpuready::Run run = (*session)->new_run("setup");
    run.machine = (*session)->facts(true);
    run.doctor = diagnose(run.machine);
    run.setup = (*session)->setup(run.machine, run.doctor);
    const std::string text = show_text(run, View::setup, {});
    expect_fits(text, path);
    testing::expect_golden(source / "tests" / "golden" / "setup" / (path.stem().string() + ".txt"),
                           text);
  }
}

Case measured(const char* device, const char* library, double seconds) {
  Case c;
  c.device = device, c.backend = library, c.library.name = library;
  c.library.version = Fact<std::string>("1.2.3", "test");
  c.shape = {5000, 5000, 5000};
  c.median_s = seconds, c.ci95_s = {0.99 * seconds, 1.02 * seconds};
  c.flops = c.shape.flop() / seconds;
  c.first_call.first_product_s = Fact<double>(1.5 * seconds, "test");
  c.verification.passed = true, c.verification.rows_checked = 16;
  c.verification.error = 3e-7, c.verification.tolerance = 1e-5;
  return c;
}

/// A T4 with figures, for the parts of the page that a recording cannot have.
Run measured_t4() {
  Run run = answer_for(source / "tests" / "machines" / "colab-t4.json");
  Case cpu = measured("cpu", "openblas", 3.2), gpu = measured("cuda:0", "cublas", 0.0612);
  cpu.threads = 2, cpu.library.kernel_target = Fact<std::string>("SkylakeX", "test");
  gpu.with_transfers_s = Fact<double>(0.093, "test");
  run.bench = {};
  run.bench.cases = {cpu, gpu};
  run.bench.speedup.kernel_only = Fact<Speedup>(Speedup{52.3, {51.1, 53.8}}, "test");
  run.bench.speedup.with_transfers = Fact<Speedup>(Speedup{34.4, {33.0, 35.9}}, "test");
  return run;
}

TEST(Golden, AMeasuredRunIsFrozenInEveryView) {
  const gpuready::Run run = measured_t4();
  const std::string text = show_text(run, View::page, {}) + "\n--- bench\n" +
                           show_text(run, View::bench, {}) + "\n--- lesson\n" +
                           show_text(run, View::lesson, {});
  expect_fits(text, "measured-t4");
  testing::expect_golden(source / "tests" / "golden" / "measured-t4.txt", text);
}

TEST(Golden, AWrongProductIsToldAndGetsNoSpeed) {
  gpuready::Run run = measured_t4();
  run.bench.cases.pop_back();
  run.bench.speedup = {};
  run.bench.errors = {{"cuda:0", "cublas", {"", {"3 elements are not numbers"}}, true}};
  const std::string text = show_text(run, View::bench, {});
  EXPECT_NE(text.find("WRONG PRODUCT"), std::string::npos);
  EXPECT_EQ(text.find("Speedup, "), std::string::npos);
}

TEST(Golden, WhatARecordingSaysCannotSteerTheTerminal) {
  gpuready::Run run = measured_t4();
  run.machine.os.name = Fact<std::string>("evil\x1b]0;title\x07\x1b[2Jname", "test");
  run.machine.gpus[0].name = Fact<std::string>("\x1b[31mT4\n\n", "test");
  run.bench.cases[0].library.name = "\x1b[5mblas";
  run.bench.cases[0].device = "\x1b[5mcpu", run.bench.cases[0].flags = {"\x1b[5mflag"};
  run.machine.environment.variables["\x1b[5mCUDA_X"] = "\x07";
  for (const View view : {View::page, View::bench, View::lesson, View::facts, View::doctor}) {
    const std::string text = show_text(run, view, {});
    EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
    EXPECT_EQ(text.find('\x07'), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace gpuready

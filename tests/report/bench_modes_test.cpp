#include <gtest/gtest.h>

#include <filesystem>

#include "base/text.hpp"
#include "gpuready/gpuready.hpp"
#include "tests/golden.hpp"

namespace gpuready {
namespace {

const std::filesystem::path golden =
    std::filesystem::path(GPUREADY_SOURCE_DIR) / "tests" / "golden" / "bench";

Case measured(const char* device, double seconds, std::int64_t side, const char* type = "fp32") {
  Case c;
  c.device = device, c.device_name = "NVIDIA H100 80GB HBM3";
  c.backend = c.library.name = std::string(device) == "cpu" ? "openblas" : "cublaslt";
  c.library.version = Fact<std::string>("1.2.3", "test");
  c.shape = {side, side, side}, c.dtype.name = type;
  c.median_s = seconds, c.ci95_s = {0.99 * seconds, 1.02 * seconds};
  c.flops = c.shape.flop() / seconds;
  c.first_call.first_product_s = Fact<double>(seconds + 0.4, "test");
  c.verification.passed = true, c.verification.rows_checked = 16;
  c.verification.error = 3e-7, c.verification.tolerance = 1e-5;
  return c;
}

Fact<Speedup> speedup(double ratio) {
  return {Speedup{ratio, {0.97 * ratio, 1.03 * ratio}}, "test"};
}

Run sweep() {
  Run run;
  run.tool.version = "X";
  double cpu_s = 1e-3, gpu_s = 5e-5;
  for (const std::int64_t side : {512, 1024, 2048, 4096}) {
    Case cpu = measured("cpu", cpu_s, side), gpu = measured("cuda:0", gpu_s, side);
    cpu.threads = 8;
    run.bench.cases.push_back(cpu);
    run.bench.cases.push_back(gpu);
    run.bench.speedup.sizes.push_back({"cuda:0", gpu.shape, gpu.dtype, speedup(cpu_s / gpu_s),
                                       speedup(cpu_s / gpu_s / 9), speedup(cpu_s / 0.5)});
    cpu_s *= 7.5, gpu_s *= 3;
  }
  auto& top = run.bench.speedup;
  top.kernel_only = top.sizes.back().kernel_only;
  top.with_transfers = top.sizes.back().with_transfers;
  top.first_use = top.sizes.back().first_use;
  top.one_thread = speedup(2000);
  top.break_even_n.with_transfers = Fact<double>(700, "test");
  top.break_even_n.first_use = Fact<double>::absent(
      Absence::not_applicable, "the GPU is slower up to n = 4096, the largest size measured");
  run.bench.time.left_out.push_back(
      {"bench.left-out", {"cpu", "fp32, 16384 x 16384 x 16384", "113 s"}});
  return run;
}

std::string shown(const Run& run, View view) {
  std::string text = show_text(run, view, {});
  for (const std::string& line : base::split_lines(text))
    EXPECT_LE(base::display_width(line), 80U) << line;
  return text;
}

TEST(GoldenBench, ASweepIsFrozen) {
  testing::expect_golden(golden / "sweep.txt", shown(sweep(), View::bench));
}

TEST(GoldenBench, TheLessonHasItsOwnThreeLinesFirst) {
  gpuready::Run run = sweep();
  run.bench.cases.erase(run.bench.cases.begin(), run.bench.cases.end() - 2);
  run.bench.speedup.sizes.clear(), run.bench.time.left_out.clear();
  const std::string text = shown(run, View::lesson);
  testing::expect_golden(golden / "lesson.txt", text);
  const auto lines = base::split_lines(text);
  EXPECT_EQ(lines[0], "CPU: 0.8219s");
  EXPECT_EQ(lines[1], "GPU: 0.4014s");
  EXPECT_EQ(lines[2], "Speedup: 2.05x");
}

TEST(GoldenBench, ClaimsPeaksPeersAndTorchAreFrozen) {
  gpuready::Run run;
  run.bench.cases = {measured("cpu", 0.4, 4096), measured("cuda:0", 0.0025, 4096)};
  run.bench.speedup.kernel_only = speedup(160);
  const auto claim = [&](const char* id, ClaimVerdict verdict, Message why) {
    Claim c;
    c.id = id, c.claim = {std::string("bench.claim.") + id, {}};
    c.verdict = verdict, c.why = std::move(why);
    run.bench.claims.push_back(c);
  };
  claim("tensor-cores", ClaimVerdict::false_here,
        {"bench.claim.why.tensor-above", {"14.6x", "4096 x 4096 x 4096", "7.80x"}});
  claim("half-memory", ClaimVerdict::true_here,
        {"bench.claim.why.half-overflow", {"3.5e-04", "2.8e-03", "256", "256", "204800"}});
  claim("eight-hours", ClaimVerdict::true_here, {"bench.claim.why.eight-hours", {"160x", "98.5"}});
  claim("faster", ClaimVerdict::not_tested, {"bench.claim.why.no-gpu", {}});
  run.bench.peaks.push_back({"cuda:0", {}, {2048, 16896, 8192}, 5.4e13, {5.3e13, 5.5e13}, 41});
  for (int i = 0; i < 4; ++i) {
    Peer peer;
    peer.device = "cuda:" + std::to_string(i), peer.device_name = "NVIDIA H100 80GB HBM3";
    peer.alone_flops = Fact<double>(5.2e13, "test");
    peer.together_flops = Fact<double>(i == 2 ? 4.4e13 : 5.1e13, "test");
    peer.slow = i == 2;
    peer.verdict = i == 2 ? Message{"bench.peer.slower", {"13.7"}} : Message{"bench.peer.fine", {}};
    run.bench.peers.push_back(peer);
  }
  TorchCase torch;
  torch.device = "cpu", torch.python = "/opt/venv/bin/python3", torch.shape = {4096, 4096, 4096};
  torch.ours_flops = Fact<double>(3.4e11, "test"), torch.flops = Fact<double>(1.7e11, "test");
  torch.ratio = Fact<double>(0.5, "test");
  torch.why = {{"bench.torch.why.threads", {"1", "2"}}};
  run.bench.torch.push_back(torch);
  testing::expect_golden(golden / "claims.txt", shown(run, View::bench));
}

TEST(GoldenBench, AComparisonIsFrozenAndFits) {
  Comparison comparison;
  comparison.first_at = "2026-11-01T10:00:00Z", comparison.second_at = "2026-11-02T10:00:00Z";
  const auto add = [&](Change change, double ratio) {
    CaseChange c;
    c.device = "cuda:0", c.library = "cublaslt", c.shape = {4096, 4096, 4096};
    c.first_flops = Fact<double>(5e13, "test"), c.second_flops = Fact<double>(5e13 * ratio, "test");
    c.ratio = Fact<double>(ratio, "test");
    c.ratio_ci95 = Fact<Interval>(Interval{ratio - 0.02, ratio + 0.02}, "test");
    c.change = change;
    comparison.changes.push_back(c);
  };
  add(Change::faster, 1.2), add(Change::noise, 1.01), add(Change::slower, 0.7);
  CaseChange only = comparison.changes.front();
  only.second_flops = Fact<double>::absent(Absence::not_tested, "not in this run");
  only.ratio = only.second_flops, only.ratio_ci95 = only.ratio.pass_absence<Interval>();
  only.change = Change::only_first;
  comparison.changes.push_back(only);
  const std::string text = show_text(gpuready::Run{}, comparison, {});
  for (const std::string& line : base::split_lines(text))
    EXPECT_LE(base::display_width(line), 80U) << line;
  testing::expect_golden(golden / "compare.txt", text);
}

TEST(BenchFiles, CsvHasALineForEachCaseAndQuotesWhatNeedsIt) {
  gpuready::Run run = sweep();
  run.bench.cases[0].device_name = "AMD \"EPYC\", 8 cores";
  const auto lines = base::split_lines(show_csv(run));
  ASSERT_EQ(lines.size(), 9U);
  EXPECT_NE(lines[1].find("\"AMD \"\"EPYC\"\", 8 cores\""), std::string::npos);
  const auto commas = [](const std::string& line) { return std::ranges::count(line, ','); };
  EXPECT_EQ(commas(lines[0]), commas(lines[2]));
}

TEST(BenchFiles, AJsonLineIsOneLine) {
  const gpuready::Run run = sweep();
  const std::string line = show_json_line(run, run.bench.cases[0]);
  EXPECT_EQ(std::ranges::count(line, '\n'), 1);
  EXPECT_EQ(line.rfind("{\"schema\":\"gpuready.bench-case/1\"", 0), 0U);
}

}  // namespace
}  // namespace gpuready

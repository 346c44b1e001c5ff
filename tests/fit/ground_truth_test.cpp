/// Every row of tests/fit/tables/ground_truth.csv: memory that others measured, against ours.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "base/csv.hpp"
#include "fit/outcome.hpp"
#include "tests/fit/shapes.hpp"

namespace gpuready::fit {
namespace {

using Options = std::map<std::string, std::string>;

/// "a=1 b=2".
Options options_of(const std::string& text) {
  Options out;
  std::istringstream words(text);
  for (std::string word; words >> word;)
    out[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
  return out;
}

std::int64_t number(const Options& options, const std::string& name, std::int64_t otherwise) {
  const auto found = options.find(name);
  return found == options.end() ? otherwise : std::atoll(found->second.c_str());
}

std::string text(const Options& options, const std::string& name, std::string otherwise = "") {
  const auto found = options.find(name);
  return found == options.end() ? otherwise : found->second;
}

std::vector<std::string> split(const std::string& list, char by) {
  std::vector<std::string> out;
  std::istringstream in(list);
  for (std::string word; std::getline(in, word, by);) out.push_back(word);
  return out;
}

void read_training(const Options& o, FitRequest& request) {
  TrainingOptions& t = request.training;
  t.task = text(o, "task");
  t.optimizer = text(o, "optimizer", t.optimizer), t.precision = text(o, "precision", t.precision);
  t.checkpointing = text(o, "checkpointing", t.checkpointing);
  t.loss = text(o, "loss", t.loss);
  if (!t.task.empty()) t.offload = text(o, "offload", t.offload);
  t.micro_batch = number(o, "micro-batch", 1), t.seq = number(o, "seq", 0);
  t.lora_rank = number(o, "lora-rank", 0), t.lora_targets = split(text(o, "lora-targets"), ',');
  t.fsdp = number(o, "fsdp", 0) != 0;
}

FitRequest request_of(const Options& o) {
  FitRequest request;
  request.runtime = text(o, "runtime");
  InferenceOptions& i = request.inference;
  i.dtype = text(o, "dtype"), i.kv_dtype = text(o, "kv-dtype");
  i.flash_attention = text(o, "flash");
  i.context = number(o, "context", 0), i.prompt = number(o, "prompt", 0);
  i.batch = number(o, "batch", 0), i.parallel = number(o, "parallel", 0);
  i.tp = number(o, "tp", 0), i.images = number(o, "images", 0);
  if (const auto size = split(text(o, "image"), 'x'); size.size() == 2)
    i.image_width = std::atoll(size[0].c_str()), i.image_height = std::atoll(size[1].c_str());
  i.vae_slicing = number(o, "vae-slicing", 0) != 0;
  i.offload = text(o, "offload");
  read_training(o, request);
  return request;
}

bool counts(const std::string& scope, std::size_t term) {
  const auto name = std::string(EnumNames<TermName>::list[term]);
  if (scope == "total") return true;
  if (scope == "reserved") return name != "context";
  if (scope == "allocated") return name != "context" && name != "reserve";
  const auto names = split(scope, '+');
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The terms of a scope: of training on the fullest GPU, else of all together; "@last": of the
/// last.
Range ours(const Outcome& outcome, std::string scope) {
  const bool last = scope.ends_with("@last");
  if (last) scope.resize(scope.size() - 5);
  Range sum;
  for (std::size_t d = 0; d < outcome.shares.size(); ++d) {
    if (last && d + 1 < outcome.shares.size()) continue;
    if (outcome.runtime == Runtime::train && d != outcome.fullest) continue;
    for (std::size_t term = 0; term < outcome.shares[d].terms.size(); ++term)
      if (counts(scope, term)) sum = sum + outcome.shares[d].terms[term];
  }
  return sum;
}

struct Row {
  std::string id, kind, printed, unit;
  double unit_bytes = 1, measured = 0, limit = 0;
  Range range;
  [[nodiscard]] double error() const {
    return static_cast<double>(range.expected_bytes) / measured - 1;
  }
  [[nodiscard]] double high() const { return static_cast<double>(range.high_bytes) / measured; }
};

/// Equal when printed with as many digits as the source printed.
bool same_digits(const Row& row) {
  const auto point = row.printed.find('.');
  const std::size_t digits = point == std::string::npos ? 0 : row.printed.size() - point - 1;
  std::ostringstream out;
  out.precision(static_cast<std::streamsize>(digits));
  out << std::fixed << static_cast<double>(row.range.expected_bytes) / row.unit_bytes;
  return out.str() == row.printed;
}

Result<Row> evaluate(const base::CsvRow& cells) {
  const Model model = shapes::named(cells.at("model"));
  const Options options = options_of(cells.at("options"));
  const auto gpus = split(cells.at("gpus"), 'x');
  Devices devices = shapes::gpus(std::atoll(gpus[0].c_str()), std::atof(gpus[1].c_str()));
  for (Device& device : devices.gpus)
    device.measured_context_bytes = number(options, "context-mib", 0) << 20U;
  Forward forward(model, devices);
  const auto outcome = forward(request_of(options));
  if (!outcome) return tl::unexpected(outcome.error());
  static const std::map<std::string, double> units{
      {"B", 1}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}, {"GB", 1e9}};
  Row row;
  row.id = cells.at("id"), row.kind = cells.at("kind"), row.printed = cells.at("measured");
  row.unit = cells.at("unit"), row.unit_bytes = units.at(row.unit);
  row.measured = std::atof(row.printed.c_str()) * row.unit_bytes;
  row.range = ours(*outcome, cells.at("scope")), row.limit = std::atof(cells.at("limit").c_str());
  return row;
}

std::vector<Row> rows() {
  std::ifstream file(std::string(GPUREADY_SOURCE_DIR) + "/tests/fit/tables/ground_truth.csv");
  std::stringstream content;
  content << file.rdbuf();
  const auto table = base::parse_csv(content.str());
  std::vector<Row> out;
  if (!table) return out;
  for (const base::CsvRow& cells : *table) {
    auto row = evaluate(cells);
    EXPECT_TRUE(row) << cells.at("id") << ": " << (row ? "" : row.error().text);
    if (row) out.push_back(std::move(*row));
  }
  return out;
}

std::vector<Row> of_kind(const std::string& kind) {
  std::vector<Row> out = rows();
  std::erase_if(out, [&](const Row& row) { return row.kind != kind; });
  EXPECT_FALSE(out.empty()) << kind;
  return out;
}

void expect_within(const std::string& kind, double tolerance) {
  for (const Row& row : of_kind(kind))
    EXPECT_LE(std::abs(row.error()), tolerance)
        << row.id << ": " << static_cast<double>(row.range.expected_bytes) / row.unit_bytes
        << " for " << row.printed << " " << row.unit;
}

TEST(GroundTruth, CacheStateAndWeightsOfLlamaCppAreExactToThePrintedDigit) {
  for (const Row& row : of_kind("exact"))
    EXPECT_TRUE(same_digits(row)) << row.id << ": "
                                  << static_cast<double>(row.range.expected_bytes) / row.unit_bytes
                                  << " for " << row.printed << " " << row.unit;
}

TEST(GroundTruth, InferenceOfTransformersIsWithinAPercentInTheMiddleAndFourAtWorst) {
  expect_within("hf", 0.04);
  std::vector<double> errors;
  for (const Row& row : of_kind("hf")) errors.push_back(std::abs(row.error()));
  std::nth_element(errors.begin(), errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2),
                   errors.end());
  EXPECT_LE(errors[errors.size() / 2], 0.01);
}

TEST(GroundTruth, PartsOfVllmAreWithinTwoPercent) { expect_within("vllm", 0.02); }

TEST(GroundTruth, StatesOfTrainingAreWithinThreePercent) { expect_within("states", 0.03); }

TEST(GroundTruth, PeaksOfTrainingAreWithinTenPercent) { expect_within("peak", 0.10); }

TEST(GroundTruth, ImagesAreWithinTenPercent) { expect_within("diffusion", 0.10); }

/// G12: today's files keep the router in 32 bits, that file of 2023 had it in 16. G69 with one
/// sequence of 2048: the same formula is 9 % low with 512 and right with more sequences.
TEST(GroundTruth, KnownMissesAreNoWorseThanTheyWere) {
  for (const Row& row : of_kind("known-miss"))
    EXPECT_LE(std::abs(row.error()), row.limit) << row.id;
}

TEST(GroundTruth, NoHighFigureLiesMoreThanThreePercentBelowWhatWasMeasured) {
  for (const Row& row : rows()) EXPECT_GE(row.high(), 0.97) << row.id;
}

/// For people: GPUREADY_SHOW=1 prints the table.
TEST(GroundTruth, TheTableCanBeShown) {
  const std::vector<Row> all = rows();
  EXPECT_GT(all.size(), 80U);
  if (std::getenv("GPUREADY_SHOW") == nullptr) return;
  for (const Row& row : all)
    std::cout << row.id << ' ' << row.kind << ' ' << row.printed << ' ' << row.unit << " ours "
              << static_cast<double>(row.range.expected_bytes) / row.unit_bytes << " ("
              << 100 * row.error() << " %), high " << row.high() << '\n';
}

}  // namespace
}  // namespace gpuready::fit

#include "fit/parameters.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "base/csv.hpp"
#include "base/text.hpp"
#include "fit/hf_config.hpp"

namespace gpuready::fit {
namespace {

std::string file(const std::string& path) {
  std::ifstream in(std::string(GPUREADY_SOURCE_DIR "/tests/fit/") + path);
  EXPECT_TRUE(in) << path;
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<base::CsvRow> table() {
  auto rows = base::parse_csv(file("tables/parameters.csv"));
  EXPECT_TRUE(rows) << rows.error().text;
  return rows.value_or(std::vector<base::CsvRow>{});
}

/// Blocks for multi-token prediction are in checkpoints, but no class of transformers builds them.
std::int64_t without_mtp(const Model& model) { return model.parameters - model.mtp_parameters; }

TEST(Parameters, AreWhatTransformersCountsForEveryConfiguration) {
  std::set<std::string> architectures;
  const auto rows = table();
  EXPECT_GE(rows.size(), 60U);
  for (const base::CsvRow& row : rows) {
    const std::string& name = row.at("config");
    const auto model = read_hf_config(file("configs/" + name + ".json"));
    ASSERT_TRUE(model) << name << ": " << model.error().text;
    EXPECT_EQ(without_mtp(*model), base::to_integer(row.at("parameters"))) << name;
    architectures.insert(row.at("model_type"));
  }
  EXPECT_GE(architectures.size(), 25U);
}

TEST(Parameters, OfExpertsAndHeadAreWhatTransformersCounts) {
  int with_experts = 0;
  for (const base::CsvRow& row : table()) {
    const std::string& name = row.at("config");
    const auto model = read_hf_config(file("configs/" + name + ".json"));
    ASSERT_TRUE(model);
    std::map<Role, std::int64_t> of;
    for (const WeightGroup& group : model->weights) of[group.role] += group.parameters;
    EXPECT_EQ(of[Role::experts], base::to_integer(row.at("experts"))) << name;
    EXPECT_EQ(of[Role::output], base::to_integer(row.at("head"))) << name;
    with_experts += of[Role::experts] > 0 ? 1 : 0;
  }
  EXPECT_GE(with_experts, 20);
}

TEST(Parameters, TakeTheBytesThatTransformersAllocates) {
  int quantised = 0;
  for (const base::CsvRow& row : table()) {
    const std::string& name = row.at("config");
    const auto wanted = base::to_integer(row.at("bytes"));
    if (!wanted) continue;  // a quantiser that the table's maker has not got
    const auto model = read_hf_config(file("configs/" + name + ".json"));
    ASSERT_TRUE(model);
    std::int64_t bytes = 0;
    for (const WeightGroup& group : model->weights)
      if (group.role != Role::mtp) bytes += group.bytes;
    // Where the file names no type, transformers takes four bytes and we two, with a doubt.
    if (model->native_dtype.empty()) bytes *= 2;
    // A quantiser leaves routers in 32 bits, and scales cover blocks that are not full.
    const bool packed = !model->quantisation.method.empty();
    quantised += packed ? 1 : 0;
    const double tolerance = packed ? 5e-4 * static_cast<double>(*wanted) : 0;
    EXPECT_NEAR(static_cast<double>(bytes), static_cast<double>(*wanted), tolerance) << name;
  }
  EXPECT_GE(quantised, 4);
}

TEST(Parameters, FourBitExpertsTakeTheBytesThatWereMeasured) {
  // hf-mem issue 60: gpt-oss-120b holds 65,248,815,744 bytes of weights.
  const auto model = read_hf_config(file("configs/gpt-oss-120b.json"));
  ASSERT_TRUE(model);
  std::int64_t bytes = 0;
  for (const WeightGroup& group : model->weights) bytes += group.bytes;
  EXPECT_EQ(bytes, 65'248'815'744);
}

TEST(Parameters, GroupsSumToTheWhole) {
  for (const base::CsvRow& row : table()) {
    const auto model = read_hf_config(file("configs/" + row.at("config") + ".json"));
    ASSERT_TRUE(model);
    std::int64_t all = 0;
    for (const WeightGroup& group : model->weights) all += group.parameters;
    EXPECT_EQ(all, model->parameters) << row.at("config");
  }
}

TEST(Parameters, RolesOfALlamaAreWhatItsShapesSay) {
  const auto model = read_hf_config(file("configs/llama-3.1-8b.json"));
  ASSERT_TRUE(model);
  std::map<Role, std::int64_t> of;
  for (const WeightGroup& group : model->weights) of[group.role] += group.parameters;
  EXPECT_EQ(of[Role::embedding], 128256LL * 4096);
  EXPECT_EQ(of[Role::output], 128256LL * 4096);
  EXPECT_EQ(of[Role::attention], 32LL * 4096 * (4096 + 1024 + 1024 + 4096));
  EXPECT_EQ(of[Role::feed_forward], 32LL * 3 * 4096 * 14336);
  EXPECT_EQ(of[Role::norm], 65LL * 4096);
}

}  // namespace
}  // namespace gpuready::fit

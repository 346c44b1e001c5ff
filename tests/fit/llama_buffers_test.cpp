/// Small models of random weights as a real llama.cpp loaded them (tools/llama_buffers.py): the
/// sizes that it printed against ours.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "base/text.hpp"
#include "fit/estimate.hpp"
#include "fit/gguf.hpp"
#include "tests/fit/memory_source.hpp"
#include "tests/fit/shapes.hpp"

namespace gpuready::fit {
namespace {

const std::string folder = std::string(GPUREADY_SOURCE_DIR) + "/tests/fit/";
constexpr double mib = 1048576.0;

/// One load: what was printed of each buffer, caches of both kinds of layers together.
struct Load {
  std::string model, kv_dtype;
  std::int64_t file_bytes = 0, context = 0;
  std::map<std::string, double> mib;
  int caches = 0;
};

std::vector<Load> loads() {
  std::ifstream in(folder + "tables/llama_buffers.csv");
  EXPECT_TRUE(in);
  std::vector<Load> out;
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    const auto field = base::split(line, ',');
    const std::int64_t context = std::stoll(field[2]);
    if (out.empty() || std::tie(out.back().model, out.back().context, out.back().kv_dtype) !=
                           std::tie(field[0], context, field[3]))
      out.push_back({field[0], field[3], std::stoll(field[1]), context, {}, 0});
    out.back().mib[field[4]] += std::stod(field[5]);
    out.back().caches += field[4] == "kv" ? 1 : 0;
  }
  return out;
}

/// The file with zeros for its tensors: only headers are read.
Model model_of(const Load& load) {
  std::ifstream in(folder + "llama/" + load.model + ".head", std::ios::binary);
  EXPECT_TRUE(in) << load.model;
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  bytes.resize(static_cast<std::size_t>(load.file_bytes));
  MemorySource source(std::move(bytes), load.model + ".gguf");
  auto model = read_gguf(source, sibling_of({}));
  EXPECT_TRUE(model) << model.error().text;
  return *model;
}

Estimate estimate_of(const Load& load) {
  FitRequest request;
  request.runtime = "llama.cpp";
  request.inference.context = load.context, request.inference.kv_dtype = load.kv_dtype;
  request.inference.parallel = 1, request.inference.flash_attention = "on";
  Devices devices;
  devices.cpu = shapes::gpus(1, 64).gpus[0];
  devices.cpu.name = "cpu";
  auto out = estimate(model_of(load), request, devices);
  EXPECT_TRUE(out) << out.error().text;
  return out ? *out : Estimate{};
}

Range term(const Estimate& estimate, TermName name) {
  for (const Term& t : estimate.terms)
    if (t.name == name) return t.bytes;
  return {};
}

TEST(LlamaBuffers, HoldEveryShapeAtThreeContexts) {
  std::set<std::string> models;
  std::set<std::int64_t> contexts;
  for (const Load& load : loads()) models.insert(load.model), contexts.insert(load.context);
  EXPECT_GE(models.size(), 8U);
  EXPECT_EQ(contexts.size(), 3U);
}

TEST(LlamaBuffers, OfWeightsAndCacheAreOursToThePrintedDigit) {
  for (const Load& load : loads()) {
    SCOPED_TRACE(load.model + " " + std::to_string(load.context) + " " + load.kv_dtype);
    const Estimate found = estimate_of(load);
    const auto ours = [&](TermName name) {
      return static_cast<double>(term(found, name).expected_bytes) / mib;
    };
    // Printed with two digits, and of several caches each so.
    EXPECT_NEAR(ours(TermName::weights), load.mib.at("model"), 0.00501);
    EXPECT_NEAR(ours(TermName::kv_cache), load.mib.at("kv"), 0.00501 * load.caches);
  }
}

TEST(LlamaBuffers, OfTheGraphLieWithinOurRange) {
  for (const Load& load : loads()) {
    SCOPED_TRACE(load.model + " " + std::to_string(load.context) + " " + load.kv_dtype);
    const Range ours = term(estimate_of(load), TermName::compute);
    const double printed = load.mib.at("compute") * mib;
    EXPECT_LE(static_cast<double>(ours.low_bytes), printed);
    EXPECT_GE(static_cast<double>(ours.high_bytes), printed);
  }
}

}  // namespace
}  // namespace gpuready::fit

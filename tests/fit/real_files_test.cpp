/// Files that the packages of each format wrote (tools/make_model_files.py), against what those
/// packages read back from them.

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "base/text.hpp"
#include "fit/gguf.hpp"
#include "fit/gguf_header.hpp"
#include "fit/safetensors.hpp"
#include "fit/safetensors_header.hpp"
#include "tests/fit/memory_source.hpp"

namespace gpuready::fit {
namespace {

const std::string folder = std::string(GPUREADY_SOURCE_DIR) + "/tests/fit/";

std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t side : shape) text += (text.empty() ? "" : "x") + std::to_string(side);
  return text;
}

using Rows = std::map<std::string, std::vector<std::vector<std::string>>>;

/// Rows of a table by their first field, the file.
Rows rows_of(const std::string& table) {
  std::ifstream in(folder + "tables/" + table);
  EXPECT_TRUE(in) << table;
  Rows rows;
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::vector<std::string> fields = base::split(line, ',');
    rows[fields[0]].push_back(std::move(fields));
  }
  return rows;
}

TEST(RealGgufFiles, AreReadAsTheirOwnPackageReadsThem) {
  std::set<std::string> types;
  const Rows rows = rows_of("gguf_files.csv");
  for (const auto& [file, wanted] : rows) {
    MemorySource source(content(folder + "files/" + file), file);
    const auto header = read_gguf_header(source);
    ASSERT_TRUE(header) << header.error().text;
    ASSERT_EQ(header->tensors.size(), wanted.size()) << file;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const GgufTensor& tensor = header->tensors[i];
      EXPECT_EQ(std::to_string(header->version), wanted[i][2]);
      EXPECT_EQ(tensor.name, wanted[i][3]);
      EXPECT_EQ(tensor.type.name, wanted[i][4]) << tensor.name;
      EXPECT_EQ(shape_text(tensor.shape), wanted[i][5]) << tensor.name;
      EXPECT_EQ(std::to_string(tensor.bytes), wanted[i][6]) << tensor.name;
      EXPECT_EQ(std::to_string(header->data_start + tensor.offset), wanted[i][7]) << tensor.name;
      types.insert(wanted[i][4]);
    }
  }
  EXPECT_EQ(rows.size(), 5U);
  EXPECT_GE(types.size(), 32U);
}

TEST(RealGgufFiles, GiveTheirMetadataAndModels) {
  MemorySource source(content(folder + "files/every-value.gguf"), "every-value.gguf");
  const auto header = read_gguf_header(source);
  ASSERT_TRUE(header) << header.error().text;
  EXPECT_EQ(header->alignment, 64);
  for (const char* key : {"test.uint8", "test.uint16", "test.uint32", "test.uint64"})
    EXPECT_EQ(header->integer(key), 200) << key;
  for (const char* key : {"test.int8", "test.int16", "test.int32", "test.int64"})
    EXPECT_EQ(header->integer(key), -3) << key;
  EXPECT_EQ(header->find("test.float32")->real, 1.5);
  EXPECT_EQ(header->find("test.float64")->real, -2.5);
  EXPECT_EQ(header->text("test.string"),
            "a text with \xC3\xBCn\xC3\xAF"
            "code");
  EXPECT_EQ(header->find("test.integers")->numbers, (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(header->find("test.strings")->count, 3);
  const auto model = read_gguf(source, sibling_of({}));
  ASSERT_TRUE(model) << model.error().text;
  EXPECT_EQ(model->native_dtype, "Q8_0");
  EXPECT_EQ(model->shape.vocab, 50);
  EXPECT_EQ(model->shape.layers[1].kv_heads, 1);
  EXPECT_EQ(model->shape.layers[1].head_dim_v, 16);
  EXPECT_EQ(model->shape.layers[1].experts, 8);
  EXPECT_EQ(model->parameters, 50 * 64 + 2 * (4 * 64 * 64 + 8 * 64 + 8 * 64 * 32 + 64));
}

TEST(RealGgufFiles, AreJoinedFromShards) {
  std::map<std::string, std::string> files;
  for (const std::string& name : gguf_shards("split-00001-of-00003.gguf"))
    files[name] = content(folder + "files/" + name);
  MemorySource source(files["split-00002-of-00003.gguf"], "split-00002-of-00003.gguf");
  const auto model = read_gguf(source, sibling_of(files));
  ASSERT_TRUE(model) << model.error().text;
  EXPECT_EQ(model->parameters, 10 * 64 + 4 * 64 * 64);
}

TEST(RealSafetensorsFiles, AreReadAsTheirOwnPackageReadsThem) {
  const Rows rows = rows_of("safetensors_files.csv");
  for (const auto& [file, wanted] : rows) {
    MemorySource source(content(folder + "files/" + file), file);
    const auto header = read_safetensors_header(source);
    ASSERT_TRUE(header) << header.error().text;
    ASSERT_EQ(header->tensors.size(), wanted.size()) << file;
    std::map<std::string, SafetensorsTensor> found;
    for (const SafetensorsTensor& tensor : header->tensors) found[tensor.name] = tensor;
    for (const auto& row : wanted) {
      ASSERT_TRUE(found.contains(row[2])) << row[2];
      EXPECT_EQ(found[row[2]].dtype, row[3]) << row[2];
      EXPECT_EQ(shape_text(found[row[2]].shape), row[4]) << row[2];
      EXPECT_EQ(std::to_string(found[row[2]].bytes), row[5]) << row[2];
    }
  }
  EXPECT_EQ(rows.size(), 3U);
}

TEST(RealSafetensorsFiles, AreJoinedByTheirIndex) {
  const auto index = read_safetensors_index(content(folder + "files/model.safetensors.index.json"),
                                            "model.safetensors.index.json");
  ASSERT_TRUE(index) << index.error().text;
  std::vector<SafetensorsHeader> shards;
  for (const std::string& file : index->files) {
    MemorySource source(content(folder + "files/" + file), file);
    shards.push_back(*read_safetensors_header(source));
  }
  ASSERT_TRUE(check_index(*index, shards));
  EXPECT_EQ(model_of_safetensors(shards)->parameters, 2 * (16 * 16 + 16));
}

}  // namespace
}  // namespace gpuready::fit

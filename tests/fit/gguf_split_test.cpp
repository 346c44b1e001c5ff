#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fit/gguf_models.hpp"

namespace gpuready::fit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(GgufShards, AreJoinedToOneModel) {
  const auto shard = [](std::uint16_t number, GgufBytes bytes) {
    bytes.key("split.no", ValueType::u16, raw(number));
    bytes.key("split.count", ValueType::u16, raw<std::uint16_t>(2));
    bytes.key("split.tensors.count", ValueType::i32, raw<std::int32_t>(6));
    return bytes.file();
  };
  GgufBytes first = start("llama", 1), second;
  attention(second, 0);
  std::map<std::string, std::string> files{{"m-00001-of-00002.gguf", shard(0, first)},
                                           {"m-00002-of-00002.gguf", shard(1, second)}};
  for (const auto& [name, bytes] : files) {
    MemorySource source(bytes, "/models/" + name);
    const auto model = read_gguf(source, sibling_of(files));
    ASSERT_TRUE(model) << model.error().text;
    EXPECT_EQ(model->parameters, 6400 + 64 + 4 * 64 * 64);
    EXPECT_EQ(model->shape.layers[0].mixer, Mixer::attention);
  }
  MemorySource source(files["m-00001-of-00002.gguf"], "/models/m-00001-of-00002.gguf");
  auto without = files;
  without.erase("m-00002-of-00002.gguf");
  EXPECT_THAT(read_gguf(source, sibling_of(without)).error().text,
              HasSubstr("shard 2 of 2 is missing: m-00002-of-00002.gguf"));
  MemorySource renamed(files["m-00001-of-00002.gguf"], "/models/m.gguf");
  EXPECT_THAT(read_gguf(renamed, sibling_of(files)).error().text,
              HasSubstr("one of 2 shards, expected a name that ends in -00001-of-00002.gguf"));
  auto swapped = files;
  swapped["m-00002-of-00002.gguf"] = files["m-00001-of-00002.gguf"];
  EXPECT_THAT(read_gguf(source, sibling_of(swapped)).error().text,
              HasSubstr("split.no 0 of split.count 2, expected 1 of 2"));
  auto fewer = files;
  fewer["m-00002-of-00002.gguf"] = shard(1, GgufBytes().tensor("x", "f32", {1}));
  EXPECT_THAT(read_gguf(source, sibling_of(fewer)).error().text,
              HasSubstr("2 tensors in all shards, expected 6"));
}

TEST(GgufShards, AreNamedByTheNameOfOne) {
  EXPECT_THAT(gguf_shards("a-00003-of-00002.gguf"),
              ElementsAre("a-00001-of-00002.gguf", "a-00002-of-00002.gguf"));
  for (const char* name : {"a.gguf", "-00001-of-00002.gguf.gguf", "a-0001-of-0002.gguf",
                           "a-00001-of-00000.gguf", "00001-of-00002.gguf", "a-00001-of-99999.gguf"})
    EXPECT_THAT(gguf_shards(name), IsEmpty()) << name;
}

TEST(Gguf, RefusesMetadataThatNoModelHas) {
  const auto error_of = [](GgufBytes bytes) {
    const auto model = read(bytes);
    return model ? std::string("no error") : model.error().text;
  };
  EXPECT_THAT(error_of(GgufBytes()), HasSubstr("no key 'general.architecture'"));
  EXPECT_THAT(error_of(GgufBytes().text("general.architecture", "llama")),
              HasSubstr("no key 'llama.block_count'"));
  EXPECT_THAT(error_of(start("llama", 1000000)), HasSubstr("is 1000000, expected 0 to 4096"));
  EXPECT_THAT(error_of(start("llama", 1).number("llama.attention.key_length", 4294967295U)),
              HasSubstr("'llama.attention.key_length' is 4294967295, expected 0 to 16777216"));
  EXPECT_THAT(
      error_of(start("llama", 3)
                   .list<std::int32_t>("llama.feed_forward_length", ValueType::i32, {1, 2})),
      HasSubstr("'llama.feed_forward_length' has 2 values for 3 blocks"));
  EXPECT_THAT(error_of(start("llama", 2).number("llama.nextn_predict_layers", 2)),
              HasSubstr("is 2 of 2 blocks"));
  EXPECT_THAT(error_of(start("llama", 1).text("llama.rope.dimension_count", "x")),
              HasSubstr("is no whole number"));
  EXPECT_THAT(error_of(start("llama", 1).text("general.type", "adapter")),
              HasSubstr("an adapter (LoRA)"));
}

}  // namespace
}  // namespace gpuready::fit

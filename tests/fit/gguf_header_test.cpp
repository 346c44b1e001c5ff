#include "fit/gguf_header.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fit/gguf_bytes.hpp"
#include "tests/fit/memory_source.hpp"

namespace gpuready::fit {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Result<GgufHeader> header_of(std::string bytes) {
  MemorySource source(std::move(bytes));
  return read_gguf_header(source);
}

std::string error_of(std::string bytes) {
  const auto header = header_of(std::move(bytes));
  return header ? "no error" : header.error().text;
}

TEST(GgmlTypes, HaveTheBytesOfTheirBlocks) {
  const auto bytes = [](const char* name, std::int64_t row, std::int64_t rows) {
    return *ggml_bytes(*ggml_type_named(name), row, row * rows);
  };
  EXPECT_EQ(bytes("q4_k", 4096, 11008), 25362432);
  EXPECT_EQ(bytes("iq4_xs", 256, 1), 136);
  EXPECT_EQ(bytes("mxfp4", 2880, 5760), 8812800);
  EXPECT_EQ(bytes("bf16", 7, 3), 42);
  EXPECT_THAT(ggml_bytes(*ggml_type_named("q4_k"), 100, 100).error().text,
              HasSubstr("rows of 100 elements, which is no multiple of the 256"));
  EXPECT_FALSE(ggml_bytes(*ggml_type_named("f64"), 1, INT64_MAX));
}

TEST(GgmlTypes, AreInTheOrderOfTheirIdsAndRemovedOnesAreNamed) {
  for (std::size_t i = 0; i < ggml_types().size(); ++i) EXPECT_EQ(ggml_types()[i].id, i);
  EXPECT_THAT(ggml_type(4).error().text, HasSubstr("type 4 (q4_2), which llama.cpp has removed"));
  EXPECT_THAT(ggml_type(31).error().text, HasSubstr("q4_0_4_4"));
  EXPECT_THAT(ggml_type(139).error().text, HasSubstr("unknown type 139"));
  EXPECT_EQ(ggml_type_named("q4_2"), nullptr);
  EXPECT_EQ(ggml_file_type(15), "Q4_K_M");
  EXPECT_EQ(ggml_file_type(1024 + 7), "Q8_0");
  EXPECT_EQ(ggml_file_type(4), "");
  EXPECT_EQ(ggml_file_type(-1), "");
  EXPECT_EQ(ggml_file_type(99), "");
}

TEST(GgufHeader, KeepsValuesOfEveryType) {
  GgufBytes bytes;
  bytes.key("u8", ValueType::u8, raw<std::uint8_t>(200));
  bytes.key("i8", ValueType::i8, raw<std::int8_t>(-2));
  bytes.key("u16", ValueType::u16, raw<std::uint16_t>(65535));
  bytes.key("i16", ValueType::i16, raw<std::int16_t>(-3));
  bytes.number("u32", 4294967295U);
  bytes.key("i32", ValueType::i32, raw<std::int32_t>(-4));
  bytes.key("u64", ValueType::u64, raw<std::uint64_t>(1) + "");
  bytes.key("large", ValueType::u64, raw<std::uint64_t>(UINT64_MAX));
  bytes.key("i64", ValueType::i64, raw<std::int64_t>(-5));
  bytes.key("f32", ValueType::f32, raw(1.5F));
  bytes.key("f64", ValueType::f64, raw(-2.5));
  bytes.key("yes", ValueType::boolean, raw<std::uint8_t>(1));
  bytes.text("text", "llama");
  bytes.list<std::int32_t>("heads", ValueType::i32, {8, 0, 8});
  bytes.list<std::uint8_t>("flags", ValueType::boolean, {1, 0});
  bytes.list<float>("scores", ValueType::f32, {1, 2, 3});
  bytes.texts("tokens", 1000);
  const auto header = header_of(bytes.file());
  ASSERT_TRUE(header) << header.error().text;
  EXPECT_EQ(header->integer("u8"), 200);
  EXPECT_EQ(header->integer("i8"), -2);
  EXPECT_EQ(header->integer("u16"), 65535);
  EXPECT_EQ(header->integer("i16"), -3);
  EXPECT_EQ(header->integer("u32"), 4294967295);
  EXPECT_EQ(header->integer("i32"), -4);
  EXPECT_EQ(header->integer("u64"), 1);
  EXPECT_FALSE(header->integer("large"));
  EXPECT_EQ(header->integer("i64"), -5);
  EXPECT_EQ(header->find("f32")->real, 1.5);
  EXPECT_EQ(header->find("f64")->real, -2.5);
  EXPECT_EQ(header->integer("yes"), 1);
  EXPECT_EQ(header->text("text"), "llama");
  EXPECT_EQ(header->find("heads")->numbers, (std::vector<std::int64_t>{8, 0, 8}));
  EXPECT_EQ(header->find("flags")->numbers, (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(header->find("scores")->count, 3);
  EXPECT_EQ(header->find("tokens")->count, 1000);
  EXPECT_TRUE(header->find("tokens")->numbers.empty());
  EXPECT_EQ(header->find("nothing"), nullptr);
}

TEST(GgufHeader, ReadsTensorsWithTheirBytesAndPlaces) {
  GgufBytes bytes;
  bytes.version = 2;
  bytes.tensor("a", "q8_0", {64, 3}).tensor("b", "f32", {5}).tensor("c", "f16", {});
  const auto header = header_of(bytes.file());
  ASSERT_TRUE(header) << header.error().text;
  ASSERT_EQ(header->tensors.size(), 3U);
  EXPECT_EQ(header->tensors[0].bytes, 204);
  EXPECT_EQ(header->tensors[0].elements, 192);
  EXPECT_EQ(header->tensors[1].offset, 224);
  EXPECT_EQ(header->tensors[2].elements, 1);
  EXPECT_EQ(header->data_start % 32, 0);
  EXPECT_EQ(header->file_bytes, static_cast<std::int64_t>(bytes.file().size()));
}

TEST(GgufHeader, ReadsNoMoreThanTheHeaderNeeds) {
  GgufBytes bytes;
  bytes.texts("tokens", 50000).tensor("w", "f32", {1024, 8192});
  MemorySource source(bytes.file());
  ASSERT_TRUE(read_gguf_header(source));
  EXPECT_LT(source.read_bytes, 4 << 20U);
  EXPECT_LT(source.reads, 8);
}

TEST(GgufHeader, TellsWhatItIsWhereItIsNoGgufOfOurs) {
  GgufBytes bytes;
  EXPECT_THAT(error_of("PK\x03\x04 and more of it"), HasSubstr("test.gguf: begins with 'PK"));
  EXPECT_THAT(error_of("version https://git-lfs.github.com/spec/v1\n"), HasSubstr("Git LFS"));
  EXPECT_THAT(error_of("tjgg" + std::string(100, '\0')), HasSubstr("before GGUF"));
  EXPECT_THAT(error_of(""), HasSubstr("ends in the first four bytes: the file has 0 bytes"));
  bytes.version = 1;
  EXPECT_THAT(error_of(bytes.file()), HasSubstr("GGUF version 1, expected 2 or 3"));
  bytes.version = 0x03000000;
  EXPECT_THAT(error_of(bytes.file()), HasSubstr("for big-endian machines"));
  bytes.version = 4;
  EXPECT_THAT(error_of(bytes.file()), AllOf(HasSubstr("GGUF version 4"), HasSubstr("at byte 4")));
}

TEST(GgufHeader, IsAnErrorWhereverItIsCutOff) {
  GgufBytes bytes;
  bytes.text("general.architecture", "llama").list<std::int32_t>("l", ValueType::i32, {1, 2});
  bytes.texts("t", 3).tensor("token_embd.weight", "q4_0", {32, 4});
  const std::string file = bytes.file();
  for (std::size_t length = 0; length < file.size(); ++length) {
    // The last tensor is not padded.
    if (length >= file.size() - (32 - 72 % 32)) continue;
    EXPECT_FALSE(header_of(file.substr(0, length))) << length;
  }
  EXPECT_TRUE(header_of(file));
  EXPECT_THAT(error_of(file.substr(0, file.size() - 40)), HasSubstr("is the download complete?"));
}

TEST(GgufHeader, RefusesNumbersThatAFileOfItsSizeCannotHave) {
  const auto start = [](std::uint64_t tensors, std::uint64_t keys) {
    return "GGUF" + raw<std::uint32_t>(3) + raw(tensors) + raw(keys) + std::string(1000, '\0');
  };
  EXPECT_THAT(error_of(start(UINT64_MAX, 0)), HasSubstr("18446744073709551615 tensors"));
  EXPECT_THAT(error_of(start(1000, 0)), HasSubstr("1000 tensors, expected at most"));
  EXPECT_THAT(error_of(start(0, 1ULL << 63U)), HasSubstr("metadata keys"));
  GgufBytes bytes;
  bytes.key("k", ValueType::text, raw<std::uint64_t>(UINT64_MAX));
  EXPECT_THAT(error_of(bytes.file()), HasSubstr("a text of 18446744073709551615 bytes"));
  GgufBytes list;
  list.key("k", ValueType::list, raw<std::uint32_t>(4) + raw<std::uint64_t>(1ULL << 62U));
  EXPECT_THAT(error_of(list.file()), HasSubstr("the key 'k' has a list of 4611686018427387904"));
}

TEST(GgufHeader, RefusesListsInListsAndUnknownTypesOfValues) {
  GgufBytes nested;
  nested.key("k", ValueType::list,
             raw<std::uint32_t>(9) + raw<std::uint64_t>(1) + raw<std::uint32_t>(9));
  EXPECT_THAT(error_of(nested.file()), HasSubstr("a list of type 9, expected numbers or texts"));
  GgufBytes unknown;
  unknown.key("k", static_cast<ValueType>(13), raw<std::uint64_t>(0));
  EXPECT_THAT(error_of(unknown.file()), HasSubstr("a value of type 13"));
}

TEST(GgufHeader, RefusesNamesThatRepeatAreEmptyTooLongOrNoUtf8) {
  GgufBytes twice;
  twice.number("a", 1).number("a", 2);
  EXPECT_THAT(error_of(twice.file()), HasSubstr("the key 'a' for the second time"));
  GgufBytes tensors;
  tensors.tensor("t", "f32", {8}).tensor("t", "f32", {8});
  EXPECT_THAT(error_of(tensors.file()), HasSubstr("the tensor 't' for the second time"));
  EXPECT_THAT(error_of(GgufBytes().number("", 1).file()), HasSubstr("of 0 bytes, expected 1"));
  EXPECT_THAT(error_of(GgufBytes().number("\xff", 1).file()), HasSubstr("not UTF-8"));
  EXPECT_THAT(error_of(GgufBytes().number("\xed\xa0\x80", 1).file()), HasSubstr("not UTF-8"));
  EXPECT_THAT(error_of(GgufBytes().tensor(std::string(300, 'x'), "f32", {1}).file()),
              HasSubstr("of 300 bytes, expected 1 to 255"));
}

TEST(GgufHeader, RefusesAlignmentsThatAreNoPowerOfTwo) {
  for (const std::uint32_t alignment : {0U, 24U, 0x80000000U})
    EXPECT_THAT(error_of(GgufBytes().number("general.alignment", alignment).file()),
                HasSubstr("general.alignment is " + std::to_string(alignment)));
  EXPECT_THAT(error_of(GgufBytes().text("general.alignment", "x").file()),
              HasSubstr("expected a power of two"));
  GgufBytes wide;
  wide.alignment = 128;
  wide.number("general.alignment", 128).tensor("a", "f32", {1}).tensor("b", "f32", {1});
  const auto header = header_of(wide.file());
  ASSERT_TRUE(header) << header.error().text;
  EXPECT_EQ(header->tensors[1].offset, 128);
}

TEST(GgufHeader, RefusesShapesAndTypesNamingTheTensor) {
  const auto wrong = [](std::uint32_t type, const std::vector<std::int64_t>& shape) {
    return error_of(GgufBytes().tensor_at("blk.0.w", type, shape, 0).file());
  };
  EXPECT_THAT(wrong(0, {4, 0}), HasSubstr("'blk.0.w': dimension 1 is 0"));
  EXPECT_THAT(wrong(0, {-1}), HasSubstr("dimension 0 is 18446744073709551615"));
  EXPECT_THAT(wrong(0, {1 << 30, 1 << 30, 1 << 30}), HasSubstr("dimension 2 is 1073741824"));
  EXPECT_THAT(wrong(0, {1LL << 62U}), HasSubstr("more bytes than 64 bits count"));
  EXPECT_THAT(wrong(0, {1, 1, 1, 1, 1}), HasSubstr("has 5 dimensions, expected at most 4"));
  EXPECT_THAT(wrong(99, {1}), HasSubstr("tensor 'blk.0.w': unknown type 99"));
  EXPECT_THAT(wrong(36, {32}), HasSubstr("iq4_nl_4_4"));
  EXPECT_THAT(wrong(12, {100}), HasSubstr("no multiple of the 256 of a block of q4_k"));
}

TEST(GgufHeader, RefusesTensorsOutsideTheFileUnalignedOrOnOneAnother) {
  const auto wrong = [](std::uint64_t offset) {
    return error_of(GgufBytes().tensor("a", "f32", {64}).tensor_at("b", 0, {64}, offset).file());
  };
  EXPECT_THAT(wrong(128), HasSubstr("tensor 'b' lies on tensor 'a'"));
  EXPECT_THAT(wrong(257), HasSubstr("offset 257, expected a multiple of 32"));
  EXPECT_THAT(wrong(1ULL << 40U), HasSubstr("offset 1099511627776 in a file of"));
  EXPECT_THAT(wrong(UINT64_MAX - 31), HasSubstr("offset 18446744073709551584"));
  EXPECT_THAT(wrong(256), HasSubstr("takes 256 bytes, but the file has only"));
}

TEST(GgufHeader, ReadsManyTensorsButNoMoreThanAMillion) {
  constexpr std::uint64_t count = 100000;
  std::string entries;
  for (std::uint64_t i = 0; i < count; ++i)
    entries += raw_text(std::to_string(i)) + raw<std::uint32_t>(1) + raw<std::int64_t>(8) +
               raw<std::uint32_t>(0) + raw<std::uint64_t>(32 * i);
  std::string file = "GGUF" + raw<std::uint32_t>(3) + raw(count) + raw<std::uint64_t>(0) + entries;
  file.resize((file.size() + 31) / 32 * 32 + 32 * count);
  const auto header = header_of(file);
  ASSERT_TRUE(header) << header.error().text;
  EXPECT_EQ(header->tensors.size(), count);
  file.resize(30U << 20U);
  file.replace(8, 8, raw<std::uint64_t>(1000001));
  EXPECT_THAT(error_of(file), HasSubstr("1000001 tensors, expected at most 1000000"));
}

TEST(GgufHeader, ShowsNoControlCharactersOfAName) {
  const std::string error = error_of(GgufBytes().tensor_at("a\x1b[31m\nb", 99, {1}, 0).file());
  EXPECT_EQ(error.find('\x1b'), std::string::npos);
  EXPECT_EQ(error.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace gpuready::fit

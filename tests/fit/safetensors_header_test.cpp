#include "tests/fit/safetensors_bytes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fit/memory_source.hpp"

namespace gpuready::fit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<SafetensorsHeader> header_of(std::string bytes) {
  MemorySource source(std::move(bytes), "model.safetensors");
  return read_safetensors_header(source);
}

std::string error_of(std::string bytes) {
  const auto header = header_of(std::move(bytes));
  return header ? "no error" : header.error().text;
}

/// The error of a header with one tensor "w" of this entry and so many bytes of data.
std::string error_of_entry(const std::string& entry, std::size_t data_bytes) {
  return error_of(safetensors_file("{\"w\":" + entry + "}", data_bytes));
}

TEST(SafetensorsHeader, ReadsTensorsOfEveryType) {
  SafetensorsBytes bytes;
  const std::vector<std::string> dtypes{
      "BOOL",    "F4",  "F6_E2M3", "F6_E3M2", "U8",          "I8",         "F8_E5M2", "F8_E4M3",
      "F8_E8M0", "I16", "U16",     "F16",     "BF16",        "I32",        "U32",     "F32",
      "C64",     "F64", "I64",     "U64",     "F8_E4M3FNUZ", "F8_E5M2FNUZ"};
  std::int64_t sum = 0;
  for (const std::string& dtype : dtypes) {
    bytes.tensor("t." + dtype, dtype, {4, 3, 2});
    sum += 3 * safetensors_bits(dtype);
  }
  const auto header = header_of(bytes.file());
  ASSERT_TRUE(header) << header.error().text;
  ASSERT_EQ(header->tensors.size(), dtypes.size());
  EXPECT_EQ(header->tensors[1].dtype, "f4");
  EXPECT_EQ(header->tensors[1].elements, 24);
  EXPECT_EQ(header->tensors[1].bytes, 12);
  EXPECT_EQ(header->tensors[2].bytes, 18);
  EXPECT_EQ(header->file_bytes - header->data_start, sum);
}

TEST(SafetensorsHeader, TakesMetadataScalarsAndTensorsWithoutElements) {
  const auto header = header_of(safetensors_file(
      R"({"__metadata__":{"format":"pt"},"s":{"dtype":"F32","shape":[],"data_offsets":[0,4]},)"
      R"("e":{"dtype":"F32","shape":[0,7],"data_offsets":[4,4]}}   )",
      4));
  ASSERT_TRUE(header) << header.error().text;
  EXPECT_EQ(header->tensors.size(), 2U);
  EXPECT_EQ(header->tensors[0].elements, 1);
  EXPECT_EQ(header->tensors[1].elements, 0);
}

TEST(SafetensorsHeader, ReadsTheHeaderAndNotTheData) {
  SafetensorsBytes bytes;
  for (int i = 0; i < 5000; ++i) bytes.tensor("layer." + std::to_string(i), "BF16", {1000});
  MemorySource source(bytes.file());
  ASSERT_TRUE(read_safetensors_header(source));
  EXPECT_LE(source.reads, 2);
  EXPECT_LT(source.read_bytes, 600000);
}

TEST(SafetensorsHeader, RefusesLengthsThatTheFileDoesNotHave) {
  EXPECT_THAT(error_of("abc"), HasSubstr("model.safetensors: 3 bytes, expected a safetensors"));
  EXPECT_THAT(error_of(std::string(8, '\xff')), HasSubstr("a header of 9223372036854775807 bytes"));
  std::string cut = SafetensorsBytes().tensor("w", "F32", {4}).file();
  EXPECT_THAT(error_of(cut.substr(0, 30)), HasSubstr("bytes in a file of 30"));
  EXPECT_THAT(error_of("version https://git-lfs.github.com/spec/v1\n"), HasSubstr("Git LFS"));
  std::string large(8, '\0');
  large[3] = '\x06';  // 6 * 2^24: more than 100 MB
  EXPECT_THAT(error_of(large + "{}"), HasSubstr("100 MB at most"));
}

TEST(SafetensorsHeader, RefusesWhatIsNoJsonOfTheRightKind) {
  EXPECT_THAT(error_of(safetensors_file("xx", 0)), HasSubstr("begins with 'xx', expected '{'"));
  EXPECT_THAT(error_of(safetensors_file("{\"a\":", 0)), HasSubstr("the header is not JSON"));
  EXPECT_THAT(error_of(safetensors_file("{\"\xff\":1}", 0)), HasSubstr("not JSON"));
  EXPECT_THAT(error_of_entry("{\"dtype\":\"F32\",\"shape\":[NaN],\"data_offsets\":[0,4]}", 4),
              HasSubstr("not JSON"));
  EXPECT_THAT(error_of_entry(std::string(200, '[') + std::string(200, ']'), 0),
              HasSubstr("nested deeper than 100 levels"));
  EXPECT_THAT(error_of_entry("3", 0), HasSubstr("tensor 'w': no object"));
  EXPECT_THAT(error_of_entry("{}", 0), HasSubstr("tensor 'w': no 'dtype'"));
}

TEST(SafetensorsHeader, RefusesShapesTypesAndRangesThatDoNotAgree) {
  const auto entry = [](const std::string& dtype, const std::string& shape,
                        const std::string& offsets) {
    return "{\"dtype\":\"" + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}";
  };
  const auto error = [&](const std::string& dtype, const std::string& shape,
                         const std::string& offsets) {
    return error_of_entry(entry(dtype, shape, offsets), 16);
  };
  EXPECT_EQ(error("F32", "[4]", "[0,16]"), "no error");
  EXPECT_THAT(error("F33", "[4]", "[0,16]"), HasSubstr("tensor 'w': unknown type 'F33'"));
  EXPECT_THAT(error("F32", "[3]", "[0,16]"), HasSubstr("16 bytes for 3 elements of 32 bits"));
  EXPECT_THAT(error("F4", "[3]", "[0,1]"), HasSubstr("1 bytes for 3 elements of 4 bits"));
  EXPECT_THAT(error("F32", "4", "[0,16]"), HasSubstr("no list 'shape'"));
  EXPECT_THAT(error("F32", "[-4]", "[0,16]"), HasSubstr("a 'shape' with '-4'"));
  EXPECT_THAT(error("F32",
                    "[\"\xC2\x9B"
                    "31m\"]",
                    "[0,16]"),
              ::testing::Not(HasSubstr("\xC2\x9B")));
  EXPECT_THAT(error("F32", "[4.0]", "[0,16]"), HasSubstr("expected whole numbers"));
  EXPECT_THAT(error("F32", "[4294967296,4294967296]", "[0,16]"), HasSubstr("than 64 bits count"));
  EXPECT_THAT(error("F32", "[9223372036854775807]", "[0,16]"), HasSubstr("16 bytes for"));
  EXPECT_THAT(error("F32", "[18446744073709551615]", "[0,16]"), HasSubstr("a 'shape' with"));
  EXPECT_THAT(error("F32", "[4]", "[0,17]"), HasSubstr("is the download complete?"));
  EXPECT_THAT(error("F32", "[4]", "[16,0]"), HasSubstr("no 'data_offsets' of begin and end"));
  EXPECT_THAT(error("F32", "[4]", "[0]"), HasSubstr("no 'data_offsets'"));
  EXPECT_THAT(error("F32", "[2]", "[8,16]"), HasSubstr("a hole before it"));
  EXPECT_THAT(error("F32", "[2]", "[0,8]"), HasSubstr("16 bytes of data, expected the 8"));
}

TEST(SafetensorsHeader, RefusesTensorsOnOneAnotherAndNamesThatRepeat) {
  EXPECT_THAT(
      error_of(safetensors_file(R"({"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]},)"
                                R"("b":{"dtype":"U8","shape":[8],"data_offsets":[4,12]}})",
                                12)),
      HasSubstr("tensor 'b' begins at byte 4 of the data, expected 8 (it lies on another)"));
  // Of members with one name only the last counts: the bytes of the first are a hole.
  EXPECT_THAT(error_of(safetensors_file(R"({"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]},)"
                                        R"("a":{"dtype":"U8","shape":[8],"data_offsets":[8,16]}})",
                                        16)),
              HasSubstr("a hole before it"));
}

TEST(SafetensorsIndex, GivesTheFilesAndRefusesPathsOutOfTheFolder) {
  const auto index = read_safetensors_index(
      R"({"metadata":{"total_size":3},"weight_map":{"a":"2.safetensors","b":"1.safetensors",)"
      R"("c":"2.safetensors"}})",
      "index.json");
  ASSERT_TRUE(index) << index.error().text;
  EXPECT_THAT(index->files, ElementsAre("1.safetensors", "2.safetensors"));
  EXPECT_EQ(index->weight_map.at("c"), "2.safetensors");
  for (const char* wrong : {"../a", "/etc/passwd", "", "..", "https://x", "a\\\\b"})
    EXPECT_FALSE(
        read_safetensors_index("{\"weight_map\":{\"a\":\"" + std::string(wrong) + "\"}}", "i"))
        << wrong;
  for (const char* wrong : {"{", "[]", "{}", "{\"weight_map\":[]}", "{\"weight_map\":{}}",
                            "{\"weight_map\":{\"a\":1}}"})
    EXPECT_FALSE(read_safetensors_index(wrong, "i")) << wrong;
}

TEST(SafetensorsIndex, NamesATensorThatIsNotInItsFile) {
  const auto index = read_safetensors_index(R"({"weight_map":{"a":"x","b":"x"}})", "i");
  ASSERT_TRUE(index);
  const auto with =
      header_of(SafetensorsBytes().tensor("a", "U8", {1}).tensor("b", "U8", {1}).file());
  const auto without = header_of(SafetensorsBytes().tensor("a", "U8", {1}).file());
  EXPECT_TRUE(check_index(*index, {*with}));
  EXPECT_THAT(check_index(*index, {*without}).error().text,
              HasSubstr("tensor 'b' is in 'x', but it is not"));
}

}  // namespace
}  // namespace gpuready::fit

#include "base/json.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "gpuready/run.hpp"

namespace gpuready::base {
namespace {

JsonWriter plain_writer() { return JsonWriter(keep_message); }

Gpu sample_gpu() {
  Gpu gpu;
  gpu.name = Fact<std::string>("Tesla T4", "nvmlDeviceGetName");
  gpu.memory_total_bytes = Fact<std::int64_t>(15843721216, "nvmlDeviceGetMemoryInfo_v2");
  gpu.context = Fact<bool>::absent(Absence::call_failed, "cuDevicePrimaryCtxRetain: 46", 46);
  return gpu;
}

TEST(JsonFields, WriteAndReadGiveTheSameStructWithItsSourcesAndReasons) {
  Machine machine;
  machine.gpus = {sample_gpu()};
  machine.environment.variables["CUDA_VISIBLE_DEVICES"] = "0";
  JsonWriter writer = plain_writer();
  const Json json = writer.write(machine);
  JsonReader reader(writer.sources());
  Machine back;
  ASSERT_TRUE(reader.read(json, back)) << reader.error();
  EXPECT_EQ(*back.gpus[0].name, "Tesla T4");
  EXPECT_EQ(back.gpus[0].name.source(), "nvmlDeviceGetName");
  EXPECT_EQ(back.gpus[0].context.missing().code, 46);
  EXPECT_EQ(plain_writer().write(back), json);
}

TEST(JsonFields, AbsentFactsAreObjectsNeverNull) {
  const std::string text = dump_json(plain_writer().write(Machine{}), false);
  EXPECT_EQ(text.find("null"), std::string::npos);
  EXPECT_NE(text.find(R"("absent":"not-tested")"), std::string::npos);
}

TEST(JsonFields, NumbersThatAreNotFiniteAreAbsent) {
  Case measured;
  measured.median_s = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(plain_writer().write(measured)["median_s"]["absent"], "not-applicable");
}

TEST(JsonFields, IntervalsAreListsOfTwo) {
  Case measured;
  measured.ci95_s = {0.5, 0.75};
  EXPECT_EQ(plain_writer().write(measured)["ci95_s"], Json::array({0.5, 0.75}));
}

TEST(JsonParsing, OfMembersWithOneNameTheLastCounts) {
  const auto json = parse_json(R"({"a": 1, "b": {"x": 1, "x": 2}, "a": [3]})");
  ASSERT_TRUE(json);
  EXPECT_EQ(dump_json(*json, false), R"({"b":{"x":2},"a":[3]})");
}

TEST(JsonParsing, DepthAndNumberOfValuesAreBounded) {
  const std::string deep = std::string(100, '[') + std::string(100, ']');
  EXPECT_TRUE(parse_json(deep));
  EXPECT_EQ(parse_json("[" + deep + "]").error().text, "not JSON: nested deeper than 100 levels");
  std::string many = "[0";
  for (int i = 0; i < (2 << 20); ++i) many += ",0";
  EXPECT_EQ(parse_json(many + "]").error().text, "not JSON: more than 2 million values");
  EXPECT_FALSE(parse_json(std::string(10000000, '[')));
}

TEST(JsonParsing, AnObjectOfManyMembersIsReadInPassing) {
  std::string many = "{";
  for (int i = 0; i < 300000; ++i) many += "\"" + std::to_string(i) + "\":0,";
  EXPECT_EQ(parse_json(many + "\"0\":1}")->size(), 300000U);
}

TEST(JsonParsing, WhatIsNoNumberOrNoUtf8IsRefused) {
  for (const char* const text :
       {"1e999", "NaN", "[Infinity]", "-", "\"\xff\"", "\"\x80\"", "", "\xEF\xBB"})
    EXPECT_FALSE(parse_json(text)) << text;
}

TEST(JsonWriting, NoControlCharacterIsWrittenAsItIs) {
  EXPECT_EQ(dump_json("\x1b[31m\x7f\xc2\x9b"
                      "5m\xc2\xa9",
                      false),
            "\"\\u001b[31m\\u007f\\u009b5m\xC2\xA9\"");
  EXPECT_EQ(*parse_json(dump_json("\xc2\x9b\x7f", false)), Json("\xc2\x9b\x7f"));
}

TEST(JsonReading, TheErrorNamesThePathAndWhatWasExpected) {
  const auto error_for = [](const char* text) {
    gpuready::Run run;
    JsonReader reader;
    EXPECT_FALSE(reader.read(*parse_json(text), run));
    return reader.error();
  };
  EXPECT_EQ(error_for(R"({"machine":{"gpus":[{},{"name":5}]}})"),
            "machine.gpus[1].name: expected a string, found number");
  EXPECT_EQ(error_for(R"({"machine":{"gpus":{}}})"), "machine.gpus: expected a list, found object");
  EXPECT_EQ(error_for(R"({"doctor":{"verdict":"maybe"}})"),
            "doctor.verdict: expected one of the known words, found string");
  EXPECT_EQ(error_for(R"({"machine":{"cpu":{"sockets":1.5}}})"),
            "machine.cpu.sockets: expected an integer, found number");
  EXPECT_EQ(error_for(R"({"machine":{"cpu":{"sockets":18446744073709551615}}})"),
            "machine.cpu.sockets: expected an integer below 2^63, found number");
  EXPECT_EQ(error_for("[]"), "the whole: expected an object, found array");
}

TEST(JsonReading, FieldsOfANewerVersionAreIgnoredAndMissingOnesKeepTheirDefault) {
  gpuready::Run run;
  JsonReader reader;
  ASSERT_TRUE(reader.read(*parse_json(R"({"future":[1,2],"machine":{"os":{"x":1}}})"), run));
  EXPECT_TRUE(run.machine.os.name.absent_for(Absence::not_tested));
}

TEST(JsonReading, TextThatIsNotJsonIsAnErrorNotAnException) {
  EXPECT_FALSE(parse_json(""));
  EXPECT_FALSE(parse_json("{\"a\":"));
  EXPECT_FALSE(parse_json("\xff\xfe"));
  EXPECT_FALSE(parse_json(std::string(200000, '[')));
}

TEST(JsonMessages, SurviveTheWayBetweenOurOwnProcesses) {
  const Message message{"bench.error.run", {"cuda:0", "a, b"}};
  EXPECT_EQ(unpack_message(keep_message(message)), message);
  EXPECT_EQ(unpack_message("plain text"), (Message{"", {"plain text"}}));
  EXPECT_EQ(unpack_message(""), (Message{"", {""}}));
}

}  // namespace
}  // namespace gpuready::base

#include "host/recorder.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>

#include "base/json.hpp"
#include "host/real_host.hpp"
#include "host/recorded_host.hpp"
#include "host/redact.hpp"
#include "probe/probe.hpp"
#include "tests/probe/recorded_machine.hpp"

namespace gpuready::host {
namespace {

std::string as_json(const Machine& machine) {
  base::JsonWriter writer([](const Message& message) { return message.key; });
  base::Json json{{"machine", writer.write(machine)}};
  json["sources"] = writer.sources();
  return base::dump_json(json, true);
}

/// A machine, the recording of its probing through JSON and back, and the replay.
void expect_same_after_replay(Host& host, const probe::ProbeOptions& options) {
  Recorder recorder(host);
  const std::string live = as_json(probe::probe_machine(recorder, options));
  const std::string text = base::dump_json(recorder.recording().to_json(), false);
  const auto recording = Recording::from_json(*base::parse_json(text));
  ASSERT_TRUE(recording) << recording.error().text;
  RecordedHost replay(*recording);
  EXPECT_EQ(as_json(probe::probe_machine(replay, options)), live);
}

TEST(Recorder, EveryRecordedMachineIsTheSameWhenRecordedAgain) {
  for (const auto& entry :
       std::filesystem::directory_iterator(GPUREADY_SOURCE_DIR "/tests/machines")) {
    if (entry.path().extension() != ".json") continue;
    RecordedHost host(probe::testing::load_recording(entry.path().stem().string()));
    expect_same_after_replay(host, {});
  }
}

TEST(Recorder, ARedactedRecordingGivesTheSameMachine) {
  for (const auto& entry :
       std::filesystem::directory_iterator(GPUREADY_SOURCE_DIR "/tests/machines")) {
    if (entry.path().extension() != ".json") continue;
    const std::string name = entry.path().stem().string();
    const Recording recording = probe::testing::load_recording(name);
    RecordedHost original(recording);
    const Machine before = probe::probe_machine(original, {});
    RecordedHost redacted(*Recording::from_json(Redactor({}, {}, {}).json(recording.to_json())));
    const Machine after = probe::probe_machine(redacted, {});
    ASSERT_EQ(after.gpus.size(), before.gpus.size()) << name;
    for (std::size_t i = 0; i < before.gpus.size(); ++i) {
      EXPECT_EQ(after.gpus[i].kernel.known(), before.gpus[i].kernel.known()) << name;
      EXPECT_EQ(after.gpus[i].cuda_index.value_or(-1), before.gpus[i].cuda_index.value_or(-1));
    }
    EXPECT_EQ(after.os.kernel.value_or(""), before.os.kernel.value_or("")) << name;
    ASSERT_EQ(after.libraries.size(), before.libraries.size()) << name;
    for (std::size_t i = 0; i < before.libraries.size(); ++i)
      EXPECT_EQ(after.libraries[i].version.value_or(""), before.libraries[i].version.value_or(""));
    EXPECT_EQ(after.python.size(), before.python.size()) << name;
  }
}

TEST(Recorder, ThisMachineIsTheSameWhenReplayed) {
  const auto host = make_real_host();
  probe::ProbeOptions options;
  options.nvml = options.cuda = options.opencl = false;
  options.wake = false;
  Recorder recorder(*host);
  const Machine live = probe::probe_machine(recorder, options);
  RecordedHost replay(*Recording::from_json(recorder.recording().to_json()));
  const Machine replayed = probe::probe_machine(replay, options);
  EXPECT_EQ(as_json(replayed), as_json(live));
}

TEST(Recorder, CommandsOfTheProgramItselfAreRecordedUnderOneName) {
  const auto host = make_real_host();
  Recorder recorder(*host);
  Command command;
  command.argv = {"/bin/sh", "-c", "echo out; echo err >&2; exit 3"};
  recorder.run(command);
  ASSERT_EQ(recorder.recording().commands.size(), 1U);
  EXPECT_EQ(recorder.recording().commands[0].result.code, 3);
  RecordedHost replay(recorder.recording());
  EXPECT_EQ(replay.run(command).output, "out\n");
  EXPECT_EQ(replay.run(command).errors, "err\n");
}

TEST(Recording, JsonKeepsValuesAndErrors) {
  Recording recording;
  recording.files.emplace("/a", "text\xc3\xa9");
  recording.files.emplace("/b", failure("/b: no", EACCES));
  recording.statuses.emplace("/c", FileStatus{FileKind::character_device, 0660, 1, 44, 7});
  recording.accesses.emplace("/d", failure("/d: no", EPERM));
  recording.commands.push_back({{"self", "x"}, {End::signalled, 11, "o", "e"}});
  recording.environment["A"] = "b";
  recording.libc = "glibc 2.36", recording.now = 5;
  const auto read = Recording::from_json(*base::parse_json(recording.to_json().dump()));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->to_json().dump(), recording.to_json().dump());
  EXPECT_EQ(read->files.at("/b").error().code, EACCES);
  EXPECT_EQ(read->statuses.at("/c")->gid, 44U);
}

TEST(Recording, AFaultNamesItsPlace) {
  const auto error_of = [](const char* text) {
    const auto read = Recording::from_json(*base::parse_json(text));
    return read ? std::string("none") : read.error().text;
  };
  EXPECT_EQ(error_of("[]"), "raw: expected an object");
  EXPECT_EQ(error_of(R"({"files":{"/a":7}})"), "raw.files./a: expected a string");
  EXPECT_EQ(error_of(R"({"folders":{"/a":["x",1]}})"), "raw.folders./a: expected a string");
  EXPECT_EQ(error_of(R"({"opens":{"/a":{"errno":"x"}}})"), "raw.opens./a: expected an integer");
  EXPECT_EQ(error_of(R"({"commands":[{"end":"asleep"}]})"),
            "raw.commands.end: expected one of the known words");
}

}  // namespace
}  // namespace gpuready::host

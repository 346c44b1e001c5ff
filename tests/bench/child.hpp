#pragma once
/// Runs one measurement in a process of its own.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>

#include "base/json.hpp"
#include "bench/runner.hpp"
#include "host/host.hpp"

namespace gpuready::bench::testing {

using Environment = std::map<std::string, std::optional<std::string>>;

/// The keys and values of the errors, for reading and searching.
inline std::string errors_of(const MeasureAnswer& answer) {
  std::string text;
  for (const CaseError& error : answer.errors) {
    text += error.why.key;
    for (const std::string& arg : error.why.args) text += " | " + arg;
  }
  return text;
}

inline host::CommandResult run_measure_once(host::Host& host, const MeasureRequest& request,
                                            Environment environment) {
  // Vendor libraries leak on purpose; that is theirs to answer for.
  environment["ASAN_OPTIONS"] = "detect_leaks=0";
  host::Command command;
  command.argv = {std::string(GPUREADY_FAKES_DIR) + "/measure_once"};
  command.deadline = std::chrono::seconds(100);
  command.input = base::dump_json(base::JsonWriter(base::keep_message).write(request), false);
  command.environment = std::move(environment);
  return host.run(command);
}

inline MeasureAnswer measure_in_child(host::Host& host, const MeasureRequest& request,
                                      const Environment& environment) {
  const host::CommandResult result = run_measure_once(host, request, environment);
  MeasureAnswer answer;
  // What a vendor library prints comes before our one line.
  const auto json = base::parse_json(result.output.substr(result.output.rfind('\n') + 1));
  base::JsonReader reader;
  if (!json || !reader.read(*json, answer))
    ADD_FAILURE() << "the child gave no answer: code " << result.code << ", " << result.output
                  << result.errors;
  return answer;
}

/// A file with the text of a fake's script; removed with its owner.
class ScriptFile {
 public:
  explicit ScriptFile(const std::string& text) {
    static int count = 0;
    path_ = (std::filesystem::temp_directory_path() /
             ("gpuready-bench-" + std::to_string(::getpid()) + "-" + std::to_string(count++)))
                .string();
    std::ofstream(path_) << text;
  }
  ScriptFile(const ScriptFile&) = delete;
  ScriptFile& operator=(const ScriptFile&) = delete;
  ~ScriptFile() { std::filesystem::remove(path_); }

  [[nodiscard]] Environment environment() const {
    return {{"GPUREADY_LIBRARY_PATH", GPUREADY_FAKES_DIR},
            {"GPUREADY_FAKE_SCRIPT", path_},
            {"NVIDIA_TF32_OVERRIDE", {}},
            {"CUDA_LAUNCH_BLOCKING", {}}};
  }

 private:
  std::string path_;
};

}  // namespace gpuready::bench::testing

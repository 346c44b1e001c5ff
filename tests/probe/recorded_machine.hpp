#pragma once
/// Recorded and made-up machines for the tests of probes.

#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/json.hpp"
#include "host/recorded_host.hpp"
#include "host/recording.hpp"

namespace gpuready::probe::testing {

/// The recording of tests/machines/<name>.json.
inline host::Recording load_recording(const std::string& name) {
  std::ifstream file(GPUREADY_SOURCE_DIR "/tests/machines/" + name + ".json");
  std::stringstream text;
  text << file.rdbuf();
  const auto json = base::parse_json(text.str());
  if (!json || !json->contains("raw")) throw std::runtime_error("not a recording: " + name);
  auto recording = host::Recording::from_json(json->at("raw"));
  if (!recording) throw std::runtime_error(name + ": " + recording.error().text);
  return *recording;
}

/// A machine on which only the given files can be read.
inline host::RecordedHost host_with_files(const std::map<std::string, std::string>& files) {
  host::Recording recording;
  for (const auto& [path, content] : files) recording.files.emplace(path, content);
  return host::RecordedHost(std::move(recording));
}

}  // namespace gpuready::probe::testing

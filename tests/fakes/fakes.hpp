#pragma once
/// For tests: runs things against the fake vendor libraries, each in a process of its own.

#include <elf.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "host/host.hpp"
#include "host/real_host.hpp"

namespace gpuready::fakes {

/// A folder of its own for a test, deleted at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = ::testing::TempDir() + "gpuready-XXXXXX";
    if (::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::string& path() const { return path_; }

  /// A new file in the folder; its path.
  [[nodiscard]] std::string write(const std::string& name, std::string_view content) const {
    std::ofstream(path_ + "/" + name, std::ios::binary) << content;
    return path_ + "/" + name;
  }

 private:
  std::string path_;
};

inline std::string read_whole(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// The part of an ELF file that holds the names of its dynamic symbols: the only string table that
/// is loaded. Begin and end; nothing where there is none.
inline std::optional<std::pair<std::size_t, std::size_t>> dynamic_names(const std::string& elf) {
  Elf64_Ehdr header{};
  if (elf.size() < sizeof header) return {};
  std::memcpy(&header, elf.data(), sizeof header);
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section{};
    const std::size_t at = header.e_shoff + i * header.e_shentsize;
    if (at + sizeof section > elf.size()) return {};
    std::memcpy(&section, elf.data() + at, sizeof section);
    if (section.sh_type == SHT_STRTAB && (section.sh_flags & SHF_ALLOC) != 0)
      return std::pair(section.sh_offset, section.sh_offset + section.sh_size);
  }
  return {};
}

/// Copies a shared library, its dynamic symbol `symbol` under another name, so that dlsym() does
/// not find it in the copy. False where it has no such symbol.
inline bool copy_without_symbol(const std::string& from, const std::string& to,
                                const std::string& symbol) {
  std::string elf = read_whole(from);
  const auto names = dynamic_names(elf);
  if (!names) return false;
  const std::string whole = '\0' + symbol + '\0';
  const std::size_t at = elf.find(whole, names->first);
  if (at == std::string::npos || at + whole.size() > names->second) return false;
  elf[at + 1] = '_';
  std::ofstream(to, std::ios::binary) << elf;
  return true;
}

/// A command whose process loads vendor libraries from `libraries`; `script` is the path of their
/// script, or empty for the default machine: one GPU without faults.
inline host::Command with_fakes(std::vector<std::string> argv, const std::string& script,
                                const std::string& libraries = GPUREADY_FAKES_DIR) {
  host::Command command;
  command.argv = std::move(argv);
  command.environment["GPUREADY_LIBRARY_PATH"] = libraries;
  command.environment["GPUREADY_FAKE_SCRIPT"] =
      script.empty() ? std::nullopt : std::optional(script);
  command.deadline = std::chrono::seconds(60);
  return command;
}

/// Asks `what` (cuda, nvml, opencl) in a child, as probe_vendors() does.
inline host::Command ask(const std::string& what, const std::string& script,
                         const std::string& libraries = GPUREADY_FAKES_DIR) {
  return with_fakes({GPUREADY_FAKES_DIR "/ask_probe", what}, script, libraries);
}

/// Runs all commands, not too many at a time.
inline std::vector<host::CommandResult> run_all(const std::vector<host::Command>& commands) {
  constexpr std::size_t at_once = 16;
  const auto host = host::make_real_host();
  std::vector<host::CommandResult> results;
  for (std::size_t i = 0; i < commands.size(); i += at_once) {
    const auto end =
        commands.begin() + static_cast<std::ptrdiff_t>(std::min(commands.size(), i + at_once));
    for (auto& result : host->run_all({commands.begin() + static_cast<std::ptrdiff_t>(i), end}))
      results.push_back(std::move(result));
  }
  return results;
}

/// The `answer` of a child that ended well; a failed test and null otherwise.
inline base::Json answer_of(const host::CommandResult& result) {
  EXPECT_EQ(result.end, host::End::exited) << result.errors;
  EXPECT_EQ(result.code, 0) << result.errors;
  const auto json = base::parse_json(result.output);
  if (!json || !json->contains("answer") || !json->contains("sources")) {
    ADD_FAILURE() << "no answer in: " << result.output;
    return {};
  }
  return (*json)["answer"];
}

/// Asks once, with this script.
inline base::Json answer_with(const std::string& what, const std::string& script) {
  const TemporaryFolder folder;
  return answer_of(run_all({ask(what, folder.write("script", script))}).front());
}

/// A member deep in an answer, by JSON pointer ("/devices/0/name"); null where it isn't there.
inline base::Json at(const base::Json& answer, const std::string& path) {
  const base::Json::json_pointer pointer(path);
  return answer.contains(pointer) ? answer.at(pointer) : base::Json();
}

}  // namespace gpuready::fakes

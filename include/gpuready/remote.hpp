#pragma once
/// The same answers from other machines, through the system's OpenSSH: `gpuready remote`.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gpuready/result.hpp"
#include "gpuready/run.hpp"
#include "gpuready/units.hpp"

namespace gpuready {

struct Style;

/// What one machine said.
struct RemoteAnswer {
  std::string host;     ///< as it was asked for
  std::string outcome;  ///< done, unreachable, cannot-run, stopped
  std::string why;
  std::string system;   ///< `uname -sm`
  bool copied = false;  ///< gpuready was copied there
  std::string checked_by, kept_file;
  std::int64_t exit_code = 0;
  double seconds = 0;
  std::string left_behind;
  std::string result_text;  ///< not trusted; JSON where result_is_json
  bool result_is_json = false;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("host", s.host, Unit::none, "the machine, as it was asked for");
    f("outcome", s.outcome, Unit::none, "done, unreachable, cannot-run or stopped");
    f("why", s.why, Unit::none, "why it is not done");
    f("system", s.system, Unit::none, "system and processor there");
    f("copied", s.copied, Unit::none, "gpuready was copied there for this");
    f("checked_by", s.checked_by, Unit::none, "how the copy was checked: sha256 or size");
    f("kept_file", s.kept_file, Unit::none, "where gpuready stays; empty: it was removed");
    f("exit_code", s.exit_code, Unit::count, "exit status of gpuready there");
    f("seconds", s.seconds, Unit::seconds, "how long it took");
    f("left_behind", s.left_behind, Unit::none, "a folder that could not be removed");
  }
};

struct RemoteRequest {
  std::vector<std::string> hosts;    ///< USER@HOST, HOST, ssh://USER@HOST:PORT
  std::vector<std::string> command;  ///< of gpuready; empty: the page with a quick bench, as JSON
  bool keep = false;                 ///< gpuready stays there
  double deadline_s = 3600;          ///< of the command
  std::function<void(const std::string& host, const std::string& stage)> progress;
  std::function<bool()> stopped;
};

/// In the order of the hosts, which are asked at the same time. An error: a name that is none.
Result<std::vector<RemoteAnswer>> ask_remote(const RemoteRequest& request);

std::string show_text(const std::vector<RemoteAnswer>& answers, const Style& style);
std::string show_json(const Run& run, const std::vector<RemoteAnswer>& answers);

}  // namespace gpuready

#include "cloud/dead_man.hpp"

namespace gpuready::cloud {

namespace {

struct Timer {
  std::string_view provider, usual_url, path, id, key;
  std::string_view end_of_path;
  /// What else to do at the start, and what else may end the machine.
  std::string_view first, otherwise;
};

/// RunPod: docs of REST v2 (DELETE /v2/pods/{id}) and of pods' variables; runpodctl is in every pod.
/// Vast: docs of "instances" (DELETE /api/v0/instances/{id}/) and of the variables in a container;
/// a login falls into tmux unless ~/.no_auto_tmux is there.
constexpr Timer timers[] = {
    {"runpod", "https://api.runpod.io", "/v2/pods/", "RUNPOD_POD_ID", "RUNPOD_API_KEY", "", "",
     "runpodctl remove pod \"$i\""},
    {"vast", "https://console.vast.ai", "/api/v0/instances/", "CONTAINER_ID", "CONTAINER_API_KEY",
     "/", "touch ~/.no_auto_tmux\n", "false"},
};

std::string text_of(const Timer& timer, std::int64_t seconds, std::string_view base_url) {
  const std::string url(base_url.empty() ? timer.usual_url : base_url);
  const std::string id(timer.id), key(timer.key);
  // The key goes through standard input or the environment: arguments can be seen by everybody.
  return std::string(timer.first) + "(\ni=$" + id + " u='" + url + std::string(timer.path) +
         "'\"$" + id + "\"'" + std::string(timer.end_of_path) + "'\nexport u\nsleep " +
         std::to_string(seconds) +
         "\nwhile :; do\n"
         "printf 'header = \"Authorization: Bearer %s\"\\n' \"$" +
         key +
         "\" | curl -fsS -m 60 -X DELETE --config - \"$u\" ||\n"
         "python3 -c 'import os,urllib.request as r; "
         "r.urlopen(r.Request(os.environ[\"u\"],method=\"DELETE\","
         "headers={\"Authorization\":\"Bearer \"+os.environ[\"" +
         key + "\"]}),timeout=60)' ||\n" + std::string(timer.otherwise) +
         "\nsleep 30\ndone\n) </dev/null >/dev/null 2>&1 &\n";
}

}  // namespace

std::string dead_man_script(std::string_view provider, std::int64_t minutes,
                            std::string_view base_url) {
  constexpr std::int64_t seconds_per_minute = 60;
  for (const Timer& timer : timers)
    if (timer.provider == provider) return text_of(timer, minutes * seconds_per_minute, base_url);
  return {};
}

}  // namespace gpuready::cloud

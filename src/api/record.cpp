#include "api/record.hpp"

#include "api/find_facts.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "host/recorder.hpp"
#include "host/redact.hpp"

namespace gpuready::api {

namespace {

/// "gpu07" beside "gpu07.cluster.example.org".
void add_short_names(std::vector<std::string>& host_names) {
  const std::vector<std::string> whole = host_names;
  for (const std::string& name : whole)
    if (const std::size_t dot = name.find('.'); dot != std::string::npos && dot > 0)
      host_names.push_back(name.substr(0, dot));
}

/// The accounts of people (user ids from 1000, as distributions give them) on this machine.
void add_accounts(host::Host& host, std::vector<std::string>& user_names) {
  constexpr std::int64_t first_person = 1000, nobody = 65534;
  const std::string accounts = host.read_file("/etc/passwd").value_or(std::string());
  for (const std::string& line : base::split_lines(accounts)) {
    const std::vector<std::string> fields = base::split(line, ':');
    if (fields.size() < 3) continue;
    const auto id = base::to_integer(fields[2]);
    if (id && *id >= first_person && *id != nobody) user_names.push_back(fields[0]);
  }
}

/// Words that name this machine and its user, as the machine itself tells them.
host::Redactor redactor_for(host::Host& host) {
  std::vector<std::string> host_names, user_names, homes;
  const auto add = [](std::vector<std::string>& list, std::string_view word) {
    if (!base::trim(word).empty()) list.emplace_back(base::trim(word));
  };
  for (const char* path : {"/proc/sys/kernel/hostname", "/etc/hostname"})
    add(host_names, host.read_file(path).value_or(std::string()));
  for (const char* name : {"HOSTNAME", "HOST", "SLURMD_NODENAME", "SLURM_JOB_NODELIST",
                           "RUNPOD_POD_ID", "CONTAINER_ID", "VAST_CONTAINERLABEL"})
    add(host_names, host.env(name).value_or(""));
  add_short_names(host_names);
  for (const char* name : {"USER", "LOGNAME", "SUDO_USER"})
    add(user_names, host.env(name).value_or(""));
  const std::string home = host.env("HOME").value_or("");
  add(homes, home);
  add(user_names, home.substr(home.rfind('/') + 1));
  add_accounts(host, user_names);
  return host::Redactor(host_names, user_names, homes);
}

}  // namespace

Result<std::string> record_machine(host::Host& host, const FactsRequest& request) {
  host::Recorder recorder(host);
  const Machine machine = find_facts(recorder, request);
  base::JsonWriter writer(base::keep_message);
  base::Json json = base::Json::object();
  json["schema"] = "gpuready.record/1";
  json["tool"] = base::Json{{"version", GPUREADY_VERSION}};
  json["at"] = base::iso8601(host.now());
  json["machine"] = writer.write_member("machine", machine);
  json["sources"] = writer.sources();
  json["raw"] = recorder.recording().to_json();
  host::Redactor redactor = redactor_for(host);
  return base::dump_json(redactor.json(json), true) + "\n";
}

}  // namespace gpuready::api

#include "api/record.hpp"

#include "base/json.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "host/recorder.hpp"
#include "host/redact.hpp"
#include "probe/probe.hpp"

namespace gpuready::api {

namespace {

/// Words that name this machine and its user, as the machine itself tells them.
host::Redactor redactor_for(host::Host& host) {
  std::vector<std::string> host_names, user_names, homes;
  const auto add = [](std::vector<std::string>& list, std::string_view word) {
    if (!base::trim(word).empty()) list.emplace_back(base::trim(word));
  };
  for (const char* path : {"/proc/sys/kernel/hostname", "/etc/hostname"})
    add(host_names, host.read_file(path).value_or(std::string()));
  for (const char* name : {"HOSTNAME", "HOST"}) add(host_names, host.env(name).value_or(""));
  for (const char* name : {"USER", "LOGNAME", "SUDO_USER"})
    add(user_names, host.env(name).value_or(""));
  add(homes, host.env("HOME").value_or(""));
  return host::Redactor(host_names, user_names, homes);
}

}  // namespace

Result<std::string> record_machine(host::Host& host) {
  host::Recorder recorder(host);
  const Machine machine = probe::probe_machine(recorder, {});
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

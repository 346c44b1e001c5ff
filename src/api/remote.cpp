#include "gpuready/remote.hpp"

#include <algorithm>
#include <future>
#include <mutex>

#include "api/cloud_desk.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "cloud/providers.hpp"
#include "gpuready/gpuready.hpp"
#include "host/child_process.hpp"
#include "host/real_host.hpp"
#include "net/openssh.hpp"
#include "net/real_pace.hpp"
#include "net/remote_program.hpp"

namespace gpuready {

namespace {

constexpr std::size_t most_at_once = 16;

/// What the machines share; nothing in it changes while they are asked, but for the lock.
struct Asking {
  const RemoteRequest& request;
  const net::ProgramFile& program;
  net::Ssh& ssh;
  std::mutex& lock;

  void tell(const std::string& host, const std::string& stage) const {
    const std::lock_guard<std::mutex> one_at_a_time(lock);
    if (request.progress) request.progress(host, stage);
  }
  [[nodiscard]] bool stopped() const { return request.stopped && request.stopped(); }
};

RemoteAnswer fill(RemoteAnswer answer, const net::SshResult& result) {
  answer.outcome = "done";
  answer.exit_code = result.code;
  const auto json = base::parse_json(result.output);
  answer.result_is_json = json.has_value();
  answer.result_text = json ? base::dump_json(*json, false) : result.output;
  if (answer.result_text.empty() && result.code != 0)
    answer.why = base::printable(base::trim(result.errors)).substr(0, 300);
  return answer;
}

/// After a signal the child that was just killed must not be the last one.
bool remove(net::Carrier& carrier, const net::RemoteProgram& program, const Asking& asking) {
  if (asking.stopped()) host::allow_children();
  return carrier.remove(program);
}

RemoteAnswer ask(const Asking& asking, const std::string& name, const net::SshTarget& target) {
  const auto pace = net::make_real_pace({});
  RemoteAnswer answer;
  answer.host = name;
  net::Carrier carrier(asking.ssh, target, {});
  asking.tell(name, "copy");
  const auto brought = carrier.bring(asking.program, asking.request.keep);
  if (!brought) {
    answer.outcome = asking.stopped()              ? "stopped"
                     : brought.error().cannot_run ? "cannot-run"
                                                  : "unreachable";
    answer.why = brought.error().why, answer.left_behind = brought.error().left_behind;
    answer.seconds = pace->now_s();
    return answer;
  }
  answer.system = base::printable(brought->system), answer.copied = !brought->was_there;
  answer.checked_by = brought->checked_by;
  if (brought->kept) answer.kept_file = base::printable(brought->file);
  std::vector<std::string> words = asking.request.command;
  if (words.empty()) words = {"--quick", "--json", "--no-progress"};
  asking.tell(name, "run");
  const std::chrono::milliseconds deadline(
      static_cast<std::int64_t>(asking.request.deadline_s * 1000));
  const auto result = carrier.run(*brought, words, deadline, true);
  if (result.end == net::SshEnd::done) {
    answer = fill(std::move(answer), result);
  } else {
    answer.outcome = asking.stopped() ? "stopped" : "unreachable";
    answer.why = result.why;
    if (!remove(carrier, *brought, asking)) answer.left_behind = base::printable(brought->folder);
  }
  answer.seconds = pace->now_s();
  return answer;
}

net::OpenSshOptions options_without_keys(double scale) {
  net::OpenSshOptions options;
  options.connect_timeout_s = std::max(1, static_cast<int>(options.connect_timeout_s * scale));
  for (const cloud::ProviderRow& row : cloud::providers())
    options.hidden_variables.emplace_back(row.key_variable);
  options.hidden_variables.emplace_back("HF_TOKEN");
  return options;
}

}  // namespace

Result<std::vector<RemoteAnswer>> ask_remote(const RemoteRequest& request) {
  std::vector<net::SshTarget> targets;
  for (const std::string& name : request.hosts) {
    auto target = net::parse_ssh_target(name);
    if (!target) return tl::unexpected<Error>(target.error());
    targets.push_back(std::move(*target));
  }
  const auto host = host::make_real_host();
  const auto program = net::own_program(*host, std::string(version()));
  if (!program) return tl::unexpected<Error>(program.error());
  const auto ssh = net::make_openssh(*host, options_without_keys(api::time_scale(*host)));
  std::mutex lock;
  const Asking asking{request, *program, *ssh, lock};
  std::vector<RemoteAnswer> answers;
  for (std::size_t begin = 0; begin < targets.size(); begin += most_at_once) {
    std::vector<std::future<RemoteAnswer>> running;
    for (std::size_t i = begin; i < std::min(begin + most_at_once, targets.size()); ++i)
      running.push_back(std::async(std::launch::async, [&asking, &request, &targets, i] {
        return ask(asking, request.hosts[i], targets[i]);
      }));
    for (auto& one : running) answers.push_back(one.get());
  }
  return answers;
}

}  // namespace gpuready

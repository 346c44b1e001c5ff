#include "api/cloud_use.hpp"

#include <algorithm>
#include <array>

#include "base/json.hpp"
#include "base/text.hpp"
#include "gpuready/gpuready.hpp"

namespace gpuready::api {

namespace {

using cloud::Used;
using std::chrono::milliseconds;

Used broken(std::string why) { return {Used::End::broken_host, std::move(why)}; }
Used failed(std::string why) { return {Used::End::failed, std::move(why)}; }

class Job {
 public:
  Job(CloudJob& job, const cloud::Ready& ready, CloudAnswer& answer)
      : job_(job),
        ready_(ready),
        answer_(answer),
        carrier_(job.ssh, *ready.instance.ssh, ready.identity),
        end_s_(job.pace.now_s() + ready.seconds_left) {}

  Used run() {
    begin("copy");
    if (job_.program.bytes.empty()) {
      auto program = net::own_program(job_.host, std::string(version()));
      if (!program) return failed(program.error().text);
      job_.program = std::move(*program);
    }
    const auto brought = carrier_.bring(job_.program, false);
    finish("copy");
    // Another machine may do better, whatever it was.
    if (!brought) return broken(brought.error().why);
    if (brought->checked_by == "size")
      answer_.notes.push_back(
          "the machine has no sha256sum: only the size of the copy was checked");
    if (auto used = examine(*brought); used.end != Used::End::done) return used;
    return work(*brought);
  }

 private:
  void begin(const char* stage) {
    start_s_ = job_.pace.now_s();
    if (job_.begin) job_.begin(stage);
  }
  void finish(const char* stage) { ready_.stages.push_back({stage, job_.pace.now_s() - start_s_}); }

  /// What is left of the machine's time, with some for its end.
  [[nodiscard]] milliseconds time_left(double most_s) const {
    constexpr double for_the_end_s = 20, least_s = 1;
    const double left_s = end_s_ - for_the_end_s - job_.pace.now_s();
    return milliseconds(
        static_cast<std::int64_t>(std::clamp(left_s, least_s, most_s) * job_.scale * 1000));
  }

  /// A machine whose GPU does not work is no good.
  Used examine(const net::RemoteProgram& program) {
    constexpr double longest_s = 300;
    begin("doctor");
    const auto result =
        carrier_.run(program, {"doctor", "--json", "--no-progress"}, time_left(longest_s), false);
    finish("doctor");
    if (result.end != net::SshEnd::done) return broken("doctor: " + result.why);
    const auto json = base::parse_json(result.output);
    if (!json || !json->is_object() || !json->contains("verdict") ||
        !(*json)["verdict"].is_string())
      return broken("doctor gave no answer there (exit status " + std::to_string(result.code) +
                    ")");
    const std::string verdict = (*json)["verdict"].get<std::string>();
    if (verdict == "usable" || verdict == "degraded") return {Used::End::done, ""};
    return broken("its doctor says " + base::printable(verdict).substr(0, 40) +
                  first_finding(*json));
  }

  static std::string first_finding(const base::Json& doctor) {
    constexpr std::size_t longest = 120;
    const auto findings = doctor.find("findings");
    if (findings == doctor.end() || !findings->is_array() || findings->empty()) return {};
    const base::Json& first = findings->front();
    if (!first.is_object() || !first.contains("title") || !first["title"].is_string()) return {};
    return ": " + base::printable(first["title"].get<std::string>()).substr(0, longest);
  }

  net::SshResult carry_out(const net::RemoteProgram& program, milliseconds deadline) {
    std::vector<std::string> words = job_.command;
    if (words.empty()) words = {"--quick", "--json"};
    if (is_own_command(words)) {
      if (words.front() == "gpuready") words.erase(words.begin());
      words.emplace_back("--no-progress");
      if (job_.json && std::ranges::find(words, "--json") == words.end())
        words.emplace_back("--json");
      return carrier_.run(program, words, deadline, false);
    }
    // One word may be a whole line for the shell; several are one command.
    if (words.size() == 1) return carrier_.run_shell(program, words.front(), deadline);
    for (std::string& word : words) word = base::shell_word(word);
    return carrier_.run_shell(program, base::join(words, " "), deadline);
  }

  Used work(const net::RemoteProgram& program) {
    constexpr double no_limit_s = 1e9;
    begin("run");
    const auto result = carry_out(program, time_left(no_limit_s));
    finish("run");
    if (result.end == net::SshEnd::timed_out)
      return failed("the command was not done when the machine's time was over; see --max-minutes");
    if (result.end != net::SshEnd::done) return failed(result.why);
    answer_.exit_code = result.code;
    const auto json = base::parse_json(result.output);
    answer_.is_json = json.has_value();
    answer_.text = json ? base::dump_json(*json, false) : result.output;
    if (json && job_.command.empty()) compare(*json);
    if (job_.command.empty() && !json)
      return broken("gpuready there gave no JSON: " + json.error().text);
    return {Used::End::done, ""};
  }

  /// What was rented against what is there.
  void compare(const base::Json& run) {
    const auto machine = run.find("machine");
    if (machine == run.end() || !machine->is_object()) return;
    const auto gpus = machine->find("gpus");
    if (gpus == machine->end() || !gpus->is_array()) return;
    if (static_cast<std::int64_t>(gpus->size()) != ready_.offer.gpu_count)
      answer_.notes.push_back("offered were " + std::to_string(ready_.offer.gpu_count) +
                              " GPUs, found were " + std::to_string(gpus->size()));
  }

  CloudJob& job_;
  const cloud::Ready& ready_;
  CloudAnswer& answer_;
  net::Carrier carrier_;
  double end_s_, start_s_ = 0;
};

}  // namespace

bool is_own_command(const std::vector<std::string>& command) {
  constexpr std::array<std::string_view, 11> own{"facts",   "device", "doctor",  "setup",
                                                 "bench",   "fit",    "oom",     "plan",
                                                 "compare", "record", "gpuready"};
  if (command.empty()) return true;
  const std::string& first = command.front();
  return base::starts_with(first, "-") || std::ranges::find(own, first) != own.end();
}

cloud::Used use_machine(CloudJob& job, const cloud::Ready& ready, CloudAnswer& answer) {
  return Job(job, ready, answer).run();
}

}  // namespace gpuready::api

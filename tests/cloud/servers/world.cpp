#include "tests/cloud/servers/world.hpp"

#include <cstdlib>

#include "base/text.hpp"

namespace gpuready::cloud::servers {

namespace {

constexpr double start_of_time_s = 1796000000;  // December 2026: the same in every run

/// What stands behind the colon of "status:500".
std::string argument_of(const std::string& fault) {
  const std::size_t colon = fault.find(':');
  return colon == std::string::npos ? "" : fault.substr(colon + 1);
}

std::string word_of(const std::string& fault) { return fault.substr(0, fault.find(':')); }

Reply status_reply(const ScriptedFault& fault) {
  Reply reply;
  reply.status = std::atoi(argument_of(fault.fault).c_str());
  const auto body = fault.more.find("body");
  if (body != fault.more.end())
    reply.body = body->is_string() ? body->get<std::string>() : base::dump_json(*body, false);
  else
    reply.body = R"({"error":{"code":"scripted","message":"scripted fault"}})";
  return reply;
}

Reply html_reply() {
  Reply reply;
  reply.status = 502;
  reply.type = "text/html";
  reply.body = "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>";
  return reply;
}

Reply big_reply() {
  constexpr std::size_t five_mb = 5'000'000;
  Reply reply;
  reply.body = "[" + std::string(five_mb, ' ') + "]";
  return reply;
}

}  // namespace

double Clock::now_s() {
  const std::lock_guard<std::mutex> hold(mutex_);
  const std::chrono::duration<double> real = std::chrono::steady_clock::now() - begun_;
  return start_of_time_s + real.count() * speed_ + jumped_;
}

void Clock::advance(double seconds) {
  const std::lock_guard<std::mutex> hold(mutex_);
  jumped_ += seconds;
}

Reply json_reply(int status, const Json& body, const std::string& type) {
  Reply reply;
  reply.status = status, reply.type = type;
  reply.body = base::dump_json(body, false);
  return reply;
}

std::optional<ScriptedFault> FaultScript::take(const std::string& operation) {
  std::optional<ScriptedFault> found;
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    if (it->on != operation && it->on != "any") {
      ++it;
      continue;
    }
    if (it->nth > 1) {  // its time comes later
      --it->nth, ++it;
      continue;
    }
    if (found) break;
    found = *it;
    if (it->times == 1)
      it = waiting_.erase(it);
    else if (it->times > 1)
      --it->times, ++it;
    else
      ++it;
  }
  return found;
}

Json FaultScript::shown() const {
  Json list = Json::array();
  for (const ScriptedFault& one : waiting_)
    list.push_back(
        Json{{"on", one.on}, {"nth", one.nth}, {"times", one.times}, {"fault", one.fault}});
  return list;
}

bool IntervalLimit::is_too_early(const std::string& group, double interval_s, double now_s) {
  constexpr double tolerated = 0.05;  // of the interval: no server measures to the millisecond
  const auto last = last_.find(group);
  if (last != last_.end() && now_s - last->second < interval_s * (1 - tolerated)) return true;
  last_[group] = now_s;
  return false;
}

std::optional<Reply> fault_before(const ScriptedFault& fault, const Request& request,
                                  const std::string& trap_url) {
  const std::string word = word_of(fault.fault);
  if (word == "drop-before") {
    Reply reply;
    reply.drops = true;
    return reply;
  }
  if (word == "status") return status_reply(fault);
  if (word == "html") return html_reply();
  if (word == "big") return big_reply();
  if (word == "redirect") {
    Reply reply;
    reply.status = 307;
    reply.headers.emplace_back("Location", trap_url + request.path);
    return reply;
  }
  return {};
}

Reply fault_after(const ScriptedFault& fault, Reply reply) {
  const std::string word = word_of(fault.fault);
  if (word == "drop-after") reply.drops = true;
  if (word == "slow") reply.delay_s = std::atof(argument_of(fault.fault).c_str());
  if (word == "truncate") reply.body.resize(reply.body.size() / 2);
  if (word == "break-off") reply.breaks_off = true;
  if (word == "html-after") return html_reply();
  if (word == "big-after") return big_reply();
  if (word == "status-after") return status_reply(fault);
  return reply;
}

std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts = base::split(path, '/');
  std::erase(parts, "");
  return parts;
}

}  // namespace gpuready::cloud::servers

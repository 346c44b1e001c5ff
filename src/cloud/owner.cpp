/// Who watches an entry of the ledger; names and tokens.

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sys/random.h>

#include "base/text.hpp"
#include "cloud/ledger.hpp"
#include "cloud/provider.hpp"

namespace gpuready::cloud {

namespace {

constexpr std::size_t token_length = 16;
constexpr std::string_view token_letters = "abcdefghijklmnopqrstuvwxyz0123456789";

/// When a process started, in ticks since the boot; 0 where there is none (proc(5), field 22).
std::int64_t start_of(host::Host& host, std::int64_t pid) {
  const auto stat = host.read_file("/proc/" + std::to_string(pid) + "/stat");
  if (!stat) return 0;
  const std::size_t name_end = stat->rfind(')');  // the name may hold anything
  if (name_end == std::string::npos || name_end + 2 > stat->size()) return 0;
  const auto fields = base::split(std::string_view(*stat).substr(name_end + 2), ' ');
  constexpr std::size_t state = 0, start = 19;
  if (fields.size() <= start || fields[state] == "Z" || fields[state] == "X") return 0;
  return base::to_integer(fields[start]).value_or(0);
}

/// Two processes see each other where this is equal.
std::string place(host::Host& host) {
  const auto name = host.read_file("/proc/sys/kernel/hostname");
  const auto numbers = host.read_link("/proc/self/ns/pid");
  return std::string(base::trim(name.value_or(""))) + " " + numbers.value_or("");
}

}  // namespace

Result<std::string> state_folder(host::Host& host) {
  const auto named = host.env("GPUREADY_STATE_DIR");
  if (named && !named->empty()) return *named;
  const auto state = host.env("XDG_STATE_HOME");
  if (state && !state->empty() && state->front() == '/') return *state + "/gpuready";
  const auto home = host.env("HOME");
  if (home && !home->empty()) return *home + "/.local/state/gpuready";
  return failure("no folder for the ledger: HOME is not set; set GPUREADY_STATE_DIR");
}

Result<std::string> new_token() {
  std::string token;
  while (token.size() < token_length) {
    std::array<unsigned char, 64> bytes{};
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
      return failure(std::string("no random numbers: ") + std::strerror(errno), errno);
    // So that each letter is as likely as the others.
    constexpr auto fair = 256 / token_letters.size() * token_letters.size();
    for (const unsigned char byte : bytes)
      if (byte < fair && token.size() < token_length)
        token += token_letters[byte % token_letters.size()];
  }
  return token;
}

std::string token_of(std::string_view name) {
  if (!base::starts_with(name, name_prefix)) return {};
  const std::string_view token = name.substr(name_prefix.size());
  const bool ours = token.size() == token_length &&
                    token.find_first_not_of(token_letters) == std::string_view::npos;
  return ours ? std::string(token) : std::string();
}

bool is_our_name(std::string_view name) { return !token_of(name).empty(); }

void set_owner(host::Host& host, LedgerEntry& entry) {
  entry.owner_pid = ::getpid();
  entry.owner_started = start_of(host, entry.owner_pid);
  entry.owner_place = place(host);
}

Owner owner_of(host::Host& host, const LedgerEntry& entry) {
  if (entry.owner_place != place(host)) return Owner::elsewhere;
  const std::int64_t started = start_of(host, entry.owner_pid);
  if (started == 0 || started != entry.owner_started) return Owner::dead;
  return entry.owner_pid == ::getpid() ? Owner::this_process : Owner::alive;
}

}  // namespace gpuready::cloud

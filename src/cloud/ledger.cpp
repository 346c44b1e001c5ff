#include "cloud/ledger.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <functional>

#include "base/json.hpp"

namespace gpuready::cloud {

namespace {

constexpr std::size_t most_bytes = std::size_t{4} << 20U;
constexpr const char* file_name = "/ledger.json";

tl::unexpected<Error> os_failure(const std::string& path, int code) {
  return failure(path + ": " + std::strerror(code), code);
}

/// A descriptor that closes itself; a lock on it ends with it.
class File {
 public:
  File(const std::string& path, int flags) : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0600)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int fd() const { return fd_; }

 private:
  int fd_;
};

Result<void> make_private_folder(const std::string& folder) {
  for (std::size_t end = folder.find('/', 1);; end = folder.find('/', end + 1)) {
    const std::string part = folder.substr(0, end);
    if (::mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) return os_failure(part, errno);
    if (end == std::string::npos) break;
  }
  struct stat st {};
  if (::stat(folder.c_str(), &st) != 0) return os_failure(folder, errno);
  if (!S_ISDIR(st.st_mode)) return failure(folder + ": is no folder");
  if (st.st_uid != ::geteuid())
    return failure(folder + ": belongs to another user; set GPUREADY_STATE_DIR to a folder of yours");
  if ((st.st_mode & 077U) != 0)
    return failure(folder + ": others may enter it; chmod 700 " + folder);
  return {};
}

Result<std::string> read_whole(const std::string& path) {
  const File file(path, O_RDONLY | O_NOFOLLOW);
  if (file.fd() < 0) return os_failure(path, errno);
  std::string text;
  std::array<char, 65536> buffer;
  while (text.size() <= most_bytes) {
    const ssize_t got = ::read(file.fd(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return os_failure(path, errno);
    if (got == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return failure(path + ": larger than 4 MiB, which no ledger is");
}

Result<std::vector<LedgerEntry>> unreadable(const std::string& path, const std::string& why) {
  return failure("the ledger of rented machines, " + path + ", can't be read (" + why +
                 "), so nothing is rented: see `gpuready cloud list`, end what is yours with "
                 "`gpuready cloud down ID`, then move that file away");
}

Result<std::vector<LedgerEntry>> parse(const std::string& path, const std::string& text) {
  const auto json = base::parse_json(text);
  if (!json) return unreadable(path, json.error().text);
  const auto schema = json->is_object() ? json->find("schema") : json->end();
  if (!json->is_object() || schema == json->end() || *schema != "gpuready.ledger/1" ||
      !json->contains("entries"))
    return unreadable(path, "not a gpuready.ledger/1");
  base::JsonReader reader;
  std::vector<LedgerEntry> entries;
  if (!reader.read_member(*json, "entries", entries)) return unreadable(path, reader.error());
  for (const LedgerEntry& entry : entries)
    if (entry.token.empty() || entry.provider.empty())
      return unreadable(path, "an entry without token or provider");
  return entries;
}

Result<std::vector<LedgerEntry>> read_entries(const std::string& folder) {
  const std::string path = folder + file_name;
  const auto text = read_whole(path);
  if (!text && text.error().code == ENOENT) return std::vector<LedgerEntry>{};
  if (!text) return unreadable(path, text.error().text);
  return parse(path, *text);
}

Result<void> write_synced(const std::string& path, std::string_view text) {
  const File file(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW);
  if (file.fd() < 0) return os_failure(path, errno);
  while (!text.empty()) {
    const ssize_t put = ::write(file.fd(), text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return os_failure(path, errno);
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  if (::fsync(file.fd()) != 0) return os_failure(path, errno);
  return {};
}

Result<void> write_entries(const std::string& folder, const std::vector<LedgerEntry>& entries) {
  base::JsonWriter writer([](const Message&) { return std::string(); });
  base::Json json{{"schema", "gpuready.ledger/1"}};
  json["entries"] = writer.write(entries);
  const std::string path = folder + file_name, fresh = path + ".new";
  if (auto written = write_synced(fresh, base::dump_json(json, true) + "\n"); !written)
    return written;
  if (::rename(fresh.c_str(), path.c_str()) != 0) return os_failure(path, errno);
  const File directory(folder, O_RDONLY | O_DIRECTORY);
  if (directory.fd() >= 0) ::fsync(directory.fd());  // not every file system can
  return {};
}

using Change = std::function<void(std::vector<LedgerEntry>&)>;

/// Reads, changes and writes, while no other process does.
Result<void> change(const std::string& folder, const Change& apply) {
  const std::string path = folder + "/ledger.lock";
  const File lock(path, O_RDWR | O_CREAT | O_NOFOLLOW);
  if (lock.fd() < 0) return os_failure(path, errno);
  while (::flock(lock.fd(), LOCK_EX) != 0)
    if (errno != EINTR) return os_failure(path, errno);
  auto entries = read_entries(folder);
  if (!entries) return tl::unexpected<Error>(entries.error());
  apply(*entries);
  return write_entries(folder, *entries);
}

}  // namespace

Result<Ledger> Ledger::open(const std::string& state_folder) {
  if (state_folder.empty() || state_folder.front() != '/')
    return failure("the folder of the ledger must be an absolute path, not '" + state_folder + "'");
  if (auto made = make_private_folder(state_folder); !made)
    return tl::unexpected<Error>(made.error());
  if (auto entries = read_entries(state_folder); !entries)
    return tl::unexpected<Error>(entries.error());
  return Ledger(state_folder);
}

Result<std::vector<LedgerEntry>> Ledger::entries() const { return read_entries(folder_); }

Result<void> Ledger::put(const LedgerEntry& entry) {
  return change(folder_, [&](std::vector<LedgerEntry>& entries) {
    const auto same = [&](const LedgerEntry& other) { return other.token == entry.token; };
    const auto at = std::ranges::find_if(entries, same);
    if (at == entries.end())
      entries.push_back(entry);
    else
      *at = entry;
  });
}

Result<void> Ledger::remove(const std::string& token) {
  return change(folder_, [&](std::vector<LedgerEntry>& entries) {
    std::erase_if(entries, [&](const LedgerEntry& entry) { return entry.token == token; });
  });
}

}  // namespace gpuready::cloud

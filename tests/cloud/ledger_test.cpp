#include "cloud/ledger.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "host/real_host.hpp"

namespace gpuready::cloud {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class LedgerTest : public ::testing::Test {
 protected:
  LedgerTest() {
    std::string pattern = ::testing::TempDir() + "ledgerXXXXXX";
    top_ = ::mkdtemp(pattern.data());
    folder_ = top_ + "/state/gpuready";
  }
  ~LedgerTest() override { std::filesystem::remove_all(top_); }

  static LedgerEntry entry(const std::string& token) {
    LedgerEntry entry;
    entry.token = token, entry.provider = "vast", entry.id = "17", entry.status = "running";
    entry.usd_per_hour = 0.25, entry.deadline_at = 100;
    return entry;
  }
  static unsigned mode(const std::string& path) {
    struct stat st {};
    EXPECT_EQ(::stat(path.c_str(), &st), 0) << path;
    return st.st_mode & 07777U;
  }
  static void write(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
  }
  static std::string read(const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  std::string top_, folder_;
};

TEST_F(LedgerTest, KeepsWhatWasPutForANewProcess) {
  auto ledger = Ledger::open(folder_);
  ASSERT_TRUE(ledger) << ledger.error().text;
  ASSERT_TRUE(ledger->put(entry("a")));
  LedgerEntry changed = entry("a");
  changed.id = "18";
  ASSERT_TRUE(ledger->put(changed));
  ASSERT_TRUE(ledger->put(entry("b")));
  const auto entries = Ledger::open(folder_)->entries();
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 2U);
  EXPECT_EQ(entries->front().id, "18");
  EXPECT_EQ(entries->front().usd_per_hour, 0.25);
  ASSERT_TRUE(ledger->remove("a"));
  EXPECT_EQ(ledger->entries()->size(), 1U);
}

TEST_F(LedgerTest, IsForItsOwnerAlone) {
  ::umask(0);
  auto ledger = Ledger::open(folder_);
  ASSERT_TRUE(ledger->put(entry("a")));
  ::umask(022);
  EXPECT_EQ(mode(folder_), 0700U);
  EXPECT_EQ(mode(folder_ + "/ledger.json"), 0600U);
}

TEST_F(LedgerTest, RefusesAFolderThatOthersMayEnter) {
  std::filesystem::create_directories(folder_);
  ::chmod(folder_.c_str(), 0755);
  const auto ledger = Ledger::open(folder_);
  ASSERT_FALSE(ledger);
  EXPECT_THAT(ledger.error().text, HasSubstr("chmod 700"));
}

TEST_F(LedgerTest, StopsEverythingWhenItCannotBeReadAndIsKept) {
  ASSERT_TRUE(Ledger::open(folder_)->put(entry("a")));
  for (const std::string text :
       {"", "{", "[]", "{\"schema\":\"gpuready.ledger/2\",\"entries\":[]}",
        "{\"schema\":\"gpuready.ledger/1\"}",
        "{\"schema\":\"gpuready.ledger/1\",\"entries\":[{\"token\":7}]}",
        "{\"schema\":\"gpuready.ledger/1\",\"entries\":[{\"id\":\"1\"}]}"}) {
    auto open = Ledger::open(folder_);
    write(folder_ + "/ledger.json", text);
    const auto again = Ledger::open(folder_);
    ASSERT_FALSE(again) << text;
    EXPECT_THAT(again.error().text, HasSubstr("gpuready cloud list"));
    EXPECT_FALSE(open && open->put(entry("b"))) << text;
    EXPECT_EQ(read(folder_ + "/ledger.json"), text);
  }
}

TEST_F(LedgerTest, LosesNothingWhenManyProcessesWriteAtOnce) {
  ASSERT_TRUE(Ledger::open(folder_));
  constexpr int processes = 8, each = 10;
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      auto ledger = Ledger::open(folder_);
      bool good = ledger.has_value();
      for (int i = 0; good && i < each; ++i)
        good = ledger->put(entry(std::to_string(p) + "-" + std::to_string(i))).has_value();
      ::_exit(good ? 0 : 1);
    }
    children.push_back(pid);
  }
  for (const pid_t pid : children) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(Ledger::open(folder_)->entries()->size(), static_cast<std::size_t>(processes * each));
}

TEST_F(LedgerTest, SurvivesAHalfWrittenNewFile) {
  ASSERT_TRUE(Ledger::open(folder_)->put(entry("a")));
  write(folder_ + "/ledger.json.new", "{\"sch");
  auto ledger = Ledger::open(folder_);
  ASSERT_TRUE(ledger);
  EXPECT_EQ(ledger->entries()->size(), 1U);
  EXPECT_TRUE(ledger->put(entry("b")));
}

TEST(Tokens, AreOursOnlyInFullLength) {
  const auto token = new_token();
  ASSERT_TRUE(token);
  EXPECT_EQ(token->size(), 16U);
  EXPECT_EQ(token_of("gpuready-" + *token), *token);
  for (const char* name : {"gpuready-", "gpuready-short", "gpuready-ABCDEFGHIJKLMNOP",
                           "my-gpuready-abcdefghijklmnop", "gpuready-abcdefghijklmnopq", ""})
    EXPECT_FALSE(is_our_name(name)) << name;
}

TEST(Tokens, DoNotComeTwice) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(*new_token());
  EXPECT_EQ(seen.size(), 1000U);
}

TEST(Owner, IsAliveDeadOrElsewhere) {
  const auto host = host::make_real_host();
  LedgerEntry entry;
  set_owner(*host, entry);
  EXPECT_EQ(owner_of(*host, entry), Owner::this_process);
  LedgerEntry reused = entry;
  ++reused.owner_started;  // another process has the number now
  EXPECT_EQ(owner_of(*host, reused), Owner::dead);
  LedgerEntry other = entry;
  other.owner_place = "another computer";
  EXPECT_EQ(owner_of(*host, other), Owner::elsewhere);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  LedgerEntry ended = entry;
  ended.owner_pid = child;
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(owner_of(*host, ended), Owner::dead);
}

}  // namespace
}  // namespace gpuready::cloud

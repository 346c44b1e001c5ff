#include "cloud/dead_man.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "host/real_host.hpp"

namespace gpuready::cloud {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Runs a script beside tools of ours: `sleep` ends the timer at its second wait, `curl` notes what
/// it was given.
class DeadMan : public ::testing::Test {
 protected:
  DeadMan() {
    std::string pattern = ::testing::TempDir() + "deadmanXXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    tool("sleep", "echo $1 >> " + folder_ + "/sleeps\n[ $1 = 30 ] && kill -9 $PPID\nexit 0\n");
    tool("curl", "echo \"$@\" > " + folder_ + "/arguments\ncat > " + folder_ +
                     "/input\nmv " + folder_ + "/arguments " + folder_ + "/asked\n");
  }
  ~DeadMan() override { std::filesystem::remove_all(folder_); }

  void tool(const std::string& name, const std::string& text) {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path) << "#!/bin/sh\n" + text;
    ::chmod(path.c_str(), 0755);
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::stringstream text;
    text << std::ifstream(folder_ + "/" + name).rdbuf();
    return text.str();
  }
  /// The shell ends at once; what it left behind is waited for through a pipe that it keeps open.
  void run(const std::string& script) {
    host::Command command;
    command.argv = {"sh", "-c", "exec 9>&1\n" + script};
    command.environment = {{"PATH", folder_ + ":/usr/bin:/bin"},
                           {"RUNPOD_POD_ID", "pod1"},
                           {"RUNPOD_API_KEY", "pod-key"},
                           {"CONTAINER_ID", "77"},
                           {"CONTAINER_API_KEY", "box-key"},
                           {"HOME", folder_}};
    const auto result = machine_->run(command);
    EXPECT_EQ(result.end, host::End::exited);
    EXPECT_EQ(result.code, 0) << result.errors;
    host::Command wait;
    wait.argv = {"sh", "-c",
                 "n=0; while ! [ -e " + folder_ + "/asked ] && [ $n -lt 500 ]; do "
                 "/bin/sleep 0.01; n=$((n+1)); done"};
    machine_->run(wait);
  }

  std::string folder_;
  std::unique_ptr<host::Host> machine_ = host::make_real_host();
};

TEST_F(DeadMan, EndsAPodByItsOwnKeyWhenItsTimeIsOver) {
  run(dead_man_script("runpod", 45));
  EXPECT_THAT(read("sleeps"), HasSubstr("2700\n"));
  EXPECT_THAT(read("asked"), HasSubstr("-X DELETE"));
  EXPECT_THAT(read("asked"), HasSubstr("https://api.runpod.io/v2/pods/pod1"));
  EXPECT_THAT(read("asked"), Not(HasSubstr("pod-key")));
  EXPECT_EQ(read("input"), "header = \"Authorization: Bearer pod-key\"\n");
}

TEST_F(DeadMan, EndsAnInstanceOfVastTheSameWay) {
  run(dead_man_script("vast", 1));
  EXPECT_THAT(read("sleeps"), HasSubstr("60\n"));
  EXPECT_THAT(read("asked"), HasSubstr("https://console.vast.ai/api/v0/instances/77/"));
  EXPECT_THAT(read("asked"), Not(HasSubstr("box-key")));
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/.no_auto_tmux"));
}

TEST_F(DeadMan, IsShortEnoughForVastAndHoldsNoKey) {
  for (const char* provider : {"runpod", "vast"}) {
    const std::string script = dead_man_script(provider, 1440);
    EXPECT_LT(script.size(), 3000U);
    EXPECT_FALSE(script.empty());
  }
  EXPECT_EQ(dead_man_script("lambda", 60), "");
}

}  // namespace
}  // namespace gpuready::cloud

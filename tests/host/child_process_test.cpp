#include "host/child_process.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>
#include <string_view>

namespace gpuready::host {
namespace {

Command shell(const std::string& script, std::chrono::milliseconds deadline) {
  Command command;
  command.argv = {"/bin/sh", "-c", script};
  command.deadline = deadline;
  return command;
}

constexpr std::chrono::milliseconds soon{200}, late{60000};

TEST(RunChildren, OutputErrorsAndStatusComeBackInOrder) {
  const auto results = run_children(
      {shell("echo a; echo b >&2; exit 7", late), shell("cat; echo $GPUREADY_TEST", late)});
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].end, End::exited);
  EXPECT_EQ(results[0].code, 7);
  EXPECT_EQ(results[0].output, "a\n");
  EXPECT_EQ(results[0].errors, "b\n");
  EXPECT_EQ(results[1].output, "\n");
}

TEST(RunChildren, InputAndEnvironmentArriveWhole) {
  Command command = shell("cat; echo $GPUREADY_TEST $HOME", late);
  command.input = std::string(300000, 'x');
  command.environment["GPUREADY_TEST"] = "set";
  command.environment["HOME"] = {};
  EXPECT_EQ(run_children({command}).front().output, command.input + "set\n");
}

TEST(RunChildren, ADeadlineKillsTheWholeGroup) {
  // Every descendant holds the writing end: the pipe ends only when the last of them is dead.
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const auto results = run_children({shell("sleep 100 & sleep 100", soon)});
  ::close(ends[1]);
  EXPECT_EQ(results.front().end, End::timed_out);
  pollfd end{ends[0], POLLIN, 0};
  EXPECT_EQ(::poll(&end, 1, 20000), 1);
  ::close(ends[0]);
}

TEST(RunChildren, ACrashReportsItsSignal) {
  const auto result = run_children({shell("echo before; kill -SEGV $$", late)}).front();
  EXPECT_EQ(result.end, End::signalled);
  EXPECT_EQ(result.code, SIGSEGV);
  EXPECT_EQ(result.output, "before\n");
}

TEST(RunChildren, AFloodIsBoundedAndMeetsItsDeadline) {
  Command command = shell("while :; do echo floodfloodfloodflood; done", soon);
  command.max_output_bytes = 1000;
  const auto result = run_children({command}).front();
  EXPECT_EQ(result.end, End::timed_out);
  EXPECT_EQ(result.output.size(), 1000U);
}

TEST(RunChildren, AProgramThatIsNotThereSaysSo) {
  Command command;
  command.argv = {"/nonexistent/program"};
  const auto result = run_children({command}).front();
  EXPECT_EQ(result.end, End::not_started);
  EXPECT_EQ(result.code, ENOENT);
  EXPECT_EQ(run_children({Command{}}).front().end, End::not_started);
}

TEST(RunChildren, ErrorsAreStreamedAsTheyCome) {
  Command command = shell("echo one >&2; echo two >&2", late);
  std::string streamed;
  command.on_errors = [&](std::string_view piece) { streamed += piece; };
  const auto result = run_children({command}).front();
  EXPECT_EQ(streamed, "one\ntwo\n");
  EXPECT_EQ(result.errors, streamed);
}

TEST(RunChildren, ChildrenRunAtTheSameTime) {
  // Each waits for the other's file; one after the other they would both meet the deadline.
  const std::string folder =
      ::testing::TempDir() + "gpuready_children_" + std::to_string(::getpid()) + "_";
  const auto meet = [&](const std::string& mine, const std::string& other) {
    return shell(
        ": > " + folder + mine + "; while [ ! -e " + folder + other + " ]; do :; done; echo met",
        late);
  };
  const auto results = run_children({meet("a", "b"), meet("b", "a")});
  EXPECT_EQ(results[0].output, "met\n");
  EXPECT_EQ(results[1].output, "met\n");
  for (const char* const name : {"a", "b"}) std::remove((folder + name).c_str());
}

TEST(Describe, EveryEndHasASentence) {
  const Command command = shell("", std::chrono::milliseconds(1500));
  EXPECT_EQ(describe({End::exited, 3, "", ""}, command), "exited with status 3");
  EXPECT_EQ(describe({End::timed_out, 0, "", ""}, command), "gave no answer within 2 s");
  EXPECT_NE(describe({End::signalled, 11, "", ""}, command).find("signal 11"), std::string::npos);
  EXPECT_NE(describe({End::not_started, ENOENT, "", ""}, command).find("could not be started"),
            std::string::npos);
}

}  // namespace
}  // namespace gpuready::host

#include "net/ssh_answer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/openssh.hpp"

namespace gpuready::net {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

const SshMarks marks{"gpuready-", "x1"};
const SshTarget target{"me", "box", 22};

host::CommandResult ended(int code, const std::string& output, const std::string& errors = "") {
  return {host::End::exited, code, output, errors};
}
SshResult read(const host::CommandResult& result, std::size_t most = 1000) {
  return read_ssh_answer(result, marks, target, most);
}

TEST(SshAnswer, IsWhatStandsBetweenTheMarks) {
  const auto answer =
      read(ended(3, "Welcome!\nno newline\ngpuready-x1\nline\n{}\ngpuready-x1 3\nbye\n"));
  EXPECT_EQ(answer.end, SshEnd::done);
  EXPECT_EQ(answer.code, 3);
  EXPECT_EQ(answer.output, "line\n{}");
}

TEST(SshAnswer, MayBeEmpty) {
  const auto answer = read(ended(0, "\ngpuready-x1\n\ngpuready-x1 0\n"));
  EXPECT_EQ(answer.end, SshEnd::done);
  EXPECT_EQ(answer.output, "");
}

TEST(SshAnswer, TakesTheCommandsOwn255ForItsExitStatus) {
  const auto answer = read(ended(255, "\ngpuready-x1\n\ngpuready-x1 255\n"));
  EXPECT_EQ(answer.end, SshEnd::done);
  EXPECT_EQ(answer.code, 255);
}

TEST(SshAnswer, TellsTheFailuresOfOpenSshApart) {
  const std::vector<std::pair<std::string, SshEnd>> rows{
      {"ssh: connect to host box port 22: Connection refused", SshEnd::unreachable},
      {"ssh: connect to host box port 22: No route to host", SshEnd::unreachable},
      {"ssh: connect to host box port 22: Connection timed out", SshEnd::timed_out},
      {"Connection timed out during banner exchange", SshEnd::timed_out},
      {"ssh: Could not resolve hostname box: Name or service not known", SshEnd::no_such_host},
      {"me@box: Permission denied (publickey,password).", SshEnd::denied},
      {"Received disconnect from ::1 port 22:2: Too many authentication failures", SshEnd::denied},
      {"@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nHost key verification failed.",
       SshEnd::wrong_host_key},
      {"No ED25519 host key is known for box and you have requested strict checking.\r\n"
       "Host key verification failed.",
       SshEnd::unknown_host_key},
      {"Connection closed by ::1 port 22", SshEnd::dropped},
      {"kex_exchange_identification: read: Connection reset by peer", SshEnd::dropped}};
  for (const auto& [errors, end] : rows) {
    const auto answer = read(ended(255, "", errors + "\r\n"));
    EXPECT_EQ(answer.end, end) << errors;
    EXPECT_THAT(answer.why, HasSubstr("box")) << errors;
    EXPECT_THAT(answer.why, Not(HasSubstr("\n"))) << errors;
  }
}

TEST(SshAnswer, IsDroppedWhereTheEndIsMissing) {
  EXPECT_EQ(read(ended(255, "\ngpuready-x1\nhalf")).end, SshEnd::dropped);
  EXPECT_EQ(read({host::End::signalled, 9, "\ngpuready-x1\n", ""}).end, SshEnd::dropped);
  EXPECT_EQ(read({host::End::timed_out, 0, "\ngpuready-x1\n", ""}).end, SshEnd::timed_out);
}

TEST(SshAnswer, NamesAShellThatRunsNothing) {
  const auto answer = read(ended(1, "This account is \x1b[1mnot available.\n"));
  EXPECT_EQ(answer.end, SshEnd::no_shell);
  EXPECT_THAT(answer.why, HasSubstr("not available"));
  EXPECT_THAT(answer.why, Not(HasSubstr("\x1b")));
}

TEST(SshAnswer, HasALimit) {
  const std::string much = "\ngpuready-x1\n" + std::string(2000, 'x') + "\ngpuready-x1 0\n";
  EXPECT_EQ(read(ended(0, much)).end, SshEnd::too_much);
  EXPECT_EQ(read(ended(0, much), 2000).end, SshEnd::done);
}

TEST(SshAnswer, SaysWhatToInstallWithoutOpenSsh) {
  const auto answer = read({host::End::not_started, 2, "", ""});
  EXPECT_EQ(answer.end, SshEnd::no_ssh);
  EXPECT_THAT(answer.why, HasSubstr("openssh-client"));
}

TEST(SshCommandLine, DoesNotHoldTheMarkItself) {
  EXPECT_THAT(wrap_ssh_command(marks, "true"), Not(HasSubstr(marks.line())));
}

TEST(SshTargets, AreReadAsSshReadsThem) {
  const auto plain = parse_ssh_target("me@box");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->user, "me");
  EXPECT_EQ(plain->host, "box");
  EXPECT_EQ(plain->port, 0);
  EXPECT_EQ(parse_ssh_target("box")->user, "");
  EXPECT_EQ(parse_ssh_target("a@b@box")->user, "a@b");
  EXPECT_EQ(parse_ssh_target("ssh://me@box:2222/")->port, 2222);
  EXPECT_EQ(parse_ssh_target("fe80::1%eth0")->host, "fe80::1%eth0");
}

TEST(SshTargets, CannotBeOptionsOrShell) {
  for (const char* text :
       {"", "-oProxyCommand=x", "me@-box", "-l@box", "a b", "me@a b", "a;b", "me@$(x)", "a\nb",
        "me@`x`", "'a'", "me@", "@box", "ssh://box:0", "ssh://box:99999", "ssh://box:x", "a\x1b",
        "a|b", "a&b", "a>b", "a\\b"})
    EXPECT_FALSE(parse_ssh_target(text)) << text;
}

TEST(SshArguments, LeaveNothingToTheUsersConfigurationForARentedMachine) {
  const auto argv = ssh_arguments({"root", "1.2.3.4", 2201}, {"/k", "/h", "gpuready-t", false}, 10);
  std::string all;
  for (const std::string& word : argv) all += word + " ";
  for (const char* part :
       {"-F none", "BatchMode=yes", "IdentitiesOnly=yes", "StrictHostKeyChecking=accept-new",
        "HostKeyAlias=gpuready-t", "PasswordAuthentication=no", "ForwardAgent=no",
        "ClearAllForwardings=yes", "UserKnownHostsFile=\"/h\""})
    EXPECT_THAT(all, HasSubstr(part));
  const auto again = ssh_arguments({"root", "1.2.3.4", 2201}, {"/k", "/h", "gpuready-t", true}, 10);
  EXPECT_THAT(again, Contains("StrictHostKeyChecking=yes"));
}

TEST(SshArguments, LeaveTheRestToTheUserOnHisOwnMachines) {
  const auto argv = ssh_arguments({"", "box", 0}, {}, 10);
  EXPECT_THAT(argv, Contains("BatchMode=yes"));
  for (const char* part : {"-F", "StrictHostKeyChecking", "IdentitiesOnly", "-p", "-l"})
    EXPECT_THAT(argv, Not(Contains(part)));
}

}  // namespace
}  // namespace gpuready::net

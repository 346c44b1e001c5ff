#include "probe/kernel.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "tests/fakes/fakes.hpp"

namespace gpuready::probe {
namespace {

std::vector<float> right_result() {
  std::vector<float> y = kernel::poison();
  const std::vector<float> x = kernel::input();
  for (std::size_t i = 0; i < x.size(); ++i)
    y[i] = std::fma(kernel::scale, x[i], static_cast<float>(i));
  return y;
}

TEST(Kernel, AcceptsTheRightResult) {
  EXPECT_EQ(kernel::first_wrong(right_result()), std::nullopt);
}

TEST(Kernel, FindsEveryElementThatIsWrongByOneBit) {
  for (std::size_t i = 0; i < kernel::count; ++i) {
    std::vector<float> y = right_result();
    y[i] = std::nextafter(y[i], 1e9F);
    ASSERT_EQ(kernel::first_wrong(y), i);
  }
}

TEST(Kernel, RefusesABufferThatNobodyWrote) {
  EXPECT_EQ(kernel::first_wrong(kernel::poison()), 0U);
  EXPECT_EQ(kernel::first_wrong(std::vector<float>(kernel::room, 0.0F)), 1U);
  EXPECT_EQ(kernel::first_wrong({}), 0U);
}

TEST(Kernel, SeesAWritePastTheEnd) {
  std::vector<float> y = right_result();
  y[kernel::count] = 0.0F;
  EXPECT_EQ(kernel::first_wrong(y), kernel::count);
}

TEST(Kernel, RunsInSeveralBlocksOfWhichTheLastIsNotFull) {
  EXPECT_GE(kernel::count, 256U);
  EXPECT_GT(kernel::blocks, 1U);
  EXPECT_GT(kernel::room, kernel::count);
  EXPECT_LT(kernel::room - kernel::count, kernel::block);
}

/// The architectures in the help of ptxas: 'sm_75', 'sm_90a', ...
std::set<std::string> architectures(const std::string& help) {
  std::set<std::string> found;
  for (std::size_t at = help.find("'sm_"); at != std::string::npos; at = help.find("'sm_", at + 1))
    found.insert(help.substr(at + 1, help.find('\'', at + 1) - at - 1));
  return found;
}

std::string find_ptxas(host::Host& host) {
  for (const std::string name : {"ptxas", "/usr/local/cuda/bin/ptxas"}) {
    host::Command command;
    command.argv = {name, "--version"};
    const auto result = host.run(command);
    if (result.end == host::End::exited && result.code == 0) return name;
  }
  return {};
}

TEST(Kernel, IsAssembledForEveryArchitectureThatPtxasKnows) {
  const auto host = host::make_real_host();
  const std::string ptxas = find_ptxas(*host);
  if (ptxas.empty()) GTEST_SKIP() << "SKIPPED: no ptxas on this machine";
  host::Command help;
  help.argv = {ptxas, "--help"};
  const auto list = architectures(host->run(help).output);
  ASSERT_GE(list.size(), 5U);
  const fakes::TemporaryFolder folder;
  const std::string source = folder.write("kernel.ptx", kernel::ptx());
  std::vector<host::Command> commands;
  for (const std::string& architecture : list) {
    host::Command command;
    command.argv = {ptxas,
                    "--warning-as-error",
                    "-arch=" + architecture,
                    source,
                    "-o",
                    folder.path() + "/" + architecture + ".cubin"};
    commands.push_back(command);
  }
  const auto results = fakes::run_all(commands);
  for (std::size_t i = 0; i < results.size(); ++i)
    EXPECT_EQ(results[i].code, 0) << commands[i].argv[2] << ": " << results[i].errors;
}

}  // namespace
}  // namespace gpuready::probe

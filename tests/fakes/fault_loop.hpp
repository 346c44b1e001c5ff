#pragma once
/// The loops that a vendor probe must survive: every symbol missing, every call failing, hanging
/// and crashing, each in turn.

#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fakes/fakes.hpp"
#include "vendor/load.hpp"

namespace gpuready::fakes {

struct Symbol {
  std::string name;
  vendor::Need need;
};

template <class Table>
std::vector<Symbol> symbols_of() {
  std::vector<Symbol> list;
  Table table{};
  Table::symbols(table, [&](std::string_view name, auto&, vendor::Need need) {
    list.push_back({std::string(name), need});
  });
  return list;
}

/// A call that the probe makes, and the fact that is lost where it fails.
struct Affected {
  std::string call, path;
};

struct Probe {
  std::string what;     ///< cuda, nvml or opencl
  std::string library;  ///< file that is loaded
  std::string soname;
  std::string script;  ///< lines that come before the fault
};

/// The answers without each symbol in turn.
inline std::vector<base::Json> answers_without(const Probe& probe,
                                               const std::vector<Symbol>& symbols) {
  const TemporaryFolder folder;
  const std::string script = folder.write("script", probe.script);
  std::vector<host::Command> commands;
  for (const Symbol& symbol : symbols) {
    const std::string own = folder.path() + "/" + symbol.name;
    std::filesystem::create_directory(own);
    EXPECT_TRUE(copy_without_symbol(probe.library, own + "/" + probe.soname, symbol.name))
        << probe.library << " has no symbol " << symbol.name;
    commands.push_back(ask(probe.what, script, own));
  }
  std::vector<base::Json> answers;
  for (const auto& result : run_all(commands)) answers.push_back(answer_of(result));
  return answers;
}

/// The ends of children of which each meets one fault: `fault` with the call's name in place of @.
inline std::vector<host::CommandResult> results_with(const Probe& probe, const std::string& fault,
                                                     const std::vector<std::string>& calls,
                                                     std::chrono::milliseconds deadline) {
  const TemporaryFolder folder;
  std::vector<host::Command> commands;
  for (const std::string& call : calls) {
    std::string line = fault;
    line.replace(line.find('@'), 1, call);
    commands.push_back(
        ask(probe.what, folder.write(std::to_string(commands.size()), probe.script + line + "\n")));
    commands.back().deadline = deadline;
  }
  return run_all(commands);
}

inline std::vector<std::string> calls_of(const std::vector<Affected>& list) {
  std::vector<std::string> calls;
  for (const Affected& one : list) calls.push_back(one.call);
  return calls;
}

inline void expect_each_hang_to_time_out(const Probe& probe, const std::vector<Affected>& list) {
  constexpr std::chrono::milliseconds deadline(300);
  const auto calls = calls_of(list);
  const auto results = results_with(probe, "hang @", calls, deadline);
  for (std::size_t i = 0; i < results.size(); ++i)
    EXPECT_EQ(results[i].end, host::End::timed_out) << calls[i];
}

inline void expect_each_crash_to_be_seen(const Probe& probe, const std::vector<Affected>& list) {
  const auto calls = calls_of(list);
  const auto results = results_with(probe, "crash @", calls, std::chrono::seconds(60));
  for (std::size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(results[i].end, host::End::signalled) << calls[i];
    EXPECT_EQ(results[i].code, SIGSEGV) << calls[i];
  }
}

}  // namespace gpuready::fakes

#pragma once
/// The install plan of a machine, and what came of it where it was applied.

#include <string>
#include <vector>

#include "gpuready/fact.hpp"
#include "gpuready/message.hpp"
#include "gpuready/units.hpp"

namespace gpuready {

struct SetupStep {
  std::string id;
  Message what, why;
  std::vector<std::string> commands;
  bool needs_root = false, done = false;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("id", s.id, Unit::none,
      "runtime, driver, secure-boot, restart, fabric-manager, container-toolkit, torch or check");
    f("what", s.what, Unit::none, "a few words");
    f("why", s.why, Unit::none, "the reason for the step, or why it is done");
    f("commands", s.commands, Unit::none,
      "commands to paste; none where `why` tells what to do instead, or nothing is to do");
    f("needs_root", s.needs_root, Unit::none, "whether a command changes the system");
    f("done", s.done, Unit::none, "whether it is in order already");
  }
};

/// The build of PyTorch for this machine; each absence says why there is none.
struct TorchPlan {
  Fact<std::string> index, tag, version, command;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("index", s.index, Unit::none, "package index to install from");
    f("tag", s.tag, Unit::none, "build, as cu126, rocm7.2, xpu or cpu");
    f("version", s.version, Unit::none, "youngest release of torch in the table that fits");
    f("command", s.command, Unit::none, "command that installs it");
  }
};

/// A command of the plan that was run.
struct AppliedCommand {
  std::string step, command, ended;
  bool succeeded = false;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("step", s.step, Unit::none, "id of its step");
    f("command", s.command, Unit::none, "as it was given to the shell");
    f("ended", s.ended, Unit::none, "how it ended");
    f("succeeded", s.succeeded, Unit::none, "whether its exit status was 0");
  }
};

struct Setup {
  Message summary;
  std::vector<SetupStep> steps;
  TorchPlan torch;
  std::vector<AppliedCommand> applied;
  Fact<std::string> verdict;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("summary", s.summary, Unit::none, "one sentence");
    f("steps", s.steps, Unit::none, "in the order in which they are to be taken");
    f("torch", s.torch, Unit::none, "the build of PyTorch for this machine");
    f("applied", s.applied, Unit::none, "with --apply: the commands that ran");
    f("verdict", s.verdict, Unit::none, "with --apply: doctor's verdict afterwards");
  }
};

}  // namespace gpuready

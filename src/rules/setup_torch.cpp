#include <algorithm>

#include "base/text.hpp"
#include "catalog/tables.hpp"
#include "rules/ladder.hpp"
#include "rules/rungs.hpp"
#include "rules/setup_driver.hpp"
#include "rules/setup_steps.hpp"
#include "rules/torch_rules.hpp"
#include "rules/wheel_choice.hpp"

namespace gpuready::rules {

namespace {

using catalog::VersionNumber;
using Commands = std::vector<std::string>;
using Steps = std::vector<SetupStep>;

const std::string index_base = "https://download.pytorch.org/whl/";

/// The Python that PyTorch goes into, and the commands that make it.
struct Target {
  std::string python;
  Commands commands;
  bool needs_root = false;
};

/// As one word for a shell.
std::string quoted(const std::string& path) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           base::contains("/._-+", std::string(1, c));
  };
  if (!path.empty() && std::ranges::all_of(path, is_plain)) return path;
  std::string out = "'";
  for (const char c : path) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// The package with Python's module venv, which some distributions leave out of Python.
void add_python(const Machine& machine, bool has_python, Target& target) {
  const std::string family = distribution_family(machine);
  std::string command;
  if (family == "ubuntu" || family == "debian")
    command = "sudo apt-get install -y python3-venv";
  else if (has_python)
    return;
  else if (family == "fedora" || family == "rhel")
    command = "sudo dnf install -y python3";
  else if (family == "suse")
    command = "sudo zypper install -y python3";
  else if (family == "arch")
    command = "sudo pacman -S --needed --noconfirm python";
  if (command.empty()) return;
  target.commands.push_back(command);
  target.needs_root = true;
}

/// The default environment where it is the user's own; a new one where `python` is the system's,
/// which pip may not change (PEP 668). A notebook service's Python is meant to be changed.
Target target_for(const Machine& machine, const PythonEnvironment* python,
                  const std::string& name) {
  const bool notebook = machine.environment.colab || machine.environment.kaggle;
  const bool own = python != nullptr && (notebook || !python->kind.is("system"));
  if (own && name == ".venv") return {quoted(python->executable), {}, false};
  Target target;
  target.python = name + "/bin/python";
  add_python(machine, python != nullptr, target);
  target.commands.push_back("python3 -m venv " + name);
  return target;
}

Message why_of(const WheelChoice& choice) {
  std::string text = choice.why;
  for (const std::string& note : choice.notes) text += "; " + note;
  Message why{"", {text}};
  const catalog::PhraseBook& book = catalog::tables().phrases;
  for (const auto& [language, phrases] : book) {
    std::string words = catalog::translate_phrase(book, language, choice.why);
    for (const std::string& note : choice.notes)
      words += "；" + catalog::translate_phrase(book, language, note);
    why.args.push_back(language);
    why.args.push_back(words);
  }
  return why;
}

TorchPlan plan_of(const WheelChoice& choice) {
  if (choice.tag.empty()) {
    const auto none = Fact<std::string>::absent(Absence::not_found, choice.why);
    return {none, none, none, none};
  }
  const std::string source = "data/torch_wheels.csv";
  TorchPlan plan;
  plan.index = {index_base + choice.tag, source};
  plan.tag = {choice.tag, source};
  plan.version = choice.torch_max
                     ? Fact<std::string>(choice.torch_max->text(), source)
                     : Fact<std::string>::absent(Absence::not_found, "not in the table");
  plan.command = {choice.command, source};
  return plan;
}

/// The build that is there, where it is for this vendor's GPUs; the ladder judges NVIDIA's alone.
const TorchBuild* build_for_vendor(const PythonEnvironment* python, const std::string& vendor) {
  if (python == nullptr || !python->torch) return nullptr;
  const TorchBuild& torch = *python->torch;
  const bool fits = (vendor == "amd" && torch.hip) || (vendor == "intel" && torch.tag.is("xpu"));
  return fits ? &torch : nullptr;
}

SetupStep torch_step(const SetupInput& input, const PythonEnvironment* python,
                     const WheelChoice& choice, const Target& target, const std::string& vendor) {
  SetupStep step;
  step.id = "torch";
  step.what = choice.tag.empty() ? Message{"setup.torch.what", {}}
                                 : Message{"setup.torch.what-build", {choice.tag}};
  const Judgement judged = judge_torch(input.machine);
  const bool climbed = vendor == "nvidia" && judged.outcome == Outcome::pass;
  if (climbed && !wheel_lacks_one_gpu(input.machine)) {
    step.what = {"setup.torch.what", {}};
    step.why = judged.why, step.done = true;
    return step;
  }
  const bool has_no_kernels = std::ranges::any_of(
      input.doctor.findings,
      [](const Finding& finding) { return finding.id == "gfx-target-without-wheel"; });
  if (const TorchBuild* build = build_for_vendor(python, vendor); build && !has_no_kernels) {
    step.what = {"setup.torch.what", {}};
    step.why = {"setup.torch.for-vendor", {build->version}}, step.done = true;
    return step;
  }
  step.why = why_of(choice);
  if (choice.command.empty()) return step;
  step.commands = target.commands;
  step.commands.push_back(target.python + " -m " + choice.command);
  if (python != nullptr && python->torch && target.commands.empty())
    step.commands.back() += " --force-reinstall";
  step.needs_root = target.needs_root;
  return step;
}

SetupStep check_step(const std::string& vendor, const std::string& python) {
  const std::string device = vendor == "intel" ? "xpu" : "cuda";
  SetupStep step;
  step.id = "check";
  step.what = {"setup.check.what", {}}, step.why = {"setup.check.why", {}};
  if (!python.empty())
    step.commands.push_back(python + " -c \"import torch; a = torch.rand(256, 256, device='" +
                            device + "'); print((a @ a).sum().item())\"");
  step.commands.emplace_back("gpuready doctor");
  return step;
}

/// What the bus tells of the GPUs where no driver does.
void add_expected(const SetupInput& input, const std::optional<VersionNumber>& driver,
                  WheelRequest& request) {
  if (request.vendor != "nvidia") return;
  if (request.capabilities.empty())
    request.capabilities = driver_need(input.machine, input.tables).capabilities;
  request.driver = driver;
}

}  // namespace

Steps torch_steps(const SetupInput& input, const std::optional<VersionNumber>& driver,
                  TorchPlan& plan) {
  const PythonEnvironment* python = default_python(input.machine);
  WheelRequest request = wheel_request(input.machine, python);
  add_expected(input, driver, request);
  const WheelChoice choice = choose_wheel(request, input.tables.wheels);
  plan = plan_of(choice);
  Steps steps;
  if (choice.outcome != WheelOutcome::two_environments) {
    const Target target = target_for(input.machine, python, ".venv");
    steps.push_back(torch_step(input, python, choice, target, request.vendor));
    const bool has_torch = steps.back().done;
    const std::string used = has_torch && python != nullptr ? quoted(python->executable)
                             : choice.command.empty()       ? ""
                                                            : target.python;
    steps.push_back(check_step(request.vendor, used));
    return steps;
  }
  std::string last;
  for (const VersionNumber& capability : request.capabilities) {
    WheelRequest one = request;
    one.capabilities = {capability};
    const Target target = target_for(input.machine, python, ".venv-" + capability.text());
    steps.push_back(
        torch_step(input, python, choose_wheel(one, input.tables.wheels), target, one.vendor));
    last = target.python;
  }
  steps.push_back(check_step(request.vendor, last));
  return steps;
}

TorchPlan torch_for_cpu() {
  WheelChoice choice;
  choice.tag = "cpu";
  choice.command = install_command("cpu", {});
  return plan_of(choice);
}

}  // namespace gpuready::rules

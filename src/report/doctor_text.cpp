#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "base/table.hpp"
#include "base/text.hpp"
#include "report/report.hpp"

namespace gpuready::report {

namespace {

std::string mark(Outcome outcome) {
  switch (outcome) {
    case Outcome::pass:
      return "ok";
    case Outcome::finding:
      return "!!";
    case Outcome::not_tested:
      return "--";
  }
  return {};
}

std::string evidence_text(const Context& c, const Finding& finding) {
  std::string out;
  for (const Evidence& e : finding.evidence)
    out += base::layout_paragraph(
        base::printable(e.field + " = " + e.value + "  [" + e.source + "]"), c.style.width, 4, 2);
  return out;
}

std::string fixes_text(const Context& c, const Finding& finding) {
  std::string out;
  for (const Fix& fix : finding.fixes) {
    out += base::layout_paragraph(c.text(fix.when), c.style.width, 4, 2);
    for (const std::string& command : fix.commands) out += "      " + command + "\n";
  }
  return out;
}

std::string word_of(const Context& c, Severity severity) {
  const std::string name(EnumNames<Severity>::list[static_cast<std::size_t>(severity)]);
  return c.text("rules.severity." + name);
}

std::string finding_text(const Context& c, const Finding& finding) {
  std::string out = "\n" + heading(c, word_of(c, finding.severity) + "  " + finding.id) + "\n";
  out += base::layout_paragraph(c.text(finding.title), c.style.width, 2);
  out += base::layout_paragraph(c.text(finding.meaning), c.style.width, 4);
  return out + evidence_text(c, finding) + fixes_text(c, finding);
}

std::string findings_text(const Context& c, const Doctor& doctor) {
  std::string out;
  for (const Finding& finding : doctor.findings) out += finding_text(c, finding);
  return out;
}

/// The rungs; those above the broken one share a single row.
std::vector<std::vector<std::string>> ladder_rows(const Context& c, const Doctor& doctor) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> above;
  for (const RungResult& rung : doctor.ladder) {
    const std::string name(EnumNames<Rung>::list[static_cast<std::size_t>(rung.rung)]);
    if (rung.why.key == "ladder.above-broken") {
      above.push_back(c.text("rung." + name));
    } else {
      rows.push_back({mark(rung.outcome), c.text("rung." + name), c.text(rung.why)});
    }
  }
  if (!above.empty())
    rows.push_back({mark(Outcome::not_tested), c.text("rung.above"),
                    c.text("ladder.above-broken") + " (" + base::join(above, ", ") + ")"});
  return rows;
}

/// "8 x NVIDIA H100 80GB HBM3", names in the order of CUDA's devices.
std::vector<std::string> names_of_working_gpus(const Machine& machine) {
  std::vector<std::pair<std::string, int>> counts;
  for (const CudaDevice& device : machine.driver.cuda.devices) {
    if (!device.kernel.is(true)) continue;
    const std::string name = base::printable(device.name.value_or("?"));
    const auto it = std::ranges::find(counts, name, &std::pair<std::string, int>::first);
    if (it == counts.end()) {
      counts.emplace_back(name, 1);
    } else {
      ++it->second;
    }
  }
  std::vector<std::string> names;
  for (const auto& [name, count] : counts)
    names.push_back(count == 1 ? name : std::to_string(count) + " x " + name);
  return names;
}

std::string whole(double value) { return base::format("{:.0f}", value); }

/// What was done to come to a verdict of usable.
std::vector<std::string> what_ran(const Context& c, const Machine& machine) {
  std::vector<std::string> ran{c.text("verdict.ran.kernel")};
  if (machine.torch_answer && machine.torch_answer->imported.is(true) &&
      machine.torch_answer->available.is(true))
    ran.push_back(c.text("verdict.ran.torch",
                         {base::printable(machine.torch_answer->version.value_or("?"))}));
  if (machine.load)
    ran.push_back(c.text("verdict.ran.load", {base::format("{:g}", machine.load->asked_s)}));
  return ran;
}

/// A healthy machine: which GPUs, with which driver, and what ran on them.
std::string healthy_line(const Context& c, const Machine& machine) {
  std::vector<std::string> parts = names_of_working_gpus(machine);
  const Driver& driver = machine.driver;
  const Fact<std::string>& version =
      driver.nvml.driver_version ? driver.nvml.driver_version : driver.module.version;
  if (version) parts.push_back(c.text("verdict.driver", {base::printable(*version)}));
  if (driver.cuda.version)
    parts.push_back(c.text("verdict.cuda", {base::printable(*driver.cuda.version)}));
  return c.text("verdict.word.usable") + ": " + base::join(parts, ", ") + ": " +
         base::join(what_ran(c, machine), ", ");
}

/// Findings that leave the GPU as usable as it is: what is good to know in a line each, then what
/// is a risk.
std::string minor_findings(const Context& c, const Doctor& doctor) {
  std::string known, risks;
  for (const Finding& finding : doctor.findings) {
    if (finding.severity == Severity::info) {
      known += base::layout_paragraph(c.text("verdict.minor", {word_of(c, finding.severity),
                                                               finding.id, c.text(finding.title)}),
                                      c.style.width, 0, 2);
    } else {
      risks += finding_text(c, finding);
    }
  }
  return known + risks;
}

std::string load_of_gpu(const Context& c, const GpuLoad& load) {
  const std::string name = base::printable(load.name.value_or(load.device));
  if (!load.seconds)
    return c.text("ladder.load.failed", {name, base::printable(load.seconds.missing().detail)});
  std::vector<std::string> seen;
  if (load.sm_clock_hz)
    seen.push_back(c.text("ladder.load.clock", {whole(*load.sm_clock_hz / 1e6)}));
  if (load.power_w && load.power_limit_w)
    seen.push_back(c.text("ladder.load.power", {whole(*load.power_w), whole(*load.power_limit_w)}));
  if (load.temperature_c)
    seen.push_back(c.text("ladder.load.temperature", {whole(*load.temperature_c)}));
  if (load.pcie_generation && load.pcie_width)
    seen.push_back(c.text("ladder.load.pcie", {std::to_string(*load.pcie_generation),
                                               std::to_string(*load.pcie_width)}));
  if (seen.empty())
    seen.push_back(c.text("ladder.load.unseen",
                          {base::printable(load.clock_event_reasons.known()
                                               ? std::string()
                                               : load.clock_event_reasons.missing().detail)}));
  return c.text("ladder.load.gpu", {name, whole(*load.seconds), base::join(seen, ", ")});
}

/// What PyTorch said, where the ladder does not tell it.
std::string torch_line(const Context& c, const TorchAnswer& answer) {
  const std::string python = base::printable(answer.executable);
  if (!answer.imported)
    return c.text("ladder.torch.import",
                  {python, base::printable(answer.imported.missing().detail)});
  const auto word = [](const Fact<bool>& fact) {
    if (fact) return std::string(*fact ? "True" : "False");
    return base::printable(fact.missing().detail);
  };
  return c.text("ladder.torch.says", {base::printable(answer.version.value_or("?")), python,
                                      word(answer.available), word(answer.cpu_product)});
}

bool rung_tells(const Doctor& doctor, Rung rung) {
  return std::ranges::any_of(doctor.ladder, [&](const RungResult& r) {
    return r.rung == rung && r.outcome != Outcome::not_tested;
  });
}

/// What `--run-python` and `--load` could not do or found; nothing where they were not asked for.
std::string deep_text(const Context& c, const Machine& machine, bool tell_torch) {
  std::string out;
  const auto add = [&](const std::string& line) {
    out += base::layout_paragraph(line, c.style.width, 0, 2);
  };
  if (!machine.torch_answer && !machine.torch_answer.absent_for(Absence::not_tested))
    add(c.text("ladder.torch.not-asked", {base::printable(machine.torch_answer.missing().detail)}));
  if (machine.torch_answer && tell_torch) add(torch_line(c, *machine.torch_answer));
  if (!machine.load && !machine.load.absent_for(Absence::not_tested))
    add(c.text("ladder.load.none", {base::printable(machine.load.missing().detail)}));
  if (machine.load)
    for (const GpuLoad& load : machine.load->gpus) add(load_of_gpu(c, load));
  return out;
}

std::string full_report(const Run& run, const Context& c) {
  const std::string word(EnumNames<Verdict>::list[static_cast<std::size_t>(run.doctor.verdict)]);
  std::string out = base::layout_paragraph(
      c.text("verdict.word." + word) + ": " + c.text(run.doctor.summary), c.style.width);
  out += "\n" + base::layout_table(ladder_rows(c, run.doctor), {}, c.style.width, 2);
  const std::string deep = deep_text(c, run.machine, !rung_tells(run.doctor, Rung::torch));
  if (!deep.empty()) out += "\n" + deep;
  return out + findings_text(c, run.doctor);
}

}  // namespace

std::string doctor(const Run& run, const Context& c) {
  if (run.doctor.verdict != Verdict::usable || c.style.verbose) return full_report(run, c);
  return base::layout_paragraph(healthy_line(c, run.machine), c.style.width, 0, 2) +
         deep_text(c, run.machine, false) + minor_findings(c, run.doctor);
}

}  // namespace gpuready::report

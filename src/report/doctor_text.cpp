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

std::string findings_text(const Context& c, const Doctor& doctor) {
  std::string out;
  for (const Finding& finding : doctor.findings) {
    const std::string severity(
        EnumNames<Severity>::list[static_cast<std::size_t>(finding.severity)]);
    out += "\n" + heading(c, severity + "  " + finding.id + ": " + c.text(finding.title)) + "\n";
    out += base::layout_paragraph(c.text(finding.meaning), c.style.width, 4);
    out += evidence_text(c, finding) + fixes_text(c, finding);
  }
  return out;
}

}  // namespace

std::string doctor(const Run& run, const Context& c) {
  std::vector<std::vector<std::string>> rows;
  for (const RungResult& rung : run.doctor.ladder) {
    const std::string name(EnumNames<Rung>::list[static_cast<std::size_t>(rung.rung)]);
    rows.push_back({mark(rung.outcome), c.text("rung." + name), c.text(rung.why)});
  }
  const std::string word(EnumNames<Verdict>::list[static_cast<std::size_t>(run.doctor.verdict)]);
  std::string out = base::layout_paragraph(
      c.text("verdict.word." + word) + ": " + c.text(run.doctor.summary), c.style.width);
  out += "\n" + base::layout_table(rows, {}, c.style.width, 2);
  return out + findings_text(c, run.doctor);
}

}  // namespace gpuready::report

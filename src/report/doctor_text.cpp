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
    out += "\n" + heading(c, severity + "  " + finding.id) + "\n";
    out += base::layout_paragraph(c.text(finding.title), c.style.width, 2);
    out += base::layout_paragraph(c.text(finding.meaning), c.style.width, 4);
    out += evidence_text(c, finding) + fixes_text(c, finding);
  }
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

}  // namespace

std::string doctor(const Run& run, const Context& c) {
  const std::string word(EnumNames<Verdict>::list[static_cast<std::size_t>(run.doctor.verdict)]);
  std::string out = base::layout_paragraph(
      c.text("verdict.word." + word) + ": " + c.text(run.doctor.summary), c.style.width);
  out += "\n" + base::layout_table(ladder_rows(c, run.doctor), {}, c.style.width, 2);
  return out + findings_text(c, run.doctor);
}

}  // namespace gpuready::report

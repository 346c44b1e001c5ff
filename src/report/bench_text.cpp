#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "base/quantity.hpp"
#include "base/table.hpp"
#include "base/text.hpp"
#include "report/report.hpp"

namespace gpuready::report {

namespace {

using Rows = std::vector<std::vector<std::string>>;
using base::Align;

std::string shape_text(const Shape& s) {
  return std::to_string(s.m) + " x " + std::to_string(s.k) + " x " + std::to_string(s.n);
}

std::string library_text(const Context& c, const Case& measured) {
  std::string text = base::printable(measured.library.name);
  if (measured.library.version) text += " " + base::printable(*measured.library.version);
  if (measured.library.kernel_target)
    text += " (" + base::printable(*measured.library.kernel_target) + ")";
  if (measured.threads > 0)
    text += ", " + c.text("bench.threads", {std::to_string(measured.threads)});
  if (measured.percent_of_peak.measured_clock)
    text += ", " + c.text("bench.percent-of-peak",
                          {base::show_fixed(*measured.percent_of_peak.measured_clock, 0)});
  // Rows that would look alike without it.
  for (const char* const mark : {"override", "environment"})
    if (std::ranges::find(measured.flags, mark) != measured.flags.end())
      text += std::string(", ") + c.text(std::string("bench.mark.") + mark);
  return text;
}

/// "fp32", with the size where the cases differ in it.
std::string product_text(const Case& measured, bool with_shape) {
  return base::printable(measured.dtype.name) +
         (with_shape ? " " + shape_text(measured.shape) : "");
}

std::string cases_table(const Context& c, const Bench& bench) {
  Rows rows;
  const bool many_shapes = std::ranges::any_of(bench.cases, [&](const Case& measured) {
    return !(measured.shape == bench.cases.front().shape);
  });
  for (const Case& measured : bench.cases) {
    rows.push_back(
        {base::printable(measured.device), product_text(measured, many_shapes),
         base::show_seconds_interval(measured.median_s, measured.ci95_s.low, measured.ci95_s.high),
         base::show_flops(measured.flops), library_text(c, measured)});
    if (measured.with_transfers_s)
      rows.push_back({"", "", base::show_seconds(*measured.with_transfers_s), "",
                      c.text("bench.with-transfers")});
  }
  return base::layout_table(
      rows, {Align::left, Align::left, Align::left, Align::right, Align::left}, c.style.width, 2);
}

/// "cpu", or "cpu onednn" and the threads where several rows are of that device.
std::string row_name(const Bench& bench, const Case& measured) {
  const auto others = [&](const auto& alike) {
    return std::ranges::count_if(bench.cases, [&](const Case& other) {
             return other.device == measured.device && alike(other);
           }) > 1;
  };
  if (!others([](const Case&) { return true; })) return base::printable(measured.device);
  std::string name =
      base::printable(measured.device) + " " + base::printable(measured.library.name);
  if (measured.threads > 0 &&
      others([&](const Case& other) { return other.backend == measured.backend; }))
    name += "/" + std::to_string(measured.threads);
  return name;
}

/// Texts about rows, each once, after the names of its rows.
class Remarks {
 public:
  void add(const std::string& name, const std::string& text) {
    auto line = std::ranges::find_if(lines_, [&](const auto& l) { return l.first == text; });
    if (line == lines_.end()) {
      lines_.emplace_back(text, std::vector<std::string>());
      line = std::prev(lines_.end());
    }
    auto& names = line->second;
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  [[nodiscard]] std::string show(const Context& c) const {
    std::string out;
    for (const auto& [text, names] : lines_)
      out += base::layout_paragraph(base::join(names, ", ") + ": " + text, c.style.width, 2, 2);
    return out;
  }

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> lines_;
};

std::string flags_text(const Context& c, const Bench& bench) {
  Remarks remarks;
  for (const Case& measured : bench.cases)
    for (const std::string& flag : measured.flags)
      remarks.add(row_name(bench, measured),
                  c.text("bench.flag." + flag, {shape_text(measured.shape)}));
  return remarks.show(c);
}

std::string checks_text(const Context& c, const Bench& bench) {
  Remarks remarks;
  for (const Case& measured : bench.cases) {
    const Verification& v = measured.verification;
    remarks.add(row_name(bench, measured),
                c.text("bench.checked", {std::to_string(v.rows_checked), base::show_small(v.error),
                                         base::show_small(v.tolerance)}));
  }
  return remarks.show(c);
}

const Case* find_case(const Bench& bench, bool cpu) {
  const auto it = std::ranges::find_if(
      bench.cases, [&](const Case& measured) { return (measured.device == "cpu") == cpu; });
  return it == bench.cases.end() ? nullptr : &*it;
}

void add_speedup(const Context& c, const char* key, const Fact<Speedup>& speedup, Rows& rows) {
  if (!speedup) return;
  rows.push_back({c.text(key), base::show_ratio(speedup->ratio),
                  c.text("bench.interval", {base::show_ratio(speedup->ci95.low),
                                            base::show_ratio(speedup->ci95.high)})});
}

std::string speedup_text(const Context& c, const Bench& bench) {
  Rows rows;
  add_speedup(c, "bench.speedup.kernel-only", bench.speedup.kernel_only, rows);
  add_speedup(c, "bench.speedup.with-transfers", bench.speedup.with_transfers, rows);
  add_speedup(c, "bench.speedup.first-use", bench.speedup.first_use, rows);
  if (rows.empty() && !bench.cases.empty()) {
    const bool both = find_case(bench, true) != nullptr && find_case(bench, false) != nullptr;
    return base::layout_paragraph(c.text(both ? "bench.speedup.shapes" : "bench.speedup.none"),
                                  c.style.width, 2, 2);
  }
  return base::layout_table(rows, {Align::left, Align::right, Align::left}, c.style.width, 2);
}

std::string errors_text(const Context& c, const Bench& bench) {
  std::string out;
  for (const CaseError& error : bench.errors) {
    const std::string who = error.device + (error.backend.empty() ? "" : ", " + error.backend);
    const std::string key = error.wrong_product ? "bench.wrong-product" : "bench.not-measured";
    out += base::layout_paragraph(base::printable(who) + ": " + c.text(key, {c.text(error.why)}),
                                  c.style.width, 2, 2);
  }
  return out;
}

std::string notes_text(const Context& c, const Bench& bench) {
  std::string out;
  for (const Message& note : bench.notes)
    out += base::layout_paragraph(c.text(note), c.style.width, 2, 2);
  return out;
}

std::string bandwidth_block(const Context& c, const Bench& bench) {
  if (bench.bandwidth.empty()) return "";
  Rows rows;
  for (const Bandwidth& row : bench.bandwidth) {
    const std::string interval = c.text(
        "bench.interval",
        {base::show_rate(row.ci95_bytes_per_s.low), base::show_rate(row.ci95_bytes_per_s.high)});
    rows.push_back({base::printable(row.device), c.text("bench.bandwidth." + row.what),
                    base::show_rate(row.bytes_per_s), interval});
  }
  std::string out = heading(c, c.text("bench.bandwidth.heading")) + "\n" +
                    base::layout_table(rows, {Align::left, Align::left, Align::right, Align::left},
                                       c.style.width, 2);
  for (const Bandwidth& row : bench.bandwidth)
    for (const std::string& flag : row.flags)
      out += base::layout_paragraph(base::printable(row.device) + ", " +
                                        c.text("bench.bandwidth." + row.what) + ": " +
                                        c.text("bench.flag." + flag),
                                    c.style.width, 2, 2);
  return out;
}

std::string title(const Context& c, const Bench& bench) {
  if (bench.cases.empty()) return c.text("bench.heading-plain");
  return c.text("bench.heading", {shape_text(bench.cases.front().shape)});
}

/// One of the lesson's own lines: "CPU: 0.713s".
std::string lesson_line(const Context& c, const char* label, const Case* measured) {
  const std::string value = measured == nullptr ? c.text("lesson.not-measured")
                                                : base::show_fixed(measured->median_s, 4) + "s";
  return std::string(label) + ": " + value + "\n";
}

}  // namespace

std::string bench_block(const Run& run, const Context& c) {
  std::string out = bandwidth_block(c, run.bench);
  if (run.bench.cases.empty() && !run.bench.bandwidth.empty())
    return out + errors_text(c, run.bench) + notes_text(c, run.bench);
  out += heading(c, title(c, run.bench)) + "\n";
  out += cases_table(c, run.bench) + speedup_text(c, run.bench) + errors_text(c, run.bench);
  return out + flags_text(c, run.bench) + notes_text(c, run.bench);
}

std::string bench(const Run& run, const Context& c) {
  std::string out = bench_block(run, c);
  out += checks_text(c, run.bench);
  return out;
}

std::string lesson(const Run& run, const Context& c) {
  std::string out = lesson_line(c, "CPU", find_case(run.bench, true)) +
                    lesson_line(c, "GPU", find_case(run.bench, false));
  if (const auto& speedup = run.bench.speedup.kernel_only)
    out += "Speedup: " + base::show_ratio(speedup->ratio) + "\n";
  return out + "\n" + bench(run, c);
}

}  // namespace gpuready::report

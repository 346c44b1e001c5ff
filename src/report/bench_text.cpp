#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "base/quantity.hpp"
#include "base/table.hpp"
#include "base/text.hpp"
#include "report/bench_parts.hpp"

namespace gpuready::report {

namespace {

using Rows = std::vector<std::vector<std::string>>;
using base::Align;

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

/// "fp32", with the size where the cases differ in it: "fp32, n = 4096" for a square.
std::string product_text(const Case& measured, bool with_shape) {
  const std::string type = base::printable(measured.dtype.name);
  const Shape& s = measured.shape;
  if (!with_shape) return type;
  const bool square = s.m == s.n && s.n == s.k;
  return type + (square ? ", n = " + std::to_string(s.n) : ", " + shape_text(s));
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

/// Many checks in one line: the product that came closest to its tolerance.
std::string all_checked_text(const Context& c, const Bench& bench) {
  const auto use = [](const Case& measured) {
    const Verification& v = measured.verification;
    return v.tolerance > 0 ? v.error / v.tolerance : v.error;
  };
  const Case& worst = *std::ranges::max_element(bench.cases, {}, use);
  return base::layout_paragraph(
      c.text("bench.all-checked", {std::to_string(bench.cases.size()), worst.device,
                                   worst.dtype.name, base::show_small(worst.verification.error),
                                   base::show_small(worst.verification.tolerance)}),
      c.style.width, 2, 2);
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
  add_speedup(c, "bench.speedup.one-thread", bench.speedup.one_thread, rows);
  if (rows.empty() && !bench.cases.empty()) {
    const bool both = find_case(bench, true) != nullptr && find_case(bench, false) != nullptr;
    return base::layout_paragraph(c.text(both ? "bench.speedup.shapes" : "bench.speedup.none"),
                                  c.style.width, 2, 2);
  }
  return base::layout_table(rows, {Align::left, Align::right, Align::left}, c.style.width, 2);
}

/// Whether types differ, so that an error has to say of which it speaks.
bool has_several_types(const Bench& bench) {
  std::set<std::string> types;
  for (const Case& measured : bench.cases) types.insert(measured.dtype.name);
  for (const CaseError& error : bench.errors)
    if (!error.dtype.empty()) types.insert(error.dtype);
  return types.size() > 1;
}

std::string errors_text(const Context& c, const Bench& bench) {
  std::string out;
  for (const CaseError& error : bench.errors) {
    const std::string who = error.device + (error.backend.empty() ? "" : ", " + error.backend);
    const std::string key = error.wrong_product ? "bench.wrong-product" : "bench.not-measured";
    const bool with_type = !error.dtype.empty() && has_several_types(bench);
    const std::string what = with_type ? ", " + error.dtype : std::string();
    out += base::layout_paragraph(
        base::printable(who + what) + ": " + c.text(key, {c.text(error.why)}), c.style.width, 2, 2);
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
  const bool one = !bench.cases.empty() && std::ranges::all_of(bench.cases, [&](const Case& other) {
    return other.shape == bench.cases.front().shape && other.dtype.name == "fp32";
  });
  if (!one) return c.text("bench.heading-plain");
  return c.text("bench.heading", {shape_text(bench.cases.front().shape)});
}

/// What a script that times one product with a clock sees: the first product, start-up and all.
Fact<double> naive_seconds(const Case* measured) {
  if (measured == nullptr) return Fact<double>::absent(Absence::not_tested, "not measured");
  return measured->first_call.first_product_s;
}

/// One of the lesson's own lines: "CPU: 0.7134s".
std::string lesson_line(const Context& c, const char* label, const Fact<double>& seconds) {
  const std::string value =
      seconds ? base::show_fixed(*seconds, 4) + "s" : c.text("lesson.not-measured");
  return std::string(label) + ": " + value + "\n";
}

}  // namespace

std::string bench_block(const Run& run, const Context& c) {
  const Bench& bench = run.bench;
  std::string out = bandwidth_block(c, bench);
  if (bench.cases.empty() && !bench.bandwidth.empty())
    return out + errors_text(c, bench) + notes_text(c, bench);
  out += heading(c, title(c, bench)) + "\n";
  out += cases_table(c, bench) + speedup_text(c, bench) + sizes_text(bench, c);
  out += errors_text(c, bench) + left_out_text(bench, c);
  return out + flags_text(c, bench) + notes_text(c, bench);
}

std::string bench(const Run& run, const Context& c) {
  const Bench& bench = run.bench;
  std::string out = bench_block(run, c);
  constexpr std::size_t few = 8;
  out += bench.cases.size() <= few ? checks_text(c, bench) : all_checked_text(c, bench);
  return out + peaks_text(bench, c) + plot_text(bench, c) + claims_text(bench, c) +
         peers_text(bench, c) + torch_text(bench, c);
}

std::string lesson(const Run& run, const Context& c) {
  const auto cpu = naive_seconds(find_case(run.bench, true));
  const auto gpu = naive_seconds(find_case(run.bench, false));
  std::string out = lesson_line(c, "CPU", cpu) + lesson_line(c, "GPU", gpu);
  out += "Speedup: ";
  out += cpu && gpu ? base::show_ratio(*cpu / *gpu) : c.text("lesson.not-measured");
  return out + "\n\n" + lesson_reasons(run, c) + "\n" + bench(run, c);
}

}  // namespace gpuready::report

#include "report/bench_parts.hpp"

#include <algorithm>
#include <map>

#include "base/quantity.hpp"
#include "base/table.hpp"
#include "base/text.hpp"
#include "report/plot.hpp"

namespace gpuready::report {

namespace {

using Rows = std::vector<std::vector<std::string>>;
using base::Align;

bool is_square(const Shape& s) { return s.m == s.n && s.n == s.k; }

std::string ratio_text(const Fact<Speedup>& speedup) {
  constexpr double two_digits_show_it = 0.095;
  if (!speedup) return "-";
  return speedup->ratio < two_digits_show_it ? base::show_fixed(speedup->ratio, 4) + "x"
                                             : base::show_ratio(speedup->ratio);
}

std::string table(const Context& c, const Rows& rows, const std::vector<Align>& align) {
  return base::layout_table(rows, align, c.style.width, 2);
}

std::string paragraph(const Context& c, const std::string& text) {
  return base::layout_paragraph(text, c.style.width, 2, 2);
}

std::string rate_text(const Fact<double>& flops) { return flops ? base::show_flops(*flops) : "-"; }

/// Squares by device and type, smallest first; of several libraries the fastest.
std::vector<Curve> curves_of(const Bench& bench) {
  std::vector<std::string> names;
  std::map<std::string, std::map<double, double>> rates;
  for (const Case& c : bench.cases) {
    if (!is_square(c.shape) || c.dtype.name != bench.cases.front().dtype.name) continue;
    const std::string name = c.device;
    if (!rates.contains(name)) names.push_back(name);
    double& rate = rates[name][static_cast<double>(c.shape.n)];
    rate = std::max(rate, c.flops);
  }
  std::vector<Curve> curves;
  for (const std::string& name : names) {
    const char mark = name == "cpu" ? 'c' : 'g';
    curves.push_back({name, mark, {rates[name].begin(), rates[name].end()}});
  }
  return curves;
}

}  // namespace

std::string shape_text(const Shape& s) {
  return std::to_string(s.m) + " x " + std::to_string(s.k) + " x " + std::to_string(s.n);
}

std::string plot_text(const Bench& bench, const Context& c) {
  const std::vector<Curve> curves = curves_of(bench);
  const bool enough =
      std::ranges::any_of(curves, [](const Curve& curve) { return curve.points.size() >= 3; });
  if (!enough) return {};
  PlotFrame frame{c.style.width, 12, c.style.unicode, {}};
  const auto& crossing = bench.speedup.break_even_n.with_transfers;
  if (crossing) frame.marked_x = *crossing;
  std::vector<std::string> legend;
  for (const Curve& curve : curves)
    legend.push_back(c.style.unicode ? curve.name
                                     : std::string(1, curve.mark) + " = " + curve.name);
  std::string title =
      c.text("bench.plot", {bench.cases.front().dtype.name, base::join(legend, ", ")});
  if (crossing) title += " " + c.text("bench.plot.crossing", {base::show_fixed(*crossing, 0)});
  return "\n" + paragraph(c, title) + plot(curves, frame) + "\n";
}

std::string sizes_text(const Bench& bench, const Context& c) {
  const auto& sizes = bench.speedup.sizes;
  std::string out;
  if (sizes.size() > 1) {
    Rows rows{{c.text("bench.size"), c.text("bench.type"), c.text("bench.column.kernel-only"),
               c.text("bench.column.with-transfers"), c.text("bench.column.first-use")}};
    for (const SizeSpeedup& s : sizes)
      rows.push_back({shape_text(s.shape), s.dtype.name, ratio_text(s.kernel_only),
                      ratio_text(s.with_transfers), ratio_text(s.first_use)});
    out += table(c, rows, {Align::left, Align::left, Align::right, Align::right, Align::right});
    const BreakEven& even = bench.speedup.break_even_n;
    for (const auto& [key, side] :
         {std::pair{"bench.break-even.with-transfers", &even.with_transfers},
          std::pair{"bench.break-even.first-use", &even.first_use}})
      out += paragraph(c, c.text(key, {*side ? "n = " + base::show_fixed(**side, 0)
                                             : base::printable(side->missing().detail)}));
  }
  return out;
}

std::string claims_text(const Bench& bench, const Context& c) {
  std::string out;
  for (const Claim& claim : bench.claims) {
    const std::string word(EnumNames<ClaimVerdict>::list[static_cast<std::size_t>(claim.verdict)]);
    out += "\n" + paragraph(c, c.text(claim.claim));
    out += base::layout_paragraph(
        c.text("bench.claim.verdict." + base::join(base::split(word, ' '), "-")) + ": " +
            c.text(claim.why),
        c.style.width, 4, 0);
  }
  return out;
}

std::string peaks_text(const Bench& bench, const Context& c) {
  std::string out;
  for (const Peak& peak : bench.peaks)
    out += paragraph(
        c, c.text("bench.peak", {peak.device, peak.dtype.name, shape_text(peak.best),
                                 base::show_flops(peak.best_flops), std::to_string(peak.tried)}));
  return out;
}

std::string peers_text(const Bench& bench, const Context& c) {
  if (bench.peers.empty()) return {};
  Rows rows{{c.text("bench.peer.device"), c.text("bench.peer.name"), c.text("bench.peer.alone"),
             c.text("bench.peer.together"), c.text("bench.peer.verdict")}};
  for (const Peer& peer : bench.peers)
    rows.push_back(
        {peer.device, base::printable(peer.device_name), rate_text(peer.alone_flops),
         rate_text(peer.together_flops),
         (peer.slow ? c.text("bench.peer.slow") + ": " : std::string()) +
             (peer.verdict.key.empty() && peer.verdict.args.empty() ? std::string()
                                                                    : c.text(peer.verdict))});
  return "\n" + table(c, rows, {Align::left, Align::left, Align::right, Align::right, Align::left});
}

std::string torch_text(const Bench& bench, const Context& c) {
  if (bench.torch.empty()) return {};
  std::string out = "\n" + paragraph(c, c.text("bench.torch.heading",
                                               {base::printable(bench.torch.front().python)}));
  Rows rows{{c.text("bench.peer.device"), c.text("bench.size"), c.text("bench.type"), "gpuready",
             "PyTorch", c.text("bench.torch.ratio")}};
  for (const TorchCase& t : bench.torch)
    rows.push_back({t.device, shape_text(t.shape), t.dtype.name, rate_text(t.ours_flops),
                    rate_text(t.flops),
                    t.ratio ? base::show_fixed(100 * *t.ratio, 0) + " %" : "-"});
  out += table(c, rows,
               {Align::left, Align::left, Align::left, Align::right, Align::right, Align::right});
  for (const TorchCase& t : bench.torch)
    for (const Message& why : t.why)
      out += paragraph(c, t.device + ", " + t.dtype.name + ": " + base::printable(c.text(why)));
  return out;
}

std::string left_out_text(const Bench& bench, const Context& c) {
  std::string out;
  for (const Message& message : bench.time.left_out) out += paragraph(c, c.text(message));
  return out;
}

std::string lesson_reasons(const Run& run, const Context& c) {
  const Bench& bench = run.bench;
  const Speedups& speedup = bench.speedup;
  std::string out;
  if (!speedup.kernel_only) return out;
  out += c.text("lesson.why") + "\n";
  const auto say = [&](const char* key, std::vector<std::string> args) {
    out += base::layout_paragraph("- " + c.text(key, std::move(args)), c.style.width, 0, 2);
  };
  if (speedup.first_use) say("lesson.why.first-use", {base::show_ratio(speedup.first_use->ratio)});
  if (speedup.with_transfers)
    say("lesson.why.transfers", {base::show_ratio(speedup.with_transfers->ratio)});
  if (speedup.one_thread)
    say("lesson.why.one-thread", {base::show_ratio(speedup.one_thread->ratio)});
  say("lesson.why.blas", {});
  say("lesson.why.tf32", {});
  say("lesson.why.check", {});
  return out;
}

}  // namespace gpuready::report

#include <algorithm>

#include "base/quantity.hpp"
#include "base/table.hpp"
#include "base/text.hpp"
#include "report/report.hpp"

namespace gpuready::report {

namespace {

using Rows = std::vector<std::vector<std::string>>;
using base::Align;

std::string show(const Context& c, const Fact<std::string>& fact) {
  return fact ? base::printable(*fact) : c.text("page.unknown");
}

std::string show_fact_bytes(const Context& c, const Fact<std::int64_t>& bytes) {
  return bytes ? base::show_bytes(*bytes) : c.text("page.unknown");
}

std::string os_line(const Context& c, const Machine& m) {
  std::vector<std::string> parts{show(c, m.os.name), c.text("page.kernel", {show(c, m.os.kernel)}),
                                 show(c, m.os.architecture)};
  const Environment& e = m.environment;
  if (e.container) parts.push_back(c.text("page.in-container", {base::printable(*e.container)}));
  if (e.wsl) parts.push_back(base::printable(*e.wsl));
  const std::pair<const Fact<std::string>&, const char*> places[] = {
      {e.colab, "Google Colab"},   {e.kaggle, "Kaggle"}, {e.runpod, "RunPod"},
      {e.vast, "Vast.ai"},         {e.lambda, "Lambda"}, {e.slurm, "Slurm"},
      {e.kubernetes, "Kubernetes"}};
  for (const auto& [fact, name] : places)
    if (fact) parts.emplace_back(name);
  return base::join(parts, ", ");
}

/// The widest instruction sets that a matrix product profits from.
std::string notable_instructions(const Machine& m) {
  static constexpr const char* notable[] = {"amx_bf16", "avx512_bf16", "avx512f", "avx2",
                                            "sve2",     "sve",         "asimd"};
  std::vector<std::string> found;
  const auto sets = m.cpu.instruction_sets.value_or({});
  for (const char* name : notable)
    if (std::ranges::find(sets, name) != sets.end() && found.size() < 2) found.emplace_back(name);
  return base::join(found, ", ");
}

std::string cpu_line(const Context& c, const Machine& m) {
  const auto count = [&](const Fact<std::int64_t>& n) {
    return n ? std::to_string(*n) : c.text("page.unknown");
  };
  std::string line =
      show(c, m.cpu.model) + ", " +
      c.text("page.cores", {count(m.cpu.physical_cores), count(m.cpu.usable_threads)});
  const std::string instructions = notable_instructions(m);
  return instructions.empty() ? line : line + ", " + instructions;
}

std::string memory_line(const Context& c, const Machine& m) {
  return c.text("page.memory-line", {show_fact_bytes(c, m.memory.total_bytes),
                                     show_fact_bytes(c, m.memory.usable_bytes)});
}

/// Unified memory and NVML without a figure must not look like "0 GB".
std::string gpu_memory(const Context& c, const Gpu& gpu) {
  if (!gpu.memory_total_bytes && !gpu.memory_free_bytes) return c.text("page.gpu-memory-unknown");
  std::string text = c.text("page.gpu-memory", {show_fact_bytes(c, gpu.memory_total_bytes),
                                                show_fact_bytes(c, gpu.memory_free_bytes)});
  return gpu.unified_memory.is(true) ? text + " " + c.text("page.gpu-memory-shared") : text;
}

std::string vendor_name(const Gpu& gpu) {
  if (gpu.vendor.is("nvidia")) return "NVIDIA";
  if (gpu.vendor.is("amd")) return "AMD";
  return gpu.vendor.is("intel") ? "Intel" : base::printable(gpu.vendor.value_or("?"));
}

std::string gpu_line(const Context& c, const Machine& m, const Gpu& gpu) {
  if (!gpu.name) return c.text("page.gpu-unnamed", {vendor_name(gpu), show(c, gpu.pci_address)});
  std::vector<std::string> parts{base::printable(*gpu.name), gpu_memory(c, gpu)};
  if (gpu.compute_capability)
    parts.push_back(c.text("page.capability", {base::printable(*gpu.compute_capability)}));
  const bool failed = gpu.kernel.is(false) || gpu.kernel.absent_for(Absence::call_failed) ||
                      gpu.context.absent_for(Absence::call_failed);
  if (failed) parts.push_back(c.text("page.gpu-broken"));
  const Fact<std::string>& driver =
      m.driver.nvml.driver_version ? m.driver.nvml.driver_version : m.driver.module.version;
  if (gpu.vendor.is("nvidia")) {
    parts.push_back(c.text("page.driver", {show(c, driver)}));
    parts.push_back(c.text(
        "page.cuda",
        {show(c, m.driver.cuda.version ? m.driver.cuda.version : m.driver.nvml.cuda_version)}));
  }
  return base::join(parts, ", ");
}

/// "GPU", "GPU 2" or "GPU 0-7".
std::string gpu_label(const Context& c, std::size_t first, std::size_t last, std::size_t count) {
  if (count == 1) return c.text("page.gpu");
  const std::string numbers =
      std::to_string(first) + (last > first ? "-" + std::to_string(last) : std::string());
  return c.text("page.gpu") + " " + numbers;
}

/// One row for each run of GPUs that read the same.
void add_gpu_rows(const Context& c, const Machine& m, Rows& rows) {
  if (m.gpus.empty()) rows.push_back({c.text("page.gpu"), c.text("page.no-gpu")});
  std::vector<std::string> lines;
  for (const Gpu& gpu : m.gpus) lines.push_back(gpu_line(c, m, gpu));
  for (std::size_t first = 0; first < lines.size();) {
    std::size_t last = first;
    while (last + 1 < lines.size() && lines[last + 1] == lines[first]) ++last;
    const std::string each = last > first ? std::to_string(last - first + 1) + " x " : "";
    rows.push_back({gpu_label(c, first, last, lines.size()), each + lines[first]});
    first = last + 1;
  }
}

std::string torch_line(const Context& c, const Run& run) {
  const auto& list = run.machine.python;
  if (list.empty()) return c.text("page.no-python");
  auto it = std::ranges::find(list, true, &PythonEnvironment::is_default);
  if (it == list.end()) it = list.begin();
  const std::string python = base::printable(it->executable);
  if (!it->torch) return c.text("page.no-torch", {python});
  return c.text("page.torch", {base::printable(it->torch->version), python});
}

std::string machine_block(const Context& c, const Run& run) {
  const Machine& m = run.machine;
  Rows rows{{c.text("page.machine"), os_line(c, m)},
            {c.text("page.cpu"), cpu_line(c, m)},
            {c.text("page.memory"), memory_line(c, m)}};
  add_gpu_rows(c, m, rows);
  rows.push_back({"PyTorch", torch_line(c, run)});
  return base::layout_table(rows, {Align::left, Align::left}, c.style.width);
}

std::string verdict_block(const Context& c, const Run& run) {
  const std::string word(EnumNames<Verdict>::list[static_cast<std::size_t>(run.doctor.verdict)]);
  Rows rows{
      {c.text("page.verdict"), c.text("verdict.word." + word) + ": " + c.text(run.doctor.summary)}};
  std::string out = base::layout_table(rows, {}, c.style.width);
  out += heading(c, c.text("page.using", {run.device.device})) + "\n";
  const bool installed = std::ranges::any_of(
      run.machine.python, [](const PythonEnvironment& p) { return p.torch.known(); });
  if (installed && run.torch_device.device != run.device.device)
    out += base::layout_paragraph(
        c.text("page.torch-uses", {run.torch_device.device, c.text(run.torch_device.reason)}),
        c.style.width);
  return out;
}

std::string fit_block(const Context& c, const Run& run) {
  const Fit& fit = run.fit;
  if (!fit.usable_bytes)
    return base::layout_paragraph(
        c.text("fit.no-memory", {show_missing(c, fit.usable_bytes.missing())}), c.style.width);
  const std::string key = fit.device == "cpu" ? "fit.heading-cpu" : "fit.heading-gpu";
  std::string out =
      heading(c, c.text(key, {base::show_bytes(*fit.usable_bytes), fit.device})) + "\n";
  Rows rows{
      {c.text("fit.dtype"), c.text("fit.bytes"), c.text("fit.parameters"), c.text("fit.example")}};
  for (const RuleOfThumb& rule : fit.rule_of_thumb) {
    const std::string number = rule.bytes_per_parameter < 1
                                   ? "0.5"
                                   : std::to_string(static_cast<int>(rule.bytes_per_parameter));
    rows.push_back({rule.dtype, number, base::show_parameters(rule.max_parameters),
                    rule.example.value_or("")});
  }
  out += base::layout_table(rows, {Align::left, Align::right, Align::right, Align::left},
                            c.style.width, 2);
  return out + base::layout_paragraph(c.text("fit.caution"), c.style.width, 2);
}

std::string next_block(const Context& c, const Run& run) {
  std::string out = heading(c, c.text("next.heading")) + "\n";
  int number = 1;
  for (const Message& step : run.next.steps)
    out +=
        base::layout_paragraph(std::to_string(number++) + ". " + c.text(step), c.style.width, 2, 3);
  if (run.next.places.empty()) return out;
  Rows rows{{c.text("place.where"), c.text("place.cost"), c.text("place.setup"),
             c.text("place.best-for")}};
  for (const Place& place : run.next.places)
    rows.push_back(
        {c.text(place.name), c.text(place.cost), c.text(place.setup), c.text(place.best_for)});
  out += base::layout_table(rows, {}, c.style.width, 2);
  for (const Place& place : run.next.places)
    if (place.price_as_of)
      out += base::layout_paragraph(c.text("place.as-of", {*place.price_as_of}), c.style.width, 2);
  return out;
}

}  // namespace

std::string page(const Run& run, const Context& c) {
  std::string out = heading(c, "gpuready " + run.tool.version + "  " + run.at) + "\n\n";
  out += machine_block(c, run) + "\n";
  out += verdict_block(c, run) + "\n";
  out += bench_block(run, c) + "\n";
  out += fit_block(c, run) + "\n";
  return out + next_block(c, run);
}

}  // namespace gpuready::report

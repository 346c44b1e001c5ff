#include "catalog/gpus.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include "base/text.hpp"

namespace gpuready::catalog {

namespace {

/// Nominal sizes: "24", "8/16", "up to 128" (which is not a size, but a bound: not known).
std::vector<double> read_sizes(Cells& cells) {
  const std::string text = cells.maybe("vram_gb");
  std::vector<double> sizes;
  if (text.empty() || base::starts_with(text, "up to ")) return sizes;
  for (const std::string& part : base::split(text, '/')) {
    const auto size = base::to_number(part);
    if (!size || *size <= 0) return cells.wrong("vram_gb", "sizes in GB"), sizes;
    sizes.push_back(*size);
  }
  return sizes;
}

void read_peaks(Cells& cells, Gpu& gpu) {
  const auto peak = [&](const char* column) { return cells.maybe_number(column).value_or(0); };
  gpu.fp32_tflops = peak("fp32_tflops"), gpu.tf32_tflops = peak("tf32_tflops");
  gpu.fp16_tflops = peak("fp16_tflops"), gpu.fp16_acc16_tflops = peak("fp16_acc16_tflops");
  gpu.bf16_tflops = peak("bf16_tflops"), gpu.fp8_tflops = peak("fp8_tflops");
  gpu.int8_tops = peak("int8_tops");
}

Gpu read_gpu(Cells& cells) {
  Gpu gpu;
  gpu.name = cells.text("name"), gpu.vendor = cells.text("vendor"), gpu.arch = cells.text("arch");
  gpu.compute_capability = cells.maybe_number("compute_capability").value_or(0);
  gpu.vram_gb = read_sizes(cells);
  gpu.vram_mib_reported = cells.maybe_integer("vram_mib_reported").value_or(0);
  gpu.mem_type = cells.maybe("mem_type");
  gpu.bandwidth_gbs = cells.maybe_number("bandwidth_gbs").value_or(0);
  read_peaks(cells, gpu);
  gpu.tdp_w = cells.maybe_integer("tdp_w").value_or(0);
  gpu.pcie = cells.maybe("pcie"), gpu.nvlink = cells.maybe("nvlink");
  gpu.source = cells.text("source"), gpu.notes = cells.maybe("notes");
  gpu.as_of = cells.text("as_of");
  gpu.unified_memory = gpu.vendor == "Apple" || base::starts_with(gpu.mem_type, "LPDDR");
  return gpu;
}

using Words = std::set<std::string>;

/// "RTX4090", "rtx-4090" and "RTX 4090" are the same words; letters and digits stand apart.
Words words_of(std::string_view name) {
  static const std::set<std::string, std::less<>> idle{
      "nvidia", "geforce", "tesla", "amd",        "radeon", "intel", "r",   "tm",
      "apple",  "gb",      "gib",   "generation", "gpu",    "with",  "max", "design"};
  Words words;
  std::string word;
  const auto end = [&] {
    if (word == "laptop") word = "mobile";
    if (!word.empty() && !idle.contains(word)) words.insert(word);
    word.clear();
  };
  for (const char raw : base::lower(name)) {
    const auto c = static_cast<unsigned char>(raw);
    if (std::isalnum(c) == 0) {
      end();
      continue;
    }
    if (!word.empty() &&
        (std::isdigit(c) != 0) != (std::isdigit(static_cast<unsigned char>(word.back())) != 0))
      end();
    word += raw;
  }
  end();
  return words;
}

bool holds(const Words& all, const Words& some) { return std::ranges::includes(all, some); }

/// The row whose words the name has all, and most of them: drivers add words to a name.
std::vector<const Gpu*> closest_within(const std::vector<Gpu>& gpus, const Words& wanted) {
  std::vector<const Gpu*> best;
  std::size_t most = 0;
  for (const Gpu& gpu : gpus) {
    const Words own = words_of(gpu.name);
    if (!holds(wanted, own) || own.size() < most) continue;
    if (own.size() > most) best.clear();
    most = own.size();
    best.push_back(&gpu);
  }
  return best;
}

}  // namespace

Result<std::vector<Gpu>> load_gpus(const Override& replaced) {
  return read_table<Gpu>("gpus.csv", replaced, read_gpu);
}

std::vector<const Gpu*> find_gpus(const std::vector<Gpu>& gpus, std::string_view name) {
  const Words wanted = words_of(name);
  std::vector<const Gpu*> fitting;
  if (wanted.empty()) return fitting;
  for (const Gpu& gpu : gpus) {
    Words own = words_of(gpu.name);
    if (own == wanted) return {&gpu};
    own.merge(words_of(gpu.mem_type));
    if (holds(own, wanted)) fitting.push_back(&gpu);
  }
  return fitting.empty() ? closest_within(gpus, wanted) : fitting;
}

}  // namespace gpuready::catalog

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

/// Letters and digits apart, in lower case and in order.
std::vector<std::string> pieces_of(std::string_view name) {
  std::vector<std::string> pieces;
  std::string piece;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (const char c : base::lower(name)) {
    const bool belongs = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (!piece.empty() && (!belongs || is_digit(c) != is_digit(piece.back()))) {
      pieces.push_back(piece);
      piece.clear();
    }
    if (belongs) piece += c;
  }
  if (!piece.empty()) pieces.push_back(piece);
  return pieces;
}

bool is_unit(const std::string& piece) { return piece == "gb" || piece == "gib"; }

/// Whether the piece says nothing of which GPU it is: the GB after a size, the Max of Max-Q; the GB
/// of GB200 and the Max of M3 Max do.
bool is_idle(const std::vector<std::string>& pieces, std::size_t i) {
  static const std::set<std::string, std::less<>> idle{
      "nvidia", "geforce", "tesla",      "amd", "radeon", "intel", "r",
      "tm",     "apple",   "generation", "gpu", "with",   "design"};
  if (is_unit(pieces[i])) return i > 0 && base::to_number(pieces[i - 1]).has_value();
  if (pieces[i] == "max") return i + 1 < pieces.size() && pieces[i + 1] == "q";
  return idle.contains(pieces[i]);
}

/// "RTX4090", "rtx-4090" and "RTX 4090" are the same words; letters and digits stand apart.
Words words_of(std::string_view name) {
  Words words;
  const std::vector<std::string> pieces = pieces_of(name);
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (!is_idle(pieces, i)) words.insert(pieces[i] == "laptop" ? "mobile" : pieces[i]);
  return words;
}

bool holds(const Words& all, const Words& some) { return std::ranges::includes(all, some); }

/// Whether the name says a memory that the GPU is not sold with.
bool has_other_size(std::string_view name, const Gpu& gpu) {
  const std::vector<std::string> pieces = pieces_of(name);
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    const auto size = is_unit(pieces[i]) ? base::to_number(pieces[i - 1]) : std::nullopt;
    if (size && !gpu.vram_gb.empty() && std::ranges::find(gpu.vram_gb, *size) == gpu.vram_gb.end())
      return true;
  }
  return false;
}

/// Words that make another chip of it: RTX 4090 Mobile, M3 Max; single letters too (RTX 4090 D,
/// A40-8Q, which is a part of an A40).
bool is_variant(const std::string& word) {
  static const std::set<std::string, std::less<>> variants{
      "mobile", "max", "pro", "ultra", "ti", "super", "xt", "xtx", "gre", "sff", "mig", "grid"};
  return variants.contains(word) || (word.size() == 1 && word[0] >= 'a' && word[0] <= 'z');
}

/// The row whose words the name has all, and most of them: drivers add words to a name.
std::vector<const Gpu*> closest_within(const std::vector<Gpu>& gpus, std::string_view name,
                                       const Words& wanted) {
  std::vector<const Gpu*> best;
  std::size_t most = 0;
  for (const Gpu& gpu : gpus) {
    const Words own = words_of(gpu.name);
    if (!holds(wanted, own) || own.size() < most || has_other_size(name, gpu)) continue;
    if (std::ranges::any_of(wanted, [&](const std::string& word) {
          return is_variant(word) && !own.contains(word);
        }))
      continue;
    if (own.size() > most) best.clear();
    most = own.size();
    best.push_back(&gpu);
  }
  return best;
}

/// Whether the row's name is these words and a line of cards before them: "3090" is the RTX 3090.
bool is_without_line(Words own, const Words& wanted) {
  static const std::set<std::string, std::less<>> lines{"rtx", "gtx", "rx", "arc"};
  // "titan" is no number: a line of its own.
  if (std::ranges::none_of(wanted, [](const auto& word) { return word[0] <= '9'; })) return false;
  std::erase_if(
      own, [&](const std::string& word) { return lines.contains(word) && !wanted.contains(word); });
  return own == wanted;
}

}  // namespace

Result<std::vector<Gpu>> load_gpus(const Override& replaced) {
  return read_table<Gpu>("gpus.csv", replaced, read_gpu);
}

std::vector<const Gpu*> find_gpus(const std::vector<Gpu>& gpus, std::string_view name) {
  const Words wanted = words_of(name);
  std::vector<const Gpu*> fitting, bare;
  if (wanted.empty()) return fitting;
  for (const Gpu& gpu : gpus) {
    Words own = words_of(gpu.name);
    if (own == wanted) return {&gpu};
    if (is_without_line(own, wanted)) bare.push_back(&gpu);
    own.merge(words_of(gpu.mem_type));
    if (holds(own, wanted)) fitting.push_back(&gpu);
  }
  if (bare.size() == 1) return bare;
  return fitting.empty() ? closest_within(gpus, name, wanted) : fitting;
}

}  // namespace gpuready::catalog

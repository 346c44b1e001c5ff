#include "cloud/gpu_names.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/format.hpp"
#include "base/text.hpp"

namespace gpuready::cloud {

namespace {

constexpr double gib = 1073741824.0;
constexpr std::size_t most_near = 5;

bool has_memory(const catalog::Gpu& gpu, std::int64_t vram_bytes) {
  const double told = static_cast<double>(vram_bytes) / gib;
  return std::ranges::any_of(gpu.vram_gb, [&](double nominal) {
    return std::abs(told - nominal) <= memory_slack * nominal;
  });
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The marketplace's short words, each alone: Q RTX 8000 (Quadro), RTX 4070S (SUPER), 4070S Ti,
/// RTX 5880Ada, RTX PRO 6000 S (Server), RTX PRO 6000 WS.
std::string spelled_out(std::string_view as_told) {
  std::string out;
  bool super_ti = false;
  for (std::string word : base::split(as_told, ' ')) {
    const bool number = !word.empty() && is_digit(word.front());
    if (word == "Q") word = "Quadro";
    if (word == "S") word = "Server";
    if (word == "WS") word.clear();
    if (number && word.back() == 'S') word.pop_back(), super_ti = true;
    if (number && base::ends_with(word, "Ada")) word.insert(word.size() - 3, " ");
    if (!word.empty()) out += (out.empty() ? "" : " ") + word;
  }
  return super_ti ? out + " SUPER" : out;
}

/// Letters to change, add, drop or swap that make one name of the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> edits(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) edits[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) edits[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t& here = edits[i][j];
      here = std::min({edits[i - 1][j] + 1, edits[i][j - 1] + 1,
                       edits[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        here = std::min(here, edits[i - 2][j - 2] + 1);
    }
  return edits[a.size()][b.size()];
}

std::string plain(std::string_view name) {
  std::string out;
  for (const char c : base::lower(name))
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) out += c;
  for (const char* maker : {"nvidia", "geforce", "radeon", "tesla", "amd"})
    if (const std::size_t at = out.find(maker); at != std::string::npos)
      out.erase(at, std::string_view(maker).size());
  return out;
}

std::vector<std::string> near_names(const std::vector<catalog::Gpu>& gpus, std::string_view name) {
  constexpr std::size_t longest = 64;
  const std::string wanted = plain(name.substr(0, longest));
  std::vector<std::pair<std::size_t, std::string>> all;
  for (const catalog::Gpu& gpu : gpus)
    all.emplace_back(distance(wanted, plain(gpu.name)), gpu.name);
  std::ranges::stable_sort(all, {}, &std::pair<std::size_t, std::string>::first);
  std::vector<std::string> out;
  for (const auto& [edits, near] : all)
    if (out.size() < most_near && edits <= std::max<std::size_t>(3, wanted.size() / 2))
      out.push_back(near);
  return out;
}

}  // namespace

const catalog::Gpu* GpuNames::find(const std::string& as_told, std::int64_t vram_bytes) {
  const auto [it, is_new] = found_.try_emplace({as_told, vram_bytes}, nullptr);
  if (!is_new) return it->second;
  auto fitting = catalog::find_gpus(gpus_, as_told);
  if (fitting.empty()) fitting = catalog::find_gpus(gpus_, spelled_out(as_told));
  if (fitting.size() > 1 && vram_bytes > 0)
    std::erase_if(fitting, [&](const auto* gpu) { return !has_memory(*gpu, vram_bytes); });
  if (fitting.size() == 1) it->second = fitting.front();
  return it->second;
}

void GpuNames::fill(Offer& offer, const std::string& as_told) {
  offer.gpu_as_told = as_told;
  const catalog::Gpu* gpu = find(as_told, offer.vram_bytes_per_gpu.value_or(0));
  offer.gpu = gpu != nullptr ? gpu->name : as_told;
  if (gpu == nullptr || gpu->vram_gb.empty()) return;
  if (!offer.vram_bytes_per_gpu && gpu->vram_gb.size() == 1)
    offer.vram_bytes_per_gpu =
        Fact<std::int64_t>(static_cast<std::int64_t>(gpu->vram_gb.front() * gib), "data/gpus.csv");
  else if (offer.vram_bytes_per_gpu && !has_memory(*gpu, *offer.vram_bytes_per_gpu))
    offer.notes.push_back(
        {"cloud.note.other-memory",
         {base::format("{:.0f}", static_cast<double>(*offer.vram_bytes_per_gpu) / gib), gpu->name,
          base::format("{:.0f}", gpu->vram_gb.front())}});
}

bool is_same_name(std::string_view a, std::string_view b) {
  return !plain(a).empty() && plain(a) == plain(b);
}

Result<std::vector<std::string>> resolve_gpu(const std::vector<catalog::Gpu>& gpus,
                                             std::string_view name) {
  std::vector<std::string> names;
  for (const catalog::Gpu* gpu : catalog::find_gpus(gpus, name)) names.push_back(gpu->name);
  if (!names.empty()) return names;
  const auto near = near_names(gpus, name);
  return failure("unknown GPU '" + base::printable(name) + "'" +
                 (near.empty() ? "; gpuready cloud offers lists those that can be rented"
                               : "; did you mean " + base::join(near, ", ") + "?"));
}

}  // namespace gpuready::cloud

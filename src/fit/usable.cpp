#include "fit/usable.hpp"

#include <algorithm>
#include <charconv>

#include "base/text.hpp"
#include "catalog/context_memory.hpp"
#include "fit/range.hpp"

namespace gpuready::fit {

namespace {

constexpr std::size_t most_gpus = 1024;

double number_of(const std::string& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// Letters and digits, in lower case.
std::string plain(const std::string& name) {
  std::string out;
  for (const char c : base::lower(name))
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) out += c;
  return out;
}

/// How many letters have to be changed, added or left out to make `name` of the end of `full`
/// (people leave out what drivers put in front).
std::size_t letters_apart(const std::string& name, const std::string& full) {
  std::vector<std::size_t> row(full.size() + 1, 0);
  for (std::size_t i = 0; i < name.size(); ++i) {
    std::size_t before = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < full.size(); ++j) {
      const std::size_t changed = before + (name[i] == full[j] ? 0 : 1);
      before = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, before + 1});
    }
  }
  return row.back();
}

std::string near_names(const std::vector<catalog::Gpu>& table, const std::string& name) {
  constexpr std::size_t most = 6, most_letters = 3;
  const std::string wanted = plain(name);
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const catalog::Gpu& gpu : table) {
    const std::size_t apart = letters_apart(wanted, plain(gpu.name));
    if (apart <= std::min(most_letters, wanted.size() / 2)) near.emplace_back(apart, gpu.name);
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& x, const auto& y) { return x.first < y.first; });
  std::string out;
  for (std::size_t i = 0; i < std::min(most, near.size()); ++i)
    out += (i > 0 ? ", " : "") + near[i].second;
  return out;
}

Result<const catalog::Gpu*> named_gpu(const FitRequest& request,
                                      const std::vector<catalog::Gpu>& table) {
  std::vector<const catalog::Gpu*> found = catalog::find_gpus(table, request.gpu);
  if (found.size() > 1 && request.vram_bytes > 0) {
    const double gib = static_cast<double>(request.vram_bytes) / gibibyte;
    std::erase_if(found, [&](const catalog::Gpu* gpu) {
      return std::none_of(gpu->vram_gb.begin(), gpu->vram_gb.end(),
                          [&](double nominal) { return std::abs(nominal - gib) < 0.1 * nominal; });
    });
  }
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    const std::string lower = base::lower(request.gpu);
    if (base::contains(lower, "laptop") || base::contains(lower, "mobile"))
      return failure("--gpu " + request.gpu +
                     ": not in data/gpus.csv, and the desktop GPU of that number is another chip; "
                     "name the laptop GPU's memory instead (--vram, in GiB)");
    const std::string near = near_names(table, request.gpu);
    return failure("--gpu " + request.gpu + ": not in data/gpus.csv" +
                   (near.empty() ? std::string("; name its memory instead (--vram 24GiB)")
                                 : "; near are " + near + "; or name its memory (--vram 24GiB)"));
  }
  std::string names;
  for (const catalog::Gpu* gpu : found) names += (names.empty() ? "" : ", ") + gpu->name;
  return failure("--gpu " + request.gpu + ": fits several: " + names + "; name one, or add --vram");
}

Device cpu_of(const Machine& machine) {
  Device cpu;
  cpu.name = "cpu", cpu.gpu = "main memory";
  cpu.usable_bytes = machine.memory.usable_bytes.value_or(0);
  cpu.total_bytes = machine.memory.total_bytes.value_or(0);
  return cpu;
}

/// A GPU of this machine; what the table knows of its kind is added.
Device device_of_machine(const Gpu& gpu, const std::vector<catalog::Gpu>& table) {
  Device device;
  device.name = "cuda:" + std::to_string(gpu.cuda_index.value_or(0));
  device.gpu = gpu.name.value_or("");
  device.total_bytes = gpu.memory_total_bytes.value_or(0);
  device.usable_bytes = gpu.memory_free_bytes.value_or(0);
  device.compute_capability = number_of(gpu.compute_capability.value_or("0"));
  // Free memory that CUDA told was told inside a context, which is gone when a program starts.
  if (gpu.memory_free_bytes.source().find("cuMemGetInfo") != std::string::npos)
    device.usable_bytes +=
        whole_bytes(catalog::context_memory("cuda", device.compute_capability).low_mib * mebibyte);
  const auto found = catalog::find_gpus(table, device.gpu);
  if (found.size() == 1) device.bandwidth_bytes_per_s = found.front()->bandwidth_gbs * 1e9;
  return device;
}

std::vector<Device> copies_of(const Device& device, std::int64_t count) {
  std::vector<Device> out;
  for (std::int64_t i = 0; i < count; ++i) {
    out.push_back(device);
    out.back().name = "cuda:" + std::to_string(i);
  }
  return out;
}

}  // namespace

double usable_bytes_of(double nominal_gib, std::int64_t reported_mib) {
  const double total =
      reported_mib > 0 ? static_cast<double>(reported_mib) * mebibyte : nominal_gib * gibibyte;
  // What CUDA gives of it: 24,080 of an RTX 4090's 24,564 MiB, 15.7 of 16 GiB, 79.2 of an
  // A100's 80.
  constexpr double large = 64 * gibibyte;
  return total * (total >= large ? 0.99 : 0.98);
}

Device device_of(const catalog::Gpu& gpu, double gib) {
  Device device;
  device.name = "cuda:0", device.gpu = gpu.name;
  const bool named = gib > 0;
  if (!named && !gpu.vram_gb.empty())
    gib = *std::min_element(gpu.vram_gb.begin(), gpu.vram_gb.end());
  double usable = usable_bytes_of(gib, named ? 0 : gpu.vram_mib_reported);
  // Shared with the system: macOS gives GPUs three quarters; of others the system needs a tenth.
  if (gpu.unified_memory) usable = gib * gibibyte * (gpu.vendor == "Apple" ? 0.75 : 0.9);
  device.usable_bytes = device.total_bytes = whole_bytes(usable);
  device.compute_capability = gpu.compute_capability;
  device.bandwidth_bytes_per_s = gpu.bandwidth_gbs * 1e9;
  return device;
}

Result<Devices> devices_for(const FitRequest& request, const Machine& machine,
                            const std::vector<catalog::Gpu>& table) {
  Devices out;
  out.cpu = cpu_of(machine);
  if (request.gpus < 0 || request.gpus > static_cast<std::int64_t>(most_gpus))
    return failure("--gpus " + std::to_string(request.gpus) + ": expected 1 to 1024");
  const double gib = static_cast<double>(request.vram_bytes) / gibibyte;
  const std::int64_t wanted = std::max<std::int64_t>(request.gpus, 1);
  if (!request.gpu.empty()) {
    const auto gpu = named_gpu(request, table);
    if (!gpu) return tl::unexpected(gpu.error());
    if ((*gpu)->vram_gb.empty() && (*gpu)->vram_mib_reported == 0 && request.vram_bytes == 0)
      return failure("--gpu " + request.gpu + ": data/gpus.csv has no memory for it; add --vram");
    out.given = true, out.gpus = copies_of(device_of(**gpu, gib), wanted);
    return out;
  }
  if (request.vram_bytes > 0) {
    Device device;
    device.usable_bytes = device.total_bytes = whole_bytes(usable_bytes_of(gib, 0));
    out.given = true, out.gpus = copies_of(device, wanted);
    return out;
  }
  for (const Gpu& gpu : machine.gpus)
    if (gpu.kernel.is(true) && gpu.memory_free_bytes)
      out.gpus.push_back(device_of_machine(gpu, table));
  if (request.gpus == 0 || out.gpus.empty()) {
    if (request.gpus > 0)
      return failure("--gpus " + std::to_string(request.gpus) +
                     ": no GPU is usable here; name one with --gpu or --vram");
    return out;
  }
  if (static_cast<std::size_t>(wanted) <= out.gpus.size()) {
    out.gpus.resize(static_cast<std::size_t>(wanted));
  } else {
    out.given = true, out.gpus = copies_of(out.gpus.front(), wanted);
  }
  return out;
}

}  // namespace gpuready::fit

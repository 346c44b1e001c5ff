#include "fit/usable.hpp"

#include <algorithm>
#include <charconv>

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

/// Runs of digits: what tells GPUs' names apart.
std::vector<std::string> digits_of(const std::string& name) {
  std::vector<std::string> out;
  bool inside = false;
  for (const char c : name) {
    const bool digit = c >= '0' && c <= '9';
    if (digit && !inside) out.emplace_back();
    if (digit) out.back() += c;
    inside = digit;
  }
  return out;
}

std::string near_names(const std::vector<catalog::Gpu>& table, const std::string& name) {
  constexpr std::size_t most = 6;
  std::string out;
  std::size_t found = 0;
  for (const catalog::Gpu& gpu : table) {
    const auto wanted = digits_of(name), has = digits_of(gpu.name);
    const bool is_near = std::any_of(wanted.begin(), wanted.end(), [&](const std::string& run) {
      return std::find(has.begin(), has.end(), run) != has.end();
    });
    if (!is_near || found == most) continue;
    out += (found > 0 ? ", " : "") + gpu.name, ++found;
  }
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

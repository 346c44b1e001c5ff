#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "base/text.hpp"
#include "probe/pci_class.hpp"
#include "probe/probe.hpp"
#include "probe/vendor_text.hpp"

namespace gpuready::probe {

namespace {

/// The parts from which one GPU is made; a null one doesn't know of it.
struct Parts {
  const PciFunction* pci = nullptr;
  const NvmlDevice* nvml = nullptr;
  const CudaDevice* cuda = nullptr;
  bool is_mig = false;
};

bool same(const Fact<std::string>& a, const Fact<std::string>& b) {
  return a && b && !a->empty() && *a == *b;
}

bool same_address(const Fact<std::string>& a, const Fact<std::string>& b) {
  return a && b && kernel_pci_address(*a) == kernel_pci_address(*b);
}

bool is_at(const PciFunction& function, const Fact<std::string>& address) {
  return address && kernel_pci_address(function.address) == kernel_pci_address(*address);
}

bool is_mig(const CudaDevice& device) {
  return base::starts_with(device.uuid.value_or(""), "MIG-");
}

template <class Matches>
Parts* find_parts(std::vector<Parts>& all, Matches matches) {
  const auto it = std::ranges::find_if(all, matches);
  return it == all.end() ? nullptr : &*it;
}

void add_nvml(const NvmlDevice& device, std::vector<Parts>& all) {
  Parts* parts = find_parts(all, [&](const Parts& p) {
    return p.nvml == nullptr && p.pci != nullptr && is_at(*p.pci, device.pci_address);
  });
  if (parts == nullptr) parts = &all.emplace_back();
  parts->nvml = &device;
}

void add_cuda(const CudaDevice& device, std::vector<Parts>& all) {
  const auto on_bus = [&](const Parts& p) {
    return p.pci != nullptr && is_at(*p.pci, device.pci_address);
  };
  const auto at = [&](const Parts& p) {
    return on_bus(p) ||
           (p.nvml != nullptr && same_address(p.nvml->pci_address, device.pci_address));
  };
  if (is_mig(device)) {
    const Parts* parent = find_parts(all, at);
    Parts parts = parent != nullptr ? *parent : Parts{};
    parts.cuda = &device, parts.is_mig = true;
    all.push_back(parts);
    return;
  }
  Parts* parts = find_parts(all, [&](const Parts& p) { return p.cuda == nullptr && at(p); });
  if (parts == nullptr)
    parts = find_parts(all, [&](const Parts& p) {
      return p.cuda == nullptr && p.nvml != nullptr && same(p.nvml->uuid, device.uuid);
    });
  if (parts == nullptr) parts = &all.emplace_back();
  parts->cuda = &device;
}

std::string vendor_name(const Parts& parts) {
  if (parts.pci == nullptr) return "nvidia";  // only NVIDIA's libraries know of it
  const std::string id = parts.pci->vendor_id.value_or("");
  if (id == pci_amd) return "amd";
  return id == pci_intel ? "intel" : "nvidia";
}

/// Why a library that was asked does not know of a GPU.
Missing why_not_listed(const Fact<bool>& init, const Parts& parts, std::string_view library) {
  if (vendor_name(parts) != "nvidia")
    return {Absence::not_applicable,
            base::format("{} knows only NVIDIA's GPUs; PCI id {}:{}", library,
                         parts.pci->vendor_id.value_or("?"), parts.pci->device_id.value_or("?")),
            {}};
  if (!init) return init.missing();
  return {Absence::not_found, base::format("{} does not list this GPU", library), {}};
}

/// Reads members of the parts, with the reason where a part is lacking.
class Sources {
 public:
  Sources(const Driver& driver, const Parts& parts)
      : parts_(parts),
        no_nvml_(why_not_listed(driver.nvml.init, parts, "NVML")),
        no_cuda_(why_not_listed(driver.cuda.init, parts, "CUDA")) {
    // What NVML says of the whole GPU is not true of one of its instances.
    if (parts.is_mig) no_nvml_ = {Absence::not_applicable, "one instance of a GPU", {}};
    if (parts.nvml != nullptr && parts.nvml->mig_enabled.is(true))
      no_cuda_ = {Absence::not_applicable, "MIG is on: CUDA lists the instances, not the GPU", {}};
  }

  template <class T>
  [[nodiscard]] Fact<T> nvml(Fact<T> NvmlDevice::*member) const {
    const bool told = parts_.nvml != nullptr && !parts_.is_mig;
    return told ? parts_.nvml->*member : Fact<T>(no_nvml_);
  }
  template <class T>
  [[nodiscard]] Fact<T> cuda(Fact<T> CudaDevice::*member) const {
    return parts_.cuda != nullptr ? parts_.cuda->*member : Fact<T>(no_cuda_);
  }
  /// NVML's word, or CUDA's where NVML has none.
  template <class T>
  [[nodiscard]] Fact<T> either(Fact<T> NvmlDevice::*first, Fact<T> CudaDevice::*second) const {
    Fact<T> told = nvml(first);
    if (told) return told;
    Fact<T> other = cuda(second);
    return other || parts_.is_mig ? other : told;
  }
  [[nodiscard]] Fact<std::int64_t> nvml_index() const {
    if (parts_.nvml == nullptr) return no_nvml_;
    return {parts_.nvml->index, "nvmlDeviceGetHandleByIndex_v2"};
  }
  [[nodiscard]] Fact<std::int64_t> cuda_index() const {
    if (parts_.cuda == nullptr) return no_cuda_;
    return {parts_.cuda->index, "cuDeviceGet"};
  }

 private:
  const Parts& parts_;
  Missing no_nvml_, no_cuda_;
};

Fact<std::string> address_of(const Parts& parts, const Sources& from) {
  if (parts.pci != nullptr) return {kernel_pci_address(parts.pci->address), "/sys/bus/pci/devices"};
  Fact<std::string> address = from.either(&NvmlDevice::pci_address, &CudaDevice::pci_address);
  if (address) address.get() = kernel_pci_address(*address);
  return address;
}

void fill_state(const Sources& from, Gpu& gpu) {
  gpu.clocks = {from.nvml(&NvmlDevice::sm_clock_hz), from.nvml(&NvmlDevice::sm_clock_max_hz),
                from.nvml(&NvmlDevice::memory_clock_hz),
                from.nvml(&NvmlDevice::memory_clock_max_hz)};
  gpu.power = {from.nvml(&NvmlDevice::power_w), from.nvml(&NvmlDevice::power_limit_w),
               from.nvml(&NvmlDevice::power_default_limit_w)};
  gpu.pcie = {from.nvml(&NvmlDevice::pcie_generation), from.nvml(&NvmlDevice::pcie_generation_max),
              from.nvml(&NvmlDevice::pcie_width), from.nvml(&NvmlDevice::pcie_width_max)};
  gpu.mig = {from.nvml(&NvmlDevice::mig_enabled), from.nvml(&NvmlDevice::mig_pending),
             from.nvml(&NvmlDevice::mig_instances)};
  gpu.ecc = {from.nvml(&NvmlDevice::ecc_enabled)};
  gpu.compute_mode = from.nvml(&NvmlDevice::compute_mode);
}

Gpu merge(const Driver& driver, const Parts& parts) {
  const Sources from(driver, parts);
  Gpu gpu;
  gpu.name = from.either(&NvmlDevice::name, &CudaDevice::name);
  gpu.uuid = from.either(&NvmlDevice::uuid, &CudaDevice::uuid);
  gpu.vendor = {vendor_name(parts),
                parts.pci != nullptr ? "PCI vendor id" : "listed by NVIDIA's driver"};
  gpu.pci_address = address_of(parts, from);
  gpu.compute_capability =
      from.either(&NvmlDevice::compute_capability, &CudaDevice::compute_capability);
  gpu.gfx_target =
      parts.pci != nullptr && vendor_name(parts) == "amd"
          ? parts.pci->gfx_target
          : Fact<std::string>(Missing{Absence::not_applicable, "only AMD's GPUs have one", {}});
  gpu.runtime_status = parts.pci != nullptr
                           ? parts.pci->runtime_status
                           : Fact<std::string>(Missing{Absence::not_found, "not on the bus", {}});
  // CUDA measures the free memory with its own context loaded, NVML without. Where NVML doesn't
  // know the memory (it is shared with the CPU), CUDA's numbers are the only ones.
  gpu.memory_total_bytes =
      from.either(&NvmlDevice::memory_total_bytes, &CudaDevice::memory_total_bytes);
  gpu.memory_free_bytes =
      from.either(&NvmlDevice::memory_free_bytes, &CudaDevice::memory_free_bytes);
  gpu.unified_memory = from.cuda(&CudaDevice::integrated);
  gpu.sm_count = from.cuda(&CudaDevice::sm_count);
  gpu.nvml_index = from.nvml_index();
  gpu.cuda_index = from.cuda_index();
  gpu.context = from.cuda(&CudaDevice::context);
  gpu.kernel = from.cuda(&CudaDevice::kernel);
  fill_state(from, gpu);
  return gpu;
}

bool is_known_vendor(const PciFunction& function) {
  const std::string id = function.vendor_id.value_or("");
  return id == pci_nvidia || id == pci_amd || id == pci_intel;
}

}  // namespace

std::vector<Gpu> merge_gpus(const Machine& machine) {
  std::vector<Parts> all;
  for (const PciFunction& function : machine.pci)
    if (is_gpu(function) && is_known_vendor(function)) all.push_back({&function, {}, {}, false});
  for (const NvmlDevice& device : machine.driver.nvml.devices) add_nvml(device, all);
  for (const CudaDevice& device : machine.driver.cuda.devices) add_cuda(device, all);
  std::vector<Gpu> gpus;
  for (const Parts& parts : all) gpus.push_back(merge(machine.driver, parts));
  return gpus;
}

}  // namespace gpuready::probe

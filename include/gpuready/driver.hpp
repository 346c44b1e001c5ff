#pragma once
/// The PCI bus and NVIDIA's driver, part by part, as each was found.

#include <cstdint>
#include <string>
#include <vector>

#include "gpuready/fact.hpp"
#include "gpuready/units.hpp"

namespace gpuready {

struct PciFunction {
  std::string address;
  Fact<std::string> vendor_id, device_id, class_code, driver, runtime_status;
  Fact<std::string> gfx_target;
  Fact<std::int64_t> bar1_bytes;
  Fact<bool> answers;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("address", s.address, Unit::none, "domain:bus:device.function");
    f("vendor_id", s.vendor_id, Unit::none, "PCI vendor, as 0x10de");
    f("device_id", s.device_id, Unit::none, "PCI device, as 0x2684");
    f("class_code", s.class_code, Unit::none, "PCI class, as 0x030000");
    f("driver", s.driver, Unit::none, "kernel driver that is bound to it");
    f("runtime_status", s.runtime_status, Unit::none, "active or suspended (asleep)");
    f("gfx_target", s.gfx_target, Unit::none, "AMD's name of the instruction set, as gfx1100");
    f("answers", s.answers, Unit::none,
      "whether its configuration space answers; where all of it reads as ones, it does not");
    f("bar1_bytes", s.bar1_bytes, Unit::bytes, "window onto an NVIDIA GPU's memory; 0 where none");
  }
};

/// A device node, or another file whose openness matters; `open` is absent with errno in `code`.
struct DeviceFile {
  std::string path;
  Fact<bool> open;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("path", s.path, Unit::none, "path of the node");
    f("open", s.open, Unit::none, "whether it opens for reading and writing; errno otherwise");
  }
};

struct KernelModule {
  Fact<std::string> version, flavour;
  Fact<bool> uvm, installed_for_kernel, secure_boot;
  Fact<std::string> blacklisted_in;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("version", s.version, Unit::none, "version of the loaded nvidia module");
    f("flavour", s.flavour, Unit::none, "open or proprietary");
    f("uvm", s.uvm, Unit::none, "whether nvidia-uvm is registered");
    f("installed_for_kernel", s.installed_for_kernel, Unit::none,
      "whether a file of the module lies there for the running kernel");
    f("secure_boot", s.secure_boot, Unit::none, "whether Secure Boot is on");
    f("blacklisted_in", s.blacklisted_in, Unit::none, "file that keeps the module from loading");
  }
};

struct NvmlDevice {
  std::int64_t index = 0;
  Fact<std::string> name, uuid, pci_address, compute_capability;
  Fact<std::int64_t> memory_total_bytes, memory_free_bytes, memory_used_bytes,
      memory_reserved_bytes;
  Fact<double> sm_clock_hz, sm_clock_max_hz, memory_clock_hz, memory_clock_max_hz;
  Fact<double> power_w, power_limit_w, power_default_limit_w, temperature_c;
  Fact<std::int64_t> pcie_generation, pcie_generation_max, pcie_width, pcie_width_max;
  Fact<bool> mig_enabled, mig_pending, ecc_enabled, persistence;
  Fact<std::int64_t> mig_instances;
  Fact<std::string> compute_mode;
  Fact<std::int64_t> clock_event_reasons;
  Fact<bool> remap_pending, remap_failed;
  Fact<std::int64_t> processes, nvlinks, nvlinks_active;
  Fact<std::string> fabric_state, virtualization, vgpu_license;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("index", s.index, Unit::none, "NVML's index (PCI order)");
    f("name", s.name, Unit::none, "product name");
    f("uuid", s.uuid, Unit::none, "unique id, as GPU-...");
    f("pci_address", s.pci_address, Unit::none, "domain:bus:device.function");
    f("compute_capability", s.compute_capability, Unit::none, "as 8.9");
    f("memory_total_bytes", s.memory_total_bytes, Unit::bytes, "device memory");
    f("memory_free_bytes", s.memory_free_bytes, Unit::bytes, "free device memory");
    f("memory_used_bytes", s.memory_used_bytes, Unit::bytes, "used by processes");
    f("memory_reserved_bytes", s.memory_reserved_bytes, Unit::bytes, "held by the driver");
    f("sm_clock_hz", s.sm_clock_hz, Unit::hertz, "SM clock now");
    f("sm_clock_max_hz", s.sm_clock_max_hz, Unit::hertz, "highest SM clock");
    f("memory_clock_hz", s.memory_clock_hz, Unit::hertz, "memory clock now");
    f("memory_clock_max_hz", s.memory_clock_max_hz, Unit::hertz, "highest memory clock");
    f("power_w", s.power_w, Unit::watts, "power draw now");
    f("power_limit_w", s.power_limit_w, Unit::watts, "limit that is enforced");
    f("power_default_limit_w", s.power_default_limit_w, Unit::watts, "limit by default");
    f("temperature_c", s.temperature_c, Unit::celsius, "GPU temperature");
    f("pcie_generation", s.pcie_generation, Unit::none, "link generation now (low when idle)");
    f("pcie_generation_max", s.pcie_generation_max, Unit::none, "highest link generation");
    f("pcie_width", s.pcie_width, Unit::none, "lanes now");
    f("pcie_width_max", s.pcie_width_max, Unit::none, "highest number of lanes");
    f("mig_enabled", s.mig_enabled, Unit::none, "whether MIG is on");
    f("mig_pending", s.mig_pending, Unit::none, "MIG after the next reset");
    f("mig_instances", s.mig_instances, Unit::count, "MIG devices that exist");
    f("ecc_enabled", s.ecc_enabled, Unit::none, "whether ECC is on");
    f("persistence", s.persistence, Unit::none, "persistence mode");
    f("compute_mode", s.compute_mode, Unit::none,
      "default, exclusive-thread, prohibited or exclusive-process");
    f("clock_event_reasons", s.clock_event_reasons, Unit::none, "bit mask of NVML");
    f("remap_pending", s.remap_pending, Unit::none, "whether memory rows wait for a reset");
    f("remap_failed", s.remap_failed, Unit::none, "whether replacing a memory row failed");
    f("processes", s.processes, Unit::count, "processes on it that NVML can see from here");
    f("nvlinks", s.nvlinks, Unit::count, "NVLink connections that it has");
    f("nvlinks_active", s.nvlinks_active, Unit::count, "NVLink connections that are up");
    f("fabric_state", s.fabric_state, Unit::none,
      "not-supported, not-started, in-progress or completed");
    f("virtualization", s.virtualization, Unit::none,
      "none, passthrough, vgpu, host-vgpu or host-vsga");
    f("vgpu_license", s.vgpu_license, Unit::none,
      "unknown, uninitialized, unlicensed-unrestricted, unlicensed-restricted, unlicensed or "
      "licensed");
  }
};

struct NvmlDriver {
  Fact<std::string> library, driver_version, cuda_version;
  Fact<bool> init;
  Fact<std::int64_t> device_count;
  std::vector<NvmlDevice> devices;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("library", s.library, Unit::none, "file that was loaded");
    f("init", s.init, Unit::none, "whether nvmlInit_v2 worked; NVML's code otherwise");
    f("driver_version", s.driver_version, Unit::none, "driver version, as 580.95.05");
    f("cuda_version", s.cuda_version, Unit::none, "highest CUDA version of the driver, as 13.0");
    f("device_count", s.device_count, Unit::count, "GPUs that NVML sees");
    f("devices", s.devices, Unit::none, "one for each GPU");
  }
};

/// What the CUDA driver says of one device. `kernel` is known and true only if our kernel ran and
/// its result was right; known and false if it ran and the result was wrong.
struct CudaDevice {
  std::int64_t index = 0;
  Fact<std::string> name, uuid, pci_address, compute_capability;
  Fact<std::int64_t> sm_count, memory_total_bytes, memory_free_bytes, l2_bytes;
  Fact<double> clock_hz;
  Fact<bool> integrated, context, kernel;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("index", s.index, Unit::none, "CUDA's index");
    f("name", s.name, Unit::none, "product name");
    f("uuid", s.uuid, Unit::none, "unique id, as GPU-... or MIG-...");
    f("pci_address", s.pci_address, Unit::none, "domain:bus:device.function");
    f("compute_capability", s.compute_capability, Unit::none, "as 8.9");
    f("sm_count", s.sm_count, Unit::count, "streaming multiprocessors");
    f("memory_total_bytes", s.memory_total_bytes, Unit::bytes, "memory that CUDA can use");
    f("memory_free_bytes", s.memory_free_bytes, Unit::bytes, "free, with our own context loaded");
    f("l2_bytes", s.l2_bytes, Unit::bytes, "level 2 cache");
    f("clock_hz", s.clock_hz, Unit::hertz, "peak clock");
    f("integrated", s.integrated, Unit::none, "whether it shares the main memory");
    f("context", s.context, Unit::none, "whether a context could be made; CUDA's code otherwise");
    f("kernel", s.kernel, Unit::none, "whether a kernel ran and gave the right result");
  }
};

struct CudaDriver {
  Fact<std::string> library, version;
  Fact<bool> init;
  Fact<std::int64_t> device_count;
  std::vector<CudaDevice> devices;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("library", s.library, Unit::none, "file that was loaded");
    f("version", s.version, Unit::none, "highest CUDA version of the driver, as 13.0");
    f("init", s.init, Unit::none, "whether cuInit worked; CUDA's code otherwise");
    f("device_count", s.device_count, Unit::count, "devices that CUDA sees");
    f("devices", s.devices, Unit::none, "one for each device");
  }
};

struct Driver {
  KernelModule module;
  Fact<std::string> fabric_manager;
  std::vector<DeviceFile> files;
  NvmlDriver nvml;
  CudaDriver cuda;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("module", s.module, Unit::none, "NVIDIA's kernel module");
    f("fabric_manager", s.fabric_manager, Unit::none,
      "version of the installed fabric manager, which must be the driver's");
    f("files", s.files, Unit::none, "device nodes");
    f("nvml", s.nvml, Unit::none, "management library");
    f("cuda", s.cuda, Unit::none, "CUDA driver");
  }
};

}  // namespace gpuready

#pragma once
/// One GPU, as all sources together see it.

#include <cstdint>
#include <string>
#include <vector>

#include "gpuready/fact.hpp"
#include "gpuready/units.hpp"

namespace gpuready {

struct GpuClocks {
  Fact<double> sm_hz, sm_max_hz, memory_hz, memory_max_hz;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("sm_hz", s.sm_hz, Unit::hertz, "SM clock now");
    f("sm_max_hz", s.sm_max_hz, Unit::hertz, "highest SM clock");
    f("memory_hz", s.memory_hz, Unit::hertz, "memory clock now");
    f("memory_max_hz", s.memory_max_hz, Unit::hertz, "highest memory clock");
  }
};

struct GpuPower {
  Fact<double> draw_w, limit_w, default_limit_w;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("draw_w", s.draw_w, Unit::watts, "power draw now");
    f("limit_w", s.limit_w, Unit::watts, "limit that is enforced");
    f("default_limit_w", s.default_limit_w, Unit::watts, "limit by default");
  }
};

struct GpuPcie {
  Fact<std::int64_t> generation, generation_max, width, width_max;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("generation", s.generation, Unit::none, "link generation now (low when idle)");
    f("generation_max", s.generation_max, Unit::none, "highest link generation");
    f("width", s.width, Unit::none, "lanes now");
    f("width_max", s.width_max, Unit::none, "highest number of lanes");
  }
};

struct GpuMig {
  Fact<bool> enabled, pending;
  Fact<std::int64_t> instances;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("enabled", s.enabled, Unit::none, "whether MIG is on");
    f("pending", s.pending, Unit::none, "MIG after the next reset");
    f("instances", s.instances, Unit::count, "MIG devices that exist");
  }
};

struct GpuEcc {
  Fact<bool> enabled;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("enabled", s.enabled, Unit::none, "whether ECC is on");
  }
};

/// One GPU, as PCI, NVML and the CUDA driver see it together. Made by merge_gpus().
struct Gpu {
  Fact<std::string> name, uuid, vendor, pci_address, compute_capability, runtime_status;
  Fact<std::string> gfx_target;
  Fact<std::int64_t> memory_total_bytes, memory_free_bytes, sm_count, nvml_index, cuda_index;
  Fact<bool> unified_memory, context, kernel;
  GpuClocks clocks;
  GpuPower power;
  GpuPcie pcie;
  GpuMig mig;
  GpuEcc ecc;
  Fact<std::string> compute_mode;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("name", s.name, Unit::none, "product name");
    f("uuid", s.uuid, Unit::none, "unique id");
    f("vendor", s.vendor, Unit::none, "nvidia, amd or intel");
    f("pci_address", s.pci_address, Unit::none, "domain:bus:device.function");
    f("compute_capability", s.compute_capability, Unit::none, "as 8.9");
    f("gfx_target", s.gfx_target, Unit::none, "AMD's name of the instruction set, as gfx1100");
    f("memory_total_bytes", s.memory_total_bytes, Unit::bytes, "device memory");
    f("memory_free_bytes", s.memory_free_bytes, Unit::bytes, "free device memory");
    f("unified_memory", s.unified_memory, Unit::none, "whether it shares the main memory");
    f("sm_count", s.sm_count, Unit::count, "streaming multiprocessors");
    f("runtime_status", s.runtime_status, Unit::none, "active or suspended (asleep)");
    f("nvml_index", s.nvml_index, Unit::none, "NVML's index");
    f("cuda_index", s.cuda_index, Unit::none, "CUDA's index");
    f("context", s.context, Unit::none, "whether a context could be made");
    f("kernel", s.kernel, Unit::none, "whether a kernel ran and gave the right result");
    f("clocks", s.clocks, Unit::none, "clocks");
    f("power", s.power, Unit::none, "power");
    f("pcie", s.pcie, Unit::none, "PCI Express link");
    f("mig", s.mig, Unit::none, "multi-instance GPU");
    f("ecc", s.ecc, Unit::none, "error correction");
    f("compute_mode", s.compute_mode, Unit::none, "who may use it");
  }
};

}  // namespace gpuready

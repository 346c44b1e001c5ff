#pragma once
/// What was found on a machine. Each struct has one field list, from which come JSON both ways,
/// the JSON Schema, the page of docs/json.md and the comparison of two runs.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gpuready/fact.hpp"
#include "gpuready/units.hpp"

namespace gpuready {

struct Os {
  Fact<std::string> name, id, version_id, kernel, architecture, libc;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("name", s.name, Unit::none, "distribution and release, for people");
    f("id", s.id, Unit::none, "distribution's short name, as in os-release");
    f("version_id", s.version_id, Unit::none, "release number, as in os-release");
    f("kernel", s.kernel, Unit::none, "kernel release");
    f("architecture", s.architecture, Unit::none, "machine architecture, as in uname -m");
    f("libc", s.libc, Unit::none, "C library and its version");
  }
};

struct Cpu {
  Fact<std::string> model, vendor;
  Fact<std::vector<std::string>> instruction_sets;
  Fact<std::int64_t> sockets, physical_cores, logical_cpus, affinity_cpus;
  Fact<double> quota_cpus;
  Fact<std::int64_t> usable_threads, usable_physical_cores;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("model", s.model, Unit::none, "model name");
    f("vendor", s.vendor, Unit::none, "vendor, as the CPU names itself");
    f("instruction_sets", s.instruction_sets, Unit::none,
      "extensions that matter for a matrix product, in the kernel's words");
    f("sockets", s.sockets, Unit::count, "packages");
    f("physical_cores", s.physical_cores, Unit::count, "cores, hyper-threads counted once");
    f("logical_cpus", s.logical_cpus, Unit::count, "CPUs that are online");
    f("affinity_cpus", s.affinity_cpus, Unit::count, "CPUs that this process may run on");
    f("quota_cpus", s.quota_cpus, Unit::count, "CPU time that the control group allows, in CPUs");
    f("usable_threads", s.usable_threads, Unit::count, "affinity and quota together, at least 1");
    f("usable_physical_cores", s.usable_physical_cores, Unit::count,
      "distinct cores among the usable CPUs, at most usable_threads");
  }
};

struct Memory {
  Fact<std::int64_t> total_bytes, available_bytes, cgroup_limit_bytes, cgroup_used_bytes,
      usable_bytes;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("total_bytes", s.total_bytes, Unit::bytes, "main memory");
    f("available_bytes", s.available_bytes, Unit::bytes, "kernel's estimate of what can be had");
    f("cgroup_limit_bytes", s.cgroup_limit_bytes, Unit::bytes, "control group's limit");
    f("cgroup_used_bytes", s.cgroup_used_bytes, Unit::bytes, "already used within that limit");
    f("usable_bytes", s.usable_bytes, Unit::bytes,
      "the smaller of what is available and what the control group leaves");
  }
};

struct PciFunction {
  std::string address;
  Fact<std::string> vendor_id, device_id, class_code, driver, runtime_status;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("address", s.address, Unit::none, "domain:bus:device.function");
    f("vendor_id", s.vendor_id, Unit::none, "PCI vendor, as 0x10de");
    f("device_id", s.device_id, Unit::none, "PCI device, as 0x2684");
    f("class_code", s.class_code, Unit::none, "PCI class, as 0x030000");
    f("driver", s.driver, Unit::none, "kernel driver that is bound to it");
    f("runtime_status", s.runtime_status, Unit::none, "active or suspended (asleep)");
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
  Fact<bool> uvm;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("version", s.version, Unit::none, "version of the loaded nvidia module");
    f("flavour", s.flavour, Unit::none, "open or proprietary");
    f("uvm", s.uvm, Unit::none, "whether nvidia-uvm is registered");
  }
};

struct NvmlDevice {
  std::int64_t index = 0;
  Fact<std::string> name, uuid, pci_address, compute_capability;
  Fact<std::int64_t> memory_total_bytes, memory_free_bytes, memory_used_bytes, memory_reserved_bytes;
  Fact<double> sm_clock_hz, sm_clock_max_hz, memory_clock_hz, memory_clock_max_hz;
  Fact<double> power_w, power_limit_w, power_default_limit_w, temperature_c;
  Fact<std::int64_t> pcie_generation, pcie_generation_max, pcie_width, pcie_width_max;
  Fact<bool> mig_enabled, mig_pending, ecc_enabled, persistence;
  Fact<std::int64_t> mig_instances;
  Fact<std::string> compute_mode;
  Fact<std::int64_t> clock_event_reasons;

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
  std::vector<DeviceFile> files;
  NvmlDriver nvml;
  CudaDriver cuda;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("module", s.module, Unit::none, "NVIDIA's kernel module");
    f("files", s.files, Unit::none, "device nodes");
    f("nvml", s.nvml, Unit::none, "management library");
    f("cuda", s.cuda, Unit::none, "CUDA driver");
  }
};

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

struct OpenClDevice {
  std::int64_t platform_index = 0, index = 0;
  Fact<std::string> platform, name, type, version;
  Fact<std::int64_t> memory_bytes, max_allocation_bytes, compute_units;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("platform_index", s.platform_index, Unit::none, "index of the platform");
    f("index", s.index, Unit::none, "index over all platforms, as in --device opencl:0");
    f("platform", s.platform, Unit::none, "platform's name");
    f("name", s.name, Unit::none, "device's name");
    f("type", s.type, Unit::none, "gpu, cpu or accelerator");
    f("version", s.version, Unit::none, "OpenCL version of the device");
    f("memory_bytes", s.memory_bytes, Unit::bytes, "global memory");
    f("max_allocation_bytes", s.max_allocation_bytes, Unit::bytes, "largest single buffer");
    f("compute_units", s.compute_units, Unit::count, "compute units");
  }
};

/// A library that a GPU program needs; `file` carries the reason when it was found nowhere.
struct Library {
  std::string name;
  Fact<std::string> file, version, place;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("name", s.name, Unit::none, "cublas, cublaslt, cudnn, openblas, clblast or opencl");
    f("file", s.file, Unit::none, "file that was found");
    f("version", s.version, Unit::none, "version, as its file name tells");
    f("place", s.place, Unit::none, "loader, toolkit, python, torch or bundled");
  }
};

/// The build of PyTorch in one environment, read from its files without importing it.
struct TorchBuild {
  std::string version;
  Fact<std::string> tag, cuda, hip;
  Fact<bool> cuda_library;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("version", s.version, Unit::none, "version with its build tag");
    f("tag", s.tag, Unit::none, "build tag, as cpu, cu130 or rocm7.2");
    f("cuda", s.cuda, Unit::none, "CUDA version that it was built for");
    f("hip", s.hip, Unit::none, "ROCm version that it was built for");
    f("cuda_library", s.cuda_library, Unit::none, "whether libtorch_cuda.so is there");
  }
};

struct PythonEnvironment {
  std::string executable;
  Fact<std::string> version, prefix, kind;
  bool is_default = false;
  Fact<TorchBuild> torch;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("executable", s.executable, Unit::none, "path of the interpreter");
    f("version", s.version, Unit::none, "Python version");
    f("prefix", s.prefix, Unit::none, "folder of the environment");
    f("kind", s.kind, Unit::none, "venv, conda, pyenv or system");
    f("is_default", s.is_default, Unit::none, "whether `python` means this one");
    f("torch", s.torch, Unit::none, "PyTorch, if installed");
  }
};

struct Environment {
  Fact<std::string> container, wsl, colab, kaggle, runpod, vast, lambda, slurm, kubernetes;
  std::map<std::string, std::string> variables;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("container", s.container, Unit::none, "kind of container");
    f("wsl", s.wsl, Unit::none, "WSL1 or WSL2");
    f("colab", s.colab, Unit::none, "Google Colab's release or mark");
    f("kaggle", s.kaggle, Unit::none, "Kaggle's run type");
    f("runpod", s.runpod, Unit::none, "RunPod's mark");
    f("vast", s.vast, Unit::none, "Vast.ai's mark");
    f("lambda", s.lambda, Unit::none, "Lambda's mark");
    f("slurm", s.slurm, Unit::none, "Slurm job, or client without a job");
    f("kubernetes", s.kubernetes, Unit::none, "Kubernetes' mark");
    f("variables", s.variables, Unit::none, "variables that change what a GPU program sees");
  }
};

struct Machine {
  Os os;
  Cpu cpu;
  Memory memory;
  Fact<std::int64_t> pci_count;
  std::vector<PciFunction> pci;
  Driver driver;
  std::vector<Gpu> gpus;
  Fact<std::string> opencl_loader;
  std::vector<OpenClDevice> opencl;
  std::vector<Library> libraries;
  std::vector<PythonEnvironment> python;
  Environment environment;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("os", s.os, Unit::none, "operating system");
    f("cpu", s.cpu, Unit::none, "processor");
    f("memory", s.memory, Unit::none, "main memory");
    f("pci_count", s.pci_count, Unit::count, "PCI functions listed, or why none could be");
    f("pci", s.pci, Unit::none, "display functions and NVSwitches on the PCI bus");
    f("driver", s.driver, Unit::none, "NVIDIA's driver, part by part");
    f("gpus", s.gpus, Unit::none, "GPUs, as all sources together see them");
    f("opencl_loader", s.opencl_loader, Unit::none, "OpenCL's loader");
    f("opencl", s.opencl, Unit::none, "OpenCL devices");
    f("libraries", s.libraries, Unit::none, "CUDA and BLAS libraries, wherever they are");
    f("python", s.python, Unit::none, "Python environments");
    f("environment", s.environment, Unit::none, "where this runs");
  }
};

}  // namespace gpuready

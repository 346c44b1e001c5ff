#pragma once
/// What was found on a machine. Each struct has one field list, from which come JSON both ways,
/// the JSON Schema, the page of docs/json.md and the comparison of two runs.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gpuready/driver.hpp"
#include "gpuready/fact.hpp"
#include "gpuready/gpu.hpp"
#include "gpuready/kernel_log.hpp"
#include "gpuready/load_test.hpp"
#include "gpuready/torch_answer.hpp"
#include "gpuready/units.hpp"

namespace gpuready {

struct Os {
  Fact<std::string> name, id, id_like, version_id, image, kernel, architecture, libc;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("name", s.name, Unit::none, "distribution and release, for people");
    f("id", s.id, Unit::none, "distribution's short name, as in os-release");
    f("id_like", s.id_like, Unit::none, "short names of its relatives, as in os-release");
    f("version_id", s.version_id, Unit::none, "release number, as in os-release");
    f("image", s.image, Unit::none,
      "system whose parts come as one image: ostree, steamos, microos, truenas, unraid");
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
    f("name", s.name, Unit::none,
      "cublas, cublaslt, cudnn, openblas, onednn, blis, mkl, clblast, cuda, nvml or opencl");
    f("file", s.file, Unit::none, "file that was found");
    f("version", s.version, Unit::none, "version, as its file name tells");
    f("place", s.place, Unit::none, "loader, toolkit, python, torch or bundled");
  }
};

/// The build of PyTorch in one environment, read from its files without importing it.
struct TorchBuild {
  std::string version;
  Fact<std::string> tag, cuda, hip, site, torchvision, torchaudio;
  Fact<bool> cuda_library;
  std::map<std::string, std::string> pins;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("version", s.version, Unit::none, "version with its build tag");
    f("tag", s.tag, Unit::none, "build tag, as cpu, cu130 or rocm7.2");
    f("cuda", s.cuda, Unit::none, "CUDA version that it was built for");
    f("hip", s.hip, Unit::none, "ROCm version that it was built for");
    f("cuda_library", s.cuda_library, Unit::none, "whether libtorch_cuda.so is there");
    f("site", s.site, Unit::none, "folder of sys.path that holds it");
    f("torchvision", s.torchvision, Unit::none, "torchvision's version with its build tag");
    f("torchaudio", s.torchaudio, Unit::none, "torchaudio's version with its build tag");
    f("pins", s.pins, Unit::none, "exact versions of NVIDIA's packages that it asks for");
  }
};

/// Another PyTorch on the same sys.path, which the first one hides.
struct HiddenTorch {
  std::string site, version;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("site", s.site, Unit::none, "folder of sys.path that holds it");
    f("version", s.version, Unit::none, "version with its build tag");
  }
};

/// A kernel that Jupyter offers, and the interpreter that it starts.
struct JupyterKernel {
  std::string name, file;
  Fact<std::string> executable;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("name", s.name, Unit::none, "name of the kernel");
    f("file", s.file, Unit::none, "its kernel.json");
    f("executable", s.executable, Unit::none, "interpreter that it starts");
  }
};

struct PythonEnvironment {
  std::string executable;
  Fact<std::string> version, prefix, kind;
  bool is_default = false;
  Fact<TorchBuild> torch;
  std::vector<HiddenTorch> hidden_torch;
  std::map<std::string, std::string> packages;
  Fact<std::string> cpu_pin;

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("executable", s.executable, Unit::none, "path of the interpreter");
    f("version", s.version, Unit::none, "Python version");
    f("prefix", s.prefix, Unit::none, "folder of the environment");
    f("kind", s.kind, Unit::none, "venv, conda, pyenv or system");
    f("is_default", s.is_default, Unit::none, "whether `python` means this one");
    f("torch", s.torch, Unit::none, "PyTorch, if installed");
    f("hidden_torch", s.hidden_torch, Unit::none, "other copies of PyTorch on the same sys.path");
    f("packages", s.packages, Unit::none, "versions of NVIDIA's packages");
    f("cpu_pin", s.cpu_pin, Unit::none, "conda package that keeps PyTorch's CPU build in place");
  }
};

struct Environment {
  Fact<std::string> container, wsl, colab, kaggle, runpod, vast, lambda, slurm, kubernetes, prime;
  Fact<std::string> docker, container_toolkit, selinux;
  std::map<std::string, std::string> variables, services;

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
    f("prime", s.prime, Unit::none, "the discrete GPU of a laptop, as switched: on, off, ...");
    f("docker", s.docker, Unit::none, "docker's program");
    f("container_toolkit", s.container_toolkit, Unit::none,
      "program of NVIDIA's container toolkit");
    f("selinux", s.selinux, Unit::none, "enforcing or permissive");
    f("variables", s.variables, Unit::none, "variables that change what a GPU program sees");
    f("services", s.services, Unit::none,
      "CUDA_VISIBLE_DEVICES as units of systemd set it, by unit file");
  }
};

/// The absence of what is found only where an option asks for it.
inline Missing not_asked(const char* option) {
  return {Absence::not_tested, std::string("not asked for: ") + option, {}};
}

struct Machine {
  Os os;
  Cpu cpu;
  Memory memory;
  Fact<std::int64_t> pci_count;
  std::vector<PciFunction> pci;
  Driver driver;
  KernelLog kernel_log;
  std::vector<Gpu> gpus;
  Fact<std::string> opencl_loader;
  std::vector<OpenClDevice> opencl;
  std::vector<Library> libraries;
  std::vector<PythonEnvironment> python;
  std::vector<JupyterKernel> jupyter_kernels;
  Environment environment;
  Fact<TorchAnswer> torch_answer{not_asked("--run-python")};
  Fact<LoadTest> load{not_asked("--load")};

  template <class Self, class Visit>
  static void fields(Self& s, Visit&& f) {
    f("os", s.os, Unit::none, "operating system");
    f("cpu", s.cpu, Unit::none, "processor");
    f("memory", s.memory, Unit::none, "main memory");
    f("pci_count", s.pci_count, Unit::count, "PCI functions listed, or why none could be");
    f("pci", s.pci, Unit::none, "display functions and NVSwitches on the PCI bus");
    f("driver", s.driver, Unit::none, "NVIDIA's driver, part by part");
    f("kernel_log", s.kernel_log, Unit::none, "what the kernel's log says of GPUs");
    f("gpus", s.gpus, Unit::none, "GPUs, as all sources together see them");
    f("opencl_loader", s.opencl_loader, Unit::none, "OpenCL's loader");
    f("opencl", s.opencl, Unit::none, "OpenCL devices");
    f("libraries", s.libraries, Unit::none, "CUDA and BLAS libraries, wherever they are");
    f("python", s.python, Unit::none, "Python environments");
    f("jupyter_kernels", s.jupyter_kernels, Unit::none, "kernels that Jupyter offers");
    f("environment", s.environment, Unit::none, "where this runs");
    f("torch_answer", s.torch_answer, Unit::none, "what PyTorch itself says, with --run-python");
    f("load", s.load, Unit::none, "each usable GPU under load, with --load");
  }
};

}  // namespace gpuready

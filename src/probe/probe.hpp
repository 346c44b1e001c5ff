#pragma once
/// Finds facts. Each function asks the host and returns a part of the Machine; none throws, and
/// what is absent carries its reason.

#include <chrono>
#include <vector>

#include "gpuready/machine.hpp"
#include "host/host.hpp"

namespace gpuready::probe {

/// How long children may take: the journal's reader first, then the vendor libraries' side by side.
/// A driver that hangs costs no more than both.
constexpr std::chrono::milliseconds journal_deadline{3000}, vendor_deadline{15000};
constexpr std::chrono::milliseconds whole_deadline{20000};
static_assert(journal_deadline + vendor_deadline < whole_deadline);

struct ProbeOptions {
  /// Ask NVML, CUDA and OpenCL (in children).
  bool nvml = true, cuda = true, opencl = true;
  /// Look through Python environments and library folders.
  bool python = true, libraries = true;
  /// Touch a GPU that is asleep (a laptop's). Otherwise it is left alone, and the facts say so.
  bool wake = true;
  /// Deadline of each child.
  std::chrono::milliseconds deadline = vendor_deadline;
  /// Ask PyTorch through the default Python, with this deadline; zero: don't.
  std::chrono::milliseconds python_deadline{0};
};

/// Everything, merged.
Machine probe_machine(host::Host& host, const ProbeOptions& options);

Os probe_os(host::Host& host);
Cpu probe_cpu(host::Host& host);
Memory probe_memory(host::Host& host);
/// Fills pci_count and pci: display functions (class 0x03), accelerators of AMD and NVIDIA (class
/// 0x1200), NVSwitches (10de, class 0x0680), and NVIDIA's audio functions whose GPU is gone.
void probe_pci(host::Host& host, Machine& machine);
KernelModule probe_kernel_module(host::Host& host);
/// The fabric manager says its version without a driver, in milliseconds.
Fact<std::string> probe_fabric_manager(host::Host& host);
/// Fills what files tell of the module apart from its running copy: installed_for_kernel,
/// secure_boot and blacklisted_in.
void probe_module_files(host::Host& host, KernelModule& module);
/// Lines about GPUs in the kernel's log: from /dev/kmsg, or where that can't be read, from the
/// journal, which takes longer and is asked only with `journal_too`.
KernelLog probe_kernel_log(host::Host& host, bool journal_too);
/// /dev/nvidia*, /dev/dxg, /dev/kfd, /dev/dri/renderD*. With `wake` false, rights are asked for
/// without opening.
std::vector<DeviceFile> probe_device_files(host::Host& host, bool wake);
Environment probe_environment(host::Host& host);
std::vector<PythonEnvironment> probe_python(host::Host& host);
/// Asks PyTorch itself, in the default Python: import, devices, a small product on each. Absent
/// with the reason where that Python gave no answer at all.
Fact<TorchAnswer> probe_torch_answer(host::Host& host, const std::vector<PythonEnvironment>& python,
                                     std::chrono::milliseconds deadline);
/// Kernels in Jupyter's usual folders and in those of the environments.
std::vector<JupyterKernel> probe_jupyter(host::Host& host,
                                         const std::vector<PythonEnvironment>& python);
/// Fills gfx_target of AMD's functions from the kernel's topology of compute nodes.
void probe_gfx_targets(host::Host& host, std::vector<PciFunction>& pci);
/// cublas, cublaslt, cudnn, openblas, clblast, opencl: every copy, or one entry that says where was
/// looked. `python` as probe_python() found it.
std::vector<Library> probe_libraries(host::Host& host,
                                     const std::vector<PythonEnvironment>& python);

/// Runs `gpuready __probe nvml|cuda|opencl` as children, side by side, and fills driver.nvml,
/// driver.cuda, opencl_loader and opencl. A hang becomes timed-out, a crash becomes crashed.
void probe_vendors(host::Host& host, const ProbeOptions& options, Machine& machine);

/// One Gpu for each GPU that PCI, NVML or CUDA knows of; pure. PCI address and UUID tell which is
/// which. CUDA's MIG devices are GPUs of their own.
std::vector<Gpu> merge_gpus(const Machine& machine);

/// Whether every NVIDIA GPU on the bus is asleep (so that touching one would wake it).
bool all_nvidia_gpus_asleep(const std::vector<PciFunction>& pci);

}  // namespace gpuready::probe

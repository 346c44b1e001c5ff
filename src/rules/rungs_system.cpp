#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "rules/rungs.hpp"

namespace gpuready::rules {

namespace {

bool driver_sees_a_device(const Machine& machine) {
  return machine.driver.nvml.device_count.value_or(0) > 0 || cuda_sees_a_device(machine);
}

std::string addresses(const std::vector<const PciFunction*>& functions) {
  std::vector<std::string> texts;
  for (const PciFunction* function : functions) texts.push_back(function->address);
  constexpr std::size_t most = 4;
  const std::size_t total = texts.size();
  texts.resize(std::min(total, most));
  return base::join(texts, ", ") + (total > most ? ", ..." : "");
}

const PciFunction* other_vendor_gpu(const Machine& machine, const char* vendor) {
  for (const PciFunction& function : machine.pci)
    if (function.vendor_id.is(vendor) && is_gpu_class(function)) return &function;
  return nullptr;
}

/// No NVIDIA GPU anywhere: says where this is, since the cure depends on it.
Judgement nothing_found(const Machine& machine) {
  const Environment& where = machine.environment;
  if (where.colab) return finding("ladder.pci-device.colab");
  if (where.kaggle) return finding("ladder.pci-device.kaggle");
  if (where.slurm && where.variables.count("SLURM_JOB_GPUS") == 0)
    return finding("ladder.pci-device.slurm", {*where.slurm});
  const auto visible = where.variables.find("NVIDIA_VISIBLE_DEVICES");
  if (where.container && visible != where.variables.end() &&
      (visible->second == "void" || visible->second == "none" || visible->second.empty()))
    return finding("ladder.pci-device.visible-devices", {visible->second});
  if (other_vendor_gpu(machine, "0x1002") != nullptr) return finding("ladder.pci-device.amd");
  if (std::ranges::any_of(machine.pci, is_intel_xpu)) return finding("ladder.pci-device.intel");
  if (!machine.pci_count)
    return finding("ladder.pci-device.unreadable", {reason(machine.pci_count.missing())});
  return finding("ladder.pci-device.none");
}

const DeviceFile* device_file(const Machine& machine, const std::string& path) {
  const auto it = std::ranges::find(machine.driver.files, path, &DeviceFile::path);
  return it == machine.driver.files.end() ? nullptr : &*it;
}

/// Whether a missing /dev/nvidia-uvm can be why the CUDA driver failed as it did (codes of
/// CUresult: not initialized, device unavailable, operating system, unknown).
bool uvm_explains(const Fact<bool>& cuda_init) {
  constexpr std::array<std::int64_t, 4> codes{3, 46, 304, 999};
  const Missing& missing = cuda_init.missing();
  if (missing.reason == Absence::timed_out || missing.reason == Absence::crashed) return false;
  return !missing.code || std::ranges::find(codes, *missing.code) != codes.end();
}

/// The first node that a CUDA program needs and that does not open. Where NVML sees a GPU, the
/// others are evidently good (under another name, or opened for us) and only nvidia-uvm is in
/// question.
const DeviceFile* unusable_node(const Machine& machine) {
  const bool nvml_sees_one = machine.driver.nvml.device_count.value_or(0) > 0;
  for (const DeviceFile& file : machine.driver.files) {
    if (file.open) continue;
    if (file.path == "/dev/nvidia-uvm" && uvm_explains(machine.driver.cuda.init)) return &file;
    const bool numbered =
        base::starts_with(file.path, "/dev/nvidia") && !base::contains(file.path, "-");
    if (numbered && !nvml_sees_one) return &file;
  }
  return nullptr;
}

Judgement explain_node(const Machine& machine, const DeviceFile& file) {
  constexpr std::int64_t eperm = 1;  // errno of Linux
  const Missing& why = file.open.missing();
  if (why.reason == Absence::permission && why.code == eperm && machine.environment.slurm &&
      machine.environment.variables.count("SLURM_JOB_ID") != 0)
    return finding("ladder.device-nodes.slurm", {file.path});
  if (why.reason == Absence::permission && why.code == eperm)
    return finding("ladder.device-nodes.cgroup", {file.path});
  if (why.reason == Absence::permission)
    return finding("ladder.device-nodes.permission", {file.path});
  if (why.reason != Absence::not_found)
    return finding("ladder.device-nodes.unusable", {file.path, reason(why)});
  if (machine.environment.container) return finding("ladder.device-nodes.container", {file.path});
  if (file.path == "/dev/nvidia-uvm") return finding("ladder.device-nodes.uvm");
  return finding("ladder.device-nodes.missing", {file.path});
}

}  // namespace

std::vector<const PciFunction*> nvidia_gpus_on_pci(const Machine& machine) {
  std::vector<const PciFunction*> found;
  for (const PciFunction& function : machine.pci)
    if (function.vendor_id.is("0x10de") && is_gpu_class(function)) found.push_back(&function);
  return found;
}

bool is_gpu_class(const PciFunction& function) {
  const std::string code = function.class_code.value_or("");
  // 0x03: display; 0x1200: processing accelerator, as some data-centre boards call themselves.
  return base::starts_with(code, "0x03") || base::starts_with(code, "0x1200");
}

bool is_intel_xpu(const PciFunction& function) {
  constexpr std::array beginnings{"0x56",  "0x4f8", "0xe20", "0xe21", "0xe22", "0x0bd",
                                  "0x0b6", "0x7d",  "0x64",  "0xb08", "0xb09"};
  const std::string id = base::lower(function.device_id.value_or(""));
  return function.vendor_id.is("0x8086") && std::ranges::any_of(beginnings, [&](const char* start) {
           return base::starts_with(id, start);
         });
}

bool cuda_sees_a_device(const Machine& machine) {
  return machine.driver.cuda.init.is(true) && machine.driver.cuda.device_count.value_or(0) > 0;
}

const Missing& first_missing(const Fact<std::string>& library, const Fact<bool>& init) {
  return library ? init.missing() : library.missing();
}

std::string reason(const Missing& missing) {
  if (!missing.detail.empty()) return missing.detail;
  return std::string(EnumNames<Absence>::list[static_cast<std::size_t>(missing.reason)]);
}

Judgement judge_pci_device(const Machine& machine) {
  const auto gpus = nvidia_gpus_on_pci(machine);
  if (!gpus.empty())
    return pass("ladder.pci-device.pass", {std::to_string(gpus.size()), addresses(gpus)});
  if (driver_sees_a_device(machine)) return pass("ladder.pci-device.hidden");
  if (machine.environment.wsl) {
    const DeviceFile* dxg = device_file(machine, "/dev/dxg");
    if (dxg != nullptr && dxg->open) return pass("ladder.pci-device.wsl");
    return finding("ladder.pci-device.wsl-no-dxg", {*machine.environment.wsl});
  }
  return nothing_found(machine);
}

Judgement judge_kernel_driver(const Machine& machine) {
  const auto gpus = nvidia_gpus_on_pci(machine);
  if (gpus.empty()) return pass("ladder.kernel-driver.not-applicable");
  for (const PciFunction* gpu : gpus)
    if (gpu->driver.is("nvidia")) return pass("ladder.kernel-driver.pass");
  if (driver_sees_a_device(machine)) return pass("ladder.kernel-driver.pass");
  const PciFunction& gpu = *gpus.front();
  if (gpu.driver.is("nouveau")) return finding("ladder.kernel-driver.nouveau", {gpu.address});
  if (gpu.driver && base::starts_with(*gpu.driver, "nova"))
    return finding("ladder.kernel-driver.nova", {gpu.address});
  if (gpu.driver && base::starts_with(*gpu.driver, "vfio"))
    return finding("ladder.kernel-driver.vfio", {gpu.address});
  if (gpu.driver) return finding("ladder.kernel-driver.other", {gpu.address, *gpu.driver});
  if (machine.driver.module.version)
    return finding("ladder.kernel-driver.refused", {gpu.address, *machine.driver.module.version});
  if (machine.driver.nvml.library || machine.driver.cuda.library)
    return finding("ladder.kernel-driver.not-loaded", {gpu.address});
  return finding("ladder.kernel-driver.none", {gpu.address});
}

Judgement judge_versions(const Machine& machine) {
  constexpr std::int64_t lib_rm_version_mismatch = 18;  // nvmlReturn_t
  const Fact<std::string>& module = machine.driver.module.version;
  const NvmlDriver& nvml = machine.driver.nvml;
  const std::string loaded = module.value_or("?");
  if (nvml.init.absent_for(Absence::call_failed) &&
      nvml.init.missing().code == lib_rm_version_mismatch)
    return finding("ladder.versions.mismatch", {loaded});
  if (!module) return pass("ladder.versions.not-applicable");
  if (nvml.driver_version && *nvml.driver_version != *module)
    return finding("ladder.versions.differ", {loaded, *nvml.driver_version});
  if (!nvml.driver_version) return pass("ladder.versions.module-only", {loaded});
  return pass("ladder.versions.pass", {loaded});
}

Judgement judge_device_nodes(const Machine& machine) {
  if (cuda_sees_a_device(machine)) return pass("ladder.device-nodes.pass");
  if (machine.environment.wsl) return pass("ladder.device-nodes.wsl");
  const DeviceFile* node = unusable_node(machine);
  if (node == nullptr) return pass("ladder.device-nodes.pass");
  return explain_node(machine, *node);
}

Judgement judge_nvml(const Machine& machine) {
  constexpr std::int64_t driver_not_loaded = 9, gpu_is_lost = 15, operating_system = 17;
  const NvmlDriver& nvml = machine.driver.nvml;
  if (nvml.init.is(true))
    return pass("ladder.nvml.pass",
                {nvml.driver_version.value_or("?"), std::to_string(nvml.device_count.value_or(0))});
  const Missing& missing = first_missing(nvml.library, nvml.init);
  const std::string why = reason(missing);
  if (cuda_sees_a_device(machine)) return not_tested("ladder.nvml.not-needed", {why});
  if (missing.reason == Absence::library_missing || missing.code == driver_not_loaded) {
    if (machine.environment.wsl)
      return finding(missing.code ? "ladder.nvml.wsl-linux-driver" : "ladder.nvml.wsl", {why});
  }
  if (missing.code == gpu_is_lost) return finding("ladder.nvml.code-15", {why});
  if (missing.code == operating_system) return finding("ladder.nvml.code-17", {why});
  switch (missing.reason) {
    case Absence::not_tested:
      return not_tested("ladder.not-asked", {why});
    case Absence::library_missing:
      return finding("ladder.nvml.library-missing");
    case Absence::timed_out:
      return finding("ladder.nvml.timed-out", {why});
    case Absence::crashed:
      return finding("ladder.nvml.crashed", {why});
    default:
      return finding("ladder.nvml.failed", {why});
  }
}

}  // namespace gpuready::rules

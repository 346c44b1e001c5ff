#!/usr/bin/env python3
"""Writes tests/machines/*.json: recordings of machines, composed from public facts.

Each note says which reports or tables a machine follows; what those don't tell (PCI addresses,
UUIDs, clocks at one moment) is made up in a plausible form. Running this again writes the same
bytes. Usage: tools/compose_machines.py [FOLDER]"""

import json
import pathlib
import sys

import healthy_machines
import rule_machines_container
import rule_machines_driver
import rule_machines_guest
import rule_machines_hardware
import rule_machines_health
import rule_machines_log
import rule_machines_python
import rule_machines_reports
import rule_machines_torch
import rule_machines_vendor
from machine_bases import (CLOUD_XEON, CORE, CUDA, DEBIAN_LIB, DRIVER, EPYC, NVIDIA, RYZEN, SAPPHIRE,
                           cu, gpu_on_bus, in_docker, ml, torch_with_cuda, ubuntu, working_cuda)
from machine_gpus import (A100, GB10, GTX1080, H100, NOT_SUPPORTED, RTX3060M, RTX3080, RTX4090, T4,
                          cuda_device, nvml_device)
from machine_parts import EPERM, MIB, Machine

AT, NOW = "2026-12-01T00:00:00Z", 1796083200


def colab_t4():
    m = Machine("Colab's T4 runtime: Ubuntu 22.04.5, CUDA toolkit 12.8, cuDNN 9.8, torch "
                "2.11.0+cu128 (googlecolab/backend-info 2026-08-19), driver 580.82.07 in "
                "/usr/lib64-nvidia (colabtools#4300), 15360 MiB.")
    m.os("Ubuntu 22.04.5 LTS", "ubuntu", "22.04", "6.6.105+")
    m.cpu(CLOUD_XEON, 1, 1, 2)
    m.memory(13290460, 12000000)
    m.control_group("/", memory_max="max", cpu_max="max 100000")
    m.file("/.dockerenv")
    m.folder("/var/colab")
    m.environment.update(COLAB_RELEASE_TAG="release-colab-external_20260819-060048_RC00",
                         COLAB_GPU="1", LD_LIBRARY_PATH="/usr/lib64-nvidia", HOME="/root",
                         NVIDIA_VISIBLE_DEVICES="all", PWD="/content")
    address, version = "0000:00:04.0", "580.82.07"
    gpu_on_bus(m, T4, address, cls="0x030200")
    m.kernel_module(version)
    m.nvidia_nodes(1)
    m.driver_libraries(version, "/usr/lib64-nvidia")
    m.nvml(ml(version, "/usr/lib64-nvidia"), version, CUDA,
           [nvml_device(T4, 0, address, ecc_enabled=True)])
    m.cuda(cu(version, "/usr/lib64-nvidia"), CUDA, [cuda_device(T4, 0, address)])
    m.opencl(f"{DEBIAN_LIB}/libOpenCL.so.1.0.0", [
        {"platform_index": 0, "index": 0, "platform": "NVIDIA CUDA", "name": "Tesla T4",
         "type": "gpu", "version": "OpenCL 3.0 CUDA", "memory_bytes": 15360 * MIB - 227 * MIB,
         "max_allocation_bytes": 3783 * MIB, "compute_units": 40}])
    toolkit = "/usr/local/cuda-12.8/targets/x86_64-linux/lib"
    m.library(toolkit, "libcublas.so.12", "libcublas.so.12.8.4.1")
    m.library(toolkit, "libcublasLt.so.12", "libcublasLt.so.12.8.4.1")
    m.library(DEBIAN_LIB, "libcudnn.so.9", "libcudnn.so.9.8.0")
    m.library(DEBIAN_LIB, "libOpenCL.so.1", "libOpenCL.so.1.0.0")
    m.system_python("3.13")
    m.link("/usr/local/bin/python", "/usr/bin/python3.13")
    m.torch("/usr/local/lib/python3.13/dist-packages", "2.11.0+cu128", cuda="12.8")
    return m


def rtx_4090_workstation():
    m = ubuntu("A workstation where everything works: RTX 4090 with 24564 MiB (vllm#15335), "
               "driver and toolkit pairs of the CUDA 13.0 release notes, torch 2.9.0+cu130.")
    working_cuda(m, RTX4090)
    torch_with_cuda(m)
    m.folder("/usr/lib/x86_64-linux-gnu/openblas-pthread")
    m.library("/usr/lib/x86_64-linux-gnu/openblas-pthread", "libopenblas.so.0",
              "libopenblasp-r0.3.26.so")
    for cpu in range(32):
        folder = f"/sys/devices/system/cpu/cpu{cpu}/topology"
        m.file(f"{folder}/core_id", f"{cpu % 16}\n")
        m.file(f"{folder}/physical_package_id", "0\n")
    return m


def h100_node_8x():
    m = ubuntu("A node with eight H100 SXM5 and four NVSwitches (PCI class 0x0680, D16), fabric "
               "manager running.", SAPPHIRE, 2, 48, 1, 2048)
    addresses = [f"0000:{bus}:00.0" for bus in ("19", "3b", "4c", "5d", "9b", "bb", "cb", "db")]
    for address in addresses:
        gpu_on_bus(m, H100, address, cls="0x030200")
    for bus in ("83", "84", "85", "86"):
        m.pci(f"0000:{bus}:00.0", NVIDIA, "0x22a3", "0x068000", "nvidia-nvswitch")
    m.pci("0000:03:00.0", "0x1a03", "0x2000", "0x030000", "ast")
    m.kernel_module(DRIVER, "open")
    m.nvidia_nodes(8)
    m.driver_libraries(DRIVER)
    idle = {"ecc_enabled": True, "persistence": True, "mig_enabled": False, "mig_pending": False,
            "mig_instances": 0, "pcie_generation": 5}
    m.nvml(ml(DRIVER), DRIVER, CUDA,
           [nvml_device(H100, i, a, **idle) for i, a in enumerate(addresses)])
    m.cuda(cu(DRIVER), CUDA, [cuda_device(H100, i, a) for i, a in enumerate(addresses)])
    m.opencl_missing()
    torch_with_cuda(m)
    return m


def rtx_3060_laptop_asleep():
    m = ubuntu("A laptop whose RTX 3060 is suspended beside an Intel GPU; NVML would wake it "
               "(H15: open-gpu-kernel-modules#730, #905).", CORE, 1, 6, 2, 16)
    m.pci("0000:00:02.0", "0x8086", "0x46a6", "0x030000", "i915")
    working_cuda(m, RTX3060M)
    gpu_on_bus(m, RTX3060M, "0000:01:00.0", cls="0x030200", status="suspended")
    m.node("/dev/dri/renderD128")
    return m


def wsl2():
    m = Machine("WSL2 with an RTX 3080: /dev/dxg and no /dev/nvidia* (W05: WSL#40680), libraries "
                "in /usr/lib/wsl/lib, the bus shows Microsoft's 0x1414 (H01).")
    m.os("Ubuntu 22.04.5 LTS", "ubuntu", "22.04", "5.15.167.4-microsoft-standard-WSL2")
    m.cpu(RYZEN, 1, 8, 2)
    m.memory(16 << 20, 15 << 20)
    m.control_group("/", memory_max="max")
    m.environment.update(HOME="/home/user", PWD="/home/user")
    m.pci("5c6f:00:00.0", "0x1414", "0x008e", "0x030200", "dxgkrnl")
    m.proc_devices()
    m.node("/dev/dxg")
    for name in ("libcuda.so.1", "libnvidia-ml.so.1"):
        m.file(f"/usr/lib/wsl/lib/{name}")
    m.file("/etc/ld.so.conf.d/ld.wsl.conf", "/usr/lib/wsl/lib\n")
    m.nvml("/usr/lib/wsl/lib/libnvidia-ml.so.1", "581.57", CUDA,
           [nvml_device(RTX3080, 0, "0000:01:00.0", used_mib=1200)])
    m.cuda("/usr/lib/wsl/lib/libcuda.so.1", CUDA, [cuda_device(RTX3080, 0, "0000:01:00.0")])
    m.opencl_missing()
    m.system_python("3.10")
    return m


def container_without_gpus():
    m = in_docker(ubuntu("A container started without --gpus: the bus and the host's module can "
                         "be seen, nodes and libraries cannot (C02: nvidia-docker#1591)."))
    gpu_on_bus(m, RTX4090, "0000:01:00.0")
    m.kernel_module(DRIVER, "open")
    m.nvml_missing()
    m.cuda_missing()
    m.opencl_missing()
    return m


def container_utility_only():
    m = in_docker(ubuntu("A container that got the utility libraries only: NVML works, libcuda is "
                         "missing (C03: LocalAI#11973, stable-diffusion-webui-docker#348)."))
    m.environment.update(NVIDIA_VISIBLE_DEVICES="all", NVIDIA_DRIVER_CAPABILITIES="utility")
    gpu_on_bus(m, RTX4090, "0000:01:00.0")
    m.kernel_module(DRIVER, "open")
    m.nvidia_nodes(1)
    m.driver_libraries(DRIVER, names=("libnvidia-ml",))
    m.nvml(ml(DRIVER), DRIVER, CUDA, [nvml_device(RTX4090, 0, "0000:01:00.0")])
    m.cuda_missing()
    m.opencl_missing()
    return m


def nouveau_bound():
    m = ubuntu("The open nouveau driver holds the GPU, NVIDIA's is not installed (H03: "
               "nixpkgs#16711).")
    gpu_on_bus(m, RTX3080, "0000:01:00.0", driver="nouveau")
    m.node("/dev/dri/renderD128")
    m.nvml_missing()
    m.cuda_missing()
    m.opencl_missing()
    return m


def driver_library_mismatch():
    m = ubuntu("The driver package was updated while the old module stayed loaded: NVML 18, cuInit "
               "803 (D01: mozilla/translations#1167, shine-cluster#30; C07).")
    gpu_on_bus(m, RTX4090, "0000:01:00.0")
    m.kernel_module("580.82.07", "open")
    m.nvidia_nodes(1)
    m.driver_libraries(DRIVER)
    m.nvml_failed(ml(DRIVER), 18)
    m.cuda_failed(cu(DRIVER), CUDA, 803)
    m.opencl_missing()
    torch_with_cuda(m)
    return m


def mig_without_instances():
    m = ubuntu("An A100 with MIG on and no instances: NVML sees the GPU, CUDA no device (M01: "
               "gpu-burn#36, pytorch#98885).", EPYC, 1, 64, 1, 512)
    gpu_on_bus(m, A100, "0000:07:00.0", cls="0x030200")
    m.kernel_module(DRIVER)
    m.nvidia_nodes(1)
    m.driver_libraries(DRIVER)
    m.nvml(ml(DRIVER), DRIVER, CUDA, [nvml_device(
        A100, 0, "0000:07:00.0", mig_enabled=True, mig_pending=True, mig_instances=0,
        ecc_enabled=True)])
    m.cuda_failed(cu(DRIVER), CUDA, 100)
    m.opencl_missing()
    return m


def gb10_without_memory():
    m = Machine("A GB10 shares the main memory and NVML does not tell its size (T07: gpustat "
                "PR#179, nvtop#426, nvitop PR#208); compute capability 12.1 of Hugging Face's "
                "table.", "glibc 2.39")
    m.os("Ubuntu 24.04.3 LTS", "ubuntu", "24.04", "6.11.0-1016-nvidia", "aarch64")
    block = "Features\t: fp asimd asimdhp asimddp sve sve2 svei8mm svebf16 i8mm bf16\n"
    parts = ["0xd87"] * 10 + ["0xd85"] * 10
    m.file("/proc/cpuinfo", "\n".join(
        f"processor\t: {i}\n{block}CPU implementer\t: 0x41\nCPU architecture: 8\n"
        f"CPU part\t: {part}\n" for i, part in enumerate(parts)))
    m.cpu_lists(20)
    m.memory(125513692, 118000000)
    m.control_group(memory_max="max")
    m.environment.update(HOME="/home/user", PWD="/home/user")
    address, folder = "000f:01:00.0", "/usr/lib/aarch64-linux-gnu"
    gpu_on_bus(m, GB10, address, cls="0x030200")
    m.kernel_module(DRIVER, "open")
    m.nvidia_nodes(1)
    m.driver_libraries(DRIVER, folder)
    unknown = {f"memory_{what}_bytes": NOT_SUPPORTED
               for what in ("total", "free", "used", "reserved")}
    unknown |= {f"{what}": NOT_SUPPORTED for what in (
        "power_limit_w", "power_default_limit_w", "memory_clock_hz", "memory_clock_max_hz",
        "pcie_generation_max", "pcie_width", "pcie_width_max")}
    m.nvml(ml(DRIVER, folder), DRIVER, CUDA, [nvml_device(GB10, 0, address, **unknown)])
    m.cuda(cu(DRIVER, folder), CUDA, [cuda_device(
        GB10, 0, address, integrated=True, memory_total_bytes=125513692 << 10,
        memory_free_bytes=117000000 << 10)])
    m.opencl_missing()
    m.system_python("3.12")
    return m


def amd_7900_xtx():
    m = ubuntu("A Radeon RX 7900 XTX under ROCm, with torch 2.9.0+rocm6.4 (PyTorch's release "
               "table); no NVIDIA driver.")
    m.pci("0000:03:00.0", "0x1002", "0x744c", "0x030000", "amdgpu")
    m.node("/dev/kfd", mode=0o660)
    m.node("/dev/dri/renderD128", mode=0o660)
    site = m.venv("/home/user/work/.venv", "3.12.3")
    m.torch(site, "2.9.0+rocm6.4", hip="6.4.43484")
    m.activate("/home/user/work/.venv")
    m.nvml_missing()
    m.cuda_missing()
    m.opencl_missing()
    return m


def tiny_cgroup():
    m = in_docker(ubuntu("A container limited to one CPU and 512 MiB of a large server without a "
                         "GPU (cgroup v2: cpu.max, memory.max).", EPYC, 1, 64, 1, 256))
    m.control_group("/", cpu_max="100000 100000", memory_max="536870912",
                    memory_current="209715200", memory_stat="anon 62914560\ninactive_file 104857600")
    m.nvml_missing()
    m.cuda_missing()
    m.opencl_missing()
    return m


def no_proc_no_sys():
    m = Machine("A sandbox in which neither /proc nor /sys can be read.", "glibc 2.36")
    m.nvml_missing()
    m.cuda_missing()
    m.opencl_missing()
    return m


def uvm_missing():
    m = ubuntu("nvidia-uvm is not loaded: NVML is fine, cuInit says 999 (D09: pytorch#49081, "
               "ollama#5453).")
    gpu_on_bus(m, RTX4090, "0000:01:00.0")
    m.kernel_module(DRIVER, "open", uvm=False)
    m.nvidia_nodes(1, uvm=False)
    m.driver_libraries(DRIVER)
    m.nvml(ml(DRIVER), DRIVER, CUDA, [nvml_device(RTX4090, 0, "0000:01:00.0")])
    m.cuda_failed(cu(DRIVER), CUDA, 999)
    m.opencl_missing()
    return m


def module_not_loaded():
    m = ubuntu("The libraries are installed and no module is loaded, as after a kernel upgrade "
               "without headers or when Secure Boot rejects it: NVML 9 (H06: compute-gpu-"
               "installation PR#18; H07: linux-surface#906).")
    gpu_on_bus(m, RTX4090, "0000:01:00.0", driver=None)
    m.driver_libraries(DRIVER)
    m.nvml_failed(ml(DRIVER), 9)
    m.cuda_failed(cu(DRIVER), CUDA, 100)
    m.opencl_missing()
    return m


def slurm_no_gres():
    m = ubuntu("A Slurm job that asked for no GPU on a node that has some: the control group "
               "denies the nodes with EPERM, CUDA_VISIBLE_DEVICES is NoDevFiles (S01: "
               "cluster-toolkit#2634, pyxis#47; E03: ray PR#7014).", EPYC, 1, 64, 1, 512)
    m.control_group("/system.slice/slurmstepd.scope/job_4711/step_0", memory_max="17179869184",
                    memory_current="104857600")
    m.cpu_lists(64, "0-3")
    m.environment.update(SLURM_JOB_ID="4711", SLURM_STEP_ID="0", CUDA_VISIBLE_DEVICES="NoDevFiles")
    for index, bus in enumerate(("07", "0a")):
        gpu_on_bus(m, A100, f"0000:{bus}:00.0", cls="0x030200")
        m.node(f"/dev/nvidia{index}", EPERM)
    m.kernel_module(DRIVER)
    m.nvidia_nodes(0)
    m.driver_libraries(DRIVER)
    m.nvml(ml(DRIVER), DRIVER, CUDA, [])
    m.cuda_failed(cu(DRIVER), CUDA, 100)
    m.opencl_missing()
    return m


def two_different_gpus():
    m = ubuntu("A GTX 1080 and an RTX 4090: NVML counts in PCI order, CUDA the fastest first (E05: "
               "pytorch#31319); the cu130 wheel has no kernels for 6.1 (P03, P05).")
    old, new = "0000:01:00.0", "0000:02:00.0"
    gpu_on_bus(m, GTX1080, old)
    gpu_on_bus(m, RTX4090, new)
    m.kernel_module(DRIVER)
    m.nvidia_nodes(2)
    m.driver_libraries(DRIVER)
    m.nvml(ml(DRIVER), DRIVER, CUDA, [nvml_device(GTX1080, 0, old, 1), nvml_device(
        RTX4090, 1, new, 2)])
    m.cuda(cu(DRIVER), CUDA, [cuda_device(RTX4090, 0, new, 2), cuda_device(GTX1080, 1, old, 1)])
    m.opencl_missing()
    torch_with_cuda(m)
    return m


def torch_cpu_build():
    m = ubuntu("A working RTX 4090, and the active environment holds the CPU build of torch (P01: "
               "pytorch#49325, uv#17236).")
    working_cuda(m, RTX4090)
    site = m.venv("/home/user/work/.venv", "3.12.3")
    m.torch(site, "2.9.0+cpu")
    m.activate("/home/user/work/.venv")
    return m


def server_without_gpu():
    m = ubuntu("A server whose only display function is its management controller's (ASPEED, "
               "0x1a03), which is no GPU.", EPYC, 1, 64, 1, 128)
    m.pci("0000:03:00.0", "0x1a03", "0x2000", "0x030000", "ast")
    m.nvml_missing()
    m.cuda_missing()
    m.opencl_missing()
    return m


MACHINES = [colab_t4, rtx_4090_workstation, h100_node_8x, rtx_3060_laptop_asleep, wsl2,
            container_without_gpus, container_utility_only, nouveau_bound, driver_library_mismatch,
            mig_without_instances, gb10_without_memory, amd_7900_xtx, tiny_cgroup, no_proc_no_sys,
            uvm_missing, module_not_loaded, slurm_no_gres, two_different_gpus, torch_cpu_build,
            server_without_gpu]

# Machines made for the rules of one area; they go to a folder of their own.
RULE_MACHINES = [
    *rule_machines_driver.MACHINES,
    *rule_machines_hardware.MACHINES,
    *rule_machines_container.MACHINES,
    *rule_machines_guest.MACHINES,
    *rule_machines_health.MACHINES,
    *rule_machines_log.MACHINES,
    *rule_machines_python.MACHINES,
    *rule_machines_vendor.MACHINES,
    *rule_machines_torch.MACHINES,
    *rule_machines_reports.MACHINES,
]


def write(machines, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for compose in machines:
        text = json.dumps(compose().to_json(AT, NOW), indent=1, ensure_ascii=False)
        (folder / f"{compose.__name__.replace('_', '-')}.json").write_text(text + "\n")


def main():
    default = pathlib.Path(__file__).resolve().parent.parent / "tests" / "machines"
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else default
    write(MACHINES, folder)
    write(RULE_MACHINES, folder / "rules")
    write(healthy_machines.MACHINES, folder / "healthy")


if __name__ == "__main__":
    main()

"""Machines after public reports of distributions and places that the other files leave out: images of
ostree, Proxmox, TrueNAS, relatives of the large distributions, other vendors' cards."""

from machine_bases import CORE, DEBIAN_LIB, RYZEN, cu, gpu_on_bus, ml, ubuntu, working_cuda
from machine_gpus import GTX1080, RTX4090, cuda_device, nvml_device
from machine_parts import EACCES, Machine
from rule_machines_hardware import BUS, kernel_log
from rule_machines_python import amd, no_nvidia, other_venv

GTX1070 = ("NVIDIA GeForce GTX 1070", "6.1", 15, 8192, 1911, 5005, 150, 3, 16, 2, "0x1b81")
RTX3060 = ("NVIDIA GeForce RTX 3060", "8.6", 28, 12288, 2100, 7501, 170, 4, 16, 3, "0x2504")
P40 = ("Tesla P40", "6.1", 30, 24576, 1531, 3615, 250, 3, 16, 3, "0x1b38")
LIB64, ARCH_LIB = "/usr/lib64", "/usr/lib"


def system(note, name, short, version, kernel, like="", extra="", cpu=RYZEN, python="3.13"):
    """A desktop or server without a GPU yet; `like`: the ID_LIKE of its os-release."""
    m = Machine(note, "glibc 2.41")
    m.os(name, short, version, kernel)
    lines = (f'ID_LIKE="{like}"\n' if like else "") + extra
    m.file("/etc/os-release", m.files["/etc/os-release"] + lines)
    m.cpu(cpu, 1, 8, 2)
    m.memory(32 << 20, 28 << 20)
    m.control_group(memory_max="max", cpu_max="max 100000")
    m.environment.update(HOME="/home/user", PWD="/home/user/work")
    m.other_pci()
    m.proc_devices()
    if python:
        m.system_python(python)
    return m


def without_module(m, spec, version, folder, address=BUS):
    """Libraries of this version, and a GPU that no driver holds."""
    gpu_on_bus(m, spec, address, driver=None)
    m.driver_libraries(version, folder)
    m.nvml_failed(ml(version, folder), 9)
    m.cuda_failed(cu(version, folder), "13.0", 100)
    m.opencl_missing()
    return m


def bazzite(note, version):
    m = system(note, "Bazzite", "bazzite", version, "6.17.7-ba22.fc43.x86_64", "fedora",
               'VARIANT_ID=bazzite-dx-nvidia\nOSTREE_VERSION="43.20260120.1"\n')
    m.file("/run/ostree-booted")
    return m


def old_gpu_on_new_image():
    m = bazzite("A GTX 1070 under an image of ostree with the open module of 590 (bazzite-dx#150).",
                "43")
    without_module(m, GTX1070, "590.48.01", LIB64, "0000:1f:00.0")
    kernel_log(m, (7.1, "NVRM: The NVIDIA GPU 0000:1f:00.0 (PCI ID: 10de:1b81)\\x0aNVRM: installed "
                        "in this system is not supported by open\\x0aNVRM: nvidia.ko because it "
                        "does not include the required GPU\\x0aNVRM: System Processor (GSP)."),
               (7.3, "NVRM: None of the NVIDIA devices were probed."))
    return m


def mismatch_and_no_firmware():
    m = bazzite("A half updated image: module 570.144, libraries and firmware of 570.153.02; that the "
                "firmware is not found is a consequence (bazzite#2668).", "42")
    old, new = "570.144", "570.153.02"
    gpu_on_bus(m, RTX3060, BUS)
    m.kernel_module(old, "open")
    m.nvidia_nodes(1)
    m.driver_libraries(new, LIB64)
    m.nvml_failed(ml(new, LIB64), 18)
    m.cuda_failed(cu(new, LIB64), "12.8", 803)
    m.opencl_missing()
    kernel_log(m, (12.0, f"NVRM: API mismatch: the client has the version {new}, but\\x0aNVRM: this "
                         f"kernel module has the version {old}."),
               (23.9, "nvidia 0000:01:00.0: Direct firmware load for nvidia/570.144/gsp_ga10x.bin "
                      "failed with error -2"),
               (23.9, "NVRM: RmFetchGspRmImages: No firmware image found"),
               (23.9, "NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x61:0x56:1770)"))
    return m


def nouveau_on_silverblue():
    m = system("Fedora Silverblue as it comes: nouveau, and no package manager that writes into the "
               "image (bazzite#796 tells of the same base).", "Fedora Linux 42 (Silverblue)",
               "fedora", "42", "6.16.3-200.fc42.x86_64", "", "VARIANT_ID=silverblue\n")
    m.file("/run/ostree-booted")
    gpu_on_bus(m, RTX4090, BUS, driver="nouveau")
    no_nvidia(m)
    return m


def proxmox_without_headers():
    kernel = "6.8.12-9-pve"
    m = system("Proxmox VE after a new kernel: no headers, no module (H06).",
               "Debian GNU/Linux 12 (bookworm)", "debian", "12", kernel)
    m.folder(f"/lib/modules/{kernel}/updates/dkms")
    m.file("/lib/modules/6.8.8-2-pve/updates/dkms/nvidia.ko")
    return without_module(m, RTX3060, "550.127.05", DEBIAN_LIB)


def lxc_without_uvm():
    m = system("An LXC container on Proxmox after the host's restart: nvidia-smi works, and the node "
               "nvidia-uvm is not there (ProxmoxVE#5740).", "Debian GNU/Linux 12 (bookworm)",
               "debian", "12", "6.8.12-9-pve")
    m.file("/run/systemd/container", "lxc\n")
    version = "570.153.02"
    gpu_on_bus(m, RTX3060, BUS)
    m.kernel_module(version, "open")
    m.nvidia_nodes(1, uvm=False)
    m.driver_libraries(version)
    m.nvml(ml(version), version, "12.8", [nvml_device(RTX3060, 0, BUS)])
    m.cuda_failed(cu(version), "12.8", 999)
    m.opencl_missing()
    return m


def relative_of_arch_drops_gpu():
    m = system("CachyOS, a relative of Arch, after its driver went to 590: a GTX 1080 is left out "
               "(linux-cachyos#677).", "CachyOS Linux", "cachyos", "", "6.18.2-2-cachyos", "arch")
    m.file("/usr/lib/modules/6.18.2-2-cachyos/extramodules/nvidia.ko.zst")
    without_module(m, GTX1080, "590.48.01", ARCH_LIB)
    kernel_log(m, (7.1, "NVRM: The NVIDIA GeForce GTX 1080 GPU installed in this system is\\x0aNVRM:  "
                        "supported through the NVIDIA 580.xx Legacy drivers."),
               (7.2, "NVRM: No NVIDIA GPU found."))
    return m


def running_kernel_was_replaced():
    m = system("Arch after an upgrade and before the restart: the folder of the running kernel's "
               "modules is gone (linux-cachyos#782).", "Arch Linux", "arch", "", "6.16.8-arch1-1")
    m.file("/usr/lib/modules/6.16.9-arch1-1/extramodules/nvidia.ko.zst")
    return without_module(m, RTX4090, "580.95.05", ARCH_LIB)


def truenas_with_open_module():
    version = "570.172.08"
    m = system("TrueNAS with a P40 under the open module (truenas/apps#1501).",
               "Debian GNU/Linux 12 (bookworm)", "debian", "12", "6.12.15-production+truenas")
    gpu_on_bus(m, P40, BUS, cls="0x030200", driver=None)
    m.kernel_module(version, "open")
    m.nvidia_nodes(0)
    m.driver_libraries(version)
    m.nvml(ml(version), version, "12.8", [])
    m.cuda_failed(cu(version), "12.8", 100)
    m.opencl_missing()
    return m


def unraid_without_plugin():
    m = system("Unraid without the plugin that brings the driver (workspaces-issues#535).",
               "Unraid OS 7.1 x86_64", "slackware", "15.0", "6.12.24-Unraid", python=None)
    gpu_on_bus(m, RTX3060, BUS, driver=None)
    no_nvidia(m)
    return m


def mint_of_debian():
    m = system("Linux Mint's edition made of Debian, without a driver.", "LMDE 6 (faye)",
               "linuxmint", "6", "6.1.0-40-amd64", "debian", python="3.11")
    gpu_on_bus(m, RTX4090, BUS, driver=None)
    no_nvidia(m)
    return m


def arc_with_cuda_build():
    m = system("An Arc B580 with the build that pip takes by itself, which is for NVIDIA's "
               "(AI-Playground#534).", "Linux Mint 22.1", "linuxmint", "22.1", "6.14.0-37-generic",
               "ubuntu debian", cpu=CORE, python="3.12")
    m.pci("0000:00:02.0", "0x8086", "0xa780", "0x030000", "i915")
    m.pci("0000:09:00.0", "0x8086", "0xe20b", "0x030000", "xe")
    m.node("/dev/dri/renderD128", EACCES, mode=0o660)
    m.torch(other_venv(m, "3.12.3"), "2.9.0+cu130", cuda="13.0")
    no_nvidia(m)
    return m


def radeon_with_cuda_build():
    m = amd("A Radeon with the build that pip takes by itself (legacy-rocm-build#4864).")
    m.torch(other_venv(m, "3.12.3"), "2.8.0+cu128", cuda="12.8")
    return m


def new_radeon_with_old_build():
    m = amd("A Strix Halo (gfx1151), for which builds came with ROCm 7.2, under the build of ROCm 6.4 "
            "(legacy-rocm-build#6348).", "gfx1151")
    m.torch(other_venv(m, "3.12.3"), "2.9.0+rocm6.4", hip="6.4.43484")
    return m


def ended(m, what, end, code=0):
    """The child that asks NVML or CUDA hung or crashed before its first answer."""
    m.commands = [c for c in m.commands if c["argv"][2] != what]
    m.commands.append({"argv": ["self", "__probe", what], "end": end, "code": code, "output": "",
                       "errors": ""})
    return m


def cuda_that_hangs():
    m = ubuntu("cuInit never returns, as with a driver whose process stands in D state (gpud's check "
               "of such processes).")
    working_cuda(m, RTX4090)
    return ended(m, "cuda", "timed-out")


def cuda_that_crashes():
    m = ubuntu("cuInit crashes (ollama asks the driver in a child for such cases).")
    working_cuda(m, RTX4090)
    return ended(m, "cuda", "signalled", 11)


def nvml_that_hangs():
    m = ubuntu("CUDA works, and NVML gives no answer, as nvidia-smi does not (gpud).")
    working_cuda(m, RTX4090)
    return ended(m, "nvml", "timed-out")


def wsl_with_cpu_build():
    m = system("WSL2 in good order but for PyTorch, which uv took from PyPI's CPU build "
               "(uv#17236).", "Ubuntu 24.04.3 LTS", "ubuntu", "24.04",
               "6.6.87.2-microsoft-standard-WSL2", "debian", python="3.12")
    m.pci("5c6f:00:00.0", "0x1414", "0x008e", "0x030200", "dxgkrnl")
    m.node("/dev/dxg")
    folder = "/usr/lib/wsl/lib"
    for name in ("libcuda.so.1", "libnvidia-ml.so.1"):
        m.file(f"{folder}/{name}")
    m.nvml(f"{folder}/libnvidia-ml.so.1", "581.57", "13.0", [nvml_device(RTX3060, 0, BUS)])
    m.cuda(f"{folder}/libcuda.so.1", "13.0", [cuda_device(RTX3060, 0, BUS)])
    m.opencl_missing()
    m.torch(other_venv(m, "3.12.3"), "2.9.1+cpu")
    return m


MACHINES = [old_gpu_on_new_image, mismatch_and_no_firmware, nouveau_on_silverblue,
            proxmox_without_headers, lxc_without_uvm, relative_of_arch_drops_gpu,
            running_kernel_was_replaced, truenas_with_open_module, unraid_without_plugin,
            mint_of_debian, arc_with_cuda_build, radeon_with_cuda_build,
            new_radeon_with_old_build, cuda_that_hangs, cuda_that_crashes, nvml_that_hangs,
            wsl_with_cpu_build]

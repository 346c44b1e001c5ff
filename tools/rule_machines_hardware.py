"""Machines on which one rule of the hardware's area speaks: the bus, the kernel module, the kernel's
log. The log's lines are composed in the driver's form, as the public reports named show it."""

from machine_bases import CUDA, DRIVER, EPYC, cu, gpu_on_bus, ml, torch_with_cuda, ubuntu
from machine_bases import working_cuda
from machine_gpus import A100, GTX1080, H100, RTX3060M, RTX4090, cuda_device, nvml_device
from machine_parts import EPERM, absent

BUS = "0000:01:00.0"
KERNEL = "6.8.0-88-generic"
MODULES = f"/lib/modules/{KERNEL}"
SECURE_BOOT = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
LOADING = f"NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  {DRIVER}  Release Build"


def kernel_log(m, *lines, uptime=7200.0):
    """`lines`: (seconds since the start, text), as /dev/kmsg gives them."""
    m.file("/proc/uptime", f"{uptime:.2f} {uptime * 14:.2f}\n")
    m.file("/dev/kmsg", "".join(f"4,{500 + i},{int(s * 1e6)},-;{text}\n"
                                for i, (s, text) in enumerate(lines)))


def module_file(m, folder="updates/dkms"):
    m.file(f"{MODULES}/{folder}/nvidia.ko.zst")


def secure_boot(m, on):
    m.file(SECURE_BOOT, "\x06\x00\x00\x00" + ("\x01" if on else "\x00"))


def without_module(note):
    """Libraries, and a GPU that no driver holds."""
    m = ubuntu(note)
    gpu_on_bus(m, RTX4090, BUS, driver=None)
    m.driver_libraries(DRIVER)
    m.nvml_failed(ml(DRIVER), 9)
    m.cuda_failed(cu(DRIVER), CUDA, 100)
    m.opencl_missing()
    return m


def refused(note, spec=RTX4090, flavour="open", driver=None, version=DRIVER):
    """The module is loaded, and NVML sees no GPU."""
    m = ubuntu(note)
    gpu_on_bus(m, spec, BUS, driver=driver)
    m.kernel_module(version, flavour)
    m.nvidia_nodes(0)
    m.driver_libraries(version)
    m.nvml(ml(version), version, CUDA, [])
    m.cuda_failed(cu(version), CUDA, 100)
    m.opencl_missing()
    return m


def server_with_log(note, *lines, works=True, **log):
    """An A100 server; where it does not work, the context fails as unknown."""
    m = ubuntu(note, EPYC, 1, 64, 1, 512)
    gpu_on_bus(m, A100, "0000:07:00.0", cls="0x030200")
    m.kernel_module(DRIVER, "open")
    m.nvidia_nodes(1)
    m.driver_libraries(DRIVER)
    m.nvml(ml(DRIVER), DRIVER, CUDA, [nvml_device(A100, 0, "0000:07:00.0", ecc_enabled=True)])
    failed = absent("call-failed", "cuDevicePrimaryCtxRetain: CUDA_ERROR_UNKNOWN (999)", 999)
    broken = {} if works else {"context": failed,
                               "kernel": absent("not-tested", "no context could be made")}
    m.cuda(cu(DRIVER), CUDA, [cuda_device(A100, 0, "0000:07:00.0", **broken)])
    m.opencl_missing()
    torch_with_cuda(m)
    kernel_log(m, (12.1, LOADING), *lines, **log)
    return m


def driver_not_installed():
    m = ubuntu("A fresh system: a GPU on the bus, no module and no library (H02: pytorch#74733).")
    gpu_on_bus(m, RTX4090, BUS, driver=None)
    m.folder(f"{MODULES}/kernel")
    m.nvml_missing()
    m.cuda_missing()
    m.opencl_missing()
    return m


def module_not_built_for_kernel():
    m = without_module("The kernel was upgraded without headers: no module for it (H06: compute-"
                       "gpu-installation PR#18, linux-kernel-amdgpu-binaries#101).")
    m.folder(f"{MODULES}/updates/dkms")
    m.file("/lib/modules/6.8.0-45-generic/updates/dkms/nvidia.ko.zst")
    secure_boot(m, False)
    return m


def secure_boot_rejects_module():
    m = without_module("Secure Boot is on and the module's key is not enrolled (H07: linux-"
                       "surface#906, gpu-driver-container#44).")
    module_file(m)
    secure_boot(m, True)
    kernel_log(m, (0.0, "secureboot: Secure boot enabled"),
               (9.5, "Loading of module with unavailable key is rejected"))
    return m


def secure_boot_and_closed_log():
    m = without_module("Secure Boot is on, the module is not loaded, and an ordinary user may not "
                       "read the kernel's log (H07; kernel.dmesg_restrict).")
    module_file(m)
    secure_boot(m, True)
    m.deny("/dev/kmsg", EPERM)
    return m


def module_blacklisted():
    m = without_module("A file in modprobe.d keeps the module away (H08: optimus-switch-sddm#12).")
    module_file(m)
    secure_boot(m, False)
    m.file("/etc/modprobe.d/blacklist-nvidia.conf", "# switched off\nblacklist nvidia\n")
    return m


def module_present_not_loaded():
    m = without_module("The module is there for this kernel, and nobody loaded it (H08).")
    module_file(m, "kernel/nvidia-580-open")
    secure_boot(m, False)
    return m


def gpu_too_old_for_driver():
    m = refused("A GTX 1080 under the 590 branch, which ignores it (H09: nixos-hardware#1828, "
                "#1880).", GTX1080, "proprietary", version="590.48.01")
    kernel_log(m, (8.0, "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  590.48.01"),
               (8.1, "NVRM: The NVIDIA GPU 0000:01:00.0 (PCI ID: 10de:1b80) is supported through "
                     "the NVIDIA 580.xx Legacy drivers. The 590.48.01 NVIDIA driver will ignore "
                     "this GPU."), (8.2, "NVRM: No NVIDIA GPU found."))
    return m


def open_module_on_old_gpu():
    m = refused("The open module meets a GTX 1080 (H10: truenas-nvidia-drivers#20).", GTX1080)
    kernel_log(m, (8.0, LOADING),
               (8.1, "NVRM: The NVIDIA GPU 0000:01:00.0 (PCI ID: 10de:1b80) is not supported by "
                     "open nvidia.ko because it does not include the required GPU System "
                     "Processor (GSP)."))
    return m


def closed_module_on_new_gpu():
    m = refused("The proprietary module meets a GPU that needs the open one (H11: open-gpu-kernel-"
                "modules#862, #872); the RTX 4090 of the bus stands for a Blackwell.",
                flavour="proprietary", driver="nvidia")
    kernel_log(m, (8.0, "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  580.95.05"),
               (8.1, "NVRM: The NVIDIA GPU 0000:01:00.0 (PCI ID: 10de:2b85) installed in this "
                     "system requires use of the NVIDIA open kernel modules."),
               (8.2, "NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x22:0x56:884)"))
    return m


def bar_too_small():
    m = refused("The firmware gave BAR1 no addresses (H12: open-gpu-kernel-modules#862).",
                driver="nvidia")
    zero = "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
    m.file(f"/sys/bus/pci/devices/{BUS}/resource",
           "0x00000000fb000000 0x00000000fbffffff 0x0000000000040200\n" + zero * 5)
    return m


def gsp_firmware_fails():
    m = refused("The system processor's firmware does not start (H13: open-gpu-kernel-modules#789, "
                "#876, #1104).", driver="nvidia")
    kernel_log(m, (8.0, LOADING),
               (9.0, "NVRM: GPU0 _kgspBootGspRm: unexpected WPR2 already up, cannot proceed with "
                     "booting GSP"),
               (9.1, "NVRM: GPU0 RmInitAdapter: Cannot initialize GSP firmware RM"),
               (9.2, "NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x62:0x40:1860)"))
    return m


def driver_refuses_gpu():
    return refused("The module is loaded and takes no GPU, and the kernel's log can't be read.")


def gpu_fell_off_the_bus():
    m = refused("The GPU fell off the bus, told without an Xid (H14: gpud PR#1209, NVSentinel#155).",
                driver="nvidia")
    kernel_log(m, (8.0, LOADING),
               (5300.0, "NVRM: The NVIDIA GPU 0000:01:00.0\\x0aNVRM: (PCI ID: 10de:2684) installed "
                        "in this system has\\x0aNVRM: fallen off the bus and is not responding."))
    return m


def gpu_fell_off_the_bus_by_journal():
    m = refused("The same as Xid 79, read from the journal (H14: open-gpu-kernel-modules#1151).",
                driver="nvidia")
    m.deny("/dev/kmsg", EPERM)
    m.folder("/var/log/journal")
    m.file("/proc/uptime", "7200.00 100800.00\n")
    lines = [("8.000000", LOADING), ("5300.000000", "NVRM: Xid (PCI:0000:01:00): 79, GPU has "
                                                    "fallen off the bus.")]
    output = "".join(f"[{time:>13}] host kernel: {text}\n" for time, text in lines)
    m.commands.append({"argv": ["journalctl", "-k", "-b", "--no-pager", "-o", "short-monotonic"],
                       "end": "exited", "code": 0, "output": output, "errors": ""})
    return m


def gpu_power_cable_missing():
    m = refused("A power lead is missing (H17: Xid 54 of NVIDIA's catalogue).", driver="nvidia")
    kernel_log(m, (8.0, LOADING), (9.0, "NVRM: Xid (PCI:0000:01:00): 54, Auxiliary power is not "
                                        "connected."))
    return m


def gpu_switched_off():
    m = ubuntu("A laptop in integrated mode: no GPU of NVIDIA's on the bus (H16: bbswitch#155, "
               "optimus-manager#313).")
    m.pci("0000:00:02.0", "0x8086", "0x46a6", "0x030000", "i915")
    m.file("/etc/prime-discrete", "off\n")
    m.driver_libraries(DRIVER)
    m.nvml_failed(ml(DRIVER), 9)
    m.cuda_failed(cu(DRIVER), CUDA, 100)
    m.opencl_missing()
    return m


def nova_bound():
    m = ubuntu("The kernel's nova driver holds the GPU (H04: Olares#3963).")
    gpu_on_bus(m, RTX3060M, BUS, driver="nova_core")
    m.nvml_missing()
    m.cuda_missing()
    m.opencl_missing()
    return m


def vfio_bound():
    m = ubuntu("The GPU is reserved for a virtual machine (H05: fastfetch#931).")
    gpu_on_bus(m, RTX4090, BUS, driver="vfio-pci")
    m.nvml_missing()
    m.cuda_missing()
    m.opencl_missing()
    return m


def uvm_without_address_space():
    m = ubuntu("nvidia-uvm finds no free addresses (H18: gpu-burn#133).", EPYC, 1, 64, 1, 512)
    gpu_on_bus(m, H100, "0000:07:00.0", cls="0x030200")
    m.kernel_module(DRIVER, "open")
    m.nvidia_nodes(1)
    m.driver_libraries(DRIVER)
    m.nvml(ml(DRIVER), DRIVER, CUDA, [nvml_device(H100, 0, "0000:07:00.0", ecc_enabled=True)])
    m.cuda_failed(cu(DRIVER), CUDA, 999)
    m.opencl_missing()
    kernel_log(m, (12.1, LOADING),
               (14.0, "nvidia-uvm: uvm_pmm_gpu.c:3416 devmem_alloc_pagemap[pid:1711] "
                      "request_free_mem_region() err -34"))
    return m


def xid_reset_needed():
    return server_with_log(
        "The GPU's system processor timed out and no context can be made (Xid 119: NVIDIA's "
        "catalogue as in gpud).",
        (6000.0, "NVRM: Xid (PCI:0000:07:00): 119, pid=4711, name=python, Timeout waiting for RPC "
                 "from GSP!"), works=False)


def xid_ecc_chain():
    return server_with_log(
        "A chain of memory errors: 48, 63, 94, and the recovery action that the driver asks for "
        "(vllm-backport#62); the GPU computes on.",
        (6000.0, "NVRM: Xid (PCI:0000:07:00): 48, pid='<unknown>', name=<unknown>, An uncorrectable "
                 "double bit error (DBE) has been detected on GPU in the framebuffer."),
        (6000.1, "NVRM: Xid (PCI:0000:07:00): 63, pid='<unknown>', name=<unknown>, Row Remapper: "
                 "New row marked for remapping, reset gpu to activate."),
        (6000.2, "NVRM: Xid (PCI:0000:07:00): 94, pid=4711, name=python, Contained ECC error."),
        (6000.3, "NVRM: Xid (PCI:0000:07:00): 154, GPU recovery action changed from 0x0 (None) to "
                 "0x1 (GPU Reset Required)"))


def xid_nvlink():
    return server_with_log("Errors on an NVLink (Xid 74).",
                           (6000.0, "NVRM: Xid (PCI:0000:07:00): 74, pid='<unknown>', "
                                    "name=<unknown>, NVLink: fatal error detected on link 3"))


def xid_of_programs():
    return server_with_log(
        "Programs failed (13, 31) and were cleaned up (43); one Xid is newer than the table.",
        (5000.0, "NVRM: Xid (PCI:0000:07:00): 13, pid=4711, name=python, Graphics Exception"),
        (5001.0, "NVRM: Xid (PCI:0000:07:00): 31, pid=4712, name=python, MMU Fault"),
        (5002.0, "NVRM: Xid (PCI:0000:07:00): 999, an error of the future"))


def xid_informational():
    return server_with_log("A channel was reset (Xid 43), and nothing else.",
                           (5002.0, "NVRM: Xid (PCI:0000:07:00): 43, pid=4711, name=python"))


def xid_in_the_past():
    return server_with_log(
        "The GPU was lost, then the driver was loaded anew and all is well (old Xids: gpud PR#987).",
        (3000.0, "NVRM: Xid (PCI:0000:07:00): 79, GPU has fallen off the bus."),
        (4000.0, LOADING))


def xid_before_sleep():
    m = ubuntu("A workstation that slept after an Xid 62; since it woke up all is well.")
    working_cuda(m, RTX4090)
    torch_with_cuda(m)
    kernel_log(m, (8.0, LOADING), (3000.0, "NVRM: Xid (PCI:0000:01:00): 62, 0000(0000) 00000000"),
               (4000.0, "PM: suspend exit"))
    return m


MACHINES = [driver_not_installed, module_not_built_for_kernel, secure_boot_rejects_module,
            secure_boot_and_closed_log, module_blacklisted, module_present_not_loaded,
            gpu_too_old_for_driver, open_module_on_old_gpu, closed_module_on_new_gpu,
            bar_too_small, gsp_firmware_fails, driver_refuses_gpu, gpu_fell_off_the_bus,
            gpu_fell_off_the_bus_by_journal, gpu_power_cable_missing, gpu_switched_off, nova_bound,
            vfio_bound, uvm_without_address_space, xid_reset_needed, xid_ecc_chain, xid_nvlink,
            xid_of_programs, xid_informational, xid_in_the_past, xid_before_sleep]

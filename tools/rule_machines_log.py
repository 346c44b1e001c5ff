"""Machines that show the kernel's log in the forms in which it comes, and faults that are told
without it. The lines follow the public reports named; addresses and times may be made up."""

from machine_bases import CUDA, DRIVER, EPYC, cu, gpu_on_bus, ml, ubuntu, working_cuda
from machine_gpus import A100, GTX1080, RTX4090, cuda_device, nvml_device
from machine_parts import EPERM, absent
from rule_machines_driver import fabric_not_ready
from rule_machines_hardware import BUS, LOADING, kernel_log, module_file, refused, without_module

RTX5090 = ("NVIDIA GeForce RTX 5090", "12.0", 170, 32607, 3090, 14001, 575, 5, 16, 96, "0x2b85")


def raw_log(m, text):
    """The log in another form than /dev/kmsg's own."""
    m.file("/proc/uptime", "7200.00 100800.00\n")
    m.file("/dev/kmsg", text)


def servers_gpus(m, addresses, lost):
    """A100s on the bus, of which NVML and CUDA see all but the lost one."""
    for address in addresses:
        gpu_on_bus(m, A100, address, cls="0x030200", driver=None if address == lost else "nvidia")
    m.kernel_module(DRIVER, "open")
    m.nvidia_nodes(len(addresses) - 1)
    m.driver_libraries(DRIVER)
    seen = [a for a in addresses if a != lost]
    m.nvml(ml(DRIVER), DRIVER, CUDA, [nvml_device(A100, i, a, ecc_enabled=True, persistence=True)
                                      for i, a in enumerate(seen)])
    m.cuda(cu(DRIVER), CUDA, [cuda_device(A100, i, a) for i, a in enumerate(seen)])
    m.opencl_missing()


def one_gpu_lost_while_loading():
    m = ubuntu("One of two GPUs fell off the bus while the module loaded: three lines, no Xid, just "
               "before the module's own line (NVSentinel#155).", EPYC, 1, 64, 1, 512)
    servers_gpus(m, ["0000:07:00.0", "0000:b3:00.0"], "0000:b3:00.0")
    raw_log(m, "[ 1843.308145] NVRM: The NVIDIA GPU 0000:b3:00.0\n"
               "               NVRM: (PCI ID: 10de:20b2) installed in this system has\n"
               "               NVRM: fallen off the bus and is not responding to commands.\n"
               "[ 1843.439662] NVRM: The NVIDIA probe routine failed for 1 device(s).\n"
               f"[ 1843.439669] {LOADING}\n")
    return m


def one_gpu_does_not_start():
    m = ubuntu("One of two GPUs fails to start, the other works (gpu-operator#1146).", EPYC, 1, 64,
               1, 512)
    servers_gpus(m, ["0000:07:00.0", "0000:0a:00.0"], "0000:0a:00.0")
    raw_log(m, "Dec  2 11:49:00 host kernel: [    9.242168] " + LOADING + "\n"
               "Dec  2 11:49:53 host kernel: [   62.242168] NVRM: GPU 0000:0a:00.0: RmInitAdapter "
               "failed! (0x24:0x72:1568)\n"
               "Dec  2 11:49:53 host kernel: [   62.242457] NVRM: GPU 0000:0a:00.0: "
               "rm_init_adapter failed, device minor number 1\n")
    return m


def gpu_does_not_start():
    m = refused("The module holds the GPU and cannot start it, and NVML sees none (cuda-samples"
                "#104).", driver="nvidia", flavour="proprietary")
    m.node("/dev/nvidia0")
    raw_log(m, "[    8.000000] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  580.95.05\n"
               "[   12.100000] NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x26:0x56:1463)\n")
    return m


def open_module_meets_old_gpu_by_dmesg():
    m = without_module("The open module meets a GTX 1080 and goes away again; the words of the log "
                       "break over lines, as in the module's source (truenas-nvidia-drivers#20).")
    gpu_on_bus(m, GTX1080, BUS, driver=None)
    module_file(m)
    kernel_log(m, (8.1, "NVRM: The NVIDIA GPU 0000:01:00.0 (PCI ID: 10de:1b80)\\x0aNVRM: installed "
                        "in this system is not supported by open\\x0aNVRM: nvidia.ko because it "
                        "does not include the required GPU\\x0aNVRM: System Processor (GSP)."),
               (8.2, "NVRM: None of the NVIDIA devices were probed."))
    return m


def old_gpu_and_closed_log():
    m = without_module("A GTX 1080 under the 590 branch: the module went away again, and the log may "
                       "not be read (nixos-hardware#1880).")
    for name in ("libcuda", "libnvidia-ml"):
        del m.files[f"/usr/lib/x86_64-linux-gnu/{name}.so.{DRIVER}"]
    m.driver_libraries("590.48.01")
    gpu_on_bus(m, GTX1080, BUS, driver=None)
    module_file(m)
    m.deny("/dev/kmsg", EPERM)
    return m


def blackwell_and_closed_log():
    m = refused("An RTX 5090 under the proprietary module; the log may not be read "
                "(open-gpu-kernel-modules#862).", RTX5090, "proprietary", driver="nvidia")
    m.node("/dev/nvidia0")
    m.deny("/dev/kmsg", EPERM)
    return m


def blackwell_by_journal():
    m = refused("The same, told in the journal over two lines (open-gpu-kernel-modules#862).",
                RTX5090, "proprietary", driver="nvidia")
    m.node("/dev/nvidia0")
    m.deny("/dev/kmsg", EPERM)
    m.folder("/var/log/journal")
    output = ("[    5.499014] host kernel: NVRM: loading NVIDIA UNIX x86_64 Kernel Module  "
              "580.105.08\n"
              "[    5.559842] host kernel: NVRM: The NVIDIA GPU 0000:01:00.0 (PCI ID: 10de:2b85)\n"
              "                            NVRM: installed in this system requires use of the "
              "NVIDIA open kernel modules.\n"
              "[    5.559858] host kernel: NVRM: GPU 0000:01:00.0: RmInitAdapter failed! "
              "(0x22:0x56:884)\n")
    m.commands.append({"argv": ["journalctl", "-k", "-b", "--no-pager", "-o", "short-monotonic"],
                       "end": "exited", "code": 0, "output": output, "errors": ""})
    return m


def window_of_no_size():
    m = without_module("A hypervisor gives the GPU no window: the module complains and goes away.")
    module_file(m)
    kernel_log(m, (8.1, "NVRM: This PCI I/O region assigned to your NVIDIA device is "
                        "invalid:\\x0aNVRM: BAR1 is 0M @ 0x0 (PCI:0000:01:00.0)"))
    return m


def configuration_reads_as_ones():
    m = refused("The GPU fell off the bus, the log may not be read, and the configuration space "
                "reads as ones (H14).", driver="nvidia")
    m.file(f"/sys/bus/pci/devices/{BUS}/config", "\ufffd" * 64)
    m.node("/dev/nvidia0")
    m.deny("/dev/kmsg", EPERM)
    return m


def nvml_says_lost():
    m = ubuntu("NVML starts and cannot get at one of two GPUs: GPU is lost (open-gpu-kernel-modules"
               "#507).", EPYC, 1, 64, 1, 512)
    addresses = ["0000:07:00.0", "0000:0a:00.0"]
    for address in addresses:
        gpu_on_bus(m, A100, address, cls="0x030200")
    m.kernel_module(DRIVER, "open")
    m.nvidia_nodes(2)
    m.driver_libraries(DRIVER)
    lost = absent("call-failed", "nvmlDeviceGetHandleByIndex_v2: GPU is lost (15)", 15)
    dead = {key: (1 if key == "index" else lost) for key in nvml_device(A100, 1, addresses[1])}
    m.nvml(ml(DRIVER), DRIVER, CUDA, [nvml_device(A100, 0, addresses[0], ecc_enabled=True), dead])
    m.cuda(cu(DRIVER), CUDA, [cuda_device(A100, 0, addresses[0])])
    m.opencl_missing()
    return m


def nouveau_after_kernel_upgrade():
    m = without_module("A new kernel without NVIDIA's module: nouveau took the GPU.")
    gpu_on_bus(m, RTX4090, BUS, driver="nouveau")
    m.folder("/lib/modules/6.8.0-88-generic/kernel")
    m.file("/lib/modules/6.8.0-45-generic/updates/dkms/nvidia.ko.zst")
    return m


def forbidden_on_the_command_line():
    m = without_module("The kernel's command line forbids the module.")
    module_file(m)
    m.file("/proc/cmdline", "root=/dev/sda1 module_blacklist=nouveau,nvidia quiet\n")
    return m


def debians_module_of_a_branch():
    m = without_module("Debian names the module after its branch; nobody loaded it.")
    module_file(m, "updates/dkms")
    del m.files["/lib/modules/6.8.0-88-generic/updates/dkms/nvidia.ko.zst"]
    m.file("/lib/modules/6.8.0-88-generic/updates/dkms/nvidia-tesla-535.ko.xz")
    m.file("/lib/modules/6.8.0-88-generic/updates/dkms/nvidia-tesla-535-uvm.ko.xz")
    return m


def gpu_taken_off_by_envycontrol():
    m = ubuntu("A laptop in EnvyControl's integrated mode: udev removes the GPU (H16).")
    m.pci("0000:00:02.0", "0x8086", "0x46a6", "0x030000", "i915")
    m.file("/etc/udev/rules.d/50-remove-nvidia.rules", "# removes NVIDIA's functions\n")
    m.driver_libraries(DRIVER)
    m.nvml_failed(ml(DRIVER), 9)
    m.cuda_failed(cu(DRIVER), CUDA, 100)
    m.opencl_missing()
    return m


def switch_error_is_no_xid():
    m = fabric_not_ready()
    m.note = "An error of an NVSwitch (SXid), which is no Xid of a GPU."
    kernel_log(m, (12.1, LOADING), (900.0, "nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 12028, "
                                           "Non-fatal, Link 32 egress non-posted PRIV error"))
    return m


def fabric_manager_version_differs():
    m = fabric_not_ready()
    m.note = ("Eight H100 with NVSwitches and a fabric manager of another version: 802 (D17: "
              "dorado#1214, gpu-operator#544).")
    m.file("/usr/bin/nv-fabricmanager", executable=True)
    m.commands.append({"argv": ["/usr/bin/nv-fabricmanager", "--version"], "end": "exited",
                       "code": 0, "output": "Fabric Manager version is : 580.82.07\n",
                       "errors": ""})
    return m


def visible_devices_in_service():
    m = ubuntu("ollama's unit hides the GPU from the service; the shell sees it (E08: ollama#5453).")
    working_cuda(m, RTX4090)
    m.file("/etc/systemd/system/ollama.service",
           '[Service]\nExecStart=/usr/local/bin/ollama serve\nEnvironment="PATH=/usr/bin"\n')
    m.file("/etc/systemd/system/ollama.service.d/override.conf",
           '[Service]\nEnvironment="CUDA_VISIBLE_DEVICES=-1"\n')
    return m


def eight_gpus_and_hidden_switches():
    m = fabric_not_ready()
    m.note = ("Eight H100 in a virtual machine whose bus does not show the NVSwitches: 802 "
              "(huggingface_hub#4134).")
    for name in [path for path in m.files if "/0000:83:00.0/" in path]:
        del m.files[name]
    del m.links["/sys/bus/pci/devices/0000:83:00.0/driver"]
    return m


def suses_module_folder():
    m = without_module("openSUSE keeps the module of another kernel in weak-updates/updates, below "
                       "/usr/lib; nobody loaded it.")
    m.file("/usr/lib/modules/6.8.0-88-generic/weak-updates/updates/nvidia.ko.zst")
    return m


def power_cables_missing_without_xid():
    m = refused("A newer driver tells of missing power cables without an Xid.", driver="nvidia")
    m.node("/dev/nvidia0")
    kernel_log(m, (8.0, LOADING),
               (9.0, "NVRM: GPU 0000:01:00.0: GPU does not have the necessary power cables "
                     "connected."),
               (9.1, "NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x24:0x1c:1476)"))
    return m


MACHINES = [power_cables_missing_without_xid, eight_gpus_and_hidden_switches, suses_module_folder, one_gpu_lost_while_loading, one_gpu_does_not_start, gpu_does_not_start,
            open_module_meets_old_gpu_by_dmesg, old_gpu_and_closed_log, blackwell_and_closed_log,
            blackwell_by_journal, window_of_no_size, configuration_reads_as_ones, nvml_says_lost,
            nouveau_after_kernel_upgrade, forbidden_on_the_command_line,
            debians_module_of_a_branch, gpu_taken_off_by_envycontrol, switch_error_is_no_xid,
            fabric_manager_version_differs, visible_devices_in_service]

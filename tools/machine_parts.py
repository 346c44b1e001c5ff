"""Parts from which compose_machines.py builds recorded machines: a file tree, PCI functions, device
nodes, answers of NVML, CUDA and OpenCL, Python environments. Standard library only."""

import json
import posixpath

ENOENT, EACCES, EPERM = 2, 13, 1
MIB = 1 << 20

NVML_ERRORS = {9: "Driver Not Loaded", 18: "Driver/library version mismatch", 999: "Unknown Error"}
CUDA_ERRORS = {
    34: "CUDA_ERROR_STUB_LIBRARY",
    100: "CUDA_ERROR_NO_DEVICE",
    803: "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
    999: "CUDA_ERROR_UNKNOWN",
}

# Facts of the answers, and the calls that they come from.
NVML_CALLS = {
    "library": "dlopen", "init": "nvmlInit_v2", "driver_version": "nvmlSystemGetDriverVersion",
    "cuda_version": "nvmlSystemGetCudaDriverVersion_v2", "device_count": "nvmlDeviceGetCount_v2",
    "name": "nvmlDeviceGetName", "uuid": "nvmlDeviceGetUUID",
    "pci_address": "nvmlDeviceGetPciInfo_v3",
    "compute_capability": "nvmlDeviceGetCudaComputeCapability",
    "memory_total_bytes": "nvmlDeviceGetMemoryInfo_v2",
    "memory_free_bytes": "nvmlDeviceGetMemoryInfo_v2",
    "memory_used_bytes": "nvmlDeviceGetMemoryInfo_v2",
    "memory_reserved_bytes": "nvmlDeviceGetMemoryInfo_v2",
    "sm_clock_hz": "nvmlDeviceGetClockInfo", "memory_clock_hz": "nvmlDeviceGetClockInfo",
    "sm_clock_max_hz": "nvmlDeviceGetMaxClockInfo",
    "memory_clock_max_hz": "nvmlDeviceGetMaxClockInfo", "power_w": "nvmlDeviceGetPowerUsage",
    "power_limit_w": "nvmlDeviceGetEnforcedPowerLimit",
    "power_default_limit_w": "nvmlDeviceGetPowerManagementDefaultLimit",
    "temperature_c": "nvmlDeviceGetTemperature",
    "pcie_generation": "nvmlDeviceGetCurrPcieLinkGeneration",
    "pcie_generation_max": "nvmlDeviceGetMaxPcieLinkGeneration",
    "pcie_width": "nvmlDeviceGetCurrPcieLinkWidth",
    "pcie_width_max": "nvmlDeviceGetMaxPcieLinkWidth", "mig_enabled": "nvmlDeviceGetMigMode",
    "mig_pending": "nvmlDeviceGetMigMode", "mig_instances": "nvmlDeviceGetMigDeviceHandleByIndex",
    "ecc_enabled": "nvmlDeviceGetEccMode", "persistence": "nvmlDeviceGetPersistenceMode",
    "compute_mode": "nvmlDeviceGetComputeMode",
    "clock_event_reasons": "nvmlDeviceGetCurrentClocksEventReasons",
    "remap_pending": "nvmlDeviceGetRemappedRows", "remap_failed": "nvmlDeviceGetRemappedRows",
    "processes": "nvmlDeviceGetComputeRunningProcesses_v3",
    "nvlinks": "nvmlDeviceGetNvLinkState", "nvlinks_active": "nvmlDeviceGetNvLinkState",
    "fabric_state": "nvmlDeviceGetGpuFabricInfo",
    "virtualization": "nvmlDeviceGetVirtualizationMode",
    "vgpu_license": "nvmlDeviceGetGridLicensableFeatures_v4",
}
CUDA_CALLS = {
    "library": "dlopen", "version": "cuDriverGetVersion", "init": "cuInit",
    "device_count": "cuDeviceGetCount", "name": "cuDeviceGetName", "uuid": "cuDeviceGetUuid_v2",
    "pci_address": "cuDeviceGetPCIBusId", "compute_capability": "cuDeviceGetAttribute",
    "sm_count": "cuDeviceGetAttribute", "memory_total_bytes": "cuDeviceTotalMem_v2",
    "memory_free_bytes": "cuMemGetInfo_v2", "l2_bytes": "cuDeviceGetAttribute",
    "clock_hz": "cuDeviceGetAttribute", "integrated": "cuDeviceGetAttribute",
    "context": "cuDevicePrimaryCtxRetain", "kernel": "cuLaunchKernel",
}
OPENCL_CALLS = {
    "loader": "dlopen", "platform": "clGetPlatformInfo", "name": "clGetDeviceInfo",
    "type": "clGetDeviceInfo", "version": "clGetDeviceInfo", "memory_bytes": "clGetDeviceInfo",
    "max_allocation_bytes": "clGetDeviceInfo", "compute_units": "clGetDeviceInfo",
}


def absent(reason, detail, code=None):
    fact = {"absent": reason, "detail": detail}
    return fact if code is None else {**fact, "code": code}


def sources_of(answer, calls, path=""):
    """The source of each known fact, by its path, as the children of gpuready write them."""
    found = {}
    for name, value in answer.items():
        here = f"{path}.{name}" if path else name
        if isinstance(value, list):
            for index, item in enumerate(value):
                found.update(sources_of(item, calls, f"{here}[{index}]"))
        elif name in calls and not isinstance(value, dict):
            found[here] = calls[name]
    return found


class Tree:
    """Files, folders and links, and from them the answers to every question about paths."""

    def __init__(self):
        self.files, self.links, self.nodes = {}, {}, {}
        self.folders, self.broken, self.executables = set(), {}, set()

    def file(self, path, content="", executable=False):
        self.files[path] = content
        if executable:
            self.executables.add(path)

    def link(self, path, target):
        self.links[path] = target

    def folder(self, path):
        self.folders.add(path)

    def node(self, path, errno=0, mode=0o666):
        """A device node; with an errno, opening it fails so."""
        self.nodes[path] = (errno, mode)

    def deny(self, path, errno=EACCES):
        """Reading or listing the path fails so."""
        self.broken[path] = errno

    def real_path(self, path):
        for _ in range(16):
            target = self.links.get(path)
            if target is None:
                return path
            path = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        return path

    def all_folders(self):
        found = set(self.folders)
        for path in [*self.files, *self.links, *self.nodes, *self.folders]:
            while path not in ("/", ""):
                path = posixpath.dirname(path)
                found.add(path)
        return found

    def answers(self):
        everything = sorted({*self.files, *self.links, *self.nodes, *self.all_folders()})
        names = {folder: [] for folder in self.all_folders()}
        for path in everything:
            parent = posixpath.dirname(path)
            if path != "/" and parent in names:
                names[parent].append(posixpath.basename(path))
        for path, errno in self.broken.items():
            names[path] = {"errno": errno}
        outside = [p for p in everything if not p.startswith(("/sys/", "/proc/"))
                   or p in ("/sys/fs/cgroup",)]
        return {
            "files": self.readable(),
            "links": dict(sorted(self.links.items())),
            "real_paths": {p: self.real_path(p) for p in outside},
            "folders": dict(sorted(names.items())),
            "statuses": {p: self.status(self.real_path(p)) for p in outside
                         if self.status(self.real_path(p))},
            "opens": self.opened(),
            "accesses": self.opened(),
        }

    def readable(self):
        found = {path: content for path, content in self.files.items() if content}
        found.update({path: {"errno": errno} for path, errno in self.broken.items()})
        return dict(sorted(found.items()))

    def opened(self):
        return {path: {"errno": errno} if errno else True
                for path, (errno, _) in sorted(self.nodes.items())}

    def status(self, path):
        if path in self.nodes:
            return self.stat("character-device", self.nodes[path][1])
        if path in self.files:
            mode = 0o755 if path in self.executables else 0o644
            return self.stat("regular", mode, len(self.files[path]))
        return self.stat("directory", 0o755) if path in self.all_folders() else None

    @staticmethod
    def stat(kind, mode, size=0):
        return {"kind": kind, "mode": mode, "uid": 0, "gid": 0, "size_bytes": size}


class Machine(Tree):
    """A machine: its file tree, its environment, and the answers of the vendor children."""

    def __init__(self, note, libc="glibc 2.35"):
        super().__init__()
        self.note, self.libc, self.environment, self.commands = note, libc, {}, []
        self.environment["PATH"] = "/usr/local/bin:/usr/bin:/bin"

    def to_json(self, at, now):
        raw = self.answers()
        raw["environment"] = dict(sorted(self.environment.items()))
        raw["commands"], raw["libc"], raw["now"] = self.commands, self.libc, now
        return {"schema": "gpuready.record/1", "tool": {"version": "0.1.0"}, "at": at,
                "note": self.note, "raw": raw}

    # Operating system, processor, memory

    def os(self, pretty, name, version, kernel, arch="x86_64"):
        self.file("/etc/os-release",
                  f'PRETTY_NAME="{pretty}"\nNAME="{pretty}"\nID={name}\nVERSION_ID="{version}"\n')
        self.file("/proc/sys/kernel/osrelease", kernel + "\n")
        self.file("/proc/sys/kernel/arch", arch + "\n")

    def cpu(self, block, sockets, cores, threads=1):
        """`block`: the lines that each processor of /proc/cpuinfo repeats. CPUs are numbered as
        Linux does: first one thread of each core, then the others."""
        text, count = [], sockets * cores * threads
        for number in range(count):
            core, package = number % cores, number // cores % sockets
            text.append(f"processor\t: {number}\n{block}physical id\t: {package}\n"
                        f"core id\t\t: {core}\n")
        self.file("/proc/cpuinfo", "\n".join(text))
        self.cpu_lists(count)

    def cpu_lists(self, count, allowed=None):
        every = f"0-{count - 1}" if count > 1 else "0"
        self.file("/sys/devices/system/cpu/online", every + "\n")
        self.file("/proc/self/status", f"Name:\tgpuready\nCpus_allowed_list:\t{allowed or every}\n")

    def memory(self, total_kib, available_kib):
        self.file("/proc/meminfo", f"MemTotal:       {total_kib} kB\n"
                  f"MemFree:        {available_kib // 2} kB\nMemAvailable:   {available_kib} kB\n")

    def control_group(self, path="/user.slice/user-1000.slice/session-2.scope", **files):
        """Files of the group's folder, as memory_max="536870912"."""
        self.file("/proc/self/cgroup", f"0::{path}\n")
        self.folder("/sys/fs/cgroup")
        for name, content in files.items():
            folder = "/sys/fs/cgroup" + (path if path != "/" else "")
            self.file(f"{folder}/{name.replace('_', '.', 1)}", content + "\n")

    # PCI, kernel module, nodes

    def pci(self, address, vendor, device, cls="0x030000", driver="nvidia", status="active"):
        folder = f"/sys/bus/pci/devices/{address}"
        for name, content in {"class": cls, "vendor": vendor, "device": device,
                              "power/runtime_status": status}.items():
            self.file(f"{folder}/{name}", content + "\n")
        if driver:
            self.link(f"{folder}/driver", f"../../../bus/pci/drivers/{driver}")

    def other_pci(self):
        """A host bridge and a disk, as everywhere."""
        self.pci("0000:00:00.0", "0x8086", "0x4660", "0x060000", None)
        self.pci("0000:02:00.0", "0x144d", "0xa80a", "0x010802", "nvme")

    def kernel_module(self, version, flavour="proprietary", uvm=True):
        self.file("/sys/module/nvidia/version", version + "\n")
        kind = ("NVIDIA UNIX Open Kernel Module for x86_64" if flavour == "open"
                else "NVIDIA UNIX x86_64 Kernel Module")
        self.file("/proc/driver/nvidia/version", f"NVRM version: {kind}  {version}  Release Build\n"
                  "GCC version:  gcc version 13.3.0\n")
        lines = ["195 nvidia", "195 nvidiactl"] + (["511 nvidia-uvm"] if uvm else [])
        self.proc_devices(lines)

    def proc_devices(self, lines=()):
        self.file("/proc/devices", "Character devices:\n  1 mem\n"
                  + "".join(line + "\n" for line in lines) + "\nBlock devices:\n259 blkext\n")

    def nvidia_nodes(self, count, uvm=True):
        self.node("/dev/nvidiactl")
        for index in range(count):
            self.node(f"/dev/nvidia{index}")
        if uvm:
            self.node("/dev/nvidia-uvm")
            self.node("/dev/nvidia-uvm-tools")

    def driver_libraries(self, version, folder="/usr/lib/x86_64-linux-gnu",
                         names=("libcuda", "libnvidia-ml")):
        for name in names:
            self.file(f"{folder}/{name}.so.{version}")
            self.link(f"{folder}/{name}.so.1", f"{name}.so.{version}")

    def library(self, folder, soname, real):
        """`real`: the file's own name, to which the soname is a link."""
        self.file(f"{folder}/{real}")
        self.link(f"{folder}/{soname}", real)

    # Python

    def system_python(self, version):
        self.file(f"/usr/bin/python{version}", executable=True)
        self.link("/usr/bin/python3", f"python{version}")
        self.folder("/usr/lib/python3/dist-packages")

    def venv(self, prefix, version, home="/usr/bin"):
        minor = ".".join(version.split(".")[:2])
        self.file(f"{prefix}/pyvenv.cfg", f"home = {home}\ninclude-system-site-packages = false\n"
                  f"version = {version}\n")
        self.link(f"{prefix}/bin/python3", f"{home}/python{minor}")
        self.link(f"{prefix}/bin/python", "python3")
        site = f"{prefix}/lib/python{minor}/site-packages"
        self.folder(site)
        return site

    def activate(self, prefix):
        self.environment["VIRTUAL_ENV"] = prefix
        self.environment["PATH"] = f"{prefix}/bin:" + self.environment["PATH"]

    def torch(self, site, version, cuda=None, hip=None):
        def quoted(text):
            return f"'{text}'" if text else "None"
        self.file(f"{site}/torch/version.py",
                  "from typing import Optional\n\n"
                  "__all__ = ['__version__', 'debug', 'cuda', 'git_version', 'hip', 'xpu']\n"
                  f"__version__ = '{version}'\ndebug = False\n"
                  f"cuda: Optional[str] = {quoted(cuda)}\nhip: Optional[str] = {quoted(hip)}\n")
        self.folder(f"{site}/torch-{version}.dist-info")
        for name in ["libtorch.so", "libtorch_cpu.so"] + (["libtorch_cuda.so"] if cuda else []) + (
                ["libtorch_hip.so"] if hip else []):
            self.file(f"{site}/torch/lib/{name}")

    # Vendor children

    def child(self, what, answer, calls):
        output = json.dumps({"answer": answer, "sources": sources_of(answer, calls)})
        self.commands.append({"argv": ["self", "__probe", what], "end": "exited", "code": 0,
                              "output": output, "errors": ""})

    def nvml(self, library, version, cuda_version, devices):
        self.child("nvml", {"library": library, "init": True, "driver_version": version,
                            "cuda_version": cuda_version, "device_count": len(devices),
                            "devices": devices}, NVML_CALLS)

    def nvml_missing(self):
        detail = ("libnvidia-ml.so.1: cannot open shared object file: "
                  "No such file or directory")
        why = absent("not-tested", "no management library")
        self.child("nvml", {"library": absent("library-missing", detail), "init": why,
                            "driver_version": why, "cuda_version": why, "device_count": why,
                            "devices": []}, NVML_CALLS)

    def nvml_failed(self, library, code):
        why = absent("not-tested", "NVML did not start")
        init = absent("call-failed", f"nvmlInit_v2: {NVML_ERRORS[code]} ({code})", code)
        self.child("nvml", {"library": library, "init": init, "driver_version": why,
                            "cuda_version": why, "device_count": why, "devices": []}, NVML_CALLS)

    def cuda(self, library, version, devices):
        self.child("cuda", {"library": library, "version": version, "init": True,
                            "device_count": len(devices), "devices": devices}, CUDA_CALLS)

    def cuda_missing(self):
        detail = "libcuda.so.1: cannot open shared object file: No such file or directory"
        why = absent("not-tested", "no CUDA driver library")
        self.child("cuda", {"library": absent("library-missing", detail), "version": why,
                            "init": why, "device_count": why, "devices": []}, CUDA_CALLS)

    def cuda_failed(self, library, version, code):
        init = absent("call-failed", f"cuInit: {CUDA_ERRORS[code]} ({code})", code)
        self.child("cuda", {"library": library, "version": version, "init": init,
                            "device_count": absent("not-tested", "CUDA did not start"),
                            "devices": []}, CUDA_CALLS)

    def opencl(self, loader, devices):
        self.child("opencl", {"loader": loader, "devices": devices}, OPENCL_CALLS)

    def opencl_missing(self):
        detail = "libOpenCL.so.1: cannot open shared object file: No such file or directory"
        self.opencl(absent("library-missing", detail), [])

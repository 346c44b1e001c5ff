"""Machines in good order, of every kind: no rule may call one of them broken or degraded. The values
are those that tools are known to misread: idle links and clocks, memory that NVML does not tell,
nodes that are not there. Each note names what it follows."""

from machine_bases import (CLOUD_XEON, CORE, CUDA, DEBIAN_LIB, DRIVER, EPYC, NVIDIA, RYZEN, SAPPHIRE,
                           cu, gpu_on_bus, in_docker, ml, torch_with_cuda, ubuntu)
from machine_gpus import (A100, GTX1080, H100, NOT_SUPPORTED, RTX3060M, RTX3080, RTX4090, T4,
                          cuda_device, nvml_device)
from machine_parts import EPERM, MIB, Machine
from rule_machines_hardware import kernel_log, module_file, secure_boot
from rule_machines_python import ORIN, amd, conda_env, other_venv

# As in machine_gpus.py; device ids of the public PCI ID list.
RTX5090 = ("NVIDIA GeForce RTX 5090", "12.0", 170, 32607, 3090, 14001, 575, 5, 16, 96, "0x2b85")
RTX3060 = ("NVIDIA GeForce RTX 3060", "8.6", 28, 12288, 2100, 7501, 170, 4, 16, 3, "0x2504")
RTX3090 = ("NVIDIA GeForce RTX 3090", "8.6", 82, 24576, 2100, 9751, 350, 4, 16, 6, "0x2204")
V100 = ("Tesla V100-SXM2-16GB", "7.0", 80, 16384, 1530, 877, 300, 3, 16, 6, "0x1db1")
A10 = ("NVIDIA A10", "8.6", 72, 23028, 1695, 6251, 150, 4, 16, 6, "0x2236")
BUS = "0000:01:00.0"
IDLE = {"clock_event_reasons": 1, "processes": 0}
SERVER = {"ecc_enabled": True, "persistence": True, "remap_pending": False, "remap_failed": False}
VIRTUAL = {"virtualization": "passthrough", "pcie_generation": 3}


def answers(m, spec, addresses=(BUS,), version=DRIVER, cuda=CUDA, folder=DEBIAN_LIB, on_cuda=(),
            **nvml):
    """NVML and CUDA of one driver tell of the same GPUs, and every kernel ran."""
    m.driver_libraries(version, folder)
    m.nvml(ml(version, folder), version, cuda,
           [nvml_device(spec, i, a, **{**IDLE, **nvml}) for i, a in enumerate(addresses)])
    m.cuda(cu(version, folder), cuda,
           [cuda_device(spec, i, a, **dict(on_cuda)) for i, a in enumerate(addresses)])
    m.opencl_missing()


def driver(m, spec, addresses=(BUS,), flavour="open", version=DRIVER, cls="0x030200", **changes):
    for address in addresses:
        gpu_on_bus(m, spec, address, cls=cls)
    m.kernel_module(version, flavour)
    m.nvidia_nodes(len(addresses))
    answers(m, spec, addresses, version, **changes)


def cloud(note, cpus=8, kib=32 << 20):
    """A virtual machine of a cloud, without a GPU yet."""
    m = Machine(note)
    m.os("Ubuntu 22.04.5 LTS", "ubuntu", "22.04", "6.8.0-1021-kvm")
    m.cpu(CLOUD_XEON, 1, cpus // 2, 2)
    m.memory(kib, kib * 9 // 10)
    m.control_group("/", memory_max="max", cpu_max="max 100000")
    m.environment.update(HOME="/root", PWD="/root")
    m.other_pci()
    m.proc_devices()
    return m


def desktop():
    m = ubuntu("A desktop that shows its screen on an RTX 5090: idle at PCIe generation 1 of 5 (T04: "
               "nvtop#6, jan#183), Xorg on the GPU, Secure Boot on with the distribution's signed "
               "module, driver messages without any fault; torch 2.9.0+cu130.")
    driver(m, RTX5090, cls="0x030000", processes=2, used_mib=1463)
    module_file(m, "kernel/nvidia-580")
    secure_boot(m, True)
    kernel_log(m, (3.2, "nvidia: loading out-of-tree module taints kernel."),
               (3.4, "nvidia-nvlink: Nvlink Core is being initialized, major device number 236"),
               (3.5, f"NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  {DRIVER}  Release"))
    torch_with_cuda(m)
    return m


def laptop_on_battery():
    m = ubuntu("A laptop on battery, its RTX 3060 awake: the power limit is far below the default and "
               "the clocks are held by software (T06: linux-surface#501), 8 lanes are all it has.",
               CORE, 1, 6, 2, 16)
    m.pci("0000:00:02.0", "0x8086", "0x46a6", "0x030000", "i915")
    driver(m, RTX3060M, power_limit_w=35.0, clock_event_reasons=0x4, used_mib=12, processes=1)
    m.node("/dev/dri/renderD128")
    m.file("/etc/prime-discrete", "on-demand\n")
    m.file("/sys/class/power_supply/AC/online", "0\n")
    torch_with_cuda(m)
    return m


def workstation_two_gpus():
    m = ubuntu("A workstation with an RTX 4090 and an RTX 3060 (E05: pytorch#31319): no NVLink, one "
               "slot of 4 lanes that NVML counts as the most there is; torch has kernels for both.")
    fast, slow = BUS, "0000:08:00.0"
    gpu_on_bus(m, RTX4090, fast)
    gpu_on_bus(m, RTX3060, slow)
    m.kernel_module(DRIVER, "open")
    m.nvidia_nodes(2)
    m.driver_libraries(DRIVER)
    none = {"nvlinks": 0, "nvlinks_active": 0, **IDLE}
    m.nvml(ml(DRIVER), DRIVER, CUDA, [
        nvml_device(RTX4090, 0, fast, used_mib=700, **none),
        nvml_device(RTX3060, 1, slow, **{**none, "pcie_width": 4, "pcie_width_max": 4})])
    m.cuda(cu(DRIVER), CUDA, [cuda_device(RTX4090, 0, fast), cuda_device(RTX3060, 1, slow)])
    m.opencl_missing()
    torch_with_cuda(m)
    return m


def data_centre_node():
    m = ubuntu("A node with eight H100 SXM5 and four NVSwitches (D16): all 18 links of each GPU are "
               "up, the fabric is complete, persistence is on.", SAPPHIRE, 2, 48, 1, 2048)
    addresses = [f"0000:{bus}:00.0" for bus in ("19", "3b", "4c", "5d", "9b", "bb", "cb", "db")]
    for bus in ("83", "84", "85", "86"):
        m.pci(f"0000:{bus}:00.0", NVIDIA, "0x22a3", "0x068000", "nvidia-nvswitch")
    m.pci("0000:03:00.0", "0x1a03", "0x2000", "0x030000", "ast")
    driver(m, H100, addresses, **SERVER, mig_enabled=False, mig_pending=False, mig_instances=0,
           nvlinks=18, nvlinks_active=18, fabric_state="completed", pcie_generation=5)
    torch_with_cuda(m)
    return m


def server_without_nvswitch():
    m = ubuntu("Two A100 joined by bridges and no NVSwitch: the fabric manager has nothing to do and "
               "ends (D18: gpud), NVML knows no fabric, some links are unused (T09: DCGM#49).",
               EPYC, 1, 64, 1, 512)
    driver(m, A100, ("0000:07:00.0", "0000:0a:00.0"), **SERVER, nvlinks=12, nvlinks_active=4,
           fabric_state="not-supported", mig_enabled=False, mig_pending=False, mig_instances=0)
    torch_with_cuda(m)
    return m


def mig_with_instances():
    m = ubuntu("An A100 cut into two 3g.40gb instances: NVML hides what belongs to the whole GPU "
               "(nvitop PR#8), a process sees one instance (M02: pytorch#102715, #130181).",
               EPYC, 1, 64, 1, 512)
    address = "0000:07:00.0"
    gpu_on_bus(m, A100, address, cls="0x030200")
    m.kernel_module(DRIVER)
    m.nvidia_nodes(1)
    m.driver_libraries(DRIVER)
    m.nvml(ml(DRIVER), DRIVER, CUDA, [nvml_device(
        A100, 0, address, **SERVER, **IDLE, mig_enabled=True, mig_pending=True, mig_instances=2,
        fabric_state="not-supported")])
    m.cuda(cu(DRIVER), CUDA, [cuda_device(
        A100, 0, address, name="NVIDIA A100-SXM4-80GB MIG 3g.40gb", sm_count=42,
        uuid="MIG-00000000-0000-4000-8000-0000000000a1", memory_total_bytes=40192 * MIB,
        memory_free_bytes=40000 * MIB)])
    m.opencl_missing()
    torch_with_cuda(m)
    return m


def vgpu_with_licence():
    m = cloud("A vGPU with its licence (V01's contrary): the lanes and the power of the card are not "
              "to be seen from inside.")
    spec = ("GRID A100D-20C", *A100[1:3], 20480, *A100[4:])
    hidden = {name: NOT_SUPPORTED for name in (
        "power_w", "power_limit_w", "power_default_limit_w", "temperature_c", "pcie_width",
        "pcie_width_max", "pcie_generation", "pcie_generation_max", "memory_reserved_bytes")}
    driver(m, spec, ("0000:02:00.0",), "proprietary", "570.172.08", cuda="12.8",
           ecc_enabled=True, virtualization="vgpu", vgpu_license="licensed", **hidden)
    m.torch(other_venv(m, "3.10.12"), "2.8.0+cu128", cuda="12.8")
    return m


def wsl2_with_torch():
    m = Machine("WSL2 with an RTX 3080: no /dev/nvidia* (W05: WSL#40680), no kernel module, the bus "
                "shows Microsoft's 0x1414, Windows uses part of the memory; torch 2.9.0+cu130.")
    m.os("Ubuntu 24.04.3 LTS", "ubuntu", "24.04", "6.6.87.2-microsoft-standard-WSL2")
    m.cpu(RYZEN, 1, 8, 2)
    m.memory(16 << 20, 15 << 20)
    m.control_group("/", memory_max="max")
    m.environment.update(HOME="/home/user", PWD="/home/user", WSL_DISTRO_NAME="Ubuntu")
    m.pci("5c6f:00:00.0", "0x1414", "0x008e", "0x030200", "dxgkrnl")
    m.proc_devices()
    m.node("/dev/dxg")
    folder = "/usr/lib/wsl/lib"
    for name in ("libcuda.so.1", "libnvidia-ml.so.1"):
        m.file(f"{folder}/{name}")
    m.nvml(f"{folder}/libnvidia-ml.so.1", "581.57", CUDA, [nvml_device(
        RTX3080, 0, BUS, used_mib=2100, processes=0, clock_event_reasons=1)])
    m.cuda(f"{folder}/libcuda.so.1", CUDA, [cuda_device(RTX3080, 0, BUS)])
    m.opencl_missing()
    m.system_python("3.12")
    torch_with_cuda(m, "/home/user/.venv")
    return m


def kaggle_two_t4():
    m = in_docker(cloud("Kaggle's notebook with two T4: the driver's libraries in "
                        "/usr/local/nvidia/lib64, Python 3.11, torch 2.6.0+cu124.", 4, 31 << 20))
    m.environment.update(KAGGLE_KERNEL_RUN_TYPE="Interactive", PWD="/kaggle/working",
                         LD_LIBRARY_PATH="/usr/local/nvidia/lib:/usr/local/nvidia/lib64",
                         NVIDIA_VISIBLE_DEVICES="all", NVIDIA_DRIVER_CAPABILITIES="compute,utility")
    driver(m, T4, ("0000:00:04.0", "0000:00:05.0"), "proprietary", "560.35.03", cuda="12.6",
           folder="/usr/local/nvidia/lib64", ecc_enabled=True, **VIRTUAL)
    m.system_python("3.11")
    m.torch("/usr/lib/python3/dist-packages", "2.6.0+cu124", cuda="12.4")
    return m


def docker_all_gpus():
    m = in_docker(ubuntu("A container started with --gpus all on an image of CUDA 12.8, whose compat "
                         "libraries are not the ones in use."))
    m.environment.update(NVIDIA_VISIBLE_DEVICES="all", NVIDIA_DRIVER_CAPABILITIES="compute,utility",
                         CUDA_VERSION="12.8.1", LD_LIBRARY_PATH="/usr/local/cuda/lib64")
    m.library("/usr/local/cuda-12.8/compat", "libcuda.so.1", "libcuda.so.570.124.06")
    driver(m, RTX4090, cls="0x030000", used_mib=600)
    m.torch("/usr/lib/python3/dist-packages", "2.8.0+cu128", cuda="12.8")
    return m


def slurm_job_with_gpu():
    m = ubuntu("A Slurm job with --gpus=1 on a node of four A100: the control group denies the other "
               "nodes (EPERM), and NVML shows the one that was given.", EPYC, 1, 64, 1, 512)
    m.control_group("/system.slice/slurmstepd.scope/job_4712/step_0", memory_max="68719476736",
                    memory_current="104857600")
    m.cpu_lists(64, "0-15")
    m.environment.update(SLURM_JOB_ID="4712", SLURM_STEP_ID="0", SLURM_JOB_GPUS="2",
                         SLURM_GPUS_ON_NODE="1", CUDA_VISIBLE_DEVICES="0")
    for index, bus in enumerate(("07", "0a", "47", "4d")):
        gpu_on_bus(m, A100, f"0000:{bus}:00.0", cls="0x030200")
        m.node(f"/dev/nvidia{index}", 0 if index == 2 else EPERM)
    m.kernel_module(DRIVER)
    m.nvidia_nodes(0)
    answers(m, A100, ("0000:47:00.0",), **SERVER, nvlinks=12, nvlinks_active=12)
    torch_with_cuda(m)
    return m


def jetson_orin():
    m = Machine("A Jetson Orin with JetPack 6: no GPU on the bus, NVML knows the name and little else "
                "(T07: gpud PR#1170), memory is shared, torch of NVIDIA's own index.")
    m.os("Ubuntu 22.04.5 LTS", "ubuntu", "22.04", "5.15.148-tegra", "aarch64")
    m.file("/etc/nv_tegra_release", "# R36 (release), REVISION: 4.4, BOARD: generic\n")
    m.file("/proc/cpuinfo", "\n".join(
        f"processor\t: {i}\nFeatures\t: fp asimd asimdhp asimddp\nCPU implementer\t: 0x41\n"
        "CPU architecture: 8\nCPU part\t: 0xd42\n" for i in range(8)))
    m.cpu_lists(8)
    m.memory(31 << 20, 27 << 20)
    m.control_group(memory_max="max")
    m.environment.update(HOME="/home/user", PWD="/home/user")
    m.pci("0001:00:00.0", NVIDIA, "0x229e", "0x060400", "pcieport")
    m.kernel_module("540.4.0", "open", uvm=False)
    m.nvidia_nodes(1, uvm=False)
    folder = "/usr/lib/aarch64-linux-gnu/nvidia"
    known = ("index", "name", "uuid")
    unknown = {name: NOT_SUPPORTED for name in nvml_device(ORIN, 0, BUS) if name not in known}
    m.file(f"{folder}/libcuda.so.1.1")
    m.nvml(f"{folder}/libnvidia-ml.so.1", "540.4.0", "12.6", [nvml_device(ORIN, 0, BUS, **unknown)])
    m.cuda(f"{folder}/libcuda.so.1.1", "12.6", [cuda_device(
        ORIN, 0, "0000:00:00.0", integrated=True, memory_total_bytes=31 << 30,
        memory_free_bytes=26 << 30)])
    m.opencl_missing()
    m.system_python("3.10")
    m.torch(other_venv(m, "3.10.12"), "2.8.0", cuda="12.6")
    return m


def old_gpu_right_driver():
    m = ubuntu("A GTX 1080 on the last branch for it (H09: nixos-hardware#1828), the proprietary "
               "module, and torch 2.9.0+cu126, which has kernels for it (P03: AutoForge PR#59).")
    driver(m, GTX1080, flavour="proprietary", cls="0x030000", used_mib=240, processes=1)
    m.torch(other_venv(m, "3.12.3"), "2.9.0+cu126", cuda="12.6")
    return m


def volta_server():
    m = ubuntu("Four V100 on the last branch for them, NVLink without a switch, torch "
               "2.10.0+cu128, the last cu128 with Volta's kernels (pytorch#172352).",
               CLOUD_XEON, 2, 20, 2, 256)
    driver(m, V100, [f"0000:{bus}:00.0" for bus in ("15", "16", "3a", "3b")], "proprietary",
           ecc_enabled=True, persistence=True, nvlinks=6, nvlinks_active=6)
    m.torch(other_venv(m, "3.12.3"), "2.10.0+cu128", cuda="12.8")
    return m


def amd_with_rocm():
    m = amd("A Radeon RX 7900 XTX (gfx1100) with ROCm's kernel driver and torch 2.9.0+rocm6.4.")
    m.node("/dev/dri/renderD128", mode=0o660)
    m.torch(other_venv(m, "3.12.3"), "2.9.0+rocm6.4", hip="6.4.43484")
    return m


def intel_arc():
    m = ubuntu("An Arc A770 beside the processor's graphics, with torch 2.9.0+xpu (I01).")
    m.pci("0000:00:02.0", "0x8086", "0x4680", "0x030000", "i915")
    m.pci("0000:03:00.0", "0x8086", "0x56a0", "0x030000", "i915")
    m.node("/dev/dri/renderD128")
    m.node("/dev/dri/renderD129")
    m.torch(other_venv(m, "3.12.3"), "2.9.0+xpu")
    m.nvml_missing()
    m.cuda_missing()
    m.opencl_missing()
    return m


def cpu_only():
    m = cloud("A rented machine without any GPU, with the CPU build of torch, as it should be.")
    m.pci("0000:00:01.0", "0x1013", "0x00b8", "0x030000", "cirrus")
    m.torch(other_venv(m, "3.12.3"), "2.9.0+cpu")
    m.nvml_missing()
    m.cuda_missing()
    m.opencl_missing()
    return m


def rented(note, spec, **environment):
    """A container with one GPU of a host whose other GPUs the bus shows."""
    m = in_docker(ubuntu(note, EPYC, 1, 64, 1, 512))
    m.environment.update(NVIDIA_VISIBLE_DEVICES="GPU-00000000-0000-4000-8000-000000000001",
                         NVIDIA_DRIVER_CAPABILITIES="compute,utility", **environment)
    own, others = "0000:81:00.0", ("0000:01:00.0", "0000:21:00.0", "0000:c1:00.0")
    for address in (own, *others):
        gpu_on_bus(m, spec, address)
    m.kernel_module(DRIVER, "open")
    m.nvidia_nodes(0)
    m.node("/dev/nvidia2")
    answers(m, spec, (own,))
    return m


def runpod():
    m = rented("A pod of RunPod with one RTX 4090 of four (the variables of its documentation).",
               RTX4090, RUNPOD_POD_ID="x1y2z3", RUNPOD_GPU_COUNT="1", RUNPOD_DC_ID="EU-RO-1")
    m.torch("/usr/lib/python3/dist-packages", "2.8.0+cu128", cuda="12.8")
    return m


def vast():
    m = rented("An instance of Vast with one RTX 3090 of four, torch in a conda environment.", RTX3090,
               CONTAINER_ID="4711", VAST_CONTAINERLABEL="C.4711", DATA_DIRECTORY="/workspace/")
    m.torch(f"{conda_env(m)}/lib/python3.12/site-packages", "2.9.0+cu130", cuda="13.0")
    return m


def lambda_a10():
    m = cloud("A machine of Lambda with one A10 and Lambda Stack, whose torch has no tag in its "
              "version and comes from the distribution's folder.", 30, 200 << 20)
    m.file("/etc/apt/sources.list.d/lambda-repository.list", "deb https://archive.lambda.ai x\n")
    driver(m, A10, ("0000:08:00.0",), "open", "570.148.08", cuda="12.8", **SERVER, **VIRTUAL)
    m.system_python("3.10")
    m.torch("/usr/lib/python3/dist-packages", "2.7.0", cuda="12.8")
    return m


def kubernetes_pod():
    m = rented("A pod with nvidia.com/gpu: 1 on a node of four A100; the control group's path tells "
               "nothing (cgroup v2).", A100, KUBERNETES_SERVICE_HOST="10.96.0.1",
               KUBERNETES_SERVICE_PORT="443", HOSTNAME="trainer-0")
    m.torch("/usr/lib/python3/dist-packages", "2.9.0+cu130", cuda="13.0")
    return m


MACHINES = [desktop, laptop_on_battery, workstation_two_gpus, data_centre_node,
            server_without_nvswitch, mig_with_instances, vgpu_with_licence, wsl2_with_torch,
            kaggle_two_t4, docker_all_gpus, slurm_job_with_gpu, jetson_orin, old_gpu_right_driver,
            volta_server, amd_with_rocm, intel_arc, cpu_only, runpod, vast, lambda_a10,
            kubernetes_pod]

"""Machines on which one rule about variables, schedulers, containers, WSL, Colab or MIG speaks."""

from machine_bases import (CLOUD_XEON, CUDA, DRIVER, EPYC, cu, gpu_on_bus, in_docker, ml, ubuntu,
                           working_cuda)
from machine_gpus import A100, GTX1080, RTX4090, T4, cuda_device, nvml_device
from machine_parts import EACCES, EPERM, Machine
from rule_machines_driver import BUS, broken_start, cuda_says, driver_on, wsl


def hidden(note, value):
    """cuInit says that there is no device, and the variable has this value."""
    m = broken_start(note, 100)
    m.environment["CUDA_VISIBLE_DEVICES"] = value
    return m


def visible_devices_hide_all():
    return hidden("CUDA_VISIBLE_DEVICES=-1, as is recommended to force the CPU (E01: "
                  "pytorch#40618).", "-1")


def visible_devices_empty():
    return hidden("CUDA_VISIBLE_DEVICES is set and empty (E01: pytorch#40618).", "")


def visible_devices_no_dev_files():
    return hidden("NoDevFiles is left in the environment outside of a job (E03: ray#7014).",
                  "NoDevFiles")


def visible_devices_invalid():
    return hidden("CUDA_VISIBLE_DEVICES=1 on a machine with one GPU (E02: ray#7014).", "1")


def visible_devices_cut_short():
    m = ubuntu("CUDA_VISIBLE_DEVICES=0,7,1 on a machine with two GPUs: CUDA stops at the 7 (E02: "
               "ray#7014).")
    addresses = [BUS, "0000:02:00.0"]
    for address in addresses:
        gpu_on_bus(m, RTX4090, address)
    m.kernel_module(DRIVER, "open")
    m.nvidia_nodes(2)
    m.driver_libraries(DRIVER)
    m.nvml(ml(DRIVER), DRIVER, CUDA, [nvml_device(RTX4090, i, a) for i, a in enumerate(addresses)])
    m.cuda(cu(DRIVER), CUDA, [cuda_device(RTX4090, 0, BUS)])
    m.opencl_missing()
    m.environment["CUDA_VISIBLE_DEVICES"] = "0,7,1"
    return m


def two_gpus_in_bus_order():
    m = ubuntu("A GTX 1080 and an RTX 4090 with CUDA_DEVICE_ORDER=PCI_BUS_ID: both count alike "
               "(E05: pytorch#31319).")
    old, new = BUS, "0000:02:00.0"
    gpu_on_bus(m, GTX1080, old)
    gpu_on_bus(m, RTX4090, new)
    m.kernel_module(DRIVER)
    m.nvidia_nodes(2)
    m.driver_libraries(DRIVER)
    m.nvml(ml(DRIVER), DRIVER, CUDA, [nvml_device(GTX1080, 0, old), nvml_device(RTX4090, 1, new)])
    m.cuda(cu(DRIVER), CUDA, [cuda_device(GTX1080, 0, old), cuda_device(RTX4090, 1, new)])
    m.opencl_missing()
    m.environment["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    return m


def mig_on(note, instances, pending=True, enabled=True):
    """An A100 with this many MIG instances, of which CUDA shows the first."""
    m = ubuntu(note, EPYC, 1, 64, 1, 512)
    address = "0000:07:00.0"
    gpu_on_bus(m, A100, address, cls="0x030200")
    m.kernel_module(DRIVER)
    m.nvidia_nodes(1)
    m.driver_libraries(DRIVER)
    m.nvml(ml(DRIVER), DRIVER, CUDA, [nvml_device(
        A100, 0, address, mig_enabled=enabled, mig_pending=pending, mig_instances=instances,
        ecc_enabled=True, persistence=True)])
    name = "MIG-00000000-0000-4000-8000-0000000000a1" if enabled else None
    m.cuda(cu(DRIVER), CUDA, [cuda_device(A100, 0, address, **({"uuid": name} if name else {}))])
    m.opencl_missing()
    return m


def mig_name_unknown_to_torch():
    m = mig_on("torch 1.13.1 counts 0 devices when a MIG instance is named (E06: pytorch#95784).",
               1)
    m.environment["CUDA_VISIBLE_DEVICES"] = "MIG-00000000-0000-4000-8000-0000000000a1"
    m.system_python("3.10")
    site = m.venv("/home/user/work/.venv", "3.10.12")
    m.torch(site, "1.13.1+cu117", cuda="11.7")
    m.activate("/home/user/work/.venv")
    return m


def mig_one_instance_per_process():
    return mig_on("An A100 with seven instances, of which a process sees one (M02: "
                  "pytorch#102715).", 7)


def mig_change_pending():
    return mig_on("MIG was switched on and the GPU was not reset (M03).", 0, enabled=False)


def no_gpu_in_container(note):
    """A container on a machine with a GPU that was not given to it."""
    m = in_docker(ubuntu(note))
    gpu_on_bus(m, RTX4090, BUS)
    m.kernel_module(DRIVER, "open")
    m.nvml_missing()
    m.cuda_missing()
    m.opencl_missing()
    return m


def container_in_wsl_without_gpus():
    m = in_docker(wsl("A container of Docker Desktop without --gpus: WSL's kernel, and no /dev/dxg "
                      "(C02: nvidia-docker#1591)."))
    m.pci("5c6f:00:00.0", "0x1414", "0x008e", "0x030200", "dxgkrnl")
    m.nvml_missing()
    m.cuda_missing()
    return m


def cloud_card_on_eight_lanes():
    m = ubuntu("A T4 on 8 lanes in a virtual machine, where the slot cannot be seen (T03): in good "
               "order.")
    gpu_on_bus(m, T4, BUS, cls="0x030200")
    m.kernel_module(DRIVER)
    m.nvidia_nodes(1)
    m.driver_libraries(DRIVER)
    m.nvml(ml(DRIVER), DRIVER, CUDA, [nvml_device(
        T4, 0, BUS, ecc_enabled=True, pcie_width=8, virtualization="passthrough")])
    m.cuda(cu(DRIVER), CUDA, [cuda_device(T4, 0, BUS)])
    m.opencl_missing()
    return m


def docker_without_gpu_toolkit():
    m = ubuntu("A host in good order with docker and without NVIDIA's container toolkit (C01: "
               "nvidia-docker#1034, nvidia-container-toolkit#871).")
    working_cuda(m, RTX4090)
    m.file("/usr/bin/docker", "", executable=True)
    return m


def docker_with_gpu_toolkit():
    m = docker_without_gpu_toolkit()
    m.note = "A host in good order with docker and NVIDIA's container toolkit."
    m.file("/usr/bin/nvidia-ctk", "", executable=True)
    return m


def docker_from_snap():
    m = ubuntu("A host in good order with docker from snap (C05: nvidia-docker#1642).")
    working_cuda(m, RTX4090)
    m.file("/snap/bin/docker", "", executable=True)
    return m


def selinux_blocks_gpu():
    m = in_docker(ubuntu("A container on a host that enforces SELinux: EACCES on nodes of mode "
                         "0666 (C09: ollama docs/gpu.md)."))
    gpu_on_bus(m, RTX4090, BUS)
    m.kernel_module(DRIVER, "open")
    for name in ("nvidiactl", "nvidia0", "nvidia-uvm"):
        m.node(f"/dev/{name}", EACCES)
    m.file("/sys/fs/selinux/enforce", "1")
    m.driver_libraries(DRIVER)
    m.nvml_failed(ml(DRIVER), 999)
    cuda_says(m, 100)
    m.opencl_missing()
    return m


def nvidia_visible_devices_void():
    m = no_gpu_in_container("NVIDIA_VISIBLE_DEVICES=void in a container (E07: "
                            "stable-diffusion-webui-docker#348).")
    m.environment["NVIDIA_VISIBLE_DEVICES"] = "void"
    return m


def slurm_login_node():
    m = ubuntu("A login node: srun is there, no job, no GPU (S02: pytorch-cpu-feedstock#364).",
               EPYC, 1, 64, 1, 256)
    m.file("/usr/bin/srun", "", executable=True)
    m.nvml_missing()
    m.cuda_missing()
    m.opencl_missing()
    return m


def torch_asks_nvml_only():
    m = ubuntu("PYTORCH_NVML_BASED_CUDA_CHECK=1 on a machine in good order (S03: pytorch#85951).")
    working_cuda(m, RTX4090)
    m.environment["PYTORCH_NVML_BASED_CUDA_CHECK"] = "1"
    return m


def gpu_lost_in_container():
    m = in_docker(ubuntu("After systemctl daemon-reload on the host: the container's nodes give "
                         "EPERM (C04: nvidia-container-toolkit#48, #251)."))
    gpu_on_bus(m, RTX4090, BUS)
    m.kernel_module(DRIVER, "open")
    for name in ("nvidiactl", "nvidia0", "nvidia-uvm"):
        m.node(f"/dev/{name}", EPERM)
    m.driver_libraries(DRIVER)
    m.nvml_failed(ml(DRIVER), 999)
    cuda_says(m, 100)
    m.opencl_missing()
    return m


def image_needs_newer_cuda():
    m = broken_start("An image for CUDA 13.2 on a driver with 13.0, started without the check "
                     "(C06: horde-worker-reGen#349).", 804, container=True)
    m.environment["NVIDIA_REQUIRE_CUDA"] = "cuda>=13.2 brand=unknown,driver>=580,driver<581"
    return m


def driver_inside_image():
    m = in_docker(ubuntu("The image brings libnvidia-ml and libcuda of another driver (C07: "
                         "nvidia-container-toolkit#234)."))
    driver_on(m)
    m.nvml_failed(ml("535.183.01"), 18)
    cuda_says(m, 803, cu("535.183.01"), "12.2")
    return m


def wsl_without_gpu_library():
    m = wsl("WSL2 with /dev/dxg and no library of Windows' driver (W01: WSL#9254).")
    m.node("/dev/dxg")
    m.nvml_missing()
    m.cuda_missing()
    return m


def linux_driver_in_wsl():
    m = wsl("A Linux driver was installed in WSL and hides Windows' (W02: cuml#6218).")
    m.node("/dev/dxg")
    m.driver_libraries(DRIVER)
    m.nvml_failed(ml(DRIVER), 9)
    cuda_says(m, 100)
    return m


def driver_in_two_places():
    m = wsl("WSL works, and a Linux libcuda lies ready to hide Windows' (D25: cuml#6218).")
    m.node("/dev/dxg")
    for name in ("libcuda.so.1", "libnvidia-ml.so.1"):
        m.file(f"/usr/lib/wsl/lib/{name}")
    m.library("/usr/lib/x86_64-linux-gnu", "libcuda.so.1", f"libcuda.so.{DRIVER}")
    m.nvml("/usr/lib/wsl/lib/libnvidia-ml.so.1", "581.57", CUDA, [nvml_device(RTX4090, 0, BUS)])
    m.cuda("/usr/lib/wsl/lib/libcuda.so.1", CUDA, [cuda_device(RTX4090, 0, BUS)])
    return m


def wsl1():
    m = wsl("WSL1, which has no GPU (W03: WSL#7056).")
    m.file("/proc/sys/kernel/osrelease", "4.4.0-19041-Microsoft\n")
    m.nvml_missing()
    m.cuda_missing()
    return m


def colab_without_gpu():
    m = Machine("Colab's CPU runtime (G01: colabtools#482, #930).")
    m.os("Ubuntu 22.04.5 LTS", "ubuntu", "22.04", "6.6.105+")
    m.cpu(CLOUD_XEON, 1, 1, 2)
    m.memory(13290460, 12000000)
    m.file("/.dockerenv")
    m.folder("/var/colab")
    m.environment.update(COLAB_RELEASE_TAG="release-colab-external_20260819-060048_RC00",
                         COLAB_GPU="", HOME="/root", PWD="/content")
    m.other_pci()
    m.proc_devices()
    m.nvml_missing()
    m.cuda_missing()
    m.opencl_missing()
    return m


MACHINES = [visible_devices_hide_all, visible_devices_empty, visible_devices_no_dev_files,
            visible_devices_invalid, visible_devices_cut_short, two_gpus_in_bus_order,
            mig_name_unknown_to_torch, mig_one_instance_per_process, mig_change_pending,
            docker_without_gpu_toolkit, docker_with_gpu_toolkit, docker_from_snap,
            selinux_blocks_gpu, container_in_wsl_without_gpus, cloud_card_on_eight_lanes,
            nvidia_visible_devices_void, slurm_login_node, torch_asks_nvml_only,
            gpu_lost_in_container, image_needs_newer_cuda, driver_inside_image,
            wsl_without_gpu_library, linux_driver_in_wsl, driver_in_two_places, wsl1,
            colab_without_gpu]

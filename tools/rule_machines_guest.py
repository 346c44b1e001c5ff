"""More machines for the rules about containers, WSL and hosted notebooks: other runtimes, kernels
and images than the usual ones."""

from machine_bases import CLOUD_XEON, CUDA, DRIVER, cu, gpu_on_bus, in_docker, ml, ubuntu
from machine_gpus import RTX4090, cuda_device, nvml_device
from machine_parts import EACCES, EPERM, Machine
from rule_machines_container import colab_without_gpu, no_gpu_in_container
from rule_machines_driver import BUS, cuda_says, driver_on, wsl


def wsl_driver_fails():
    m = in_docker(wsl("A container in WSL whose runtime does not mount a library of Windows' new "
                      "driver: cuInit says 500 (nvidia-container-toolkit#520)."))
    m.node("/dev/dxg")
    m.driver_libraries("555.85")
    m.nvml(ml("555.85"), "555.85", "12.5", [nvml_device(RTX4090, 0, BUS)])
    cuda_says(m, 500, cu("555.85"), "12.5")
    return m


def wsl_with_own_kernel():
    m = wsl("WSL2 under a kernel that somebody built, whose name does not tell Microsoft, without "
            "Windows' library (W01: WSL#9254).")
    m.file("/proc/sys/kernel/osrelease", "6.1.21.2-mine+\n")
    m.folder("/run/WSL")
    m.node("/dev/dxg")
    m.nvml_missing()
    m.cuda_missing()
    return m


def lxc_without_device_rules():
    m = ubuntu("An LXC container whose configuration mounts the nodes and does not allow them "
               "(D13: nvidia-container-toolkit#251).")
    m.control_group("/", memory_max="max")
    m.file("/run/systemd/container", "lxc\n")
    gpu_on_bus(m, RTX4090, BUS)
    m.kernel_module(DRIVER, "open")
    for name in ("nvidiactl", "nvidia0", "nvidia-uvm"):
        m.node(f"/dev/{name}", EPERM)
    m.driver_libraries(DRIVER)
    m.nvml_failed(ml(DRIVER), 999)
    cuda_says(m, 100)
    m.opencl_missing()
    return m


def pod_without_gpus():
    m = no_gpu_in_container("A pod that asked for no GPU, in an image with a libcuda of its own "
                            "(C02: nvidia-docker#1591, C07).")
    m.commands = [c for c in m.commands if c["argv"][2] == "opencl"]
    m.environment["KUBERNETES_SERVICE_HOST"] = "10.96.0.1"
    m.driver_libraries("535.183.01")
    m.nvml_failed(ml("535.183.01"), 9)
    cuda_says(m, 100, cu("535.183.01"), "12.2")
    return m


def image_for_newer_major():
    m = in_docker(ubuntu("An image for CUDA 13 on a driver with 12.2, started with "
                         "NVIDIA_DISABLE_REQUIRE (C06: nvidia-docker#384)."))
    driver, able = "535.183.01", "12.2"
    gpu_on_bus(m, RTX4090, BUS)
    m.kernel_module(driver)
    m.nvidia_nodes(1)
    m.driver_libraries(driver)
    m.nvml(ml(driver), driver, able, [nvml_device(RTX4090, 0, BUS)])
    m.cuda(cu(driver), able, [cuda_device(RTX4090, 0, BUS)])
    m.opencl_missing()
    m.environment.update(CUDA_VERSION="13.0.1", NVIDIA_DISABLE_REQUIRE="1")
    return m


def image_for_newer_minor():
    m = image_for_newer_major()
    m.note = ("A guard: an image for CUDA 12.8 on a driver with 12.2, on which its programs run "
              "(C06).")
    m.environment.update(CUDA_VERSION="12.8.1", NVIDIA_REQUIRE_CUDA="cuda>=12.8")
    return m


def colab_environment_altered():
    m = colab_without_gpu()
    m.note = ("Colab's T4 runtime after the packages of another driver were installed (G03: "
              "colabtools#930).")
    m.commands = []
    driver_on(m)
    m.driver_libraries("580.82.07")
    m.nvml_failed(ml("580.82.07"), 18)
    cuda_says(m, 803, cu("580.82.07"))
    m.opencl_missing()
    return m


def kaggle_without_gpu():
    m = Machine("A Kaggle session without an accelerator.")
    m.os("Ubuntu 22.04.5 LTS", "ubuntu", "22.04", "6.6.105+")
    m.cpu(CLOUD_XEON, 1, 1, 4)
    m.memory(32880000, 31000000)
    m.file("/.dockerenv")
    m.environment.update(KAGGLE_KERNEL_RUN_TYPE="Interactive", HOME="/root", PWD="/kaggle/working")
    m.other_pci()
    m.proc_devices()
    m.system_python("3.11")
    m.torch("/usr/local/lib/python3.11/dist-packages", "2.6.0+cu124", cuda="12.4")
    m.nvml_missing()
    m.cuda_missing()
    m.opencl_missing()
    return m


def lxc_with_nodes_alone():
    m = lxc_without_device_rules()
    m.note = "An LXC container that was given the nodes and no library of the driver (C03)."
    m.nvidia_nodes(1)
    m.commands, m.files = [], {p: c for p, c in m.files.items() if DRIVER not in p}
    m.kernel_module(DRIVER, "open")
    m.nvml_missing()
    m.cuda_missing()
    m.opencl_missing()
    return m


def apptainer_without_nv():
    m = ubuntu("Apptainer without --nv in a Slurm job that has a GPU: the nodes are there, no "
               "library is (C02: apptainer/singularity#5935).")
    gpu_on_bus(m, RTX4090, BUS)
    m.kernel_module(DRIVER, "open")
    m.nvidia_nodes(1)
    m.environment.update(APPTAINER_CONTAINER="/images/torch.sif", SLURM_JOB_ID="77",
                         SLURM_JOB_GPUS="0", CUDA_VISIBLE_DEVICES="0")
    m.nvml_missing()
    m.cuda_missing()
    m.opencl_missing()
    return m


def docker_desktop_in_wsl():
    m = wsl("A guard: WSL with Docker Desktop, which brings NVIDIA's toolkit (C01).")
    m.node("/dev/dxg")
    for name in ("libcuda.so.1", "libnvidia-ml.so.1"):
        m.file(f"/usr/lib/wsl/lib/{name}")
    m.nvml("/usr/lib/wsl/lib/libnvidia-ml.so.1", "581.57", CUDA, [nvml_device(RTX4090, 0, BUS)])
    m.cuda("/usr/lib/wsl/lib/libcuda.so.1", CUDA, [cuda_device(RTX4090, 0, BUS)])
    program = "/mnt/wsl/docker-desktop/cli-tools/usr/bin/docker"
    m.file(program, executable=True)
    m.link("/usr/bin/docker", program)
    return m


def podman_without_groups():
    m = ubuntu("A rootless container of podman whose user is not in the nodes' group (D12: "
               "nvidia-container-toolkit#210).")
    m.file("/run/.containerenv")
    gpu_on_bus(m, RTX4090, BUS)
    m.kernel_module(DRIVER, "open")
    for name in ("nvidiactl", "nvidia0", "nvidia-uvm"):
        m.node(f"/dev/{name}", EACCES, mode=0o660)
    m.driver_libraries(DRIVER)
    m.nvml_failed(ml(DRIVER), 999)
    cuda_says(m, 100)
    m.opencl_missing()
    return m


MACHINES = [wsl_driver_fails, wsl_with_own_kernel, lxc_without_device_rules, pod_without_gpus,
            image_for_newer_major, image_for_newer_minor, colab_environment_altered,
            kaggle_without_gpu, lxc_with_nodes_alone, podman_without_groups, apptainer_without_nv,
            docker_desktop_in_wsl]

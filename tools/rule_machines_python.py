"""Machines for the rules on PyTorch and on other vendors' GPUs: each is a machine in good order in
which one thing differs."""

from machine_bases import (CUDA, DRIVER, EPYC, cu, gpu_on_bus, in_docker, ml, torch_with_cuda,
                           ubuntu, working_cuda)
from machine_gpus import GTX1080, H100, RTX4090, RTX5090, cuda_device, nvml_device
from machine_parts import EACCES

VENV = "/home/user/work/.venv"
SITE = f"{VENV}/lib/python3.12/site-packages"
ORIN = ("Orin (nvgpu)", "8.7", 16, 0, 1300, 0, 0, 0, 0, 4, "0x0000")


def healthy(note, spec=RTX4090, flavour="open"):
    m = ubuntu(note)
    working_cuda(m, spec, flavour=flavour)
    torch_with_cuda(m)
    return m


def bare_venv(note, version):
    """A machine in order, and an active environment of that Python without PyTorch."""
    m = ubuntu(note)
    working_cuda(m, RTX4090)
    other_venv(m, version)
    return m


def other_venv(m, version):
    """An active environment whose Python is not the system's."""
    m.file("/usr/bin/python" + version.rsplit(".", 1)[0], executable=True)
    site = m.venv(VENV, version)
    m.activate(VENV)
    return site


def conda_env(m, name="ml"):
    prefix = f"/opt/conda/envs/{name}"
    m.file(f"{prefix}/bin/python", executable=True)
    m.file(f"{prefix}/conda-meta/python-3.12.4-h99e199e_1.json", "{}")
    m.folder(f"{prefix}/lib/python3.12/site-packages")
    m.environment["PATH"] = f"{prefix}/bin:" + m.environment["PATH"]
    m.environment["CONDA_PREFIX"] = prefix
    return prefix


def amd(note, gfx="gfx1100", base=None, kfd_errno=0):
    """A Radeon on the bus and in the topology of compute nodes; `base`: a machine to put it in."""
    m = base or ubuntu(note)
    m.pci("0000:03:00.0", "0x1002", "0x744c", "0x030000", "amdgpu")
    kfd_node(m, 0, 0, 0)
    kfd_node(m, 1, gfx, 0x300)
    m.node("/dev/kfd", kfd_errno, mode=0o660)
    m.node("/dev/dri/renderD128", kfd_errno, mode=0o660)
    no_nvidia(m)
    return m


def kfd_node(m, number, gfx_version, location):
    versions = {"gfx1100": 110000, "gfx1036": 100306, "gfx803": 80003,
                "gfx1151": 110501}
    m.file(f"/sys/class/kfd/kfd/topology/nodes/{number}/properties",
           f"cpu_cores_count {0 if gfx_version else 16}\nsimd_count {192 if gfx_version else 0}\n"
           f"gfx_target_version {versions.get(gfx_version, 0)}\nvendor_id 4098\n"
           f"location_id {location}\ndomain 0\n")


def no_nvidia(m):
    m.nvml_missing()
    m.cuda_missing()
    m.opencl_missing()


def conda_keeps_cpu_torch():
    m = ubuntu("conda's cpuonly in the active environment (P02: pytorch#32369, conda#14761).")
    working_cuda(m, RTX4090)
    prefix = conda_env(m)
    m.file(f"{prefix}/conda-meta/cpuonly-2.0-0.json", "{}")
    m.torch(f"{prefix}/lib/python3.12/site-packages", "2.5.1")
    return m


def wheel_lacks_kernels():
    return healthy("A GTX 1080 on driver 580 with the cu130 build, which has no kernels for 6.1 "
                   "(P03: AutoForge PR#59, ComfyUI PR#16438).", GTX1080, "proprietary")


def torch_rocm_on_nvidia():
    m = ubuntu("An RTX 4090 and the ROCm build of torch (P15: pytorch#70036).")
    working_cuda(m, RTX4090)
    m.torch(m.venv(VENV, "3.12.3"), "2.9.0+rocm6.4", hip="6.4.43484")
    m.activate(VENV)
    return m


def jetson_with_server_torch():
    m = ubuntu("A Jetson Orin (8.7) with PyTorch's own aarch64 build, which is for Arm servers "
               "(P16: PyTorch's release table, aarch64).", EPYC, 1, 8, 1, 32)
    m.os("Ubuntu 22.04.5 LTS", "ubuntu", "22.04", "5.15.148-tegra", "aarch64")
    folder = "/usr/lib/aarch64-linux-gnu/nvidia"
    m.kernel_module("540.4.0", "open")
    m.nvidia_nodes(1)
    m.nvml_missing()
    m.cuda(f"{folder}/libcuda.so.1.1", "12.6", [cuda_device(
        ORIN, 0, "0000:00:00.0", integrated=True, memory_total_bytes=32 << 30,
        memory_free_bytes=28 << 30)])
    m.opencl_missing()
    m.torch(other_venv(m, "3.10.12"), "2.13.0+cu126", cuda="12.6")
    return m


def several_torch_copies():
    m = ubuntu("Two copies of torch on the path of one conda environment: the user's folder comes "
               "first (P07: AutoForge PR#59).")
    working_cuda(m, RTX4090)
    prefix = conda_env(m)
    m.torch("/home/user/.local/lib/python3.12/site-packages", "2.14.0+cu130", cuda="13.0")
    m.torch(f"{prefix}/lib/python3.12/site-packages", "2.8.0+cu128", cuda="12.8")
    return m


def jupyter_kernel_elsewhere():
    m = healthy("Jupyter's kernel starts the system's Python, torch is in the virtual environment "
                "(P08).")
    m.file("/home/user/.local/share/jupyter/kernels/python3/kernel.json",
           '{"argv": ["/usr/bin/python3", "-m", "ipykernel_launcher", "-f", '
           '"{connection_file}"], "display_name": "Python 3", "language": "python"}\n')
    return m


def torch_set_from_two_indexes():
    m = healthy("torchvision of another index than torch's (P09: Whisper-WebUI#653).")
    m.file(f"{SITE}/torchvision/version.py", "__version__ = '0.24.0+cu126'\ncuda = '12.6'\n")
    m.file(f"{SITE}/torchaudio/version.py", "__version__ = '2.9.0+cu130'\ncuda = '13.0'\n")
    return m


def older_cudnn_shadows_torch():
    m = healthy("LD_LIBRARY_PATH leads to a cuDNN that is older than the wheel's (P10: "
                "functorch#926, kohya_ss#1096).")
    m.library("/opt/cudnn/lib", "libcudnn.so.9", "libcudnn.so.9.1.0")
    m.environment["LD_LIBRARY_PATH"] = "/opt/cudnn/lib"
    return m


def older_cuda_shadows_torch():
    m = ubuntu("LD_LIBRARY_PATH leads to the toolkit 12.1 before the wheel's 12.8 (P11: "
               "pytorch#134929, #111469).")
    working_cuda(m, RTX4090)
    m.torch(m.venv(VENV, "3.12.3"), "2.9.0+cu128", cuda="12.8")
    m.file(f"{SITE}/nvidia/cublas/lib/libcublas.so.12")
    m.folder(f"{SITE}/nvidia_cublas_cu12-12.8.4.1.dist-info")
    m.activate(VENV)
    m.library("/usr/local/cuda-12.1/lib64", "libcublas.so.12", "libcublas.so.12.1.3.1")
    m.environment["LD_LIBRARY_PATH"] = "/usr/local/cuda-12.1/lib64"
    return m


def nvidia_packages_differ_from_pins():
    m = healthy("Another package replaced a library that torch pins (P12: cuvs PR#1794).")
    m.file(f"{SITE}/torch-2.9.0+cu130.dist-info/METADATA",
           "Metadata-Version: 2.4\nName: torch\nVersion: 2.9.0+cu130\n"
           "Requires-Dist: filelock\n"
           "Requires-Dist: nvidia-cublas==13.0.0.19; platform_system == \"Linux\"\n"
           "Requires-Dist: nvidia-cudnn-cu13==9.13.0.50; platform_system == \"Linux\"\n"
           "Requires-Dist: nvidia-nccl-cu13==2.27.7; platform_system == \"Linux\"\n\nText\n")
    m.folder(f"{SITE}/nvidia_nccl_cu13-2.25.1.dist-info")
    return m


def no_wheel_for_python():
    return bare_venv("An environment of Python 3.6, for which no build in the table exists (P13: "
                     "PyTorch's release table).", "3.6.15")


def python_newer_than_wheels():
    return bare_venv("An environment of a Python that is newer than every row of PyTorch's release "
                     "table (P13).", "3.16.0")


def no_wheel_for_libc():
    m = in_docker(ubuntu("An Alpine container: musl instead of glibc (P14: PyTorch's release "
                         "table)."))
    m.os("Alpine Linux v3.22", "alpine", "3.22.1", "6.8.0-88-generic")
    gpu_on_bus(m, RTX4090, "0000:01:00.0")
    m.kernel_module(DRIVER, "open")
    m.nvidia_nodes(1)
    no_nvidia(m)
    return m


def driver_newer_than_tables():
    m = ubuntu("A driver of a branch that the tables do not know runs everything older: no "
               "finding.")
    version = "640.10"
    gpu_on_bus(m, RTX4090, "0000:01:00.0")
    m.kernel_module(version, "open")
    m.nvidia_nodes(1)
    m.driver_libraries(version)
    m.nvml(ml(version), version, "14.1", [nvml_device(RTX4090, 0, "0000:01:00.0")])
    m.cuda(cu(version), "14.1", [cuda_device(RTX4090, 0, "0000:01:00.0")])
    m.opencl_missing()
    torch_with_cuda(m)
    return m


def newer_cudnn_on_library_path():
    m = healthy("A guard: LD_LIBRARY_PATH leads to a cuDNN that is newer than the wheel's (P10).")
    m.library("/opt/cudnn/lib", "libcudnn.so.9", "libcudnn.so.9.20.0")
    m.environment["LD_LIBRARY_PATH"] = "/opt/cudnn/lib"
    return m


def kfd_missing():
    m = ubuntu("A Radeon without /dev/kfd (A01: ollama's troubleshooting).")
    m.pci("0000:03:00.0", "0x1002", "0x744c", "0x030000", "amdgpu")
    m.node("/dev/dri/renderD128", mode=0o660)
    no_nvidia(m)
    return m


def kfd_permission():
    return amd("The user is not in the group of /dev/kfd (A02: rocminfo#34).", kfd_errno=EACCES)


def kfd_group_in_container():
    note = "A container whose user is not in the group of /dev/kfd (A03: VoiceStudio#1274)."
    return amd(note, base=in_docker(ubuntu(note)), kfd_errno=EACCES)


def gfx_target_without_wheel():
    return amd("A Radeon RX 580 (gfx803), which no ROCm build lists (A04: legacy-rocm-build#2232).",
               "gfx803")


def unsupported_gpu_comes_first():
    note = "A processor's graphics (gfx1036) before a supported Radeon (A05: ollama's discovery)."
    m = ubuntu(note)
    m.pci("0000:02:00.0", "0x1002", "0x164e", "0x030000", "amdgpu")
    kfd_node(m, 2, "gfx1036", 0x200)
    return amd(note, base=m)


def nvidia_beside_amd_graphics():
    m = healthy("A guard: an RTX 4090 in a machine whose AMD processor has graphics, without ROCm "
                "(A01, A05).")
    m.pci("0000:0e:00.0", "0x1002", "0x164e", "0x030000", "amdgpu")
    return m


def intel_graphics_only():
    m = ubuntu("A desktop with an Intel processor's graphics only (I01: uv accelerator.rs).")
    m.pci("0000:00:02.0", "0x8086", "0x4680", "0x030000", "i915")
    m.node("/dev/dri/renderD128")
    no_nvidia(m)
    return m


def blackwell_with_cu124():
    m = ubuntu("An RTX 5090 with the cu124 build, whose toolkit came before it (P03: "
               "xorbitsai/inference#3603).")
    working_cuda(m, RTX5090)
    m.torch(other_venv(m, "3.12.3"), "2.6.0+cu124", cuda="12.4")
    return m


def hopper_with_cu116():
    m = ubuntu("An H100 with a build of which no list is known, for a toolkit that came before it "
               "(P03: pytorch#90761).")
    working_cuda(m, H100)
    m.torch(other_venv(m, "3.10.12"), "1.12.1+cu116", cuda="11.6")
    return m


def pascal_with_nightly():
    m = ubuntu("A GTX 1080 with a nightly build that the table does not know, for a toolkit that "
               "makes no code for it any more (P03).")
    working_cuda(m, GTX1080, flavour="proprietary")
    m.torch(other_venv(m, "3.12.3"), "2.16.0.dev20261101+cu132", cuda="13.2")
    return m


def ada_with_old_wheel():
    m = ubuntu("A guard: an RTX 4090 (8.9) runs the code for 8.6 of an old wheel (P04).")
    working_cuda(m, RTX4090)
    m.torch(other_venv(m, "3.10.12"), "1.13.1+cu117", cuda="11.7")
    return m


def conda_forge_cuda_build():
    m = ubuntu("A guard: conda-forge's CUDA build has no tag and keeps libtorch in the "
               "environment's lib (P01: pytorch-cpu-feedstock#328).")
    working_cuda(m, RTX4090)
    prefix = conda_env(m)
    site = f"{prefix}/lib/python3.12/site-packages"
    m.torch(site, "2.5.1", cuda="12.6")
    del m.files[f"{site}/torch/lib/libtorch_cuda.so"]
    m.file(f"{prefix}/lib/libtorch_cuda.so")
    return m


def cpu_build_by_metadata():
    m = ubuntu("The CPU build, of which only the metadata can be read (P01: uv#17236).")
    working_cuda(m, RTX4090)
    m.folder(f"{other_venv(m, '3.12.3')}/torch-2.5.1+cpu.dist-info")
    return m


def cpu_build_beside_the_work():
    m = ubuntu("`python` is the system's; the project's .venv, which uv run takes, holds the CPU "
               "build (P01: uv#17236).")
    working_cuda(m, RTX4090)
    m.torch(m.venv(VENV, "3.12.3"), "2.9.0+cpu")
    return m


def cudnn_before_old_wheel():
    m = ubuntu("LD_LIBRARY_PATH leads to a cuDNN that is older than the one among the libraries "
               "of a cu118 wheel (P10: kohya_ss#1096).")
    working_cuda(m, RTX4090)
    m.torch(other_venv(m, "3.10.12"), "2.0.1+cu118", cuda="11.8")
    m.library("/usr/local/cuda/lib64", "libcudnn.so.8", "libcudnn.so.8.3.3")
    m.environment["LD_LIBRARY_PATH"] = "/usr/local/cuda/lib64/:"
    return m


def nvjitlink_before_wheel():
    m = ubuntu("LD_LIBRARY_PATH leads to an older nvJitLink (P11: pytorch#134929).")
    working_cuda(m, RTX4090)
    site = other_venv(m, "3.12.3")
    m.torch(site, "2.4.1+cu124", cuda="12.4")
    m.file(f"{site}/nvidia/nvjitlink/lib/libnvJitLink.so.12")
    m.folder(f"{site}/nvidia_nvjitlink_cu12-12.4.127.dist-info")
    m.library("/usr/local/cuda-12.1/lib64", "libnvJitLink.so.12", "libnvJitLink.so.12.1.105")
    m.environment["LD_LIBRARY_PATH"] = "/usr/local/cuda-12.1/lib64"
    return m


def torchvision_of_older_torch():
    m = healthy("torchvision of an older release of torch (P09: Whisper-WebUI#653).")
    m.file(f"{SITE}/torchvision/version.py", "__version__ = '0.15.2'\ncuda = '13.0'\n")
    return m


def jupyter_kernel_far_away():
    m = healthy("Jupyter's kernel starts an environment that lies nowhere usual (P08).")
    m.file("/data/old/pyvenv.cfg", "home = /usr/bin\nversion = 3.12.3\n")
    m.link("/data/old/bin/python", "/usr/bin/python3.12")
    m.folder("/data/old/lib/python3.12/site-packages")
    m.file("/home/user/.local/share/jupyter/kernels/old/kernel.json",
           '{"argv": ["/data/old/bin/python", "-m", "ipykernel_launcher"], "language": "python"}\n')
    return m


MACHINES = [conda_keeps_cpu_torch, wheel_lacks_kernels, torch_rocm_on_nvidia,
            jetson_with_server_torch, several_torch_copies, jupyter_kernel_elsewhere,
            torch_set_from_two_indexes, older_cudnn_shadows_torch, older_cuda_shadows_torch,
            nvidia_packages_differ_from_pins, no_wheel_for_python, python_newer_than_wheels,
            no_wheel_for_libc, driver_newer_than_tables, newer_cudnn_on_library_path, kfd_missing,
            kfd_permission, kfd_group_in_container, gfx_target_without_wheel,
            unsupported_gpu_comes_first, nvidia_beside_amd_graphics, intel_graphics_only,
            blackwell_with_cu124, hopper_with_cu116, pascal_with_nightly, ada_with_old_wheel,
            conda_forge_cuda_build, cpu_build_by_metadata, cpu_build_beside_the_work,
            cudnn_before_old_wheel, nvjitlink_before_wheel, torchvision_of_older_torch,
            jupyter_kernel_far_away]

"""What several of the composed machines have in common: systems, processors, a GPU in good order."""

from machine_gpus import cuda_device, nvml_device
from machine_parts import Machine

NVIDIA = "0x10de"
DRIVER, CUDA = "580.95.05", "13.0"
DEBIAN_LIB = "/usr/lib/x86_64-linux-gnu"

AVX2 = "fpu sse2 ht lm sse4_2 f16c fma avx avx2"
AVX512 = AVX2 + " avx512f avx512dq avx512bw avx512vl avx512_vnni avx512_bf16"
RYZEN = ("vendor_id\t: AuthenticAMD\nmodel name\t: AMD Ryzen 9 7950X 16-Core Processor\n"
         f"flags\t\t: {AVX512}\n")
CORE = ("vendor_id\t: GenuineIntel\nmodel name\t: 12th Gen Intel(R) Core(TM) i7-12700H\n"
        f"flags\t\t: {AVX2} avx_vnni\n")
CLOUD_XEON = ("vendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Xeon(R) CPU @ 2.20GHz\n"
              f"flags\t\t: {AVX2}\n")
SAPPHIRE = ("vendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Xeon(R) Platinum 8480C\n"
            f"flags\t\t: {AVX512} avx512_fp16 amx_bf16 amx_tile amx_int8\n")
EPYC = ("vendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC 7763 64-Core Processor\n"
        f"flags\t\t: {AVX2}\n")

def ml(version, folder=DEBIAN_LIB):
    return f"{folder}/libnvidia-ml.so.{version}"


def cu(version, folder=DEBIAN_LIB):
    return f"{folder}/libcuda.so.{version}"


def ubuntu(note, cpu=RYZEN, sockets=1, cores=16, threads=2, gib=64):
    """Ubuntu 24.04 on a desktop or server, without any GPU yet."""
    m = Machine(note, "glibc 2.39")
    m.os("Ubuntu 24.04.3 LTS", "ubuntu", "24.04", "6.8.0-88-generic")
    m.cpu(cpu, sockets, cores, threads)
    m.memory(gib << 20, (gib << 20) * 9 // 10)
    m.control_group(memory_max="max", cpu_max="max 100000")
    m.environment.update(HOME="/home/user", PWD="/home/user/work")
    m.other_pci()
    m.proc_devices()
    m.system_python("3.12")
    return m


def gpu_on_bus(m, spec, address, **changes):
    m.pci(address, NVIDIA, spec[10], **changes)


def working_cuda(m, spec, address="0000:01:00.0", flavour="open"):
    """A GPU with driver, nodes and answers, in order on every rung up to the kernel."""
    gpu_on_bus(m, spec, address)
    m.kernel_module(DRIVER, flavour)
    m.nvidia_nodes(1)
    m.driver_libraries(DRIVER)
    m.nvml(ml(DRIVER), DRIVER, CUDA, [nvml_device(spec, 0, address, used_mib=410)])
    m.cuda(cu(DRIVER), CUDA, [cuda_device(spec, 0, address)])
    m.opencl_missing()


def torch_with_cuda(m, prefix="/home/user/work/.venv"):
    site = m.venv(prefix, "3.12.3")
    m.torch(site, "2.9.0+cu130", cuda="13.0")
    m.file(f"{site}/nvidia/cu13/lib/libcublas.so.13")
    m.file(f"{site}/nvidia/cu13/lib/libcublasLt.so.13")
    m.file(f"{site}/nvidia/cudnn/lib/libcudnn.so.9")
    m.folder(f"{site}/nvidia_cublas-13.0.0.19.dist-info")
    m.folder(f"{site}/nvidia_cudnn_cu13-9.13.0.50.dist-info")
    m.activate(prefix)


def in_docker(m):
    m.file("/.dockerenv")
    m.control_group("/", memory_max="max", cpu_max="max 100000")
    m.environment.update(HOME="/root", PWD="/workspace")
    return m

"""Machines on which one rule of the driver's area speaks, made from a machine in good order."""

from machine_bases import CUDA, DRIVER, EPYC, NVIDIA, SAPPHIRE, cu, gpu_on_bus, in_docker
from machine_bases import ml, torch_with_cuda, ubuntu
from machine_gpus import A100, H100, RTX3080, RTX4090, cuda_device, nvml_device
from machine_parts import EACCES, EPERM, Machine, absent

BUS = "0000:01:00.0"
CUDA_NAMES = {2: "OUT_OF_MEMORY", 46: "DEVICE_UNAVAILABLE", 101: "INVALID_DEVICE",
              222: "UNSUPPORTED_PTX_VERSION", 500: "NOT_FOUND", 802: "SYSTEM_NOT_READY",
              803: "SYSTEM_DRIVER_MISMATCH", 804: "COMPAT_NOT_SUPPORTED_ON_DEVICE",
              805: "MPS_CONNECTION_FAILED", 999: "UNKNOWN", 34: "STUB_LIBRARY", 100: "NO_DEVICE"}


def failed(call, code):
    """The absence of a fact whose call of the CUDA driver gave this code."""
    return absent("call-failed", f"{call}: CUDA_ERROR_{CUDA_NAMES[code]} ({code})", code)


def driver_on(m, spec=RTX4090, address=BUS, libraries=("libcuda", "libnvidia-ml"), **module):
    """The GPU on the bus with module, nodes and libraries; what NVML and CUDA say comes after."""
    gpu_on_bus(m, spec, address)
    m.kernel_module(DRIVER, "open", **module)
    m.nvidia_nodes(1)
    m.driver_libraries(DRIVER, names=libraries)
    m.opencl_missing()


def nvml_answers(m, spec=RTX4090, address=BUS, **changes):
    m.nvml(ml(DRIVER), DRIVER, CUDA, [nvml_device(spec, 0, address, **changes)])


def cuda_says(m, code, library=None, version=CUDA):
    """cuInit fails with this code."""
    m.child("cuda", {"library": library or cu(DRIVER), "version": version,
                     "init": failed("cuInit", code),
                     "device_count": absent("not-tested", "CUDA did not start"), "devices": []},
            {"library": "dlopen", "version": "cuDriverGetVersion"})


def broken_start(note, code, spec=RTX4090, library=None, container=False):
    """Everything is in order, and cuInit fails with this code."""
    m = ubuntu(note)
    if container:
        in_docker(m)
    driver_on(m, spec)
    nvml_answers(m, spec)
    cuda_says(m, code, library)
    return m


def broken_context(note, code, kernel=False, **nvml):
    """CUDA starts, and its first context or kernel fails with this code."""
    m = ubuntu(note)
    driver_on(m)
    nvml_answers(m, **nvml)
    if kernel:
        result = {"kernel": failed("cuModuleLoadDataEx", code)}
    else:
        result = {"context": failed("cuDevicePrimaryCtxRetain", code),
                  "kernel": absent("not-tested", "no context")}
    m.cuda(cu(DRIVER), CUDA, [cuda_device(RTX4090, 0, BUS, **result)])
    return m


def driver_mismatch_while_running():
    m = ubuntu("The management library was updated, libcuda of the running module is still found "
               "first and works (D02: shine-cluster#30).")
    driver_on(m)
    m.nvml_failed(ml("580.105.08"), 18)
    m.cuda(cu(DRIVER), CUDA, [cuda_device(RTX4090, 0, BUS)])
    return m


def libcuda_missing():
    m = ubuntu("The driver without its compute package: NVML works, libcuda is nowhere (D03: "
               "LocalAI#11973).")
    driver_on(m, libraries=("libnvidia-ml",))
    nvml_answers(m)
    m.cuda_missing()
    return m


def stub_libcuda():
    return broken_start("The toolkit's stubs folder stands in LD_LIBRARY_PATH (D04: "
                        "NVIDIA/warp#219, numba#8985).", 34,
                        library="/usr/local/cuda-13.0/lib64/stubs/libcuda.so")


def compat_libcuda_mismatch():
    return broken_start("The image's compatibility libcuda hides the injected one (D05: "
                        "nvidia-docker#1256, gpustack#4678).", 803,
                        library="/usr/local/cuda-13.0/compat/libcuda.so.580.65.06",
                        container=True)


def compat_on_consumer_gpu():
    return broken_start("A compatibility libcuda on a GeForce (D06: nvidia-docker#1294, "
                        "gpufetch#53).", 804, RTX3080,
                        "/usr/local/cuda-13.0/compat/libcuda.so.580.65.06", container=True)


def driver_too_old_for_torch():
    m = ubuntu("A torch built for CUDA 13.0 on driver 535 (D07: pytorch#52675 has the same with "
               "older versions).")
    old = "535.183.01"
    gpu_on_bus(m, RTX4090, BUS)
    m.kernel_module(old)
    m.nvidia_nodes(1)
    m.driver_libraries(old)
    m.nvml(ml(old), old, "12.2", [nvml_device(RTX4090, 0, BUS)])
    m.cuda(cu(old), "12.2", [cuda_device(RTX4090, 0, BUS)])
    m.opencl_missing()
    torch_with_cuda(m)
    return m


def ptx_too_new_for_driver():
    return broken_context("The driver cannot compile PTX of a newer toolkit (D08: ollama's "
                          "discover/cuda_compat).", 222, kernel=True)


def device_nodes_missing():
    m = ubuntu("The module is loaded and udev made no nodes (D11).")
    gpu_on_bus(m, RTX4090, BUS)
    m.kernel_module(DRIVER, "open")
    m.driver_libraries(DRIVER)
    m.nvml_failed(ml(DRIVER), 999)
    cuda_says(m, 100)
    m.opencl_missing()
    return m


def denied_nodes(note, error):
    m = ubuntu(note)
    gpu_on_bus(m, RTX4090, BUS)
    m.kernel_module(DRIVER, "open")
    for name in ("nvidiactl", "nvidia0", "nvidia-uvm"):
        m.node(f"/dev/{name}", error, mode=0o660)
    m.driver_libraries(DRIVER)
    m.nvml_failed(ml(DRIVER), 999)
    cuda_says(m, 100)
    m.opencl_missing()
    return m


def device_node_permission():
    return denied_nodes("The nodes have mode 0660 and another group (D12; rocminfo#34 is the same "
                        "on AMD).", EACCES)


def control_group_denies_gpu():
    return denied_nodes("A service's device rules leave the GPU out: EPERM (D13: "
                        "nvidia-container-toolkit#251).", EPERM)


def uvm_broken_after_suspend():
    m = broken_start("After suspend and resume: nvidia-uvm is there and cuInit gives 999 (D10: "
                     "pytorch#88639, pop-os/default-settings#64).", 999)
    m.file("/dev/kmsg", "6,2101,7260123456,-;PM: suspend entry (deep)\n"
           "6,2190,7261789012,-;PM: suspend exit\n")
    return m


def cuda_start_unknown_error():
    return broken_start("nvidia-uvm is there, cuInit gives 999, and the kernel log cannot be read "
                        "(D10: jaxsim#50).", 999)


def compute_mode_forbids():
    return broken_context("Compute mode prohibited: no context (D14: ollama#8980).", 46,
                          compute_mode="prohibited")


def gpu_unavailable():
    return broken_context("No context although the compute mode is default (D15: AKS#4870, "
                          "Rodan#1332).", 46)


def fabric_not_ready():
    m = ubuntu("Eight H100 with NVSwitches and no fabric manager: 802 (D16: pytorch#35710).",
               SAPPHIRE, 2, 48, 1, 2048)
    addresses = [f"0000:{bus}:00.0" for bus in ("19", "3b", "4c", "5d", "9b", "bb", "cb", "db")]
    for address in addresses:
        gpu_on_bus(m, H100, address, cls="0x030200")
    m.pci("0000:83:00.0", NVIDIA, "0x22a3", "0x068000", "nvidia-nvswitch")
    m.kernel_module(DRIVER, "open")
    m.nvidia_nodes(8)
    m.driver_libraries(DRIVER)
    m.nvml(ml(DRIVER), DRIVER, CUDA, [nvml_device(H100, i, a, ecc_enabled=True, persistence=True)
                                      for i, a in enumerate(addresses)])
    cuda_says(m, 802)
    m.opencl_missing()
    return m


def fabric_not_started():
    m = ubuntu("A GPU of a fabric in a virtual machine that does not see the switches: NVML says "
               "that it has not joined (D16).", SAPPHIRE, 1, 48, 1, 512)
    driver_on(m, H100)
    nvml_answers(m, H100, fabric_state="not-started", ecc_enabled=True)
    cuda_says(m, 802)
    return m


def system_not_ready():
    return broken_start("One H100 in a confidential virtual machine, not declared ready: 802 "
                        "without NVSwitch (D19: nvtrust#29).", 802, H100)


def mps_broken():
    m = broken_start("CUDA_MPS_PIPE_DIRECTORY is set and no server runs (D20).", 805)
    m.environment["CUDA_MPS_PIPE_DIRECTORY"] = "/tmp/nvidia-mps"
    return m


def persistence_mode_off():
    m = ubuntu("Four A100 without persistence mode (D22: NVSentinel#772).", EPYC, 1, 64, 1, 512)
    addresses = [f"0000:{bus}:00.0" for bus in ("07", "0a", "47", "4a")]
    for address in addresses:
        gpu_on_bus(m, A100, address, cls="0x030200")
    m.kernel_module(DRIVER)
    m.nvidia_nodes(4)
    m.driver_libraries(DRIVER)
    m.nvml(ml(DRIVER), DRIVER, CUDA, [nvml_device(A100, i, a, ecc_enabled=True)
                                      for i, a in enumerate(addresses)])
    m.cuda(cu(DRIVER), CUDA, [cuda_device(A100, i, a) for i, a in enumerate(addresses)])
    m.opencl_missing()
    return m


def wsl(note):
    """WSL2 without any answer of NVML and CUDA yet."""
    m = Machine(note)
    m.os("Ubuntu 22.04.5 LTS", "ubuntu", "22.04", "5.15.167.4-microsoft-standard-WSL2")
    m.memory(16 << 20, 15 << 20)
    m.environment.update(HOME="/home/user", PWD="/home/user")
    m.proc_devices()
    m.opencl_missing()
    return m


def wsl_many_gpus():
    m = wsl("Four GPUs in WSL2: cuInit fails (D23: WSL#9092).")
    m.node("/dev/dxg")
    addresses = [f"0000:0{number}:00.0" for number in range(1, 5)]
    m.nvml("/usr/lib/wsl/lib/libnvidia-ml.so.1", "581.57", CUDA,
           [nvml_device(RTX3080, i, a) for i, a in enumerate(addresses)])
    cuda_says(m, 101, "/usr/lib/wsl/lib/libcuda.so.1")
    return m


MACHINES = [driver_mismatch_while_running, libcuda_missing, stub_libcuda, compat_libcuda_mismatch,
            compat_on_consumer_gpu, driver_too_old_for_torch, ptx_too_new_for_driver,
            device_nodes_missing, device_node_permission, control_group_denies_gpu,
            uvm_broken_after_suspend, cuda_start_unknown_error, compute_mode_forbids,
            gpu_unavailable, fabric_not_ready, fabric_not_started,
            system_not_ready, mps_broken, persistence_mode_off, wsl_many_gpus]

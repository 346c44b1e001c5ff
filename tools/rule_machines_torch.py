"""Machines whose Python was asked (`--run-python`), and GPUs that were put under load (`--load`)."""

import json

from machine_gpus import RTX4090
from machine_parts import absent
from rule_machines_health import working
from rule_machines_python import VENV, healthy

PYTHON = f"{VENV}/bin/python"
LIBCUDA = "/usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05"
ARCH_130 = ["sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120", "compute_120"]
TORCH_SOURCES = {
    "version": "torch.__version__", "file": "torch.__file__", "cuda": "torch.version.cuda",
    "available": "torch.cuda.is_available()", "device_count": "torch.cuda.device_count()",
    "started": "torch.cuda.init()", "arch_list": "torch.cuda.get_arch_list()",
    "libcuda": "/proc/self/maps", "imported": "import torch",
}


def asked(m, end="exited", code=0, done=True, without=(), **changes):
    """The answer of the active environment's Python: all is well, but for the changes. `without`:
    what it did not come to say."""
    answer = {
        "python_version": "3.12.3", "devices": [device()], "imported": True,
        "version": "2.9.0+cu130", "file": f"{VENV}/lib/python3.12/site-packages/torch/__init__.py",
        "cuda": "13.0", "hip": absent("not-applicable", "torch.version.hip is None"),
        "visible_devices": absent("not-found", "CUDA_VISIBLE_DEVICES is not set"),
        "available": True, "device_count": 1, "arch_list": ARCH_130, "cpu_product": True,
        "started": True, "libcuda": LIBCUDA, **changes}
    for name in without:
        del answer[name]
    line = {"answer": answer, "sources": TORCH_SOURCES, "done": done}
    m.commands.append({"argv": [PYTHON, "-"], "end": end, "code": code,
                       "output": "gpuready-torch:" + json.dumps(line) + "\n", "errors": ""})
    return m


def device(product=True):
    return {"index": 0, "name": RTX4090[0], "compute_capability": RTX4090[1], "product": product}


def blind(started, **changes):
    """PyTorch that sees no GPU."""
    return {"available": False, "device_count": 0, "devices": [],
            "started": absent("call-failed", f"torch.cuda.init(): {started}"), **changes}


def torch_answers():
    return asked(healthy("A workstation in order whose PyTorch was asked."))


def torch_import_fails():
    error = absent("call-failed", "ImportError: libcudart.so.13: cannot open shared object file: "
                   "No such file or directory")
    m = healthy("import torch ends with the loader's error (P17: pytorch#131312).")
    return asked(m, imported=error, devices=[], without=[
        "version", "file", "cuda", "hip", "available", "device_count", "arch_list", "cpu_product",
        "started", "libcuda", "visible_devices"])


def torch_gives_no_answer():
    m = healthy("is_available() does not come back.")
    return asked(m, end="timed-out", done=False, devices=[], without=[
        "available", "device_count", "arch_list", "cpu_product", "started", "libcuda"])


def python_hides_gpus():
    return asked(healthy("sitecustomize.py sets CUDA_VISIBLE_DEVICES (E04: pytorch#40618)."),
                 **blind("RuntimeError: No CUDA GPUs are available", visible_devices=""))


def torch_loads_other_libcuda():
    return asked(healthy("PyTorch loads a stub libcuda (D04: warp#219)."),
                 **blind("RuntimeError: CUDA driver is a stub library",
                         libcuda="/usr/local/cuda-13.0/lib64/stubs/libcuda.so"))


def torch_sees_no_gpu():
    return asked(healthy("\"Found no NVIDIA driver\", though our kernel ran (P18: "
                         "stable-diffusion-webui-docker#348)."),
                 **blind("RuntimeError: Found no NVIDIA driver on your system. Please check that "
                         "you have an NVIDIA GPU and installed a driver"))


def torch_product_fails():
    error = absent("call-failed", "torch.mm: RuntimeError: CUDA error: CUBLAS_STATUS_NOT_INITIALIZED "
                   "when calling `cublasCreate(handle)`")
    return asked(healthy("is_available() is true and the first product fails."),
                 devices=[device(error)])


def torch_product_wrong():
    return asked(healthy("A product of small whole numbers is wrong."), devices=[device(False)])


def torch_list_lacks_gpu():
    error = absent("call-failed", "torch.mm: RuntimeError: CUDA error: no kernel image is available "
                   "for execution on the device")
    m = healthy("A build of one's own for Blackwell only, on Ada (P03: pytorch#31285).")
    return asked(m, version="2.9.0a0+gitabc", arch_list=["sm_100", "sm_120"],
                 devices=[device(error)])


def torch_list_differs_from_table():
    return asked(healthy("A cu130 build with kernels for one GPU only."), arch_list=["sm_89"])


LOAD = {"seconds": 10.02, "products": 4180, "samples": 39, "product": True,
        "clock_event_reasons": 4, "sm_clock_hz": 2520e6, "sm_clock_max_hz": 3105e6,
        "power_w": 448.0, "temperature_c": 67.0, "power_limit_w": 450.0,
        "power_default_limit_w": 450.0, "pcie_generation": 4, "pcie_generation_max": 4,
        "pcie_width": 16, "pcie_width_max": 16,
        "ecc_errors_before": absent("not-applicable",
                                    "nvmlDeviceGetTotalEccErrors: Not Supported (3)", 3),
        "ecc_errors_after": absent("not-applicable",
                                   "nvmlDeviceGetTotalEccErrors: Not Supported (3)", 3),
        "remap_pending_before": False, "remap_pending_after": False,
        "memory_free_before_bytes": 24900000000, "memory_total_bytes": 25757220864}


def loaded(note, end="exited", code=0, **changes):
    """A working RTX 4090 after ten seconds of load, but for the changes; a lost fact is None."""
    m = working(note)
    answer = {"device": "cuda:0", "name": RTX4090[0], "nvml_index": 0,
              **{name: value for name, value in {**LOAD, **changes}.items() if value is not None}}
    m.commands.append({"argv": ["self", "__load", "cuda:0", "10"], "end": end, "code": code,
                       "output": json.dumps({"answer": answer, "sources": {}}) + "\n",
                       "errors": ""})
    return m


def load_in_order():
    return loaded("Ten seconds of load at the power limit (0x4), which is normal (T05).")


def load_at_heat():
    return loaded("Under load the driver lowers the clocks by heat (T05).",
                  clock_event_reasons=0x24, temperature_c=84.0)


def load_power_brake():
    return loaded("Under load the power supply pulls the brake (T05).", clock_event_reasons=0x88)


def load_on_eight_lanes():
    return loaded("Eight of sixteen lanes under load (T03).", pcie_width=8)


def load_on_old_link():
    return loaded("The link stays at generation 2 under load (T04: rtx6kpro#88).",
                  pcie_generation=2)


def load_with_memory_errors():
    return loaded("Uncorrected errors rise under load (T02).", ecc_errors_before=0,
                  ecc_errors_after=3, remap_pending_after=True)


def load_with_wrong_product():
    return loaded("The product after the load is wrong.", product=False)


def load_that_hangs():
    return loaded("The GPU stops answering under load (H14).", "timed-out", seconds=None,
                  products=None, product=None)


MACHINES = [torch_answers, torch_import_fails, torch_gives_no_answer, python_hides_gpus,
            torch_loads_other_libcuda, torch_sees_no_gpu, torch_product_fails, torch_product_wrong,
            torch_list_lacks_gpu, torch_list_differs_from_table, load_in_order, load_at_heat,
            load_power_brake, load_on_eight_lanes, load_on_old_link, load_with_memory_errors,
            load_with_wrong_product, load_that_hangs]

"""Machines on which one rule about the health of the GPU speaks: all work, and one thing is off."""

from machine_bases import CUDA, DRIVER, NVIDIA, cu, ml, ubuntu
from machine_gpus import RTX4090, cuda_device, nvml_device
from machine_parts import absent
from rule_machines_driver import BUS, driver_on


def working(note, cuda=(), **nvml):
    """A working RTX 4090 of which NVML tells something else."""
    m = ubuntu(note)
    driver_on(m)
    m.nvml(ml(DRIVER), DRIVER, CUDA, [nvml_device(RTX4090, 0, BUS, **nvml)])
    m.cuda(cu(DRIVER), CUDA, [cuda_device(RTX4090, 0, BUS, **dict(cuda))])
    return m


def ecc_uncorrectable():
    code = absent("call-failed", "cuDevicePrimaryCtxRetain: CUDA_ERROR_ECC_UNCORRECTABLE (214)",
                  214)
    return working("An uncorrectable memory error: no context until a reset (T02: vllm#5222).",
                   {"context": code, "kernel": absent("not-tested", "no context")})


def pcie_width_reduced():
    return working("A card that runs on 4 of 16 lanes (T03: CPU-X#335).", pcie_width=4)


def clocks_forced_down():
    return working("At work and slowed down by heat (T05): hardware slowdown and thermal bits.",
                   clock_event_reasons=0x48, temperature_c=95.0)


def power_limit_lowered():
    return working("The power limit was set to 300 W (T06).", power_limit_w=300.0)


def memory_held_by_others():
    return working("Another program holds 22 GiB (T08: jade-hpc#73).", used_mib=22528)


def memory_held_by_nobody():
    return working("8 GiB are used and no process is named: a zombie, or another PID namespace "
                   "(D21: jade-hpc#73).", used_mib=8192, processes=0)


def row_remap_pending():
    return working("A replaced memory row waits for a reset (T01: gpud#80).", remap_pending=True,
                   remap_failed=False)


def row_remap_failed():
    return working("A memory row could not be replaced (T01: gpud#80).", remap_pending=False,
                   remap_failed=True)


def nvlink_inactive():
    m = working("A GPU beside an NVSwitch with one of its links down (T09: DCGM#198).",
                nvlinks=18, nvlinks_active=17)
    m.pci("0000:83:00.0", NVIDIA, "0x22a3", "0x068000", "nvidia-nvswitch")
    return m


def vgpu_unlicensed():
    code = absent("call-failed", "cuDevicePrimaryCtxRetain: CUDA_ERROR_DEVICE_UNAVAILABLE (46)", 46)
    return working("A vGPU without a licence: after some minutes contexts fail (V01: "
                   "gpu-operator#220, AKS#4870).",
                   {"context": code, "kernel": absent("not-tested", "no context")},
                   name="GRID A100D-20C", virtualization="vgpu",
                   vgpu_license="unlicensed-restricted")


def vgpu_licensed():
    return working("A vGPU with its licence, in good order.", name="GRID A100D-20C",
                   virtualization="vgpu", vgpu_license="licensed", processes=0)


MACHINES = [ecc_uncorrectable, pcie_width_reduced, clocks_forced_down, power_limit_lowered,
            memory_held_by_others, memory_held_by_nobody, row_remap_pending, row_remap_failed,
            nvlink_inactive, vgpu_unlicensed, vgpu_licensed]

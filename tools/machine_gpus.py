"""The GPUs of the composed machines, and what NVML and CUDA answer for one that idles in good order.

Names, capabilities, memory and power follow the project's table of GPUs and its sources; numbers
of SMs, clocks and caches follow the vendors' data sheets."""

from machine_parts import MIB, absent

# name, compute capability, SMs, MiB that the driver reports, highest SM and memory clocks (MHz),
# power limit (W), PCIe generation and width, L2 cache (MiB), PCI device id.
T4 = ("Tesla T4", "7.5", 40, 15360, 1590, 5001, 70, 3, 16, 4, "0x1eb8")
RTX4090 = ("NVIDIA GeForce RTX 4090", "8.9", 128, 24564, 3105, 10501, 450, 4, 16, 72, "0x2684")
GTX1080 = ("NVIDIA GeForce GTX 1080", "6.1", 20, 8192, 1911, 5005, 180, 3, 16, 2, "0x1b80")
RTX3080 = ("NVIDIA GeForce RTX 3080", "8.6", 68, 10240, 2100, 9501, 320, 4, 16, 5, "0x2206")
RTX3060M = ("NVIDIA GeForce RTX 3060 Laptop GPU", "8.6", 30, 6144, 2100, 7001, 80, 4, 8, 3,
            "0x2520")
A100 = ("NVIDIA A100-SXM4-80GB", "8.0", 108, 81920, 1410, 1593, 400, 4, 16, 40, "0x20b2")
H100 = ("NVIDIA H100 80GB HBM3", "9.0", 132, 81559, 1980, 2619, 700, 5, 16, 50, "0x2330")
RTX5090 = ("NVIDIA GeForce RTX 5090", "12.0", 170, 32607, 3090, 14001, 575, 5, 16, 96, "0x2b85")
GB10 = ("NVIDIA GB10", "12.1", 48, 0, 3003, 0, 0, 0, 0, 24, "0x2e12")

NOT_SUPPORTED = absent("not-applicable", "Not Supported (3)", 3)


def uuid(number):
    return f"GPU-00000000-0000-4000-8000-{number:012x}"


def nvml_device(spec, index, address, number=None, used_mib=0, **changes):
    name, cc, _, mib, sm_mhz, mem_mhz, watts, gen, width, _, _ = spec
    reserved = mib // 70
    number_ok = {"ecc_enabled": NOT_SUPPORTED, "mig_enabled": NOT_SUPPORTED,
                 "mig_pending": NOT_SUPPORTED, "mig_instances": NOT_SUPPORTED}
    return {
        "index": index, "name": name, "uuid": uuid(index + 1 if number is None else number),
        "pci_address": address, "compute_capability": cc,
        "memory_total_bytes": mib * MIB, "memory_free_bytes": (mib - reserved - used_mib) * MIB,
        "memory_used_bytes": used_mib * MIB, "memory_reserved_bytes": reserved * MIB,
        "sm_clock_hz": 210e6, "sm_clock_max_hz": sm_mhz * 1e6,
        "memory_clock_hz": 405e6, "memory_clock_max_hz": mem_mhz * 1e6,
        "power_w": round(watts * 0.06, 1), "power_limit_w": float(watts),
        "power_default_limit_w": float(watts), "temperature_c": 38.0,
        "pcie_generation": 1, "pcie_generation_max": gen, "pcie_width": width,
        "pcie_width_max": width, **number_ok, "persistence": False, "compute_mode": "default",
        "clock_event_reasons": 1, **changes,
    }


def cuda_device(spec, index, address, number=None, **changes):
    name, cc, sms, mib, sm_mhz, _, _, _, _, l2, _ = spec
    total = (mib - mib // 70) * MIB
    return {
        "index": index, "name": name, "uuid": uuid(index + 1 if number is None else number),
        "pci_address": address, "compute_capability": cc, "sm_count": sms,
        "memory_total_bytes": total, "memory_free_bytes": total - 320 * MIB,
        "l2_bytes": l2 * MIB, "clock_hz": sm_mhz * 1e6, "integrated": False, "context": True,
        "kernel": True, **changes,
    }

"""More machines for the rules about AMD's and Intel's GPUs, and PyTorch's builds for them."""

from machine_bases import ubuntu
from machine_parts import EACCES
from rule_machines_python import amd, kfd_node, no_nvidia, other_venv, torch_rocm_on_nvidia


def torch_rocm_beside_graphics():
    m = torch_rocm_on_nvidia()
    m.note = ("The ROCm build on an RTX 4090 beside a processor's graphics, which no build lists "
              "(P15: pytorch#70036).")
    m.pci("0000:0e:00.0", "0x1002", "0x164e", "0x030000", "amdgpu")
    kfd_node(m, 1, "gfx1036", 0xe00)
    m.node("/dev/kfd", mode=0o660)
    return m


def render_node_permission():
    m = amd("/dev/kfd opens and /dev/dri/renderD128 does not (A02: rocminfo#34).")
    m.node("/dev/dri/renderD128", EACCES, mode=0o660)
    return m


def processor_graphics_of_amd():
    return amd("A guard: a processor's graphics, of which nobody expects ROCm (A04).", "gfx1036")


def gfx_target_overridden():
    m = amd("A guard: the user makes ROCm take gfx1036 for gfx1030 (A04).", "gfx1036")
    m.torch(other_venv(m, "3.12.3"), "2.9.0+rocm6.4", hip="6.4.43484")
    m.environment["HSA_OVERRIDE_GFX_VERSION"] = "10.3.0"
    return m


def intel_arc():
    m = ubuntu("A guard: an Arc A770 with PyTorch's build for Intel (I01).")
    m.pci("0000:03:00.0", "0x8086", "0x56a0", "0x030000", "i915")
    m.node("/dev/dri/renderD128")
    m.torch(other_venv(m, "3.12.3"), "2.9.0+xpu")
    no_nvidia(m)
    return m


MACHINES = [torch_rocm_beside_graphics, render_node_permission, processor_graphics_of_amd,
            gfx_target_overridden, intel_arc]

#!/usr/bin/env python3
"""Packs a release folder into a Python wheel: the program into the scripts of the environment, its
CPU libraries where it looks for them (../lib/gpuready), and the module of packaging/python.

The program is a native one and so needs no wrapper: it starts as fast as from the tarball.

Usage: make_wheel.py RELEASE_FOLDER OUTPUT_FOLDER (needs PyPI's wheel)
"""

import pathlib
import platform
import re
import subprocess
import sys

from wheel.wheelfile import WheelFile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUMMARY = "Is the GPU usable, how fast is it, what fits, and where to run otherwise"


def metadata(version):
    readme = (ROOT / "README.md").read_text()
    lines = ["Metadata-Version: 2.4", "Name: gpuready", f"Version: {version}", f"Summary: {SUMMARY}",
             "License-Expression: Apache-2.0 AND BSD-3-Clause AND MIT AND CC0-1.0",
             "Requires-Python: >=3.8", "Keywords: gpu,cuda,benchmark,vram,llm,cloud",
             "Classifier: Environment :: Console", "Classifier: Operating System :: POSIX :: Linux",
             "Classifier: Typing :: Typed", "Description-Content-Type: text/markdown"]
    return "\n".join(lines) + "\n\n" + readme


def needed_glibc(binary):
    """The newest GLIBC_x.y among the symbols of the program, as (x, y)."""
    text = subprocess.run(["objdump", "-T", str(binary)], capture_output=True, text=True,
                          check=True).stdout
    return max(tuple(int(n) for n in found) for found in re.findall(r"GLIBC_(\d+)\.(\d+)", text))


def tag_of(release):
    """py3-none-manylinux_2_28_x86_64, from the newest symbol that anything in it needs."""
    binaries = [release / "bin" / "gpuready", *(release / "lib" / "gpuready").glob("*.so*")]
    glibc = max([(2, 17), *map(needed_glibc, binaries)])
    return f"py3-none-manylinux_{glibc[0]}_{glibc[1]}_{platform.machine()}"


def main():
    release, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    version = re.search(r"project\(gpuready VERSION ([0-9.]+)",
                        (ROOT / "CMakeLists.txt").read_text())[1]
    tag, info, data = tag_of(release), f"gpuready-{version}.dist-info", f"gpuready-{version}.data"
    output.mkdir(parents=True, exist_ok=True)
    path = output / f"gpuready-{version}-{tag}.whl"
    path.unlink(missing_ok=True)
    with WheelFile(path, "w") as wheel:
        module = ROOT / "packaging" / "python" / "gpuready"
        for file in sorted(module.glob("*.py")) + [module / "py.typed"]:
            wheel.write(file, f"gpuready/{file.name}")
        wheel.write(release / "bin" / "gpuready", f"{data}/scripts/gpuready")
        for file in sorted((release / "lib" / "gpuready").glob("*.so*")):
            wheel.write(file, f"{data}/data/lib/gpuready/{file.name}")
        for file in [release / "LICENSE", *sorted((release / "licenses").iterdir())]:
            wheel.write(file, f"{info}/licenses/{file.name}")
        wheel.writestr(f"{info}/METADATA", metadata(version))
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: gpuready make_wheel\n"
                                        f"Root-Is-Purelib: false\nTag: {tag}\n")
    print(path)


if __name__ == "__main__":
    main()

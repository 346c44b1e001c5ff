#!/usr/bin/env python3
"""CLBlast through gpuready against CLBlast called directly (clblast_direct.cpp), alternating in one
run on the first OpenCL device.

Usage: compare_clblast.py GPUREADY [SIZE] [PAIRS]; builds the direct program with g++ into a temporary
folder (OpenCL's and CLBlast's headers and libraries are needed). A ratio above 1 means that gpuready
is faster.
"""

import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

SECONDS = 1.5


def build(folder):
    source = pathlib.Path(__file__).with_name("clblast_direct.cpp")
    program = pathlib.Path(folder) / "clblast_direct"
    subprocess.run(["g++", "-O2", source, "-o", program, "-lOpenCL", "-lclblast"], check=True)
    return program


def ours(binary, size):
    command = [binary, "bench", "--device", "opencl:0", "--size", str(size), "--max-time", "6", "--json"]
    out = subprocess.run(command, capture_output=True, check=True)
    return json.loads(out.stdout)["cases"][0]


def main():
    binary, size = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1024
    pairs = int(sys.argv[3]) if len(sys.argv) > 3 else 10
    ratios, rates = [], []
    with tempfile.TemporaryDirectory() as folder:
        direct = build(folder)
        for pair in range(pairs):
            case = ours(binary, size) if pair % 2 == 0 else None
            sets = str(case["buffer_sets"]) if case else sets
            theirs = float(subprocess.run([direct, str(size), str(SECONDS), sets],
                                          capture_output=True, check=True).stdout)
            case = case or ours(binary, size)
            ratios.append(theirs / case["median_s"])
            rates.append(case["flops"] / 1e9)
            print(f"{rates[-1]:8.1f} GFLOP/s, directly {2e-9 * size**3 / theirs:.1f}", flush=True)
    low, middle, high = statistics.quantiles(ratios, n=4)
    print(f"n = {size}, {pairs} pairs: median ratio {middle:.3f}, quartiles {low:.3f} to {high:.3f}; "
          f"{statistics.median(rates):.1f} GFLOP/s; flags {case['flags']}")


if __name__ == "__main__":
    main()

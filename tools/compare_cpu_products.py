#!/usr/bin/env python3
"""gpuready's CPU product against NumPy's, PyTorch's and the distribution's OpenBLAS, alternating in
one run: ratios with their spread, and the per cent of the measured peak.

Usage: compare_cpu_products.py GPUREADY [SIZE] [PAIRS] [DTYPE]; run it with a Python that has numpy
and torch. DTYPE is fp32 or bf16 (the latter against PyTorch alone).

Every side runs in a process of its own with as many threads as gpuready uses, without variables that
tune BLAS libraries. gpuready takes its matrices in turn where they fit into the cache, and so do the
others here. A ratio above 1 means that gpuready is faster.
"""

import ctypes.util
import json
import os
import statistics
import subprocess
import sys

COMMON = """
import ctypes, sys, time, statistics
n, seconds, threads, file = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
sets = max(1, -(-2 * 32 * 2**20 // (8 * n * n)))
"""
TIMING = """
for i in range(3): multiply(i % sets)
times, began, i = [], time.perf_counter(), 0
while len(times) < 5 or time.perf_counter() - began < seconds:
    repeats = max(1, int(0.02 / times[-1])) if times else 1
    start = time.perf_counter()
    for _ in range(repeats): multiply(i % sets); i += 1
    times.append((time.perf_counter() - start) / repeats)
print(statistics.median(times))
"""
NUMPY_DATA = """
import numpy as np
rng = np.random.default_rng(1)
def uniform(): return rng.random((n, n), dtype=np.float32) * 2 - 1
data = [(uniform(), uniform(), np.empty((n, n), dtype=np.float32)) for _ in range(sets)]
"""
SIDES = {
    "numpy": NUMPY_DATA + """
def multiply(i): a, b, c = data[i]; np.matmul(a, b, out=c)
""",
    "debian": NUMPY_DATA + """
blas = ctypes.CDLL(file)
blas.openblas_set_num_threads(threads)
f, p = ctypes.c_float, lambda x: ctypes.c_void_p(x.ctypes.data)
def multiply(i):
    a, b, c = data[i]
    blas.cblas_sgemm(101, 111, 111, n, n, n, f(1), p(a), n, p(b), n, f(0), p(c), n)
""",
    "torch": """
import torch
torch.set_num_threads(threads)
kind = torch.bfloat16 if file == "bf16" else torch.float32
def uniform(): return (torch.rand(n, n) * 2 - 1).to(kind)
data = [(uniform(), uniform(), torch.empty(n, n, dtype=kind)) for _ in range(sets)]
def multiply(i): a, b, c = data[i]; torch.matmul(a, b, out=c)
""",
}


def environment(threads):
    tuning = ("OPENBLAS_", "MKL_", "ONEDNN_", "DNNL_", "BLIS_", "OMP_", "GOMP_", "KMP_")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(tuning)}
    limits = {name: str(threads) for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")}
    return {**kept, **(limits if threads else {})}


def theirs(side, size, threads, argument):
    script = COMMON + SIDES[side] + TIMING
    out = subprocess.run([sys.executable, "-c", script, str(size), "1.5", str(threads), argument],
                         capture_output=True, env=environment(threads), check=True)
    return float(out.stdout)


def ours(binary, size, dtype):
    command = [binary, "bench", "--lesson", "--device", "cpu", "--size", str(size), "--dtype", dtype,
               "--max-time", "10", "--json"]
    out = subprocess.run(command, capture_output=True, env=environment(None), check=True)
    return json.loads(out.stdout)["cases"][0]


def show(name, values):
    low, middle, high = statistics.quantiles(values, n=4)
    print(f"{name:24s} median {middle:8.3f}  quartiles {low:.3f} to {high:.3f}", flush=True)


def main():
    binary, size = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5000
    pairs = int(sys.argv[3]) if len(sys.argv) > 3 else 10
    dtype = sys.argv[4] if len(sys.argv) > 4 else "fp32"
    debian = ctypes.util.find_library("openblas") or ""
    sides = {"torch": dtype, **({"numpy": "", "debian": debian} if dtype == "fp32" else {})}
    ratios = {side: [] for side in (*sides, "the best of them")}
    rates, peaks, libraries, threads = [], [], set(), 1
    for pair in range(pairs):
        times = {}
        case = ours(binary, size, dtype) if pair % 2 == 0 else None
        threads = case["threads"] if case else threads
        for side, argument in sides.items():
            times[side] = theirs(side, size, threads, argument)
        case = case or ours(binary, size, dtype)
        for side, seconds in times.items():
            ratios[side].append(seconds / case["median_s"])
        ratios["the best of them"].append(min(times.values()) / case["median_s"])
        rates.append(case["flops"] / 1e9)
        peak = case["percent_of_peak"]["measured_clock"]
        peaks.append(peak if isinstance(peak, (int, float)) else float("nan"))
        libraries.add(f"{case['library']['name']} {case['library']['version']}")
        print(f"{rates[-1]:8.1f} GFLOP/s, {peaks[-1]:5.1f} % of peak; " + ", ".join(
            f"{side} {2e-9 * size**3 / seconds:.1f}" for side, seconds in times.items()), flush=True)
    print(f"n = {size}, {dtype}, {threads} threads, {pairs} pairs; {', '.join(sorted(libraries))}")
    show("GFLOP/s", rates)
    show("% of the measured peak", peaks)
    for side, values in ratios.items():
        show(f"{side} / gpuready", values)


if __name__ == "__main__":
    main()

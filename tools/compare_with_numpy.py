#!/usr/bin/env python3
"""gpuready's CPU product against NumPy's, alternating, in one run: ratios with their spread.

Usage: compare_with_numpy.py GPUREADY [SIZE] [PAIRS]; run it with a Python that has numpy.
Each side runs in a process of its own, with OpenBLAS's tuning variables removed and as many threads
as gpuready uses. A ratio above 1 means that gpuready is faster.
"""

import json
import os
import statistics
import subprocess
import sys

NUMPY = """
import sys, time, statistics, numpy as np
n, seconds = int(sys.argv[1]), float(sys.argv[2])
rng = np.random.default_rng(1)
a = (rng.random((n, n), dtype=np.float32) * 2 - 1)
b = (rng.random((n, n), dtype=np.float32) * 2 - 1)
c = np.empty((n, n), dtype=np.float32)
for _ in range(3): np.matmul(a, b, out=c)
times, began = [], time.perf_counter()
while len(times) < 5 or time.perf_counter() - began < seconds:
    start = time.perf_counter(); np.matmul(a, b, out=c); times.append(time.perf_counter() - start)
print(statistics.median(times))
"""


def main():
    binary, size = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5000
    pairs = int(sys.argv[3]) if len(sys.argv) > 3 else 10
    environment = {k: v for k, v in os.environ.items()
                   if k not in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")}

    def ours():
        out = subprocess.run([binary, "bench", "--device", "cpu", "--size", str(size), "--max-time",
                              "4", "--json"], capture_output=True, env=environment, check=True)
        return json.loads(out.stdout)["cases"][0]

    def theirs(threads):
        out = subprocess.run([sys.executable, "-c", NUMPY, str(size), "4"], capture_output=True,
                             env={**environment, "OPENBLAS_NUM_THREADS": str(threads)}, check=True)
        return float(out.stdout)

    ratios, rates = [], []
    for pair in range(pairs):
        if pair % 2:
            numpy_s = theirs(rates[-1][2])
            case = ours()
        else:
            case = ours()
            numpy_s = theirs(case["threads"])
        rates.append((case["flops"] / 1e9, 2 * size**3 / numpy_s / 1e9, case["threads"]))
        ratios.append(numpy_s / case["median_s"])
        print(f"{rates[-1][0]:8.1f} {rates[-1][1]:8.1f} GFLOP/s  ratio {ratios[-1]:.3f}", flush=True)
    quartiles = statistics.quantiles(ratios, n=4)
    print(f"n = {size}, {pairs} pairs: median ratio {statistics.median(ratios):.3f}, quartiles "
          f"{quartiles[0]:.3f} to {quartiles[2]:.3f}")


if __name__ == "__main__":
    main()

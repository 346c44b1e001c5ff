#!/usr/bin/env python3
"""How far `bench --quick` repeats itself: the spread of the quoted medians over some runs, how often
the 95 % interval of a run holds the median of all, and how long a run takes.

Usage: repeat_quick.py GPUREADY [RUNS]
"""

import collections
import json
import statistics
import subprocess
import sys
import time


def main():
    binary, runs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 20
    found, took = collections.defaultdict(list), []
    for _ in range(runs):
        start = time.monotonic()
        out = subprocess.run([binary, "bench", "--quick", "--json"], capture_output=True, check=True)
        took.append(time.monotonic() - start)
        for case in json.loads(out.stdout)["cases"]:
            key = (case["device"], case["backend"], case["dtype"]["name"], case["shape"]["n"])
            found[key].append((case["median_s"], *case["ci95_s"]))
    print(f"{runs} runs; seconds of a run: median {statistics.median(took):.1f}, most {max(took):.1f}")
    for key, rows in sorted(found.items()):
        medians = [row[0] for row in rows]
        middle = statistics.median(medians)
        low, _, high = statistics.quantiles(medians, n=4)
        held = sum(row[1] <= middle <= row[2] for row in rows)
        print(f"{' '.join(map(str, key))}: median {middle * 1e3:.3f} ms, quartiles "
              f"{100 * (low / middle - 1):+.1f} % to {100 * (high / middle - 1):+.1f} %, range "
              f"{100 * (min(medians) / middle - 1):+.1f} % to {100 * (max(medians) / middle - 1):+.1f} %; "
              f"the interval held it in {held} of {len(rows)}")


if __name__ == "__main__":
    main()

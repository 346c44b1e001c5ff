#!/usr/bin/env python3
"""The lesson's product in PyTorch, on the CPU and on the GPU: medians as one JSON object.

TF32 is off, as in gpuready's fp32. Exits with 3 where PyTorch is not installed.
"""

import json
import statistics
import sys
import time

SIZE, WARM_UP, REPEATS, MOST_SECONDS = 5000, 3, 20, 12.0


def measure(torch, device):
    a = torch.rand(SIZE, SIZE, device=device) * 2 - 1
    b = torch.rand(SIZE, SIZE, device=device) * 2 - 1
    wait = torch.cuda.synchronize if device == "cuda" else (lambda: None)
    times, began = [], time.perf_counter()
    for i in range(WARM_UP + REPEATS):
        start = time.perf_counter()
        torch.matmul(a, b)
        wait()
        if i >= WARM_UP:
            times.append(time.perf_counter() - start)
        if len(times) >= 3 and time.perf_counter() - began > MOST_SECONDS:
            break
    return {"median_s": statistics.median(times), "samples": len(times), "least_s": min(times),
            "most_s": max(times)}


def main():
    try:
        import torch
    except ImportError as error:
        print(json.dumps({"absent": "not-found", "detail": str(error)}))
        return 3
    torch.backends.cuda.matmul.allow_tf32 = False
    answer = {"version": torch.__version__, "threads": torch.get_num_threads(),
              "cpu": measure(torch, "cpu")}
    if torch.cuda.is_available():
        answer["name"] = torch.cuda.get_device_name(0)
        answer["cuda"] = measure(torch, "cuda")
    print(json.dumps(answer))
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Products of PyTorch on the GPU in every type, to stand beside gpuready's: one JSON object.

torch.matmul for fp64 to fp16, torch._scaled_mm for fp8, torch._int_mm for int8; the second matrix
transposed as Tensor Cores like it, uniform data, two sets of matrices in turn, batches of 20 ms
timed by CUDA events, medians. Exits with 3 where PyTorch or its GPU is missing.
"""

import json
import statistics
import sys
import time

SIZES, SECONDS, BATCH_S = (4096, 8192), 0.6, 0.02


def uniform(torch, n, dtype):
    if dtype == torch.int8:
        return torch.randint(-127, 128, (n, n), device="cuda", dtype=torch.int8)
    values = torch.rand(n, n, device="cuda") * 2 - 1
    return (values * 16).to(dtype) if dtype == torch.float8_e4m3fn else values.to(dtype)


def products(torch, name, n):
    """A function that multiplies the i-th set."""
    dtype = {"fp64": torch.float64, "fp32": torch.float32, "tf32": torch.float32,
             "bf16": torch.bfloat16, "fp16": torch.float16, "int8": torch.int8,
             "fp8": getattr(torch, "float8_e4m3fn", None)}[name]
    if dtype is None:
        raise RuntimeError("this PyTorch has no such type")
    torch.backends.cuda.matmul.allow_tf32 = name == "tf32"
    sets = [(uniform(torch, n, dtype), uniform(torch, n, dtype)) for _ in range(2)]
    if name == "fp8":
        one = torch.ones((), device="cuda")
        return lambda i: torch._scaled_mm(sets[i % 2][0], sets[i % 2][1].t(), scale_a=one, scale_b=one,
                                          out_dtype=torch.bfloat16, use_fast_accum=True)
    if name == "int8":
        return lambda i: torch._int_mm(sets[i % 2][0], sets[i % 2][1].t())
    if name in ("fp64", "fp32"):
        return lambda i: torch.matmul(sets[i % 2][0], sets[i % 2][1])
    return lambda i: torch.matmul(sets[i % 2][0], sets[i % 2][1].t())


def batch(torch, multiply, repeats):
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for i in range(repeats):
        multiply(i)
    stop.record()
    torch.cuda.synchronize()
    return start.elapsed_time(stop) / 1000 / repeats


def measure(torch, name, n):
    multiply = products(torch, name, n)
    for i in range(3):
        multiply(i)
    once = batch(torch, multiply, 4)
    repeats = max(4, round(BATCH_S / once))
    warm_until = time.perf_counter() + SECONDS
    while time.perf_counter() < warm_until:
        batch(torch, multiply, repeats)
    times, began = [], time.perf_counter()
    while len(times) < 10 or time.perf_counter() - began < SECONDS:
        times.append(batch(torch, multiply, repeats))
    return {"median_s": statistics.median(times), "least_s": min(times), "most_s": max(times),
            "flops": 2 * n**3 / statistics.median(times)}


def main():
    try:
        import torch
    except ImportError as error:
        print(json.dumps({"absent": "not-found", "detail": str(error)}))
        return 3
    if not torch.cuda.is_available():
        print(json.dumps({"absent": "not-found", "detail": "torch.cuda.is_available() is False"}))
        return 3
    answer = {"version": torch.__version__, "name": torch.cuda.get_device_name(0), "rates": []}
    for n in SIZES:
        for name in ("fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "int8"):
            row = {"dtype": name, "n": n}
            try:
                row.update(measure(torch, name, n))
            except Exception as error:  # a type that this GPU or this PyTorch lacks
                row["error"] = str(error)[:300]
            answer["rates"].append(row)
    print(json.dumps(answer))
    return 0


if __name__ == "__main__":
    sys.exit(main())

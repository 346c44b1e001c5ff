#include "api/torch_bench_script.hpp"

namespace gpuready::api {

namespace {

/// For any Python from 3.6 and any torch. What the import prints goes to standard error: standard
/// output belongs to the answer. The work's own folder stands on sys.path for the import only.
constexpr std::string_view script = R"PYTHON(
import sys
work = sys.path.pop(0) if sys.path and sys.path[0] == "" else None
import json
import os
import time
out = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
if work is not None:
    sys.path.insert(0, work)
ask = json.loads(sys.argv[1])
answer = {}


def words(error):
    return (type(error).__name__ + ": " + " ".join(str(error).split()))[:500]


def run(torch):
    device = torch.device(ask["device"])
    answer["version"] = str(torch.__version__)
    cuda = getattr(torch.version, "cuda", None)
    answer["cuda"] = str(cuda) if cuda else ""
    answer["config"] = str(torch.__config__.show())[:4000]
    answer["threads"] = int(torch.get_num_threads())
    matmul = getattr(torch.backends.cuda, "matmul", None)
    answer["tf32"] = bool(getattr(matmul, "allow_tf32", False))
    if matmul is not None and ask["dtype"] in ("fp32", "tf32"):
        matmul.allow_tf32 = ask["dtype"] == "tf32"
    kind = {"fp64": "float64", "fp32": "float32", "tf32": "float32", "bf16": "bfloat16",
            "fp16": "float16"}[ask["dtype"]]
    dtype = getattr(torch, kind)
    make = lambda rows, columns: (torch.rand(rows, columns, device=device) * 2 - 1).to(dtype)
    a, b = make(ask["m"], ask["k"]), make(ask["k"], ask["n"])
    c = torch.empty(ask["m"], ask["n"], device=device, dtype=dtype)
    wait = torch.cuda.synchronize if device.type == "cuda" else (lambda: None)

    def batch(count):
        wait()
        start = time.perf_counter()
        for _ in range(count):
            torch.mm(a, b, out=c)
        wait()
        return (time.perf_counter() - start) / count

    batch(1)
    once = max(batch(1), 1e-7)
    count = max(1, int(0.02 / once))
    end = time.perf_counter() + ask["seconds"]
    batch(count)
    samples = [batch(count)]
    while time.perf_counter() < end and len(samples) < 1000:
        samples.append(batch(count))
    answer["seconds"] = samples


try:
    import torch
    run(torch)
except BaseException as error:
    answer["error"] = words(error)
out.write("gpuready-torch-bench:" + json.dumps(answer) + "\n")
out.flush()
os._exit(0)
)PYTHON";

}  // namespace

std::string_view torch_bench_script() { return script; }

}  // namespace gpuready::api

#include "probe/torch_script.hpp"

namespace gpuready::probe {

namespace {

/// For any Python from 3.6 and any torch. What the import prints goes to standard error: standard
/// output belongs to the answers, each a line of the whole answer so far, so that a hang or a crash
/// takes away only what comes after it. The folder of the work stands on sys.path again before the
/// import, as it does for the user.
constexpr std::string_view script = R"PYTHON(
import sys
work = sys.path.pop(0) if sys.path and sys.path[0] == "" else None
import json
import os
out = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
if work is not None:
    sys.path.insert(0, work)
answer, sources = {}, {}
rest = ["version", "file", "cuda", "hip", "available", "started", "device_count", "arch_list",
        "visible_devices", "libcuda", "cpu_product"]


def text(value):
    return str(value).encode("utf-8", "replace").decode("utf-8")[:1000]


def tell(done=False):
    out.write("gpuready-torch:" + json.dumps(
        {"answer": answer, "sources": sources, "done": done}) + "\n")
    out.flush()


def words(error):
    return text(type(error).__name__ + ": " + " ".join(str(error).split()))


def ask(into, name, source, question, path=""):
    tell()
    try:
        into[name] = question()
        sources[path + name] = source
    except BaseException as error:
        into[name] = {"absent": "call-failed", "detail": source + ": " + words(error)}


def absent(reason, detail):
    return {"absent": reason, "detail": detail}


def built_for(torch, name):
    value = getattr(torch.version, name, None)
    return text(value) if value else absent("not-applicable", "torch.version." + name + " is None")


def arch_list(torch):
    listed = torch.cuda.get_arch_list()
    if not listed and hasattr(torch._C, "_cuda_getArchFlags"):
        listed = (torch._C._cuda_getArchFlags() or "").split()
    return [text(name)[:40] for name in listed][:200]


def libcuda():
    with open("/proc/self/maps") as maps:
        for line in maps:
            path = line.rstrip("\n").split(None, 5)[-1]
            if "/libcuda.so" in path:
                return text(path)
    return absent("not-found", "no libcuda.so in /proc/self/maps")


def visible():
    value = os.environ.get("CUDA_VISIBLE_DEVICES")
    return absent("not-found", "CUDA_VISIBLE_DEVICES is not set") if value is None else text(value)


def product(torch, device):
    n = 32
    a = [[(3 * i + 5 * j) % 7 - 3 for j in range(n)] for i in range(n)]
    b = [[(2 * i + 3 * j) % 5 - 2 for j in range(n)] for i in range(n)]
    c = [[sum(a[i][k] * b[k][j] for k in range(n)) for j in range(n)] for i in range(n)]
    x, y = (torch.tensor(m, dtype=torch.float32).to(device) for m in (a, b))
    got = torch.mm(x, y).cpu().tolist()
    return all(abs(got[i][j] - c[i][j]) < 0.5 for i in range(n) for j in range(n))


def ask_device(torch, index):
    device = {"index": index}
    answer["devices"].append(device)
    path = "devices[%d]." % index
    ask(device, "name", "torch.cuda.get_device_name",
        lambda: text(torch.cuda.get_device_name(index)), path)
    ask(device, "compute_capability", "torch.cuda.get_device_capability",
        lambda: "%d.%d" % tuple(torch.cuda.get_device_capability(index)), path)
    ask(device, "product", "torch.mm", lambda: product(torch, "cuda:%d" % index), path)


def ask_torch(torch):
    ask(answer, "version", "torch.__version__", lambda: text(torch.__version__))
    ask(answer, "file", "torch.__file__", lambda: text(torch.__file__))
    ask(answer, "cuda", "torch.version.cuda", lambda: built_for(torch, "cuda"))
    ask(answer, "hip", "torch.version.hip", lambda: built_for(torch, "hip"))
    ask(answer, "visible_devices", "os.environ", visible)
    ask(answer, "available", "torch.cuda.is_available()", lambda: bool(torch.cuda.is_available()))
    ask(answer, "device_count", "torch.cuda.device_count()",
        lambda: int(torch.cuda.device_count()))
    ask(answer, "arch_list", "torch.cuda.get_arch_list()", lambda: arch_list(torch))
    ask(answer, "cpu_product", "torch.mm", lambda: product(torch, "cpu"))
    ask(answer, "started", "torch.cuda.init()", lambda: torch.cuda.init() is None)
    ask(answer, "libcuda", "/proc/self/maps", libcuda)
    if answer["available"] is True and isinstance(answer["device_count"], int):
        for index in range(min(answer["device_count"], 64)):
            ask_device(torch, index)


answer["python_version"] = "%d.%d.%d" % tuple(sys.version_info[:3])
sources["python_version"] = "sys.version_info"
answer["devices"] = []
tell()
try:
    import torch
    answer["imported"] = True
    sources["imported"] = "import torch"
except BaseException as error:
    gone = isinstance(error, ImportError) and getattr(error, "name", None) == "torch" \
        and "No module named" in str(error)
    answer["imported"] = absent("not-found" if gone else "call-failed", words(error))
    for name in rest:
        answer[name] = absent("not-tested", "import torch failed")
else:
    ask_torch(torch)
tell(True)
out.close()
os._exit(0)
)PYTHON";

}  // namespace

std::string_view torch_script() { return script; }

}  // namespace gpuready::probe

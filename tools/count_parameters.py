#!/usr/bin/env python3
"""Counts the parameters of every configuration in tests/fit/configs with transformers.

Usage: count_parameters.py [NAME...]

Builds each model on the meta device, so without weights, and writes tests/fit/tables/parameters.csv:
parameters (tensors that a checkpoint stores, tied ones once), their bytes in the file's own type,
and the versions that counted. With names, only these are counted and shown.

Needs PyPI's transformers and torch in a folder of their own:

    python3 -m venv build/wheels/count
    build/wheels/count/bin/pip install transformers==5.24.0 torch==2.9.1 numpy
    build/wheels/count/bin/python tools/count_parameters.py
"""

import csv
import json
import pathlib
import sys
import tempfile
import warnings

warnings.filterwarnings("ignore")
import torch  # noqa: E402
import transformers  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
CONFIGS = ROOT / "tests/fit/configs"
TABLE = ROOT / "tests/fit/tables/parameters.csv"


# Buffers that a class keeps with its weights although it computes them itself (MiniMax-01, Apertus).
CONSTANTS = {"slope_rate", "query_decay", "key_decay", "diagonal_decay", "beta", "eps"}


def dtype_name(content):
    """What the file, or its text part, names."""
    inner = content.get("text_config", {})
    return (content.get("torch_dtype") or content.get("dtype") or inner.get("torch_dtype")
            or inner.get("dtype"))


def build(path):
    """The model that the file names, with no storage. A quantiser would need a GPU: it is left out,
    so that counts are of the model before it was quantised."""
    content = json.loads(path.read_text(encoding="utf-8"))
    content.pop("quantization_config", None)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "config.json"
        file.write_text(json.dumps(content), encoding="utf-8")
        config = transformers.AutoConfig.from_pretrained(folder)
    model_class = getattr(transformers, content["architectures"][0])
    with torch.device("meta"):
        model = model_class._from_config(config)
    model.tie_weights()
    return model, getattr(torch, dtype_name(content) or "float32")


def count(model, dtype):
    """Stored tensors, each once: tied ones are one object. A buffer belongs to the checkpoint too
    (corrections of routers, scales of layers). Bytes are those of the file's own type throughout:
    routers that a class keeps in 32 bits are less than a thousandth."""
    seen, parameters = set(), 0
    for name, tensor in model.state_dict(keep_vars=True).items():
        constant = not isinstance(tensor, torch.nn.Parameter) and name.split(".")[-1] in CONSTANTS
        if id(tensor) not in seen and tensor.is_floating_point() and not constant:
            seen.add(id(tensor))
            parameters += tensor.numel()
    return parameters, parameters * dtype.itemsize


def main():
    names = sys.argv[1:]
    rows = []
    for path in sorted(CONFIGS.glob("*.json")):
        if names and path.stem not in names:
            continue
        try:
            parameters, size = count(*build(path))
        except Exception as error:  # a class that this version has not got, or refuses
            print(f"{path.stem}: {type(error).__name__}: {str(error)[:300]}", file=sys.stderr)
            continue
        content = json.loads(path.read_text(encoding="utf-8"))
        rows.append([path.stem, content["model_type"], content["architectures"][0], parameters, size,
                     transformers.__version__, torch.__version__.split("+")[0]])
        print(*rows[-1], sep=",")
    if names:
        return 0
    TABLE.parent.mkdir(parents=True, exist_ok=True)
    with TABLE.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["config", "model_type", "class", "parameters", "bytes", "transformers",
                         "torch"])
        writer.writerows(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())

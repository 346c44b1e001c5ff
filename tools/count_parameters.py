#!/usr/bin/env python3
"""Counts the parameters of every configuration in tests/fit/configs with transformers.

Usage: count_parameters.py FOLDER [NAME...]

Builds each model on the meta device, so without weights, and writes tables/parameters.csv into the
folder: parameters (tensors that a checkpoint stores, tied ones once), those of routed experts and of
the head, all bytes in the file's own type, and the versions that counted. With names, only these are counted and shown.
scripts/test --peers runs it; torch brings 3 GB of libraries that counting does not use.
"""

import csv
import json
import pathlib
import re
import sys
import tempfile
import warnings

warnings.filterwarnings("ignore")
import torch  # noqa: E402
import transformers  # noqa: E402
from transformers.quantizers import AutoHfQuantizer  # noqa: E402

REQUIREMENTS = "transformers==5.24.0 torch==2.9.1 numpy==2.4.6"
ROOT = pathlib.Path(__file__).resolve().parent.parent
CONFIGS = ROOT / "tests/fit/configs"


# Buffers that a class keeps with its weights although it computes them itself (MiniMax-01, Apertus).
CONSTANTS = {"slope_rate", "query_decay", "key_decay", "diagonal_decay", "beta", "eps"}


def dtype_name(content):
    """What the file, or its text part, names."""
    inner = content.get("text_config", {})
    return (content.get("torch_dtype") or content.get("dtype") or inner.get("torch_dtype")
            or inner.get("dtype"))


def build(content):
    """The model that the file names, with no storage, before it is quantised."""
    plain = {key: value for key, value in content.items() if key != "quantization_config"}
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "config.json"
        file.write_text(json.dumps(plain), encoding="utf-8")
        config = transformers.AutoConfig.from_pretrained(folder)
    dtype = getattr(torch, dtype_name(content) or "float32")
    with torch.device("meta"):
        model = getattr(transformers, content["architectures"][0])._from_config(config, dtype=dtype)
    model.tie_weights()
    return model, dtype


def stored(model):
    """Tensors of a checkpoint, each once: tied ones are one object. A buffer belongs to it too
    (corrections of routers, scales of layers)."""
    seen = set()
    for name, tensor in model.state_dict(keep_vars=True).items():
        constant = not isinstance(tensor, torch.nn.Parameter) and name.split(".")[-1] in CONSTANTS
        if id(tensor) not in seen and tensor.is_floating_point() and not constant:
            seen.add(id(tensor))
            yield name, tensor


def is_expert(name):
    """A matrix of routed experts, by the names that the classes have for it."""
    routed = re.search(r"experts\.|block_sparse_moe\.(input|output)_linear", name)
    return routed and "shared" not in name and "bias" not in name


def is_head(name):
    return re.search(r"(lm_head|embed_out|proj_out)\.weight$", name)


def count(content):
    """Parameters, those of routed experts and of the head, and all bytes in the file's own type throughout (routers that a class keeps in
    32 bits are less than a thousandth) or, of FP8 files, as the quantiser lays them out. The other
    quantisers need libraries of their own: bytes of their files are left out."""
    model, dtype = build(content)
    sizes = {name: tensor.numel() for name, tensor in stored(model)}
    counts = [sum(sizes.values()), sum(size for name, size in sizes.items() if is_expert(name)),
              sum(size for name, size in sizes.items() if is_head(name))]
    quantisation = content.get("quantization_config")
    if quantisation is None:
        return [*counts, counts[0] * dtype.itemsize]
    if quantisation["quant_method"] != "fp8":
        return [*counts, ""]
    model.config.quantization_config = quantisation
    quantiser = AutoHfQuantizer.from_config(quantisation, pre_quantized=True)
    with torch.device("meta"):
        quantiser.preprocess_model(model=model, device_map=None, keep_in_fp32_modules=[])
    return [*counts, sum(one.numel() * one.element_size() for _, one in stored(model))]


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    names = sys.argv[2:]
    rows, failed = [], False
    for path in sorted(CONFIGS.glob("*.json")):
        if names and path.stem not in names:
            continue
        content = json.loads(path.read_text(encoding="utf-8"))
        try:
            counts = count(content)
        except Exception as error:  # a class that this version has not got, or refuses
            print(f"{path.stem}: {type(error).__name__}: {str(error)[:300]}", file=sys.stderr)
            failed = True
            continue
        rows.append([path.stem, content["model_type"], content["architectures"][0], *counts,
                     transformers.__version__, torch.__version__.split("+")[0]])
        print(*rows[-1], sep=",")
    if names:
        return 0
    table = pathlib.Path(sys.argv[1]) / "tables/parameters.csv"
    table.parent.mkdir(parents=True, exist_ok=True)
    with table.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["config", "model_type", "class", "parameters", "experts", "head", "bytes",
                         "transformers", "torch"])
        writer.writerows(rows)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

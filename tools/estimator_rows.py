"""What compare_estimators.py and its test share: the measured rows, and gpuready's answer to each.

gpuready is asked as a user asks it: a name of its catalogue, or a configuration file where it has
none, and the options of the row. Needs nothing but Python.
"""

import csv
import functools
import json
import os
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MEASURED = ROOT / "tests/fit/tables/ground_truth.csv"
TABLE = "other_estimators.csv"
COLUMNS = ["id", "tool", "version", "measured_bytes", "estimate_bytes", "ratio", "how"]
UNITS = {"B": 1, "MiB": 2**20, "GiB": 2**30, "GB": 10**9}
TOOLS = ["gpuready", "hf-mem", "accelerate", "llmfit"]

# Name in the table of measured rows -> what gpuready is given.
ASKED = {
    "mistral-7b": "Mistral-7B-Instruct-v0.1",
    "qwen2.5-1.5b": "Qwen2.5-1.5B-Instruct",
    "qwen2.5-3b": "Qwen2.5-3B-Instruct",
    "qwen2.5-7b": "Qwen2.5-7B-Instruct",
    "qwen2.5-14b": "Qwen2.5-14B-Instruct",
    "qwen2.5-32b": "Qwen2.5-32B-Instruct",
    "qwen2.5-72b": "Qwen2.5-72B-Instruct",
    "qwen3-235b-a22b": "Qwen3-235B-A22B",
    "qwen3.5-9b": "Qwen3.5-9B",
    "qwen3.5-27b": "Qwen3.5-27B",
    "deepseek-r1": "DeepSeek-R1",
    "bge-m3": "BGE-M3",
    "bert-large": "BERT-large-uncased",
    "mixtral-8x7b": "Mixtral-8x7B-Instruct-v0.1",
    "llama-2-7b": "Llama-2-7B-chat",
    "llama-2-13b": "Llama-2-13B-chat",
    "llama-3-8b": "Llama-3-8B-Instruct",
    "llama-3.2-11b-vision": "Llama-3.2-11B-Vision-Instruct",
    "llama-30b": "tests/fit/configs/llama-30b.json",
    "codellama-34b": "CodeLlama-34b-Instruct",
    "lfm2-1.2b": "LFM2-1.2B",
    "phi-1.5": "Phi-1.5",
    "stablelm-3b": "tests/fit/configs/stablelm-alpha-3b.json",
    "gpt-oss-120b": "gpt-oss-120b",
    "resnet-50": "ResNet-50",
    "flux.1-dev": "FLUX.1-dev",
    "sdxl": "stabilityai/stable-diffusion-xl-base-1.0",
}
# Options of the table that gpuready names otherwise; those that are there or not.
RENAMED = {"flash": "flash-attention"}
FLAGS = {"fsdp", "vae-slicing"}
# A measured context is no option: it takes the estimate's place.
CONTEXT = "context-mib"


def measured_rows():
    with MEASURED.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row["options"] = dict(word.split("=", 1) for word in row["options"].split())
        row["measured_bytes"] = float(row["measured"]) * UNITS[row["unit"]]
    return rows


def gpuready_binary():
    found = os.environ.get("GPUREADY_BINARY", str(ROOT / "build/bin/gpuready"))
    if not os.access(found, os.X_OK):
        sys.exit(f"{found}: no program; scripts/run builds it, GPUREADY_BINARY names another")
    return found


def arguments(row):
    count, gib = row["gpus"].split("x")
    out = ["fit", ASKED[row["model"]], "--json", "--gpus", count, "--vram", gib + "GiB"]
    for name, value in row["options"].items():
        if name == CONTEXT:
            continue
        out.append("--" + RENAMED.get(name, name))
        if name not in FLAGS:
            out.append(value)
    return out


@functools.lru_cache(maxsize=None)
def answer(*asked):
    """The JSON of one command; 1 is the code of what does not fit."""
    result = subprocess.run([gpuready_binary(), *asked], capture_output=True, text=True, cwd=ROOT,
                            env={**os.environ, "HF_HUB_OFFLINE": "1", "LC_ALL": "C"})
    if result.returncode not in (0, 1):
        raise RuntimeError(f"{' '.join(asked)}: {result.stderr.strip()}")
    return json.loads(result.stdout)


def terms_of(scope):
    """Whether a term belongs to what was measured, as in tests/fit/ground_truth_test.cpp."""
    if scope == "total":
        return lambda name: True
    if scope == "reserved":
        return lambda name: name != "context"
    if scope == "allocated":
        return lambda name: name not in ("context", "reserve")
    names = scope.split("+")
    return lambda name: name in names


def ours(row):
    """(bytes, how): of training on the fullest GPU, else of all GPUs; @last: of the last."""
    asked = arguments(row)
    said = answer(*asked)
    scope, last = row["scope"].removesuffix("@last"), row["scope"].endswith("@last")
    devices = said["devices"]
    if last:
        devices = devices[-1:]
    elif said["runtime"] == "train":
        devices = [max(devices, key=lambda one: one["total"]["high_bytes"])]
    counts, total = terms_of(scope), 0
    for term in (term for device in devices for term in device["terms"]):
        if counts(term["name"]):
            given = term["name"] == "context" and row["options"].get(CONTEXT)
            total += int(given) << 20 if given else term["expected_bytes"]
    return total, "gpuready " + " ".join(asked) + f"; {row['scope']}"


def version_of_ours():
    out = subprocess.run([gpuready_binary(), "--version"], capture_output=True, text=True)
    return out.stdout.split()[-1]


def table_rows(table):
    with table.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def ratios(table):
    """Tool -> {row: ratio to what was measured}, of the rows that it takes."""
    out = {tool: {} for tool in TOOLS}
    for line in table_rows(table):
        if line["ratio"]:
            out[line["tool"]][line["id"]] = float(line["ratio"])
    return out


def errors(of, rows):
    return [abs(of[row] - 1) for row in rows]


def percent(value):
    return f"{100 * value:.1f} %" if value >= 0.01 else f"{100 * value:.2f} %"


def summary(of):
    """Lines of a table: a tool, how many rows it takes, its median and worst error, ours on these."""
    out = []
    for tool in TOOLS[1:]:
        sides = [errors(of[side], of[tool]) for side in (tool, TOOLS[0])]
        figures = [percent(of_side(side)) for side in sides
                   for of_side in (statistics.median, max)]
        out.append(f"| {tool} | {len(of[tool])} | " + " | ".join(figures) + " |")
    return out

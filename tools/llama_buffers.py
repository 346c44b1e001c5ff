#!/usr/bin/env python3
"""What a real llama.cpp allocates for small models of random weights: tests/fit/tables/
llama_buffers.csv, and the headers of these models, tests/fit/llama/*.head.

Each model is written by PyPI's gguf, loaded on the CPU by PyPI's xllamacpp (llama.cpp compiled, its
version is the build number at the end of the package's), at three contexts, and with a cache in f16
and in q8_0. The table holds the sizes that llama.cpp prints. A head is the file without its tensors'
data, for the suite, which makes it as long as it was.

Needs PyPI's packages of requirements below; scripts/test --peers installs them into a folder of
their own, runs this and says where the tables differ.

Usage: llama_buffers.py FOLDER (tests/fit)
"""

import csv
import pathlib
import re
import subprocess
import sys
import tempfile
from importlib.metadata import version

import gguf
import numpy as np

REQUIREMENTS = "xllamacpp==2026.10.11549 gguf==0.19.0 numpy==2.4.6"

CONTEXTS = (512, 2048, 8192)
VOCABULARY = 512
HIDDEN = 256
FEED_FORWARD = 512

# name -> architecture and what is not usual. Heads are of 64 elements where nothing else is said.
MODELS = {
    "llama-mha": {"arch": "llama", "heads": 4, "kv_heads": 4, "layers": 3, "tied": False},
    "llama-gqa": {"arch": "llama", "heads": 8, "kv_heads": 2, "layers": 4, "tied": True, "head": 32},
    "llama-mqa": {"arch": "llama", "heads": 4, "kv_heads": 1, "layers": 5, "tied": False},
    "llama-moe": {"arch": "llama", "heads": 4, "kv_heads": 2, "layers": 3, "tied": False,
                  "experts": 4, "used": 2},
    "qwen2-gqa": {"arch": "qwen2", "heads": 4, "kv_heads": 2, "layers": 6, "tied": True,
                  "biases": True},
    "qwen3-wide-head": {"arch": "qwen3", "heads": 4, "kv_heads": 2, "layers": 4, "tied": True,
                        "head": 128, "qk_norms": True},
    "gemma2-window": {"arch": "gemma2", "heads": 4, "kv_heads": 2, "layers": 6, "tied": True,
                      "window": 1024, "post_norms": True},
    "gemma3-window": {"arch": "gemma3", "heads": 4, "kv_heads": 1, "layers": 12, "tied": True,
                      "window": 512, "post_norms": True, "qk_norms": True},
}
QUANTISED = {"llama-gqa", "gemma3-window", "llama-moe"}


def keys(writer, m):
    writer.add_block_count(m["layers"])
    writer.add_embedding_length(HIDDEN)
    writer.add_feed_forward_length(FEED_FORWARD)
    writer.add_context_length(16384)
    writer.add_head_count(m["heads"])
    writer.add_head_count_kv(m["kv_heads"])
    writer.add_key_length(m.get("head", 64))
    writer.add_value_length(m.get("head", 64))
    writer.add_rope_dimension_count(m.get("head", 64))
    writer.add_layer_norm_rms_eps(1e-6)
    if "experts" in m:
        writer.add_expert_count(m["experts"])
        writer.add_expert_used_count(m["used"])
    if "window" in m:
        writer.add_sliding_window(m["window"])
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    special = ["<unk>", "<s>", "</s>"]
    tokens = special + [f"<0x{i:02X}>" for i in range(256)]
    tokens += [f"t{i}" for i in range(VOCABULARY - len(tokens))]
    kinds = [2, 3, 3] + [6] * 256 + [1] * (VOCABULARY - 259)
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * VOCABULARY)
    writer.add_token_types(kinds)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)


def add(writer, random, name, shape, kind):
    values = (random.standard_normal(shape) * 0.02).astype(np.float32)
    if kind == gguf.GGMLQuantizationType.F32:
        writer.add_tensor(name, values)
    else:
        writer.add_tensor(name, gguf.quants.quantize(values, kind), raw_dtype=kind)


def attention(put, m, layer):
    head = m.get("head", 64)
    q, kv = m["heads"] * head, m["kv_heads"] * head
    for part, rows in (("q", q), ("k", kv), ("v", kv)):
        put(f"blk.{layer}.attn_{part}.weight", (rows, HIDDEN))
        if m.get("biases"):
            put(f"blk.{layer}.attn_{part}.bias", (rows,))
    put(f"blk.{layer}.attn_output.weight", (HIDDEN, q))
    if m.get("qk_norms"):
        put(f"blk.{layer}.attn_q_norm.weight", (head,))
        put(f"blk.{layer}.attn_k_norm.weight", (head,))


def feed_forward(put, m, layer):
    experts = m.get("experts", 0)
    suffix, first = ("_exps", (experts,)) if experts else ("", ())
    if experts:
        put(f"blk.{layer}.ffn_gate_inp.weight", (experts, HIDDEN), plain=True)
    put(f"blk.{layer}.ffn_gate{suffix}.weight", (*first, FEED_FORWARD, HIDDEN))
    put(f"blk.{layer}.ffn_up{suffix}.weight", (*first, FEED_FORWARD, HIDDEN))
    put(f"blk.{layer}.ffn_down{suffix}.weight", (*first, HIDDEN, FEED_FORWARD))


def write_model(path, name, m, random):
    writer = gguf.GGUFWriter(path, m["arch"])
    keys(writer, m)
    types = gguf.GGMLQuantizationType
    matrix = types.Q8_0 if name in QUANTISED else types.F16

    def put(tensor, shape, plain=False):
        add(writer, random, tensor, shape, types.F32 if plain or len(shape) == 1 else matrix)

    put("token_embd.weight", (VOCABULARY, HIDDEN))
    put("output_norm.weight", (HIDDEN,))
    if not m["tied"]:
        put("output.weight", (VOCABULARY, HIDDEN))
    for layer in range(m["layers"]):
        for norm in ("attn_norm", "ffn_norm"):
            put(f"blk.{layer}.{norm}.weight", (HIDDEN,))
        if m.get("post_norms"):
            put(f"blk.{layer}.post_attention_norm.weight", (HIDDEN,))
            put(f"blk.{layer}.post_ffw_norm.weight", (HIDDEN,))
        attention(put, m, layer)
        feed_forward(put, m, layer)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


# Run apart, because llama.cpp prints on its own standard error.
LOAD = """
import os, sys, xllamacpp as x
p = x.CommonParams()
p.model.path, p.n_ctx, p.n_gpu_layers, p.n_parallel = sys.argv[1], int(sys.argv[2]), 0, 1
kinds = {"f16": x.ggml_type.GGML_TYPE_F16, "q8_0": x.ggml_type.GGML_TYPE_Q8_0}
p.cache_type_k = p.cache_type_v = kinds[sys.argv[3]]
p.n_ubatch, p.n_batch, p.warmup, p.verbosity = 512, 2048, False, 4
p.flash_attn_type = x.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_ENABLED
p.fit_params = False
p.cache_ram_mib = 0
server = x.Server(p)
os._exit(0)  # the log is out; ending the server takes long
"""
SIZE = re.compile(r"(\S+)\s+(model|KV|RS|compute|output)\s+buffer size\s*=\s*([\d.]+) MiB")


def sizes(path, context, kind):
    """[(what, MiB as printed)], in the order of printing."""
    done = subprocess.run([sys.executable, "-c", LOAD, str(path), str(context), kind],
                          capture_output=True, text=True, timeout=60, check=False)
    log = done.stdout + done.stderr
    found = [(what.lower(), mib) for _, what, mib in SIZE.findall(log)]
    if not any(what == "compute" for what, _ in found):
        raise SystemExit(f"{path.name}: llama.cpp did not load it:\n{log[-3000:]}")
    return found


def main():
    folder = pathlib.Path(sys.argv[1])
    heads, tables = folder / "llama", folder / "tables"
    for place in (heads, tables):
        place.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(1)
    made_by = f"xllamacpp {version('xllamacpp')}, gguf {version('gguf')}"
    rows = []
    with tempfile.TemporaryDirectory() as work:
        for name, m in MODELS.items():
            path = pathlib.Path(work, name + ".gguf")
            write_model(path, name, m, random)
            data = path.read_bytes()
            reader = gguf.GGUFReader(path)
            (heads / f"{name}.head").write_bytes(data[:reader.data_offset])
            for context in CONTEXTS:
                for kind in ("f16", "q8_0"):
                    for what, mib in sizes(path, context, kind):
                        rows.append([name, len(data), context, kind, what, mib, made_by])
    with (tables / "llama_buffers.csv").open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["model", "file_bytes", "context", "kv_dtype", "buffer", "mib", "made_by"])
        table.writerows(rows)


if __name__ == "__main__":
    main()

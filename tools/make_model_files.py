#!/usr/bin/env python3
"""Writes small model files with the packages that define the formats, and tables of what those
packages read back from them: tests/fit/files/* and tests/fit/tables/{gguf,safetensors}_files.csv.

Needs PyPI's packages of requirements below; scripts/test --peers installs them into a folder of
their own, runs this and says where the tables differ.

Usage: make_model_files.py FOLDER (tests/fit)
"""

import csv
import json
import pathlib
import sys

import gguf
import numpy as np
import safetensors
import safetensors.numpy
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType
from importlib.metadata import version

REQUIREMENTS = "gguf==0.19.0 safetensors==0.8.0 numpy==2.4.6"

# Not written: it is for products while a model runs, no file has it, and the package gives it 40
# bytes a block where ggml-common.h has 36.
NEVER_STORED = {GGMLQuantizationType.Q8_1}


def random_tensor(random, kind, shape):
    """(data, raw type): quantised by the package where it can, else random blocks."""
    plain = {GGMLQuantizationType.F32: np.float32, GGMLQuantizationType.F16: np.float16,
             GGMLQuantizationType.F64: np.float64, GGMLQuantizationType.I8: np.int8,
             GGMLQuantizationType.I16: np.int16, GGMLQuantizationType.I32: np.int32,
             GGMLQuantizationType.I64: np.int64}
    values = random.standard_normal(shape).astype(np.float32)
    if kind in plain:
        return values.astype(plain[kind]), None
    try:
        return gguf.quants.quantize(values, kind), kind
    except NotImplementedError:
        block, size = GGML_QUANT_SIZES[kind]
        rows = (*shape[:-1], shape[-1] // block * size)
        return random.integers(0, 256, rows, dtype=np.uint8), kind


def add(writer, random, name, kind, shape):
    data, raw = random_tensor(random, kind, shape)
    writer.add_tensor(name, data, raw_dtype=raw)


def finish(writer):
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def every_type(folder, random):
    writer = gguf.GGUFWriter(folder / "every-type.gguf", "llama")
    writer.add_block_count(1)
    writer.add_embedding_length(256)
    for kind in GGMLQuantizationType:
        if kind not in NEVER_STORED:
            add(writer, random, f"blk.0.{kind.name.lower()}.weight", kind, (3, 512))
    add(writer, random, "blk.0.vector.weight", GGMLQuantizationType.F32, (7,))
    add(writer, random, "blk.0.experts_exps.weight", GGMLQuantizationType.Q4_0, (4, 2, 64))
    add(writer, random, "blk.0.conv.weight", GGMLQuantizationType.F16, (2, 3, 4, 5))
    finish(writer)


def every_value(folder, random):
    writer = gguf.GGUFWriter(folder / "every-value.gguf", "qwen3moe")
    writer.add_custom_alignment(64)
    for name in ("uint8", "uint16", "uint32", "uint64"):
        getattr(writer, "add_" + name)("test." + name, 200)
    for name in ("int8", "int16", "int32", "int64"):
        getattr(writer, "add_" + name)("test." + name, -3)
    writer.add_float32("test.float32", 1.5)
    writer.add_float64("test.float64", -2.5)
    writer.add_bool("test.bool", True)
    writer.add_string("test.string", "a text with ünïcode")
    writer.add_array("test.integers", [1, 2, 3])
    writer.add_array("test.floats", [1.0, 2.5])
    writer.add_array("test.bools", [True, False])
    writer.add_array("test.strings", ["a", "b", "c"])
    writer.add_block_count(2)
    writer.add_embedding_length(64)
    writer.add_head_count(4)
    writer.add_head_count_kv([2, 1])
    writer.add_key_length(32)
    writer.add_value_length(16)
    writer.add_context_length(4096)
    writer.add_feed_forward_length(96)
    writer.add_expert_count(8)
    writer.add_expert_used_count(2)
    writer.add_file_type(7)
    writer.add_token_list([f"t{i}" for i in range(50)])
    q8, f32 = GGMLQuantizationType.Q8_0, GGMLQuantizationType.F32
    add(writer, random, "token_embd.weight", q8, (50, 64))
    for i in range(2):
        for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
            add(writer, random, f"blk.{i}.{part}.weight", q8, (64, 64))
        add(writer, random, f"blk.{i}.ffn_gate_inp.weight", f32, (8, 64))
        add(writer, random, f"blk.{i}.ffn_down_exps.weight", q8, (8, 64, 32))
        add(writer, random, f"blk.{i}.ffn_norm.weight", f32, (64,))
    finish(writer)


def in_shards(folder, random):
    writer = gguf.GGUFWriter(folder / "split.gguf", "llama", split_max_tensors=2)
    writer.add_block_count(2)
    writer.add_embedding_length(64)
    writer.add_head_count(2)
    for i in range(2):
        for part in ("attn_k", "attn_q"):
            add(writer, random, f"blk.{i}.{part}.weight", GGMLQuantizationType.F16, (64, 64))
    add(writer, random, "token_embd.weight", GGMLQuantizationType.F32, (10, 64))
    finish(writer)


def gguf_rows(folder):
    writer = f"gguf {version('gguf')}"
    for path in sorted(folder.glob("*.gguf")):
        reader = gguf.GGUFReader(path)
        for tensor in reader.tensors:
            yield [path.name, writer, int(reader.fields["GGUF.version"].parts[0][0]), tensor.name,
                   tensor.tensor_type.name.lower(), "x".join(str(n) for n in tensor.shape),
                   int(tensor.n_bytes), int(tensor.data_offset)]


# As safetensors.serialize names them, with bits an element.
SAFETENSORS_DTYPES = {
    "bool": 8, "uint8": 8, "int8": 8, "uint16": 16, "int16": 16, "uint32": 32, "int32": 32,
    "uint64": 64, "int64": 64, "float16": 16, "bfloat16": 16, "float32": 32, "float64": 64,
    "complex64": 64, "float8_e4m3fn": 8, "float8_e5m2": 8, "float8_e8m0fnu": 8,
    "float8_e4m3fnuz": 8, "float8_e5m2fnuz": 8, "float4_e2m1fn_x2": 4,
}


def safetensors_file(path, random):
    alive, tensors = [], {}

    def add_raw(name, dtype, shape, size):
        alive.append(random.integers(0, 2, max(size, 1), dtype=np.uint8))
        tensors[name] = safetensors.TensorSpec(dtype=dtype, shape=shape, data_len=size,
                                               data_ptr=alive[-1].ctypes.data)

    for dtype, bits in SAFETENSORS_DTYPES.items():
        # Of the packed type the package takes the shape in bytes, and stores it in elements.
        add_raw("t." + dtype, dtype, [4, 3, 2] if bits >= 8 else [4, 3, 1], 24 * bits // 8)
    add_raw("scalar", "float32", [], 4)
    add_raw("empty", "float32", [0, 3], 0)
    path.write_bytes(safetensors.serialize(tensors, {"format": "pt"}))


def safetensors_shards(folder, random):
    names, index = {}, {}
    for i in range(2):
        file = f"model-{i + 1:05}-of-00002.safetensors"
        part = {f"model.layers.{i}.self_attn.q_proj.weight":
                random.standard_normal((16, 16)).astype(np.float16),
                f"model.layers.{i}.input_layernorm.weight": np.ones(16, np.float32)}
        safetensors.numpy.save_file(part, folder / file)
        names[file] = part
        index.update({name: file for name in part})
    total = sum(array.nbytes for part in names.values() for array in part.values())
    text = json.dumps({"metadata": {"total_size": total}, "weight_map": index}, indent=1)
    (folder / "model.safetensors.index.json").write_text(text + "\n")


def safetensors_rows(folder):
    writer = f"safetensors {version('safetensors')}"
    for path in sorted(folder.glob("*.safetensors")):
        for name, tensor in sorted(safetensors.deserialize(path.read_bytes())):
            yield [path.name, writer, name, tensor["dtype"].lower(),
                   "x".join(str(n) for n in tensor["shape"]), len(tensor["data"])]


def write_table(path, head, rows):
    with path.open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(head)
        table.writerows(rows)


def main():
    folder = pathlib.Path(sys.argv[1])
    files, tables = folder / "files", folder / "tables"
    for place in (files, tables):
        place.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(1)
    every_type(files, random)
    every_value(files, random)
    in_shards(files, random)
    safetensors_file(files / "every-type.safetensors", random)
    safetensors_shards(files, random)
    write_table(tables / "gguf_files.csv",
                ["file", "writer", "version", "tensor", "type", "shape", "bytes", "offset"],
                gguf_rows(files))
    write_table(tables / "safetensors_files.csv",
                ["file", "writer", "tensor", "dtype", "shape", "bytes"], safetensors_rows(files))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""How long gpuready takes to read headers, and how long hf-mem takes for the same files.

Usage: time_headers.py GPUREADY [PAIRS]; run it with a Python that has hf-mem 0.5.6.

Files: Llama-3.1-405B in 1,000 safetensors files of their usual sizes (sparse, header alone), and an
8B GGUF with a vocabulary of 128,256 words and 280,147 merges. gpuready reads them from the disk, as
hf-mem can't; then both, in turns, from a Hub on this machine (estimator_hub.py). Every run is a
process of its own, from its start to its end; one of each first that doesn't count. The processor's
time of the process is told too, which other work on the machine moves less.
"""

import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import estimator_hub as hub_module

HF_MEM = """
import sys, httpx2
port, original = int(sys.argv.pop(1)), httpx2.AsyncClient
class Here(httpx2.AsyncHTTPTransport):
    async def handle_async_request(self, request):
        request.url = request.url.copy_with(scheme="http", host="127.0.0.1", port=port)
        return await super().handle_async_request(request)
httpx2.AsyncClient = lambda **how: original(transport=Here(), **how)
from hf_mem.cli import main
main()
"""
SHARDS = 1000


def config(hidden, layers, heads, ffn):
    return {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": 128256,
            "hidden_size": hidden, "num_hidden_layers": layers, "num_attention_heads": heads,
            "num_key_value_heads": 8, "intermediate_size": ffn,
            "max_position_embeddings": 131072, "torch_dtype": "bfloat16"}


def tensors(c):
    h, f, kv = c["hidden_size"], c["intermediate_size"], 8 * c["hidden_size"] // c[
        "num_attention_heads"]
    yield "model.embed_tokens.weight", (c["vocab_size"], h), False
    for i in range(c["num_hidden_layers"]):
        for name, shape in (("self_attn.q_proj", (h, h)), ("self_attn.k_proj", (kv, h)),
                            ("self_attn.v_proj", (kv, h)), ("self_attn.o_proj", (h, h)),
                            ("mlp.gate_proj", (f, h)), ("mlp.up_proj", (f, h)),
                            ("mlp.down_proj", (h, f)), ("input_layernorm", (h,)),
                            ("post_attention_layernorm", (h,))):
            yield f"model.layers.{i}.{name}.weight", shape, False
    yield "model.norm.weight", (h,), False
    yield "lm_head.weight", (c["vocab_size"], h), False


def shards(c):
    """File name -> (beginning, size), and the index of them."""
    all_tensors, files, weight_map = list(tensors(c)), {}, {}
    for i in range(SHARDS):
        part = all_tensors[i * len(all_tensors) // SHARDS:(i + 1) * len(all_tensors) // SHARDS]
        name = f"model-{i + 1:05}-of-{SHARDS:05}.safetensors"
        files[name] = hub_module.safetensors(hub_module.plain(part, "BF16"))
        weight_map |= {tensor: name for tensor, _, _ in part}
    index = json.dumps({"metadata": {}, "weight_map": weight_map}).encode()
    return files | {"model.safetensors.index.json": (index, len(index))}


# What llama.cpp calls the tensors; readers know the roles by them.
GGML_NAMES = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output",
              "model.layers": "blk", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k",
              "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output",
              "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
              "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm"}


def ggml_name(name):
    for theirs, of_ggml in GGML_NAMES.items():
        name = name.replace(theirs, of_ggml)
    return name


def gguf(c):
    keys = {"general.architecture": "llama", "llama.block_count": c["num_hidden_layers"],
            "llama.context_length": c["max_position_embeddings"],
            "llama.embedding_length": c["hidden_size"],
            "llama.feed_forward_length": c["intermediate_size"],
            "llama.attention.head_count": c["num_attention_heads"],
            "llama.attention.head_count_kv": c["num_key_value_heads"],
            "llama.vocab_size": c["vocab_size"], "tokenizer.ggml.model": "gpt2",
            "tokenizer.ggml.tokens": [f"word{i}" for i in range(c["vocab_size"])],
            "tokenizer.ggml.token_type": [1] * c["vocab_size"],
            "tokenizer.ggml.merges": [f"wo{i} rd{i}" for i in range(280147)]}
    return hub_module.gguf(keys, [(ggml_name(name), shape, packed)
                                  for name, shape, packed in tensors(c)], "Q8_0")


def write(folder, files):
    folder.mkdir()
    for name, (beginning, size) in files.items():
        with (folder / name).open("wb") as file:
            file.write(beginning)
            file.truncate(size)


def seconds(command, env):
    """(from start to end, of the processor)."""
    before, start = processor_seconds(), time.perf_counter()
    result = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **env})
    took = time.perf_counter() - start
    if result.returncode not in (0, 1) or not result.stdout:
        sys.exit(f"{command}: {result.returncode}\n{result.stderr}")
    return took, processor_seconds() - before


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def from_disk(what, command, pairs, env):
    runs = [seconds(command, env) for _ in range(pairs + 1)][1:]
    for name, values in zip((what, f"{what}, processor"), zip(*runs)):
        show(name, values)


def show(what, values, unit="s"):
    low, middle, high = statistics.quantiles(values, n=4)
    print(f"{what}: median {middle:.3f} {unit}, quartiles {low:.3f} to {high:.3f}, least "
          f"{min(values):.3f}, most {max(values):.3f}, of {len(values)}")


def in_turns(what, ours, theirs, pairs, env):
    runs = [[seconds(command, env) for command in (ours, theirs)] for _ in range(pairs + 1)][1:]
    for i, kind in enumerate(("", ", processor")):
        for side, name in enumerate(("gpuready", "hf-mem")):
            show(f"{what}, {name}{kind}", [pair[side][i] for pair in runs])
        show(f"{what}, hf-mem / gpuready{kind}", [pair[1][i] / pair[0][i] for pair in runs], "times")


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    program, pairs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) == 3 else 15
    large, small = config(16384, 126, 128, 53248), config(4096, 32, 32, 14336)
    files, model = shards(large), {"model.gguf": gguf(small)}
    single = {"model.safetensors": hub_module.safetensors(
        hub_module.plain(list(tensors(small)), "BF16"))}
    fit = [program, "fit"]
    memory = ["--vram", "80GiB", "--json"]
    with tempfile.TemporaryDirectory() as home:
        env = {"HF_HOME": home, "GPUREADY_STATE_DIR": home}
        root = pathlib.Path(home)
        write(root / "shards", files)
        (root / "shards/config.json").write_text(json.dumps(large), encoding="utf-8")
        write(root / "gguf", model)
        for what, path in (("1,000 headers on disk", "shards"),
                           ("a GGUF on disk", "gguf/model.gguf")):
            from_disk(what, [*fit, str(root / path), *memory], pairs, env)
        hub = hub_module.Hub()
        env["HF_ENDPOINT"] = hub.endpoint
        hub.add("test/shards", files, large)
        hub.add("test/single", single, small)
        hub.add("test/model-GGUF", model)
        theirs = [sys.executable, "-W", "ignore", "-c", HF_MEM, str(hub.port), "--json-output",
                  "--model-id"]
        for what, name, more in (("one safetensors header from the Hub", "test/single",
                                  ["--experimental", "--max-model-len", "8192"]),
                                 ("1,000 headers from the Hub", "test/shards",
                                  ["--experimental", "--max-model-len", "8192"]),
                                 ("a GGUF from the Hub", "test/model-GGUF",
                                  ["--experimental", "--max-model-len", "8192", "--gguf-file",
                                   "model.gguf"])):
            in_turns(what, [*fit, name, "--context", "8192", *memory], [*theirs, name, *more],
                     pairs, env)
    return 0


if __name__ == "__main__":
    sys.exit(main())

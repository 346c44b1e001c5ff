#!/usr/bin/env python3
"""gpuready's estimates of memory beside those of hf-mem, accelerate estimate-memory and llmfit, on
every row of tests/fit/tables/ground_truth.csv that they can take, as ratios to what was measured.

Usage: compare_estimators.py FOLDER        (tests/fit)

Writes tables/other_estimators.csv into the folder: a row for each measured row and tool, with its
estimate, or why it has none. GPUREADY_BINARY names the program (otherwise build/bin/gpuready). To
ask gpuready alone again: GPUREADY_UPDATE=1 with tests/cli/estimators_test.py.

The others get the models from a Hub on this machine (estimator_hub.py) that serves the published
configuration and the header of the published files. accelerate is asked through HF_ENDPOINT; hf-mem
0.5.6 has the Hub's address in its code, so its connections are led there. Each tool is given the
benefit of the doubt: accelerate has four types, and the nearest is taken; a number that llmfit calls
GB is what it is computed in (weights and sums 10^9 bytes, the cache 2^30). What a tool has no notion
of (a training step's activations, adapters, a rank of several) is no row of its.
"""

import csv
import functools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings
from argparse import Namespace
from importlib.metadata import version

import estimator_rows as rows

REQUIREMENTS = "hf-mem==0.5.6 accelerate==1.15.0 llmfit==1.1.17 transformers==5.24.0 torch==2.9.1 diffusers==0.36.0 numpy==2.4.6"
GIB, GB = 2**30, 10**9
TOTALS = {"weights+kv_cache+compute+logits", "total", "reserved", "allocated"}


class No(Exception):
    """Why a tool has no answer to a row."""


def subject(row):
    """weights, kv_cache or total; which part of a model's memory was measured."""
    scope = row["scope"]
    if scope in TOTALS:
        return "total"
    if scope in ("weights", "kv_cache"):
        return scope
    raise No(f"it has no figure for {scope.replace('@last', ' of one rank of several')}")


def published():
    import estimator_models
    return estimator_models


def no_training(row):
    """What is measured of a training run can be its weights."""
    if "task" in row["options"] and row["scope"] != "weights":
        raise No("it knows no training")


class HfMem:
    """Its library's run(), which its command calls."""

    # What is stored in which types; what files of the Hub have no form for is left out.
    PLAIN = {"bf16": "BF16", "fp16": "F16", "fp32": "F32"}

    def __init__(self, hub):
        self.hub = hub
        self.lead_here()

    def lead_here(self):
        import httpx2
        port = self.hub.port

        class Here(httpx2.AsyncHTTPTransport):
            async def handle_async_request(self, request):
                request.url = request.url.copy_with(scheme="http", host="127.0.0.1", port=port)
                return await super().handle_async_request(request)

        original = httpx2.AsyncClient
        httpx2.AsyncClient = lambda **how: original(transport=Here(), **how)

    @functools.lru_cache(maxsize=None)
    def safetensors(self, name, dtype):
        """The repository with the model in this type."""
        models, hub = published(), estimator_hub()
        layouts = {"gptq-int4": lambda t: hub.gptq(t, 4), "gptq-int8": lambda t: hub.gptq(t, 8),
                   "awq": hub.awq, "nf4": lambda t: hub.nf4(t, False),
                   "nf4-dq": lambda t: hub.nf4(t, True), "mxfp4": hub.mxfp4}
        if dtype in self.PLAIN:
            def layout(tensors):
                return hub.plain(tensors, self.PLAIN[dtype])
        elif dtype in layouts:
            layout = layouts[dtype]
        else:
            raise No(f"no safetensors of the Hub hold {dtype}")
        repository = f"{models.hub_id(name)}-{dtype}"
        if name in models.PIPELINES:
            self.add_pipeline(repository, models.pipeline(name), layout)
            return repository
        config = models.config(name)
        if dtype in layouts:
            method = dtype.split("-")[0].replace("nf4", "bitsandbytes")
            config["quantization_config"] = {"quant_method": method}
        self.hub.add(repository, {"model.safetensors":
                                  hub.safetensors(list(layout(models.tensors(name))))}, config)
        return repository

    def add_pipeline(self, repository, parts, layout):
        hub = estimator_hub()
        index = json.dumps({"_class_name": "Pipeline", **{part: ["", ""] for part in parts}})
        files = {"model_index.json": (index.encode(), len(index))}
        for part, tensors in parts.items():
            kind = "model" if part.startswith("text") else "diffusion_pytorch_model"
            files[f"{part}/{kind}.safetensors"] = hub.safetensors(list(layout(tensors)))
        self.hub.add(repository, files, library="diffusers")

    @functools.lru_cache(maxsize=None)
    def gguf(self, name, dtype):
        models, hub = published(), estimator_hub()
        if name not in models.PUBLISHED:
            raise No("no file was made of it: only its state was measured")
        repository = f"{models.hub_id(name)}-GGUF-{dtype}"
        file = hub.gguf(gguf_keys(models.config(name)), models.tensors(name), dtype.upper())
        self.hub.add(repository, {"model.gguf": file})
        return repository

    def ask(self, row):
        no_training(row)
        what, options = subject(row), row["options"]
        if "tp" in options:
            raise No("it has no figure for one rank of several")
        if options.get("offload", "none") != "none":
            raise No("it knows no offload")
        if row["model"] == "sdxl" and options["dtype"] != "fp32":
            raise No("of a repository with several variants it reads that in fp32")
        kv = options.get("kv-dtype")
        dtype = options.get("dtype", options.get("precision", "f16"))
        if options.get("runtime") == "llama.cpp":
            asked = {"model_id": self.gguf(row["model"], dtype), "gguf_file": "model.gguf",
                     "kv_cache_dtype": kv.upper() if kv else "auto"}
        else:
            plain = dtype in self.PLAIN
            asked = {"model_id": self.safetensors(row["model"], dtype),
                     "kv_cache_dtype": "auto" if plain else "bfloat16"}
        asked["max_model_len"] = int(options.get("context", 1))
        asked["batch_size"] = int(options.get("batch", 1))
        asked["experimental"] = what != "weights"
        import hf_mem
        try:
            said = hf_mem.run(**asked)
        except Exception as error:
            raise No(f"its own words: {error}") from error
        figure = {"weights": said.memory, "kv_cache": said.kv_cache,
                  "total": said.total_memory}[what]
        return figure, "hf_mem.run(" + ", ".join(f"{k}={v!r}" for k, v in asked.items()) + ")"


def estimator_hub():
    import estimator_hub as module
    return module


def gguf_keys(config):
    """The keys that llama.cpp's converter writes of attention."""
    text = config.get("text_config", config)
    arch = {"qwen3_5": "qwen35", "deepseek_v3": "deepseek2", "lfm2": "lfm2", "qwen2": "qwen2",
            "xlm-roberta": "bert"}.get(config["model_type"], "llama")
    heads = text["num_attention_heads"]
    kv_heads = text.get("num_key_value_heads", heads)
    keys = {"general.architecture": arch,
            f"{arch}.block_count": text["num_hidden_layers"],
            f"{arch}.context_length": text["max_position_embeddings"],
            f"{arch}.embedding_length": text["hidden_size"],
            f"{arch}.attention.head_count": heads,
            f"{arch}.attention.head_count_kv": kv_heads}
    if arch == "lfm2":
        layers = config.get("full_attn_idxs") or [
            i for i, kind in enumerate(config["layer_types"]) if kind == "full_attention"]
        keys[f"{arch}.attention.head_count_kv"] = [
            kv_heads if i in layers else 0 for i in range(text["num_hidden_layers"])]
    if arch == "deepseek2":  # the latent is one head
        keys |= {f"{arch}.attention.head_count_kv": 1, f"{arch}.attention.key_length": 576,
                 f"{arch}.attention.value_length": 512, f"{arch}.attention.kv_lora_rank": 512}
    if arch == "qwen35":
        keys |= {f"{arch}.full_attention_interval": text["full_attention_interval"],
                 f"{arch}.attention.key_length": text["head_dim"],
                 f"{arch}.attention.value_length": text["head_dim"]}
    return keys


class Accelerate:
    """What its command gathers before it prints; its own dictionary of a training step."""

    DTYPES = {"bf16": "float16", "fp16": "float16", "fp32": "float32", "gptq-int8": "int8",
              "gptq-int4": "int4", "awq": "int4", "nf4": "int4", "nf4-dq": "int4",
              "mxfp4": "int4"}
    PRECISIONS = {"fp32": "float32", "bf16": "float16"}

    def __init__(self, hub):
        self.hub = hub

    @functools.lru_cache(maxsize=None)
    def gather(self, name):
        from accelerate.commands import estimate
        models = published()
        repository = models.hub_id(name)
        if name in models.PIPELINES:
            self.hub.add(repository, {}, library="diffusers")
        else:
            self.hub.add(repository, {}, models.config(name))
        dtypes = ["float32", "float16", "int8", "int4"]
        try:
            data = estimate.gather_data(Namespace(model_name=repository, library_name=None,
                                                  trust_remote_code=False, dtypes=dtypes))
        except Exception as error:
            raise No(f"its own words: {error}") from error
        return {dtype: (total, training) for dtype, _, total, training in data}

    def training(self, row, scope):
        options = row["options"]
        if options["task"] != "full" or "fsdp" in options:
            raise No("of training it knows Adam on all parameters of one GPU")
        if options.get("optimizer", "adamw") != "adamw":
            raise No("it knows no optimizer but Adam in full")
        dtype = self.PRECISIONS[options["precision"]]
        _, training = self.gather(row["model"])[dtype]
        parts = {"weights": "model", "gradients": "gradients", "optimizer": "optimizer"}
        if scope in parts:
            return training[parts[scope]], f"{dtype}, '{parts[scope]}' of training using Adam"
        if scope in ("total", "allocated", "weights+gradients+optimizer"):
            return max(training.values()), f"{dtype}, training using Adam"
        raise No(f"it has no figure for {scope}")

    def ask(self, row):
        options = row["options"]
        if "task" in options:
            figure, how = self.training(row, row["scope"])
        else:
            if subject(row) == "kv_cache":
                raise No("it has no figure for kv_cache")
            if options["runtime"] == "llama.cpp":
                raise No("it reads no GGUF and names none of its types")
            if row["model"] in published().PIPELINES:
                self.gather(row["model"])
            dtype = self.DTYPES[options["dtype"]]
            figure = self.gather(row["model"])[dtype][0]
            how = f"{dtype}, total size"
        return int(figure), f"accelerate estimate-memory {published().hub_id(row['model'])}: {how}"


class Llmfit:
    """Its command plan: models of its own list alone."""

    DTYPES = {"bf16": "F16", "fp16": "F16", "fp32": "F32", "f16": "F16", "gptq-int4": "GPTQ-Int4",
              "gptq-int8": "GPTQ-Int8", "awq": "AWQ-4bit"}
    CACHES = {"q8_0": "q8_0", "fp8": "fp8", "f16": "fp16"}

    def __init__(self):
        self.program = str(pathlib.Path(sys.executable).parent / "llmfit")

    def run(self, *arguments):
        result = subprocess.run([self.program, *arguments], capture_output=True, text=True,
                                env={**os.environ, "LC_ALL": "C"})
        if result.returncode != 0:
            words = [line for line in result.stderr.splitlines() if line.startswith("Error")]
            raise No("its own words: " + "; ".join(words or [result.stderr.strip()[-200:]]))
        return result.stdout

    @functools.cached_property
    def listed(self):
        found = json.loads(self.run("list", "--json"))
        return {one["name"] for one in (found if isinstance(found, list) else found["models"])}

    def ask(self, row):
        no_training(row)
        what, options = subject(row), row["options"]
        if "tp" in options:
            raise No("it has no figure for one rank of several")
        name = published().hub_id(row["model"])
        if name not in self.listed:
            raise No(f"its list has no {name}")
        dtype = options.get("dtype", options.get("precision", "f16"))
        cache = options.get("kv-dtype", "f16")
        if cache not in self.CACHES:
            raise No(f"it has no cache in {cache}")
        asked = ["plan", name, "--context", options.get("context", "4096"),
                 "--quant", self.DTYPES.get(dtype, dtype.upper()),
                 "--kv-quant", self.CACHES[cache], "--json"]
        said = json.loads(self.run(*asked))
        if what == "weights":
            figure = said["disk_size_gb"] * GB
        elif what == "kv_cache":
            figure = GIB * next(one["kv_cache_gb"] for one in said["kv_alternatives"]
                                if one["kv_quant"] == self.CACHES[cache])
        else:
            figure = said["minimum"]["vram_gb"] * GB
        return round(figure), "llmfit " + " ".join(asked)


def line(row, tool, tool_version, ask):
    base = [row["id"], tool, tool_version, round(row["measured_bytes"])]
    try:
        figure, how = ask(row)
    except No as why:
        return [*base, "", "", "none: " + " ".join(str(why).split())]
    return [*base, figure, f"{figure / row['measured_bytes']:.4f}", how]


def ask_others(measured, home):
    """Every line of the other tools; the environment must be set before they are imported."""
    hub = estimator_hub().Hub()
    os.environ.update(HF_ENDPOINT=hub.endpoint, HF_HOME=home, HF_HUB_DISABLE_TELEMETRY="1",
                      HF_HUB_DISABLE_XET="1", DO_NOT_TRACK="1")
    warnings.filterwarnings("ignore")
    tools = {"accelerate": Accelerate(hub), "hf-mem": HfMem(hub), "llmfit": Llmfit()}
    return {(row["id"], name): line(row, name, version(name), tool.ask)
            for row in measured for name, tool in tools.items()}


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    table = pathlib.Path(sys.argv[1]) / "tables" / rows.TABLE
    table.parent.mkdir(parents=True, exist_ok=True)
    measured = rows.measured_rows()
    with tempfile.TemporaryDirectory() as home:
        others = ask_others(measured, home)
    lines = []
    for row in measured:
        lines.append(line(row, "gpuready", rows.version_of_ours(), rows.ours))
        lines += [others[row["id"], tool] for tool in rows.TOOLS[1:]]
    with table.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(rows.COLUMNS)
        writer.writerows(lines)
    print("\n".join(rows.summary(rows.ratios(table))))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""A loopback Hub for compare_estimators.py: repositories whose weight files are headers, followed by
as many zeros as the file would have of data. It answers what huggingface_hub, hf-mem and gpuready
ask: the model's record, its tree, and files whole, in ranges, or their head alone.
"""

import hashlib
import http.server
import json
import math
import re
import struct
import threading

SAFETENSORS_BITS = {"F32": 32, "F16": 16, "BF16": 16, "I32": 32, "U8": 8}
# ggml's types: id, elements and bytes of a block (ggml-common.h of llama.cpp).
GGML = {"F32": (0, 1, 4), "F16": (1, 1, 2), "Q4_0": (2, 32, 18), "Q4_1": (3, 32, 20),
        "Q8_0": (8, 32, 34), "Q6_K": (14, 256, 210)}
COMMIT = "0" * 40


def safetensors(tensors):
    """(header, all bytes) of a file with these (name, type, shape)."""
    entries, at = {}, 0
    for name, kind, shape in tensors:
        size = math.prod(shape) * SAFETENSORS_BITS[kind] // 8
        entries[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(entries).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text, 8 + len(text) + at


def plain(tensors, kind):
    return [(name, kind, shape) for name, shape, _ in tensors]


def gptq(tensors, bits, group=128):
    """AutoGPTQ's layout: columns of packed integers, a scale and a packed zero for each group."""
    for name, shape, packed in tensors:
        if not packed:
            yield name, "F16", shape
            continue
        rows, columns = shape
        stem, each = name.removesuffix("weight"), 32 // bits
        yield stem + "qweight", "I32", (columns // each, rows)
        yield stem + "qzeros", "I32", (columns // group, rows // each)
        yield stem + "scales", "F16", (columns // group, rows)
        yield stem + "g_idx", "I32", (columns,)


def awq(tensors, group=128):
    """AutoAWQ's: as above, packed along the other side, without an order of the columns."""
    for name, shape, packed in tensors:
        if not packed:
            yield name, "F16", shape
            continue
        rows, columns = shape
        stem = name.removesuffix("weight")
        yield stem + "qweight", "I32", (columns, rows // 8)
        yield stem + "qzeros", "I32", (columns // group, rows // 8)
        yield stem + "scales", "F16", (columns // group, rows)


def nf4(tensors, double, kind="BF16"):
    """bitsandbytes' serialised 4-bit weights: two a byte, a scale for 64, the scales in 8 bits and a
    scale for 256 of them where they are quantised too. transformers keeps T5's wo in 32 bits."""
    for name, shape, packed in tensors:
        if name.endswith("DenseReluDense.wo.weight"):
            yield name, "F32", shape
            continue
        if not packed:
            yield name, kind, shape
            continue
        elements = math.prod(shape)
        yield name, "U8", (elements // 2, 1)
        yield name + ".absmax", "U8" if double else "F32", (elements // 64,)
        yield name + ".quant_map", "F32", (16,)
        yield name + ".quant_state.bitsandbytes__nf4", "U8", (80,)
        if double:
            yield name + ".nested_absmax", "F32", (-(-elements // 64 // 256),)
            yield name + ".nested_quant_map", "F32", (256,)


def mxfp4(tensors):
    """gpt-oss: experts in blocks of 32 four-bit values with a scale of one byte."""
    for name, shape, _ in tensors:
        if len(shape) != 3:
            yield name, "BF16", shape
            continue
        experts, columns, rows = shape
        yield name + "_blocks", "U8", (experts, rows, columns // 32, 16)
        yield name + "_scales", "U8", (experts, rows, columns // 32)


def gguf_string(text):
    return struct.pack("<Q", len(text)) + text.encode()


def gguf_value(value):
    if isinstance(value, str):
        return struct.pack("<I", 8) + gguf_string(value)
    if isinstance(value, list) and isinstance(value[0], str):
        return struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(gguf_string, value))
    if isinstance(value, list):
        return struct.pack("<IIQ", 9, 5, len(value)) + struct.pack(f"<{len(value)}i", *value)
    return struct.pack("<II", 4, value)


def gguf_type(name, shape, dtype):
    """llama.cpp's choice: 32 bits for vectors, positions and routers, more bits for the head."""
    if len(shape) < 2 or re.search(r"position_embeddings|mlp\.gate\.weight", name):
        return "F32"
    if dtype.startswith("Q4") and "lm_head" in name:
        return "Q6_K"
    return dtype if shape[-1] % GGML[dtype][1] == 0 else "F16"


def gguf(keys, tensors, dtype):
    """(header, all bytes) of a file with these keys and (name, shape, packed)."""
    out = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(keys))
    for key, value in keys.items():
        out += gguf_string(key) + gguf_value(value)
    at = 0
    for name, shape, _ in tensors:
        kind, block, size = GGML[gguf_type(name, shape, dtype)]
        out += gguf_string(name) + struct.pack("<I", len(shape))
        out += struct.pack(f"<{len(shape)}Q", *reversed(shape)) + struct.pack("<IQ", kind, at)
        at += -(-math.prod(shape) // block * size // 32) * 32
    out += b"\0" * (-len(out) % 32)
    return out, len(out) + at


class Hub:
    """Repositories: id -> {path: (beginning, size)}; and their configurations."""

    def __init__(self):
        self.files, self.configs, self.libraries = {}, {}, {}
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.port = self.server.server_address[1]
        self.endpoint = f"http://127.0.0.1:{self.port}"

    def add(self, repository, files, config=None, library="transformers"):
        files = dict(files)
        if config is not None:
            text = json.dumps(config).encode()
            files["config.json"] = (text, len(text))
        self.files[repository] = files
        self.configs[repository] = config
        self.libraries[repository] = library

    def record(self, repository):
        config = self.configs[repository] or {}
        return {"id": repository, "modelId": repository, "sha": COMMIT, "private": False,
                "gated": False, "disabled": False, "downloads": 0, "likes": 0, "tags": [],
                "library_name": self.libraries[repository],
                "config": {key: config[key] for key in ("architectures", "model_type")
                           if key in config},
                "siblings": [{"rfilename": path} for path in self.files[repository]]}

    def tree(self, repository):
        return [{"type": "file", "path": path, "size": size,
                 "oid": hashlib.sha1(beginning).hexdigest()}
                for path, (beginning, size) in self.files[repository].items()]

    def handler(hub):  # noqa: N805  # the handler's methods have the other self
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # An answer in one piece: in two, the second waits 40 ms for the first's receipt.
            wbufsize, disable_nagle_algorithm = -1, True

            def log_message(self, *_):
                pass

            def reply(self, status, body, headers=()):
                self.send_response(status)
                for name, value in headers:
                    self.send_header(name, value)
                if not any(name == "Content-Length" for name, _ in headers):
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command == "GET":
                    self.wfile.write(body)

            def json(self, content):
                self.reply(200, json.dumps(content).encode(),
                           [("Content-Type", "application/json")])

            def missing(self, code):
                self.reply(404, b'{"error":"not found"}', [("X-Error-Code", code),
                                                           ("X-Error-Message", "not found")])

            def file(self, beginning, size):
                known = [("ETag", f'"{hashlib.sha1(beginning).hexdigest()}"'),
                         ("X-Repo-Commit", COMMIT), ("Accept-Ranges", "bytes"),
                         ("Content-Type", "application/octet-stream")]
                asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
                if self.command == "HEAD" or not asked:
                    return self.reply(200, beginning, [*known, ("Content-Length", str(size))])
                first = int(asked[1])
                last = min(int(asked[2] or size - 1), size - 1)
                if first > last:
                    return self.reply(416, b"", [("Content-Range", f"bytes */{size}")])
                body = beginning[first:last + 1]
                body += b"\0" * (last + 1 - first - len(body))
                return self.reply(206, body,
                                  [*known, ("Content-Range", f"bytes {first}-{last}/{size}")])

            def do_GET(self):  # noqa: N802
                path = self.path.split("?")[0]
                asked = re.fullmatch(r"/api/models/([^/]+/[^/]+)(/(tree|revision)/main)?", path)
                file = re.fullmatch(r"/([^/]+/[^/]+)/resolve/[^/]+/(.+)", path)
                found = asked or file
                if not found or found[1] not in hub.files:
                    return self.missing("RepoNotFound")
                if asked:
                    one = hub.tree if asked[3] == "tree" else hub.record
                    return self.json(one(asked[1]))
                if file[2] not in hub.files[file[1]]:
                    return self.missing("EntryNotFound")
                return self.file(*hub.files[file[1]][file[2]])

            do_HEAD = do_GET

        return Handler

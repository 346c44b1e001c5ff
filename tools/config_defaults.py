#!/usr/bin/env python3
"""Writes config_defaults.csv: sizes that a configuration class takes where its file says none.

Usage: config_defaults.py FOLDER        (data/ is where it belongs)

Files of today's models leave out whatever equals the default of the class (Gemma 3 its heads, LLaVA
its whole decoder). Only whole numbers and only keys that src/fit reads are written; what a class
computes from other keys has no default.
"""

import csv
import dataclasses
import pathlib
import re
import sys

import transformers
from transformers import CONFIG_MAPPING

REQUIREMENTS = "transformers==5.24.0 numpy==2.4.6"
ROOT = pathlib.Path(__file__).resolve().parent.parent
AS_OF = "2026-12"
# Parts of other models have types of their own.
PARTS = ["clip_vision_model", "clip_text_model", "siglip_vision_model", "siglip_text_model",
         "pixtral", "idefics3_vision", "qwen2_vl_text", "qwen2_5_vl_text", "qwen3_vl_text",
         "qwen3_vl_moe_text", "mllama_text_model", "glm4v_text", "glm4v_moe_text"]


def words_of_the_readers():
    names, types = set(), set(PARTS)
    for path in ROOT.glob("src/fit/hf_config*.[ch]pp"):
        text = path.read_text(encoding="utf-8")
        names |= set(re.findall(r'"([A-Za-z0-9_]+)"', text))
        types |= set(re.findall(r'Family\{"([^"]+)"', text))
    return names, types


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    names, types = words_of_the_readers()
    source = f"transformers {transformers.__version__}, configuration class"
    rows = []
    for model_type in sorted(types & set(CONFIG_MAPPING)):
        for field in dataclasses.fields(CONFIG_MAPPING[model_type]):
            value = field.default
            if field.name in names and type(value) is int and value >= 0:
                rows.append([model_type, field.name, value, source, AS_OF])
    table = pathlib.Path(sys.argv[1]) / "config_defaults.csv"
    with table.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["model_type", "key", "value", "source", "as_of"])
        writer.writerows(rows)
    print(f"{len(rows)} defaults of {len({row[0] for row in rows})} types")
    missing = sorted(types - set(CONFIG_MAPPING))
    print("without a class:", " ".join(missing), file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Checks the arrows of the design: who includes whom, and how long files and functions are.

Usage: arch_test.py SOURCE_FOLDER. Prints every offence and exits with 1 if there is one.
"""

import pathlib
import re
import sys

# Folder -> folders that it may include besides itself. "model" is include/gpuready.
ALLOWED = {
    "model": set(),
    "base": {"model"},
    "host": {"base", "model"},
    "vendor": {"base", "host", "model"},
    "probe": {"base", "host", "vendor", "model"},
    "catalog": {"base", "model"},
    "rules": {"catalog", "base", "model"},
    "bench": {"vendor", "base", "host", "model"},
    "fit": {"catalog", "base", "model"},
    "net": {"base", "host", "vendor", "model"},
    "cloud": {"net", "host", "catalog", "base", "model"},
    "plan": {"catalog", "base", "model"},
    "report": {"catalog", "base", "model"},
    "api": {"base", "host", "vendor", "probe", "catalog", "rules", "bench", "fit", "net", "cloud",
            "plan", "report", "model"},
    "cli": {"model"},
}
# Third-party header -> the one folder that may include it.
THIRD_PARTY = {"nlohmann": "base", "fmt": "base", "CLI": "cli", "tl": "model"}
MOST_FILE_LINES = 400
MOST_FUNCTION_LINES = 100
LISTED_FUNCTION_LINES = 60
NOT_A_FUNCTION = re.compile(
    r"^\s*(if|else|for|while|switch|do|return|namespace|struct|class|enum|union|case|catch|try)\b")


def folder_of(path, root):
    parts = path.relative_to(root).parts
    if parts[:2] == ("include", "gpuready"):
        return "model"
    return parts[1] if parts[0] == "src" else parts[0]


def target_of(include, path, root):
    """The folder of a quoted include, or None where the file does not exist."""
    for base in (root / "include", root / "src", path.parent):
        if (base / include).is_file():
            return folder_of((base / include).resolve(), root)
    return None


def check_includes(path, root, text):
    folder = folder_of(path, root)
    if folder not in ALLOWED:
        yield f"{path}: the design knows no folder '{folder}'"
        return
    for number, line in enumerate(text.splitlines(), 1):
        quoted = re.match(r'\s*#include "([^"]+)"', line)
        if quoted:
            target = target_of(quoted[1], path, root)
            if target is None:
                yield f"{path}:{number}: no file {quoted[1]}"
            elif target != folder and target not in ALLOWED[folder]:
                yield f"{path}:{number}: {folder} must not include {target}"
        angled = re.match(r"\s*#include <([A-Za-z0-9_]+)/", line)
        if angled and THIRD_PARTY.get(angled[1], folder) != folder:
            yield f"{path}:{number}: <{angled[1]}/...> belongs to {THIRD_PARTY[angled[1]]} alone"


def function_lengths(text):
    """(first line, length) of each function, told by formatting: an opening line that ends in '{'
    and the next '}' at the same indentation."""
    lines = text.splitlines()
    for start, line in enumerate(lines):
        if not line.endswith("{") or "(" not in "".join(lines[max(0, start - 3):start + 1]):
            continue
        if NOT_A_FUNCTION.match(line):
            continue
        head = start
        while head > 0 and "(" not in lines[head]:
            head -= 1
        indent = len(lines[head]) - len(lines[head].lstrip())
        if NOT_A_FUNCTION.match(lines[head]) or indent > 4:
            continue
        for end in range(start + 1, len(lines)):
            if re.match(rf"^ {{{indent}}}\}}", lines[end]):
                yield head + 1, end - head + 1
                break


def check_lengths(path, text):
    count = text.count("\n")
    if count > MOST_FILE_LINES:
        yield f"{path}: {count} lines, at most {MOST_FILE_LINES}"
    for first, length in function_lengths(text):
        if length > MOST_FUNCTION_LINES:
            yield f"{path}:{first}: a function of {length} lines, at most {MOST_FUNCTION_LINES}"
        elif length > LISTED_FUNCTION_LINES:
            print(f"note: {path}:{first}: a function of {length} lines")


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    offences = []
    files = [p for top in ("include", "src", "cli") for p in sorted((root / top).rglob("*.[ch]pp"))]
    for path in files:
        text = path.read_text(encoding="utf-8")
        offences += check_includes(path, root, text)
        offences += check_lengths(path, text)
    for path in sorted((root / "tests").rglob("*.[ch]pp")):
        offences += check_lengths(path, path.read_text(encoding="utf-8"))
    print("\n".join(offences))
    print(f"{len(files)} files, {len(offences)} offences")
    return 1 if offences or not files else 0


if __name__ == "__main__":
    sys.exit(main())

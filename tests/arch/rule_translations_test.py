#!/usr/bin/env python3
"""Every rule's text in another language follows the English one.

Usage: rule_translations_test.py SOURCE_FOLDER
       rule_translations_test.py SOURCE_FOLDER --renew ID ...   once the translations of ID are
                                                                up to date again

data/rules/<language>/<id>.md must be there for each data/rules/<id>.md, with the same severity and
sources, the same headings in the same order, the same commands and the same placeholders in each
part; `english` in its front matter is the mark of the English text that was translated. Each row of
data/rules/<language>/phrases.csv must have the values of its English phrase, and the file that it
names must still say that phrase.
"""

import csv
import hashlib
import pathlib
import re
import sys

HAN = "\u3400-\u9fff"
WIDE_MARKS = "，。；：（）、"


def mark_of(path):
    digits = 12
    return hashlib.sha256(path.read_bytes()).hexdigest()[:digits]


def read_rule(path):
    """Front matter, and the parts: (heading, lines of text, commands)."""
    lines = path.read_text(encoding="utf-8").splitlines()
    end = lines.index("---", 1)
    front = dict(re.split(r":\s*", line, maxsplit=1) for line in lines[1:end])
    parts = [("meaning", [], [])]
    for line in lines[end + 1:]:
        if line.startswith("## "):
            parts.append((line[3:], [], []))
        elif line.startswith("    "):
            parts[-1][2].append(line.strip())
        elif line.strip():
            parts[-1][1].append(line.strip())
    return front, parts


def placeholders(text):
    return sorted(set(re.findall(r"\{\d\}", text)))


def faults_of_text(english, text):
    if not text:
        return ["no text"]
    faults = []
    if placeholders(english) != placeholders(text):
        faults.append(f"values {placeholders(text)}, the English has {placeholders(english)}")
    if english.endswith(":") != text.endswith("："):
        faults.append("ends with a colon where the English does not, or the reverse")
    for code in re.findall(r"`[^`]*`", english):
        if code not in text:
            faults.append(f"{code} is lost")
    if not re.search(f"[{HAN}]", text):
        faults.append("is not translated")
    for found in re.finditer(f"[{HAN}][A-Za-z0-9{{/`]|[A-Za-z0-9}}%`][{HAN}]", text):
        faults.append(f"'{found.group()}': a space is expected between the two scripts")
    for found in re.finditer(f"[{HAN}][,.;:!?()]|[,;:!?()][{HAN}]|[{WIDE_MARKS}] | [{WIDE_MARKS}]",
                             text):
        faults.append(f"'{found.group()}': a full-width mark with no space is expected")
    return faults


def faults_of_rule(english_path, path):
    english_front, english_parts = read_rule(english_path)
    front, parts = read_rule(path)
    faults = []
    if front.get("english") != mark_of(english_path):
        faults.append("the English text has changed since: bring this up to date, then run "
                      f"tests/arch/rule_translations_test.py . --renew {path.stem}")
    for name in ("severity", "sources"):
        if front.get(name) != english_front[name]:
            faults.append(f"{name} is not that of the English text")
    faults += [f"title: {f}" for f in faults_of_text(english_front["title"], front["title"])]
    if [p[0] for p in parts] != [p[0] for p in english_parts]:
        return faults + [f"headings {[p[0] for p in parts]}, expected "
                         f"{[p[0] for p in english_parts]}"]
    for (heading, text, commands), (_, english, expected) in zip(parts, english_parts):
        if commands != expected:
            faults.append(f"{heading}: the commands are not those of the English text")
        if len(text) > 1:
            faults.append(f"{heading}: the paragraph is expected on one line")
        faults += [f"{heading}: {f}"
                   for f in faults_of_text(" ".join(english), " ".join(text))]
    return faults


def says(path, phrase):
    """Whether the file holds the longest piece between values; C++ may break it over lines."""
    text = re.sub(r'"\s*"', "", path.read_text(encoding="utf-8"))
    return max(re.split(r"\{\d\}", phrase), key=len).strip("(): ") in text


def faults_of_phrases(root, path):
    faults = []
    with path.open(encoding="utf-8", newline="") as file:
        for number, row in enumerate(csv.DictReader(file), start=2):
            english, words = row["english"], row["translation"]
            faults += [f"record {number}: {f}" for f in faults_of_text(english, words)]
            if placeholders(english) != re.findall(r"\{\d\}", english):
                faults.append(f"record {number}: the English values are expected in order")
            if not says(root / row["source"], english):
                faults.append(f"record {number}: {row['source']} no longer says '{english}'")
    return faults


def renew(rules, ids):
    for path in rules.glob("*/*.md"):
        if path.stem in ids:
            text = path.read_text(encoding="utf-8")
            mark = mark_of(rules / path.name)
            path.write_text(re.sub(r"^english: .*$", f"english: {mark}", text, count=1,
                                   flags=re.MULTILINE), encoding="utf-8")


def main():
    root = pathlib.Path(sys.argv[1])
    rules = root / "data" / "rules"
    if sys.argv[2:3] == ["--renew"]:
        renew(rules, sys.argv[3:])
    english = {path.name: path for path in rules.glob("*.md")}
    faults, count = [], 0
    for folder in sorted(path for path in rules.iterdir() if path.is_dir()):
        phrases = folder / "phrases.csv"
        if phrases.exists():
            faults += [f"{phrases}: {fault}" for fault in faults_of_phrases(root, phrases)]
        there = {path.name: path for path in folder.glob("*.md")}
        faults += [f"{folder / name}: missing" for name in english if name not in there]
        for name, path in there.items():
            count += 1
            if name not in english:
                faults.append(f"{path}: there is no English text of that name")
            else:
                faults += [f"{path}: {fault}" for fault in faults_of_rule(english[name], path)]
    print("\n".join(sorted(faults)))
    print(f"{count} translated rules, {len(faults)} faults")
    return 1 if faults or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())

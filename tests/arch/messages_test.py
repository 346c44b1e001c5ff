#!/usr/bin/env python3
"""Every message key that the code names stands in po/en.po, and every key there is used; every
translation beside it has the same keys, the English texts as they are now, and all placeholders.

Usage: messages_test.py SOURCE_FOLDER
"""

import pathlib
import re
import sys

AREAS = ("tool|help|cli|progress|absence|facts|page|verdict|device|rung|ladder|bench|lesson|fit|"
         "next|place|rules|setup|compare|oom|cloud|plan|remote|colab|report")

# A text of these words alone is the same in every language.
SAME_WORDS = {"CPU", "GPU", "CUDA", "NVML", "PCIe", "MHz", "GiB", "USD", "PyTorch", "Logits", "Tok",
              "Colab", "Lambda", "RunPod", "Vast"}

STRING = r'"((?:[^"\\]|\\.)*)"'


def keys_of_catalogue(path):
    return re.findall(r'^msgctxt "([^"]+)"$', path.read_text(encoding="utf-8"), re.MULTILINE)


def entries_of(path):
    """key -> (English text, translation, whether msgfmt checks its placeholders)."""
    found = {}
    block = rf'((?:^#.*\n)*)^msgctxt {STRING}\nmsgid ((?:{STRING}\n?)+)msgstr ((?:{STRING}\n?)+)'
    for match in re.finditer(block, path.read_text(encoding="utf-8"), re.MULTILINE):
        text, translation = ("".join(re.findall(STRING, match.group(i))) for i in (3, 5))
        found[match.group(2)] = (text, translation, "python-brace-format" in match.group(1))
    return found


def offences_of_entry(english, translated):
    """What is wrong with one translation of an entry that both catalogues have."""
    text, _, checked = english
    of, translation, also_checked = translated
    if of != text:
        return [f'stale: it translates "{of}", which now reads "{text}"']
    offences = []
    if not translation:
        offences.append(f'not translated: "{text}"')
    elif translation == text and not set(re.findall("[A-Za-z]{3,}", text)) <= SAME_WORDS:
        offences.append(f'still English: "{text}" (SAME_WORDS in messages_test.py allows names)')
    elif set(re.findall(r"\{\d\}", text)) != set(re.findall(r"\{\d\}", translation)):
        offences.append(f'other placeholders than "{text}"')
    if checked != also_checked:
        offences.append("one of both has no '#, python-brace-format'")
    return offences


def offences_of_translation(english, path):
    translated = entries_of(path)
    name = f"po/{path.name}"
    offences = [f"{name}: {key} stands twice" for key in translated
                if keys_of_catalogue(path).count(key) > 1]
    if re.search("^#,.*fuzzy", path.read_text(encoding="utf-8"), re.MULTILINE):
        offences.append(f"{name}: an entry is marked fuzzy, which leaves it out of the program")
    for key, (text, _, checked) in english.items():
        if key not in translated:
            flag = "#, python-brace-format\n    " if checked else ""
            offences.append(f"{name}: {key} is missing; add at its end, with the translation:\n"
                            f'    {flag}msgctxt "{key}"\n    msgid "{text}"\n    msgstr ""')
        else:
            offences += [f"{name}: {key}: {what}" for what in
                         offences_of_entry(english[key], translated[key])]
    offences += [f"{name}: {key} is not in po/en.po" for key in translated if key not in english]
    return offences


def offences_of_code(root, keys):
    offences = [f"po/en.po: {key} stands twice" for key in {k for k in keys if keys.count(k) > 1}]
    named, prefixes = set(), {"help."}
    for top in ("src", "cli"):
        for path in (root / top).rglob("*.[ch]pp"):
            text = path.read_text(encoding="utf-8")
            for key in re.findall(rf'"((?:{AREAS})\.[a-z0-9._-]*)"', text):
                if key.endswith((".", "-")):
                    prefixes.add(key)
                    if not any(k.startswith(key) for k in keys):
                        offences.append(f"{path}: nothing in po/en.po starts with {key}")
                else:
                    named.add(key)
                    if key not in keys:
                        offences.append(f"{path}: po/en.po has no {key}")
    for key in keys:
        if key not in named and not key.startswith(tuple(prefixes)):
            offences.append(f"po/en.po: {key} is not used")
    return offences


def main():
    root = pathlib.Path(sys.argv[1])
    keys = keys_of_catalogue(root / "po" / "en.po")
    offences = offences_of_code(root, keys)
    english = entries_of(root / "po" / "en.po")
    if set(english) != set(keys):
        offences.append("po/en.po: not readable by messages_test.py: "
                        + ", ".join(sorted(set(keys) ^ set(english))))
    translations = sorted(set((root / "po").glob("*.po")) - {root / "po" / "en.po"})
    for path in translations:
        offences += offences_of_translation(english, path)
    print("\n".join(sorted(offences)))
    print(f"{len(keys)} messages, {len(translations)} translations, {len(offences)} offences")
    return 1 if offences or not keys or not translations else 0


if __name__ == "__main__":
    sys.exit(main())

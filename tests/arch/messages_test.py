#!/usr/bin/env python3
"""Every message key that the code names stands in po/en.po, and every key there is used.

Usage: messages_test.py SOURCE_FOLDER
"""

import pathlib
import re
import sys

AREAS = ("tool|help|cli|progress|absence|facts|page|verdict|device|rung|ladder|bench|lesson|fit|"
         "next|place|rules|setup|compare|oom|cloud|plan|remote|colab|report")


def keys_of_catalogue(path):
    return re.findall(r'^msgctxt "([^"]+)"$', path.read_text(encoding="utf-8"), re.MULTILINE)


def main():
    root = pathlib.Path(sys.argv[1])
    keys = keys_of_catalogue(root / "po" / "en.po")
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
    print("\n".join(sorted(offences)))
    print(f"{len(keys)} messages, {len(offences)} offences")
    return 1 if offences or not keys else 0


if __name__ == "__main__":
    sys.exit(main())

"""gpuready for Python: which device to use, and every answer of the command as a dict.

>>> import gpuready, torch
>>> device = torch.device(gpuready.device())

Nothing is compiled and nothing else is imported: the module runs the program that came with it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from importlib.metadata import PackageNotFoundError, files, version
from typing import Any, Literal

__all__ = ["GpureadyError", "device", "program", "run"]

try:
    __version__ = version("gpuready")
except PackageNotFoundError:  # run from a source tree
    __version__ = "0"

# The codes with which the program still answers in JSON (docs/json.md): yes, no, undecided, a wrong
# product, a machine that may still be billed.
_ANSWERS = frozenset({0, 1, 3, 5, 6})


class GpureadyError(RuntimeError):
    """The program could not answer; `code` is its exit status."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


def program() -> str:
    """Path of the gpuready program: the one that was installed with this module, else that on PATH.

    Raises GpureadyError where there is none.
    """
    try:
        installed = [os.path.normpath(file.locate()) for file in files("gpuready") or [] if file.name == "gpuready"]
    except PackageNotFoundError:
        installed = []
    beside = os.path.join(sysconfig.get_path("scripts"), "gpuready")
    for path in (*installed, beside, shutil.which("gpuready")):
        if path and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    raise GpureadyError("the gpuready program is not there: install the package again "
                        "(pip install --force-reinstall gpuready)", 127)


def run(command: str, *arguments: str, timeout: float | None = None) -> dict[str, Any]:
    """The answer of `gpuready COMMAND ARGUMENTS --json`, as a dict (fields: docs/json.md).

    "" asks for the whole page. An answer of "no" (exit status 1), "undecided" (3), "a product was
    wrong" (5) or "may still be billed" (6) is an answer too. Raises GpureadyError where there is none
    (wrong usage, an outside system that failed, a bug), and subprocess.TimeoutExpired after
    `timeout` seconds.
    """
    line = [program(), *([command] if command else []), *arguments, "--json", "--no-progress"]
    done = subprocess.run(line, capture_output=True, text=True, encoding="utf-8",
                          errors="replace", timeout=timeout, check=False)
    if done.returncode not in _ANSWERS or not done.stdout.strip():
        raise GpureadyError(done.stderr.strip() or f"{command}: exit status {done.returncode}",
                            done.returncode)
    answer = json.loads(done.stdout)
    if not isinstance(answer, dict):
        raise GpureadyError(f"{command}: expected one JSON object", done.returncode)
    return answer


def device(for_torch: bool = True) -> Literal["cuda", "xpu", "cpu"]:
    """What to give to torch.device(): what the installed PyTorch can use on this machine.

    With for_torch=False: what the machine offers, whatever PyTorch was built for.
    """
    arguments = ("--for", "torch") if for_torch else ()
    word = run("device", *arguments)["device"]
    if word in ("cuda", "xpu", "cpu"):
        return word  # type: ignore[return-value]
    raise GpureadyError(f"device: expected cuda, xpu or cpu, found {word!r}", 70)


def _main() -> None:
    os.execv(program(), ["gpuready", *sys.argv[1:]])

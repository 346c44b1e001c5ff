"""Compares vendor/nvml.hpp, as the given program prints it, with NVIDIA's nvidia-ml-py."""

import ctypes
import inspect
import json
import re
import subprocess
import sys
import unittest

try:
    import pynvml
except ImportError:
    print("SKIPPED: no nvidia-ml-py (set GPUREADY_PYTHON to a Python that has it)")
    sys.exit(77)

OURS = json.loads(subprocess.run([sys.argv[1]], check=True, capture_output=True).stdout)
SOURCE = inspect.getsource(pynvml)

# It calls nvmlInitWithFlags in its place.
NOT_CALLED = {"nvmlInit_v2"}


def calls(name):
    """Argument lists with which pynvml calls the function."""
    found = []
    for place in re.finditer(r'_nvmlGetFunctionPointer\("%s"\)' % name, SOURCE):
        call = re.compile(r"\bfn\((.*?)\)\s*\n", re.DOTALL).search(SOURCE, place.end())
        if call:
            found.append(split_arguments(call.group(1)))
    return found


def split_arguments(text):
    depth, parts, current = 0, [], ""
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            parts.append(current)
            current = ""
        else:
            current += letter
    return [part for part in parts + [current] if part.strip()]


class NvmlDeclarations(unittest.TestCase):
    def test_structures_have_the_same_size_and_offsets(self):
        for name, ours in OURS["structures"].items():
            theirs = getattr(pynvml, name)
            with self.subTest(name):
                self.assertEqual(ours["size"], ctypes.sizeof(theirs))
                self.assertEqual(set(ours) - {"size"}, {field[0] for field in theirs._fields_})
                for field in theirs._fields_:
                    self.assertEqual(ours[field[0]], getattr(theirs, field[0]).offset, field[0])

    def test_constants_have_the_same_values(self):
        for name, value in OURS["constants"].items():
            self.assertEqual(value, getattr(pynvml, name), name)

    def test_compute_modes_stand_in_nvmls_order(self):
        names = [
            "NVML_COMPUTEMODE_DEFAULT",
            "NVML_COMPUTEMODE_EXCLUSIVE_THREAD",
            "NVML_COMPUTEMODE_PROHIBITED",
            "NVML_COMPUTEMODE_EXCLUSIVE_PROCESS",
        ]
        words = [name[len("NVML_COMPUTEMODE_"):].lower().replace("_", "-") for name in names]
        self.assertEqual([getattr(pynvml, name) for name in names], list(range(4)))
        self.assertEqual(OURS["compute_modes"], words)

    def test_other_words_stand_in_nvmls_order(self):
        for ours, prefix in [("fabric_states", "NVML_GPU_FABRIC_STATE_"),
                             ("virtualization_modes", "NVML_GPU_VIRTUALIZATION_MODE_"),
                             ("license_states", "NVML_GRID_LICENSE_STATE_")]:
            for value, word in enumerate(OURS[ours]):
                name = prefix + word.upper().replace("-", "_")
                self.assertEqual(getattr(pynvml, name), value, name)

    def test_functions_are_those_that_pynvml_calls(self):
        for name, arguments in OURS["functions"].items():
            with self.subTest(name):
                if name in NOT_CALLED:
                    continue
                found = calls(name)
                self.assertTrue(found, "nvidia-ml-py doesn't call it")
                self.assertIn(arguments, [len(one) for one in found])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

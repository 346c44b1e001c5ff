#!/usr/bin/env python3
"""fit and oom as a user meets them.

Environment: as cli_test.py.
"""

import json
import os
import pathlib
import subprocess
import tempfile
import time
import unittest

from cli_test import BINARY, T4, fake_gpu, run, validate

OOM = ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total "
       "capacity of 23.64 GiB of which 1.00 GiB is free. Including non-PyTorch memory, this process "
       "has 22.60 GiB memory in use. Of the allocated memory 19.00 GiB is allocated by PyTorch, and "
       "3.10 GiB is reserved by PyTorch but unallocated.\n")


def fit(*arguments, code=0, env=None):
    result = run("fit", *arguments, "--json", env=env)
    assert result.returncode == code, (result.returncode, result.stdout, result.stderr)
    return validate(result.stdout, "fit")


class Oom(unittest.TestCase):
    def explain(self, text, *arguments):
        return subprocess.run([BINARY, "oom", *arguments], input=text, capture_output=True, text=True,
                              env={**os.environ, "LC_ALL": "C"})

    def test_a_message_on_standard_input_is_explained(self):
        result = self.explain(OOM)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("fragmentation", result.stdout)
        self.assertTrue(all(len(line) <= 80 for line in result.stdout.splitlines()))
        answer = validate(self.explain(OOM, "--json").stdout, "oom")
        self.assertEqual(answer["cause"], "fragmentation")
        self.assertEqual(answer["asked_bytes"], 2 << 30)

    def test_a_file_is_read_and_what_is_none_is_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder, "log")
            log.write_bytes(b"\xff\x00binary\n" + OOM.encode())
            self.assertEqual(self.explain("", str(log)).returncode, 0)
            for text, file, code in (("all is well", "-", 3), ("", "-", 2), ("", folder, 2),
                                     ("", str(log) + ".none", 2)):
                result = self.explain(text, file)
                self.assertEqual(result.returncode, code, result.stderr)
                self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
                self.assertEqual(result.stdout, "")


class Fit(unittest.TestCase):
    def test_a_catalogued_model_on_a_named_gpu(self):
        answer = fit("Qwen2.5-7B-Instruct", "--gpu", "RTX 4090", "--runtime", "transformers")
        self.assertEqual(answer["verdict"], "fits")
        self.assertEqual(answer["model"]["parameters"], 7615616512)
        total = sum(term["expected_bytes"] for term in answer["terms"])
        self.assertEqual(total, answer["total"]["expected_bytes"])
        self.assertLess(answer["total"]["high_bytes"], answer["usable_bytes"])

    def test_what_does_not_fit_says_what_would(self):
        answer = fit("Llama-3.1-70B-Instruct", "--gpu", "RTX 4090", code=1)
        self.assertEqual(answer["verdict"], "does-not-fit")
        self.assertTrue(answer["suggestions"])

    def test_the_list_for_a_size_is_large_to_small(self):
        answer = fit("--vram", "24GiB", "--kind", "llm")
        sizes = [model["parameters"] for model in answer["models"]]
        self.assertEqual(sizes, sorted(sizes, reverse=True))
        self.assertGreater(len(sizes), 50)
        self.assertEqual(answer["rule_of_thumb"][0]["dtype"], "fp16")

    def test_the_answer_fits_80_columns(self):
        for arguments in (["--vram", "16GiB"], ["Qwen3-30B-A3B", "--gpu", "RTX 4090", "-v"],
                          ["Llama-3.1-8B-Instruct", "--task", "qlora", "--gpu", "T4"]):
            result = run("fit", *arguments)
            self.assertIn(result.returncode, (0, 1), result.stderr)
            for line in result.stdout.splitlines():
                self.assertLessEqual(len(line), 80, line)

    def test_nonsense_is_wrong_usage_in_one_line(self):
        for arguments, says in ((["--vram", "24"], "24"), (["--vram", "0GiB"], "--vram"),
                                (["--gpu", "RTX 4091"], "RTX 4090"),
                                (["Qwen2.5-7B-Instruct", "--context", "0"], "--context"),
                                (["Qwen2.5-7B-Instruct", "--dtype", "q9_k"], "q9_k"),
                                (["Qwen2.5-7B-Instruct", "--image", "8"], "--image"),
                                (["Qwen2.5-7B-Instruct", "--task", "lora", "--runtime", "vllm"],
                                 "--task"),
                                (["--task", "full"], "MODEL"),
                                (["Qwen2.5-7B-Instruct", "--zero", "4"], "--zero"),
                                (["/nonexistent.gguf"], "/nonexistent.gguf")):
            with self.subTest(arguments):
                result = run("fit", *arguments)
                self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
                self.assertEqual(result.stdout, "")
                self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
                self.assertIn(says, result.stderr)

    def test_this_machines_gpu_is_taken_and_verified(self):
        answer = fit("Qwen2.5-0.5B-Instruct", "--verify", env=fake_gpu(T4))
        self.assertEqual(answer["device"], "cuda:0")
        check = answer["checks"][0]
        self.assertTrue(check["held"])
        self.assertGreaterEqual(check["taken_bytes"], check["asked_bytes"])

    def test_a_prediction_that_cannot_be_had_is_told(self):
        answer = fit("Qwen2.5-14B-Instruct", "--runtime", "transformers", "--verify", code=1,
                     env=fake_gpu(T4))
        self.assertFalse(answer["checks"][0]["held"])


if __name__ == "__main__":
    unittest.main(verbosity=2)

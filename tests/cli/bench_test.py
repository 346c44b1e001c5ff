#!/usr/bin/env python3
"""bench's modes, files and endings as a user meets them.

Environment: as cli_test.py.
"""

import json
import os
import pathlib
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest

from cli_test import BINARY, T4, fake_gpu, run, validate

# On a fake GPU, whose products take the same time on a busy machine.
SMALL = ("--size", "256", "--device", "cuda")


def bench(*arguments, code=0, env=None):
    result = run("bench", *arguments, "--json", env=env or fake_gpu(T4))
    assert result.returncode == code, (result.returncode, result.stdout, result.stderr)
    return validate(result.stdout, "bench")


class Limits(unittest.TestCase):
    def test_what_does_not_fit_into_the_time_is_left_out_by_name(self):
        answer = bench("--shape", "20000,20000,20000", "--device", "cpu", "--max-time", "2", code=3)
        self.assertEqual(answer["cases"], [])
        self.assertIn("20000 x 20000 x 20000", answer["time"]["left_out"][0])
        self.assertEqual(answer["time"]["limit_s"], 2)

    def test_a_sweep_ends_in_its_time_and_says_before_what_it_will_take(self):
        result = run("bench", "--standard", "--device", "cuda", "--max-time", "6", "--json",
                     env=fake_gpu(T4))
        answer = validate(result.stdout, "bench")
        self.assertLessEqual(answer["time"]["predicted_s"], 6)
        self.assertTrue(any("16384" in line for line in answer["time"]["left_out"]))
        told = run("bench", "--standard", "--device", "cpu", "--max-time", "0.2")
        self.assertIn("left out", told.stderr)

    def test_nonsense_is_wrong_usage_in_one_line(self):
        for arguments, says in ((["--max-time", "0"], "--max-time"),
                                (["--max-time", "nan"], "--max-time"),
                                (["--max-time", "-1"], "--max-time"),
                                (["--size", "0"], "--size"), (["--size", "70000"], "65536"),
                                (["--size", "1e99"], "--size"), (["--shape", "4,4,0"], "--shape"),
                                (["--dtype", "fp7"], "fp16-acc16"),
                                (["--lesson", "--quick"], "--lesson"),
                                (["--peak", "--claims"], "--peak"),
                                (["--peak", "--torch"], "--torch"),
                                (["--cold", "--torch"], "--torch")):
            with self.subTest(arguments):
                result = run("bench", *arguments)
                self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
                self.assertEqual(result.stdout, "")
                self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
                self.assertIn(says, result.stderr)

    def test_a_cold_cache_is_another_metric_and_said_so(self):
        answer = bench("--cold", "--device", "cpu", "--size", "256", "--threads", "1",
                       "--max-time", "20")
        for case in answer["cases"]:
            self.assertIn("cold", case["flags"])
            self.assertEqual(case["buffer_sets"], 1)
        self.assertTrue(any("--cold" in note for note in answer["notes"]))

    def test_a_type_that_the_device_does_not_have_is_named(self):
        answer = bench("--dtype", "fp8", "--size", "64", "--device", "cpu", code=3)
        self.assertEqual(answer["cases"], [])
        self.assertIn("fp8", answer["errors"][0]["dtype"])
        beside = bench("--dtype", "fp32,fp64", "--backend", "cublas", "--max-time", "20", *SMALL)
        self.assertEqual([case["dtype"]["name"] for case in beside["cases"]], ["fp32"])
        self.assertEqual(len(beside["errors"]), 1)


class Files(unittest.TestCase):
    def test_csv_and_json_lines_hold_the_cases(self):
        with tempfile.TemporaryDirectory() as folder:
            csv, lines = pathlib.Path(folder, "a.csv"), pathlib.Path(folder, "a.jsonl")
            answer = bench(*SMALL, "--max-time", "20", "--csv", str(csv), "--jsonl", str(lines))
            self.assertEqual(len(csv.read_text().splitlines()), 2)
            case = validate(lines.read_text(), "bench-case")
            self.assertEqual(case["median_s"], answer["cases"][0]["median_s"])
            self.assertEqual(sorted(os.listdir(folder)), ["a.csv", "a.jsonl"])

    def test_a_full_disk_is_one_line_and_loses_nothing_on_standard_output(self):
        for option in ("--csv", "--jsonl"):
            with self.subTest(option):
                result = run("bench", *SMALL, "--max-time", "20", option, "/dev/full", "--json",
                             env=fake_gpu(T4))
                self.assertEqual(result.returncode, 4)
                self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
                self.assertIn("No space left", result.stderr)
                self.assertEqual(len(validate(result.stdout, "bench")["cases"]), 1)

    def test_two_runs_are_compared_and_the_same_run_is_noise(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "a.json")
            path.write_text(json.dumps(bench(*SMALL, "--max-time", "20")))
            result = run("compare", str(path), str(path), "--json")
            self.assertEqual(result.returncode, 0, result.stderr)
            changes = validate(result.stdout, "compare")["changes"]
            self.assertEqual([c["change"] for c in changes], ["within the noise"])
            self.assertEqual(changes[0]["ratio"], 1)
            text = run("compare", str(path), str(path)).stdout
            self.assertIn("within the", text)

    def test_what_cannot_be_compared_is_wrong_usage(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, content in (("newer.json", '{"schema": "gpuready.bench/2", "cases": []}'),
                                  ("broken.json", '{"schema": '), ("list.json", "[]"),
                                  ("kind.json", '{"schema": "gpuready.bench/1", "cases": 5}')):
                path = pathlib.Path(folder, name)
                path.write_text(content)
                with self.subTest(name):
                    result = run("compare", str(path), str(path))
                    self.assertEqual((result.returncode, result.stdout), (2, ""))
                    self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
                    self.assertIn(name, result.stderr)
            self.assertEqual(run("compare", f"{folder}/none.json", f"{folder}/none.json").returncode,
                             2)
        self.assertEqual(run("compare", "one.json").returncode, 2)


class Stopping(unittest.TestCase):
    def test_ctrl_c_prints_and_saves_what_was_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            lines = pathlib.Path(folder, "a.jsonl")
            process = subprocess.Popen(
                [BINARY, "bench", "--standard", "--device", "cuda", "--max-time", "100", "--json",
                 "--jsonl", str(lines)], env={**os.environ, **fake_gpu(T4)},
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for _ in range(3000):
                parts = list(pathlib.Path(folder).glob("a.jsonl.part-*"))
                if parts and parts[0].stat().st_size > 0:
                    break
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=30)
            self.assertEqual(process.returncode, 130, err)
            answer = validate(out, "bench")
            self.assertGreaterEqual(len(answer["cases"]), 1)
            self.assertEqual(len(lines.read_text().splitlines()), len(answer["cases"]))
            self.assertTrue(any("stopped" in note for note in answer["notes"]))


class Modes(unittest.TestCase):
    def test_the_lesson_prints_its_three_lines_and_why_they_mislead(self):
        text = run("bench", "--lesson", "--size", "256", "--threads", "1", "--max-time", "30",
                   env=fake_gpu(T4)).stdout
        lines = text.splitlines()
        self.assertRegex(lines[0], r"^CPU: \d+\.\d{4}s$")
        self.assertRegex(lines[1], r"^GPU: \d+\.\d{4}s$")
        self.assertRegex(lines[2], r"^Speedup: [\d.]+x$")
        self.assertIn("TF32", text)
        self.assertIn("95 % interval", text)

    def test_claims_say_what_was_tested_and_why_the_rest_was_not(self):
        answer = bench("--claims", "--device", "cpu", "--size", "256", "--threads", "1",
                       "--max-time", "20")
        claims = {claim["id"]: claim for claim in answer["claims"]}
        self.assertEqual(claims["half-memory"]["verdict"], "true here")
        self.assertLess(claims["half-memory"]["measured"], 1e-3)
        for name in ("tensor-cores", "eight-hours", "faster"):
            self.assertEqual(claims[name]["verdict"], "not tested")
            self.assertTrue(claims[name]["why"])

    def test_the_peak_is_the_best_shape_beside_the_squares(self):
        answer = bench("--peak", "--device", "cpu", "--threads", "1", "--max-time", "30")
        peak = answer["peaks"][0]
        self.assertGreater(peak["best_flops"], 0)
        self.assertGreaterEqual(peak["tried"], 1)
        self.assertEqual(answer["time"]["limit_s"], 30)

    def test_several_gpus_are_measured_alone_and_at_once(self):
        devices = "".join(T4 + f"pci 0000:0{i}:00.0\nuuid {i:032x}\n" for i in range(1, 5))
        answer = bench("--device", "all", "--quick", "--size", "256", "--max-time", "60",
                       env=fake_gpu(devices))
        self.assertEqual([peer["device"] for peer in answer["peers"]],
                         [f"cuda:{i}" for i in range(4)])
        for peer in answer["peers"]:
            self.assertGreater(peer["alone_flops"], 0)
            self.assertGreater(peer["together_flops"], 0)
            # These T4s are a CPU, but so small a product says nothing of what a T4 reaches.
            self.assertNotIn("every healthy", peer["verdict"])


FAKE_TORCH = """
import time
__version__ = "9.9.9"
class version: cuda = None
class __config__:
    @staticmethod
    def show(): return "BLAS_INFO=generic, "
class _Matmul: allow_tf32 = False
class backends:
    class cuda: matmul = _Matmul
class cuda:
    @staticmethod
    def synchronize(): pass
float32 = "float32"
class _Device:
    def __init__(self, name): self.type = name.split(":")[0]
device = _Device
def get_num_threads(): return 1
class _Tensor:
    def __mul__(self, other): return self
    def __sub__(self, other): return self
    def to(self, kind): return self
def rand(rows, columns, device): return _Tensor()
def empty(rows, columns, device, dtype): return _Tensor()
def mm(a, b, out): DO
print("noise on standard output")
"""


class Torch(unittest.TestCase):
    def measured(self, do, cuda=None, max_time="30"):
        with tempfile.TemporaryDirectory() as folder:
            python = pathlib.Path(folder, "bin", "python3")
            packages = pathlib.Path(folder, "lib", "python3.11", "site-packages")
            python.parent.mkdir()
            (packages / "torch").mkdir(parents=True)
            (packages / "torch" / "__init__.py").write_text(
                FAKE_TORCH.replace("DO", do).replace("cuda = None", f"cuda = {cuda!r}"))
            (packages / "torch" / "version.py").write_text(
                f"__version__ = '9.9.9'\ncuda = {cuda!r}\n")
            info = packages / "torch-9.9.9.dist-info"
            info.mkdir()
            (info / "METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 9.9.9\n")
            python.write_text(f"#!/bin/sh\nPYTHONPATH={packages} exec {sys.executable} \"$@\"\n")
            python.chmod(python.stat().st_mode | stat.S_IXUSR)
            (pathlib.Path(folder) / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.11.2\n")
            env = {"PATH": f"{python.parent}:{os.environ['PATH']}", "VIRTUAL_ENV": folder}
            return bench(*SMALL, "--max-time", max_time, "--torch", env={**fake_gpu(T4), **env})

    def test_a_slow_torch_is_explained(self):
        torch = self.measured("time.sleep(0.2)")["torch"][0]
        self.assertEqual(torch["version"], "9.9.9")
        self.assertLess(torch["ratio"], 0.9)
        self.assertTrue(torch["why"])

    def test_a_torch_that_raises_crashes_or_hangs_gives_its_reason(self):
        for do, cuda, limit, says in (
                ("raise RuntimeError('no such kernel')", None, "30", "built for the CPU"),
                ("raise RuntimeError('no such kernel')", "13.0", "30", "no such kernel"),
                ("__import__('os').abort()", "13.0", "30", "signal 6"),
                ("time.sleep(3600)", "13.0", "8", "no answer within")):
            with self.subTest(do):
                answer = self.measured(do, cuda, limit)
                self.assertEqual(len(answer["cases"]), 1)
                self.assertIn(says, answer["torch"][0]["why"][0])
                self.assertEqual(answer["torch"][0]["flops"]["absent"], "not-tested")

    def test_without_torch_a_note_says_so(self):
        with tempfile.TemporaryDirectory() as folder:
            answer = bench(*SMALL, "--max-time", "20", "--torch",
                           env={**fake_gpu(T4), "PATH": folder, "VIRTUAL_ENV": ""})
            self.assertTrue(any("--torch" in note for note in answer["notes"])
                            or answer["torch"])


if __name__ == "__main__":
    unittest.main(verbosity=2)

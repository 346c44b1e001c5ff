#!/usr/bin/env python3
"""What is found only where it is asked for: PyTorch's own answers, and GPUs under load.

The Python that is asked is real; the packages called torch are made here, each with one fault.
"""

import json
import os
import pathlib
import sys
import tempfile
import textwrap
import unittest

from cli_test import fake_gpu, run, validate

GOOD = """
    import types
    __version__ = "2.9.0+cu130"
    version = types.SimpleNamespace(cuda="13.0", hip=None)
    float32 = None
    class Tensor:
        def __init__(self, rows): self.rows = rows
        def to(self, device): return self
        def cpu(self): return self
        def tolist(self): return self.rows
    def tensor(rows, dtype=None): return Tensor(rows)
    def mm(x, y):
        columns = list(zip(*y.rows))
        return Tensor([[sum(a * b for a, b in zip(row, c)) for c in columns] for row in x.rows])
    class cuda:
        is_available = staticmethod(lambda: True)
        device_count = staticmethod(lambda: 1)
        init = staticmethod(lambda: None)
        get_arch_list = staticmethod(lambda: ["sm_75", "sm_90"])
        get_device_name = staticmethod(lambda index: "Tesla T4")
        get_device_capability = staticmethod(lambda index: (7, 5))
"""


class Python(unittest.TestCase):
    """`--run-python` with packages called torch that do one thing each."""

    def ask(self, torch, extra=None, script="no-devices\n", seconds="20", files=None):
        """machine.torch_answer, and the findings of doctor."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "bin").mkdir()
            (root / "bin" / "python").symlink_to(sys.executable)
            for name, text in {"torch/__init__.py": torch, **(files or {})}.items():
                if text is None:
                    continue
                path = root / "site" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(textwrap.dedent(text))
            (root / "site").mkdir(exist_ok=True)
            env = {**fake_gpu(script), "PATH": f"{root}/bin:{os.environ['PATH']}",
                   "PYTHONPATH": f"{root}/site", **(extra or {})}
            facts = run("facts", "--json", f"--run-python={seconds}", env=env)
            self.assertEqual(facts.returncode, 0, facts.stderr)
            (root / "facts.json").write_text(facts.stdout)
            doctor = run("doctor", "--json", "--from", str(root / "facts.json"))
            self.assertIn(doctor.returncode, {0, 1}, doctor.stderr)
        self.findings = [f["id"] for f in validate(doctor.stdout, "doctor")["findings"]]
        return validate(facts.stdout, "facts")["machine"]["torch_answer"]

    def test_it_is_asked_only_on_request(self):
        machine = json.loads(run("facts", "--json").stdout)["machine"]
        self.assertEqual(machine["torch_answer"]["absent"], "not-tested")
        self.assertIn("--run-python", machine["torch_answer"]["detail"])
        self.assertIn("--load", machine["load"]["detail"])

    def test_a_torch_that_works_is_told_with_its_product(self):
        answer = self.ask(GOOD, script="device\nname Tesla T4\ncapability_major 7\n"
                          "capability_minor 5\n")
        self.assertEqual(answer["version"], "2.9.0+cu130")
        self.assertEqual(answer["devices"], [{"index": 0, "name": "Tesla T4",
                                              "compute_capability": "7.5", "product": True}])
        self.assertTrue(answer["cpu_product"])
        self.assertNotIn("torch-product-wrong", self.findings)

    def test_what_is_printed_on_import_does_not_get_into_the_answer(self):
        noise = 'import os\nprint("gpuready-torch:{}")\nos.write(1, b"{[garbage")\n'
        answer = self.ask(textwrap.dedent(GOOD) + noise, files={
            "sitecustomize.py": 'print("gpuready-torch:{\\"answer\\": 5}\\ngpuready-torch:[[[")\n'})
        self.assertTrue(answer["imported"])

    def test_no_torch(self):
        answer = self.ask(None)
        self.assertEqual(answer["imported"]["absent"], "not-found")
        self.assertNotIn("torch-import-fails", self.findings)

    def test_an_import_error_is_told_in_its_own_words(self):
        answer = self.ask('raise ImportError("libcudart.so.13: cannot open shared object")')
        self.assertEqual(answer["imported"]["absent"], "call-failed")
        self.assertIn("libcudart.so.13", answer["imported"]["detail"])
        self.assertEqual(answer["version"]["absent"], "not-tested")
        self.assertIn("torch-import-fails", self.findings)

    def test_a_broken_package_inside_torch_is_no_missing_torch(self):
        answer = self.ask("import no_such_module_of_ours")
        self.assertEqual(answer["imported"]["absent"], "call-failed")

    def test_a_hang_costs_what_comes_after_it(self):
        answer = self.ask(textwrap.dedent(GOOD) + "import signal\ncuda.is_available = "
                          "staticmethod(lambda: signal.pause())\n", seconds="2")
        self.assertEqual(answer["version"], "2.9.0+cu130")
        self.assertEqual(answer["available"]["absent"], "timed-out")
        self.assertIn("2 s", answer["available"]["detail"])
        self.assertIn("torch-gives-no-answer", self.findings)

    def test_a_crash_is_told_with_its_signal(self):
        answer = self.ask("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)")
        self.assertEqual(answer["imported"]["absent"], "crashed")
        self.assertEqual(answer["imported"]["code"], 11)
        self.assertIn("torch-gives-no-answer", self.findings)

    def test_an_exit_in_the_middle_is_told_with_its_status(self):
        answer = self.ask("import os\nos._exit(7)")
        self.assertEqual(answer["imported"]["absent"], "unreadable")
        self.assertIn("status 7", answer["imported"]["detail"])

    def test_a_python_that_cannot_start_is_told_so(self):
        answer = self.ask(None, {"PYTHONHOME": "/nonexistent"})
        self.assertIn("absent", answer)

    def test_answers_of_the_wrong_kind_are_bounded_and_refused(self):
        lies = (textwrap.dedent(GOOD) + "cuda.device_count = staticmethod(lambda: 10**30)\n"
                "cuda.get_arch_list = staticmethod(lambda: ['x' * 10**6] * 1000)\n"
                "__version__ = '\\x1b[31m\\udc80' + 'v' * 10**6\n")
        answer = self.ask(lies)
        self.assertTrue("absent" in answer or len(json.dumps(answer)) < 100000)

    def test_a_torch_that_denies_the_gpu_is_explained(self):
        gpu = "device\nname Tesla T4\ncapability_major 7\ncapability_minor 5\n"
        denies = textwrap.dedent(GOOD) + """
cuda.is_available = staticmethod(lambda: False)
def init(): raise RuntimeError("Found no NVIDIA driver on your system")
cuda.init = staticmethod(init)
"""
        answer = self.ask(denies, script=gpu)
        self.assertIn("Found no NVIDIA driver", answer["started"]["detail"])
        self.assertIn("torch-sees-no-gpu", self.findings)
        self.ask(denies, script=gpu, files={
            "sitecustomize.py": 'import os\nos.environ["CUDA_VISIBLE_DEVICES"] = ""\n'})
        self.assertIn("python-hides-gpus", self.findings)
        self.assertNotIn("torch-sees-no-gpu", self.findings)

    def test_a_torch_that_lies_about_its_gpu_is_found_out(self):
        gpu = "device\nname Tesla T4\ncapability_major 7\ncapability_minor 5\n"
        fails = textwrap.dedent(GOOD) + """
def mm(x, y): raise RuntimeError("CUDA error: no kernel image is available")
"""
        answer = self.ask(fails, script=gpu)
        self.assertIn("no kernel image", answer["devices"][0]["product"]["detail"])
        self.assertIn("torch-product-fails", self.findings)
        wrong = textwrap.dedent(GOOD) + "def mm(x, y): return x\n"
        self.assertFalse(self.ask(wrong, script=gpu)["devices"][0]["product"])
        self.assertIn("torch-product-wrong", self.findings)


BUSY = """device
name Tesla T4
capability_major 7
capability_minor 5
clock_reasons 4
clock_mhz 1590
pcie_generation 3
pcie_generation_max 3
ecc 1
remap_pending 0
"""


class Load(unittest.TestCase):
    """`--load` on fake cards, each with one fault that only load shows."""

    def load(self, script, extra=None):
        """machine.load, and from the same facts the findings and the verdict of doctor."""
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/facts.json"
            facts = run("facts", "--json", "--load=0.3", env={**fake_gpu(script), **(extra or {})})
            self.assertEqual(facts.returncode, 0, facts.stderr)
            pathlib.Path(path).write_text(facts.stdout)
            answer = validate(run("doctor", "--json", "--from", path).stdout, "doctor")
        self.findings = [f["id"] for f in answer["findings"]]
        self.verdict = answer["verdict"]
        return validate(facts.stdout, "facts")["machine"]["load"]

    def test_a_card_in_order(self):
        gpu = self.load(BUSY)["gpus"][0]
        self.assertEqual(self.verdict, "usable")
        self.assertEqual((gpu["device"], gpu["name"]), ("cuda:0", "Tesla T4"))
        self.assertGreater(gpu["products"], 0)
        self.assertGreater(gpu["samples"], 0)
        self.assertTrue(gpu["product"])
        self.assertEqual(gpu["sm_clock_hz"], 1590e6)
        self.assertEqual((gpu["pcie_generation"], gpu["pcie_width"]), (3, 16))
        self.assertEqual((gpu["ecc_errors_before"], gpu["ecc_errors_after"]), (0, 0))
        shown = run("doctor", "--load=0.3", env=fake_gpu(BUSY)).stdout
        self.assertIn("1590 MHz", shown)

    def test_an_idle_answer_is_no_sample(self):
        gpu = self.load(BUSY + "clock_reasons 1\npcie_generation 1\n")["gpus"][0]
        self.assertEqual(gpu["samples"], 0)
        self.assertIn("absent", gpu["pcie_generation"])
        self.assertEqual(self.verdict, "usable")

    def test_each_fault_is_found(self):
        for change, finding in (("clock_reasons 8", "clocks-forced-down"),
                                ("clock_reasons 64", "clocks-forced-down"),
                                ("clock_reasons 132", "clocks-forced-down"),
                                ("clock_reasons 32", "clocks-lowered-by-heat"),
                                ("pcie_generation 1", "pcie-generation-reduced"),
                                ("pcie_width 4", "pcie-width-reduced"),
                                ("ecc_errors_step 2", "ecc-errors-under-load"),
                                ("power_limit_mw 100000", "power-limit-lowered"),
                                ("memory_free 1000000000", "memory-held-by-others"),
                                ("wrong-element", "wrong-product-under-load")):
            with self.subTest(change):
                self.load(f"{BUSY}{change}\n")
                self.assertIn(finding, self.findings)

    def test_a_gpu_that_vanishes_or_hangs_costs_its_own_facts(self):
        quick = {"GPUREADY_PROBE_TIMEOUT_S": "2"}
        for fault, reason in (("fail cublasSgemm_v2 13 on 6", "call-failed"),
                              ("hang cublasSgemm_v2 on 6", "timed-out"),
                              ("crash cublasSgemm_v2 on 6", "crashed")):
            with self.subTest(fault):
                gpu = self.load(f"{fault}\n{BUSY}", quick)["gpus"][0]
                self.assertEqual(gpu["seconds"]["absent"], reason)
                self.assertEqual(gpu["pcie_generation_max"], 3)
                self.assertIn("gpu-fails-under-load", self.findings)

    def test_nvml_that_fails_leaves_the_load_alone(self):
        gpu = self.load(f"fail nvmlInit_v2 999\n{BUSY}")["gpus"][0]
        self.assertTrue(gpu["product"])
        self.assertIn("absent", gpu["clock_event_reasons"])

    def test_without_a_usable_gpu_it_says_so_in_one_line(self):
        result = run("doctor", "--load", env=fake_gpu("no-devices\n"))
        self.assertEqual(result.returncode, 1)
        lines = [line for line in result.stdout.splitlines() if line.startswith("Load:")]
        self.assertEqual(lines, ["Load: no usable GPU to put under load"])
        self.assertEqual(run("doctor", "--load=0").returncode, 2)
        self.assertEqual(run("doctor", "--load=x").returncode, 2)

    def test_a_recording_of_it_answers_again(self):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/machine.json"
            env = fake_gpu(BUSY + "pcie_generation 1\n")
            self.assertEqual(run("record", "--load=0.3", "-q", "-o", path, env=env).returncode, 0)
            answer = json.loads(run("doctor", "--from", path, "--json").stdout)
            self.assertIn("pcie-generation-reduced", [f["id"] for f in answer["findings"]])


class OneLine(unittest.TestCase):
    def test_a_healthy_machine_gets_one_line(self):
        result = run("doctor", env=fake_gpu(BUSY))
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = result.stdout.splitlines()
        self.assertTrue(lines[0].startswith("usable: Tesla T4, driver 580.95.05, CUDA 13.0"))
        for line in lines[1:]:
            self.assertRegex(line, "^info  [a-z-]+: |^  ")
        self.assertIn("real kernel", run("doctor", "-v", env=fake_gpu(BUSY)).stdout)


class Data(unittest.TestCase):
    """`--data DIR` reaches every table that doctor reads."""

    def doctor(self, machine, name, change):
        source = pathlib.Path(os.environ["GPUREADY_SOURCE_DIR"])
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(change((source / "data" / name).read_text()))
            return run("doctor", "-v", "--data", folder, "--from",
                       str(source / "tests" / "machines" / f"{machine}.json"))

    def test_every_table_and_text_can_be_replaced(self):
        cases = (("rules/wheel-lacks-kernels", "torch_wheels.csv",
                  lambda t: t.replace("7.5 8.0", "6.1 7.5 8.0"), None),
                 ("rules/xid-reset-needed", "xid.csv",
                  lambda t: "".join(t.splitlines(keepends=True)[:2]), "xid-unknown"),
                 ("rules/gpu-fell-off-the-bus", "rules/gpu-fell-off-the-bus.md",
                  lambda t: t.replace("title: ", "title: OURS "), "OURS"))
        plain = run("doctor", "-v", "--from", str(pathlib.Path(
            os.environ["GPUREADY_SOURCE_DIR"], "tests/machines/rules/wheel-lacks-kernels.json")))
        self.assertIn("wheel-lacks-kernels", plain.stdout)
        for machine, name, change, expected in cases:
            with self.subTest(name):
                result = self.doctor(machine, name, change)
                self.assertIn(result.returncode, {0, 1}, result.stderr)
                if expected:
                    self.assertIn(expected, result.stdout)
                else:
                    self.assertNotEqual(result.stdout, plain.stdout)

    def test_a_malformed_table_is_one_line_and_2(self):
        for name in ("torch_wheels.csv", "cuda_compat.csv", "xid.csv", "prices.csv",
                     "rules/uvm-missing.md"):
            for content in ("", "nonsense\n1\n", "\x00\xff", '"open'):
                with self.subTest(f"{name} {content!r}"):
                    result = self.doctor("colab-t4", name, lambda _, c=content: c)
                    self.assertEqual(result.returncode, 2, result.stdout)
                    self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
                    self.assertIn(name, result.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])

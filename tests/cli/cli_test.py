#!/usr/bin/env python3
"""The command line as a user meets it: exit codes, JSON against its schemas, bad input, faults.

Environment: GPUREADY_BINARY, GPUREADY_SOURCE_DIR, GPUREADY_FAKES_DIR.
"""

import json
import os
import pathlib
import pty
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import jsonschema

BINARY = os.environ["GPUREADY_BINARY"]
SOURCE = pathlib.Path(os.environ["GPUREADY_SOURCE_DIR"])
FAKES = os.environ["GPUREADY_FAKES_DIR"]
MACHINES = sorted((SOURCE / "tests" / "machines").glob("*.json"))


def run(*arguments, env=None, shell=None, stdin=subprocess.DEVNULL, timeout=110):
    environment = {**os.environ, "LC_ALL": "C", **(env or {})}
    command = [BINARY, *arguments] if shell is None else ["sh", "-c", shell]
    return subprocess.run(command, env=environment, stdin=stdin, capture_output=True, text=True,
                          timeout=timeout, check=False)


def validate(text, command):
    schema = json.loads((SOURCE / "schemas" / f"gpuready.{command}.json").read_text())
    answer = json.loads(text)
    jsonschema.Draft202012Validator(schema).validate(answer)
    return answer


def fake_gpu(script):
    """An environment in which the fake vendor libraries play the given script."""
    file = tempfile.NamedTemporaryFile("w", suffix=".txt", delete=False)
    file.write(script)
    file.close()
    return {"GPUREADY_LIBRARY_PATH": FAKES, "GPUREADY_FAKE_SCRIPT": file.name,
            "GPUREADY_PROBE_TIMEOUT_S": "5"}


class Json(unittest.TestCase):
    def test_the_page_agrees_with_its_schema(self):
        result = run("--quick", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        answer = validate(result.stdout, "run")
        self.assertEqual(answer["schema"], "gpuready.run/1")

    def test_facts_doctor_and_device_agree_with_their_schemas(self):
        for command, codes in (("facts", {0}), ("device", {0}), ("doctor", {0, 1, 3})):
            with self.subTest(command):
                result = run(command, "--json")
                self.assertIn(result.returncode, codes, result.stderr)
                validate(result.stdout, command)

    def test_bench_agrees_with_its_schema_and_its_product_is_checked(self):
        result = run("bench", "--size", "256", "--max-time", "3", "--device", "cpu", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        case = validate(result.stdout, "bench")["cases"][0]
        self.assertTrue(case["verification"]["passed"])
        self.assertEqual(case["shape"], {"m": 256, "n": 256, "k": 256})

    def test_a_recording_agrees_with_its_schema_and_replays_to_the_same_facts(self):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/machine.json"
            self.assertEqual(run("record", "-o", path, "-q").returncode, 0)
            recorded = validate(pathlib.Path(path).read_text(), "record")
            replayed = json.loads(run("facts", "--from", path, "--json").stdout)
            self.assertEqual(replayed["machine"], recorded["machine"])

    def test_every_recorded_machine_answers_every_reading_command(self):
        self.assertGreaterEqual(len(MACHINES), 12)
        for machine in MACHINES:
            for command, schema in ((["facts"], "facts"), (["doctor"], "doctor"),
                                    (["device"], "device"), ([], "run")):
                with self.subTest(f"{machine.stem} {schema}"):
                    result = run(*command, "--from", str(machine), "--json")
                    self.assertIn(result.returncode, {0, 1, 3}, result.stderr)
                    validate(result.stdout, schema)

    def test_a_saved_run_can_be_shown_again(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "run.json")
            path.write_text(run("--quick", "--json").stdout)
            shown = json.loads(run("--from", str(path), "--json").stdout)
            saved = json.loads(path.read_text())
            self.assertEqual(shown["machine"], saved["machine"])
            self.assertEqual(shown["bench"]["cases"], saved["bench"]["cases"])


class BadInput(unittest.TestCase):
    def refused(self, *arguments, code=2, says=""):
        result = run(*arguments)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertIn(says, result.stderr)

    def test_unknown_options_and_commands(self):
        self.refused("--nonsense", says="--nonsense")
        self.refused("nonsense", says="nonsense")
        self.refused("device", "--require", "tpu", says="tpu")
        self.refused("--color", "purple", says="purple")

    def test_input_files_that_cannot_be_read(self):
        with tempfile.TemporaryDirectory() as folder:
            whole = MACHINES[0].read_text()
            for name, content, says in (("empty.json", "", "JSON"),
                                        ("cut.json", whole[:len(whole) // 2], "JSON"),
                                        ("foreign.json", '{"schema": "other/1"}', "other/1"),
                                        ("list.json", "[1, 2]", "object"),
                                        ("bare.json", '{"schema": "gpuready.run/1"}', "machine"),
                                        ("number.json", '{"schema":"gpuready.run/1",'
                                         '"machine":{"os":{"name":5}}}', "machine.os.name"),
                                        ("raw.json", '{"schema":"gpuready.record/1",'
                                         '"raw":{"files":[]}}', "raw.files"),
                                        ("deep.json", "[" * 100000, "JSON")):
                path = pathlib.Path(folder, name)
                path.write_text(content)
                with self.subTest(name):
                    self.refused("facts", "--from", str(path), says=says)
            pathlib.Path(folder, "bytes.json").write_bytes(b"\x7fELF\x00\xff\xfe")
            self.refused("facts", "--from", f"{folder}/bytes.json", says="JSON")
            self.refused("facts", "--from", folder, says="folder")
            self.refused("facts", "--from", f"{folder}/none.json", says="No such file")
            os.mkfifo(f"{folder}/fifo")
            self.refused("facts", "--from", f"{folder}/fifo", says="JSON")
            self.refused("facts", "--from", "/dev/zero", says="device")
            with open(f"{folder}/huge.json", "wb") as huge:
                huge.truncate(10 << 30)
            self.refused("facts", "--from", f"{folder}/huge.json", says="64 MiB")

    def test_a_recording_may_come_through_a_pipe(self):
        program = f"'{BINARY}' doctor --json --from /dev/stdin"
        result = run(shell=f"{{ head -c 1000 '{MACHINES[0]}'; tail -c +1001 '{MACHINES[0]}'; }} | "
                           + program)
        self.assertEqual(result.stdout, run("doctor", "--json", "--from", str(MACHINES[0])).stdout)
        endless = run(shell=f"tr '\\0' ' ' </dev/zero | {program}")
        self.assertEqual(endless.returncode, 2)
        self.assertIn("64 MiB", endless.stderr)

    def test_impossible_benchmarks(self):
        self.refused("bench", "--size", "0")
        self.refused("bench", "--size", "-5")
        self.refused("bench", "--shape", "5,5", says="--shape")
        self.refused("bench", "--dtype", "fp7", says="fp7")
        self.refused("bench", "--max-time", "0")
        self.refused("bench", "--device", "tpu", says="tpu")
        self.refused("bench", "--device", "cpu:1", says="cpu:1")
        self.refused("bench", "--device", "opencl:99", says="opencl:99")
        self.refused("bench", "--device", "cpu", "--backend", "cublas", says="cublas")

    def test_a_data_folder_that_is_not_there_or_broken(self):
        self.refused("--data", "/nonexistent", says="/nonexistent")
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "prices.csv").write_text("provider,gpu\nx\n")
            self.refused("--data", folder, says="prices.csv")

    def test_an_unknown_rule(self):
        self.refused("doctor", "--explain", "nouveau", says="nouveau-bound")
        self.assertIn("nouveau", run("doctor", "--explain", "nouveau-bound").stdout)
        self.assertIn("nouveau-bound", run("doctor", "--list-rules").stdout)
        self.refused("doctor", "--explain", "", says="--list-rules")
        self.refused("doctor", "--explain", "Nouveau_Bound", says="nouveau-bound")
        self.refused("doctor", "--explain", "nouveau", "--json", says="nouveau-bound")

    def test_rules_as_json(self):
        every = validate(run("doctor", "--list-rules", "--json").stdout, "rules")["rules"]
        one = validate(run("doctor", "--explain", "nouveau-bound", "--json").stdout, "rules")
        self.assertGreater(len(every), 100)
        self.assertEqual([rule["id"] for rule in one["rules"]], ["nouveau-bound"])
        self.assertIn(one["rules"][0], every)

    def test_seconds_that_are_no_number(self):
        for option in ("--load=nan", "--load=-nan", "--run-python=nan", "--load=0"):
            self.refused("doctor", option, says=option.split("=")[0])

    def test_a_recorded_machine_is_asked_nothing_more(self):
        for command in ("doctor", "facts"):
            for option in ("--load", "--run-python"):
                self.refused(command, "--from", str(MACHINES[0]), option, says="--from")

    def test_a_recording_from_standard_input(self):
        recording = SOURCE / "tests" / "machines" / "nouveau-bound.json"
        by_name = run("doctor", "--from", str(recording))
        with recording.open() as stdin:
            by_pipe = run("doctor", "--from", "-", stdin=stdin)
        self.assertEqual(by_pipe.stdout, by_name.stdout)
        self.assertEqual(by_pipe.returncode, 1)

    def test_a_required_device_that_is_not_there(self):
        result = run("device", "--require", "xpu")
        self.assertEqual(result.returncode, 1)
        self.assertIn("xpu is required", result.stderr)


class Faults(unittest.TestCase):
    def test_closed_standard_output(self):
        result = run(shell=f"'{BINARY}' device >&-")
        self.assertEqual(result.returncode, 4)
        self.assertIn("standard output is closed", result.stderr)

    def test_full_disk_behind_standard_output(self):
        result = run(shell=f"'{BINARY}' device >/dev/full")
        self.assertEqual(result.returncode, 4)
        self.assertIn("No space left", result.stderr)

    def test_a_reader_that_goes_away_is_no_complaint(self):
        result = run(shell=f"('{BINARY}' facts --json; echo $? >&2) | true")
        self.assertIn(result.stderr.strip(), {"141", "0"})

    def test_a_recording_that_does_not_fit_leaves_the_old_one_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "machine.json")
            path.write_text("old")
            result = run(shell=f"ulimit -f 1; '{BINARY}' record -o '{path}'")
            self.assertEqual(result.returncode, 4, result.stderr)
            self.assertEqual(result.stderr.count("\n"), 1)
            self.assertEqual(path.read_text(), "old")
            self.assertEqual(len(list(pathlib.Path(folder).iterdir())), 1)
            self.assertEqual(run("record", "-o", "/dev/full").returncode, 4)
            self.assertEqual(run("record", "-o", f"{folder}/no/such").returncode, 4)

    def test_neither_proc_nor_sys(self):
        if os.geteuid() != 0:
            self.skipTest("hiding /proc takes root")
        hide = "mount -t tmpfs none /proc && mount -t tmpfs none /sys"
        result = run(shell=f"unshare -m sh -c \"{hide} && exec '{BINARY}' facts --json\"")
        if "unshare" in result.stderr or "mount:" in result.stderr:
            self.skipTest("no mount namespace here: " + result.stderr.strip())
        self.assertEqual(result.returncode, 0, result.stderr)
        machine = validate(result.stdout, "facts")["machine"]
        self.assertIn("absent", machine["pci_count"])
        self.assertIn("absent", machine["memory"]["total_bytes"])

    def test_one_cpu_by_affinity(self):
        result = run(shell=f"taskset -c 0 '{BINARY}' facts --json")
        self.assertEqual(json.loads(result.stdout)["machine"]["cpu"]["usable_threads"], 1)

    def test_a_library_that_is_no_elf_file(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("libcuda.so.1", "libnvidia-ml.so.1", "libOpenCL.so.1"):
                pathlib.Path(folder, name).write_text("this is no library\n" * 100)
            result = run("facts", "--json", env={"GPUREADY_LIBRARY_PATH": folder})
            self.assertEqual(result.returncode, 0, result.stderr)
            library = validate(result.stdout, "facts")["machine"]["driver"]["cuda"]["library"]
            self.assertEqual(library["absent"], "library-missing")
            self.assertIn("ELF", library["detail"])

    def test_ctrl_c_ends_the_program_and_its_children(self):
        process = subprocess.Popen([BINARY, "bench", "--size", "4096", "--device", "cpu",
                                    "--max-time", "60"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        child = None
        for _ in range(500):
            child = next((pid for pid, parent in children() if parent == process.pid), None)
            if child is not None:
                break
            time.sleep(0.01)
        self.assertIsNotNone(child)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=20), 130)
        process.stdout.close()
        process.stderr.close()
        for _ in range(500):
            if all(parent != process.pid and pid != child for pid, parent in children()):
                return
            time.sleep(0.01)
        self.fail("a child outlived the program")


def children():
    """(pid, parent) of every live process."""
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if fields[0] != "Z":
                yield int(entry.name), int(fields[1])


T4 = """device
name Tesla T4
capability_major 7
capability_minor 5
memory_total 15828320256
memory_free 15500000000
"""


class FakeGpu(unittest.TestCase):
    """Against the fake vendor libraries: what only a machine with a GPU can show."""

    def page(self, script, code=0):
        result = run("--quick", "--json", env=fake_gpu(script))
        self.assertEqual(result.returncode, code, result.stderr)
        return validate(result.stdout, "run")

    def test_a_working_gpu_is_used_measured_and_compared(self):
        answer = self.page(T4)
        self.assertEqual(answer["doctor"]["verdict"], "usable")
        self.assertEqual(answer["device"]["device"], "cuda")
        gpu = answer["machine"]["gpus"][0]
        self.assertEqual((gpu["name"], gpu["compute_capability"]), ("Tesla T4", "7.5"))
        self.assertTrue(gpu["kernel"])
        cases = {case["device"]: case for case in answer["bench"]["cases"]}
        self.assertEqual(set(cases), {"cpu", "cuda:0"})
        self.assertTrue(cases["cuda:0"]["verification"]["passed"])
        for kind in ("kernel_only", "with_transfers", "first_use"):
            self.assertGreater(answer["bench"]["speedup"][kind]["ratio"], 0)
        self.assertEqual(answer["fit"]["device"], "cuda:0")
        self.assertEqual(answer["fit"]["rule_of_thumb"][0]["max_parameters"], 7750000000)
        self.assertEqual(answer["next"]["places"], [])

    def test_device_and_doctor_answer_for_scripts(self):
        environment = fake_gpu(T4)
        self.assertEqual(run("device", env=environment).stdout, "cuda\n")
        self.assertEqual(run("device", "--require", "cuda", env=environment).returncode, 0)
        self.assertEqual(run("doctor", env=environment).returncode, 0)

    def test_a_wrong_product_ends_with_5_and_has_no_speed(self):
        for fault in ("wrong-element", "nan"):
            with self.subTest(fault):
                answer = self.page(f"{fault}\n{T4}", code=5)
                self.assertNotIn("cuda:0", [case["device"] for case in answer["bench"]["cases"]])
                self.assertTrue(answer["bench"]["errors"][0]["wrong_product"])
                self.assertIn("absent", answer["bench"]["speedup"]["kernel_only"])

    def test_a_saved_wrong_product_stays_wrong(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "run.json")
            path.write_text(run("--quick", "--json", env=fake_gpu(f"nan\n{T4}")).stdout)
            self.assertEqual(run("--from", str(path)).returncode, 5)
            self.assertEqual(run("bench", "--from", str(path)).returncode, 5)

    def test_a_kernel_with_a_wrong_result_does_not_earn_usable(self):
        answer = self.page(f"kernel-wrong\n{T4}")
        self.assertEqual(answer["doctor"]["verdict"], "not-usable")
        self.assertEqual(answer["device"]["device"], "cpu")

    def test_the_first_broken_rung_is_named_by_its_code(self):
        for call, code, rung in (("cuInit", 803, "cuda-init"), ("cuInit", 802, "cuda-init"),
                                 ("cuDevicePrimaryCtxRetain", 46, "context"),
                                 ("cuModuleLoadData", 222, "kernel"),
                                 ("cuLaunchKernel", 700, "kernel")):
            with self.subTest(f"{call} {code}"):
                result = run("doctor", "--json", env=fake_gpu(f"fail {call} {code}\n{T4}"))
                self.assertEqual(result.returncode, 1, result.stderr)
                broken = [r for r in validate(result.stdout, "doctor")["ladder"]
                          if r["outcome"] == "finding"]
                self.assertEqual(broken[0]["rung"], rung)
                self.assertIn(str(code), broken[0]["why"])

    def test_a_hang_and_a_crash_cost_only_their_own_facts(self):
        for fault, absence in (("hang", "timed-out"), ("crash", "crashed")):
            for call, fact in (("cuInit", "init"), ("cuLaunchKernel", "kernel")):
                with self.subTest(f"{fault} {call}"):
                    environment = {**fake_gpu(f"{fault} {call}\n{T4}"),
                                   "GPUREADY_PROBE_TIMEOUT_S": "1"}
                    result = run("facts", "--json", env=environment)
                    driver = validate(result.stdout, "facts")["machine"]["driver"]
                    self.assertTrue(driver["nvml"]["init"])
                    cuda = driver["cuda"]
                    where = cuda if fact == "init" else cuda["devices"][0]
                    self.assertEqual(where[fact]["absent"], absence)

    def test_a_product_that_does_not_fit_on_the_gpu_is_shrunk_and_says_so(self):
        small = T4.replace("15500000000", "1111490560")
        result = run("bench", "--size", "1024", "--max-time", "20", "--device", "cuda", "--json",
                     env=fake_gpu(small))
        self.assertEqual(result.returncode, 0, result.stderr)
        case = validate(result.stdout, "bench")["cases"][0]
        self.assertIn("shrunk", case["flags"])
        self.assertLess(case["shape"]["n"], 1024)

    def test_visible_devices_that_hide_the_gpu_are_blamed(self):
        environment = {**fake_gpu(f"fail cuInit 100\n{T4}"), "CUDA_VISIBLE_DEVICES": "nonsense"}
        result = run("doctor", "--json", env=environment)
        self.assertEqual(result.returncode, 1)
        self.assertIn('CUDA_VISIBLE_DEVICES="nonsense"', json.loads(result.stdout)["summary"])

    def test_a_device_that_is_not_there(self):
        result = run("bench", "--device", "cuda:3", env=fake_gpu(T4))
        self.assertEqual(result.returncode, 2)
        self.assertIn("cuda:3 is not there", result.stderr)

    def test_two_gpus_of_which_one_is_broken_are_degraded_and_it_is_named(self):
        second = T4.replace("Tesla T4", "Tesla V100") + "pci 0000:02:00.0\n"
        answer = self.page(f"fail cuDevicePrimaryCtxRetain 46 on 1\n{T4}{second}")
        self.assertEqual(answer["doctor"]["verdict"], "degraded")
        self.assertIn("0", answer["doctor"]["summary"])
        self.assertEqual(answer["fit"]["device"], "cuda:1")


# Stands for sudo, apt-get and python3: writes down how it was called, and does what `on` tells.
STAND_IN = """#!/bin/sh
echo "$(basename "$0") $*" >> "$CALLS"
case "$(basename "$0") $*" in
  sudo*) exec "$@" ;;
  "python3 -m venv"*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
esac
case "$*" in
  *"$FAIL_ON"*) echo "the mirror is away" >&2; exit 7 ;;
  *"$HANG_ON"*) trap 'echo ended >> "$CALLS"; exit 3' INT TERM
                echo ready > "$READY"; read -r never < "$NEVER" ;;
esac
exit 0
"""


class CpuLibraries(unittest.TestCase):
    """The CPU's side: every library a row, and what is wrong with one of them."""

    def bench(self, *arguments, script="", code=0, **env):
        environment = {"GPUREADY_LIBRARY_PATH": f"{FAKES}/blas", "OPENBLAS_CORETYPE": None, **env}
        environment["GPUREADY_FAKE_SCRIPT"] = fake_gpu(script)["GPUREADY_FAKE_SCRIPT"]
        kept = {k: v for k, v in os.environ.items() if environment.get(k, "") is not None}
        result = subprocess.run(
            [BINARY, "bench", "--device", "cpu", "--size", "200", "--max-time", "24", "--json",
             *arguments], env={**kept, **{k: v for k, v in environment.items() if v is not None}},
            capture_output=True, text=True, timeout=110, check=False)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return validate(result.stdout, "bench")

    def notes(self, answer):
        return " ".join(note if isinstance(note, str) else json.dumps(note)
                        for note in answer["notes"])

    def fake_rows(self, answer, flag=None):
        return [c for c in answer["cases"] if c["library"]["version"] == "0.0.1"
                and (flag is None or flag in c["flags"])]

    def test_every_library_is_a_row_and_every_product_is_checked(self):
        answer = self.bench(GPUREADY_LIBRARY_PATH="")
        self.assertTrue(answer["cases"])
        for case in answer["cases"]:
            self.assertTrue(case["verification"]["passed"])
            self.assertGreater(case["percent_of_peak"]["peak_flops"], 0)
        threads = {case["threads"] for case in answer["cases"]}
        self.assertIn(1, threads)

    def test_quick_takes_the_fastest_library_alone(self):
        answer = self.bench("--quick")
        self.assertEqual(len(answer["cases"]), 1)

    def test_a_library_that_crashes_costs_only_its_own_row(self):
        answer = self.bench(script="crash cblas_sgemm\n")
        self.assertEqual(self.fake_rows(answer), [])
        self.assertTrue(answer["cases"])
        self.assertTrue(any("signal 11" in error["why"] for error in answer["errors"]), answer["errors"])

    def test_a_library_with_a_wrong_product_ends_with_5(self):
        for arguments in ((), ("--quick",)):
            answer = self.bench(*arguments, script="wrong-element\n", code=5)
            self.assertEqual(self.fake_rows(answer), [])
            self.assertTrue(any(error["wrong_product"] for error in answer["errors"]))

    def test_kernels_for_an_older_cpu_are_told_and_measured_with_their_name(self):
        answer = self.bench("--backend", "openblas")
        self.assertEqual(self.fake_rows(answer)[0]["library"]["kernel_target"], "Prescott")
        row, = self.fake_rows(answer, "override")
        self.assertIn(row["library"]["kernel_target"], {"SkylakeX", "Haswell"})
        self.assertIn("Prescott", self.notes(answer))

    def test_a_users_variable_is_left_out_and_shown_in_a_row_of_its_own(self):
        answer = self.bench("--backend", "openblas", OPENBLAS_CORETYPE="Nehalem")
        row, = self.fake_rows(answer, "environment")
        self.assertEqual(row["library"]["kernel_target"], "Nehalem")
        self.assertEqual(self.fake_rows(answer)[0]["library"]["kernel_target"], "Prescott")
        self.assertIn("OPENBLAS_CORETYPE=Nehalem", self.notes(answer))

    def test_a_type_that_no_library_has_is_undecided_and_says_so(self):
        answer = self.bench("--dtype", "fp8", code=3)
        self.assertEqual(answer["errors"][0]["dtype"], "fp8")
        answer = self.bench("--dtype", "fp64")
        self.assertTrue(all(case["dtype"]["name"] == "fp64" for case in answer["cases"]))


class Setup(unittest.TestCase):
    """`setup --apply` with a fake GPU whose driver works, and stand-ins for what it calls."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        programs = self.folder / "bin"
        programs.mkdir()
        for name in ("sudo", "apt-get", "dnf", "zypper", "pacman", "python3", "python"):
            (programs / name).write_text(STAND_IN)
            (programs / name).chmod(0o755)
        os.mkfifo(self.folder / "ready")
        os.mkfifo(self.folder / "never")
        self.environment = {
            **os.environ, **fake_gpu(T4), "LC_ALL": "C",
            "PATH": f"{programs}:{os.environ['PATH']}", "CALLS": str(self.folder / "calls"),
            "READY": str(self.folder / "ready"), "NEVER": str(self.folder / "never"),
            "FAIL_ON": "nothing at all", "HANG_ON": "nothing at all"}

    def start(self, *arguments, **changes):
        return subprocess.Popen([BINARY, "setup", *arguments], cwd=self.folder, text=True,
                                env={**self.environment, **changes}, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def finish(self, *arguments, **changes):
        process = self.start(*arguments, **changes)
        out, errors = process.communicate(timeout=110)
        return process.returncode, out, errors

    def calls(self):
        path = self.folder / "calls"
        return path.read_text().splitlines() if path.exists() else []

    def installs(self):
        return [call for call in self.calls() if "pip install" in call]

    def test_the_plan_runs_nothing_and_agrees_with_its_schema(self):
        code, out, errors = self.finish("--json")
        self.assertEqual(code, 0, errors)
        plan = validate(out, "setup")
        steps = {step["id"]: step for step in plan["steps"]}
        self.assertTrue(steps["driver"]["done"])
        self.assertFalse(steps["torch"]["done"])
        self.assertEqual(plan["torch"]["tag"], "cu130")
        self.assertIn(plan["torch"]["command"], steps["torch"]["commands"][-1])
        self.assertEqual((plan["applied"], plan["verdict"]["absent"]), ([], "not-tested"))
        self.assertEqual(self.installs(), [])

    def test_success_runs_every_command_and_ends_with_doctors_verdict(self):
        code, out, errors = self.finish("--apply", "--yes")
        self.assertEqual(code, 0, out + errors)
        self.assertEqual(len(self.installs()), 1)
        self.assertIn("whl/cu130", self.installs()[0])
        self.assertIn("-c import torch", self.calls()[-1])
        self.assertIn("\n$ ", out)
        self.assertIn("usable: Tesla T4", out.split("\n$ ")[-1])

    def test_json_has_what_ran_and_nothing_else_on_standard_output(self):
        code, out, errors = self.finish("--apply", "--yes", "--json")
        self.assertEqual(code, 0, errors)
        answer = validate(out, "setup")
        self.assertTrue(all(command["succeeded"] for command in answer["applied"]))
        self.assertEqual(answer["verdict"], "usable")

    def test_a_failure_in_the_middle_ends_with_4_and_names_the_step(self):
        code, out, errors = self.finish("--apply", "--yes", FAIL_ON="pip install")
        self.assertEqual(code, 4, out + errors)
        self.assertIn("the mirror is away", errors)
        self.assertIn("PyTorch (cu130)", errors)
        self.assertIn("exited with status 7", errors)
        self.assertIn("pip install", self.calls()[-1])
        code, out, errors = self.finish("--apply", "--yes", "--json", FAIL_ON="pip install")
        self.assertEqual(code, 4)
        self.assertFalse(validate(out, "setup")["applied"][-1]["succeeded"])

    def test_nobody_to_ask_is_wrong_usage_in_one_line(self):
        for arguments in (["--apply"], ["--apply", "--json"], ["--yes"],
                          ["--apply", "--yes", "--from", str(MACHINES[0])]):
            with self.subTest(arguments):
                code, out, errors = self.finish(*arguments)
                self.assertEqual((code, out, errors.count("\n")), (2, "", 1), errors)
                self.assertEqual(self.calls(), [])

    def test_ctrl_c_ends_the_command_first_and_then_the_run(self):
        process = self.start("--apply", "--yes", HANG_ON="pip install")
        (self.folder / "ready").read_text()  # returns when the command runs
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, errors)
        self.assertEqual(self.calls()[-1], "ended")
        self.assertIn("stopped in the step", errors)

    def on_a_terminal(self, answer, key_when_ready=None, **changes):
        """(exit code, what the terminal showed) of --apply, answered on a terminal."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.execve(BINARY, [BINARY, "setup", "--apply", "--color", "never"],
                      {**self.environment, **changes})
        os.write(terminal, answer)
        if key_when_ready is not None:
            (self.folder / "ready").read_text()
            os.write(terminal, key_when_ready)
        shown = b""
        try:
            while piece := os.read(terminal, 65536):
                shown += piece
        except OSError:
            pass  # the end of a terminal whose program is gone
        os.close(terminal)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown.decode()

    def test_a_no_changes_nothing(self):
        code, shown = self.on_a_terminal(b"n\n")
        self.assertEqual(code, 1, shown)
        self.assertIn("[y/N]", shown)
        self.assertIn("nothing was changed", shown)
        self.assertEqual(self.installs(), [])

    def test_a_yes_runs_the_plan_on_the_terminal(self):
        code, shown = self.on_a_terminal(b"y\n")
        self.assertEqual(code, 0, shown)
        self.assertEqual(len(self.installs()), 1)

    def test_ctrl_c_on_the_terminal_ends_both(self):
        code, shown = self.on_a_terminal(b"y\n", b"\x03", HANG_ON="pip install")
        self.assertEqual(code, 130, shown)
        self.assertEqual(self.calls()[-1], "ended")

    def test_tables_of_the_users_reach_the_plan(self):
        (self.folder / "torch_wheels.csv").write_text(
            "vendor,tag,os,arch,torch_min,torch_max,python_min,python_max,sm_list,ptx,driver_min,"
            "cuda,cudnn,status,source,as_of\n"
            + "".join(f"nvidia,cu999,linux,{arch},9.0,9.0,,,7.5,,500.1,99.9,,stable,test,2030-01\n"
                      for arch in ("x86_64", "aarch64")))
        code, out, errors = self.finish("--json", "--data", str(self.folder))
        self.assertEqual(code, 0, errors)
        self.assertEqual(validate(out, "setup")["torch"]["tag"], "cu999")
        (self.folder / "nvidia_chips.csv").write_text("first,last\nx,y\n")
        code, out, errors = self.finish("--data", str(self.folder))
        self.assertEqual((code, out, errors.count("\n")), (2, "", 1))
        self.assertIn("nvidia_chips.csv", errors)

    def test_every_recorded_machine_has_a_plan(self):
        for machine in sorted((SOURCE / "tests" / "machines").rglob("*.json")):
            with self.subTest(machine.stem):
                result = run("setup", "--from", str(machine), "--json")
                self.assertEqual(result.returncode, 0, result.stderr)
                validate(result.stdout, "setup")


class OpenCl(unittest.TestCase):
    def test_pocl_is_a_cpu_that_can_be_measured_but_never_counts_as_a_gpu(self):
        machine = json.loads(run("facts", "--json").stdout)["machine"]
        if not machine["opencl"]:
            self.skipTest("no OpenCL device on this machine")
        self.assertEqual(machine["opencl"][0]["type"], "cpu")
        self.assertEqual(machine["gpus"], [])
        result = run("bench", "--device", "opencl:0", "--size", "256", "--max-time", "20",
                     "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        answer = validate(result.stdout, "bench")
        self.assertTrue(answer["cases"][0]["verification"]["passed"])
        self.assertIn("opencl-on-cpu", answer["cases"][0]["flags"])
        self.assertIn("absent", answer["speedup"]["kernel_only"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])

#!/usr/bin/env python3
"""plan as a user meets it; nobody is asked (--offline).

Environment: as cli_test.py.
"""

import json
import os
import subprocess
import tempfile
import unittest

from cli_test import BINARY, MACHINES, SOURCE, run, validate

MODEL = "Llama-3.1-8B-Instruct"


def machine(name):
    return str(SOURCE / "tests" / "machines" / f"{name}.json")


def plan(*arguments, code=0):
    if "--from" not in arguments:
        arguments = (*arguments, "--from", machine("debian-12-vm"))
    result = run("plan", *arguments, "--offline", "--no-bench", "--json")
    assert result.returncode == code, (result.returncode, result.stdout, result.stderr)
    return validate(result.stdout, "plan")


def places(answer, where):
    return [c for c in answer["choices"] if c["where"] == where]


class Plan(unittest.TestCase):
    def test_the_lessons_question_is_answered_for_every_kind_of_place(self):
        answer = plan("--cpu-hours", "8", "--from", machine("debian-12-vm"))
        self.assertEqual(answer["verdict"], "yes")
        for where in ("this-cpu", "colab", "lambda", "runpod", "vast"):
            self.assertTrue(places(answer, where), where)
        own = places(answer, "this-cpu")[0]
        self.assertEqual(own["hours"], {"low": 8, "expected": 8, "high": 8})
        colab = places(answer, "colab")[0]
        self.assertEqual(colab["usd"]["high"], 0)
        self.assertLess(colab["hours"]["expected"], 8)
        for choice in answer["choices"]:
            for name in ("hours", "usd"):
                figure = choice[name]
                self.assertLessEqual(figure["low"], figure["expected"], choice)
                self.assertLessEqual(figure["expected"], figure["high"], choice)
            self.assertTrue(choice["why"] and choice["setup"], choice)

    def test_every_recorded_machine_has_an_answer_that_fits_80_columns(self):
        works = [("--cpu-hours", "8"), (MODEL, "--tokens", "5M"),
                 (MODEL, "--train-tokens", "10M", "--task", "qlora", "--seq", "2048")]
        for i, file in enumerate(MACHINES):
            with self.subTest(file.name):
                result = run("plan", *works[i % 3], "--offline", "--from", str(file))
                self.assertIn(result.returncode, (0, 1, 3), result.stderr)
                self.assertTrue(all(len(line) <= 80 for line in result.stdout.splitlines()),
                                result.stdout)
                self.assertNotIn("[plan.", result.stdout)

    def test_a_usable_gpu_of_this_machine_is_the_best_where_it_is_enough(self):
        answer = plan(MODEL, "--tokens", "1M", "--from", machine("rtx-4090-workstation"))
        self.assertEqual(answer["choices"][0]["where"], "this-gpu")
        self.assertEqual(answer["choices"][0]["fits"], "yes")
        self.assertEqual(answer["choices"][0]["usd"]["high"], 0)
        broken = plan(MODEL, "--tokens", "1M", "--from", machine("driver-library-mismatch"))
        self.assertFalse(places(broken, "this-gpu"))

    def test_what_a_stored_run_measured_is_taken(self):
        stored = json.loads(run("--quick", "--json").stdout)
        for case in stored["bench"]["cases"]:
            case["flops"] = 100e9
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(stored, file)
            file.flush()
            answer = plan("--cpu-hours", "8", "--from", file.name)
        self.assertIn("100 GFLOP/s in fp32 products, measured", json.dumps(answer["assumptions"]))
        work = places(answer, "colab")[0]["steps"][-1]
        # 4.17 TFLOP/s and 5 % more over 100 GFLOP/s, a quarter of that: 8 h become 0.73.
        self.assertAlmostEqual(work["hours"]["expected"], 8 / (41.7 * 1.05 / 4), places=3)

    def test_a_model_that_is_too_large_for_a_gpu_does_not_fit_there(self):
        answer = plan("Llama-3.1-70B-Instruct", "--tokens", "100k", "--dtype", "q4_k_m",
                      "--from", machine("debian-12-vm"))
        self.assertEqual(places(answer, "colab")[0]["fits"], "no")
        fits = [c["fits"] for c in answer["choices"]]
        self.assertNotIn("yes", fits[fits.index("no"):])
        self.assertGreaterEqual(answer["choices"][0]["usable_bytes"],
                                answer["choices"][0]["needed_bytes"])

    def test_what_fits_nowhere_ends_with_1_and_says_what_is_missing(self):
        answer = plan("Llama-3.1-405B-Instruct", "--train-tokens", "1B", "--task", "full", code=1)
        self.assertEqual(answer["verdict"], "no")
        self.assertIn("fits nowhere", answer["answer"])
        self.assertTrue(answer["cures"])

    def test_deadline_and_budget_are_kept_or_the_nearest_is_told(self):
        kept = plan("--flops", "1e18", "--deadline", "48", "--budget", "40")
        best = kept["choices"][0]
        self.assertLessEqual(best["hours"]["high"], 48)
        self.assertLessEqual(best["usd"]["high"], 40)
        self.assertEqual(best["meets"], "yes")
        missed = plan("--flops", "1e20", "--deadline", "1", "--budget", "1", code=1)
        self.assertEqual(missed["verdict"], "no")
        self.assertIn("Nearest", missed["answer"])
        self.assertEqual(len(missed["cures"]), 2)

    def test_filters_leave_out_and_say_why(self):
        answer = plan("--cpu-hours", "8", "--gpu", "RTX 4090", "--max-price", "0.5",
                      "--providers", "runpod,vast", "--from", machine("debian-12-vm"))
        self.assertEqual({c["gpu"] for c in answer["choices"]}, {"GeForce RTX 4090"})
        self.assertTrue(all(c["usd_per_hour"] <= 0.5 for c in answer["choices"]))
        reasons = {left["reason"] for left in answer["left_out"]}
        self.assertTrue({"gpu", "providers", "max-price", "spot"} <= reasons, reasons)

    def test_the_age_of_the_prices_is_shown(self):
        text = run("plan", "--cpu-hours", "8", "--offline", "--from",
                   machine("debian-12-vm")).stdout
        self.assertRegex(" ".join(text.split()), r"2026-11-09: \d+ to \d+ days old")

    def test_epochs_multiply_and_the_type_of_arithmetic_counts(self):
        once, thrice = (plan(MODEL, "--train-tokens", "1M", "--epochs", n, "--task", "lora")
                        for n in ("1", "3"))
        self.assertAlmostEqual(thrice["work"]["flops"] / once["work"]["flops"], 3)
        slow, fast = (plan("--flops", "1e17", "--compute-dtype", t) for t in ("fp32", "half"))
        self.assertLess(places(fast, "colab")[0]["hours"]["expected"],
                        places(slow, "colab")[0]["hours"]["expected"])

    def test_work_beyond_a_session_of_colab_says_so(self):
        colab = places(plan("--flops", "1e18"), "colab")[0]
        self.assertIn("checkpoints", " ".join(colab["notes"]))

    def test_wrong_usage_is_one_line_and_2(self):
        wrong = [[], ["--cpu-hours", "nan"], ["--cpu-hours", "-8"], ["--cpu-hours", "0"],
                 ["--cpu-hours", "inf"], ["--cpu-hours", "1e300"], ["--cpu-hours", "8h"],
                 ["--flops", "1e31"], ["--flops", "5x"], ["--flops", ""],
                 ["--cpu-hours", "8", "--flops", "1e18"], ["--tokens", "5M"], [MODEL],
                 [MODEL, "--epochs", "3"], [MODEL, "--tokens", "5M", "--task", "lora"],
                 [MODEL, "--tokens", "5M", "--train-tokens", "5M"],
                 [MODEL, "--tokens", "5M", "--tp", "2"],
                 [MODEL, "--tokens", "5M", "--compute-dtype", "half"],
                 ["--cpu-hours", "8", "--gpu", "RTX 9099"],
                 ["--cpu-hours", "8", "--budget", "-1"],
                 ["--cpu-hours", "8", "--deadline", "nan"],
                 ["--cpu-hours", "8", "--max-price", "-0.1"],
                 ["--cpu-hours", "8", "--providers", "aws"],
                 ["--cpu-hours", "8", "--context", "4096"],
                 ["--prompt-tokens", "5", "--cpu-hours", "8"],
                 ["NoSuchModel-77", "--tokens", "5M"], ["SDXL-1.0", "--train-tokens", "1M"]]
        for arguments in wrong:
            with self.subTest(arguments):
                result = run("plan", *arguments, "--offline", "--no-bench")
                self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
                self.assertEqual(result.stdout, "")
                self.assertEqual(result.stderr.count("\n"), 1, result.stderr)

    def test_an_unknown_gpu_names_the_near_ones(self):
        result = run("plan", "--cpu-hours", "8", "--gpu", "RTX 409", "--offline", "--no-bench")
        self.assertIn("GeForce RTX 4090", result.stderr)
        self.assertNotIn("--vram", result.stderr)

    def test_tables_of_the_user_replace_ours(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/prices.csv", "w", encoding="utf-8") as file:
                file.write("provider,gpu,gpu_count,vram_gib,usd_per_hour,kind,source,as_of\n"
                           "lambda,A10,1,24,0.05,on-demand,test,2026-11-30\n")
            answer = plan("--flops", "1e17", "--data", folder)
        rented = [c for c in answer["choices"] if c["where"] != "this-cpu"]
        self.assertEqual([(c["where"], c["usd_per_hour"]) for c in rented], [("lambda", 0.05)])


KEYS = {"LAMBDA_API_KEY": "marker-plan-lambda-key", "RUNPOD_API_KEY": "marker-plan-runpod-key",
        "VAST_API_KEY": "marker-plan-vast-key"}


@unittest.skipUnless(os.environ.get("GPUREADY_CLOUD_SERVER"), "no cloud_server was built")
class Live(unittest.TestCase):
    """Providers on loopback, each as its documents describe it."""

    def setUp(self):
        self.server = subprocess.Popen(
            [os.environ["GPUREADY_CLOUD_SERVER"], "--offers", "100",
             *(word for name in ("lambda", "runpod", "vast")
               for word in (f"--{name}-key", f"marker-plan-{name}-key"))],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        address = json.loads(self.server.stdout.readline())
        self.urls = {f"GPUREADY_{name.upper()}_URL": address[name]
                     for name in ("lambda", "runpod", "vast")}

    def tearDown(self):
        self.server.stdin.close()
        self.server.wait(timeout=20)
        self.server.stdout.close()

    def ask(self, *arguments, env=None, code=0):
        with tempfile.TemporaryDirectory() as home:
            environment = {name: value for name, value in os.environ.items() if name not in KEYS}
            environment |= {"LC_ALL": "C", "HOME": home, "XDG_CONFIG_HOME": home, **self.urls,
                            **(KEYS if env is None else env)}
            result = subprocess.run([BINARY, "plan", *arguments, "--no-bench", "--json", "--from",
                                     machine("debian-12-vm")], env=environment, text=True,
                                    capture_output=True, timeout=100, check=False)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertNotIn("marker-plan", result.stdout + result.stderr)
        return validate(result.stdout, "plan")

    def test_live_prices_win_over_the_table(self):
        answer = self.ask("--flops", "1e17")
        self.assertEqual(answer["errors"], [])
        rented = [c for c in answer["choices"] if c["where"] in ("lambda", "runpod", "vast")]
        self.assertEqual({c["where"] for c in rented}, {"lambda", "runpod", "vast"})
        self.assertTrue(all(c["live"] for c in rented))
        self.assertNotIn("days old", json.dumps(answer["assumptions"]))

    def test_a_provider_that_fails_costs_its_live_prices_alone(self):
        keys = {**KEYS, "RUNPOD_API_KEY": "marker-plan-wrong-key"}
        del keys["LAMBDA_API_KEY"]
        answer = self.ask("--flops", "1e17", env=keys)
        self.assertEqual({e["provider"]: e["code"] for e in answer["errors"]},
                         {"lambda": "no-key", "runpod": "bad-key"})
        for where, live in (("lambda", False), ("runpod", False), ("vast", True)):
            chosen = places(answer, where)
            self.assertTrue(chosen, where)
            self.assertTrue(all(c["live"] is live for c in chosen), where)

    def test_offline_asks_nobody(self):
        answer = self.ask("--flops", "1e17", "--offline")
        self.assertEqual(answer["errors"], [])
        self.assertFalse(any(c["live"] for c in answer["choices"]))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""cloud offers, list and keys as a user meets them, against servers of this machine.

Environment: as cli_test.py, and GPUREADY_CLOUD_SERVER (tests/cloud/servers).
"""

import http.server
import json
import os
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.request

from cli_test import BINARY, validate

PROVIDERS = ("lambda", "runpod", "vast")


class Servers(unittest.TestCase):
    OPTIONS = ()

    @classmethod
    def setUpClass(cls):
        # Limits of calls pass 1000 times as fast.
        cls.server = subprocess.Popen(
            [os.environ["GPUREADY_CLOUD_SERVER"], "--speed", "1000", *cls.OPTIONS],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        cls.place = json.loads(cls.server.stdout.readline())

    @classmethod
    def tearDownClass(cls):
        cls.server.stdin.close()
        cls.server.wait()
        cls.server.stdout.close()

    def setUp(self):
        self.home = tempfile.TemporaryDirectory()
        self.addCleanup(self.home.cleanup)
        self.env = {"PATH": os.environ["PATH"], "HOME": self.home.name, "LC_ALL": "C",
                    "GPUREADY_TEST_TIME_SCALE": "0.001"}
        for name in PROVIDERS:
            self.env[f"GPUREADY_{name.upper()}_URL"] = self.place[name]
            self.env[f"{name.upper()}_API_KEY"] = self.place[name + "_key"]
            self.control(name, "/reset", {})

    def control(self, name, path, order):
        request = urllib.request.Request(self.place[name] + "/_control" + path,
                                         json.dumps(order).encode(), method="POST")
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def told(self, name, what):
        with urllib.request.urlopen(self.place[name] + "/_control/" + what, timeout=10) as answer:
            return json.load(answer)

    def cloud(self, *arguments, code=0, **changes):
        env = {**self.env, **changes}
        result = subprocess.run([BINARY, "cloud", *arguments], capture_output=True, text=True,
                                env={k: v for k, v in env.items() if v is not None},
                                timeout=60, check=False)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        for name in PROVIDERS:  # no output holds a key
            self.assertNotIn(self.place[name + "_key"], result.stdout + result.stderr)
        self.assertTrue(all(len(line) <= 80 for line in result.stdout.splitlines())
                        or "--json" in arguments, result.stdout)
        if code == 2:
            self.assertEqual(result.stdout, "")
            self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        return result

    def json(self, what, *arguments, code=0, **changes):
        return validate(self.cloud(what, *arguments, "--json", code=code, **changes).stdout,
                        "cloud-" + what)

    def fault(self, name, on, fault, times=0, **more):
        self.control(name, "", {"on": on, "fault": fault, "times": times, **more})


class Offers(Servers):
    def test_all_providers_stand_in_one_list_cheapest_first(self):
        answer = self.json("offers")
        self.assertEqual({o["provider"] for o in answer["offers"]}, set(PROVIDERS))
        self.assertEqual(answer["errors"], [])
        prices = [o["usd_per_hour"] for o in answer["offers"] if o["available"]]
        self.assertEqual(prices, sorted(prices))
        self.assertEqual(answer["considered"], len(answer["offers"]))

    def test_filters_leave_what_was_asked_for(self):
        answer = self.json("offers", "--gpu", "rtx4090", "--gpu-count", "1", "--max-price", "0.6",
                           "--min-vram", "24GB")
        self.assertTrue(answer["offers"])
        for offer in answer["offers"]:
            self.assertEqual((offer["gpu"], offer["gpu_count"]), ("GeForce RTX 4090", 1))
            self.assertLessEqual(offer["usd_per_hour"], 0.6)
        answer = self.json("offers", "--kind", "secure", "--region", "us-il", "--provider", "runpod")
        self.assertEqual({o["region"] for o in answer["offers"]}, {"US-IL-1"})
        self.assertEqual({o["kind"] for o in answer["offers"]}, {"secure"})

    def test_one_provider_that_fails_is_a_line_and_not_the_end(self):
        for fault, code in (("html", "server"), ("truncate", "garbled"), ("bad-key", "bad-key"),
                            ("too-old", "too-old"), ("big", "garbled"), ("redirect", "garbled"),
                            ("drop-before", "network"), ("forbidden", "forbidden")):
            with self.subTest(fault):
                self.control("lambda", "/reset", {})
                self.fault("lambda", "offers", fault)
                answer = self.json("offers")
                self.assertEqual([(e["provider"], e["code"]) for e in answer["errors"]],
                                 [("lambda", code)])
                self.assertEqual({o["provider"] for o in answer["offers"]}, {"runpod", "vast"})
                text = self.cloud("offers").stdout
                self.assertIn("Not in this list:", text)
                self.assertEqual(self.told("trap", "log"), [])

    def test_codes_tell_no_from_not_known(self):
        self.assertEqual(self.json("offers", "--max-price", "0.01", code=1)["offers"], [])
        self.assertIn("None of", self.cloud("offers", "--max-price", "0.01", code=1).stdout)
        self.fault("lambda", "offers", "html")
        self.json("offers", "--max-price", "0.01", code=3)
        for name in ("runpod", "vast"):
            self.fault(name, "offers", "html")
        self.assertEqual(len(self.json("offers", code=4)["errors"]), 3)
        self.control("lambda", "/reset", {})
        self.json("offers", "--provider", "lambda", "--gpu", "B200", code=1)  # sold out

    def test_without_keys_the_public_market_answers(self):
        none = {f"{name.upper()}_API_KEY": None for name in PROVIDERS}
        answer = self.json("offers", **none)
        self.assertEqual({o["provider"] for o in answer["offers"]}, {"vast"})
        self.assertEqual({(e["provider"], e["code"]) for e in answer["errors"]},
                         {("lambda", "no-key"), ("runpod", "no-key")})
        self.json("offers", "--provider", "lambda", code=4, **none)

    def test_a_wrong_key_is_told_with_its_source_and_last_letters(self):
        for name in PROVIDERS:
            variable = f"{name.upper()}_API_KEY"
            answer = self.json("offers", "--provider", name, code=4,
                               **{variable: "marker-secret-9999"})
            self.assertEqual(answer["errors"][0]["code"], "bad-key")
            self.assertIn(variable, answer["errors"][0]["message"])
            self.assertIn("9999", answer["errors"][0]["message"])
            self.assertNotIn("marker-secret", json.dumps(answer))

    def test_a_certificate_that_nobody_signed_ends_it_before_the_key_is_sent(self):
        folder = self.home.name
        made = subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
             "/CN=cloud.lambda.ai", "-keyout", folder + "/key.pem", "-out", folder + "/cert.pem"],
            capture_output=True, check=False)
        if made.returncode != 0:
            self.skipTest("SKIPPED: no openssl to make a certificate")
        seen = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                seen.append(self.path)

        server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(folder + "/cert.pem", folder + "/key.pem")
        server.socket = tls.wrap_socket(server.socket, server_side=True)
        server.handle_error = lambda *_: None
        threading.Thread(target=server.serve_forever, daemon=True).start()
        answer = self.json("offers", "--provider", "lambda", code=4,
                           GPUREADY_LAMBDA_URL=f"https://127.0.0.1:{server.server_port}")
        server.shutdown()
        server.server_close()
        self.assertEqual(answer["errors"][0]["code"], "network")
        self.assertIn("certificate", answer["errors"][0]["message"])
        self.assertEqual(seen, [])

    def test_bad_input_is_one_line(self):
        for arguments in (["--max-price", "-1"], ["--max-price", "0"], ["--max-price", "nan"],
                          ["--max-price", "1e99"], ["--max-price", "x"], ["--gpu-count", "0"],
                          ["--gpu-count", "-2"], ["--min-vram", "24"], ["--min-vram", "-1GB"],
                          ["--provider", "aws"], ["--kind", "free"], ["--kind", "spot"],
                          ["--gpu", "banana split"]):
            with self.subTest(arguments):
                self.cloud("offers", *arguments, code=2)
        near = self.cloud("offers", "--gpu", "RTX 4900", code=2).stderr
        self.assertIn("RTX 4090", near)
        self.assertEqual(self.told("vast", "log"), [], "nobody is asked about a wrong name")
        self.cloud("offers", code=4, GPUREADY_LAMBDA_URL="http://example.com",
                   GPUREADY_RUNPOD_URL="ftp://x", GPUREADY_VAST_URL="https://u:p@x")


class List(Servers):
    def test_strangers_are_listed_and_no_other_call_is_made(self):
        answer = self.json("list")
        self.assertEqual(len(answer["machines"]), 9)
        self.assertEqual({m["whose"] for m in answer["machines"]}, {"stranger"})
        self.assertEqual(answer["asked"], list(PROVIDERS))
        for name in PROVIDERS:
            self.assertEqual({one["operation"] for one in self.told(name, "log")}, {"list"})

    def test_ours_is_what_the_ledger_has_and_what_it_lacks_is_of_elsewhere(self):
        made = {}
        for token in ("0123456789abcdef", "zzzz456789abcdef"):
            request = urllib.request.Request(
                self.place["runpod"] + "/v2/pods", method="POST",
                data=json.dumps({"name": "gpuready-" + token, "image": "x",
                                 "gpu": {"id": "NVIDIA A40"}}).encode(),
                headers={"Authorization": "Bearer " + self.place["runpod_key"]})
            with urllib.request.urlopen(request, timeout=10) as answer:
                made[token] = json.load(answer)["id"]
        state = self.home.name + "/state"
        os.mkdir(state, 0o700)
        entry = {"token": "0123456789abcdef", "provider": "runpod",
                 "base_url": self.place["runpod"], "id": made["0123456789abcdef"], "gpu": "A40",
                 "gpu_count": 1, "usd_per_hour": 0.44, "created_at": 1, "deadline_at": 1796000000,
                 "status": "running", "owner_pid": 1, "owner_started": 1, "owner_place": "x"}
        lost = {**entry, "token": "lost456789abcdef", "id": "gone1234", "provider": "vast"}
        self.env["GPUREADY_STATE_DIR"] = state
        self.write_ledger(state, [entry, lost])
        answer = self.json("list")
        whose = {m["name"]: m["whose"] for m in answer["machines"]}
        self.assertEqual(whose["gpuready-0123456789abcdef"], "ours")
        self.assertEqual(whose["gpuready-zzzz456789abcdef"], "other-computer")
        self.assertEqual(whose["gpuready"], "stranger")
        self.assertEqual(whose["my-gpuready-box-2"], "stranger")
        self.assertEqual(answer["machines"][0]["whose"], "ours")
        self.assertEqual([(u["id"], u["provider_answered"]) for u in answer["unlisted"]],
                         [("gone1234", True)])
        self.assertIn("gpuready cloud down runpod:" + made["0123456789abcdef"],
                      self.cloud("list").stdout)
        self.fault("vast", "list", "html")
        answer = self.json("list", code=4)
        self.assertEqual(answer["unlisted"][0]["provider_answered"], False)
        self.write_ledger(state, "no ledger at all")
        # Who has lost the record needs the machines' ids most.
        answer = self.json("list", code=4)
        self.assertIn(made["0123456789abcdef"], [m["id"] for m in answer["machines"]])
        self.assertIn("ledger.json", answer["errors"][0]["message"])

    def write_ledger(self, state, entries):
        file = os.path.join(state, "ledger.json")
        text = entries if isinstance(entries, str) else json.dumps(
            {"schema": "gpuready.ledger/1", "entries": entries})
        with open(file, "w", opener=lambda p, f: os.open(p, f, 0o600), encoding="utf-8") as out:
            out.write(text)

    def test_what_cannot_be_read_is_unknown_and_never_none(self):
        for fault in ("html", "truncate", "drop-before", "status:410", "big", "bad-key"):
            with self.subTest(fault):
                for name in PROVIDERS:
                    self.control(name, "/reset", {})
                self.fault("vast", "list", fault)
                answer = self.json("list", code=4)
                self.assertEqual([e["provider"] for e in answer["errors"]], ["vast"])
                self.assertEqual(answer["asked"], ["lambda", "runpod"])
                text = self.cloud("list", code=4).stdout
                self.assertIn("Not known what is rented there:", text)

    def test_a_provider_without_a_key_is_said_and_is_no_failure(self):
        answer = self.json("list", LAMBDA_API_KEY=None)
        self.assertEqual([e["code"] for e in answer["errors"]], ["no-key"])
        self.json("list", "--provider", "lambda", code=4, LAMBDA_API_KEY=None)


class Keys(Servers):
    def test_each_provider_tells_its_key_and_whether_it_works(self):
        answer = self.json("keys")
        for key in answer["keys"]:
            self.assertEqual(key["source"], key["provider"].upper() + "_API_KEY")
            self.assertEqual(key["last4"], "6789")
            self.assertIs(key["works"], True)
        self.assertEqual(answer["keys"][2]["balance_usd"], 12.5)

    def test_wrong_missing_and_readable_keys_are_told_apart(self):
        answer = self.json("keys", code=1, RUNPOD_API_KEY="wrong-key-of-runpod",
                           LAMBDA_API_KEY=None)
        by_name = {key["provider"]: key for key in answer["keys"]}
        self.assertIs(by_name["runpod"]["works"], False)
        self.assertEqual(by_name["lambda"]["errors"][0]["code"], "no-key")
        folder = self.home.name + "/.config/gpuready"
        os.makedirs(folder)
        with open(folder + "/lambda.key", "w", encoding="utf-8") as out:
            out.write("marker-in-a-file-1234\n")
        os.chmod(folder + "/lambda.key", 0o644)
        text = self.cloud("keys", code=1, LAMBDA_API_KEY=None).stdout
        self.assertIn("chmod 600", text)
        self.assertNotIn("marker-in-a-file", text)
        self.fault("vast", "account", "drop-before")
        self.cloud("keys", code=4)


if __name__ == "__main__":
    sys.exit(unittest.main())

#!/usr/bin/env python3
"""`gpuready remote` through a real OpenSSH server on this machine.

Usage: remote_test.py (environment: GPUREADY_BINARY)
"""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cloud"))
from real_sshd import SSHD, Sshd, free_port  # noqa: E402

BINARY = os.environ["GPUREADY_BINARY"]
CARRY_ON = 'exec sh -c "$SSH_ORIGINAL_COMMAND"\n'


class Remote(unittest.TestCase):
    def setUp(self):
        if not os.path.exists(SSHD):
            self.skipTest("SKIPPED: no sshd here")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="gr-remote-"))
        self.there = self.folder / "there"  # what the machine takes for its places of programs
        self.tools = self.folder / "tools"  # found there before the system's
        for name in ("there", "tools", "bin", "home"):
            (self.folder / name).mkdir()
        self.servers = []

    def tearDown(self):
        for server in self.servers:
            server.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def machine(self, wrapper=CARRY_ON, options=(), config=()):
        """A server, and the user's configuration that calls it `box`."""
        start = (f"export TMPDIR={self.there} HOME={self.folder}/home PATH={self.tools}:$PATH\n"
                 "unset XDG_CACHE_HOME\n")
        server = Sshd(start + wrapper, options)
        self.servers.append(server)
        path = server.client_config(more=config)
        self.write(self.folder / "bin" / "ssh", f'exec /usr/bin/ssh -F {path} "$@"\n')
        return server

    def tool(self, name, text):
        self.write(self.tools / name, text)

    @staticmethod
    def write(path, text):
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)

    def remote(self, *arguments):
        env = dict(os.environ, PATH=f"{self.folder}/bin:{os.environ['PATH']}", LC_ALL="C",
                   GPUREADY_TEST_TIME_SCALE="0.05", VAST_API_KEY="marker-secret-key-0123")
        return subprocess.run([BINARY, "remote", *arguments], env=env, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120)

    def answer(self, *arguments, code=0):
        result = self.remote("--json", *arguments)
        self.assertEqual(result.returncode, code, result.stderr + result.stdout)
        return json.loads(result.stdout)["hosts"]

    def assert_clean(self):
        self.assertEqual(list(self.there.iterdir()), [])

    def failure(self, code=4):
        result = self.remote("box", "facts", "--json")
        self.assertEqual(result.returncode, code, result.stderr + result.stdout)
        return result.stderr

    def test_the_answers_come_from_there_and_nothing_is_left(self):
        self.machine()
        host = self.answer("box", "facts", "--json")[0]
        self.assertEqual(host["outcome"], "done")
        self.assertEqual(host["result"]["schema"], "gpuready.facts/1")
        self.assertEqual(host["checked_by"], "sha256")
        self.assertTrue(host["copied"])
        self.assert_clean()

    def test_an_exit_status_comes_home(self):
        self.machine()
        host = self.answer("box", "device", "--require", "cuda", "--json", code=1)[0]
        self.assertEqual(host["exit_code"], 1)
        self.assert_clean()

    def test_keep_copies_once(self):
        self.machine()
        first = self.answer("--keep", "box", "facts", "--json")[0]
        second = self.answer("box", "facts", "--json")[0]
        self.assertTrue(first["copied"])
        self.assertFalse(second["copied"])
        self.assertTrue(os.access(first["kept_file"], os.X_OK))
        self.assert_clean()

    def test_another_program_in_its_place_is_not_run(self):
        self.machine()
        kept = pathlib.Path(self.answer("--keep", "box", "facts", "--json")[0]["kept_file"])
        kept.write_text("#!/bin/sh\necho other\n")
        host = self.answer("box", "facts", "--json")[0]
        self.assertTrue(host["copied"])
        self.assertEqual(host["result"]["schema"], "gpuready.facts/1")

    def test_a_greeting_does_not_spoil_the_answer(self):
        self.machine("echo Welcome; echo '{\"x\": 1}'; echo oops >&2; printf 'no newline'\n" + CARRY_ON)
        self.assertEqual(self.answer("box", "facts", "--json")[0]["outcome"], "done")

    def test_refused(self):
        server = self.machine()
        server.end_process()
        self.assertIn("refused", self.failure())
        server.start()

    def test_slow(self):
        self.machine()
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen(8)
            self.write(self.folder / "bin" / "ssh",
                       f'exec /usr/bin/ssh -F none -p {silent.getsockname()[1]} "$@"\n')
            result = self.remote("127.0.0.1", "facts", "--json")
        self.assertEqual(result.returncode, 4)
        self.assertIn("no answer in time", result.stderr)

    def test_password_only(self):
        self.machine(options=("PubkeyAuthentication no",), config=("PasswordAuthentication yes",))
        self.servers[0].config.write_text(self.servers[0].config.read_text().replace(
            "PasswordAuthentication no", "PasswordAuthentication yes"))
        self.servers[0].end_process()
        self.servers[0].start()
        self.assertIn("denied", self.failure())

    def test_another_key(self):
        server = self.machine()
        server.authorized_keys.write_text("")
        self.assertIn("denied", self.failure())

    def test_a_changed_host_key(self):
        self.machine().new_host_key()
        self.assertIn("another host key", self.failure())

    def test_a_host_key_that_nobody_knows(self):
        server = self.machine()
        (server.folder / "known_hosts").write_text("")
        self.assertIn("not known yet", self.failure())

    def test_no_such_host(self):
        result = self.remote("nowhere.invalid", "facts")
        self.assertEqual(result.returncode, 4)
        self.assertIn("no such host", result.stderr)

    def test_a_connection_that_drops_in_the_middle_of_the_copy(self):
        self.machine('case "$SSH_ORIGINAL_COMMAND" in */arriving*)\n'
                     f'  head -c 100000 > {self.there}/gpuready.part; kill -9 $PPID; exit;; esac\n'
                     + CARRY_ON)
        self.failure()
        self.assertEqual([p.name for p in self.there.iterdir()], ["gpuready.part"])

    def test_a_copy_that_is_not_what_was_sent(self):
        self.machine()
        self.tool("cat", 'head -c 1000; exec cat > /dev/null\n'.replace("exec cat", "exec /bin/cat"))
        self.assertIn("not what was sent", self.failure())
        self.assert_clean()

    def test_a_place_that_runs_no_programs(self):
        self.machine()
        # As a mount with noexec: nothing below TMPDIR can be made a program.
        self.tool("chmod", f'case "$2" in {self.there}/*) exit 0;; esac\nexec /bin/chmod "$@"\n')
        host = self.answer("box", "facts", "--json")[0]
        self.assertEqual(host["outcome"], "done")
        self.assert_clean()

    def test_a_machine_of_another_kind_is_told_before_anything_is_copied(self):
        self.machine()
        self.tool("uname", "echo Linux riscv64\n")
        host = self.answer("box", "facts", "--json", code=4)[0]
        self.assertEqual(host["outcome"], "cannot-run")
        self.assertIn("riscv64", host["why"])
        self.assert_clean()

    def test_without_sha256sum_the_size_is_checked_and_said(self):
        self.machine(f"PATH={self.tools}\n" + CARRY_ON)
        for name in ("sh", "cat", "chmod", "mv", "rm", "mkdir", "mktemp", "uname", "wc", "tr", "cut"):
            (self.tools / name).symlink_to(shutil.which(name))
        result = self.remote("box", "facts")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("only the size", result.stdout[-200:])

    def test_control_characters_from_there_do_not_reach_the_terminal(self):
        self.machine('case "$SSH_ORIGINAL_COMMAND" in *"gpuready facts"*)\n'
                     '  m=$(printf "%s" "$SSH_ORIGINAL_COMMAND" | sed -n \'s/.*gpuready- \\([a-z0-9]*\\).*/\\1/p\' | head -n 1)\n'
                     '  printf "\\ngpuready-%s\\n\\033]0;title\\007\\033[2Jhello\\ngpuready-%s 0\\n" "$m" "$m"; exit;; esac\n'
                     + CARRY_ON)
        result = self.remote("box", "facts")
        self.assertIn("hello", result.stdout)
        self.assertNotIn("\x1b", result.stdout + result.stderr)
        self.assertNotIn("\x07", result.stdout + result.stderr)

    def test_an_account_that_runs_no_commands(self):
        self.machine("echo 'This account is currently not available.'; exit 1\n")
        self.assertIn("not available", self.failure())

    def test_several_hosts_in_one_table(self):
        server = self.machine()
        path = server.client_config(name="box other")
        self.write(self.folder / "bin" / "ssh", f'exec /usr/bin/ssh -F {path} "$@"\n')
        self.tool("gpuready-page", "")
        result = self.remote("--json", "box", "other", "nowhere.invalid", "facts")
        hosts = json.loads(result.stdout)["hosts"]
        self.assertEqual([h["host"] for h in hosts], ["box", "other", "nowhere.invalid"])
        self.assertEqual([h["outcome"] for h in hosts], ["done", "done", "unreachable"])
        self.assertEqual(result.returncode, 4)
        self.assert_clean()

    def test_names_that_are_none_are_refused_before_ssh_starts(self):
        mark = self.folder / "started"
        self.write(self.folder / "bin" / "ssh", f"touch {mark}\n")
        for name in ("me@-oProxyCommand=x", "a b", "a;b", "me@$(x)", "a\nb"):
            self.assertEqual(self.remote(name, "facts").returncode, 2, name)
        self.assertFalse(mark.exists())
        self.assertEqual(self.remote().returncode, 2)
        self.assertEqual(self.remote("--nonsense", "box").returncode, 2)

    def test_api_keys_are_not_shown_to_ssh(self):
        mark = self.folder / "environment"
        self.write(self.folder / "bin" / "ssh", f"env > {mark}; exit 255\n")
        self.remote("box", "facts")
        self.assertNotIn("marker-secret-key", mark.read_text())

    def test_without_openssh_it_says_what_to_install(self):
        empty = self.folder / "empty"
        empty.mkdir()
        result = subprocess.run([BINARY, "remote", "box", "facts"], env={"PATH": str(empty)},
                                capture_output=True, text=True, timeout=60)
        self.assertEqual(result.returncode, 4)
        self.assertIn("openssh-client", result.stderr)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""The man page and the shells' completions agree with --help, and their programs accept them.

Environment: as cli_test.py.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from cli_test import run


def reference(form):
    result = run("__reference", form)
    assert result.returncode == 0, result.stderr
    return result.stdout


def options_of(text):
    """The long options of a help text."""
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", "\n".join(
        line for line in text.splitlines() if re.match(r"\s+-", line))))


def commands():
    """Every command with its options, from --help alone."""
    found = {}
    waiting = [()]
    while waiting:
        command = waiting.pop()
        text = run(*command, "--help").stdout
        found[command] = options_of(text)
        below = re.search(r"^Subcommands:\n((?:  .*\n?)+)", text, re.MULTILINE)
        if below:
            waiting += [(*command, name)
                        for name in re.findall(r"^  ([a-z]+)", below[1], re.MULTILINE)]
    return found


class Reference(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.commands = commands()

    def test_help_names_commands_and_options(self):
        self.assertGreaterEqual(len(self.commands), 10)
        self.assertIn("--json", self.commands[()])
        self.assertIn("--strict", self.commands[("doctor",)])

    def test_the_man_page_has_every_command_and_option(self):
        text = reference("man").replace("\\-", "-")
        for command, options in self.commands.items():
            if command:
                self.assertIn(".SS gpuready " + " ".join(command), text)
            section = text.split(".SS gpuready " + " ".join(command) + "\n")[-1] if command else text
            section = section.split("\n.SS ")[0]
            for option in options - self.commands[()]:
                self.assertIn(f"\\fB{option}\\fR", section, command)

    def test_the_man_page_is_good_roff(self):
        if not shutil.which("groff"):
            self.skipTest("no groff here")
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z"], input=reference("man"),
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def completions(self, *words):
        """What bash offers for the last of the words."""
        with tempfile.NamedTemporaryFile("w", suffix=".bash") as file:
            file.write(reference("bash"))
            file.flush()
            program = ('source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gpuready; '
                       'printf "%s\\n" "${COMPREPLY[@]}"')
            done = subprocess.run(["bash", "-c", program, file.name, "gpuready", *words],
                                  capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        return set(done.stdout.split())

    def test_bash_offers_every_command_and_option(self):
        names = {command[0] for command in self.commands if command}
        self.assertLessEqual(names, self.completions(""))
        for command, options in self.commands.items():
            self.assertLessEqual(options, self.completions(*command, "--"), command)

    def test_bash_offers_the_words_of_an_option(self):
        self.assertEqual(self.completions("--lang", ""), {"en", "zh"})
        self.assertEqual(self.completions("device", "--require", "c"), {"cuda", "cpu"})
        self.assertIn("tf32", self.completions("bench", "--dtype", ""))
        self.assertEqual(self.completions("doc"), {"doctor"})

    def test_zsh_and_fish_have_every_command_and_option(self):
        for form in ("zsh", "fish"):
            text = reference(form)
            for command, options in self.commands.items():
                if command:
                    self.assertIn(command[-1], text)
                for option in options:
                    wanted = option + "[" if form == "zsh" else " -l " + option[2:] + " "
                    self.assertIn(wanted, text, (form, command))
            if shutil.which(form):
                check = [form, "-n"] if form == "zsh" else [form, "--no-execute"]
                with tempfile.NamedTemporaryFile("w") as file:
                    file.write(text)
                    file.flush()
                    subprocess.run([*check, file.name], check=True)

    def test_another_form_is_nothing(self):
        self.assertEqual(reference("tcsh"), "")


if __name__ == "__main__":
    unittest.main(argv=sys.argv)

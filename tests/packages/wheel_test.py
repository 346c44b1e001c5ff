#!/usr/bin/env python3
"""The Python wheel in a fresh environment: installed, used, removed without remains.

Environment: GPUREADY_WHEEL (the file). No compiler and no system program is on the PATH.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

WHEEL = pathlib.Path(os.environ["GPUREADY_WHEEL"])


def files_in(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*")
            if not path.is_dir() and "__pycache__" not in path.parts}


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.TemporaryDirectory()
        cls.venv = pathlib.Path(cls.work.name, "venv")
        subprocess.run([sys.executable, "-m", "venv", cls.venv], check=True)
        cls.before = files_in(cls.venv)
        cls.pip("install", "--no-index", "--no-deps", str(WHEEL))

    @classmethod
    def tearDownClass(cls):
        cls.work.cleanup()

    @classmethod
    def bare(cls):
        kept = {k: v for k, v in os.environ.items()
                if not k.startswith(("GPUREADY_", "PYTHON", "OPENBLAS_"))}
        return {**kept, "PATH": str(cls.venv / "bin"), "LC_ALL": "C"}

    @classmethod
    def call(cls, *command, code=0):
        done = subprocess.run([str(c) for c in command], env=cls.bare(), capture_output=True,
                              text=True, timeout=120, check=False)
        assert done.returncode == code, (command, done.returncode, done.stdout, done.stderr)
        return done.stdout

    @classmethod
    def pip(cls, *arguments):
        return cls.call(cls.venv / "bin" / "python", "-m", "pip", "--disable-pip-version-check",
                        *arguments)

    def python(self, program):
        return self.call(self.venv / "bin" / "python", "-c", program)

    def test_the_command_is_the_program_itself(self):
        program = self.venv / "bin" / "gpuready"
        self.assertEqual(program.read_bytes()[:4], b"\x7fELF")
        self.assertIn(self.call(program, "--version").split()[-1], WHEEL.name)
        self.assertEqual(self.python("import gpuready; print(gpuready.program())").strip(),
                         str(program))

    def test_the_device_is_a_word_for_torch(self):
        self.assertIn(self.python("import gpuready; print(gpuready.device())").strip(),
                      {"cuda", "xpu", "cpu"})
        self.assertIn(self.python("import gpuready; print(gpuready.device(for_torch=False))").strip(),
                      {"cuda", "xpu", "cpu"})

    def test_an_answer_of_no_is_an_answer(self):
        answer = json.loads(self.python(
            "import gpuready, json; print(json.dumps(gpuready.run('doctor')))"))
        self.assertEqual(answer["schema"], "gpuready.doctor/1")
        self.assertIn("verdict", answer)

    def test_the_cpu_libraries_come_along_and_are_used(self):
        answer = json.loads(self.python(
            "import gpuready, json; print(json.dumps(gpuready.run('bench', '--size', '256', "
            "'--device', 'cpu', '--backend', 'openblas', '--max-time', '20')))"))
        file = answer["cases"][0]["library"]["file"]
        self.assertTrue(file.startswith(str(self.venv)), file)

    def test_wrong_usage_is_an_exception_with_the_programs_own_line(self):
        text = self.python("import gpuready\n"
                           "try: gpuready.run('bench', '--size', '0')\n"
                           "except gpuready.GpureadyError as error: print(error.code, error)\n")
        self.assertTrue(text.startswith("2 "), text)
        self.assertIn("--size", text)

    def test_it_runs_as_a_module_and_is_typed(self):
        self.assertIn("gpuready", self.call(self.venv / "bin" / "python", "-m", "gpuready",
                                            "--version"))
        self.assertIn("gpuready/py.typed", zipfile.ZipFile(WHEEL).namelist())

    def test_it_goes_without_remains(self):
        self.pip("uninstall", "-y", "gpuready")
        try:
            self.assertEqual(files_in(self.venv), self.before)
            self.assertFalse((self.venv / "lib" / "gpuready").exists())
        finally:
            self.pip("install", "--no-index", "--no-deps", str(WHEEL))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""The Debian package: clean by lintian, and in a root of its own installed, run and removed.

Environment: GPUREADY_DEB (the file). Needs root for the second part.
"""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

DEB = os.environ["GPUREADY_DEB"]


def call(*command, **more):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False,
                          timeout=240, **more)


class Deb(unittest.TestCase):
    def test_lintian_has_nothing_to_say(self):
        if not shutil.which("lintian"):
            self.skipTest("no lintian here")
        done = call("lintian", "--allow-root", "--fail-on", "error,warning", DEB)
        self.assertEqual((done.returncode, done.stdout.strip()), (0, ""), done.stderr)

    def test_it_holds_the_program_its_libraries_man_page_and_completions(self):
        files = call("dpkg-deb", "--contents", DEB).stdout
        for name in ("usr/bin/gpuready", "usr/lib/gpuready/libscipy_openblas.so",
                     "usr/share/man/man1/gpuready.1.gz",
                     "usr/share/bash-completion/completions/gpuready",
                     "usr/share/zsh/vendor-completions/_gpuready",
                     "usr/share/fish/vendor_completions.d/gpuready.fish"):
            self.assertIn(f"./{name}\n", files)
        self.assertNotIn(" ./etc", files)

    def test_it_is_installed_run_and_removed_without_remains_in_a_bare_root(self):
        """A root with the libraries that it depends on alone: no compiler, no Python, no shell."""
        if os.geteuid() != 0:
            self.skipTest("chroot takes root")
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name in ("var/lib/dpkg/updates", "var/lib/dpkg/info", "var/lib/dpkg/triggers", "tmp",
                         "proc"):
                (root / name).mkdir(parents=True)
            (root / "var/lib/dpkg/status").touch()
            (root / "var/lib/dpkg/available").touch()
            self.put_libraries(root)
            before = self.files(root)
            dpkg = ("dpkg", f"--root={root}", "--force-depends", "--force-not-root",
                    "--force-script-chrootless")
            done = call(*dpkg, "--install", DEB)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.check_program(root)
            done = call(*dpkg, "--purge", "gpuready")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.files(root), before)

    def check_program(self, root):
        for arguments, codes in ((("--version",), {0}), (("device",), {0}), (("doctor",), {0, 1, 3})):
            done = call("chroot", root, "/usr/bin/gpuready", *arguments, env={"LC_ALL": "C", "PATH": "/usr/sbin:/usr/bin"})
            self.assertIn(done.returncode, codes, done.stderr)
            self.assertTrue(done.stdout)
        # It starts itself again as a child, by /proc.
        program = ("mount -t proc none \"$0/proc\" && exec chroot \"$0\" /usr/bin/gpuready bench --size "
                   "256 --device cpu --backend openblas --max-time 20 --json")
        done = call("unshare", "--mount", "sh", "-c", program, root,
                    env={"LC_ALL": "C", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
        if "unshare:" in done.stderr or "mount:" in done.stderr:
            return  # no mount namespace here, as in most containers
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("/usr/lib/gpuready/libscipy_openblas.so", done.stdout)

    @staticmethod
    def put_libraries(root):
        """What the package depends on, and the loader, from this system."""
        wanted = call("dpkg-deb", "--field", DEB, "Depends").stdout
        packages = [part.split()[0] for part in wanted.split(",")] + ["libgcc-s1"]
        listed = call("dpkg", "-L", *packages).stdout.split("\n")
        for path in listed:
            if os.path.isfile(path) and (".so" in path) and "/gconv/" not in path:
                target = root / os.path.realpath(os.path.dirname(path)).lstrip("/") / \
                    os.path.basename(path)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, target)
        for link in ("lib", "lib64"):
            if not (root / link).exists() and os.path.islink("/" + link):
                (root / link).symlink_to("usr/" + link)
        (root / "usr" / "lib64").mkdir(parents=True, exist_ok=True)
        loader = root / "usr/lib64/ld-linux-x86-64.so.2"
        if not loader.exists():
            shutil.copy2(os.path.realpath("/lib64/ld-linux-x86-64.so.2"), loader)

    @staticmethod
    def files(root):
        return {str(path.relative_to(root)) for path in root.rglob("*")
                if not str(path.relative_to(root)).startswith("var/lib/dpkg")}


if __name__ == "__main__":
    unittest.main()

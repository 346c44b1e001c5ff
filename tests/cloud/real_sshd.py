"""A real OpenSSH server on a loopback port, with its own host key, for tests."""

import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

SSHD = shutil.which("sshd") or "/usr/sbin/sshd"


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Sshd:
    """`wrapper`: text of a shell script that runs each command ($SSH_ORIGINAL_COMMAND)."""

    def __init__(self, wrapper=None, options=(), key=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="gr-sshd-"))
        self.port = free_port()
        self.host_key = self.folder / "host_key"
        self.authorized_keys = self.folder / "authorized_keys"
        self.client_key = key or self.folder / "client_key"
        self._keygen(self.host_key)
        if key is None:
            self._keygen(self.client_key)
        public = pathlib.Path(f"{self.client_key}.pub").read_text()
        self.authorized_keys.write_text(public)
        lines = [f"Port {self.port}", "ListenAddress 127.0.0.1", f"HostKey {self.host_key}",
                 f"AuthorizedKeysFile {self.authorized_keys}", f"PidFile {self.folder}/pid",
                 "StrictModes no", "UsePAM no", "PasswordAuthentication no",
                 "KbdInteractiveAuthentication no", "PermitRootLogin yes", "UseDNS no",
                 "MaxStartups 200", *options]
        if wrapper is not None:
            script = self.folder / "wrapper.sh"
            script.write_text("#!/bin/sh\n" + wrapper)
            script.chmod(0o755)
            lines.append(f"ForceCommand {script}")
        self.config = self.folder / "config"
        self.config.write_text("\n".join(lines) + "\n")
        os.makedirs("/run/sshd", exist_ok=True) if os.geteuid() == 0 else None
        self.start()

    @staticmethod
    def _keygen(path):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)

    def new_host_key(self):
        """As a machine that took over an address."""
        for name in (self.host_key, pathlib.Path(f"{self.host_key}.pub")):
            name.unlink()
        self._keygen(self.host_key)
        self.end_process()
        self.start()

    def start(self):
        self.log = open(self.folder / "log", "ab")
        self.process = subprocess.Popen([SSHD, "-D", "-e", "-f", str(self.config)],
                                        stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        for _ in range(500):
            if self.process.poll() is not None:
                raise RuntimeError((self.folder / "log").read_text())
            with socket.socket() as s:
                if s.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.01)
        raise RuntimeError("sshd did not start")

    def client_config(self, name="box", more=()):
        """A configuration for `ssh -F`, as a user would have it."""
        path = self.folder / "ssh_config"
        known = self.folder / "known_hosts"
        public = pathlib.Path(f"{self.host_key}.pub").read_text().split()
        known.write_text(f"[127.0.0.1]:{self.port} {public[0]} {public[1]}\n")
        path.write_text("\n".join([
            f"Host {name}", "HostName 127.0.0.1", f"Port {self.port}",
            f"IdentityFile {self.client_key}", "IdentitiesOnly yes",
            f"UserKnownHostsFile {known}", *more]) + "\n")
        return path

    def end_process(self):
        self.process.kill()
        self.process.wait()
        self.log.close()

    def close(self):
        self.end_process()
        shutil.rmtree(self.folder, ignore_errors=True)

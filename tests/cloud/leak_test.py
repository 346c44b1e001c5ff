#!/usr/bin/env python3
"""No machine is left behind: each step is killed, or fails in each way that it can fail; then a new
process's `cloud reap` leaves the provider with no machine of ours and all strangers untouched.

Usage: leak_test.py GPUREADY CLOUD_SERVER [--jobs N] [--only WORD] [--list]

Time runs SPEED times as fast in the server and in gpuready (GPUREADY_TEST_TIME_SCALE).
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from real_sshd import SSHD, Sshd  # noqa: E402

SPEED = 50
PROVIDERS = ("lambda", "runpod", "vast")
MARKERS = {"lambda": "marker-lambda-0123456789abcd", "runpod": "marker-runpod-0123456789abcd",
           "vast": "marker-vast-0123456789abcd"}
Case = collections.namedtuple("Case", "provider kind step how")

# What can go wrong with a call (tests/cloud/servers/README.md).
NOT_DONE = ("drop-before", "status:500", "status:400", "html", "redirect", "rate-limit")
DONE = ("drop-after", "truncate", "break-off", "status-after:500", "html-after", "big-after")
EARLY = ("drop-after", "status:500", "html", "bad-key")
WORDS = ("bad-key", "forbidden", "too-old")


def fault_cases():
    for provider in PROVIDERS:
        operations = ["offers", "create", "get", "list", "destroy"]
        if provider == "lambda":  # elsewhere the key goes with the machine
            operations.append("register-key")
        if provider == "vast":
            operations.append("attach-key")
        for operation in operations:
            early = operation in ("offers", "register-key", "attach-key")  # nothing is rented yet
            for fault in EARLY if early else NOT_DONE + DONE + WORDS:
                yield Case(provider, "fault", operation, fault)
        for fault in ("no-capacity", "no-money"):
            yield Case(provider, "fault", "create", fault)
        # The reply of create() is lost, and the list fails at first.
        for fault in ("status:500", "html", "drop-before"):
            yield Case(provider, "lost-and", "list", fault)
    yield Case("vast", "fault", "create", "error-with-contract")
    for provider, state in (("lambda", "unhealthy"), ("runpod", "EXITED"), ("runpod", "ERROR"),
                            ("vast", "exited"), ("vast", "offline"), ("vast", "unknown")):
        yield Case(provider, "state", "boot", state)


def kill_cases():
    for provider in PROVIDERS:
        first = "register-key" if provider == "lambda" else "offers"
        for step in (first, "create", "get", "destroy", "ssh", "copy", "doctor", "run"):
            hows = [signal.SIGKILL, signal.SIGTERM]
            if step in ("create", "get", "copy", "run"):
                hows += [signal.SIGINT, signal.SIGHUP]
            for how in hows:
                yield Case(provider, "kill", step, how.name)
        # The reply is lost, then the process dies while it looks for the machine.
        yield Case(provider, "kill-lost", "list", "SIGKILL")


def all_cases():
    plain = [Case(p, "plain", "", "") for p in PROVIDERS]
    # Machines that are a real sshd. Lambda's have no port of their own but 22.
    for provider in ("runpod", "vast") if os.geteuid() == 0 and os.path.exists(SSHD) else ():
        plain += [Case(provider, "real", step, how) for step, how in (
            ("", ""), ("copy", "drop"), ("run", "drop"), ("ssh", "another-key"))]
    return plain + list(fault_cases()) + list(kill_cases())


# What a machine's shell is to us: "stub" answers at once that it is of another kind, so that three
# machines are tried and each is ended; "local" carries commands out here.
STUB_SSH = r"""#!/bin/sh
for last; do :; done
eval "set -- $last"  # sh -c 'SCRIPT'
script=$3
case "$script" in
*/arriving*) stage=copy;;
*"gpuready doctor"*) stage=doctor;;
*"gpuready '--quick'"*) stage=run;;
*"
true
"*) stage=ssh;;
*) stage=look;;
esac
if [ "$GR_STAGE" = "$stage" ]; then echo "$$" > "$GR_STAGE_FILE"; exec sleep 30; fi
[ "$GR_SSH" = stub ] && script=$(printf '%s\n' "$script" | sed 's/uname -sm/echo Plan9 mips/')
script=$(printf '%s\n' "$script" | sed \
  -e "s|^.*gpuready doctor .*|echo '{\"verdict\":\"usable\"}'|" \
  -e "s|^.*gpuready '--quick' .*|echo '{\"schema\":\"x\"}'|")
exec sh -c "$script"
"""


# The same for a real sshd, which may break the connection at a step.
REAL_SHELL = r"""
export TMPDIR=@TMPDIR@
eval "set -- $SSH_ORIGINAL_COMMAND"
case "$3" in
*/arriving*) stage=copy;;
*"gpuready '--quick'"*) stage=run;;
esac
if [ "@DROP@" = "$stage" ] && [ -n "$stage" ]; then kill -9 $PPID; exit 1; fi
script=$(printf '%s\n' "$3" | sed \
  -e "s|^.*gpuready doctor .*|echo '{\"verdict\":\"usable\"}'|" \
  -e "s|^.*gpuready '--quick' .*|echo '{\"schema\":\"x\"}'|")
exec sh -c "$script"
"""


class World:
    """One server with its own state folder; used by one case at a time."""

    def __init__(self, args):
        self.gpuready = args.gpuready
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="gr-leak-"))
        command = [args.cloud_server, "--speed", str(SPEED)]
        for provider, marker in MARKERS.items():
            command += [f"--{provider}-key", marker] if args.keys_in_arguments else []
        self.server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       text=True)
        self.urls = json.loads(self.server.stdout.readline())
        bin_folder = self.folder / "bin"
        bin_folder.mkdir()
        ssh = bin_folder / "ssh"
        ssh.write_text(STUB_SSH)
        ssh.chmod(0o755)
        self.number = 0

    def control(self, provider, path="", body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.urls[provider]}/_control{path}", data=data)
        with urllib.request.urlopen(request, timeout=20) as reply:
            text = reply.read()
        return json.loads(text) if text else None

    def fresh(self, provider):
        self.number += 1
        self.state = self.folder / f"state-{self.number}"
        self.control(provider, "/reset", {})
        settings = {"lambda": {"boot_s": 4, "no_terminate_s": 2, "terminating_s": 5,
                               "interval_s": 0.3, "launch_interval_s": 6},
                    "runpod": {"provision_s": 2, "start_s": 2, "per_minute": 100000},
                    "vast": {"provision_s": 2, "load_s": 3, "create_interval_s": 3,
                             "destroy_interval_s": 2, "search_interval_s": 2}}[provider]
        self.control(provider, "/settings", settings)

    def environment(self, more):
        env = {k: v for k, v in os.environ.items() if not k.endswith("_API_KEY")}
        env.update({"GPUREADY_STATE_DIR": str(self.state), "HOME": str(self.folder),
                    "XDG_CONFIG_HOME": str(self.folder), "LC_ALL": "C",
                    "TMPDIR": str(self.folder),
                    "GPUREADY_TEST_TIME_SCALE": str(1 / SPEED),
                    "PATH": f"{self.folder}/bin:{os.environ['PATH']}"})
        for provider in PROVIDERS:
            env[f"GPUREADY_{provider.upper()}_URL"] = self.urls[provider]
            env[f"{provider.upper()}_API_KEY"] = self.urls[f"{provider}_key"]
        env.update(more)
        return env

    def start(self, arguments, more=None):
        return subprocess.Popen([self.gpuready, *arguments], env=self.environment(more or {}),
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)

    def ours(self, provider):
        return [m for m in self.control(provider, "/machines") if not m["stranger"]]

    def strangers(self, provider):
        return sorted((m["id"], m["name"], bool(m["ending"]))
                      for m in self.control(provider, "/machines") if m["stranger"])

    def close(self):
        self.server.stdin.close()
        self.server.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def guards_of(state):
    """Process numbers of the watchers that serve this state folder."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if b"__reap" not in (entry / "cmdline").read_bytes():
                continue
            if f"GPUREADY_STATE_DIR={state}\0".encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def wait_for(what, process, limit_s=20):
    """True once `what()` is; False where the process ended first."""
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        if what():
            return True
        if process.poll() is not None:
            return False
        time.sleep(0.01)
    return False


def asked(world, provider, operation):
    return any(line["operation"] == operation for line in world.control(provider, "/log"))


def arguments_of(case):
    return ["cloud", "run", "--provider", case.provider, "--max-price", "9", "--max-minutes", "60",
            "--yes", "--json"]


def run_faulty(world, case):
    """The whole of a run in which something fails; its output."""
    if case.kind == "lost-and":
        world.control(case.provider, "", {"on": "create", "nth": 1, "fault": "drop-after"})
        world.control(case.provider, "", {"on": "list", "nth": 1, "times": 2, "fault": case.how})
    elif case.kind == "state":
        world.control(case.provider, "/settings", {"ends": case.how})
    elif case.kind == "fault":
        # The list is read only where the reply of create() was lost.
        if case.step == "list":
            world.control(case.provider, "", {"on": "create", "nth": 1, "fault": "drop-after"})
        world.control(case.provider, "", {"on": case.step, "nth": 1, "fault": case.how})
    process = world.start(arguments_of(case), {"GR_SSH": "local" if case.kind == "plain" else "stub"})
    return process, process.communicate(timeout=90)


def run_real(world, case):
    shell = REAL_SHELL.replace("@TMPDIR@", str(world.folder))
    server = Sshd(shell.replace("@DROP@", case.step if case.how == "drop" else "none"))
    world.control(case.provider, "/settings", {
        "ssh_host": "127.0.0.1", "ssh_port": server.port,
        "authorized_keys_file": str(server.authorized_keys)})
    arguments = arguments_of(case)
    if case.how == "another-key":  # the machine never takes ours
        server.authorized_keys.chmod(0o000)
        world.control(case.provider, "/settings", {"authorized_keys_file": "/dev/null"})
        server.authorized_keys.unlink()
        arguments[arguments.index("60")] = "4"
    try:
        process = world.start(arguments, {"PATH": os.environ["PATH"]})
        output = process.communicate(timeout=120)
    finally:
        world.control(case.provider, "/settings", {"authorized_keys_file": ""})
        server.close()
    return process, output


def run_killed(world, case):
    more = {"GR_SSH": "local"}
    mark = world.folder / f"stage-{world.number}"
    slow = ("offers", "register-key", "create", "get", "destroy")
    if case.kind == "kill-lost":
        world.control(case.provider, "", {"on": "create", "nth": 1, "fault": "drop-after"})
        world.control(case.provider, "", {"on": "list", "nth": 1, "times": 1, "fault": "slow:1"})
        ready = lambda: asked(world, case.provider, "list")  # noqa: E731
    elif case.step in slow:
        world.control(case.provider, "", {"on": case.step, "nth": 1, "fault": "slow:1"})
        ready = lambda: asked(world, case.provider, case.step)  # noqa: E731
    else:
        more.update({"GR_STAGE": case.step, "GR_STAGE_FILE": str(mark)})
        ready = mark.exists
    process = world.start(arguments_of(case), more)
    reached = wait_for(ready, process)
    if reached:
        # Every other time the watcher dies, too: then `reap` is alone.
        if case.how == "SIGKILL" and world.number % 2 == 0:
            for pid in guards_of(world.state):
                os.kill(pid, signal.SIGKILL)
        process.send_signal(getattr(signal, case.how))
    output = process.communicate(timeout=90)
    if mark.exists():
        try:
            os.kill(int(mark.read_text()), signal.SIGKILL)
        except (OSError, ValueError):
            pass
    return process, output, reached


def find_secrets(world, texts):
    """Where a key can be read."""
    found = []
    keys = [world.urls[f"{p}_key"].encode() for p in PROVIDERS]
    for name, text in texts.items():
        found += [name for key in keys if key in text]
    if world.state.exists():
        for path in world.state.rglob("*"):
            if path.is_file() and any(key in path.read_bytes() for key in keys):
                found.append(str(path))
    return found


def run_case(world, case):
    """Complaints; none is good."""
    world.fresh(case.provider)
    before = world.strangers(case.provider)
    complaints = []
    reached = True
    if case.kind.startswith("kill"):
        process, output, reached = run_killed(world, case)
    elif case.kind == "real":
        process, output = run_real(world, case)
    else:
        process, output = run_faulty(world, case)
    if list(world.state.glob("*.hosts")) and process.returncode >= 0:
        complaints.append("the machine's known_hosts file was left")
    if not reached:
        complaints.append("the step was never reached: " + output[1].decode()[-300:])
    code = process.returncode
    texts = {"stdout": output[0], "stderr": output[1]}
    left = world.ours(case.provider)
    if code not in (6, -signal.SIGKILL) and any(not m.get("ending") for m in left):
        complaints.append(f"exit code {code}, but a machine was left: {left}; {output[1].decode()}")
    if case.kind == "plain" or (case.kind == "real" and not case.how):
        complaints += check_cost(world, case, output, code)
    # The order for a fault may not have been met yet: then the first reap meets it, and rightly says
    # that it does not know.
    for _ in range(2):
        reap = world.start(["cloud", "reap", "--provider", case.provider, "--json"])
        reap_output = reap.communicate(timeout=90)
        texts["reap"] = reap_output[0] + reap_output[1]
        if reap.returncode != 6:
            break
    if reap.returncode != 0:
        complaints.append(f"reap ended with {reap.returncode}: {texts['reap'].decode()[-400:]}")
    left = [m for m in world.ours(case.provider) if not m.get("ending")]
    if left:
        complaints.append(f"LEAK: {left}")
    if world.strangers(case.provider) != before:
        complaints.append("a stranger's machine was touched")
    complaints += [f"a key can be read in {where}" for where in find_secrets(world, texts)]
    for pid in guards_of(world.state):
        os.kill(pid, signal.SIGKILL)
    return complaints


def check_cost(world, case, output, code):
    if code != 0:
        return [f"a plain run ended with {code}: {output[1].decode()[-500:]}"]
    run = json.loads(output[0])
    bill = world.control(case.provider, "/bill")["usd"]
    complaints = []
    if run["destroyed"] != "confirmed":
        complaints.append("destroyed is " + run["destroyed"])
    if abs(run["cost_usd"] - bill) > 0.01:
        complaints.append(f"shown were {run['cost_usd']} USD, billed {bill}")
    print(f"{case.provider}: shown {run['cost_usd']:.4f} USD, billed {bill:.4f}")
    return complaints


class ArgumentWatch(threading.Thread):
    """Reads every argument list that it can see, all the time."""

    def __init__(self, keys):
        super().__init__(daemon=True)
        self.keys, self.found, self.seen, self.stop = keys, set(), 0, False

    def run(self):
        while not self.stop:
            for entry in os.scandir("/proc"):
                if not entry.name.isdigit():
                    continue
                try:
                    with open(f"/proc/{entry.name}/cmdline", "rb") as file:
                        line = file.read()
                except OSError:
                    continue
                self.seen += 1
                if any(key in line for key in self.keys):
                    self.found.add(line)
            time.sleep(0.3)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gpuready")
    parser.add_argument("cloud_server")
    parser.add_argument("--jobs", type=int, default=10)
    parser.add_argument("--only", default="")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    args.keys_in_arguments = False
    cases = [case for case in all_cases() if args.only in " ".join(case)]
    if args.list:
        print("\n".join(" ".join(case) for case in cases))
        return 0
    worlds = queue.Queue()
    everyone = [World(args) for _ in range(min(args.jobs, len(cases)))]
    for world in everyone:
        worlds.put(world)
    watch = ArgumentWatch({w.urls[f"{p}_key"].encode() for w in everyone for p in PROVIDERS})
    watch.start()

    def one(case):
        world = worlds.get()
        began = time.monotonic()
        try:
            return case, run_case(world, case), time.monotonic() - began
        except Exception as error:  # noqa: BLE001 - any of them is this case's failure
            return case, [f"{type(error).__name__}: {error}"], time.monotonic() - began
        finally:
            worlds.put(world)

    start = time.monotonic()
    bad, slow = 0, []
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for done in concurrent.futures.as_completed([pool.submit(one, case) for case in cases]):
            case, complaints, seconds = done.result()
            slow.append((seconds, " ".join(case)))
            if complaints:
                bad += 1
                print(" ".join(case) + ": " + "; ".join(complaints), flush=True)
    watch.stop = True
    for world in everyone:
        world.close()
    if watch.found:
        print(f"a key stood in arguments: {watch.found}")
    print("slowest:", ", ".join(f"{name} {seconds:.1f} s"
                                for seconds, name in sorted(slow, reverse=True)[:8]))
    print(f"{len(cases)} cases, {bad} failed, {watch.seen} argument lists seen, "
          f"{time.monotonic() - start:.0f} s")
    return 1 if bad or watch.found or not cases else 0


if __name__ == "__main__":
    sys.exit(main())

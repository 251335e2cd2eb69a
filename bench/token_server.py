# SPDX-License-Identifier: Apache-2.0
"""Load on tallystickd: python -m bench.token_server [--seconds 60].

It measures the peak rate on 256 connections, then latency at half of that rate, the memory of the
server meanwhile, and bulk bodies of Arrow over HTTP/1.1 and HTTP/2. Server and load share this
machine's cores.
"""

import argparse
import contextlib
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
COMMANDS = ROOT / "go" / "cmd"
RULES = """
[columns]
card = { format = "card", key = "people:1", namespace = "card" }
ssn = { format = "ssn", key = "people:1", namespace = "person id" }
account = { format = "digits", key = "people:1", namespace = "account" }
"""
CONFIG = """
listen = "127.0.0.1:{port}"
policy = "people.toml"
keyring = "{ring}"
root = "file:root.key"
[callers.load]
token_sha256 = "{digest}"
protect = ["*"]
"""


def build(folder: Path) -> None:
    """Build both programs into a folder."""
    for name in ("tallystickd", "internal/loadtokens"):
        command = ["go", "build", "-C", str(COMMANDS), "-o", f"{folder}/", f"./{name}"]
        subprocess.run(command, check=True)


@contextlib.contextmanager
def running(folder: Path) -> Iterator[tuple[str, str, int]]:
    """Run a server; give its address, its token and its process."""
    made = subprocess.run(
        [folder / "tallystickd", "token"], capture_output=True, text=True, check=True
    )
    token, digest = made.stdout.split()[5], made.stdout.split('"')[1]
    ring = ROOT / "go/keyring/testdata/people.keys"
    files = {
        "people.toml": RULES,
        "root.key": bytes(range(32)).hex(),
        "tallystickd.toml": CONFIG.format(port=0, ring=ring, digest=digest),
    }
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
        (folder / name).chmod(0o600)
    with (folder / "log").open("w+") as log:
        command = [f"{folder}/tallystickd", "-config", f"{folder}/tallystickd.toml"]
        with subprocess.Popen(command, stderr=log) as server:
            try:
                for _ in range(200):
                    time.sleep(0.05)
                    lines = (folder / "log").read_text("utf-8").splitlines()
                    if lines:
                        break
                yield "http://" + json.loads(lines[0])["address"], token, server.pid
            finally:
                server.terminate()


def load(folder: Path, url: str, token: str, *options: str) -> dict[str, Any]:
    """Send load, and return what was measured."""
    command = [f"{folder}/loadtokens", "-url", url + "/v1/protect", *options]
    done = subprocess.run(
        command, env=os.environ | {"TOKEN": token}, capture_output=True, text=True, check=True
    )
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def memory(pid: int) -> int:
    """Return the megabytes that a process has in memory."""
    status = Path(f"/proc/{pid}/status").read_text("ascii")
    return int(status.split("VmRSS:")[1].split()[0]) // 1024


def cpu(pid: int) -> float:
    """Return the seconds of CPU that a process took."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Measure, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=60)
    seconds = parser.parse_args().seconds
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build(folder)
        with running(folder) as (url, token, pid):
            peak = load(folder, url, token, "-time", f"{max(seconds // 6, 1)}s")
            rate = peak["statuses"].get("200", 0) / peak["seconds"]
            print(
                f"peak of 256 connections: {rate:.0f} requests/s of 10 records, {peak['statuses']}"
            )
            before = memory(pid)
            half = load(folder, url, token, "-time", f"{seconds}s", "-rate", str(rate / 2))
            print(
                f"at half of it for {seconds} s: p50 {half['p50'] * 1e3:.1f} ms, "
                f"p99 {half['p99'] * 1e3:.1f} ms, {half['statuses']}, "
                f"{half['errors']} without an answer; memory {before} MB, then {memory(pid)} MB"
            )
            rows = 1_000_000
            bulk = ("-connections", "2", "-arrow", str(rows), "-time", f"{max(seconds // 6, 1)}s")
            for protocol, more in (("HTTP/1.1", ()), ("HTTP/2", ("-http2",))):
                begin = cpu(pid)
                made = load(folder, url, token, *bulk, *more)
                values = rows * made["statuses"].get("200", 0)
                print(
                    f"Arrow over {protocol}: {values / made['seconds'] / 1e6:.1f} M values/s, "
                    f"{values / (cpu(pid) - begin) / 1e6:.1f} M for each second of the server's "
                    f"CPU, {made['statuses']}, {made['errors']} without an answer; "
                    f"memory {memory(pid)} MB"
                )


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""The plugin of OpenBao beside its transit: python -m bench.openbao [--seconds 5].

One client on one connection sends batches to a real server, without an audit log and with one.
Server and plugin share one core, and the client has another. Both rates are printed: by the clock,
and for each second of CPU that server and plugin took, which other work on the machine hardly
changes.
"""

import argparse
import base64
import http.client
import json
import os
import tempfile
import time
from pathlib import Path

from tests.openbao.server import POLICY, Server, build, plugin_processes, running

BATCH = 1000
LACKING = "tallystick/none/all"
"""A path that the plugin lacks: what a request costs before it has a value."""


def cpu(server: Server) -> float:
    """Return the seconds of CPU that the server and its plugins took."""
    ticks = 0
    for process in (server.pid, *plugin_processes(server)):
        fields = Path(f"/proc/{process}/stat").read_text("ascii").rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def measure(server: Server, path: str, body: object, values: int, seconds: float) -> str:
    """Send a body again and again; return the rates of its values."""
    text = json.dumps(body)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)

    def send() -> None:
        connection.request("POST", f"/v1/{path}", text, {"X-Vault-Token": server.token})
        answer = connection.getresponse()
        content = answer.read()
        if answer.status != (404 if path == LACKING else 200):
            raise RuntimeError(content[:300])

    for _ in range(3):
        send()
    begin, before, sent = time.perf_counter(), cpu(server), 0
    while time.perf_counter() - begin < seconds:
        send()
        sent += values
    elapsed, taken = time.perf_counter() - begin, cpu(server) - before
    connection.close()
    return f"{sent / elapsed:9,.0f} values/s, {sent / taken:9,.0f} for each second of CPU"


def prepare(server: Server) -> dict[str, tuple[str, object, int]]:
    """Make keys and a role; return what is measured: a path, a body, and its values."""
    server.write("tallystick/keys/people")
    server.write("tallystick/policies/people", {"policy": POLICY})
    server.write("tallystick/roles/all", {"policy": "people", "protect": "*", "reveal": "*"})
    server.write("sys/mounts/transit", {"type": "transit"})
    server.write("transit/keys/people", {"type": "aes256-gcm96"})
    numbers = [f"{n % 899 + 1:03}-{n % 99 + 1:02}-{n % 9999 + 1:04}" for n in range(BATCH)]
    values = [{"value": value, "transformation": "ssn"} for value in numbers]
    made = server.write("tallystick/encode/all", {"batch_input": values})["batch_results"]
    tokens = [{"value": one["encoded_value"], "transformation": "ssn"} for one in made]
    plain = [{"plaintext": base64.b64encode(value.encode()).decode()} for value in numbers]
    sealed = server.write("transit/encrypt/people", {"batch_input": plain})["batch_results"]
    sealed = [{"ciphertext": one["ciphertext"]} for one in sealed]
    return {
        "encode, batches of 1,000": ("tallystick/encode/all", {"batch_input": values}, BATCH),
        "transit encrypt, the same": ("transit/encrypt/people", {"batch_input": plain}, BATCH),
        "decode, batches of 1,000": ("tallystick/decode/all", {"batch_input": tokens}, BATCH),
        "transit decrypt, the same": ("transit/decrypt/people", {"batch_input": sealed}, BATCH),
        "encode, one value a request": ("tallystick/encode/all", values[0], 1),
        "a path that the plugin lacks": (LACKING, {}, 1),
        "transit encrypt, the same ": ("transit/encrypt/people", plain[0], 1),
    }


def main() -> None:
    """Measure, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5)
    seconds = parser.parse_args().seconds
    cores = sorted(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as name:
        plugins = build(Path(name))
        for audit in (False, True):
            folder = Path(name) / str(audit)
            folder.mkdir()
            os.sched_setaffinity(0, cores[:1])  # which the server and its plugin inherit
            with running(folder, plugins, audit) as server:
                os.sched_setaffinity(0, cores[-1:])
                print("with an audit log, to a file:" if audit else "without an audit log:")
                for what, (path, body, values) in prepare(server).items():
                    print(f"  {what:28} {measure(server, path, body, values, seconds)}")


if __name__ == "__main__":
    main()

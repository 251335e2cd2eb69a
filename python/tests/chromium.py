# SPDX-License-Identifier: Apache-2.0
"""Pages as Chromium shows them, without a screen and without a network."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tab import Tab

PROGRAM = shutil.which("chromium")

needs_chromium = pytest.mark.skipif(PROGRAM is None, reason="no chromium")

_OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",  # it asks its maker for updates even so
    "--enable-logging=stderr",
)

_NONE = "not an origin"

_CODES = {"Tab": 9, "Enter": 13, "ArrowDown": 40}


@dataclass(frozen=True, slots=True)
class Shown:
    """What became of a page.

    Attributes
    ----------
    dom : str
        The document when it had been laid out.
    console : list of str
        What the console says: errors and warnings, refused resources among them.
    requests : list of str
        The addresses on a network that the page asked for.
    """

    dom: str
    console: list[str]
    requests: list[str]


def show(page: Path) -> Shown:
    """Open a page."""
    with TemporaryDirectory() as directory:
        log = Path(directory) / "net.json"
        done = _run(page, f"--log-net-log={log}", "--dump-dom")
        events = json.loads(log.read_text())
    return Shown(done.stdout, re.findall(r":CONSOLE[:(]\S+\] (.*)", done.stderr), _requests(events))


def screenshot(page: Path, target: Path, *more: str, size: str = "1200,1000") -> None:
    """Write a picture (PNG) of a page."""
    _run(page, *more, "--hide-scrollbars", f"--window-size={size}", f"--screenshot={target}")


def _run(page: Path, *more: str) -> subprocess.CompletedProcess[str]:
    assert PROGRAM is not None
    with TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        return subprocess.run(
            [PROGRAM, *_OPTIONS, f"--user-data-dir={profile}", *more, page.as_uri()],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=True,
            timeout=120,
        )


def _requests(log: dict[str, Any]) -> list[str]:
    """Return the addresses of requests that a page began; the browser's own have no origin."""
    begun = log["constants"]["logEventTypes"]["URL_REQUEST_START_JOB"]
    requests = [event.get("params", {}) for event in log["events"] if event["type"] == begun]
    return [each["url"] for each in requests if each.get("initiator", _NONE) != _NONE]


class Browser(Tab):
    """A Chromium that a test drives by its DevTools protocol, over a pair of pipes."""

    name = "chromium"

    def __init__(self) -> None:
        assert PROGRAM is not None
        self._asked: list[str] = []
        self._profile = TemporaryDirectory(ignore_cleanup_errors=True)
        for_it, self._to = os.pipe()
        self._from, from_it = os.pipe()
        options = (*_OPTIONS, "--remote-debugging-pipe", "--hide-scrollbars")
        self._process = subprocess.Popen(
            [
                *(
                    "bash",
                    "-c",
                    'exec 3<&"$0" 4>&"$1"; shift; exec "$@"',
                    str(for_it),
                    str(from_it),
                ),
                *(PROGRAM, *options, f"--user-data-dir={self._profile.name}", "about:blank"),
            ],
            pass_fds=(for_it, from_it),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(for_it)
        os.close(from_it)
        self._rest = b""
        self._count = 0
        self._session: dict[str, str] = {}
        made = self.call("Target.createTarget", url="about:blank")
        attached = self.call("Target.attachToTarget", targetId=made["targetId"], flatten=True)
        self._session = {"sessionId": attached["sessionId"]}
        self.call("Network.enable")

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._to)
        os.close(self._from)
        self._profile.cleanup()

    def call(self, method: str, **params: object) -> dict[str, Any]:
        """Call a method of the protocol, and return its result."""
        self._count += 1
        sent = {"id": self._count, "method": method, "params": params, **self._session}
        os.write(self._to, json.dumps(sent).encode() + b"\0")
        while True:
            message, found, rest = self._rest.partition(b"\0")
            if not found:
                read = os.read(self._from, 1 << 20)
                assert read, "Chromium has ended"
                self._rest += read
                continue
            self._rest = rest
            answer = json.loads(message)
            if answer.get("method") == "Network.requestWillBeSent":
                self._asked.append(answer["params"]["request"]["url"])
            if answer.get("id") == self._count:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result

    @property
    def asked(self) -> Collection[str]:
        return self._asked

    def evaluate(self, script: str) -> Any:  # noqa: ANN401
        options = {"awaitPromise": True, "returnByValue": True}
        done = self.call("Runtime.evaluate", expression=script, **options)
        assert "exceptionDetails" not in done, done
        return done["result"].get("value")

    def run(self, script: str) -> None:
        self.evaluate(f"{script}\n; 0")

    def navigate(self, address: str) -> None:
        self.call("Page.navigate", url=address)

    def choose_files(self, selector: str, paths: Collection[Path]) -> None:
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.call("DOM.setFileInputFiles", nodeId=node, files=[*map(str, paths)])

    def press(self, key: str) -> None:
        code = _CODES.get(key) or ord(key.upper())
        typed = "\r" if key == "Enter" else key if len(key) == 1 else ""
        text = {"text": typed} if typed else {}
        for kind, more in (("keyDown" if text else "rawKeyDown", text), ("keyUp", {})):
            options: dict[str, Any] = {"key": key, "windowsVirtualKeyCode": code, **more}
            self.call("Input.dispatchKeyEvent", type=kind, **options)

    def picture(self, target: Path) -> None:
        whole = self.call("Page.getLayoutMetrics")["cssContentSize"]
        options: dict[str, Any] = {"captureBeyondViewport": True, "clip": {**whole, "scale": 1}}
        target.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", **options)["data"]))

    def size(self, width: int, height: int) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride",
            **{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600},
        )

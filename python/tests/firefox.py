# SPDX-License-Identifier: Apache-2.0
"""Pages as Firefox shows them, without a screen and without a network."""

from __future__ import annotations

import base64
import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Collection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tab import Tab

PROGRAM = shutil.which("firefox-esr") or shutil.which("firefox")

_SETTINGS = {
    "marionette.port": 0,
    # It asks its maker for much: a proxy that is not there takes all that is not local.
    "network.proxy.type": 1,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
    "toolkit.legacyUserProfileCustomizations.stylesheets": True,
}
_STYLE = ":root, #browser, #tabbrowser-tabpanels { min-width: 0 !important }"
"""Of the browser's own window, which else is as wide as a telephone never is."""


_KEYS = {"Tab": "\ue004", "Enter": "\ue007", "ArrowDown": "\ue015"}

_LONGEST = 600
"""Seconds that a script may take: vectors take half a minute on a busy machine."""


class Browser(Tab):
    """A Firefox that a test drives by its Marionette protocol."""

    name = "firefox"

    def __init__(self) -> None:
        assert PROGRAM is not None
        self._profile = TemporaryDirectory(ignore_cleanup_errors=True)
        folder = Path(self._profile.name)
        lines = (f"user_pref({json.dumps(k)}, {json.dumps(v)});" for k, v in _SETTINGS.items())
        (folder / "user.js").write_text("\n".join(lines), encoding="utf-8")
        (folder / "chrome").mkdir()
        (folder / "chrome" / "userChrome.css").write_text(_STYLE, encoding="utf-8")
        self._process = subprocess.Popen(
            [PROGRAM, "--headless", "--marionette", "--no-remote", "--profile", folder],
            env={**os.environ, "HOME": str(folder)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._count = 0
        port_file, end = folder / "MarionetteActivePort", time.monotonic() + 60
        while not port_file.exists() or not port_file.read_text(encoding="utf-8"):
            assert time.monotonic() < end and self._process.poll() is None, "Firefox does not start"
            time.sleep(0.05)
        self._socket = socket.create_connection(
            ("127.0.0.1", int(port_file.read_text("utf-8"))), _LONGEST
        )
        self._answers = self._socket.makefile("rb")
        self._answer()
        self.call("WebDriver:NewSession", capabilities={})
        self.call("WebDriver:SetTimeouts", script=_LONGEST * 1000)

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        self._answers.close()
        self._socket.close()
        self._profile.cleanup()

    def _answer(self) -> Any:  # noqa: ANN401
        size = b""
        while (byte := self._answers.read(1)) != b":":
            assert byte, "Firefox has ended"
            size += byte
        return json.loads(self._answers.read(int(size)))

    def call(self, command: str, **parameters: object) -> Any:  # noqa: ANN401
        """Call a command of the protocol, and return its result."""
        self._count += 1
        sent = json.dumps([0, self._count, command, parameters]).encode()
        self._socket.sendall(str(len(sent)).encode() + b":" + sent)
        _, number, error, result = self._answer()
        assert number == self._count
        assert error is None, error
        return result

    @property
    def asked(self) -> Collection[str]:
        names = "performance.getEntriesByType('resource').map((one) => one.name)"
        found: list[str] = self.evaluate(f"[location.href, ...{names}]")
        return found

    def evaluate(self, script: str) -> Any:  # noqa: ANN401
        script = f"return ({script})"
        # Without a sandbox the page's own objects are what the script sees.
        return self.call("WebDriver:ExecuteScript", script=script, args=[], sandbox=None)["value"]

    def run(self, script: str) -> None:
        self.call("WebDriver:ExecuteScript", script=script, args=[], sandbox=None)

    def navigate(self, address: str) -> None:
        self.call("WebDriver:Navigate", url=address)

    def picture(self, target: Path) -> None:
        taken = self.call("WebDriver:TakeScreenshot", full=True)["value"]
        target.write_bytes(base64.b64decode(taken))

    def size(self, width: int, height: int) -> None:
        self.call("WebDriver:SetWindowRect", width=width, height=height)
        inner = self.evaluate("[innerWidth, innerHeight]")
        self.call(
            "WebDriver:SetWindowRect", width=2 * width - inner[0], height=2 * height - inner[1]
        )
        assert self.evaluate("innerWidth") == width

    def choose_files(self, selector: str, paths: Collection[Path]) -> None:
        found = self.call("WebDriver:FindElement", using="css selector", value=selector)["value"]
        (element,) = found.values()
        names = "\n".join(map(str, paths))
        self.call("WebDriver:ElementSendKeys", id=element, text=names)

    def press(self, key: str) -> None:
        keys = [{"type": kind, "value": _KEYS.get(key, key)} for kind in ("keyDown", "keyUp")]
        source = {"type": "key", "id": "keys", "actions": keys}
        self.call("WebDriver:PerformActions", actions=[source])

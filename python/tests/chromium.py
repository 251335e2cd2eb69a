# SPDX-License-Identifier: Apache-2.0
"""Pages as Chromium shows them, without a screen and without a network."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

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
    told = [event.get("params", {}) for event in log["events"] if event["type"] == begun]
    return [each["url"] for each in told if each.get("initiator", _NONE) != _NONE]

# SPDX-License-Identifier: Apache-2.0
"""The vectors of all languages in a browser: in a page, and in a worker."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python" / "tests"))

from chromium import PROGRAM, Browser  # noqa: E402

SCRIPT = ROOT / "build" / "js" / "test" / "browser.bundle.js"
SMALL = ("presets", "numbers", "layouts", "one_way")
"""Vectors of formats for the core without SIMD128: others have long values, which take minutes."""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if PROGRAM is None:
        pytest.skip("no chromium")
    blank = tmp_path_factory.mktemp("page") / "blank.html"
    blank.write_text('<!DOCTYPE html><html lang="en"><title>vectors</title>', encoding="utf-8")
    with Browser() as found:
        found.open(blank)
        found.evaluate(f"globalThis.script = {json.dumps(SCRIPT.read_text(encoding='utf-8'))}; 0")
        for path in sorted((ROOT / "vectors").glob("*.json")):
            if path.stem.startswith(("formats_", "tokens", "keyrings", "authentic_shares")):
                text = json.dumps(path.read_text(encoding="utf-8"))
                found.evaluate(f"(globalThis.texts ??= {{}})[{json.dumps(path.stem)}] = {text}; 0")
        yield found


def run(page: Browser, script: str) -> dict[str, int]:
    """Return what an expression for a promise becomes: counts of vectors."""
    done = page.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
    assert "exceptionDetails" not in done, done
    counts = done["result"]["value"]
    assert isinstance(counts, dict), counts
    return counts


def test_in_a_page(page: Browser) -> None:
    counts = run(page, "(eval(script), check(texts, true))")
    assert len(counts) > 15
    assert sum(counts.values()) > 5000
    assert min(counts.values()) > 5


def test_in_a_worker_without_vectors(page: Browser) -> None:
    chosen = json.dumps([f"formats_{name}" for name in SMALL])
    counts = run(
        page,
        "new Promise((done) => {"
        "const worker = new Worker(URL.createObjectURL(new Blob([script])));"
        "worker.onmessage = ({ data }) => done(data);"
        "worker.onerror = (error) => done(error.message);"
        "worker.postMessage([Object.fromEntries(Object.entries(texts).filter(([name]) =>"
        f"!name.startsWith('formats_') || {chosen}.includes(name))), false]) }})",
    )
    assert {*SMALL, "keyrings", "shares"} < set(counts)

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

import chromium  # noqa: E402
import firefox  # noqa: E402
from tab import Tab  # noqa: E402

SCRIPT = ROOT / "build" / "js" / "test" / "browser.bundle.js"
SMALL = ("presets", "numbers", "layouts", "one_way")
"""Vectors of formats for the core without SIMD128: others have long values, which take minutes."""


@pytest.fixture(scope="module", params=[chromium, firefox], ids=["chromium", "firefox"])
def page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    if request.param.PROGRAM is None:
        pytest.skip(f"no {request.param.__name__}")
    texts = {
        path.stem: path.read_text(encoding="utf-8")
        for path in sorted((ROOT / "vectors").glob("*.json"))
        if path.stem.startswith(("formats_", "tokens", "keyrings", "authentic_shares"))
    }
    folder = tmp_path_factory.mktemp("page")
    (folder / "script.js").write_text(SCRIPT.read_text(encoding="utf-8"), encoding="utf-8")
    given = {"script": SCRIPT.read_text(encoding="utf-8"), "texts": texts}
    (folder / "given.js").write_text(f"Object.assign(window, {json.dumps(given)})", "utf-8")
    blank = folder / "blank.html"
    scripts = "".join(f'<script src="{name}.js"></script>' for name in ("script", "given"))
    blank.write_text(
        f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>vectors</title>{scripts}',
        encoding="utf-8",
    )
    with request.param.Browser() as found:
        found.open(blank)
        yield found


def test_in_a_page(page: Tab) -> None:
    counts = page.evaluate("check(texts, true)")
    assert len(counts) > 15
    assert sum(counts.values()) > 5000
    assert min(counts.values()) > 5


def test_in_a_worker_without_vectors(page: Tab) -> None:
    chosen = json.dumps([f"formats_{name}" for name in SMALL])
    counts = page.evaluate(
        "new Promise((done) => {"
        "const worker = new Worker(URL.createObjectURL(new Blob([script])));"
        "worker.onmessage = ({ data }) => done(data);"
        "worker.onerror = (error) => done(error.message);"
        "worker.postMessage([Object.fromEntries(Object.entries(texts).filter(([name]) =>"
        f"!name.startsWith('formats_') || {chosen}.includes(name))), false]) }})",
    )
    assert {*SMALL, "keyrings", "shares"} < set(counts)

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
POLICY = "default-src 'none'; script-src 'nonce-own' 'wasm-unsafe-eval'; worker-src blob:"
STREAMED = {
    "csv": "id,name\n1,****\n",
    "ndjson": '{"id": 1, "name": "****"}\n',
    "text": "<Zo\u00eb>",
    "eval": "EvalError",
}
"""What ``stream`` of browser.ts returns under this policy."""


@pytest.fixture(scope="module", params=[chromium, firefox], ids=["chromium", "firefox"])
def page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    if request.param.PROGRAM is None:
        pytest.skip(f"no {request.param.__name__}")
    texts = {
        path.stem: path.read_text(encoding="utf-8")
        for path in sorted((ROOT / "vectors").glob("*.json"))
        if path.stem.startswith(("formats_", "tokens", "keyrings", "authentic_shares", "ipcrypt"))
    }
    script = SCRIPT.read_text(encoding="utf-8")
    given = json.dumps({"script": script, "texts": texts}).replace("</", "<\\/")
    scripts = (script.replace("</script", "<\\/script"), f"Object.assign(window, {given})")
    blank = tmp_path_factory.mktemp("page") / "blank.html"
    blank.write_text(
        '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>vectors</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        + "".join(f'<script nonce="own">{one}</script>' for one in scripts),
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
    assert page.evaluate("stream()") == STREAMED


def test_in_a_worker_without_vectors(page: Tab) -> None:
    found = page.evaluate(
        "new Promise((done) => {"
        "const worker = new Worker(URL.createObjectURL(new Blob([script])));"
        "worker.onmessage = ({ data }) => done(data);"
        "worker.onerror = (error) => done(error.message);"
        "worker.postMessage([texts, false]) })",
    )
    counts, streamed = found
    assert sum(counts.values()) > 5000
    assert streamed == STREAMED

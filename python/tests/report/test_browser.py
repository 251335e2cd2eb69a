# SPDX-License-Identifier: Apache-2.0
"""The page in a browser: laid out, with nothing to complain of, and nothing asked for."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from chromium import needs_chromium, screenshot, show
from report_support import Place, write_wide_report

pytestmark = needs_chromium


def test_it_is_laid_out_in_silence(place: Place) -> None:
    shown = show(place.path("run.html"))
    for text in ("What to look at", "Frequency of symbols", "Passed untouched", "remark</bdi>"):
        assert text in shown.dom
    assert shown.dom.count("<svg ") == 10
    assert shown.dom.count("<rect ") > 100
    assert shown.console == []
    assert shown.requests == []


def test_what_is_wrong_would_be_seen(tmp_path: Path) -> None:
    """The test above can fail: a page that asks for a picture, and one that is refused."""
    page = tmp_path / "a.html"
    picture = '<img src="http://pixel.invalid/a.png">'
    page.write_text(f"<!DOCTYPE html><title>a</title>{picture}<script>console.log('b')</script>")
    shown = show(page)
    assert shown.requests == ["http://pixel.invalid/a.png"]
    assert any('"b"' in line for line in shown.console)
    csp = """<meta http-equiv="Content-Security-Policy" content="default-src 'none'">"""
    page.write_text(f"<!DOCTYPE html><title>a</title>{csp}{picture}")
    shown = show(page)
    assert shown.requests == []
    assert any("Content Security Policy" in line for line in shown.console)


MEASURE = """
const wide = [], small = [], touching = [];
const names = e => `${e.tagName}.${e.getAttribute("class")} ${e.textContent.trim().slice(0, 30)}`;
for (const details of document.querySelectorAll("details")) details.open = true;
for (const e of document.querySelectorAll("body, body *:not(svg *):not(.unseen)")) {
  const style = getComputedStyle(e);
  const scrolls = ["auto", "scroll"].includes(style.overflowX);
  if (style.display == "inline" || scrolls) continue;
  if (e.scrollWidth > e.clientWidth + 1) wide.push(names(e));
}
const shown = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (shown.nextNode()) {
  const e = shown.currentNode.parentElement;
  if (!shown.currentNode.data.trim() || e.closest("title, desc, script")) continue;
  const matrix = e instanceof SVGElement ? e.getScreenCTM() : null;
  const scale = matrix ? Math.hypot(matrix.a, matrix.b) : 1;
  if (parseFloat(getComputedStyle(e).fontSize) * scale < 10.9) small.push(names(e));
}
for (const svg of document.querySelectorAll("svg")) {
  let before = null;
  for (const e of svg.querySelectorAll(".label")) {
    const place = e.getBoundingClientRect();
    if (before && place.left < before.right - 1.5) touching.push(names(e));
    before = place;
  }
}
const boxes = [...document.querySelectorAll(".scroll")];
const scrolling = boxes.filter(e => e.scrollWidth > e.clientWidth);
var found = {
  page: [document.documentElement.scrollWidth, innerWidth], wide, small, touching,
  scrolling: scrolling.length,
  unmarked: scrolling.filter(e => !getComputedStyle(e).backgroundImage.includes("gradient")).length,
};
"""


CHANGES = {
    ".tiles .long { font-size: 23px; }": "wide",
    "svg { min-width: 0; }": "small",
    "figcaption { font-size: 10px; }": "small",
    ".label { letter-spacing: 9px; }": "touching",
    ".scroll { background: none; }": "unmarked",
    "h1 { overflow-wrap: normal; }": "wide",
}
"""Rules that would make a page worse, and what is seen of it."""

CASES = [(name, width, "") for name in ("wide.html", "run.html") for width in (390, 1280)]
CASES += [("wide.html", 390, change) for change in CHANGES]

Measured = dict[tuple[str, int, str], dict[str, Any]]


@pytest.fixture(scope="module")
def measured(place: Place) -> Measured:
    """Measure pages in frames of some widths: windows of Chromium are wider than a telephone.

    A page forbids scripts, so that of the measuring takes the place of the rule.
    """
    write_wide_report(place.directory, place.ring)
    frames = []
    for name, width, change in CASES:
        text = place.path(name).read_text("utf-8")
        text, count = re.subn(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)
        assert count == 1
        text = text.replace("</style>", f"{change}</style>") + f"<script>{MEASURE}</script>"
        frames.append(
            f'<iframe width="{width}" height="900" srcdoc="{html.escape(text)}"></iframe>'
        )
    page = place.path("frames.html")
    page.write_text(
        "<!DOCTYPE html><meta charset=utf-8><style>iframe { border: 0 }</style>"
        f"{''.join(frames)}<script>onload = () => document.title = JSON.stringify("
        "[...document.querySelectorAll('iframe')].map(one => one.contentWindow.found))</script>",
        "utf-8",
    )
    title = re.search(r"<title>(.*?)</title>", show(page).dom)
    assert title
    return dict(zip(CASES, json.loads(html.unescape(title[1])), strict=True))


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", ["wide.html", "run.html"])
def test_all_fits_and_can_be_read(measured: Measured, name: str, width: int) -> None:
    """Tiles hold their numbers, labels are 11 pixels high and apart; what scrolls shows it."""
    found = measured[name, width, ""]
    assert found["page"][1] == width
    assert found["page"][0] <= width
    assert (found["wide"], found["small"], found["touching"]) == ([], [], [])
    assert found["unmarked"] == 0
    assert (found["scrolling"] > 0) == ((name, width) != ("run.html", 1280))


@pytest.mark.parametrize("change", CHANGES)
def test_what_does_not_fit_would_be_seen(measured: Measured, change: str) -> None:
    assert measured["wide.html", 390, change][CHANGES[change]]


LIGHT, DARK = ("9aa7b4", "0b7f79", "f6f5f1"), ("6c7883", "43bdb4", "14171a")


@pytest.mark.parametrize(("scheme", "colours"), [(1, LIGHT), (0, DARK)])
def test_a_picture_of_it(
    place: Place, tmp_path: Path, scheme: int, colours: tuple[str, str, str]
) -> None:
    """Bars of both colours, on paper that is light or dark as is preferred."""
    target = tmp_path / "page.png"
    screenshot(
        place.path("run.html"),
        target,
        f"--blink-settings=preferredColorScheme={scheme}",
        size="1200,4000",
    )
    with Image.open(target) as image:
        picture = np.asarray(image.convert("RGB"))
    assert picture.shape == (4000, 1200, 3)
    before, after, paper = (
        (picture == np.frombuffer(bytes.fromhex(colour), np.uint8)).all(axis=2)
        for colour in colours
    )
    assert before.sum() > 10_000
    assert after.sum() > 10_000
    assert paper.mean() > 0.05

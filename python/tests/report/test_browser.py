# SPDX-License-Identifier: Apache-2.0
"""The page in a browser: laid out, with nothing to complain of, and nothing asked for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from chromium import needs_chromium, screenshot, show
from report_support import Place

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

# SPDX-License-Identifier: Apache-2.0
"""The documentation site is complete, loads nothing from a network, and fits a telephone."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import time
import zlib
from pathlib import Path

import pytest

from chromium import Browser

PACKAGE = Path(__file__).parents[2] / "tallystick"
TRY = PACKAGE.parents[1] / "build" / "js" / "page" / "index.html"
NO_PAGE = {"tallystick.cli"}
"""Modules whose names are for our own programs."""


def public() -> dict[str, list[str]]:
    """Return the names in the __all__ of each module, and those imported as themselves."""
    found: dict[str, list[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        module = ".".join(part for part in parts if part != "__init__")
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names: list[str] = []
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                names = ast.literal_eval(node.value)
            elif isinstance(node, ast.ImportFrom) and path.name == "__init__.py":
                names = [one.name for one in node.names if one.asname == one.name]
            if names:
                found.setdefault(module, []).extend(names)
    return found


def test_every_public_name_has_an_entry(site: Path) -> None:
    inventory = (site / "objects.inv").read_bytes().split(b"\n", 4)[4]
    listed = {line.split(" ")[0] for line in zlib.decompress(inventory).decode().splitlines()}
    wanted = [
        (module, name)
        for module, names in public().items()
        if module not in NO_PAGE
        for name in names
    ]
    assert len(wanted) > 100
    assert not [name for module, name in wanted if f"{module}.{name}" not in listed]


@pytest.mark.parametrize("module", sorted(set(public()) - NO_PAGE))
def test_every_public_name_has_a_docstring(module: str) -> None:
    if module == "tallystick.spark":
        pytest.importorskip("pyspark")
    found = importlib.import_module(module)
    bare = [
        name
        for name in public()[module]
        if inspect.isroutine(made := getattr(found, name)) or inspect.isclass(made)
        if not inspect.getdoc(made)
    ]
    assert not bare


def test_no_page_loads_anything_from_a_network(site: Path) -> None:
    loads = re.compile(
        r"""(?:<(?:script|img|iframe|source)\b[^>]*?src=|<link\b[^>]*?href=|url\(|@import\s*)"""
        r"""["']?(?:https?:)?//[^"')\s]+"""
    )
    found = {
        path.name: hits
        for path in [*site.rglob("*.html"), *site.rglob("*.css"), *site.rglob("*.svg")]
        if (hits := loads.findall(path.read_text("utf-8")))
    }
    assert not found


def test_the_guide_leads_to_the_page_for_trying(site: Path, browser: Browser) -> None:
    if not TRY.exists():
        pytest.skip("`make js` builds the page")
    browser.open(site / "how-to" / "try-in-a-browser.html")
    browser.evaluate("document.querySelector('article a[href$=\"/try.html\"]').click()")
    browser.wait("location.pathname.endsWith('/try.html')")
    assert browser.wait("document.querySelectorAll('#preview .token').length") == 12


def test_no_page_scrolls_sideways_on_a_telephone(site: Path, browser: Browser) -> None:
    browser.size(390, 800)
    browser.call("Network.setBlockedURLs", urls=["*search_index.js"])  # each page would read it
    wide = {}
    for path in sorted(site.rglob("*.html")):
        browser.open(path)
        width = browser.evaluate("document.scrollingElement.scrollWidth")
        if width > 390:
            wide[path.relative_to(site).as_posix()] = width
    browser.call("Network.setBlockedURLs", urls=[])
    assert not wide
    assert not [url for url in browser.asked if not url.startswith(("file:", "data:", "about:"))]


FIRST_WORDS = {
    "anonymize": {"how-to/mask-or-pseudonymize"},
    "mask a column": {"how-to/mask-or-pseudonymize"},
    "pseudonymise": {"how-to/mask-or-pseudonymize"},
    "GDPR pseudonymization": {"how-to/mask-or-pseudonymize", "glossary"},
    "tokenize card numbers": {"how-to/protect-a-csv", "reference/formats/card"},
    "detokenize": {"how-to/reveal-tokens"},
    "encrypt csv column": {"how-to/protect-a-csv"},
    "format preserving encryption python": {"tutorials/python", "reference/python/index"},
    "FF1": {"how-to/move-from-ff1-or-ff3"},
    "lost key": {"how-to/recover-from-a-lost-key"},
    "rotate key": {"how-to/rotate-a-key"},
    "split a key": {"how-to/split-a-root-key"},
    "polars": {"how-to/use-data-frames"},
    "duckdb": {"how-to/query-in-sql"},
    "join two tables": {"how-to/join-two-sources"},
    "join": {"how-to/join-two-sources"},
    "install": {"index"},
    "java": {"index"},
    "postgres": {"tutorials/postgres", "reference/postgres"},
    "GDPR": {"how-to/mask-or-pseudonymize"},
    "what does a token leak": {"explanation/what-a-token-reveals"},
    "how fast": {"reference/benchmarks", "explanation/why-columns-are-fast"},
    "exit code": {"reference/errors"},
    "card": {"reference/formats/card"},
}
"""What people type first, and the pages that answer it."""


@pytest.mark.parametrize("words", FIRST_WORDS)
def test_search_finds_the_right_page(site: Path, browser: Browser, words: str) -> None:
    browser.size(1280, 900)
    browser.open(site / "404.html")
    browser.open(site / "index.html")
    browser.evaluate("document.querySelector('.md-search__input').focus()")
    for letter in words:
        browser.call("Input.dispatchKeyEvent", type="keyDown", text=letter)
        browser.call("Input.dispatchKeyEvent", type="keyUp")
    end = time.monotonic() + 60
    while not FIRST_WORDS[words] & set(pages := found(site, browser)[:3]):
        assert time.monotonic() < end, pages
        time.sleep(0.1)


def found(site: Path, browser: Browser) -> list[str]:
    """Return the pages that the search lists, without their suffix."""
    links = browser.evaluate(
        "[...document.querySelectorAll('.md-search-result__item > a:first-child')].map(a => a.href)"
    )
    base = len(site.as_uri()) + 1
    return [re.split(r"\.html\b", link[base:])[0] for link in links]

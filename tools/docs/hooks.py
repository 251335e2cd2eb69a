# SPDX-License-Identifier: Apache-2.0
"""Hooks of MkDocs: links to sources, and warnings of Markdown that renderers read differently."""

from __future__ import annotations

import logging
import os.path
import re
import shutil
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
TRY = ROOT / "build" / "js" / "page" / "index.html"
SOURCES = "https://github.com/tallystick/tallystick"
BOOST = {
    "how-to/join-two-sources": 4,
    "how-to/": 2,
    "tutorials/": 2,
    "explanation/what-a-token-reveals": 3,
    "index.md": 3,
    "reference/c.md": 3,
    "reference/python/index": 2,
    "reference/python/": 0.5,
    "reference/json-fields": 0.3,
    "reference/fast-tokens": 0.3,
}
"""How much more or less than others pages count in a search, by how their names begin."""

NAME_OF_NODE = "e=e+s+o.id"
"""In `TokenSet.prototype.toString` of lunr, as Material for MkDocs has it."""

LOG = logging.getLogger("mkdocs.plugins.tallystick")


def on_page_markdown(markdown: str, *, page: Any, **_: object) -> str:  # noqa: ANN401
    """Return a page whose links out of docs/ lead to the repository."""
    for begin, boost in BOOST.items():
        if page.file.src_uri.startswith(begin):
            page.meta.setdefault("search", {"boost": boost})
    folder = Path(page.file.abs_src_path).parent
    for line, text in enumerate(markdown.splitlines(), 1):
        if re.match(r" {1,3}([-*+]|\d+\.) ", text):
            LOG.warning("%s, line %d: indent nested lists by 4 blanks", page.file.src_uri, line)

    def replace(link: re.Match[str]) -> str:
        name, hash_mark, heading = link[1].partition("#")
        path = Path(os.path.normpath(folder / name))
        if "://" in name or path.is_relative_to(ROOT / "docs") or not path.exists():
            return link[0]
        kind = "tree" if path.is_dir() else "blob"
        return f"]({SOURCES}/{kind}/main/{path.relative_to(ROOT)}{hash_mark}{heading})"

    return re.sub(r"\]\(([^)\s]+)\)", replace, markdown)


def on_page_content(html: str, *, page: Any, **_: object) -> str:  # noqa: ANN401
    """Warn of a list that stands right under a paragraph, which becomes part of it here.

    The guide to the page for trying gets a link to it, where `make js` has built it.
    """
    for text in re.findall(r"<p>[^<]*\n[-*] .*", html):
        LOG.warning("%s: leave a line free before the list: %s", page.file.src_uri, text)
    if page.file.src_uri == "how-to/try-in-a-browser.md" and TRY.exists():
        html += '<p><a href="../try.html">Open the page of this site</a></p>'
    return html


def on_post_build(*, config: Any, **_: object) -> None:  # noqa: ANN401
    """Put the page for trying into the site, and mend the search."""
    site = Path(config.site_dir)
    if TRY.exists():
        shutil.copy(TRY, site / "try.html")
    _separate_ids(site)


def _separate_ids(site: Path) -> None:
    """End each number in the names by which lunr finds equal nodes of its tree of words.

    Without an end, other nodes may have the same name, since letters may be digits. Then the tree
    has words that no page has, and a query that meets one finds nothing.
    """
    workers = list((site / "assets" / "javascripts" / "workers").glob("search.*.js"))
    for worker in workers:
        text = worker.read_text("utf-8")
        if text.count(NAME_OF_NODE) != 1:
            LOG.warning("%s has another lunr: does its search still need _separate_ids?", worker)
        worker.write_text(text.replace(NAME_OF_NODE, f'{NAME_OF_NODE}+","'), "utf-8")
    if not workers:
        LOG.warning("the site has no worker of the search")

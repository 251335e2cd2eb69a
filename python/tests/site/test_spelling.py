# SPDX-License-Identifier: Apache-2.0
"""The words of pages are English (American spelling), or in tools/docs/words.txt."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[3]
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
WORDS = (ROOT / "tools" / "docs" / "words.txt").read_text("utf-8").split()

NAMES = re.compile(r"^::: .*\n(?:    .*\n)*", re.MULTILINE)
"""Names of the code whose docstrings a page has."""


def prose(tokens: list[Token]) -> Iterator[str]:
    """Give the text of a page without its code and the addresses of links."""
    for token in tokens:
        if token.type == "text":
            yield token.content
        yield from prose(token.children or [])


def unknown(text: str) -> set[str]:
    """Return the words that aspell and the list do not know."""
    text = text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    done = subprocess.run(
        ["aspell", "--lang=en_US", "--encoding=utf-8", "list"],
        input=text, capture_output=True, text=True, check=True,
    )  # fmt: skip
    words = {word.removesuffix("'s") for word in done.stdout.split()}
    known = {word.lower() for word in WORDS}
    return {word for word in words if word.lower() not in known}


@pytest.mark.skipif(shutil.which("aspell") is None, reason="no aspell")
def test_words() -> None:
    parse = MarkdownIt("commonmark").enable("table").parse
    texts = {path.name: NAMES.sub("", path.read_text("utf-8")) for path in PAGES}
    pages = {name: " ".join(prose(parse(text))) for name, text in texts.items()}
    if bad := unknown("\n".join(pages.values())):
        where = {word: [name for name, text in pages.items() if word in text] for word in bad}
        pytest.fail(f"mend, put into backquotes, or add to tools/docs/words.txt: {where}")


@pytest.mark.skipif(shutil.which("aspell") is None, reason="no aspell")
def test_what_is_wrong_is_found() -> None:
    assert unknown("A tokken of a behaviour, and a token") == {"tokken", "behaviour"}


def test_the_list_is_sorted() -> None:
    assert sorted(set(WORDS), key=lambda word: (word.lower(), word)) == WORDS


@pytest.mark.skipif(importlib.util.find_spec("codespell_lib") is None, reason="no codespell")
def test_common_misspellings() -> None:
    command = [sys.executable, "-m", "codespell_lib", *map(str, PAGES)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout

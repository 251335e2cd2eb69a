# SPDX-License-Identifier: Apache-2.0
"""Names in the code are standard terms, not words that once stood for several things."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parents[3]
AMBIGUOUS = re.compile(
    r"settled?|told|lender|face|trail|bundle|finders?|bring_near|take_in", re.IGNORECASE
)
NO_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|`[^`]*`', re.DOTALL)
PUBLIC = {"Finder"}
"""Of tallystick.text: what finds values in a text, in the sense of that word."""
FOLDERS = {
    "core": ".c .h .S .inc",
    "embedded": ".c .h .py .rs",
    "go": ".go .c .h",
    "integrations": ".c .h",
    "js": ".c .ts",
    "python/tallystick": ".py",
}


def sources() -> Iterator[Path]:
    """Yield the files of source code, without those that a program writes for Go."""
    for folder, suffixes in FOLDERS.items():
        for path in sorted((ROOT / folder).rglob("*.*")):
            generated = path.parent.name == "core" and path.name.startswith("tallystick")
            if (
                path.suffix in suffixes.split()
                and not generated
                and "node_modules" not in path.parts
            ):
                yield path


def names(path: Path) -> set[str]:
    """Return the names in a file, without comments and strings: none if no such word is in it."""
    text = path.read_text("utf-8")
    if AMBIGUOUS.search(text) is None:
        return set()
    if path.suffix == ".py":
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        return {token.string for token in tokens if token.type == tokenize.NAME}
    return set(re.findall(r"[A-Za-z_]\w*", NO_CODE.sub(" ", text)))


def words(name: str) -> set[str]:
    """Return a name, in small letters, and its words: of newFace_x also new, face and x."""
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)
    pairs = ["_".join(pair) for pair in pairwise(parts)]
    return {part.lower() for part in (*parts, *pairs)}


def test_words_of_a_name() -> None:
    assert words("scan_settle") == {"scan", "settle", "scan_settle"}
    assert "face" in words("NewFace2") and "face" not in words("interface_name")
    assert "bring_near" in words("tally_bring_near")


def test_names_have_none_of_the_ambiguous_words() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in sources()
        for name in sorted({path.stem, *names(path)} - PUBLIC)
        if any(AMBIGUOUS.fullmatch(word) for word in words(name))
    ]
    assert found == []

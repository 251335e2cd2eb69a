# SPDX-License-Identifier: Apache-2.0
"""Names, comments and docstrings have standard terms, not words that once stood for several things.

`keep` is not among the words: it is a public option's name (`keep_first`).
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
AMBIGUOUS = re.compile(
    r"settle[sd]?|settling|told|lend(?:s|ers?|ing)?|lent|faces?|trails?|bundles?|finders?"
    r"|bring_near|take_in",
    re.IGNORECASE,
)
ALLOWED = {
    "lend": "js/",  # memory, which the borrower gives back
    "lent": "js/",
    "bundle": "js/ tests/interop/",  # what esbuild makes
}
"""Words that are standard terms in some folders."""

CORE = {
    "mark": "core/unicode/ core/formats/unicode core/tests/",  # a combining mark
    "ring": "core/keyring/ core/policy/ core/include/tallystick/ core/tests/",  # of keys
}
"""Words that stand for one thing in the core, where they may; elsewhere they are plain English."""

LITERAL = r'"(?:\\.|[^"\\\n])*"|' + r"'(?:\\.|[^'\\\n])'|`[^`]*`"
COMMENT = r"/\*.*?\*/|//[^\n]*"
NO_CODE = re.compile(f"{COMMENT}|{LITERAL}", re.DOTALL)
SUFFIXES = {".c", ".cry", ".go", ".h", ".inc", ".py", ".rs", ".S", ".ts"}
FOLDERS = ["bench", "core", "cryptol", "demo", "embedded", "go", "integrations", "js", "python"]
FOLDERS += ["tests", "tools"]


def sources() -> Iterator[Path]:
    """Yield the files of source code, without those that a program writes for Go, and this one."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.*")):
            generated = path.parent.parent.name == "internal" and path.name.startswith("tallystick")
            if (
                path.suffix in SUFFIXES
                and not generated
                and not {"node_modules", "target"} & set(path.parts)
                and path != Path(__file__)
            ):
                yield path


def names(path: Path, text: str) -> set[str]:
    """Return the names in a file, without comments and strings."""
    if path.suffix == ".py":
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        return {token.string for token in tokens if token.type == tokenize.NAME}
    return set(re.findall(r"[A-Za-z_]\w*", NO_CODE.sub(" ", text)))


def comments(path: Path, text: str) -> Iterator[str]:
    """Yield the comments and docstrings of a file."""
    if path.suffix == ".py":
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        yield from (token.string for token in tokens if token.type == tokenize.COMMENT)
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                yield str(node.value.value)
    else:
        yield from (found[0] for found in NO_CODE.finditer(text) if found[0].startswith("/"))


def words(name: str) -> set[str]:
    """Return a name, in small letters, and its words: of newFace_x also new, face and x."""
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)
    pairs = ["_".join(pair) for pair in pairwise(parts)]
    return {part.lower() for part in (*parts, *pairs)}


def ambiguous(path: str, found: set[str]) -> set[str]:
    """Return those words of a file that are ambiguous there."""
    return {
        word
        for word in found
        if AMBIGUOUS.fullmatch(word) and not path.startswith(tuple(ALLOWED.get(word, "-").split()))
    }


def test_words_of_a_name() -> None:
    assert words("scan_settle") == {"scan", "settle", "scan_settle"}
    assert "face" in words("NewFace2") and "face" not in words("interface_name")
    assert "bring_near" in words("tally_bring_near")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", '"""It is told."""\nx = "lent"  # a face\n'),
        ("a.c", '/* It is told. */ char x[] = "lent", y = \'"\'; // a face\n'),
    ],
)
def test_comments_are_read_and_strings_are_not(name: str, text: str) -> None:
    found = {word for comment in comments(Path(name), text) for word in comment.split()}
    assert {"face", "told."} <= {word.strip('"') for word in found} and "lent" not in found
    assert "lent" not in names(Path(name), text) and "x" in names(Path(name), text)


def test_names_and_comments_have_none_of_the_ambiguous_words() -> None:
    found = []
    for path in sources():
        text, place = path.read_text("utf-8"), path.relative_to(ROOT).as_posix()
        if AMBIGUOUS.search(text) or AMBIGUOUS.search(path.stem):
            for name in sorted({path.stem, *names(path, text)}):
                found += [f"{place}: {name}" for _ in ambiguous(place, words(name))]
            for comment in comments(path, text):
                said = ambiguous(place, set(re.findall(r"[a-z]+", comment.lower())))
                found += [f"{place}: a comment with {word}" for word in said]
    assert found == []


def test_names_of_the_core_have_some_words_for_one_thing_alone() -> None:
    found = [
        f"{place}: {name}"
        for path in sources()
        if (place := path.relative_to(ROOT).as_posix()).startswith("core/")
        for name in sorted(names(path, path.read_text("utf-8")))
        for word, where in CORE.items()
        if {word, f"{word}s"} & words(name) and not place.startswith(tuple(where.split()))
    ]
    assert found == []

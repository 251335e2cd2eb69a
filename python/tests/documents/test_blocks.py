# SPDX-License-Identifier: Apache-2.0
"""Every block of code in the README and in docs/ is run or checked, or is marked as not run.

Tutorials and guides are run by test_tutorials.py, and the pages in `ELSEWHERE` by the tests named
there; all others here.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pages import CHECKOUT, DOCS, blocks, check, steps

ELSEWHERE = {
    "README.md": "documents/test_examples.py",
    "docs/reference/command-line.md": "documents/test_help.py",
    "docs/reference/frames.md": "frames/test_documents.py",
    "docs/reference/javascript.md": "../../js/test/pages.test.ts",
    "docs/reference/postgres.md": "../../tests/postgres/test_documents.py",
    "docs/reference/spark.md": "spark/test_document.py",
    "docs/reference/sql.md": "frames/test_documents.py",
    "docs/tutorials/pgcrypto.md": "../../tests/postgres/test_documents.py",
    "docs/tutorials/postgres.md": "../../tests/postgres/test_documents.py",
    "docs/tutorials/postgres-copies.md": "../../tests/postgres/test_documents.py",
    "docs/tutorials/duckdb.md": "../../tests/sql/test_tutorial.py",
    "docs/tutorials/token-server.md": "../../tests/programs/test_tutorials.py",
    "docs/tutorials/go-command.md": "../../tests/programs/test_tutorials.py",
    "docs/tutorials/openbao.md": "../../tests/openbao/test_tutorial.py",
    "docs/tutorials/root-key-in-transit.md": "../../tests/openbao/test_tutorial.py",
    "docs/tutorials/javascript.md": "../../js/test/pages.test.ts",
    "docs/tutorials/spark.md": "spark/test_tutorial.py",
}
PAGES = [CHECKOUT / "README.md", *sorted(DOCS.rglob("*.md"))]


def name_of(path: Path) -> str:
    return path.relative_to(CHECKOUT).as_posix()


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_page(path: Path, tmp_path: Path) -> None:
    if name_of(path) in ELSEWHERE or path.parent.name in ("tutorials", "how-to"):
        steps(path.read_text("utf-8"), strict=False)
    else:
        check(path, tmp_path, strict=False)


def test_the_pages_of_other_tests_are_theirs() -> None:
    for page, test in ELSEWHERE.items():
        assert (CHECKOUT / page).exists()
        assert Path(page).stem in (CHECKOUT / "python" / "tests" / test).read_text("utf-8")


@pytest.mark.parametrize(
    ("page", "language", "source", "begin"),
    [
        ("reference/c.md", "c", "core/tests/example.c", "#include"),
        ("how-to/use-the-c-library.md", "c", "tests/library/card.c", "#include"),
        ("how-to/use-the-c-library.md", "cpp", "tests/library/program.cpp", "#include"),
        ("how-to/use-the-c-library.md", "cmake", "tests/library/CMakeLists.txt", "cmake_minimum"),
        (
            "how-to/read-tokens-in-another-language.md",
            "go",
            "go/examples/readtokens/main.go",
            "package main",
        ),
    ],
)
def test_a_whole_program_is_the_tested_one(
    page: str, language: str, source: str, begin: str
) -> None:
    """`go test`, the tests of the core and those of tests/library run the file."""
    (block,) = blocks((DOCS / page).read_text("utf-8"), language)
    file = (CHECKOUT / source).read_text("utf-8")
    assert block == file[file.index(f"\n{begin}") + 1 :]

# SPDX-License-Identifier: Apache-2.0
"""What documents and sources point to is there: links, files, pages of docs/, targets of make."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
LISTED = subprocess.run(
    ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
    cwd=ROOT, capture_output=True, text=True, check=False,
).stdout.split("\n")  # fmt: skip
FILES = [name for name in LISTED if name and (ROOT / name).is_file()]
PAGES = [name for name in FILES if name.endswith(".md")]
TEXTS = (
    ".c",
    ".cry",
    ".go",
    ".h",
    ".in",
    ".md",
    ".py",
    ".S",
    ".toml",
    "Makefile",
    "CMakeLists.txt",
)

CODE = re.compile(r"`((?:[\w-]+/)*[\w-]+\.(?:c|circuit|cry|go|h|inc|rs|S|ts))`")
"""Names of source files in pages; NAME stands for any."""

pytestmark = pytest.mark.skipif(not PAGES, reason="a checkout of git is needed to list the files")


def lost(page: str, text: str) -> list[str]:
    """Return the links of a page that lead nowhere."""
    links = re.findall(r"\]\(([^)\s]+)\)", text)
    return [link for link in links if "://" not in link and not leads(ROOT / page, link)]


def leads(page: Path, link: str) -> bool:
    """Tell whether a link leads to a file and, if it says so, to a heading in it."""
    name, _, heading = link.partition("#")
    target = page.parent / name if name else page
    if not target.exists() or not heading:
        return target.exists()
    headings = re.findall(r"^#+ (.*)", target.read_text("utf-8"), re.MULTILINE)
    return heading in {re.sub(r"[^\w -]", "", each).lower().replace(" ", "-") for each in headings}


def missing_pages(text: str) -> list[str]:
    """Return the files of docs/ that a text names and that are not there."""
    named = re.findall(r"\bdocs/[\w/.-]*\w\.(?:md|svg|png|keys)\b", text)
    return [name for name in named if not (ROOT / name).exists()]


def missing_files(text: str) -> list[str]:
    """Return the paths in backquotes that begin with a folder of ours and are not there.

    NAME stands for any.
    """
    folders = "|".join(sorted({re.escape(name.split("/")[0]) for name in FILES if "/" in name}))
    named = re.findall(rf"`((?:{folders})/[\w/.*-]*)`", text)
    made = {"cryptol/SuiteB_FFI.so"}  # by make cryptol
    there = {name for name in named if any(ROOT.glob(name.replace("NAME", "*")))}
    return [name for name in named if name not in there | made]


def code(text: str) -> Iterator[str]:
    """Give the code of a page: what stands in backquotes, in fences, and indented."""
    yield from re.findall(r"(?<!`)`([^`\n]+)`(?!`)", text)
    for fenced in re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        yield from fenced.splitlines()
    yield from re.findall(r"^    (.*)", text, re.MULTILINE)


def missing_targets(text: str) -> list[str]:
    """Return what a page says to make and the Makefile does not."""
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = [match[1] for line in code(text) if (match := re.match(r"make ([a-z0-9-]+)", line))]
    return [name for name in named if name not in targets]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_points_to_what_is_there(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    assert not lost(page, text)
    assert not missing_files(text)
    assert not missing_targets(text)


def test_pages_that_are_named_are_there() -> None:
    found = {
        name: missing
        for name in FILES
        if name.endswith(TEXTS) and not name.startswith("vectors/")
        if (missing := missing_pages((ROOT / name).read_text("utf-8", "replace")))
    }
    assert not found


def test_what_is_not_there_is_found() -> None:
    assert lost("README.md", "[a](core/a.md) [b](LICENSE) [c](https://c.d/e)") == ["core/a.md"]
    assert lost("README.md", "[a](docs/reference/go.md#build) [b](docs/reference/go.md#no)") == [
        "docs/reference/go.md#no"
    ]
    assert missing_pages("docs/reference/command-line.md, {}/a.md".format("docs")) == [
        "/".join(("docs", "a.md"))
    ]
    assert missing_files("`core/aes/NAME.c`, `core/aes/b.c`, `other/b.c`") == ["core/aes/b.c"]
    assert missing_targets("make nothing, `make nobody`, `make test`") == ["nobody"]
    assert missing_targets("```sh\nmake nobody\n```\n\n    make lint\n") == ["nobody"]


def test_source_files_that_pages_name_exist() -> None:
    ends = {"/".join(name.split("/")[i:]) for name in FILES for i in range(name.count("/") + 1)}
    named = [
        (page, name)
        for page in PAGES
        if page != "CHANGELOG.md"  # which names files of its time
        for name in CODE.findall(re.sub("(?s)```.*?```", "", (ROOT / page).read_text("utf-8")))
        if "NAME" not in name and not name.startswith("build/")
    ]
    assert len(named) > 100
    assert [each for each in named if each[1] not in ends] == []


def test_the_tree_of_the_design_has_all_folders_of_the_core() -> None:
    page = (ROOT / "docs" / "explanation" / "design.md").read_text("utf-8")
    tree = page.split("\n## The tree\n", 1)[1].split("\n## ", 1)[0]
    listed = re.findall(r"^\| `core/([a-z0-9]+)/", tree, re.MULTILINE)
    assert set(listed) == {path.name for path in (ROOT / "core").iterdir() if path.is_dir()}

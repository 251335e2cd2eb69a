# SPDX-License-Identifier: Apache-2.0
"""A file depends only on parts that docs/explanation/design.md lists before its own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "python" / "tallystick"


def layers(heading: str) -> list[str]:
    """Return the parts that the page lists under a heading, the lowest first."""
    text = (ROOT / "docs" / "explanation" / "design.md").read_text("utf-8")
    section = text.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    items = re.findall(r"^\d+\. ((?:`[a-z_0-9.]+`(?:,\s+)?)+)", section, re.MULTILINE)
    return [name for item in items for name in re.findall(r"`([a-z_0-9]+)(?:\.py)?`", item)]


def core_layers() -> list[list[str]]:
    """Return the core's modules by layer, the lowest first."""
    text = (ROOT / "docs" / "explanation" / "design.md").read_text("utf-8")
    section = text.split("\n## Layers of the core\n", 1)[1].split("\n## ", 1)[0]
    return [
        re.findall(r"`([a-z0-9/]+)`", item) for item in re.findall(r"^\d+\. (.*)", section, re.M)
    ]


def imported(path: Path) -> Iterator[str]:
    """Yield the parts of the package that a file imports, other than for types alone."""
    here = ("tallystick", *path.relative_to(PACKAGE).parts[:-1])
    tree = ast.parse(path.read_text("utf-8"))
    for_types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and id(node) not in for_types:
            base = here[: len(here) + 1 - node.level] if node.level else ()
            names = [*base, *(node.module or "").split(".")] if node.module else [*base]
            if names == ["tallystick"]:
                yield from (alias.name for alias in node.names)
            elif names[0] == "tallystick":
                yield names[1]


def test_a_module_imports_only_the_layers_below_it() -> None:
    order = layers("Layers of the Python package")
    parts = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__"}
    parts |= {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert sorted(order) == sorted(parts)
    for path in sorted(PACKAGE.rglob("*.py")):
        part = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if part == "__init__":
            continue
        below = {*order[: order.index(part) + 1], "_core", "__version__"}
        assert not set(imported(path)) - below, path.relative_to(PACKAGE)


CORE = ROOT / "core"
PUBLIC = CORE / "include" / "tallystick"
SOURCES = sorted(
    path
    for path in CORE.rglob("*.[chS]")
    if path.relative_to(CORE).parts[0] not in {"include", "tests"}
)
HEADERS = {
    "arrow_c": "arrow",
    "dispersal": "sharing",
    "export": "base",
    "fast": "fast/lanes",
    "masked_aes": "masked",
    "masked_modes": "masked",
    "masked_random": "masked",
    "reed_solomon": "sharing",
    "shamir": "sharing",
    "shares": "sharing",
    "tallystick": "library",
}
"""The parts of public headers that are named otherwise. FAST's serves all three of its parts."""


def module(path: str) -> str:
    """Return the part of a file, such as fast/lanes for fast/lanes/avx2.c."""
    part = PurePosixPath(path)
    return (
        HEADERS.get(part.stem, part.stem) if part.parent.name == "tallystick" else str(part.parent)
    )


def includes(path: Path) -> list[str]:
    """Return the headers of the core that a file includes, in quotes or in angle brackets."""
    found = re.findall(r'^\s*#\s*include\s*["<]([^">]+)[">]', path.read_text("utf-8"), re.MULTILINE)
    return [header for header in found if "/" in header and not header.startswith("sys/")]


def test_a_file_of_the_core_includes_only_the_layers_below_it() -> None:
    order = core_layers()
    listed = [name for layer in order for name in layer]
    assert sorted(listed) == sorted({module(str(path.relative_to(CORE))) for path in SOURCES})
    level = {name: number for number, layer in enumerate(order) for name in layer}
    for path in [*SOURCES, *PUBLIC.glob("*.h")]:
        own = module(str(path.relative_to(CORE)))
        for header in includes(path):
            used = module(header)
            if used != own:
                assert level[used] < level[own], f"{path.relative_to(CORE)} includes {header}"


def test_no_headers_of_the_core_include_each_other_in_a_circle() -> None:
    graph = {str(path.relative_to(CORE)): includes(path) for path in SOURCES}
    graph |= {f"tallystick/{path.name}": includes(path) for path in PUBLIC.glob("*.h")}
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


STATIC = re.compile(r"^static (?:[\w*]+[ *]+)+?(?P<name>[a-z]\w*)\([^;{]*\)\n\{", re.MULTILINE)
DATA = re.compile(r"^static (?:\w+[ *]+)+(?P<name>\w+)(?=[\[;]| =)", re.MULTILINE)
MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(?P<name>\w+)", re.MULTILINE)
BODY = re.compile(r'^#include "[\w/]+/(\w+_body)\.h"', re.MULTILINE)


def own_words(path: Path) -> set[str]:
    """Return how names in a file may begin: as its folders, itself, or a body that it includes."""
    parts = [*path.relative_to(CORE).with_suffix("").parts, *BODY.findall(path.read_text("utf-8"))]
    return {word for part in parts for word in part.split("_")}


@pytest.mark.parametrize(
    ("pattern", "suffixes", "fewest"),
    [(STATIC, {".c"}, 500), (DATA, {".c", ".h"}, 100), (MACRO, {".c", ".h"}, 500)],
    ids=["functions", "data", "macros"],
)
def test_names_of_the_core_begin_with_their_file_or_module(
    pattern: re.Pattern[str], suffixes: set[str], fewest: int
) -> None:
    names = [
        (path, name)
        for path in SOURCES
        if path.suffix in suffixes
        for name in pattern.findall(path.read_text("utf-8"))
        if not name.startswith("_")  # a macro that asks the system's headers for more
    ]
    assert len(names) > fewest
    own = {path: {"tally", *own_words(path)} for path in SOURCES}
    found = [
        f"{path.relative_to(CORE)}: {name}"
        for path, name in names
        if name.lower().partition("_")[0] not in own[path]
    ]
    assert found == []

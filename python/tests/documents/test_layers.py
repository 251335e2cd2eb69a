# SPDX-License-Identifier: Apache-2.0
"""A file depends only on parts that docs/explanation/design.md lists before its own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "python" / "tallystick"


def layers(heading: str) -> list[str]:
    """Return the parts that the page lists under a heading, the lowest first."""
    text = (ROOT / "docs" / "explanation" / "design.md").read_text("utf-8")
    section = text.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    items = re.findall(r"^\d+\. ((?:`[a-z_0-9.]+`(?:,\s+)?)+)", section, re.MULTILINE)
    return [name for item in items for name in re.findall(r"`([a-z_0-9]+)(?:\.py)?`", item)]


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


def test_a_file_of_the_core_includes_only_the_layers_below_it() -> None:
    order = layers("Layers of the core")
    core = ROOT / "core"
    assert sorted(order) == sorted({path.parent.name for path in core.glob("*/*.c")} - {"tests"})
    for path in sorted(path for part in order for path in (core / part).glob("*.[chS]")):
        included = set(re.findall(r'#include "(\w+)/', path.read_text("utf-8")))
        below = {*order[: order.index(path.parent.name) + 1], "tallystick"}
        assert not included - below, path.relative_to(core)

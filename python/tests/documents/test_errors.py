# SPDX-License-Identifier: Apache-2.0
"""docs/reference/errors.md has every exit code, error, status and reason of the code."""

from __future__ import annotations

import pkgutil
import re
from importlib import import_module
from pathlib import Path

import pytest

import tallystick
from tallystick import errors
from tallystick.cli.errors import _CODES, ExitCode
from tallystick.errors import TallyError
from tallystick.formats import Reason

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "reference" / "errors.md").read_text("utf-8")


def section(heading: str) -> str:
    """Return the text under a heading, up to the next one of its level."""
    level = heading.split()[0]
    begin = PAGE.split(f"\n{heading}\n", 1)[1]
    return re.split(rf"\n#{{2,{len(level)}}} ", begin)[0]


def rows(heading: str) -> list[list[str]]:
    """Return the rows of the first table under a heading."""
    lines = section(heading).split("|---|", 1)[1].split("\n\n")[0].splitlines()[1:]
    return [[cell.strip() for cell in line[1:-1].split("|")] for line in lines]


def test_exit_codes() -> None:
    listed = {name: int(code.split(" + ")[0]) for code, name, *_ in rows(EXIT_CODES)}
    assert listed == {code.name: int(code) for code in ExitCode}
    assert all(len(cells) == 4 and cells[2] for cells in rows(EXIT_CODES))


EXIT_CODES = "## Exit codes of the command line"


def python_errors() -> dict[str, type[BaseException]]:
    """Return the errors and warnings of the package by name."""
    return {
        name: each
        for name, each in vars(errors).items()
        if isinstance(each, type) and issubclass(each, BaseException)
    }


def test_the_errors_of_python() -> None:
    listed = {cells[0].strip("`"): cells for cells in rows("## Python")}
    known = python_errors()
    assert set(listed) == {name for name in known if issubclass(known[name], TallyError)}
    for name, (_, bases, code, *_) in listed.items():
        assert [one.strip("`") for one in bases.split(", ")] == [
            base.__name__ for base in known[name].__bases__
        ]
        codes = [of for kind, of in _CODES if issubclass(known[name], kind)]
        assert int(code) == (codes or [ExitCode.INTERNAL])[0]
    for name in known:
        assert f"`{name}`" in section("## Python")


def test_the_errors_of_other_modules() -> None:
    """Those that the table does not have are not raised to users, or the text names them."""
    for module in pkgutil.walk_packages(tallystick.__path__, "tallystick."):
        if not module.name.endswith(("spark", ".litellm")) and ".spark." not in module.name:
            import_module(module.name)
    found: set[type] = set()
    todo: list[type] = [TallyError]
    while todo:
        heirs: list[type] = todo.pop().__subclasses__()
        found |= {*heirs}
        todo += heirs
    others = {
        each.__name__
        for each in found
        if each.__module__.startswith("tallystick.") and each.__module__ != "tallystick.errors"
    }
    named = {"InPlaceError", "RefusedError"}
    assert others - {"OutputError"} == named  # the command calls the first a FileError
    assert all(f"`{name}`" in section("## Python") for name in named)


@pytest.mark.parametrize(
    "name", ["InvalidValueError", "ShareError", "NotEnoughSharesError", "ShareTextError"]
)
def test_the_attributes_of_errors(name: str) -> None:
    text = re.findall(
        r"^\| (.*) \| `(\w+)` \|", section("## Python").split("| attribute |")[1], re.M
    )
    listed = {one for names, of in text if of == name for one in re.findall(r"`(\w+)`", names)}
    documented = (getattr(errors, name).__doc__ or "").split("----------")[1]
    assert listed == set(re.findall(r"^ {4}(\w+) : ", documented, re.MULTILINE))


PACKAGES = [
    "fast",
    "fast/gofast",
    "ff1",
    "policy",
    "keyring",
    "reveals",
    "shamir",
    "hazmat/shamir",
    "text",
]


@pytest.mark.parametrize("package", PACKAGES)
def test_the_errors_of_go(package: str) -> None:
    sources = [
        path.read_text("utf-8")
        for path in (ROOT / "go" / package).glob("*.go")
        if not path.name.endswith("_test.go")
    ]
    declared = {
        name
        for text in sources
        for name in re.findall(r"^(?:\t|var )(Err[A-Z]\w*)\s[^\n]*=", text, re.MULTILINE)
    }
    assert {cells[0].strip("`") for cells in rows(f"### go/{package}")} == declared
    kinds = {
        name for text in sources for name in re.findall(r"^type (\w+Error) struct", text, re.M)
    }
    assert {name for name in kinds if f"`{name}`" not in section(f"### go/{package}")} == set()


def test_go_has_no_other_package_with_errors() -> None:
    found = {
        str(path.parent.relative_to(ROOT / "go"))
        for path in (ROOT / "go").rglob("*.go")
        if not path.name.endswith("_test.go")
        and re.search(r"^(?:\t|var )Err[A-Z]\w* .*=", path.read_text("utf-8"), re.MULTILINE)
    }
    public = {
        name for name in found if not name.startswith(("internal", "examples", "tools", "cmd"))
    }
    assert public == set(PACKAGES)


def test_the_statuses_of_c() -> None:
    declared: dict[str, tuple[str, str]] = {}
    for header in (ROOT / "core" / "include" / "tallystick").glob("*.h"):
        for name, number in re.findall(
            r"\b(TALLY_OK|TALLY_ERROR_\w+) = (\d+)", header.read_text("utf-8")
        ):
            declared[name] = (number, header.name)
    assert {cells[0].strip("`") for cells in rows("## C")} == {*declared}
    reference = (ROOT / "docs" / "reference" / "c.md").read_text("utf-8")
    listed = re.findall(r"^\| `(TALLY_\w+)` \| (\d+) \| (\w+\.h) \|", reference, re.MULTILINE)
    assert {name: (number, header) for name, number, header in listed} == declared


def test_the_reasons() -> None:
    listed = rows("## Reasons why a value is invalid")
    assert {cells[0].strip("`"): cells[2] for cells in listed} == {
        reason.name.lower(): reason.value for reason in Reason
    }
    source = (ROOT / "go" / "fast" / "errors.go").read_text("utf-8")
    (names,) = re.findall(r"^const \(\n(\tFits.*?)^\)", source, re.MULTILINE | re.DOTALL)
    declared = re.findall(r"^\t(\w+)", names, re.MULTILINE)[1:]
    assert [cells[1].strip("`") for cells in listed if cells[1]] == declared

# SPDX-License-Identifier: Apache-2.0
"""``tallystick text scan``: find sensitive values in text, and fail a pipeline with findings."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from tallystick.atomic import file_errors
from tallystick.cli.errors import ExitCode
from tallystick.cli.options import Json, Quiet
from tallystick.cli.output import print_colored, print_json, say
from tallystick.cli.text_filter import breakdown, opened, read_part
from tallystick.counting import counted
from tallystick.errors import FileError, ParameterError
from tallystick.reading import read_small
from tallystick.scanning import CERTAINTIES, KINDS, MAX_FINDING, Certainty, Finding, Kind, Scanner

_CHUNK = 1 << 20
_KEPT = 4 * MAX_FINDING
"""Bytes before the end of what was read that may be before a finding that is still to come."""

LIST_BYTES = 1 << 24
"""Bytes of a file of terms, at most."""

_COLORS = {"strong": 31, "fair": 33, "weak": 36}

Place = tuple[Finding, int, int]
"""A finding with its line and column, both from 1; columns are bytes."""


class _Lines:
    """Counts lines up to each finding, with the last bytes of a text in memory."""

    def __init__(self) -> None:
        self._kept = bytearray()
        self._start = 0  # of what is kept
        self._line = 1
        self._line_start = 0

    def add(self, piece: bytes) -> None:
        self._kept += piece

    def places(self, findings: list[Finding]) -> Iterator[Place]:
        for one in findings:
            self._pass(one.start)
            yield one, self._line, one.start - self._line_start + 1
        self._pass(max(self._start, self._start + len(self._kept) - _KEPT))

    def _pass(self, offset: int) -> None:
        size = offset - self._start
        newlines = self._kept.count(b"\n", 0, size)
        if newlines:
            self._line += newlines
            self._line_start = self._start + self._kept.rindex(b"\n", 0, size) + 1
        del self._kept[:size]
        self._start = offset


def _places(scanner: Scanner, source: str) -> Iterator[Place]:
    lines = _Lines()
    with opened(source) as file:
        while piece := read_part(file, source, _CHUNK):
            lines.add(piece)
            yield from lines.places(scanner.feed(piece))
    yield from lines.places(scanner.finish())


def _named(options: list[str] | None, option: str) -> dict[str, str]:
    """Read NAME=TEXT of an option that may be repeated."""
    result: dict[str, str] = {}
    for one in options or []:
        name, equals, text = one.partition("=")
        if not (name and equals and text):
            raise ParameterError(f"{option} takes NAME=..., such as {option} invoices=...")
        if name in result:
            raise ParameterError(f"{option} {name} is there twice; choose another name")
        result[name] = text
    return result


def _terms(path: Path) -> list[str]:
    with file_errors(path):
        data = read_small(path, LIST_BYTES)
    if len(data) > LIST_BYTES:
        raise FileError(f"{path}: a list has at most 16 MiB")
    try:
        lines = data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise FileError(f"{path}: a list is UTF-8, a term on each line") from None
    return [line.strip() for line in lines if line.strip()]


def _chosen(kinds: list[str] | None) -> list[Kind] | None:
    for kind in kinds or []:
        if kind not in KINDS:
            raise ParameterError(f"--kind {kind} is unknown; kinds are {', '.join(KINDS)}")
    return [kind for kind in KINDS if kind in kinds] if kinds else None


def _least(least: str) -> Certainty:
    for one in CERTAINTIES:
        if one == least:
            return one
    raise ParameterError("--least is weak, fair or strong")


def scan(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SOURCE...",
            help="Files of text. Without one, or with -, standard input is read.",
            show_default=False,
        ),
    ] = None,
    kinds: Annotated[
        list[str] | None,
        typer.Option("--kind", help="Find this kind alone, such as card. Repeat it for several."),
    ] = None,
    least: Annotated[
        str, typer.Option("--least", help="How certain findings are at least: weak, fair, strong.")
    ] = "fair",
    lists: Annotated[
        list[str] | None,
        typer.Option("--list", help="Find the terms of a file too: NAME=FILE, a term a line."),
    ] = None,
    patterns: Annotated[
        list[str] | None,
        typer.Option("--pattern", help="Find a pattern too, such as invoices=INV-[0-9]{6}."),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Find sensitive values in text. Shows no value. The exit code is 8 if there is a finding."""
    rules = {name: _terms(Path(path)) for name, path in _named(lists, "--list").items()}
    scanner = Scanner(
        kinds=_chosen(kinds),
        least=_least(least),
        lists=rules,
        patterns=_named(patterns, "--pattern"),
    )
    counts: Counter[str] = Counter()
    described: list[dict[str, object]] = []
    for source in sources or ["-"]:
        for one, line, column in _places(scanner, source):
            counts[one.kind] += 1
            if as_json:
                described.append(_described(source, one, line, column))
            else:
                print_colored(
                    f"{source}:{line}:{column}: {one.rule}, {counted(one.length, 'byte')}, ",
                    one.certainty,
                    _COLORS[one.certainty],
                )
    if as_json:
        print_json({"command": "text scan", "findings": described})
    elif not quiet:
        say(counted(counts.total(), "finding") + breakdown(counts))
    return ExitCode.FOUND if counts else ExitCode.OK


def _described(source: str, one: Finding, line: int, column: int) -> dict[str, object]:
    return {
        "source": source,
        "line": line,
        "column": column,
        "offset": one.start,
        "bytes": one.length,
        "kind": one.kind,
        "rule": one.rule,
        "certainty": one.certainty,
    }

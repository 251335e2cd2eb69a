# SPDX-License-Identifier: Apache-2.0
"""One file or many: which sources become which targets, and one run for each."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from tallystick.atomic import check_target, file_errors
from tallystick.cli.data_options import DataOptions, source_of, target_of
from tallystick.cli.output import say
from tallystick.counting import counted
from tallystick.errors import FileError, ParameterError
from tallystick.files import FileKind, Place, kind_of

if TYPE_CHECKING:
    from tallystick.protection import RunReport

_SHOWN = 5
"""Names that a message lists, at most."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A source and what is made of it; `overwrite`: whether a target that exists is replaced."""

    source: Place
    target: Place
    overwrite: bool


@dataclass(slots=True)
class Plan:
    """What a command does."""

    pairs: list[Pair]  # the runs, in their order
    to: Path | None = None
    """The folder of the targets; None: there is one run, whose target was named."""
    skipped: list[Path] = field(default_factory=list)  # sources that are done already
    unknown: list[Path] = field(default_factory=list)  # files in folders that are of no known kind
    linked: list[Path] = field(default_factory=list)  # links in folders to other folders
    columns: dict[str, None] = field(default_factory=dict)
    """Columns whose values are in names of folders, such as ``city=Vienna``, and so of targets."""


def plan_of(names: Sequence[str], options: DataOptions) -> Plan:
    """Return the runs that the arguments ask for.

    `names`: SOURCE and TARGET; with --to all of them are sources, files or folders.
    Raises `ParameterError`: the arguments do not go together. `FileError`: a source is not there, a
    target exists, or two sources would have one target.
    """
    to = options.to
    if to is None:
        if options.resume:
            raise ParameterError(
                "--resume needs --to; a single file is complete, or it is not there"
            )
        if len(names) != 2:
            raise ParameterError("pass SOURCE and TARGET, or sources and --to FOLDER")
        target = target_of(names[1], as_json=options.as_json)
        return Plan([Pair(source_of(names[0]), target, options.overwrite)])
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+:/", str(to)):
        raise ParameterError("--to takes a local folder; pass an address as TARGET")
    if options.report is not None:
        raise ParameterError("--report covers one file; leave it out with --to")
    plan = Plan([], to)
    made: dict[Path, Path] = {}
    for name in names:
        root = source_of(name)
        if not isinstance(root, Path):
            raise ParameterError(
                f"{root}: --to takes local files and folders; pass SOURCE and TARGET instead"
            )
        for source, place in _files(root, to, options.kind, plan):
            if place in made:
                raise FileError(
                    f"{made[place]} and {source} would have the same target {place}; rename one"
                )
            made[place] = source
            _add(plan, source, place, options)
    if not made:
        raise FileError(f"{', '.join(names)}: no file of a known type there")
    return plan


def run_plan(
    command: str, plan: Plan, run: Callable[[Pair], RunReport], *, private: bool, quiet: bool
) -> None:
    """Do all runs, one after another, and say how far they came; an error ends them."""
    if plan.to is None:
        run(plan.pairs[0])
        return
    for out, what, kind in (
        (plan.unknown, "file", "of unknown type"),
        (plan.linked, "link", "to a folder"),
    ):
        if out:
            shown = ", ".join(map(str, out[:_SHOWN])) + ", ..." * (len(out) > _SHOWN)
            say(f"warning: skipped {counted(len(out), what)} {kind}: {shown}")
    start, rows, done = time.perf_counter(), 0, 0
    try:
        for pair in plan.pairs:
            if isinstance(pair.target, Path):
                with file_errors(pair.target.parent):
                    _make(pair.target.parent, 0o700 if private else 0o777)
            rows += run(pair).rows
            done += 1
    except BaseException:
        say(
            f"{command}: stopped at {pair.source}: {done} of "
            f"{counted(len(plan.pairs), 'file')} done; fix the error, then run again with "
            "--resume"
        )
        raise
    if not quiet:
        skipped = f", {len(plan.skipped)} done before" if plan.skipped else ""
        say(
            f"{command}: {counted(done, 'file')}{skipped}, {counted(rows, 'row')} in "
            f"{time.perf_counter() - start:.2f} s: {plan.to}"
        )


def _files(root: Path, to: Path, kind: FileKind | None, plan: Plan) -> list[tuple[Path, Path]]:
    """Return the files that a source stands for, each with its target."""
    from tallystick.files.places import MARKER_SUFFIX
    from tallystick.files.run import kind_of_source

    if not root.is_dir():
        with file_errors(root):
            root.stat()
        kind_of_source(root, kind)
        return [(root, to / root.name)]
    if os.path.realpath(root) == os.path.realpath(to):
        raise FileError(f"{to}: is the source too; choose another folder")
    found: list[tuple[Path, Path]] = []

    def fail(error: OSError) -> None:
        raise error

    with file_errors(root):
        for folder, folders, files in os.walk(root, onerror=fail):
            here = Path(folder)
            folders[:] = sorted(
                name for name in folders if os.path.realpath(here / name) != os.path.realpath(to)
            )
            plan.linked += [here / name for name in folders if (here / name).is_symlink()]
            for name in sorted(files):
                path = here / name
                if name.endswith((MARKER_SUFFIX, ".part")) and (
                    name[0] == "." or MARKER_SUFFIX in name
                ):
                    continue  # ours, and no data
                its = kind_of(path)
                if its is None:
                    plan.unknown.append(path)
                elif kind in (None, its):
                    below = path.relative_to(root)
                    found.append((path, to / below))
                    pairs = (each.partition("=") for each in below.parent.parts)
                    plan.columns.update((unquote(one), None) for one, mark, _ in pairs if mark)
    return found


def _add(plan: Plan, source: Path, target: Path, options: DataOptions) -> None:
    overwrite = options.overwrite
    if options.resume:
        with file_errors(source), suppress(FileNotFoundError):
            made = target.stat()
            if source.stat().st_mtime_ns <= made.st_mtime_ns:
                plan.skipped.append(source)
                return
            overwrite = True
    check_target(target, overwrite=overwrite)
    plan.pairs.append(Pair(source, target, overwrite))


def _make(folder: Path, mode: int) -> None:
    """Make a folder and those that it lies in, all of one mode."""
    for each in reversed([folder, *folder.parents]):
        with suppress(FileExistsError):
            if not each.is_dir():
                each.mkdir(mode)

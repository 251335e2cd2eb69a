# SPDX-License-Identifier: Apache-2.0
"""``tallystick share``: split secrets and files, recover them, and look at shares."""

from __future__ import annotations

import datetime
import io
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, BinaryIO, cast

import typer
from rich.table import Table
from rich.text import Text

from tallystick import shares
from tallystick.atomic import check_target, complete_file, complete_files, file_errors
from tallystick.cli.errors import ExitCode
from tallystick.cli.group import group
from tallystick.cli.options import Json, Overwrite, Quiet
from tallystick.cli.output import (
    plain,
    print_bytes,
    print_json,
    print_line,
    print_table,
    say,
)
from tallystick.cli.progress import progress_bar
from tallystick.errors import FileError, ParameterError, ShareError
from tallystick.keyring.gather import LABEL
from tallystick.memory import wipe
from tallystick.prompt import ask_hidden
from tallystick.shares import Combined, Recovered, Share, Verdict, printed
from tallystick.shares.authentic import check_params, set_name
from tallystick.shares.found import Given, load

app = group("Split a secret or a file among people, so that any few of them recover it.")

PRINTED = 1024
"""Bytes of the largest secret that becomes printed shares unless it is said otherwise."""


class Form(StrEnum):
    """What shares are written as."""

    AUTO = "auto"
    TEXT = "text"
    BINARY = "binary"


Shares = Annotated[
    list[Path] | None,
    typer.Argument(readable=False, help="Files of shares, printed or not.", metavar="SHARE"),
]
SetId = Annotated[
    str | None, typer.Option("--set", help="The set that is wanted, if there are several.")
]


@app.command()
def split(
    count: Annotated[int, typer.Option("--shares", "-n", help="How many shares to make.")],
    threshold: Annotated[
        int, typer.Option("--threshold", "-t", help="How many of them recover it.")
    ],
    source: Annotated[
        Path | None,
        typer.Argument(
            readable=False,
            help="The file to split; - is standard input, byte for byte.",
            metavar="FILE",
        ),
    ] = None,
    prompt: Annotated[
        bool, typer.Option("--prompt", help="Ask for the secret, twice, without showing it.")
    ] = False,
    label: Annotated[str, typer.Option(help="What it is; every share shows it.")] = "",
    holder: Annotated[
        list[str] | None,
        typer.Option("--holder", help="Who gets a share; once for each, in order."),
    ] = None,
    into: Annotated[Path, typer.Option(readable=False, help="The folder for the shares.")] = Path(),
    name: Annotated[
        str | None, typer.Option(help="How their names begin.", show_default="the source's name")
    ] = None,
    form: Annotated[
        Form, typer.Option(help=f"auto: text up to {PRINTED} bytes, else binary.")
    ] = Form.AUTO,
    qr: Annotated[
        bool, typer.Option("--qr", help="Write each printed share as a QR code too (PNG).")
    ] = False,
    overwrite: Overwrite = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Split a secret or a file. Small ones become text to print, others are dispersed."""
    holders = _holders(holder, count)
    if (source is None) != prompt:
        raise ParameterError("give a file, - for standard input, or --prompt; and one of them")
    check_params(count, threshold, label)
    begins = name or (source.name if source is not None and source.name != "-" else "secret")
    if prompt:
        suffixes = [".share"] if form is Form.BINARY else [".txt", ".png"] if qr else [".txt"]
        for suffix in suffixes:
            _check_targets(_paths(into, begins, count, suffix), overwrite=overwrite)
    with _stream(source) as stream:
        if stream is None:
            beginning = _asked()
        else:
            with file_errors("standard input" if str(source) == "-" else str(source)):
                beginning = bytearray(stream.read(PRINTED + 1))
        try:
            small = len(beginning) <= PRINTED
            if form is Form.TEXT and not small:
                raise ParameterError(
                    f"printed shares are for secrets of at most {PRINTED} bytes; use --form binary"
                )
            if form is Form.TEXT or (form is Form.AUTO and small):
                if not beginning:
                    raise ParameterError("the secret is empty; there is nothing to split")
                made = shares.split(beginning, shares=count, threshold=threshold, label=label)
                paths = _paths(into, begins, count, ".txt")
                _write_printed(made, paths, holders, qr=qr, overwrite=overwrite)
                set_id = shares.read(made[0]).set_id
            else:
                if qr:
                    raise ParameterError("a QR code holds printed shares alone; leave out --qr")
                paths = _paths(into, begins, count, ".share")
                whole = _Joined(beginning, stream or io.BytesIO())
                with _progress("split", quiet=quiet or as_json) as progress:
                    set_id = shares.disperse(
                        cast(BinaryIO, whole),
                        paths,
                        threshold=threshold,
                        label=label,
                        overwrite=overwrite,
                        progress=progress,
                    )
        finally:
            wipe(beginning)
    if as_json:
        files = [str(path) for path in paths]
        print_json({"set": set_id, "threshold": threshold, "shares": files, "holders": holders})
    elif not quiet:
        for number, path in enumerate(paths):
            whose = f" for {holders[number]}" if holders else ""
            code = f", and {path.with_suffix('.png').name}" if qr else ""
            print_line(f"share {number + 1} of {count}{whose}: {path}{code}")
        print_line(f"set {set_id}: any {threshold} recover it; fewer reveal nothing but its size")
        print_line(
            "Try them with `tallystick share verify`, give each holder one, and then leave none of "
            "the files where they are."
        )


@app.command()
def combine(
    given: Shares = None,
    target: Annotated[
        str | None, typer.Option("--to", help="The file to write, mode 0600; - is standard output.")
    ] = None,
    show: Annotated[bool, typer.Option("--show", help="Let - be a terminal.")] = False,
    set_id: SetId = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Recover what was split. Without files, printed shares are asked for one after another."""
    if target is None:
        raise ParameterError("say where to with --to FILE, or --to - for standard output")
    if target == "-" and as_json:
        raise ParameterError("standard output can't take both the secret and JSON; give a file")
    if target == "-" and sys.stdout.isatty() and not show:
        raise ParameterError(
            "standard output is a terminal, where others may read along; give --to FILE, or --show"
        )
    if target != "-":
        _check_targets([Path(target)], overwrite=overwrite)
    wanted = None if set_id is None else set_name(set_id).hex()
    found = load(given) if given else _typed(wanted)
    looked, error = shares.check(found.data, set_id=set_id)
    _tell_refused(found, looked)
    if error is not None:
        raise error
    # Of the set that is recovered: shares of others beside it may be of another kind.
    share = cast(Share, looked.share)
    if share.kind == "file":
        if target == "-":
            raise ParameterError("a dispersed file is recovered into a file; give --to FILE")
        with _progress("combine", quiet=quiet or as_json) as progress:
            recovered = shares.recover(
                found.paths,
                Path(target),
                set_id=share.set_id,
                overwrite=overwrite,
                progress=progress,
            )
        _tell_recovered(found, looked, recovered, target, as_json=as_json, quiet=quiet)
        return
    if share.label.startswith(LABEL):
        say(
            "warning: these are shares of a key ring's root key, written as it is: whoever "
            "reads it opens the ring alone; `--root shares:...` opens it without that"
        )
    secret = shares.combine(found.data, set_id=share.set_id).secret
    try:
        if target == "-":
            print_bytes(secret)
        else:
            with (
                file_errors(target),
                complete_file(Path(target), private=True, overwrite=overwrite) as output,
            ):
                output.write(secret)
    finally:
        wipe(secret)
    if as_json:
        print_json({"target": target, **_described(found, looked)})
    elif not quiet:
        where = "standard output" if target == "-" else target
        say(f"recovered {_about(share)}: {where}")


@app.command()
def verify(
    given: Shares = None, set_id: SetId = None, as_json: Json = False, quiet: Quiet = False
) -> None:
    """Check shares without giving out what they share. One alone is checked by itself."""
    found = load(given or [])
    if not found.paths:
        raise ParameterError("give the files of the shares to look at")
    damaged: dict[int, int] = {}
    looked, error = shares.check(found.data, set_id=set_id)
    # The parts of a dispersed file can be checked with its key alone, so with enough shares.
    is_file = looked.share is not None and looked.share.kind == "file"
    parts_checked = is_file and error is None
    if parts_checked and looked.share is not None:
        wanted = looked.share.set_id
        with _progress("verify", quiet=quiet or as_json) as progress:
            damaged = shares.verify(found.paths, set_id=wanted, progress=progress).damaged
    alone = len(found.paths) == 1 and looked.good == 1
    bad = any(v is not Verdict.GOOD for v in looked.verdicts) or any(damaged.values())
    if as_json:
        print_json(
            {
                **_described(found, looked),
                "state": "enough" if error is None else str(error),
                "parts_checked": parts_checked,
                "damaged_parts": damaged,
                "alone": alone,
            }
        )
        if bad or (error is not None and not alone):
            raise typer.Exit(ExitCode.SHARES)  # the result says why: it is the only object
    else:
        print_table(_table(found, looked, damaged))
        if looked.share is not None and not quiet:
            enough = "enough to recover it" if error is None else "not enough to recover it"
            print_line(f"{_about(looked.share)}: {looked.good} good, {enough}")
        if is_file and not parts_checked and looked.share is not None:
            say(
                "warning: only the beginnings were checked; with enough shares, "
                f"{looked.share.threshold}, all parts of each are"
            )
    if bad:
        raise ShareError("not all of these shares are good")
    if error is not None and not alone:
        raise error


@app.command()
def info(
    share: Annotated[
        Path, typer.Argument(readable=False, help="The file of a share.", metavar="SHARE")
    ],
    as_json: Json = False,
) -> None:
    """Check that a share is intact, and say what it says of itself."""
    found = load([share])
    if found.problems[0]:
        raise ShareError(f"{share}: {found.problems[0]}")
    read = shares.read(found.data[0])
    described = {
        "set": read.set_id,
        "index": read.index,
        "threshold": read.threshold,
        "shares": read.count,
        "label": read.label,
        "kind": read.kind,
        "bytes": read.secret_size if read.kind == "secret" else None,
    }
    if as_json:
        print_json(described)
        return
    what = f"a secret of {read.secret_size} bytes" if read.kind == "secret" else "a dispersed file"
    for line in (
        f"share {read.index} of {read.count} of {what}; any {read.threshold} recover it",
        f"label: {read.label}",
        f"set:   {read.set_id}",
    ):
        print_line(line)


def _holders(names: list[str] | None, count: int) -> list[str]:
    given = names or []
    if given and len(given) != count:
        raise ParameterError(
            f"--holder is given {len(given)} times for {count} shares; give it once for each, or "
            "leave it out"
        )
    for name in given:
        if not name.isprintable() or not name.strip():
            raise ParameterError("a holder's name is one line of printable characters")
    return given


def _asked() -> bytearray:
    try:
        first = ask_hidden("Secret: ")
        again = ask_hidden("The same again: ")
    except EOFError:
        raise ShareError(
            "no secret was typed at a terminal; run it in one, or split a file or standard "
            "input (-)"
        ) from None
    if again != first:
        raise ShareError("the two differ; try again")
    return bytearray(first.encode())


def _check_targets(paths: Sequence[Path], *, overwrite: bool) -> None:
    """Refuse what can't be written before anybody types a secret or shares in vain."""
    for path in paths:
        check_target(path, overwrite=overwrite)
        if not os.access(path.parent, os.W_OK):
            raise FileError(f"{path}: can't write to its folder; make it, or give another one")


@contextmanager
def _stream(source: Path | None) -> Iterator[BinaryIO | None]:
    if source is None:
        yield None
    elif str(source) == "-":
        yield sys.stdin.buffer
    else:
        try:
            file = source.open("rb")
        except OSError as error:
            raise FileError(f"{source}: can't be read: {error.strerror}") from error
        with file:
            yield file


class _Joined(io.RawIOBase):
    """What was read of a stream already, then the rest of it."""

    def __init__(self, beginning: bytearray, rest: BinaryIO) -> None:
        self._beginning, self._rest = io.BytesIO(beginning), rest

    @property
    def name(self) -> str:
        return self._rest.name

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._rest.fileno()

    def readinto(self, into: memoryview) -> int:  # type: ignore[override]
        return self._beginning.readinto(into) or self._rest.readinto(into)  # type: ignore[attr-defined]


def _paths(into: Path, name: str, count: int, suffix: str) -> list[Path]:
    if not re.fullmatch(r"[^/\\\0]+", name) or not name.isprintable():
        raise ParameterError("--name is the beginning of a file's name, without a folder")
    if not os.path.isdir(into):
        raise FileError(f"{into}: no such folder; make it first")
    width = len(str(count))
    return [into / f"{name}-{n:0{width}}-of-{count}{suffix}" for n in range(1, count + 1)]


def _write_printed(
    made: Sequence[bytes], paths: Sequence[Path], holders: list[str], *, qr: bool, overwrite: bool
) -> None:
    """Write all printed shares, or none."""
    today = f"{datetime.datetime.now(tz=datetime.UTC):%Y-%m-%d}"
    texts = []
    for number, data in enumerate(made):
        share = shares.read(data)
        whose = f", for {holders[number]}" if holders else ""
        remarks = [
            *([share.label] if share.label else []),
            f"share {share.index} of {share.count}{whose}; any {share.threshold} recover it",
            f"set {share.set_id[:8]}, made {today}",
            "Secret. Keep it apart from other shares.",
        ]
        texts.append(printed.encode(data, remarks))
    codes = [path.with_suffix(".png") for path in paths] if qr else []
    with (
        file_errors(paths[0].parent),
        complete_files([*paths, *codes], private=True, overwrite=overwrite) as files,
    ):
        for text, file in zip(texts, files[: len(paths)], strict=True):
            file.write(text.encode())
        if qr:
            from tallystick.shares.qr import save_png  # the only part that needs segno

            for text, file in zip(texts, files[len(paths) :], strict=True):
                save_png(text, file)


def _typed(wanted: str | None) -> Given:
    """Ask for printed shares until there are enough of one set: the one that is wanted, if any."""
    from tallystick.shares.typed import controlling_terminal, read_share

    given = Given()
    with controlling_terminal() as terminal:
        terminal.tell("type a share as it is printed, line by line (Ctrl-D ends it)")
        while True:
            try:
                data = read_share(terminal)
            except EOFError:
                return given
            try:
                share = shares.read(data)
            except ShareError as error:
                terminal.tell(f"refused: {error}")
                continue
            if share.kind == "file":
                terminal.tell(
                    f"refused: share {share.index} is of a dispersed file; give the files of shares"
                )
                continue
            if wanted is not None and share.set_id != wanted:
                terminal.tell(
                    f"refused: share {share.index} is of set {share.set_id[:8]}, and set "
                    f"{wanted[:8]} is wanted"
                )
                continue
            if given.has(share):
                terminal.tell(f"share {share.index} of set {share.set_id[:8]} was given already")
                continue
            given.add(Path(f"typed share {len(given.paths) + 1}"), data, share, "")
            good = sum(s is not None and s.set_id == share.set_id for s in given.shares)
            more = share.threshold - good
            terminal.tell(
                f"share {share.index} is good, of {_about(share)}; "
                f"{'that is enough' if more <= 0 else f'{more} more needed'}"
            )
            if more <= 0:
                return given


def _about(share: Share) -> str:
    label = f" ({share.label})" if share.label else ""
    return f"set {share.set_id[:8]}{label}, {share.threshold} of {share.count}"


def _tell_refused(found: Given, looked: Combined) -> None:
    for place, verdict in enumerate(looked.verdicts):
        if verdict is not Verdict.GOOD:
            share = found.shares[place]
            index = f"share {share.index}: " if share else ""
            why = found.problems[place] or verdict.value
            say(f"refused {found.paths[place]}: {index}{why}")


def _tell_recovered(
    found: Given,
    looked: Combined,
    recovered: Recovered,
    target: str,
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    for index, count in recovered.damaged.items():
        if count:
            say(f"warning: share {index}: {count} of {recovered.stripes} parts damaged; replaced")
    if as_json:
        print_json(
            {
                "target": target,
                "size": recovered.size,
                "damaged_parts": recovered.damaged,
                **_described(found, looked),
            }
        )
    elif not quiet and recovered.found.share is not None:
        about = _about(recovered.found.share)
        say(f"recovered {about}, {recovered.size:,} bytes: {target}")


def _table(found: Given, looked: Combined, damaged: Mapping[int, int]) -> Table:
    table = Table("share", "index", "set", "verdict")
    for place, (path, share) in enumerate(zip(found.paths, found.shares, strict=True)):
        good = looked.verdicts[place] is Verdict.GOOD
        parts = damaged.get(share.index, 0) if share is not None and good else 0
        verdict = found.problems[place] or looked.verdicts[place].value
        table.add_row(
            Text(plain(str(path))),
            str(share.index) if share else "",
            share.set_id[:8] if share else "",
            Text(f"damaged parts: {parts}" if parts else verdict),
        )
    return table


def _described(found: Given, looked: Combined) -> dict[str, object]:
    return {
        "set": looked.share.set_id if looked.share else None,
        "label": looked.share.label if looked.share else None,
        "threshold": looked.share.threshold if looked.share else None,
        "good": looked.good,
        "shares": [
            {
                "file": str(path),
                "index": share.index if share else None,
                "verdict": verdict.name.lower(),
                "problem": problem or None,
            }
            for path, share, verdict, problem in zip(
                found.paths, found.shares, looked.verdicts, found.problems, strict=True
            )
        ],
    }


@contextmanager
def _progress(what: str, *, quiet: bool) -> Iterator[shares.Progress | None]:
    with progress_bar(what, "bytes", quiet=quiet) as bar:
        yield None if bar is None else (lambda done: bar(done, 0))

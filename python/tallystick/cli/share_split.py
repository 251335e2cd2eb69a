# SPDX-License-Identifier: Apache-2.0
"""``tallystick share split``: split a secret or a file among people."""

import datetime
import io
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import Annotated, BinaryIO, cast

import typer

from tallystick import shares
from tallystick.atomic import check_targets, file_errors, write_files
from tallystick.cli.options import Json, Overwrite, Quiet
from tallystick.cli.output import print_json, print_line
from tallystick.cli.progress import bytes_bar
from tallystick.counting import counted
from tallystick.errors import FileError, ParameterError, ShareError
from tallystick.memory import wipe
from tallystick.prompt import ask_hidden
from tallystick.shares import printed
from tallystick.shares.authentic import check_params

PRINTED = 1024
"""Bytes of the largest secret that becomes printed shares unless it is said otherwise."""


class Form(StrEnum):
    """How shares are written."""

    AUTO = "auto"
    TEXT = "text"
    BINARY = "binary"


def split(
    count: Annotated[int, typer.Option("--shares", help="The number of shares.")],
    threshold: Annotated[
        int, typer.Option("--threshold", help="The number of shares that recover the secret.")
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
    label: Annotated[str, typer.Option(help="A description; every share shows it.")] = "",
    holder: Annotated[
        list[str] | None,
        typer.Option(
            "--holder", help="A holder of a share. Repeat the option for each holder, in order."
        ),
    ] = None,
    into: Annotated[Path, typer.Option(readable=False, help="The folder for the shares.")] = Path(),
    name: Annotated[
        str | None,
        typer.Option(
            help="The beginning of the names of the share files.", show_default="the source's name"
        ),
    ] = None,
    form: Annotated[
        Form, typer.Option(help=f"auto: text up to {PRINTED} bytes, else binary.")
    ] = Form.AUTO,
    qr: Annotated[
        bool, typer.Option("--qr", help="Also write each printed share as a QR code (PNG).")
    ] = False,
    overwrite: Overwrite = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Split a secret or a file. Small secrets become printed text, others are dispersed."""
    holders = _holders(holder, count)
    if (source is None) != prompt:
        raise ParameterError("pass one of: a file, - for standard input, --prompt")
    check_params(count, threshold, label)
    begins = name or (source.name if source is not None and source.name != "-" else "secret")
    if prompt:
        suffixes = [".share"] if form is Form.BINARY else [".txt", ".png"] if qr else [".txt"]
        for suffix in suffixes:
            check_targets(_paths(into, begins, count, suffix), overwrite=overwrite)
        if overwrite and suffixes == [".txt"]:
            _check_codes(_paths(into, begins, count, ".txt"))
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
                    raise ParameterError("only printed shares have QR codes; leave out --qr")
                paths = _paths(into, begins, count, ".share")
                whole = _Joined(beginning, stream or io.BytesIO())
                with bytes_bar("split", quiet=quiet or as_json) as progress:
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
        fields = {"set": set_id, "threshold": threshold, "shares": files, "holders": holders}
        print_json({"command": "share split", **fields})
    elif not quiet:
        for number, path in enumerate(paths):
            whose = f" for {holders[number]}" if holders else ""
            code = f", and {path.with_suffix('.png').name}" if qr else ""
            print_line(f"share {number + 1} of {count}{whose}: {path}{code}")
        print_line(f"set {set_id}: any {threshold} recover it; fewer reveal nothing but its size")
        print_line(
            "Test the shares with `tallystick share verify`, give each holder one, "
            "then remove all of the files from here."
        )


def _holders(names: list[str] | None, count: int) -> list[str]:
    given = names or []
    if given and len(given) != count:
        raise ParameterError(
            f"--holder is given {counted(len(given), 'time')} for "
            f"{counted(count, 'share')}; pass it once for each share, or leave it out"
        )
    for name in given:
        if not name.isprintable() or not name.strip():
            raise ParameterError("a holder's name must be one line of printable characters")
    return given


def _asked() -> bytearray:
    try:
        first = ask_hidden("Secret: ")
        again = ask_hidden("The same again: ")
    except EOFError:
        raise ShareError(
            "no secret was typed; run the command at a terminal and type it, or "
            "split a file or standard input (-)"
        ) from None
    if again != first:
        raise ShareError("the two entries differ; try again")
    return bytearray(first.encode())


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
    if not name.isprintable():
        raise ParameterError(
            "the names of shares begin with --name, or with the source's name: that must be UTF-8 "
            "and printable; pass another --name"
        )
    if not re.fullmatch(r"[^/\\]+", name):
        raise ParameterError("--name begins a file's name; it must not contain a folder")
    if not os.path.isdir(into):
        raise FileError(f"{into}: no such folder; create it first")
    width = len(str(count))
    return [into / f"{name}-{n:0{width}}-of-{count}{suffix}" for n in range(1, count + 1)]


def _write_printed(
    made: Sequence[bytes], paths: Sequence[Path], holders: list[str], *, qr: bool, overwrite: bool
) -> None:
    """Write all printed shares, or none."""
    codes = [path.with_suffix(".png") for path in paths] if qr else []
    if overwrite and not qr:
        _check_codes(paths)
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
    with file_errors(paths[0].parent):
        contents = chain(map(str.encode, texts), map(_png, texts if qr else ()))
        write_files([*paths, *codes], contents, private=True, overwrite=overwrite)


def _check_codes(paths: Sequence[Path]) -> None:
    """Refuse to replace shares whose QR codes would stay, beside shares of another set.

    Raises `FileError`: there is such a code.
    """
    for path in paths:
        code = path.with_suffix(".png")
        if os.path.lexists(path) and os.path.lexists(code):
            raise FileError(
                f"{code}: is there beside a share that is to be replaced, and would stay; remove "
                "it, or pass --qr to replace it too"
            )


def _png(text: str) -> bytes:
    from tallystick.shares.qr import save_png  # the only part that needs segno

    image = io.BytesIO()
    save_png(text, image)
    return image.getvalue()

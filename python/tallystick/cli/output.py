# SPDX-License-Identifier: Apache-2.0
"""What the command line prints: results to standard output, all else to standard error."""

from __future__ import annotations

import json
import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import UnsupportedOperation
from typing import TYPE_CHECKING, TextIO

from tallystick.counting import plain as plain
from tallystick.errors import FileError

if TYPE_CHECKING:
    from rich.table import Table

_WIDEST = 1 << 16


class OutputClosedError(Exception):
    """Nobody reads standard output any more."""


class OutputError(FileError):
    """Standard output can't take what is to be printed."""


def say(text: str) -> None:
    """Print a line for people to standard error; a full pipe is waited for, even if it would not.

    If standard error is closed, nobody hears it.
    """
    if sys.stderr is None:
        return
    try:
        sys.stderr.flush()
        left = f"{plain(text)}\n".encode(sys.stderr.encoding, "backslashreplace")
        while left:
            try:
                left = left[os.write(sys.stderr.fileno(), left) :]
            except BlockingIOError:
                select.select([], [sys.stderr], [])
    except UnsupportedOperation:  # a stream in memory
        print(plain(text), file=sys.stderr)
    except OSError:
        _discard(sys.stderr)


def hold_streams() -> None:
    """Let no file that is opened get the number of a standard stream that is closed."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:  # what is written or read there is an error still
            os.open(os.devnull, os.O_RDONLY if number else os.O_WRONLY)


def print_line(text: str) -> None:
    """Print a line of the result."""
    with _standard_output():
        print(plain(text))


def print_colored(text: str, last: str, color: int) -> None:
    """Print a line of the result, whose `last` word is colored on a terminal."""
    shown = plain(last)
    if is_colored():
        shown = f"\x1b[{color}m{shown}\x1b[0m"
    with _standard_output():
        print(plain(text) + shown)


def print_json(result: dict[str, object]) -> None:
    """Print a result as one JSON object on a line, in ASCII."""
    with _standard_output():
        print(json.dumps(result))


def print_bytes(result: bytes | bytearray) -> None:
    """Print a result as it is, and on a terminal end its line."""
    with _standard_output():
        sys.stdout.buffer.write(result)
        if sys.stdout.isatty():
            sys.stdout.buffer.write(b"\n")


def print_part(result: bytes) -> None:
    """Print a part of the result as it is, at once."""
    with _standard_output():
        sys.stdout.buffer.write(result)


def is_colored() -> bool:
    """Tell whether standard output is a terminal that may show colors."""
    return sys.stdout is not None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def print_table(table: Table) -> None:
    """Print a table: as wide as the terminal, or in a pipe as wide as its content."""
    from rich.console import Console
    from rich.measure import Measurement

    with _standard_output():
        console = Console(highlight=False, emoji=False, markup=False)
        if sys.stdout is not None and not sys.stdout.isatty() and "COLUMNS" not in os.environ:
            options = console.options.update(max_width=_WIDEST)
            console.width = Measurement.get(console, options, table).maximum
        console.print(table)


@contextmanager
def _standard_output() -> Iterator[None]:
    """Print all that is to be printed, or say that it can't be.

    Raises `OutputClosedError`: the reader of a pipe has gone. (Rich then raises `SystemExit` by
    itself.) `OutputError`: there is no room, or whatever else the system says.
    """
    try:
        yield
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        _discard(sys.stdout)
        raise OutputClosedError from None
    except OSError as error:
        _discard(sys.stdout)
        raise OutputError(f"standard output: {error.strerror}") from error


def discard_output() -> None:
    """Let nothing that was to be printed be tried again."""
    if sys.stdout is not None:
        _discard(sys.stdout)


def _discard(stream: TextIO) -> None:
    """Let nothing that a stream still holds be tried again when Python ends, if that can be."""
    with suppress(OSError), open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), stream.fileno())

# SPDX-License-Identifier: Apache-2.0
"""Printed shares typed at a terminal: each line is checked as soon as it is there.

A line is shown while it is typed, for it has to be compared with the paper, and is then cleared
from the screen: the next holder need not see it. Of lines pasted together, the terminal itself has
shown all when the first is read, and they stay.
"""

import os
import termios
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from typing import Protocol

from tallystick.errors import ShareError, ShareTextError
from tallystick.shares import printed


class Terminal(Protocol):
    """Where a person types."""

    def ask(self, prompt: str) -> str:
        """Return one line without its end; EOFError if there is none (Ctrl-D)."""

    def tell(self, text: str) -> None:
        """Show a line."""


class _Terminal:
    def __init__(self, reader: TextIOWrapper, writer: TextIOWrapper) -> None:
        self._reader, self._writer = reader, writer

    def ask(self, prompt: str) -> str:
        self._write(prompt)
        line = self._reader.readline()
        if not line.endswith("\n"):
            self._write("\n")
            raise EOFError
        self._clear(len(prompt) + len(line) - 1)
        return line[:-1]

    def tell(self, text: str) -> None:
        # A share's label is anybody's, and must not speak to the terminal.
        self._write("".join(c if c.isprintable() else "?" for c in text) + "\n")

    def _clear(self, characters: int) -> None:
        """Clear the rows of that many characters, which end just above the cursor."""
        if os.environ.get("TERM", "dumb") != "dumb":
            columns = 0
            with suppress(OSError):
                columns = os.get_terminal_size(self._writer.fileno()).columns
            rows = (characters - 1) // (columns or 80) + 1
            self._write("\x1b[1A\x1b[2K" * rows + "\r")

    def _write(self, text: str) -> None:
        self._writer.write(text)
        self._writer.flush()


@contextmanager
def controlling_terminal() -> Iterator[Terminal]:
    """Give the terminal that the program was started at, wherever its standard streams go.

    What was typed ahead and not read is dropped at the end: it may be of a share, and would go to
    the shell.

    Raises `ShareError`: there is none.
    """
    try:
        handle = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        raise ShareError(
            "there is no terminal to ask for shares; run the command in a "
            "terminal, or give share files"
        ) from None
    with (
        open(handle, encoding="utf-8", errors="replace") as reader,
        open(handle, "w", encoding="utf-8", errors="replace", closefd=False) as writer,
    ):
        try:
            yield _Terminal(reader, writer)
        finally:
            with suppress(termios.error):
                termios.tcflush(handle, termios.TCIFLUSH)


def read_share(terminal: Terminal) -> bytes:
    """Ask for the lines of one share, until it is whole and without typing errors.

    A line with an error is asked for again. What a QR code holds may be given as a single line, and
    all lines may be pasted together. Ctrl-D in the middle begins the share anew.

    Raises `EOFError`: Ctrl-D, before a line was given.

    Returns
    -------
    bytes
        The share; whether it is authentic is for others to see.
    """
    lines: dict[int, str] = {}
    while True:
        count = printed.line_count(lines[1]) if 1 in lines else None
        number = _next(lines, count)
        if number is None:
            whole = "\n".join(f"{number}: {line}" for number, line in sorted(lines.items()))
            try:
                return printed.decode(whole)
            except ShareTextError as error:
                terminal.tell(str(error))
                _forget(lines, error)
                continue
        try:
            text = terminal.ask(f"line {number}{f' of {count}' if count else ''}: ")
        except EOFError:
            if not lines:
                raise
            terminal.tell("the lines of this share are dropped; begin with its line 1")
            lines.clear()
            continue
        try:
            if _is_compact(text):
                return printed.decode(text)
            line = printed.check_line(number, text, lines.get(1))
        except ShareTextError as error:
            terminal.tell(str(error))
            continue
        if line:
            lines[number] = line


def _next(lines: dict[int, str], count: int | None) -> int | None:
    """Return which line to ask for, None if all are there; drop those beyond the last one."""
    if count is None:
        return 1
    for number in [number for number in lines if number > count]:
        del lines[number]
    return next((number for number in range(1, count + 1) if number not in lines), None)


def _is_compact(text: str) -> bool:
    head, colon, rest = text.partition(":")
    return bool(colon and rest) and head.strip().upper() == printed.FIRST


def _forget(lines: dict[int, str], error: ShareTextError) -> None:
    """Drop the lines that an error names, or all of them."""
    named = {line for line, _ in error.places} & lines.keys()
    for number in named or set(lines):
        del lines[number]

# SPDX-License-Identifier: Apache-2.0
"""``tallystick text protect`` and ``text reveal``: filters between a source and standard output."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from tallystick.atomic import file_errors
from tallystick.cli.data_options import KeyringFile, RevealLogFile
from tallystick.cli.options import Quiet, Root, open_ring
from tallystick.cli.output import is_colored, print_part, say
from tallystick.counting import counted
from tallystick.errors import FileError, PolicyError

if TYPE_CHECKING:
    from tallystick.text import TextProtector

_CHUNK = 1 << 16
TEXT_BYTES = 1 << 26
"""Bytes of a text that is protected as a whole, at most."""
LINE_BYTES = 1 << 20
"""Bytes of a line, at most."""
_TOKEN = b"\x1b[36m%b\x1b[0m"

Source = Annotated[
    str, typer.Argument(metavar="SOURCE", help="The file to read. - is standard input.")
]
TextPolicyFile = Annotated[
    Path,
    typer.Option(
        *("--policy", "-p"),
        envvar="TALLYSTICK_TEXT_POLICY",
        readable=False,
        help="The text policy, a TOML file.",
    ),
]
Scope = Annotated[
    str,
    typer.Option(
        "--scope", help="A tenant or a conversation; its tokens are not revealed in another."
    ),
]


def protect(
    policy: TextPolicyFile,
    keyring: KeyringFile,
    root: Root,
    source: Source = "-",
    scope: Scope = "",
    lines: Annotated[
        bool,
        typer.Option(
            "--lines",
            help="Protect and print each line by itself, as of a log that does not end. "
            "A value that goes on in the next line is not found.",
        ),
    ] = False,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Fail if `text scan` finds a value that the policy leaves in clear; print nothing "
            "of that text, or line.",
        ),
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Replace what a text policy finds with tokens, and print the text."""
    from tallystick.text import TextPolicy, TextProtector

    rules, ring = TextPolicy.load(policy), open_ring(keyring, root)
    protected, left = Counter[str](), Counter[str]()
    with (
        TextProtector(rules, ring, scope=scope, reveal=False) as protector,
        opened(source) as file,
    ):
        for number, piece in enumerate(_lines(file) if lines else _whole(file), start=1):
            place = f"{_name(source)}, line {number}" if lines else _name(source)
            made, found, clear = _protected(protector, piece, place)
            if strict and clear:
                raise PolicyError(
                    f"{place}: the policy leaves in clear what `tallystick text scan` finds: "
                    f"{_named(clear)}; add these kinds to the policy, or leave out --strict"
                )
            print_part(made)
            protected += found
            left += clear
    if left:
        say(f"warning: the policy left in clear what `tallystick text scan` finds: {_named(left)}")
    if not quiet:
        say(f"{counted(protected.total(), 'value')} protected" + breakdown(protected))


def reveal(
    policy: TextPolicyFile,
    keyring: KeyringFile,
    root: Root,
    source: Source = "-",
    scope: Scope = "",
    context: Annotated[
        str,
        typer.Option(
            "--context",
            help="What the text is: `text`, `json` or `html`. Values are escaped for it, so that "
            "they stay data.",
        ),
    ] = "text",
    reveal_log: RevealLogFile = None,
    quiet: Quiet = False,
) -> None:
    """Replace tokens in a text with their values, and print it while it arrives."""
    from tallystick.cli.reveals import logged
    from tallystick.files import STDIN, STDOUT
    from tallystick.text import TextPolicy, TextProtector

    rules, ring = TextPolicy.load(policy), open_ring(keyring, root)
    kinds = [kind.name for kind in rules.kinds]
    taken = STDIN if source == "-" else Path(source)
    with TextProtector(rules, ring, scope=scope) as protector, opened(source) as file:
        restorer = protector.restorer(context)  # type: ignore[arg-type]  # which checks it
        with logged(reveal_log, kinds, ring, taken, STDOUT) as tell:
            while piece := read_part(file, source, _CHUNK):
                print_part(restorer.feed(piece))
            print_part(restorer.finish())
            tell(restorer.restored)
    if not quiet:
        others = f"; {counted(restorer.refused, 'token')} of other keys" if restorer.refused else ""
        say(f"{counted(restorer.restored, 'token')} revealed{others}")


def _protected(
    protector: TextProtector, data: bytes, place: str
) -> tuple[bytes, Counter[str], Counter[str]]:
    """Return a text with tokens, what was protected, and what the scanner finds beside it."""
    from tallystick.scanning import scan

    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise FileError(
            f"{place}: byte {error.start + 1} is not UTF-8; convert the text first, as by iconv"
        ) from None
    parts: list[bytes] = []
    (found, tokens), at = protector._found(text), 0
    for start, end, kind in found:
        token = protector.token(text[start:end], kind).encode()
        parts += [text[at:start].encode(), _TOKEN % token if is_colored() else token]
        at = end
    parts.append(text[at:].encode())
    clear = Counter[str]()
    hidden = sorted([*((start, end) for start, end, _ in found), *tokens])
    spans = iter([*hidden, (len(text) + 1, len(text) + 1)])
    start, end = next(spans)
    for one in scan(text):
        while end < one.end:
            start, end = next(spans)
        if one.start < start:
            clear[one.kind] += 1
    return b"".join(parts), Counter(kind for _, _, kind in found), clear


@contextmanager
def opened(source: str) -> Iterator[BinaryIO]:
    """Open a file, or standard input for ``-``."""
    if source == "-":
        yield sys.stdin.buffer
        return
    with file_errors(source):
        file = open(source, "rb")  # noqa: SIM115 - errors of the block are not of opening it
    with file:
        yield file


def _name(source: str) -> str:
    return "standard input" if source == "-" else source


def read_part(file: BinaryIO, source: str, size: int) -> bytes:
    """Read what is there of a source, at most `size` bytes; nothing at the end."""
    with file_errors(_name(source)):
        return file.read1(size) if hasattr(file, "read1") else file.read(size)


def _whole(file: BinaryIO) -> Iterator[bytes]:
    data = file.read(TEXT_BYTES + 1)
    if len(data) > TEXT_BYTES:
        raise FileError("the text has over 64 MiB; protect it line by line, with --lines")
    yield data


def _lines(file: BinaryIO) -> Iterator[bytes]:
    while line := file.readline(LINE_BYTES + 1):
        if len(line) > LINE_BYTES:
            raise FileError("a line has over 1 MiB; protect the text as a whole, without --lines")
        yield line


def _named(kinds: Counter[str]) -> str:
    return ", ".join(f"{kind} {number}" for kind, number in sorted(kinds.items()))


def breakdown(kinds: Counter[str]) -> str:
    """Return the number of each kind, behind a colon, to end a message with."""
    return f": {_named(kinds)}" if kinds else ""

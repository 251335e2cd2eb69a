# SPDX-License-Identifier: Apache-2.0
"""A printed share as a QR code: as an image to print, or on a terminal.

The code holds what `printed.compact` returns, in alphanumeric mode, and `printed.decode` reads what
a scanner finds. segno makes it, and is imported only here and only when a code is wanted.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from tallystick.atomic import complete_file
from tallystick.shares.printed import compact

if TYPE_CHECKING:
    from segno import QRCode

PIXELS = 8
"""The width of a module in an image, in pixels: two thirds of a millimetre at 300 an inch."""
QUIET = 4
"""The width of the empty margin, in modules, as ISO/IEC 18004 wants it."""

_BLACK_ON_WHITE = "\x1b[38;5;16;48;5;231m"
_RESET = "\x1b[0m"
# By whether the upper and the lower of two modules are dark.
_HALVES = {(0, 0): " ", (0, 1): "▄", (1, 0): "▀", (1, 1): "█"}


def write_png(text: str, path: Path, *, overwrite: bool = False) -> None:
    """Write the QR code of a share as a PNG image that only its owner may read (mode 0600).

    Error correction is at least level M (15 % of the code may be unreadable), but for shares of
    more than 1,677 bytes, where only L (7 %) fits.

    `text`: a share's text; anything that `printed.decode` reads.
    `path`: where the image is to be; it appears when it is complete.
    `overwrite`: whether a file that exists may be replaced.
    Raises `ShareTextError`: as of `printed.decode`. `FileError`: the file exists, or can't be made.
    """
    with complete_file(path, private=True, overwrite=overwrite) as stream:
        save_png(text, stream)


def save_png(text: str, stream: BinaryIO) -> None:
    """Write the image of `write_png` to a stream.

    Raises `ShareTextError`: as of `printed.decode`.
    """
    _code(text, "M").save(stream, kind="png", scale=PIXELS, border=QUIET)


def terminal(text: str) -> str:
    """Return the QR code of a share as lines for a terminal.

    Two modules are one character high: half blocks, black on white whatever the terminal's colours
    are. Error correction is at least level L, which is enough on a screen.

    `text`: a share's text; anything that `printed.decode` reads.
    Raises `ShareTextError`: as of `printed.decode`.

    Returns
    -------
    str
        Lines with a newline at the end of each, 33 to 181 columns wide.
    """
    rows = [bytes(row) for row in _code(text, "L").matrix_iter(border=QUIET)]
    rows += [bytes(len(rows[0]))] * (len(rows) % 2)
    return "".join(
        f"{_BLACK_ON_WHITE}{''.join(map(_HALVES.__getitem__, zip(*pair, strict=True)))}{_RESET}\n"
        for pair in zip(rows[::2], rows[1::2], strict=True)
    )


def _code(text: str, level: str) -> QRCode:
    import segno

    content = compact(text)
    try:
        return segno.make_qr(content, error=level, mode="alphanumeric")
    except segno.DataOverflowError:
        return segno.make_qr(content, error="L", mode="alphanumeric")

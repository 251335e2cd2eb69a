# SPDX-License-Identifier: Apache-2.0
"""QR codes of shares, read by another library, and how their images are written."""

from __future__ import annotations

import random
import re
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import zxingcpp

from tallystick.errors import FileError, ShareTextError
from tallystick.shares import qr
from tallystick.shares.printed import compact, decode, encode

Image = npt.NDArray[np.uint8]


def share(size: int) -> str:
    data = random.Random(size).randbytes(size)  # noqa: S311
    return encode(data, ["customers root key"])


def image_of(path: Path) -> Image:
    """Read a PNG of one bit a pixel whose rows are as they are, or differences to the one above."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks = {}
    at = 8
    while at < len(data):
        (length,) = struct.unpack_from(">I", data, at)
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        assert struct.unpack_from(">I", data, at + 8 + length) == (zlib.crc32(kind + body),)
        chunks[kind] = body
        at += 12 + length
    width, height, *rest = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert rest == [1, 0, 0, 0, 0]
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, -1)
    pixels = np.zeros((height, rows.shape[1] - 1), np.uint8)
    for number, (kind_of_row, *content) in enumerate(rows.tolist()):
        assert kind_of_row == 0 or (kind_of_row == 2 and number)
        pixels[number] = content
        pixels[number] += pixels[number - 1] * np.uint8(kind_of_row == 2)
    return np.unpackbits(pixels, axis=1)[:, :width] * np.uint8(255)


def image_of_terminal(shown: str) -> Image:
    """Turn half blocks, black on white, into an image."""
    rows = []
    for line in shown.splitlines():
        begin, cells, end = re.split(r"(?<=m)(?=[^\x1b])|(?=\x1b\[0m)", line)
        assert (begin, end) == ("\x1b[38;5;16;48;5;231m", "\x1b[0m")
        rows += [[cell in "▀█" for cell in cells], [cell in "▄█" for cell in cells]]
    dark = np.array(rows, np.uint8)
    return np.kron(1 - dark, np.ones((4, 4), np.uint8)) * np.uint8(255)


def scanned(image: Image) -> str:
    found = zxingcpp.read_barcode(image, try_invert=False)
    assert found is not None
    assert found.format == zxingcpp.BarcodeFormat.QRCode
    return found.text


@pytest.mark.parametrize("size", [1, 60, 163, 500, 1677, 1678, 2000])
def test_an_image_is_read_by_another_library(tmp_path: Path, size: int) -> None:
    text = share(size)
    qr.write_png(text, tmp_path / "share.png")
    content = scanned(image_of(tmp_path / "share.png"))
    assert content == compact(text)
    assert decode(content) == decode(text)


@pytest.mark.parametrize("size", [1, 60, 163, 500, 2000])
def test_a_terminal_is_read_by_another_library(size: int) -> None:
    text = share(size)
    assert scanned(image_of_terminal(qr.terminal(text))) == compact(text)


def test_a_terminal_has_lines_of_one_width() -> None:
    lines = qr.terminal(share(60)).splitlines()
    assert {len(line) for line in lines} == {len(lines[0])}
    assert len(lines) == 23
    assert image_of_terminal("\n".join(lines)).shape == (46 * 4, 45 * 4)


@pytest.mark.parametrize(("size", "levels"), [(60, "MQH"), (1677, "MQH"), (1678, "L")])
def test_the_mode_and_the_level(size: int, levels: str) -> None:
    code = qr._code(share(size), "M")
    assert code.mode == "alphanumeric"
    assert code.error in levels
    assert not code.is_micro


def test_an_image_with_a_blot_is_read(tmp_path: Path) -> None:
    text = share(163)
    qr.write_png(text, tmp_path / "share.png")
    image = image_of(tmp_path / "share.png").copy()
    middle = len(image) // 2
    reach = 5 * qr.PIXELS
    image[middle - reach : middle + reach, middle - reach : middle + reach] = 0
    assert scanned(image) == compact(text)


def test_an_image_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "share.png"
    qr.write_png(share(60), path)
    assert path.stat().st_mode & 0o777 == 0o600
    before = path.read_bytes()
    with pytest.raises(FileError, match="exists"):
        qr.write_png(share(61), path)
    assert path.read_bytes() == before
    qr.write_png(share(61), path, overwrite=True)
    assert scanned(image_of(path)) == compact(share(61))
    assert list(tmp_path.iterdir()) == [path]


def test_a_text_with_a_typing_error_is_not_drawn(tmp_path: Path) -> None:
    text = share(60).replace("1: 1", "1: 2")
    with pytest.raises(ShareTextError, match="line 1, group 1"):
        qr.write_png(text, tmp_path / "share.png")
    with pytest.raises(ShareTextError, match="line 1, group 1"):
        qr.terminal(text)
    assert list(tmp_path.iterdir()) == []


def test_the_library_is_imported_only_when_a_code_is_wanted() -> None:
    script = """
import sys
from tallystick.shares import qr
from tallystick.shares.printed import encode
assert "segno" not in sys.modules
qr.terminal(encode(bytes(60)))
assert "segno" in sys.modules
"""
    subprocess.run([sys.executable, "-c", script], check=True)

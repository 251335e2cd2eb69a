# SPDX-License-Identifier: Apache-2.0
"""Reads and writes compressed files as streams.

Memory is bounded at any compression ratio: a read unpacks only as many bytes as it returns.
"""

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable
from typing import BinaryIO, Protocol, cast

import pyarrow as pa

from tallystick.errors import FileError
from tallystick.files.encodings import Input, Output
from tallystick.files.places import Place

XZ_MEMORY = 256 << 20
"""Memory for unpacking .xz, in bytes, at most. The strongest preset needs 65 MiB."""
_PIECE = 1 << 16


class Closable(Output, Protocol):
    """An output that has to be closed."""

    def close(self) -> None:
        """Write the end."""


class Unpacked:
    """The content of a compressed file."""

    def __init__(self, place: Place, suffix: str, raw: io.RawIOBase) -> None:
        self._place = place
        self._suffix = suffix
        try:
            self._stream = _unpacker(suffix, raw)
        except pa.ArrowException as error:
            raise self._damaged() from error

    def readinto(self, buffer: memoryview, /) -> int:
        """Read into a buffer, and return the number of bytes; 0 at the end.

        Raises `FileError`: the file is damaged, or needs more than `XZ_MEMORY`.
        """
        try:
            return self._stream.readinto(buffer) or 0
        except lzma.LZMAError as error:
            if "memory" in str(error).lower():
                raise FileError(
                    f"{self._place}: unpacking needs more than {XZ_MEMORY >> 20} MiB of memory; "
                    "unpack it first"
                ) from None
            raise self._damaged() from error
        except OSError as error:
            if error.errno is not None:
                raise
            raise self._damaged() from error
        except (EOFError, zlib.error, pa.ArrowException) as error:
            raise self._damaged() from error

    def _damaged(self) -> FileError:
        return FileError(
            f"{self._place}: the file is damaged, cut short, or not a {self._suffix} file"
        )


def _unpacker(suffix: str, raw: io.RawIOBase) -> Input:
    # They ask for as much at once as a record's scanner does, so no more is in memory.
    match suffix:
        case ".gz":
            return cast(Input, gzip.GzipFile(fileobj=cast(BinaryIO, raw), mode="rb"))
        case ".bz2":
            return _Members(raw, bz2.BZ2Decompressor, b"")
        case ".xz":
            return _Members(raw, lambda: lzma.LZMADecompressor(memlimit=XZ_MEMORY), b"\0")
        case _:
            return cast(Input, pa.CompressedInputStream(raw, "zstd"))


class _Members:
    """A file of one compressed stream or of several, and nothing behind them.

    The standard library's own readers take no limit of memory, or pass over what follows.
    """

    def __init__(
        self,
        raw: io.RawIOBase,
        new: Callable[[], lzma.LZMADecompressor | bz2.BZ2Decompressor],
        padding: bytes,
    ) -> None:
        self._raw = raw
        self._new = new
        self._padding = padding
        self._unpacker = new()
        self._fresh = True
        self._left = b""

    def readinto(self, buffer: memoryview, /) -> int:
        while True:
            if self._unpacker.eof:
                self._left = self._unpacker.unused_data.lstrip(self._padding)
                self._unpacker, self._fresh = self._new(), True
            given = b""
            if self._unpacker.needs_input:
                given = self._left or self._raw.read(_PIECE) or b""
                self._left = b""
                if not given:
                    if self._fresh:
                        return 0
                    raise EOFError
                if self._fresh:
                    given = given.lstrip(self._padding)
                    if not given:
                        continue
            self._fresh = False
            data = self._unpacker.decompress(given, max_length=len(buffer))
            if data:
                buffer[: len(data)] = data
                return len(data)


def packed(suffix: str, sink: io.RawIOBase) -> Closable:
    """Return a stream that packs bytes into a sink; closing the stream leaves the sink open."""
    raw = cast(BinaryIO, sink)
    match suffix:
        case ".gz":  # neither name nor time, so that equal runs give equal bytes
            return cast(Closable, gzip.GzipFile("", "wb", compresslevel=6, fileobj=raw, mtime=0))
        case ".bz2":
            return cast(Closable, bz2.BZ2File(raw, "wb"))
        case ".xz":
            return cast(Closable, lzma.LZMAFile(raw, "wb"))
        case _:
            return cast(Closable, pa.CompressedOutputStream(sink, "zstd"))

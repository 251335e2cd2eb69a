# SPDX-License-Identifier: Apache-2.0
"""Reads text of other encodings as UTF-8, and writes it in its own encoding.

A run fails at input that can't be restored byte for byte.
"""

import codecs
from collections.abc import Sequence
from typing import Protocol, Self

import pyarrow as pa

from tallystick.errors import FileError, ParameterError
from tallystick.files.job import ColumnJob, place
from tallystick.files.places import Place
from tallystick.paths import Rows, row_of

_MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_WIDE_MARKS = {b"\xff\xfe\0\0": "utf-32-le", b"\0\0\xfe\xff": "utf-32-be"}
_MARKED = {"utf-16": (2, _MARKS), "utf-32": (4, _WIDE_MARKS)}
_NOT_OF_TEXT = {"idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape"}
_READ = 1 << 18


class Input(Protocol):
    """A stream that bytes are read from."""

    def readinto(self, buffer: memoryview, /) -> int | None:
        """Read into a buffer, and return the number of bytes; 0 at the end."""


class Output(Protocol):
    """A stream that bytes are written to."""

    def write(self, data: bytes | memoryview, /) -> object:
        """Write all bytes."""


class Encoding:
    """An encoding of a run: that of its source, and so of its target.

    For ``utf-16`` and ``utf-32`` the source's byte order mark gives the byte order. The mark stays.

    `name`: as Python knows it, such as ``windows-1252`` or ``utf-16``.
    Raises `ParameterError`: the name is not a text encoding, or the encoding can't be decoded as a
    stream.
    """

    def __init__(self, name: str) -> None:
        try:
            found = codecs.lookup(name)
            "a,b".encode(name)  # refuses those that make bytes of bytes
            if found.name.replace("_", "-") in _NOT_OF_TEXT:
                raise LookupError
        except (LookupError, UnicodeError):
            raise ParameterError(
                f"{name!r} is not a known text encoding; "
                "examples are utf-16, windows-1252 and iso-8859-15"
            ) from None
        if found.incrementaldecoder is None or found.incrementalencoder is None:
            raise ParameterError(
                f"{name!r} can't be decoded as a stream; convert the file to UTF-8"
            )
        self.name = name
        self.codec = found.name.removesuffix("-sig")  # a mark is a character like any other here

    @classmethod
    def named(cls, name: str | None) -> Self | None:
        """Return the encoding of a name; None stands for UTF-8."""
        return None if name is None else cls(name)

    def begin(self, start: bytes, file: Place) -> None:
        """Find the byte order by the first bytes of the source.

        Raises `FileError`: the name has no byte order, and there is no byte order mark.
        """
        if self.codec in _MARKED and start:
            size, marks = _MARKED[self.codec]
            codec = marks.get(start[:size])
            if codec is None:
                raise FileError(
                    f"{file}: no byte order mark; pass --encoding {self.codec}-le or "
                    f"{self.codec}-be"
                )
            self.codec = codec

    def lacks(self, text: str) -> bool:
        """Return whether a text has a character that the encoding can't restore."""
        try:
            return text.encode(self.codec).decode(self.codec) != text
        except UnicodeError:
            return True


class Decoded:
    """The bytes of a source as UTF-8.

    Raises `FileError`: from `readinto`: the bytes are not valid in the encoding, or it would write
    other bytes.
    """

    def __init__(self, stream: Input, encoding: Encoding, file: Place) -> None:
        self._stream = stream
        self._encoding = encoding
        self._file = file
        self._buffer = bytearray(_READ)
        self._decoder: codecs.IncrementalDecoder | None = None
        self._encoder: codecs.IncrementalEncoder | None = None
        self._unproved = b""
        self._ready = memoryview(b"")
        self._ended = False

    def readinto(self, buffer: memoryview, /) -> int:
        """Read into a buffer, and return the number of bytes; 0 at the end."""
        while not self._ready and not self._ended:
            self._ready = memoryview(self._next())
        size = min(len(self._ready), len(buffer))
        buffer[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size

    def _next(self) -> bytes:
        data = self._read()
        if self._decoder is None or self._encoder is None:
            while len(data) < 4 and not self._ended:
                data += self._read()
            self._encoding.begin(data, self._file)
            self._decoder = codecs.getincrementaldecoder(self._encoding.codec)()
            self._encoder = codecs.getincrementalencoder(self._encoding.codec)()
        try:
            text = self._decoder.decode(data, self._ended)
            again = self._encoder.encode(text, self._ended)
            # Text of which UTF-8 has no form, as half a surrogate pair, is refused here too.
            ready = text.encode()
        except UnicodeError:
            raise FileError(
                f"{self._file}: not {self._encoding.name} throughout; pass the right --encoding"
            ) from None
        self._unproved += data
        if not self._unproved.startswith(again) or (self._ended and self._unproved != again):
            raise FileError(
                f"{self._file}: {self._encoding.name} would write some bytes differently, so they "
                "could not be restored; pass the right --encoding, or convert the file to UTF-8"
            )
        self._unproved = self._unproved[len(again) :]
        return ready

    def _read(self) -> bytes:
        count = self._stream.readinto(memoryview(self._buffer))
        self._ended = not count
        return bytes(self._buffer[: count or 0])


class Encoded:
    """Takes UTF-8, and writes it in an encoding."""

    def __init__(self, sink: Output, encoding: Encoding) -> None:
        self._sink = sink
        self._encoding = encoding
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._encoder: codecs.IncrementalEncoder | None = None

    def write(self, data: bytes | memoryview, /) -> None:
        """Write a part."""
        self._write(bytes(data), final=False)

    def close(self) -> None:
        """Write the end of the encoding."""
        self._write(b"", final=True)

    def _write(self, data: bytes, *, final: bool) -> None:
        if self._encoder is None:  # not before, as the source says the byte order
            self._encoder = codecs.getincrementalencoder(self._encoding.codec)()
        self._sink.write(self._encoder.encode(self._decoder.decode(data, final), final))


class Encodable:
    """A job whose new values are checked: the encoding must have all of their characters."""

    def __init__(self, job: ColumnJob, encoding: Encoding, file: Place) -> None:
        self.name = job.name
        self.others = job.others
        self._job = job
        self._encoding = encoding
        self._file = file

    def apply(self, values: pa.Array, others: Sequence[pa.Array], rows: Rows) -> pa.Array:
        """Run the job.

        Raises `FileError`: a new value has a character that the encoding lacks.
        """
        new = self._job.apply(values, others, rows)
        texts = [text for text in new.to_pylist() if text is not None]
        if self._encoding.lacks("".join(texts)):
            row = next(
                i for i, text in enumerate(new.to_pylist()) if self._encoding.lacks(text or "")
            )
            where = place(self._file, row_of(rows, row), None, self.name)
            raise FileError(
                f"{where}: the new value has a character that {self._encoding.name} lacks; convert "
                "the file to UTF-8, or use a format without such characters"
            )
        return new

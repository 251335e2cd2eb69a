# SPDX-License-Identifier: Apache-2.0
"""Where bytes come from and go to: files, servers, standard streams; unpacked and decoded."""

import io
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, cast

from tallystick.atomic import check_target, complete_files
from tallystick.errors import FileError
from tallystick.files.compression import Closable, Unpacked, packed
from tallystick.files.encodings import Decoded, Encoded, Encoding, Input, Output
from tallystick.files.marker import sidecar_of
from tallystick.files.objects import (
    Opened,
    Sink,
    complete_object,
    object_unchanged,
    open_object,
)
from tallystick.files.places import (
    MARKER_SUFFIX,
    STDIN,
    STDOUT,
    Address,
    Place,
    Standard,
    check_no_marker,
    compression_of,
)
from tallystick.reading import unchanged


class Source(io.RawIOBase):
    """A place whose bytes are read once, from its beginning to its end.

    Attributes
    ----------
    place : Place
        The place itself; messages name it.
    total : int
        The number of bytes to read; 0 if it is unknown.
    """

    def __init__(self, place: Place, raw: BinaryIO, encoding: Encoding | None) -> None:
        super().__init__()
        self.place = place
        self._encoding = encoding
        self._raw = _Counted(raw)
        self._stream: Input = self._raw
        self._size = _size_of(raw)
        suffix = compression_of(place)
        plain = suffix is None and encoding is None
        self.total = self._size or 0 if plain else 0
        if suffix is not None:
            self._stream = Unpacked(place, suffix, self._raw)
        if encoding is not None:
            self._stream = Decoded(self._stream, encoding, place)

    @property
    def size(self) -> int:
        """The number of bytes that were read from the place."""
        return self._raw.count

    def readable(self) -> bool:
        """Return true."""
        return True

    def readinto(self, buffer: memoryview, /) -> int | None:  # type: ignore[override]
        """Read into a buffer, and return the number of bytes; 0 at the end."""
        return self._stream.readinto(memoryview(buffer).cast("B"))

    @contextmanager
    def again(self) -> Iterator[Input | None]:
        """Read the same bytes again from the beginning; None if that is impossible."""
        if self._size is None or isinstance(self.place, Standard):
            yield None
            return
        with _opened(self.place) as raw:
            yield Source(self.place, raw, self._encoding)


@contextmanager
def open_source(place: Place, encoding: Encoding | None = None) -> Iterator[Source]:
    """Open a place that is read once from its beginning to its end.

    Raises `OSError`: the system can't open it. `FileError`: the place was changed while it was
    read.
    """
    with ExitStack() as stack:
        if isinstance(place, Address):
            stack.enter_context(object_unchanged(place))
        raw = stack.enter_context(_opened(place))
        if not isinstance(place, Address):
            stack.enter_context(unchanged(raw if isinstance(place, Standard) else place))
        yield Source(place, raw, encoding)


def _opened(place: Place) -> AbstractContextManager[BinaryIO]:
    if isinstance(place, Standard):
        return _standard_input()
    if isinstance(place, Address):
        return open_object(place, buffered=True)
    return place.open("rb", buffering=0)


def _size_of(raw: BinaryIO) -> int | None:
    """Return the size of a file or an object; None for a pipe, or if a server gives no size."""
    opened = getattr(raw, "raw", raw)
    if isinstance(opened, Opened):
        return opened.size
    status = os.fstat(raw.fileno())
    return status.st_size if stat.S_ISREG(status.st_mode) else None


@contextmanager
def watched(place: Place) -> Iterator[int]:
    """Give the size of a place that `open_at` reads; the place must not change within the block.

    Raises `FileError`: the place changed. `OSError`: the system can't return its state.
    """
    handle: Path | BinaryIO
    with ExitStack() as stack:
        if isinstance(place, Address):
            stack.enter_context(object_unchanged(place))
            yield _size_of(stack.enter_context(open_object(place, buffered=False))) or 0
            return
        handle = place if isinstance(place, Path) else stack.enter_context(_standard_input())
        stack.enter_context(unchanged(handle))
        status = handle.stat() if isinstance(handle, Path) else os.fstat(handle.fileno())
        yield status.st_size


@contextmanager
def open_at(place: Place, kind: str) -> Iterator[Path | BinaryIO]:
    """Give a stream that can be read at any position; for a file its path.

    Raises `FileError`: the place is a pipe, or its server gives whole files only. `OSError`: the
    system can't open it.
    """
    with ExitStack() as stack:
        if isinstance(place, Address):
            raw = stack.enter_context(open_object(place, buffered=False))
            if not raw.seekable():
                raise FileError(
                    f"{place}: {kind} needs random access, but the server gives whole files only; "
                    "save it as a file first"
                )
            yield raw
            return
        if isinstance(place, Path):
            pipe = place.is_fifo()
        else:
            raw = stack.enter_context(_standard_input())
            pipe = not stat.S_ISREG(os.fstat(raw.fileno()).st_mode)
        if pipe:
            raise FileError(
                f"{place}: {kind} needs random access, but this is a pipe; save it as a file first"
            )
        if isinstance(place, Path):
            with place.open("rb"):
                pass  # whether it can be opened, in the operating system's words
            yield place
        else:
            yield cast(BinaryIO, stack.enter_context(_At(raw.fileno())))


@contextmanager
def from_start(readable: Path | BinaryIO) -> Iterator[BinaryIO]:
    """Open the result of `open_at` as a stream at its beginning."""
    if isinstance(readable, Path):
        with readable.open("rb") as stream:
            yield stream
    else:
        readable.seek(0)
        yield readable


@contextmanager
def open_target(
    place: Place,
    *,
    private: bool,
    overwrite: bool = False,
    has_sidecar: bool = False,
    marker: bytes | None = None,
) -> Iterator[Sink]:
    """Open the target of a run; `text_sink` wraps it.

    A file appears only if the block ends without an error (see `tallystick.atomic`). Standard
    output can't be taken back, and has no marker beside it.

    `has_sidecar`: whether files of this kind have a marker beside them. An existing marker is
    removed, even if the file itself is gone.
    `marker`: the marker to write beside the file.
    Raises `FileError`, `OSError`: as `tallystick.atomic.complete_files`; `BrokenPipeError` if
    nobody reads standard output.
    """
    if isinstance(place, Standard):
        with _standard_output() as sink:
            yield sink
        return
    if isinstance(place, Address):
        at = place.beside(MARKER_SUFFIX) if has_sidecar else None
        with complete_object(place, overwrite=overwrite, beside=at, marker=marker) as upload:
            yield upload
        return
    check_no_marker(place.name, place)
    paths, stale = [place], list[Path]()
    if has_sidecar:
        beside = sidecar_of(place)
        lone = beside.exists()  # looked at first: another run makes it after its file
        if check_target(place, overwrite=overwrite) is None and lone:
            beside.unlink(missing_ok=True)  # it says something of a file that is not there
        if overwrite:
            stale.append(beside)  # also of a file that another run makes until then
        if marker is not None:
            paths.append(beside)
    with complete_files(paths, private=private, overwrite=overwrite, stale=stale) as streams:
        for stream in streams[1:]:
            stream.write(marker or b"")
        yield streams[0]


@contextmanager
def text_sink(place: Place, sink: Sink, encoding: Encoding | None) -> Iterator[Output]:
    """Give a stream of UTF-8 that writes to a sink, compressed and encoded as asked."""
    with ExitStack() as stack:
        output: Output = sink
        suffix = compression_of(place)
        if suffix is not None:
            output = stack.enter_context(_closed(packed(suffix, kept_open(sink))))
        if encoding is not None:
            output = stack.enter_context(_closed(Encoded(output, encoding)))
        yield output


@contextmanager
def _closed(stream: Closable) -> Iterator[Output]:
    """Close a stream; after an error what closing says does not matter."""
    try:
        yield stream
    except BaseException:
        with suppress(Exception):
            stream.close()
        raise
    stream.close()


class _Counted(io.RawIOBase):
    """Bytes as they are read, and their number."""

    def __init__(self, raw: BinaryIO) -> None:
        super().__init__()
        self._file = raw
        self.count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
        size = cast(io.RawIOBase, self._file).readinto(buffer) or 0
        self.count += size
        return size


def kept_open(sink: Output) -> io.RawIOBase:
    """Return a sink as a Python stream; closing the stream leaves the sink open."""
    return _Kept(sink)


class _Kept(io.RawIOBase):
    """See `kept_open`."""

    def __init__(self, sink: Output) -> None:
        super().__init__()
        self._sink = sink
        self._count = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._count

    def write(self, data: bytes | memoryview, /) -> int:  # type: ignore[override]
        view = memoryview(data).cast("B")
        self._sink.write(view)
        self._count += len(view)
        return len(view)


class _At(Opened):
    """A file that is open already, with a position of its own."""

    def __init__(self, handle: int) -> None:
        super().__init__(os.fstat(handle).st_size)
        self._handle = handle

    def _read_at(self, offset: int, size: int) -> bytes:
        return os.pread(self._handle, size, offset)


@contextmanager
def _standard_input() -> Iterator[BinaryIO]:
    try:
        raw = io.FileIO(0, "rb", closefd=False)
    except OSError as error:
        raise FileError(f"{STDIN}: {error.strerror}") from error
    with raw:
        if raw.isatty():
            raise FileError(f"{STDIN}: is a terminal; pass a file, or use a pipe")
        yield cast(BinaryIO, raw)


class _Unbuffered:
    """Standard output, which takes a part of what it is given if it is a pipe."""

    def write(self, data: bytes | memoryview, /) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(1, view) :]


@contextmanager
def _standard_output() -> Iterator[Sink]:
    if sys.stdout is not None:
        sys.stdout.flush()
    try:
        yield _Kept(_Unbuffered())
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename is None:
            raise FileError(f"{STDOUT}: {error.strerror}") from error
        raise

# SPDX-License-Identifier: Apache-2.0
"""Reads objects on servers like files, and writes them so that they appear only when complete.

`s3` has those of S3, through pyarrow; `other_schemes` all others, through fsspec.
"""

import io
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, Protocol, cast

from tallystick.atomic import InPlaceError
from tallystick.errors import FileError
from tallystick.files.places import Address

READ_BYTES = 8 << 20
"""Bytes of one request if an object is read from its beginning to its end."""
CHANGED = (
    "was changed while it was read, so nothing was written; run it again when nobody writes to "
    "it, or on a copy"
)

State = tuple[object, ...]
"""The state of an object; another version has another state."""


class Sink(Protocol):
    """A stream that a whole file or object is written to."""

    def write(self, data: bytes | memoryview, /) -> object:
        """Write all bytes."""

    def tell(self) -> int:
        """Return how many bytes were written."""


class Upload(Sink, Protocol):
    """A stream that writes an object."""

    def commit(self) -> None:
        """Make the object appear. No call may follow."""

    def abandon(self) -> str:
        """Discard the object, and return a text about leftovers on the server, or an empty one."""


class Store(Protocol):
    """One object, whether it is there or not. All errors are a `FileError`."""

    def state(self) -> State | None:
        """Return the state of this version; None if there is no object."""

    def open(self) -> "Opened":
        """Open it for reading."""

    def create(self) -> Upload:
        """Begin to write it."""

    def delete(self) -> None:
        """Delete it, if it is there."""


class Opened(io.RawIOBase):
    """An object that is read at any position; `_read_at` does it."""

    def __init__(self, size: int | None, file: Any = None) -> None:  # noqa: ANN401
        super().__init__()
        self.size = size
        self._file = file
        self._position = 0

    def close(self) -> None:
        """Close the file that the object is read from, if there is one."""
        if not self.closed and self._file is not None:
            self._file.close()
        super().close()

    @abstractmethod
    def _read_at(self, offset: int, size: int) -> Any:  # noqa: ANN401, of bytes
        """Return the bytes from a position on; fewer than asked for at the end."""

    def readable(self) -> bool:
        """Return true."""
        return True

    def seekable(self) -> bool:
        """Return whether the server gives parts."""
        return self.size is not None

    def tell(self) -> int:
        """Return the position of the next read."""
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to another position."""
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self.size or 0}
        self._position = start[whence] + offset
        return self._position

    def readinto(self, buffer: Any, /) -> int:  # noqa: ANN401, of the base class
        """Read into a buffer, and return the number of bytes; 0 at the end."""
        view = memoryview(buffer).cast("B")
        size = len(view) if self.size is None else min(len(view), self.size - self._position)
        if size <= 0:
            return 0
        data = self._read_at(self._position, size)
        view[: len(data)] = data
        self._position += len(data)
        return len(data)


def store_of(address: Address) -> Store:
    """Return the store that reads and writes an object.

    Raises `FileError`: no store supports the address, or the environment names no usable server.
    """
    if address.scheme == "s3":
        from tallystick.files.s3 import S3Store

        return S3Store(address)
    from tallystick.files.other_schemes import FsspecStore

    return FsspecStore(address)


@contextmanager
def object_unchanged(address: Address) -> Iterator[None]:
    """Check at the end of the block that an object did not change; not after an error.

    Raises `FileError`: the object changed, or there is none.
    """
    store = store_of(address)
    before = store.state()
    if before is None:
        raise no_object(address)
    yield
    if store.state() != before:
        raise FileError(f"{address}: {CHANGED}")


@contextmanager
def open_object(address: Address, *, buffered: bool) -> Iterator[BinaryIO]:
    """Open an object to read it; `buffered` if it is read from its beginning to its end.

    Raises `FileError`: the object can't be read. The stream's methods raise it too.
    """
    with store_of(address).open() as raw:
        yield cast(BinaryIO, io.BufferedReader(raw, READ_BYTES) if buffered else raw)


def read_small_object(address: Address, limit: int) -> bytes | None:
    """Return an object's bytes, at most `limit` + 1 of them; None if it is not there."""
    store = store_of(address)
    if store.state() is None:
        return None
    with store.open() as raw:
        data = bytearray()
        while len(data) <= limit and (more := raw.read(limit + 1 - len(data))):
            data += more
        return bytes(data)


@contextmanager
def complete_object(
    address: Address,
    *,
    overwrite: bool,
    beside: Address | None = None,
    marker: bytes | None = None,
) -> Iterator[Upload]:
    """Give a stream that becomes the object if the block ends without an error.

    After an error nothing appears, and an existing object stays.

    `overwrite`: whether an object that exists may be replaced.
    `beside`: the address of the object's marker. An old marker is deleted right before the object
    appears.
    `marker`: the new marker. It appears right after the object.
    Raises `InPlaceError`: the object is there, but its marker can't be written. `FileError`: the
    object exists, or the server refuses.
    """
    store = store_of(address)
    marked = None if beside is None else store_of(beside)
    before = _state_to_be_replaced(address, store, overwrite=overwrite)
    if beside is not None and marked is not None:
        _state_to_be_replaced(beside, marked, overwrite=overwrite)
    upload = store.create()
    try:
        yield upload
        if not overwrite:  # somebody else may have written it meanwhile
            _state_to_be_replaced(address, store, overwrite=False)
        if marked is not None:
            marked.delete()
        upload.commit()
    except BaseException:
        _abandon(address, store, upload, before)
        raise
    if marked is not None and marker is not None:
        try:
            small = marked.create()
            small.write(marker)
            small.commit()
        except FileError as error:
            raise InPlaceError(f"{error}; {address} is complete and in place, without it") from None


def no_object(address: Address) -> FileError:
    """Return the error that there is nothing at an address."""
    return FileError(
        f"{address}: there is no such object, or no such bucket, folder or server; check it"
    )


def _state_to_be_replaced(address: Address, store: Store, *, overwrite: bool) -> State | None:
    state = store.state()
    if state is not None and not overwrite:
        raise FileError(
            f"{address} exists; give another output, or allow it to be replaced (--overwrite)"
        )
    return state


def _abandon(address: Address, store: Store, upload: Upload, before: State | None) -> None:
    """Give up an upload, and tell what is left of it."""
    left = upload.abandon()
    with suppress(FileError):  # the first error tells more
        if not left and store.state() != before:
            left = "was written nevertheless, and is incomplete; delete it"
    if left:
        import logging  # which takes time to load

        logging.getLogger("tallystick").warning("%s: %s", address, left)

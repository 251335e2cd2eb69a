# SPDX-License-Identifier: Apache-2.0
"""Objects of S3, through pyarrow. Credentials are those that AWS's own tools would use."""

import ctypes
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pyarrow as pa
from pyarrow import fs

from tallystick.errors import FileError
from tallystick.files.objects import Opened, State, Upload, no_object
from tallystick.files.places import Address

ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
"""Environment variables that name another server than Amazon's; the first one set counts."""
ATTEMPTS = 3
"""Attempts for each request, at most."""
CONNECT_SECONDS = 3.0
SILENCE_SECONDS = 5.0
"""Seconds without data from a server before a request fails."""
PART_BYTES = 5 << 20
"""An object of fewer bytes is sent only when all of it is there."""

_SERVER = re.compile(r"(https?)://((?:[A-Za-z0-9._-]+|\[[0-9a-fA-F:]+\])(?::\d+)?)/?")


class S3Store:
    """One object; see `tallystick.files.objects.Store`."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._path = address.path
        self._files = _file_system(address)

    def state(self) -> State | None:
        """Return the state of this version."""
        with _errors(self._address):
            info = self._files.get_file_info(self._path)
            if info.type == fs.FileType.NotFound:
                return None
            if info.type != fs.FileType.File:
                raise FileError(f"{self._address}: is a folder; give the address of an object")
            with self._files.open_input_file(self._path) as file:
                tag = file.metadata().get("ETag")
            return info.size, info.mtime_ns, tag

    def open(self) -> Opened:
        """Open it for reading."""
        with _errors(self._address):
            return _Opened(self._address, self._files.open_input_file(self._path))

    def create(self) -> Upload:
        """Begin to write it."""
        with _errors(self._address):
            return _Upload(self._address, self._files, self._path)

    def delete(self) -> None:
        """Delete it, if it is there."""
        with suppress(FileNotFoundError), _errors(self._address, missing=False):
            self._files.delete_file(self._path)


class _Opened(Opened):
    def __init__(self, address: Address, file: pa.NativeFile) -> None:
        super().__init__(file.size(), file)
        self._address = address

    def _read_at(self, offset: int, size: int) -> Any:  # noqa: ANN401, of bytes
        with _errors(self._address):
            return self._file.read_at(size, offset)


class _Upload:
    """See `tallystick.files.objects.Upload`.

    A stream of pyarrow that is destroyed makes what was written so far the object, also when the
    process ends, and there is no way to abort. So one that must not be completed is never
    destroyed. It is opened late, so that most failures leave nothing on the server.
    """

    def __init__(self, address: Address, files: fs.S3FileSystem, path: str) -> None:
        self._address = address
        self._files = files
        self._path = path
        self._head = bytearray()
        self._opened: list[pa.NativeFile] = []
        self._count = 0
        self._done = False

    def write(self, data: bytes | memoryview, /) -> object:
        self._count += len(data)
        if self._opened:
            with _errors(self._address):
                return self._opened[0].write(data)
        self._head += data
        if len(self._head) >= PART_BYTES:
            self._begin()
        return len(data)

    def tell(self) -> int:
        return self._count

    def commit(self) -> None:
        if not self._opened:
            self._begin()
        with _errors(self._address):
            self._opened[0].close()
        self._done = True
        ctypes.pythonapi.Py_DecRef(ctypes.py_object(self._opened))

    def abandon(self) -> str:
        if self._done or not self._opened:
            return ""
        return (
            "an unfinished upload, which is no object, may be left on the server until its rule "
            "for incomplete multipart uploads removes it"
        )

    def _begin(self) -> None:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._opened))
        with _errors(self._address):
            # One step without any bytecode between, where a signal could come and lose the stream.
            self._opened.extend(map(self._files.open_output_stream, [self._path], [None]))
            self._opened[0].write(self._head)
        self._head = bytearray()


def _file_system(address: Address) -> fs.S3FileSystem:
    options = dict(address.options)
    endpoint, scheme = options.get("endpoint_override"), options.get("scheme")
    if endpoint is None:
        endpoint, named = _endpoint()
        scheme = scheme or named
    if scheme not in (None, "http", "https"):
        raise FileError(f"{address}: scheme is http or https")
    with _errors(address):
        return fs.S3FileSystem(
            endpoint_override=endpoint,
            scheme=scheme,
            region=options.get("region"),
            connect_timeout=CONNECT_SECONDS,
            request_timeout=SILENCE_SECONDS,
            retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=ATTEMPTS),
            # In the background parts would gather in memory if the network is slow.
            background_writes=False,
        )


def _endpoint() -> tuple[str | None, str | None]:
    """Return the server that the environment names, and how to reach it; pyarrow does not."""
    for name in ENDPOINTS:
        value = os.environ.get(name)
        if value:
            found = _SERVER.fullmatch(value)
            if found is None:
                raise FileError(f"{name} must be http:// or https://, a host and optionally a port")
            return found[2], found[1]
    return None, None


_DENIED = ("ACCESS_DENIED", "INVALID_ACCESS_KEY_ID", "SIGNATURE_DOES_NOT_MATCH", "401", "403")
_NO_BUCKET = ("NO_SUCH_BUCKET", "404")


@contextmanager
def _errors(address: Address, *, missing: bool = True) -> Iterator[None]:
    """Replace errors of the server or the network by ours; theirs may have any text."""
    try:
        yield
    except FileNotFoundError:
        if not missing:
            raise
        raise no_object(address) from None
    except (OSError, pa.ArrowException) as error:
        raise FileError(f"{address}: {_message(str(error))}") from None


def _message(text: str) -> str:
    found = re.search(r"AWS Error ([A-Z_]+)(?: \(HTTP status (\d+)\))? during (\w+)", text)
    if found is None:
        return "not a valid S3 address; check bucket and key"
    code = found[1] if found[2] is None else found[2]
    if found[1] == "NETWORK_CONNECTION":
        return (
            "the server can't be reached, or does not answer; check the network and "
            f"{ENDPOINTS[1]}, which names the server unless it is Amazon's"
        )
    if code in _DENIED:
        return (
            "access is denied; check the credentials (AWS_ACCESS_KEY_ID and "
            "AWS_SECRET_ACCESS_KEY, or AWS_PROFILE) and their permissions in the bucket's policy"
        )
    if code in _NO_BUCKET:
        return (
            "there is no such bucket, or no such access key; check the address and the credentials"
        )
    return (
        f"the server refused {found[3]} ({code}); check the bucket's name and its region "
        "(AWS_REGION, or ?region=)"
    )

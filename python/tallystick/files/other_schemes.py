# SPDX-License-Identifier: Apache-2.0
"""Objects of servers that fsspec knows, such as ``https://``, ``gs://`` or ``sftp://``."""

import io
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from tallystick.errors import FileError
from tallystick.files.objects import Opened, State, Upload, no_object
from tallystick.files.places import Address

_VERSIONS = ("size", "ETag", "etag", "mtime", "created", "updated", "LastModified", "generation")
"""What fsspec's file systems may tell of a version."""


class FsspecStore:
    """One object; see `tallystick.files.objects.Store`."""

    def __init__(self, address: Address) -> None:
        self._address = address
        try:
            from fsspec.core import url_to_fs
        except ImportError:
            raise FileError(
                f"{address}: to read addresses other than s3:// install fsspec "
                "(pip install 'tallystick[fsspec]')"
            ) from None
        try:
            self._files, self._path = url_to_fs(address.text)
        except ImportError:
            raise FileError(
                f"{address}: a package of fsspec for {address.scheme}:// is missing; install it "
                "(fsspec's documentation names it)"
            ) from None
        except ValueError:
            raise FileError(
                f"{address}: fsspec does not support {address.scheme}://; check the address"
            ) from None

    def state(self) -> State | None:
        """Return the state of this version, as far as the server gives it."""
        try:
            info = self._info()
        except FileNotFoundError:
            return None
        if info.get("type") == "directory":
            raise FileError(f"{self._address}: is a folder; give the address of a file")
        return tuple(str(info.get(name)) for name in _VERSIONS)

    def open(self) -> Opened:
        """Open it for reading."""
        try:
            info = self._info()
            with _errors(self._address):
                file = self._files.open(self._path, "rb", cache_type="none")
        except FileNotFoundError:
            raise no_object(self._address) from None
        # Of a web server it says "partial" if parts can be had.
        parts = info.get("partial", not self._address.scheme.startswith("http"))
        return _Opened(self._address, file, info.get("size") if parts else None)

    def create(self) -> Upload:
        """Begin to write it, under another name: not every file system can put it off."""
        folder, mark, name = self._path.rpartition("/")
        part = f"{folder}{mark}.{name}.{secrets.token_hex(4)}.part"
        with _errors(self._address):
            return _Upload(self._address, self._files, part, self._path)

    def delete(self) -> None:
        """Delete it, if it is there."""
        with suppress(FileNotFoundError), _errors(self._address):
            self._files.rm_file(self._path)

    def _info(self) -> dict[str, Any]:
        with _errors(self._address):
            self._files.invalidate_cache()
            found: dict[str, Any] = self._files.info(self._path)
            return found


class _Opened(Opened):
    def __init__(self, address: Address, file: Any, size: int | None) -> None:  # noqa: ANN401
        super().__init__(size, file)
        self._address = address
        self._at = 0

    def _read_at(self, offset: int, size: int) -> Any:  # noqa: ANN401, of bytes
        with _errors(self._address):
            if offset != self._at:
                self._file.seek(offset)
            data = self._file.read(size)
            self._at = offset + len(data)
            return data


class _Upload:
    def __init__(self, address: Address, files: Any, part: str, path: str) -> None:  # noqa: ANN401
        self._address = address
        self._files = files
        self._part = part
        self._path = path
        self._file = files.open(part, "wb")
        self._count = 0
        self._done = False

    def write(self, data: bytes | memoryview, /) -> object:
        with _errors(self._address):
            self._file.write(data)
        self._count += len(data)
        return len(data)

    def tell(self) -> int:
        return self._count

    def commit(self) -> None:
        with _errors(self._address):
            self._file.close()
            self._files.mv(self._part, self._path)
        self._done = True

    def abandon(self) -> str:
        if self._done:
            return ""
        with suppress(Exception):  # the first error tells more
            self._file.close()
        try:
            self._files.rm_file(self._part)
        except FileNotFoundError:
            return ""
        except Exception:
            return f"{self._part} can't be removed from the server; delete it"
        return ""


@contextmanager
def _errors(address: Address) -> Iterator[None]:
    """Replace errors of a file system by ours; its messages may show secrets."""
    try:
        yield
    except (FileNotFoundError, FileError):
        raise
    except (NotImplementedError, io.UnsupportedOperation):
        raise FileError(
            f"{address}: {address.scheme}:// does not support this; save to a file, and copy it"
        ) from None
    except PermissionError:
        raise FileError(
            f"{address}: access is denied; check the credentials and their permissions"
        ) from None
    except Exception as error:
        raise FileError(
            f"{address}: {address.scheme}:// failed ({type(error).__name__}); check the address, "
            "the network and the credentials"
        ) from None

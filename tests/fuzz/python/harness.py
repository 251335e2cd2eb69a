# SPDX-License-Identifier: Apache-2.0
"""What the fuzz targets share: coverage of our package, files in memory, and how errors must be.

A target imports this before anything of tallystick: only what is imported later counts coverage.
"""

from __future__ import annotations

import importlib
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import atheris

atheris.instrument_imports(include=["tallystick"]).__enter__()

from tallystick.errors import TallyError  # noqa: E402
from tallystick.keyring import KeyId, Keyring, RootKey  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]
RINGS = ROOT / "go" / "keyring" / "testdata"
ROOT_KEY = bytes(range(32))
"""The root key of the rings in `RINGS`; for tests alone, as all keys here."""
KEY = bytes(range(16))
OLD, NEW = KeyId.parse("people:1"), KeyId.parse("people:2")

os.environ["TALLYSTICK_ROOT"] = "env:FUZZ_ROOT_KEY"
os.environ["FUZZ_ROOT_KEY"] = ROOT_KEY.hex()

_ITSELF = shlex.join([sys.executable, os.path.abspath(sys.argv[0])])
"""What libFuzzer gives a shell to run the target anew: to merge, and to make inputs small."""

_PIECES = re.compile(rb"[^\x00-\x1f ,;|:!^~\"'\\]{8,}")


class Folder:
    """A folder that is there as long as the process, in memory if there is such a place."""

    def __init__(self) -> None:
        memory = Path("/dev/shm")  # noqa: S108 (mkdtemp makes a name of its own in it)
        made = tempfile.mkdtemp(prefix="tallystick-fuzz-", dir=memory if memory.is_dir() else None)
        self.path = Path(made)
        _remove_at_end(self.path)

    def file(self, name: str, data: bytes) -> Path:
        """Write a file, readable by its owner alone."""
        path = self.path / name
        path.write_bytes(data)
        path.chmod(0o600)
        return path

    def clear(self) -> None:
        """Remove everything that is in it."""
        for entry in self.path.iterdir():
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()

    def names(self) -> set[str]:
        """Return what is in it."""
        return {entry.name for entry in self.path.iterdir()}


def _remove_at_end(folder: Path) -> None:
    """Remove a folder after this process has ended, however it does: libFuzzer exits by itself."""
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.setsid()
        os.close(writing)
        for standard in (1, 2):
            os.dup2(reading, standard)  # nobody shall wait for their end
        os.read(reading, 1)
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(0)
    os.close(reading)
    os.set_inheritable(writing, False)


def ring() -> Keyring:
    """Open the ring that has people:1, people:2 and cards:1."""
    return Keyring.open(RINGS / "people.keys", RootKey.parse("env:FUZZ_ROOT_KEY"))


def pieces(data: bytes, but: bytes = b"") -> set[str]:
    """Return what no message may show of a file: its longer words, less those of `but`."""
    known = but.lower()
    return {
        piece.decode(errors="replace")
        for piece in _PIECES.findall(data)
        if piece.lower() not in known and len(set(piece)) > 3
    }


def size_of(typed: atheris.FuzzedDataProvider, few: int, most: int) -> int:
    """Return a size up to `few`; once in 256 one up to `most`, the documented maximum."""
    if typed.ConsumeIntInRange(0, 255) < 255:
        return int(typed.ConsumeIntInRange(0, few))
    return int((most, most - 1, typed.ConsumeIntInRange(0, most))[typed.ConsumeIntInRange(0, 2)])


@contextmanager
def refusing(hidden: Iterable[str] = ()) -> Iterator[None]:
    """Let our own errors pass, if they say something, and nothing of what is hidden."""
    try:
        yield
    except TallyError as error:
        text = str(error)
        if not text.strip():
            raise AssertionError("an error without a message") from error
        for value in hidden:
            if value in text:
                raise AssertionError("a value in a message") from error


def refused(call: Callable[[], object], hidden: Iterable[str] = ()) -> bool:
    """Say whether a call ends with an error of ours."""
    done = False
    with refusing(hidden):
        call()
        done = True
    return not done


def _escaped(word: str) -> str:
    return "".join(
        chr(byte) if byte in range(32, 127) and byte not in b'"\\' else f"\\x{byte:02x}"
        for byte in word.encode()
    )


def fuzz(
    target: Callable[[bytes], None], words: Sequence[str] = (), *, flags: Sequence[str] = ()
) -> None:
    """Run a target for ever, or as libFuzzer's flags on the command line say.

    Parameters
    ----------
    words : sequence of str
        What is often in the data: libFuzzer's dictionary.
    flags : sequence of str
        More flags; those of the command line come first.
    """
    with suppress(ImportError):
        importlib.import_module(
            "pandas"
        )  # Arrow imports it with its first array: not in an input's time
    given = ["-timeout=60", "-report_slow_units=25", *flags]
    if words:
        lines = "".join(f'"{_escaped(word)}"\n' for word in words if word)
        given.append(f"-dict={Folder().file('words', lines.encode())}")
    # Last, so that it counts: what atheris adds to our code loses some kilobytes of memory a run
    # (without it none is lost).
    atheris.Setup([_ITSELF, *given, *sys.argv[1:], "-rss_limit_mb=6144"], target)
    atheris.Fuzz()

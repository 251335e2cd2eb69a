# SPDX-License-Identifier: Apache-2.0
"""Protects, disperses and recovers files of many gigabytes, and measures memory: `make size`.

CSV comes through a pipe, made on the fly; Parquet, which is read at several places, is made first.
All is in build/size/, about 2.7 times the size at once, and is removed again. Memory is the
kernel's high-water mark of resident memory (VmHWM) of the one process that a command is; that it
starts no other is looked at too. A command with more than 500 MB fails; Python's functions, which
leave Arrow's allocator as it is, are measured alone.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "size"
PROGRAM = Path(sys.executable).with_name("tallystick")
MOST_MB = 500
POLICY = """\
[columns]
ssn = { format = "ssn", key = "people:1", namespace = "person id" }
name = { format = "letters", key = "people:1", namespace = "name" }
card = { format = "digits", key = "people:1", namespace = "card" }
"""
LENGTHS = '[columns]\nid = { format = "digits", key = "people:1", namespace = "d" }\n'
SETTINGS = {
    "TALLYSTICK_POLICY": "people.toml",
    "TALLYSTICK_KEYRING": "people.keys",
    "TALLYSTICK_ROOT": "file:root.key",
}
HEADER = b"id,ssn,name,card,note\n"
BLOCK_ROWS = 100_000
GROUP_ROWS = 860_000
"""Of Parquet: row groups of 79 MiB, just below what is split, which take the most memory."""
MAKE_PARQUET = """
import sys, pyarrow as pa, pyarrow.parquet as pq
from tests.size import GROUP_ROWS as rows, columns
size, path = int(sys.argv[1]), sys.argv[2]
with open(path, "wb") as file:
    table = pa.table(columns(rows))
    writer = pq.ParquetWriter(file, table.schema, compression="none", use_dictionary=False)
    while file.tell() < size:
        writer.write_table(table, row_group_size=rows)
    writer.close()
print(pq.read_metadata(path).num_rows)
"""
COMPARE_PARQUET = """
import sys, pyarrow as pa, pyarrow.parquet as pq
from tests.size import GROUP_ROWS as rows, columns
once = pa.table(columns(rows))
made, at = pa.concat_tables([once, once]), 0  # a batch may lie across the end of one
for batch in pq.ParquetFile(sys.argv[2]).iter_batches():
    if not pa.table(batch).equals(made.slice(at % rows, len(batch))):
        sys.exit(f"another value in {len(batch)} rows from row {at} on")
    at += len(batch)
if at != int(sys.argv[1]):
    sys.exit(f"{at} rows in place of {sys.argv[1]}")
"""
PROTECT = """
import sys
from pathlib import Path
from tallystick.keyring import Keyring, RootKey
from tallystick.policy import Policy
from tallystick.protection import protect_file
keyring = Keyring.open("people.keys", RootKey.parse("file:root.key"))
protect_file(*map(Path, sys.argv[1:]), Policy.load("people.toml"), keyring)
"""


def columns(rows: int) -> dict[str, list[str]]:
    """Return columns of about 80 bytes a row together."""
    return {
        "id": [f"{row:08}" for row in range(rows)],
        "ssn": [f"{row * 7919 % 899 + 1:03}-{row % 99 + 1:02}-{row * 31 % 9999 + 1:04}"
                for row in range(rows)],
        "name": [f"Person {_letters(row)}" for row in range(rows)],
        "card": [f"{row * 104_729 % 10**16:016}" for row in range(rows)],
        "note": [f"a note of row number {row}" for row in range(rows)],
    }  # fmt: skip


def _letters(number: int) -> str:
    return "".join(chr(ord("a") + int(digit)) for digit in f"{number:07}")


def csv_block() -> bytes:
    """Return rows of a CSV file."""
    rows = zip(*columns(BLOCK_ROWS).values(), strict=True)
    return "".join(",".join(row) + "\n" for row in rows).encode()


class Fed:
    """So many bytes of CSV or a few more, as they are written into a pipe; their size and hash."""

    def __init__(self, path: Path, size: int) -> None:
        self._path, self._least = path, size
        self._hash = hashlib.sha256()
        self.size = 0

    def __call__(self) -> None:
        """Write all, once."""
        block = csv_block()
        with self._path.open("wb") as pipe:
            for piece in (HEADER, *[block] * -(-self._least // len(block))):
                pipe.write(piece)
                self._hash.update(piece)
                self.size += len(piece)

    def digest(self) -> str:
        """Return the hash of what was written."""
        return self._hash.hexdigest()


class TooMuchError(Exception):
    """A command failed, or took too much memory."""


def measured(what: str, arguments: str, meanwhile: Callable[[], object] | None = None) -> int:
    """Run a command of the program, which may take `MOST_MB`; return its kilobytes of memory."""
    most = taken(what, [str(PROGRAM), *arguments.split(), "--quiet"], meanwhile)
    if most * 1024 > MOST_MB * 10**6:
        raise TooMuchError(f"{what}: more than {MOST_MB} MB")
    return most


def taken(what: str, command: list[str], meanwhile: Callable[[], object] | None = None) -> int:
    """Run a command, say what it took, and return the kilobytes of its memory."""
    started = time.monotonic()
    process = subprocess.Popen(command, cwd=FOLDER, env={**os.environ, **SETTINGS})
    beside = threading.Thread(target=meanwhile, daemon=True)
    if meanwhile is not None:
        beside.start()
    most, children = 0, set[str]()
    status, tasks = (Path(f"/proc/{process.pid}/{name}") for name in ("status", "task"))
    while process.poll() is None:
        with suppress(OSError, ValueError):
            fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
            most = max(most, int(fields["VmHWM"].split()[0]) if "VmHWM" in fields else 0)
            for task in tasks.iterdir():
                children.update((task / "children").read_text().split())
        time.sleep(0.02)
    seconds = time.monotonic() - started
    if process.returncode != 0 or children or most == 0:
        raise TooMuchError(f"{what}: exit code {process.returncode}, children {children}")
    if meanwhile is not None:
        beside.join()
    print(f"{what}: {most * 1024 / 1e6:.0f} MB of memory, {seconds:.0f} s", flush=True)
    return most


def digest(path: Path) -> str:
    """Return a hash of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def csv(size: int) -> None:
    """Protect CSV from a pipe, disperse the result, and recover it."""
    os.mkfifo(FOLDER / "pipe")
    fed = Fed(FOLDER / "pipe", size)
    measured("protect CSV", "protect pipe tokens.csv --type csv", fed)
    tokens = FOLDER / "tokens.csv"
    if tokens.stat().st_size < fed.size:
        raise TooMuchError("the result is too short")
    print(f"a file of {tokens.stat().st_size / 1e9:.1f} GB")
    measured("share split", "share split tokens.csv --shares 5 --threshold 3 --name part")
    before = digest(tokens)
    tokens.unlink()
    (FOLDER / "part-1-of-5.share").unlink()
    measured(
        "share combine",
        "share combine part-2-of-5.share part-4-of-5.share part-5-of-5.share --to back.csv",
    )
    if digest(FOLDER / "back.csv") != before:
        raise TooMuchError("share combine: not what was dispersed")
    for path in FOLDER.glob("part-*"):
        path.unlink()
    (FOLDER / "back.csv").rename(tokens)
    measured("reveal CSV", "reveal tokens.csv back.csv")
    back = FOLDER / "back.csv"
    if back.stat().st_size != fed.size or digest(back) != fed.digest():
        raise TooMuchError("reveal CSV: not what was protected")
    for path in (tokens, back):
        path.unlink()


def script(code: str, number: int, name: str) -> str:
    """Run a program with a number and a file, outside of this process; return what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", code, str(number), name],
        cwd=FOLDER,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise TooMuchError(f"{name}: {done.stderr.strip()}")
    return done.stdout


def parquet(size: int) -> None:
    """Protect a Parquet file, and reveal it; every value must come back."""
    rows = int(script(MAKE_PARQUET, size, "people.parquet"))
    print(f"a file of {(FOLDER / 'people.parquet').stat().st_size / 1e9:.1f} GB")
    again = ("people.parquet", "again.parquet")
    taken("protect_file of Python", [sys.executable, "-c", PROTECT, *again])
    (FOLDER / again[1]).unlink()
    measured("protect Parquet, 4 threads", f"protect {' '.join(again)} --threads 4")
    (FOLDER / again[1]).unlink()
    measured("protect Parquet", "protect people.parquet tokens.parquet")
    (FOLDER / "people.parquet").unlink()
    measured("reveal Parquet", "reveal tokens.parquet back.parquet")
    script(COMPARE_PARQUET, rows, "back.parquet")


def lengths(size: int) -> None:
    """Protect values of ten thousand lengths, and of a thousand; the size is of no account."""
    peaks = []
    for count in (1000, 10_000):
        rows = "".join("7" * length + "\n" for length in range(6, count + 6))
        (FOLDER / "lengths.csv").write_text("id\n" + rows)
        command = "protect lengths.csv long.csv --overwrite --policy lengths.toml"
        peaks.append(measured(f"{count:,} lengths", command))
    if peaks[1] > peaks[0] + 100_000:
        raise TooMuchError("memory grows with the number of lengths")


def main() -> int:
    """Run all; the argument is the size in gigabytes, and after it may be which."""
    size = int(float(sys.argv[1]) * 1e9) if len(sys.argv) > 1 else 10**10
    parts = {"csv": csv, "parquet": parquet, "lengths": lengths}
    chosen = sys.argv[2:] or list(parts)
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    free = shutil.disk_usage(FOLDER).free
    if free < 3 * size:
        print(f"size: {3 * size / 1e9:.0f} GB are needed in build/, and {free / 1e9:.0f} are free")
        return 2
    failed = 0
    try:
        (FOLDER / "people.toml").write_text(POLICY)
        (FOLDER / "lengths.toml").write_text(LENGTHS)
        for arguments in (["new", "people.keys"], ["add", "people.keys", "people"]):
            subprocess.run(
                [PROGRAM, "keyring", *arguments, "--root", "file:root.key"],
                cwd=FOLDER,
                stdout=subprocess.DEVNULL,
                check=True,
            )
        for name in chosen:
            try:
                parts[name](size)
            except TooMuchError as error:
                print(error)
                failed += 1
    finally:
        shutil.rmtree(FOLDER)
    print(f"size: {len(chosen) - failed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())

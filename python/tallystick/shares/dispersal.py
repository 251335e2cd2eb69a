# SPDX-License-Identifier: Apache-2.0
"""Files of any size among several people: the core's tallystick/dispersal.h, on files.

A file's share is an authentic share of a fresh key, then its part of every stripe of the encrypted
file: about 1/threshold of it. Both directions hold some MiB at a time, whatever the size of the
file and the number of shares.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from tallystick._core import ffi, lib
from tallystick.atomic import complete_file, complete_files, file_errors, why
from tallystick.errors import FileError, NotEnoughSharesError, ShareError
from tallystick.memory import check as check_status
from tallystick.memory import secret_memory, wipe
from tallystick.reading import unchanged
from tallystick.shares import printed
from tallystick.shares.authentic import (
    Combined,
    Share,
    Verdict,
    native_params,
    read,
    recovered,
)

BATCH_BYTES = 4 << 20
"""About how much of a file is in memory at a time."""
RECORDS_BYTES = 32 << 20
"""At most about so much of all shares together, unless single stripes have more."""
HEAD_BYTES = 512
"""No share of a key is larger."""
HEDGE_BYTES = 1 << 20
"""So much of a file goes into its key, beside the system's randomness."""

Progress = Callable[[int], None]
"""Called with the number of bytes of the file that are done."""


@dataclass(frozen=True, slots=True)
class Recovered:
    """The result of a recovery."""

    found: Combined
    """The shares' set, and a verdict on each given share. It does not contain the key."""
    size: int
    """The size of the file in bytes."""
    stripes: int
    """The number of stripes of the file."""
    damaged: dict[int, int]
    """For each share's index the number of parts that are damaged, cut short or missing.
    Recovery reads no more shares than it needs; verification reads all."""


def disperse(
    source: Path | BinaryIO,
    targets: Sequence[Path],
    *,
    threshold: int,
    label: str = "",
    overwrite: bool = False,
    progress: Progress | None = None,
) -> str:
    """Disperse a file among shares.

    Parameters
    ----------
    source : pathlib.Path or binary stream
        The file, of any size. It is read once, from beginning to end.
    targets : sequence of pathlib.Path
        A file for each share, 2 to 255. They appear, with mode 0600, when all are complete.
    threshold : int
        The number of shares that recover the file: 2..len(targets).
    label : str
        A description of the file, at most 255 bytes in UTF-8. Every share shows it.
    overwrite : bool
        Whether existing targets may be replaced.
    progress : callable, optional
        See `Progress`.

    Returns
    -------
    str
        The set's id.

    Raises
    ------
    ParameterError
        An argument is outside its range.
    FileError
        A file can't be read or written, or changed while it was read; or a target exists, or two
        targets are one file.
    """
    params, kept = native_params(
        lib.TALLY_SHARES_FILE, len(targets), threshold, label, lib.TALLY_DISPERSAL_KEY
    )
    if len({os.path.realpath(target) for target in targets}) < len(targets):
        raise FileError("two shares can't be one file; give a name for each")
    state_size = lib.tally_dispersal_size(params)
    held, made = secret_memory(state_size), ffi.new("tally_dispersal **")
    with file_errors(targets[0].parent), ExitStack() as open_files:
        stream = open_files.enter_context(_opened(source))
        outputs = open_files.enter_context(
            complete_files(targets, private=True, overwrite=overwrite)
        )
        open_files.enter_context(unchanged(stream))
        stripe_size = threshold * lib.TALLY_DISPERSAL_PART
        batch = _batch(stripe_size, len(targets)) * stripe_size
        data = _read(stream, batch)
        heads = [bytearray(lib.tally_shares_size(params)) for _ in targets]
        hedge = data[:HEDGE_BYTES]
        with ffi.from_buffer(hedge) as view:
            check_status(
                lib.tally_dispersal_init(
                    params, view, len(hedge), held, state_size, made, _pointers(heads)
                ),
                "disperse",
            )
        state = made[0]
        for output, head in zip(outputs, heads, strict=True):
            output.write(head)
        records = [bytearray(lib.tally_dispersal_records_size(state, batch, 0)) for _ in targets]
        pointers = _pointers(records)
        set_id = read(heads[0]).set_id
        done = 0
        while True:
            following = _read(stream, batch)
            last = not following
            with ffi.from_buffer(data) as view:
                check_status(
                    lib.tally_dispersal_encode(
                        state, done // stripe_size, view, len(data), last, pointers
                    ),
                    "disperse",
                )
            size = lib.tally_dispersal_records_size(state, len(data), last)
            for output, record in zip(outputs, records, strict=True):
                output.write(memoryview(record)[:size])
            done += len(data)
            if progress is not None:
                progress(done)
            if last:
                break
            data = following
    del kept
    return set_id


def recover(
    sources: Sequence[Path],
    target: Path,
    *,
    set_id: str | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> Recovered:
    """Recover a dispersed file from shares in any order.

    Every part is verified before anything of its stripe is written. A damaged part is replaced by
    another share's part.

    Parameters
    ----------
    sources : sequence of pathlib.Path
        The shares.
    target : pathlib.Path
        The file to write. It appears, with mode 0600, when it is complete.
    set_id : str, optional
        The set to recover, if there may be enough shares of several sets.
    overwrite : bool
        Whether an existing target may be replaced.
    progress : callable, optional
        See `Progress`.

    Returns
    -------
    Recovered
        The set, the sizes and the damage found.

    Raises
    ------
    NotEnoughSharesError
        No set has as many good shares as its threshold.
    ShareError
        The shares are of a secret, not of a file; or a stripe has too few good parts. Nothing is
        written then.
    FileError
        A share can't be read or is a pipe, or the target exists or can't be written.
    """
    with (
        file_errors(target),
        complete_file(target, private=True, overwrite=overwrite) as output,
    ):
        return _unseal(sources, set_id, output.write, progress, look_at_all=False)


def verify(
    sources: Sequence[Path], *, set_id: str | None = None, progress: Progress | None = None
) -> Recovered:
    """Verify every part of every share of a dispersed file. Writes nothing.

    Parameters
    ----------
    sources, set_id, progress
        As for `recover`.

    Returns
    -------
    Recovered
        The damage found. If it returns, the file can be recovered.

    Raises
    ------
    NotEnoughSharesError, ShareError, FileError
        As for `recover`.
    """
    return _unseal(sources, set_id, lambda _: None, progress, look_at_all=True)


def _unseal(
    sources: Sequence[Path],
    set_id: str | None,
    write: Callable[[memoryview], object],
    progress: Progress | None,
    *,
    look_at_all: bool,
) -> Recovered:
    with ExitStack() as open_files:
        files = [open_files.enter_context(_opened_share(source)) for source in sources]
        heads = [_read(file, HEAD_BYTES) for file in files]
        try:
            found = recovered(heads, set_id)
        except NotEnoughSharesError as error:
            texts = (head.decode("utf-8", "replace") for head in heads)
            if error.good == 0 and any(map(printed.is_framed, texts)):
                raise ShareError(_NOT_A_FILE) from None
            raise
        try:
            share = _file_share(found)
            state = _opened_state(heads, found)
        finally:
            wipe(found.secret)
        copies: dict[int, list[BinaryIO]] = {}
        for head, file, verdict in zip(heads, files, found.verdicts, strict=True):
            if verdict in (Verdict.GOOD, Verdict.REPEATED):
                copies.setdefault(head[_INDEX], []).append(file)
        reader = _Reader(state, copies, share.size, share.threshold, look_at_all=look_at_all)
        while not reader.is_last:
            write(reader.next())
            if progress is not None:
                progress(reader.size)
        reader.see_ends()
        return Recovered(
            Combined(share, found.good, found.verdicts), reader.size, reader.stripe, reader.damaged
        )


class _Reader:
    """Reads stripes from as many shares as are needed, those of the data itself first.

    Of a share that was given several times another copy is read only where the one before it is
    damaged and no other share can replace it.
    """

    def __init__(
        self,
        state: Any,  # noqa: ANN401
        copies: dict[int, list[BinaryIO]],
        head: int,
        threshold: int,
        *,
        look_at_all: bool,
    ) -> None:
        self.size = 0
        self.stripe = 0
        self.is_last = False
        self.damaged: dict[int, int] = dict.fromkeys(sorted(copies), 0)
        self._state = state
        self._copies = copies
        self._head = head
        self._threshold = threshold
        self._look_at_all = look_at_all
        stripe_size = lib.tally_dispersal_stripe_size(state)
        self._batch = _batch(stripe_size, len(copies))
        self._out = bytearray(self._batch * stripe_size)
        self._buffers: dict[int, bytearray] = {}
        self._missing: list[int] = []

    def next(self) -> memoryview:
        """Return the data of some stripes."""
        before = self.stripe
        everyone = sorted(self._copies)
        # Shares that were found damaged wait until they are needed.
        whole_first = sorted(everyone, key=lambda index: (self.damaged[index] > 0, index))
        some = everyone if self._look_at_all else sorted(whole_first[: self._threshold])
        released = self._unseal(some)
        if self.stripe == before and some != everyone:
            released = self._unseal(everyone)
        for _ in range(max(map(len, self._copies.values())) - 1):
            if self.stripe == before:
                self._turn()
                released = self._unseal(everyone)
        if self.stripe == before:
            raise ShareError(
                f"stripe {self.stripe + 1} of the file has too few good parts: {self._threshold} "
                f"are needed; parts are damaged or missing in {_listed(self._missing)}: give a "
                "good copy of one of these, or another share"
            )
        return memoryview(self._out)[:released]

    def _turn(self) -> None:
        """Go on to the next copies of the shares whose parts are damaged."""
        for index in self._missing:
            copies = self._copies[index]
            if len(copies) > 1:
                copies.append(copies.pop(0))
                self.damaged[index] = max(self.damaged[index], 1)

    def _unseal(self, indices: list[int]) -> int:
        width = self._batch * lib.TALLY_DISPERSAL_RECORD
        sizes = []
        for index in indices:
            buffer = self._buffers.setdefault(index, bytearray(width))
            place = self._head + self.stripe * lib.TALLY_DISPERSAL_RECORD
            sizes.append(_read_at(self._copies[index][0], place, buffer))
        damaged = ffi.new("uint64_t[]", len(indices))
        found = ffi.new("tally_dispersal_found *")
        with ffi.from_buffer(self._out, require_writable=True) as out:
            status = lib.tally_dispersal_decode(
                self._state,
                self.stripe,
                self._batch,
                ffi.new("uint8_t[]", indices),
                _pointers([self._buffers[index] for index in indices]),
                ffi.new("size_t[]", sizes),
                len(indices),
                out,
                damaged,
                found,
            )
        if status != lib.TALLY_ERROR_SHARES_FEW:
            check_status(status, "recover")
        bits = int.from_bytes(bytes(found.missing), "little")
        self._missing = [index for index in indices if bits >> index & 1]
        for index, count in zip(indices, damaged, strict=True):
            self.damaged[index] += count
        self.size += found.size
        self.stripe += found.stripes
        self.is_last = bool(found.is_last)
        return int(found.size)

    def see_ends(self) -> None:
        """Count what follows the last record as damage."""
        size = self._head + lib.tally_dispersal_records_size(self._state, self.size, 1)
        for index, (file, *_) in self._copies.items():
            if file.seek(0, os.SEEK_END) > size:
                self.damaged[index] = max(self.damaged[index], 1)


_INDEX = 8
"""The place of a share's index in its bytes."""

_NOT_A_FILE = (
    "these are shares of a secret, not of a dispersed file: `tallystick share combine` recovers "
    "it, and in Python tallystick.shares.combine"
)


def _opened_state(heads: Sequence[bytearray], found: Combined) -> Any:  # noqa: ANN401
    """Return the core's state for a file whose key was found."""
    first, made = ffi.new("tally_share *"), ffi.new("tally_dispersal **")
    head = heads[found.verdicts.index(Verdict.GOOD)]
    with ffi.from_buffer(head) as view, ffi.from_buffer(found.secret) as key:
        lib.tally_shares_read(view, len(head), first)
        size = lib.tally_dispersal_size(ffi.addressof(first, "params"))
        held = secret_memory(size)
        check_status(lib.tally_dispersal_init_with_key(first, key, held, size, made), "recover")
    # The destructor holds the memory, which wipes itself.
    return ffi.gc(made[0], lambda _state: held)


def _file_share(found: Combined) -> Share:
    """Return one of the shares that were found, if they are a file's."""
    share = found.share
    if share is None or share.kind != "file":
        raise ShareError(_NOT_A_FILE)
    if share.secret_size != lib.TALLY_DISPERSAL_KEY:
        raise ShareError(
            f"these shares are marked as a file's, but they share {share.secret_size} bytes "
            f"instead of a key of {lib.TALLY_DISPERSAL_KEY}: their maker broke the rules; do not "
            "trust them"
        )
    return share


def _listed(indices: list[int]) -> str:
    return f"share{'s' * (len(indices) > 1)} {', '.join(map(str, indices))}"


def _batch(stripe_size: int, shares: int) -> int:
    """Return how many stripes are worked on at a time."""
    records: int = RECORDS_BYTES // (shares * lib.TALLY_DISPERSAL_RECORD)
    return max(1, min(BATCH_BYTES // stripe_size, records))


def _pointers(buffers: Sequence[bytearray]) -> Any:  # noqa: ANN401
    """Return a list of pointers for the core; the buffers must not be resized."""
    return ffi.new(
        "uint8_t *[]", [ffi.from_buffer(buffer, require_writable=True) for buffer in buffers]
    )


@contextmanager
def _opened(source: Path | BinaryIO) -> Iterator[BinaryIO]:
    """Give a stream of a file, which is closed afterwards, or the one that is given."""
    if not isinstance(source, Path):
        yield source
        return
    try:
        file = source.open("rb", buffering=0)
    except OSError as error:
        raise FileError(f"{source}: can't be read: {why(error)}") from error
    with file:
        yield file


@contextmanager
def _opened_share(source: Path) -> Iterator[BinaryIO]:
    """Give a stream of a share, which is read at several places."""
    if source.is_fifo():
        raise FileError(
            f"{source}: a dispersed file's share is read more than once, so it can't be a pipe; "
            "save it as a file"
        )
    with _opened(source) as file:
        yield file


def _read_at(file: BinaryIO, place: int, data: bytearray) -> int:
    """Read what can be read; the rest of a share on a bad disk counts as missing."""
    filled = 0
    with suppress(OSError), memoryview(data) as view:
        file.seek(place)
        while count := file.readinto(view[filled:]):  # type: ignore[attr-defined]
            filled += count
    return filled


def _read(stream: BinaryIO, size: int) -> bytearray:
    """Return the next bytes of a stream: `size`, or all that are left."""
    data = bytearray(size)
    filled = _read_into(stream, data)
    del data[filled:]
    return data


def _read_into(stream: BinaryIO, data: bytearray) -> int:
    filled = 0
    with file_errors(getattr(stream, "name", "the source")), memoryview(data) as view:
        while filled < len(data):
            count = stream.readinto(view[filled:])  # type: ignore[attr-defined]
            if not count:
                break
            filled += count
    return filled

# SPDX-License-Identifier: Apache-2.0
"""Authentic shares of a secret: the core's tallystick/shares.h."""

import enum
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

from tallystick._core import ffi, lib
from tallystick.errors import NotEnoughSharesError, ParameterError, ShareError
from tallystick.memory import HoldsKeys, flat, wipe
from tallystick.memory import check as check_status

MAX_SECRET: int = lib.TALLY_SHARES_MAX_SECRET
"""Bytes of a secret."""
MAX_LABEL: int = lib.TALLY_SHARES_MAX_LABEL
"""Bytes of a label in UTF-8."""
MAX_SHARES = 255
"""Shares of a set."""
MAX_GIVEN: int = lib.TALLY_SHARES_MAX_GIVEN
"""Shares that can be given to one call."""


class Verdict(enum.Enum):
    """The state of a given share."""

    GOOD = "good"
    MALFORMED = "not a share of this version, or cut short"
    DAMAGED = "damaged or altered"
    FOREIGN = "of another set"
    REPEATED = "given twice"


_VERDICTS = {
    lib.TALLY_SHARE_GOOD: Verdict.GOOD,
    lib.TALLY_SHARE_MALFORMED: Verdict.MALFORMED,
    lib.TALLY_SHARE_DAMAGED: Verdict.DAMAGED,
    lib.TALLY_SHARE_FOREIGN: Verdict.FOREIGN,
    lib.TALLY_SHARE_REPEATED: Verdict.REPEATED,
}


@dataclass(frozen=True, slots=True)
class Share:
    """The facts in a share. They are authenticated: a change of any of them is detected."""

    set_id: str
    """32 hexadecimal digits, equal in all shares of a set and unique to it."""
    index: int
    """The share's number, 1..count."""
    threshold: int
    """The number of shares that recover the secret."""
    count: int
    """The number of shares."""
    label: str
    """A public description of the secret."""
    kind: Literal["secret", "file"]
    """Whether the secret itself is shared, or the key of a dispersed file."""
    secret_size: int
    """The size of the secret in bytes."""
    size: int
    """The size of the share in bytes. The parts of a dispersed file follow it."""


@dataclass(frozen=True, slots=True)
class Combined(HoldsKeys):
    """The result of looking at several shares."""

    share: Share | None
    """One share of the set, with its parameters. None if no share is good."""
    good: int
    """The number of different good shares of the set."""
    verdicts: tuple[Verdict, ...]
    """The verdict on each given share, in order."""
    secret: bytearray = field(default_factory=bytearray, repr=False)
    """The secret; empty if it was not requested. Overwrite it when it is no longer needed."""


def split(
    secret: bytes | bytearray, *, shares: int, threshold: int, label: str = ""
) -> list[bytes]:
    """Split a secret into authentic shares.

    Parameters
    ----------
    secret : bytes-like
        1..`MAX_SECRET` bytes. Use `disperse` for more.
    shares : int
        The number of shares, at most 255.
    threshold : int
        The number of shares that recover the secret: 2..shares. Fewer reveal only the secret's
        size.
    label : str
        A description of the secret, at most `MAX_LABEL` bytes in UTF-8. Every share shows it.

    Returns
    -------
    list of bytes
        The shares with the indices 1, 2, ..., shares.

    Raises
    ------
    ParameterError
        An argument is outside its range.
    TallyError
        The operating system provided no entropy.
    """
    given = flat(secret)
    if not 1 <= len(given) <= MAX_SECRET:
        raise ParameterError(
            f"a secret has 1 to {MAX_SECRET} bytes, and this one {len(given)}; "
            "larger ones can be dispersed as a file"
        )
    params, kept = native_params(lib.TALLY_SHARES_SECRET, shares, threshold, label, len(given))
    made = [bytearray(lib.tally_shares_size(params)) for _ in range(shares)]
    views = [ffi.from_buffer(share, require_writable=True) for share in made]
    with ffi.from_buffer(given) as view:
        check_status(lib.tally_shares_split(params, view, ffi.new("uint8_t *[]", views)), "split")
    del kept
    return _taken(made)


def _taken(shares: Sequence[bytearray]) -> list[bytes]:
    """Return shares as bytes, and wipe what they were made in."""
    kept = [bytes(share) for share in shares]
    for share in shares:
        wipe(share)
    return kept


def native_params(
    kind: int, shares: int, threshold: int, label: str, secret_size: int
) -> tuple[Any, Any]:
    """Return a set's parameters as the core has them, and what they point to.

    Raises
    ------
    ParameterError
        One is outside its range.
    """
    text = check_params(shares, threshold, label)
    held = ffi.new("uint8_t[]", text or b"\0")
    params = ffi.new(
        "tally_shares_params *", (kind, threshold, shares, secret_size, len(text), held)
    )
    return params, held


def check_threshold(threshold: int, count: int, what: str = "shares") -> None:
    """Check how many of how many shares, or holders of them, recover a secret.

    Raises
    ------
    ParameterError
        One is outside its range.
    """
    if not 2 <= threshold <= count <= MAX_SHARES:
        raise ParameterError(
            f"threshold {threshold} of {count} {what}: the threshold must be 2 or more and at most "
            f"the number of {what}; there are at most {MAX_SHARES} {what}"
        )


def check_params(shares: int, threshold: int, label: str) -> bytes:
    """Check what a set is asked to be, and return its label in UTF-8.

    Raises
    ------
    ParameterError
        One is outside its range.
    """
    check_threshold(threshold, shares)
    if not label.isprintable():
        raise ParameterError("a label is one line of printable characters")
    text = label.encode("utf-8")
    if len(text) > MAX_LABEL:
        raise ParameterError(f"a label has at most {MAX_LABEL} bytes, not {len(text)}")
    return text


def share_of(native: Any) -> Share:  # noqa: ANN401
    """Return a share that the core has read."""
    params = native.params
    label = bytes(ffi.buffer(params.label, params.label_size)) if params.label_size else b""
    return Share(
        set_id=bytes(native.set).hex(),
        index=native.index,
        threshold=params.threshold,
        count=params.count,
        label=label.decode("utf-8", errors="replace"),
        kind="file" if params.kind == lib.TALLY_SHARES_FILE else "secret",
        secret_size=params.secret_size,
        size=native.size,
    )


def read(share: bytes | bytearray) -> Share:
    """Read one share, and verify it by itself.

    Parameters
    ----------
    share : bytes-like
        A share, or the beginning of a dispersed file's share.

    Returns
    -------
    Share
        The facts in the share.

    Raises
    ------
    ShareError
        It is not a share, or incomplete, damaged or altered.
    """
    out = ffi.new("tally_share *")
    with ffi.from_buffer(share) as view:
        verdict = _VERDICTS[lib.tally_shares_read(view, len(view), out)]
        if verdict is not Verdict.GOOD:
            index = out.index if out.size else None
            which = "" if index is None else f"share {index}: "
            text = f"{which}it is {verdict.value}; find a good copy of it"
            raise ShareError(text, index=index)
        return share_of(out)


def check(
    shares: Sequence[bytes | bytearray], *, set_id: str | None = None
) -> tuple[Combined, ShareError | None]:
    """Verify shares without revealing the secret.

    Parameters
    ----------
    shares, set_id
        As for `combine`.

    Returns
    -------
    tuple of Combined and (ShareError or None)
        The result, with an empty secret; and the error that `combine` would raise.

    Raises
    ------
    ParameterError
        An argument is outside its range.
    """
    return _look(shares, set_id, recover=False)


def combine(shares: Sequence[bytes | bytearray], *, set_id: str | None = None) -> Combined:
    """Recover the secret from shares in any order, with a verdict on each share.

    Bad shares do no harm if there are enough good ones. The work is one hash of each given share,
    and of each share of the set, which are all made again from the secret.

    Parameters
    ----------
    shares : sequence of bytes-like
        At most `MAX_GIVEN` shares.
    set_id : str, optional
        The set to recover, if there may be enough shares of several sets.

    Returns
    -------
    Combined
        The secret, its label and parameters, and a verdict on each share.

    Raises
    ------
    NotEnoughSharesError
        No set has as many good shares as its threshold.
    ShareError
        There are enough shares of several sets, or the shares are not a sharing of one secret, or
        are of a dispersed file.
    ParameterError
        An argument is outside its range.
    """
    found = recovered(shares, set_id)
    if found.share is not None and found.share.kind == "file":
        wipe(found.secret)
        raise ShareError(
            "these are shares of a dispersed file, not of a secret: tallystick.shares.recover "
            "reads their files"
        )
    return found


def recovered(shares: Sequence[bytes | bytearray], set_id: str | None) -> Combined:
    """Return the result of `combine`; of shares of a dispersed file, the secret is its key."""
    found, error = _look(shares, set_id, recover=True)
    if error is not None:
        raise error
    return found


def _look(
    shares: Sequence[bytes | bytearray], set_id: str | None, *, recover: bool
) -> tuple[Combined, ShareError | None]:
    if len(shares) > MAX_GIVEN:
        raise ParameterError(f"{len(shares)} shares are too many: give at most {MAX_GIVEN}")
    name = ffi.NULL if set_id is None else ffi.new("uint8_t[16]", set_name(set_id))
    # The core reads a share more than once: another thread must not change it in between.
    own = [share if isinstance(share, bytes) else bytearray(share) for share in shares]
    views = [ffi.from_buffer(share) for share in own]
    verdicts = ffi.new("tally_share_verdict[]", max(len(shares), 1))
    found = ffi.new("tally_shares_found *")
    secret = bytearray(MAX_SECRET if recover else 0)
    with ffi.from_buffer(secret, require_writable=True) as out:
        status = lib.tally_shares_recover(
            ffi.new("uint8_t *[]", views),
            ffi.new("size_t[]", [len(share) for share in own]),
            len(own),
            name,
            verdicts,
            found,
            out if recover else ffi.NULL,
            len(secret),
        )
    share = share_of(found.first) if found.first.size else None
    for copy in own:
        if isinstance(copy, bytearray):
            wipe(copy)
    if recover and share is not None:
        size = share.secret_size if status == lib.TALLY_OK else 0
        secret[size:] = bytes(len(secret) - size)
        del secret[size:]
    given = tuple(_VERDICTS[verdicts[i]] for i in range(len(shares)))
    if status == lib.TALLY_ERROR_SHARES_SETS:
        error: ShareError | None = _several_sets(shares)
    else:
        error = _error(status, share, found.good, set_id)
    return Combined(share, found.good, given, secret), error


def _several_sets(shares: Sequence[bytes | bytearray]) -> ShareError:
    """Return the error that names the sets of which there are enough shares."""
    indices: dict[str, set[int]] = {}
    thresholds: dict[str, int] = {}
    for data in shares:
        with suppress(ShareError):
            share = read(data)
            indices.setdefault(share.set_id, set()).add(share.index)
            thresholds[share.set_id] = share.threshold
    sets = [name for name, found in indices.items() if len(found) >= thresholds[name]]
    return ShareError(
        "there are enough shares of more than one set; name the set that you want (--set): "
        + " or ".join(sets)
    )


def set_name(set_id: str) -> bytes:
    """Return the 16 bytes of a set's id.

    Raises
    ------
    ParameterError
        The text is not a set's id.
    """
    try:
        name = bytes.fromhex(set_id)
    except ValueError:
        name = b""
    if len(name) != lib.TALLY_SHARES_SET:
        raise ParameterError("a set's id is 32 hexadecimal digits")
    return name


def _error(status: int, share: Share | None, good: int, set_id: str | None) -> ShareError | None:
    if status == lib.TALLY_OK:
        return None
    if status == lib.TALLY_ERROR_SHARES_FEW:
        if share is None:
            of = "" if set_id is None else f" of set {set_id[:8]}"
            return NotEnoughSharesError(
                f"no share{of} is good; find good copies", good=0, threshold=None
            )
        return NotEnoughSharesError(
            f"{good} good {'share' if good == 1 else 'shares'} of set {share.set_id[:8]}, and "
            f"{share.threshold} are needed: give {share.threshold - good} more",
            good=good,
            threshold=share.threshold,
        )
    if status == lib.TALLY_ERROR_SHARES_FALSE:
        return ShareError(
            "these shares belong together, but they are not the sharing of one secret: their "
            "maker broke the rules; do not trust them"
        )
    check_status(status, "combine")
    return None

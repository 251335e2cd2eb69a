# SPDX-License-Identifier: Apache-2.0
"""Markers: the formats and keys that protected a file; ``docs/reference/markers.md``.

A marker has a layer for each policy that protected a file, in their order. Its fingerprints are
public: nothing of a value or of a random key can be found out by them.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NoReturn

import msgspec

from tallystick.errors import FileError, PolicyError
from tallystick.policy.rules import ColumnRule
from tallystick.tokenizer import Tokenizer, tweak_of

VERSION = 1
"""That of the bytes."""
FINGERPRINT = 8
"""Bytes of a fingerprint; they are written in hexadecimal."""

State = Literal["none", "checked", "ignored"]
"""Whether the source had a marker: no, yes and it was checked, or it was ignored."""


class MarkerEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How a column was protected.

    Attributes
    ----------
    format : str
        A fingerprint of the format, the namespace and whether there is a tweak.
    key : str or None
        The data key with its version. None: the format has no key.
    check : str or None
        A fingerprint of the key itself. None: there is no key, or it is unknown.
    tweak : str or None
        The tweak column.
    one_way : bool
        Whether the tokens can't be revealed.
    """

    format: str
    key: str | None = None
    check: str | None = None
    tweak: str | None = None
    one_way: bool = False


def entry_of(rule: ColumnRule, tokenizer: Tokenizer | None) -> MarkerEntry:
    """Return the entry of a rule's column; without its tokenizer it has no `check`."""
    described = tweak_of(rule.form, rule.namespace, rows=rule.tweak is not None)
    return MarkerEntry(
        hashlib.sha256(described).digest()[:FINGERPRINT].hex(),
        None if rule.key is None else str(rule.key),
        None if tokenizer is None else _fingerprint(tokenizer),
        rule.tweak,
        rule.form.one_way,
    )


def _fingerprint(tokenizer: Tokenizer) -> str | None:
    if not tokenizer.form.keyed:
        return None
    return tokenizer.key_fingerprint()[:FINGERPRINT].hex()


class _Layer(msgspec.Struct, forbid_unknown_fields=True):
    columns: dict[str, MarkerEntry]


class _Document(msgspec.Struct, forbid_unknown_fields=True):
    version: int
    layers: list[_Layer]


@dataclass(frozen=True, slots=True)
class Marker:
    """The content of a marker."""

    layers: tuple[Mapping[str, MarkerEntry], ...] = ()
    """The columns of each policy that protected the file, in the order of the runs."""

    @classmethod
    def read(cls, data: bytes | None, source: object) -> "Marker | None":
        """Read the bytes of a marker; `source` begins the messages.

        Raises `FileError`: the bytes are not a marker, or of a newer version.
        """
        if data is None:
            return None
        try:
            version = msgspec.json.decode(data, type=_Version).version
            if version != VERSION:
                raise FileError(
                    f"{source}: its marker has version {version}, but this program "
                    f"reads version {VERSION}; use a newer Tallystick, or ignore the "
                    "marker (--ignore-marker)"
                )
            document = msgspec.json.decode(data, type=_Document)
            names = [name for layer in document.layers for name in layer.columns]
            if len(set(names)) < len(names):
                raise msgspec.ValidationError
        except (msgspec.DecodeError, RecursionError):
            raise FileError(
                f"{source}: its marker is damaged, so it is unknown how the file was "
                "protected; restore the marker. If you know how the file was "
                "protected, delete the marker, or ignore it (--ignore-marker)"
            ) from None
        return cls(tuple(layer.columns for layer in document.layers))

    def write(self) -> bytes | None:
        """Return the bytes; None: there is nothing to say, and there should be no marker."""
        layers = [_Layer(dict(layer)) for layer in self.layers if layer]
        if not layers:
            return None
        # In ASCII: some tools take metadata of Parquet for Latin-1.
        text = json.dumps(msgspec.to_builtins(_Document(VERSION, layers)))
        return text.encode() + b"\n"

    @property
    def columns(self) -> dict[str, tuple[int, MarkerEntry]]:
        """Each protected column with the number of its layer."""
        return {
            name: (number, entry)
            for number, layer in enumerate(self.layers)
            for name, entry in layer.items()
        }

    def protected(self, source: object, entries: Mapping[str, MarkerEntry]) -> "Marker":
        """Return what it becomes when more columns are protected.

        Raises `PolicyError`: one of them is protected already.
        """
        columns = self.columns
        for name in entries:
            if name not in columns:
                continue
            _, entry = columns[name]
            _refuse(
                source,
                f"column {name!r} is protected already{_under(entry)}",
                "protecting it again would make tokens of tokens; to change its key, rotate it",
            )
        return Marker((*self.layers, dict(entries)))

    def revealed(self, source: object, entries: Mapping[str, MarkerEntry]) -> "Marker":
        """Return what it becomes when columns are revealed.

        Raises `PolicyError`: one of them is not protected, or otherwise, or another one has to be
        revealed first.
        """
        self._check(source, entries)
        columns = self.columns
        for name, entry in entries.items():
            above = columns.get(entry.tweak or "")
            if above is not None and above[0] > columns[name][0]:
                self._first(source, entry.tweak, name)
        for name, (number, entry) in columns.items():
            below = columns.get(entry.tweak or "") if entry.tweak in entries else None
            if (
                below is not None
                and below[0] < number
                and not entry.one_way
                and name not in entries
            ):
                self._first(source, name, entry.tweak)
        return Marker(
            tuple(
                {name: entry for name, entry in layer.items() if name not in entries}
                for layer in self.layers
            )
        )

    def rotated(
        self,
        source: object,
        old: Sequence[Mapping[str, MarkerEntry]],
        new: Sequence[Mapping[str, MarkerEntry]],
        changed: Sequence[str],
    ) -> "Marker":
        """Return what it becomes when columns get new tokens.

        `old`, `new`: the columns of each policy that was given, and what they are to be.
        `changed`: those that get new tokens.
        Raises `PolicyError`: a column is not protected, or otherwise, or the policies are not in
        the order in which they protected the file, or one is missing on which tokens depend.
        """
        given = {name: order for order, layer in enumerate(old) for name in layer}
        for layer in old:
            self._check(source, layer)
        columns = self.columns
        for name in changed:
            number, entry = columns[name]
            if entry.tweak is None or entry.tweak not in columns:
                continue
            above = columns[entry.tweak][0] > number
            if entry.tweak not in given:
                if above:
                    self._missing(source, entry.tweak, name)
            elif above != (given[entry.tweak] > given[name]):
                _refuse(
                    source,
                    f"columns {name!r} and {entry.tweak!r}, its tweak, were protected "
                    "in the other order",
                    "pass the policies in the order in which they protected the file",
                )
        for name, (number, entry) in columns.items():
            tweak = entry.tweak
            if tweak is None or tweak not in changed or name in given:
                continue
            if number > columns[tweak][0]:
                self._missing(source, name, tweak)
        after = {name: entry for layer in new for name, entry in layer.items()}
        return Marker(
            tuple(
                {name: after[name] if name in changed else entry for name, entry in layer.items()}
                for layer in self.layers
            )
        )

    def _check(self, source: object, entries: Mapping[str, MarkerEntry]) -> None:
        """Refuse columns that were protected in another way."""
        columns = self.columns
        for name, wanted in entries.items():
            if name not in columns:
                _refuse(source, f"column {name!r} is not protected", _NOT_PROTECTED)
            _, entry = columns[name]
            if entry.key != wanted.key:
                _refuse(
                    source,
                    f"column {name!r} is protected{_under(entry)}, not{_under(wanted)}",
                    _OTHER_POLICY,
                )
            if None not in (entry.check, wanted.check) and entry.check != wanted.check:
                _refuse(
                    source,
                    f"column {name!r} is protected with another key that is also called "
                    f"{entry.key}",
                    "pass the key ring that protected the file",
                )
            if entry.format != wanted.format or entry.tweak != wanted.tweak:
                what = "tweak" if entry.tweak != wanted.tweak else "format or namespace"
                _refuse(source, f"column {name!r} is protected with another {what}", _OTHER_POLICY)

    def _first(self, source: object, first: str | None, then: str | None) -> NoReturn:
        _refuse(
            source,
            f"column {first!r} was protected after {then!r}, and one is the tweak of the other",
            f"reveal {first!r} first",
        )

    def _missing(self, source: object, missing: str, given: str) -> NoReturn:
        _refuse(
            source,
            f"columns {missing!r} and {given!r} depend on each other: one is the tweak "
            "of the other",
            f"pass the policy of {missing!r} too (--policy once more)",
        )


class _Version(msgspec.Struct):
    version: int


_NOT_PROTECTED = (
    "pass the policy that protected the file; if the file lacks the column, pass --ignore-missing"
)
_OTHER_POLICY = "pass the policy that protected the file"


def _under(entry: MarkerEntry) -> str:
    return "" if entry.key is None else f" under key {entry.key}"


def _refuse(source: object, says: str, to_mend: str) -> NoReturn:
    raise PolicyError(
        f"{source}: its marker says that {says}; {to_mend}. If the marker is wrong, "
        "ignore it (--ignore-marker, in Python ignore_marker=True)"
    )

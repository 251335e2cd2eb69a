# SPDX-License-Identifier: Apache-2.0
"""Finds values that have a structure in text: cards, identifiers, addresses, keys and more.

``docs/reference/text-scan.md`` describes each kind. The core's scanner does the work: one pass,
linear time, bounded memory. Names of people and places have no structure, and are not found.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import IO, Any, Literal, get_args

from tallystick._core import ffi, lib
from tallystick.errors import ParameterError
from tallystick.memory import check, flat

Kind = Literal[
    "card",
    "iban",
    "national_id",
    "email",
    "phone",
    "ipv4",
    "ipv6",
    "mac",
    "uuid",
    "jwt",
    "pem",
    "url",
    "key",
    "entropy",
    "list",
    "pattern",
]
"""What a finding is. ``url`` is one with a password, ``key`` one of a service, ``entropy`` a random
string; ``list`` and ``pattern`` are a user's own."""

Certainty = Literal["weak", "fair", "strong"]
"""``strong``: a check or a shape that other text has by no chance. ``fair``: one that little else
has. ``weak``: a shape or one check digit that much else has."""

KINDS: tuple[Kind, ...] = get_args(Kind)
CERTAINTIES: tuple[Certainty, ...] = get_args(Certainty)

MAX_FINDING = int(lib.TALLY_SCAN_MAX_FINDING)
"""Bytes of a finding, at most."""

_ROOM = 4096
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Finding:
    """Where something was found, and what it is. It has no value.

    Attributes
    ----------
    start, length : int
        In characters of a ``str``, and in bytes of all else, from the beginning of the text.
    kind : Kind
        What it is.
    rule : str
        Which of the kind, such as ``national_id.de.idnr``, ``key.github.token``, ``list.NAME``.
    certainty : Certainty
        How certain that is.
    """

    start: int
    length: int
    kind: Kind
    rule: str
    certainty: Certainty

    @property
    def end(self) -> int:
        """Where it ends: `start` plus `length`."""
        return self.start + self.length


class _Rules:
    """The core's rules; any number of scanners share them."""

    def __init__(self, description: str) -> None:
        given = description.encode()
        out, problem = ffi.new("tally_scan_rules **"), ffi.new("tally_problem *")
        status = lib.tally_scan_rules_new(ffi.NULL, given, len(given), out, problem)
        if status == lib.TALLY_ERROR_PROBLEM:
            place, text = (ffi.string(one).decode() for one in (problem.place, problem.text))
            raise ParameterError(f"{place}: {text}" if place else text)
        if status == lib.TALLY_ERROR_MEMORY:
            raise MemoryError
        check(status, "rules of a scanner")
        self.native = ffi.gc(out[0], lib.tally_scan_rules_free)
        self._names: dict[int, str] = {}

    def name(self, rule: int) -> str:
        """Return the name of a rule."""
        if rule not in self._names:
            found = lib.tally_scan_rule_name(self.native, rule)
            self._names[rule] = ffi.string(found).decode()
        return self._names[rule]


@lru_cache(maxsize=16)
def _rules(description: str) -> _Rules:
    return _Rules(description)


class Scanner:
    r"""Scans one text that comes in pieces.

    Findings do not depend on where pieces end. A finding comes out when 16 KiB more are in, or at
    the end. A scanner belongs to one thread at a time.

    Parameters
    ----------
    kinds : iterable of Kind, optional
        What to find; all, if it is not given.
    least : {"weak", "fair", "strong"}
        How certain findings are at least.
    lists : mapping of str to sequence of str, optional
        A user's own terms, by the name of their list. Whole words, without regard to the case of
        ASCII letters; 2 to 128 bytes each.
    patterns : mapping of str to str, optional
        A user's own patterns, by name: characters and classes such as ``[A-Z0-9]``, each with an
        optional count ``{6}``, ``{4,8}`` or ``?``; ``\`` before a character that has another
        meaning. A pattern begins with a letter, a digit or _ and takes as many characters as it
        can.

    Raises
    ------
    ParameterError
        A kind is unknown, or a list or pattern is refused; the message says why.
    """

    def __init__(
        self,
        *,
        kinds: Iterable[Kind] | None = None,
        least: Certainty = "fair",
        lists: Mapping[str, Sequence[str]] | None = None,
        patterns: Mapping[str, str] | None = None,
    ) -> None:
        description: dict[str, Any] = {"least": least}
        if kinds is not None:
            description["kinds"] = list(kinds)
        if lists is not None:
            description["lists"] = {name: list(terms) for name, terms in lists.items()}
        if patterns is not None:
            description["patterns"] = dict(patterns)
        self._shared = _rules(json.dumps(description))
        self._found = ffi.new("tally_scan_finding[]", _ROOM)
        self._begin()

    def _begin(self) -> None:
        out = ffi.new("tally_scanner **")
        check(lib.tally_scanner_new(self._shared.native, out), "a scanner")
        self._native = ffi.gc(out[0], lib.tally_scanner_free)

    def feed(self, piece: Any) -> list[Finding]:  # noqa: ANN401
        """Take the next bytes, and return the findings that are certain now.

        Parameters
        ----------
        piece : bytes-like
            UTF-8 as a rule. Other bytes are allowed.

        Returns
        -------
        list of Finding
            In their order. Their places are those in the whole text.
        """
        taken = flat(piece)
        result: list[Finding] = []
        used, count = ffi.new("size_t *"), ffi.new("size_t *")
        at, size = 0, len(taken)
        view = ffi.from_buffer(taken) if size else ffi.NULL
        while at < size:
            check(
                lib.tally_scanner_update(
                    self._native,
                    ffi.cast("const uint8_t *", view) + at,
                    size - at,
                    self._found,
                    _ROOM,
                    used,
                    count,
                ),
                "a scanner",
            )
            at += used[0]
            result += self._taken(count[0])
        return result

    def finish(self) -> list[Finding]:
        """End the text, and return its last findings. Then another text may begin."""
        count, more = ffi.new("size_t *"), ffi.new("int *", 1)
        result: list[Finding] = []
        while more[0]:
            check(
                lib.tally_scanner_final(self._native, self._found, _ROOM, count, more), "a scanner"
            )
            result += self._taken(count[0])
        self._begin()
        return result

    def scan(self, text: str | bytes | IO[bytes] | Any) -> list[Finding]:  # noqa: ANN401
        """Return the findings of a whole text; see `tallystick.scan`."""
        self._begin()
        return list(self._scan(text))

    def _scan(self, text: Any) -> Iterator[Finding]:  # noqa: ANN401
        if isinstance(text, str):
            data = text.encode("utf-8", "surrogatepass")
            yield from self.feed(data) if text.isascii() else _in_characters(self.feed(data), data)
            last = self.finish()
            yield from last if text.isascii() else _in_characters(last, data)
            return
        if not hasattr(text, "read"):
            yield from self.feed(text)
        else:
            while piece := text.read(_CHUNK):
                if isinstance(piece, str):
                    raise ParameterError("the file is open as text; open it with mode 'rb'")
                yield from self.feed(piece)
        yield from self.finish()

    def _taken(self, count: int) -> Iterator[Finding]:
        for i in range(count):
            one = self._found[i]
            yield Finding(
                one.offset,
                one.size,
                KINDS[one.kind],
                self._shared.name(one.rule),
                CERTAINTIES[one.certainty - 1],
            )


def _in_characters(findings: Iterable[Finding], data: bytes) -> Iterator[Finding]:
    """Give findings with places in characters instead of bytes."""
    at = characters = 0
    for one in findings:
        characters += _count(data[at : one.start])
        at = one.start
        length = _count(data[at : one.end])
        yield Finding(characters, length, one.kind, one.rule, one.certainty)


def _count(data: bytes) -> int:
    return len(data.decode("utf-8", "surrogatepass"))


def scan(
    text: str | bytes | IO[bytes] | Any,  # noqa: ANN401
    *,
    kinds: Iterable[Kind] | None = None,
    least: Certainty = "fair",
    lists: Mapping[str, Sequence[str]] | None = None,
    patterns: Mapping[str, str] | None = None,
) -> list[Finding]:
    """Find values that have a structure in a text.

    Parameters
    ----------
    text : str, bytes-like or binary file
        A file is read in pieces, so that it may have any size.
    kinds, least, lists, patterns
        As for `Scanner`.

    Returns
    -------
    list of Finding
        In their order. They do not overlap. Places are in characters of a ``str``, else in bytes.

    Raises
    ------
    ParameterError
        As for `Scanner`.
    """
    return Scanner(kinds=kinds, least=least, lists=lists, patterns=patterns).scan(text)

# SPDX-License-Identifier: Apache-2.0
"""JSON objects in a text, one after another: where the values of their keys begin and end.

The standard library's scanner reads the values; here is what it does not do: to tell where they
are, to go on when more text comes, and to refuse what two readers could read differently.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, NoReturn

import pyarrow as pa

from tallystick.files.encodings import Input

BLOCK = 1 << 20
"""Characters of a block, about."""
MOST_RECORDS = 1 << 14
"""Records of a block, at most."""
LARGEST_RECORD = 256 << 20
"""Characters of one record, at most: it must fit in memory."""

_SPACE = re.compile(r"[ \t\n\r]*")
_LINE_SPACE = re.compile(r"[ \t\r]*")
_TAIL = 16
"""Characters of the longest literal, about, which may be cut."""
_MARK = "\ufeff"


class Number(str):
    """A number as it is written."""

    __slots__ = ()


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_scan = json.JSONDecoder(parse_int=Number, parse_float=Number, parse_constant=_refuse).scan_once  # type: ignore[attr-defined]


class BadJsonError(Exception):
    """A text that is not read.

    Attributes
    ----------
    reason : str
        Why, without a value.
    record : int
        Which record it is, from 0.
    line : int
        Its line, from 1.
    """

    def __init__(self, reason: str, record: int, line: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.record = record
        self.line = line


class _CutError(Exception):
    """The text ends within a record."""


class _WrongError(Exception):
    """A record is not a valid JSON object; the text is the reason."""


@dataclass(slots=True)
class Block:
    """Some records, and what is between them.

    Attributes
    ----------
    text : str
        All of it.
    row, line, size : int
        Where it begins: the record, from 0, and the line, from 1; and its bytes in UTF-8.
    records : list of int
        Where each record begins in the text.
    values : dict of str to list
        For each key that is wanted the value of each record; None: null, or the key is missing.
    places : dict of str to list of (int, int) or None
        Where these begin and end in the text; None: the key is missing.
    """

    text: str
    row: int
    line: int
    size: int
    records: list[int] = field(default_factory=list)
    values: dict[str, list[Any]] = field(default_factory=dict)
    places: dict[str, list[tuple[int, int] | None]] = field(default_factory=dict)

    def line_of(self, record: int) -> int:
        """Return the line in which a record begins, from 1."""
        return self.line + self.text.count("\n", 0, self.records[record])


class JsonBlocks:
    """The blocks of a text.

    Parameters
    ----------
    stream : Input
        The text in UTF-8.
    array : bool
        Whether it is one array of objects; if not it has an object a line.
    wanted : collection of str
        The keys whose values are wanted.

    Attributes
    ----------
    types : dict of str to pyarrow.DataType
        The keys that were there, in their order: strings, unless one had another type of value.
    rows : int
        The records so far.
    """

    def __init__(self, stream: Input, wanted: Collection[str], *, array: bool) -> None:
        self._stream = stream
        self._array = array
        self._wanted = dict.fromkeys(wanted)
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._buffer = memoryview(bytearray(BLOCK))
        self._text = ""
        self._ended = False
        self._line = 1
        self.types: dict[str, pa.DataType] = {}
        self.rows = 0

    def __iter__(self) -> Iterator[Block]:
        """Give blocks one after another.

        Raises
        ------
        BadJsonError
            The text is not JSON, or not of the shape.
        """
        self._read_on()
        at = self._begin()
        first = True
        while True:
            block, at, done = self._block(at, first=first)
            first = first and not block.records
            block.size = len(block.text.encode())
            self.rows += len(block.records)
            self._line += block.text.count("\n")
            if block.text:
                yield block
            if done:
                return

    def _begin(self) -> int:
        """Return where the first record is to be: behind a byte order mark and a bracket."""
        at = 1 if self._text.startswith(_MARK) else 0
        if not self._array:
            return at
        at = self._skip(at)
        if self._text[at : at + 1] != "[":
            self._bad(
                "not an array of objects; if each line is an object, pass --type ndjson", 0, at
            )
        return at + 1

    def _block(self, at: int, *, first: bool) -> tuple[Block, int, bool]:
        """Return the next block, where the rest of the text goes on, and whether all is read."""
        block = Block("", self.rows, self._line, 0)
        for name in self._wanted:
            block.values[name], block.places[name] = [], []
        done = False
        while at < BLOCK and len(block.records) < MOST_RECORDS:
            at = self._separated(block, at, first=first and not block.records)
            character = self._text[at : at + 1]
            if character == "" or (self._array and character == "]"):
                done = True
                break
            at = self._record(block, at)
        if done and self._array:
            at = self._close(block, at)
        block.text, self._text = self._text[:at], self._text[at:]
        return block, 0, done

    def _separated(self, block: Block, at: int, *, first: bool) -> int:
        """Return where the next record begins, or what ends them."""
        number = len(block.records)
        if self._array:
            at = self._skip(at)
            character = self._text[at : at + 1]
            if character == "]":
                return at
            if not first:
                if character != ",":
                    self._bad("no comma or bracket after it", number - 1, at)
                at = self._skip(at + 1)
                if self._text[at : at + 1] == "]":
                    self._bad("no object after a comma", number, at)
            if self._text[at : at + 1] == "":
                self._bad("the array is not closed", number, at)
            return at
        if not first:
            at = self._skip(at, _LINE_SPACE)
            if self._text[at : at + 1] not in ("", "\n"):
                self._bad("text after it on its line", number - 1, at)
        return self._skip(at)

    def _close(self, block: Block, at: int) -> int:
        if self._text[at : at + 1] != "]":
            self._bad("the array is not closed", len(block.records), at)
        at = self._skip(at + 1)
        if at < len(self._text):
            self._bad("text after the array", len(block.records), at)
        return at

    def _record(self, block: Block, at: int) -> int:
        """Take a record in, and return where it ends."""
        number = len(block.records)
        while True:
            try:
                members, end = _object(self._text, at, ended=self._ended)
            except _CutError:
                if self._ended:
                    self._bad("the text ends within it", number, at)
                if len(self._text) - at >= LARGEST_RECORD:
                    self._bad(f"a record of more than {LARGEST_RECORD >> 20} MiB", number, at)
                self._read_on(len(self._text))
            except _WrongError as error:
                self._bad(str(error), number, at)
            else:
                break
        block.records.append(at)
        for name, (value, _, _) in members.items():
            kind = _type(value)
            if name not in self.types or kind is not None:
                self.types[name] = pa.string() if kind is None else kind
        for name in self._wanted:
            value, start, stop = members.get(name, (None, 0, 0))
            block.values[name].append(value)
            block.places[name].append((start, stop) if stop else None)
        return end

    def _skip(self, at: int, space: re.Pattern[str] = _SPACE) -> int:
        """Return where the white space from a place on ends, reading on if need be."""
        while True:
            found = space.match(self._text, at)
            at = at if found is None else found.end()
            if at < len(self._text) or self._ended:
                return at
            self._read_on()

    def _read_on(self, least: int = 1) -> None:
        """Add text: so many characters, or all that is left."""
        parts, size = [], 0
        while size < least and not self._ended:
            count = self._stream.readinto(self._buffer) or 0
            self._ended = count == 0
            try:
                part = self._decoder.decode(bytes(self._buffer[:count]), self._ended)
            except UnicodeDecodeError:
                self._bad("not UTF-8 from there on; give its --encoding, or convert it", 0, 0)
            parts.append(part)
            size += len(part)
        self._text += "".join(parts)

    def _bad(self, reason: str, number: int, at: int) -> NoReturn:
        line = self._line + self._text.count("\n", 0, at)
        raise BadJsonError(reason, self.rows + max(0, number), line)


def _object(text: str, at: int, *, ended: bool) -> tuple[dict[str, tuple[Any, int, int]], int]:
    """Return the members of an object, each with where its value begins and ends; and its end.

    Raises
    ------
    _CutError
        The text ends before.
    _WrongError
        It is none, or a key occurs twice.
    """
    if text[at : at + 1] != "{":
        raise _WrongError("not a JSON object")
    members: dict[str, tuple[Any, int, int]] = {}
    sure = len(text) if ended else len(text) - _TAIL  # behind it there may be more to come
    try:
        at = _next(text, at + 1)
        if text[at] == "}":
            return members, at + 1
        while True:
            if text[at] != '"':
                _wrong("not JSON: no key where one must be", at, sure)
            key, at = scanstring(text, at + 1, True)
            at = _next(text, at)
            if text[at] != ":":
                _wrong("not JSON: no colon after a key", at, sure)
            start = _next(text, at + 1)
            value, at = _scan(text, start)
            if key in members:
                raise _WrongError(f"the key {key!r} occurs twice")
            members[key] = value, start, at
            at = _next(text, at)
            if text[at] == "}":
                return members, at + 1
            if text[at] != ",":
                _wrong("not JSON: no comma between members", at, sure)
            at = _next(text, at + 1)
    except json.JSONDecodeError as error:
        at = len(text) if error.msg.startswith("Unterminated") else error.pos
        _wrong("not JSON: a value or key is malformed", at, sure)
    except StopIteration as error:
        _wrong("not JSON: a value is malformed", int(error.value), sure)
    except IndexError:
        raise _CutError from None
    except RecursionError:
        raise _WrongError("nested too deeply") from None
    except ValueError:
        raise _WrongError("not JSON: NaN or Infinity") from None


def _wrong(reason: str, at: int, sure: int) -> NoReturn:
    """Refuse a record for what stands at a place, unless the text may go on there."""
    if at >= sure:
        raise _CutError
    raise _WrongError(reason)


def _next(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return at if found is None else found.end()


def _type(value: object) -> pa.DataType | None:
    """Return a value's type if it can't be protected."""
    match value:
        case bool():
            return pa.bool_()
        case dict():
            return pa.struct([])
        case list():
            return pa.list_(pa.null())
        case _:
            return None

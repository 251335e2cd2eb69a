# SPDX-License-Identifier: Apache-2.0
"""JSON objects in a text, one after another: where the values of their keys begin and end.

The standard library's scanner reads the values; here is what it does not do: to tell where they
are, to go on when more text comes, and to refuse what two readers could read differently.
"""

import codecs
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, NoReturn

import pyarrow as pa

from tallystick.files.encodings import Input
from tallystick.paths import Inside, in_another_list, quoted, steps_of

BLOCK = 1 << 20
"""Characters of a block, about."""
MOST_RECORDS = 1 << 14
"""Records of a block, at most."""
LARGEST_RECORD = 256 << 20
"""Characters of one record, at most: it must fit in memory."""

MOST_NAMES = 10_000
"""Columns that are noted, at most, before nested objects count as one column each."""

_Member = tuple[Any, int, int]
"""A value, and where it begins and ends in the text."""
_Members = dict[str, _Member]
_NONE: _Member = (None, 0, 0)

_SPACE = re.compile(r"[ \t\n\r]*")
_LINE_SPACE = re.compile(r"[ \t\r]*")
_TAIL = 16
"""Characters of the longest literal, about, which may be cut."""
_MARK = "\ufeff"


class Number(str):
    """A number as it is written."""

    __slots__ = ()


_TEXT = (str, Number)


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
class Taken:
    """What the records of a block have of a column."""

    values: list[Any]
    """Of a key one value of each record, of a path into lists as many as there are. None: null,
    or the key is missing."""
    places: list[tuple[int, int] | None]
    """Where these begin and end in the text; None: the key is missing."""
    others: list[list[Any]]  # of each other column the values beside these
    rows: list[int] | None  # of a path into lists the record of each value


@dataclass(slots=True)
class Block:
    """Some records, and what is between them."""

    text: str  # all of it
    row: int  # the record with which it begins, from 0
    line: int  # the line in which it begins, from 1
    size: int  # its bytes in UTF-8
    records: list[int] = field(default_factory=list)  # where each record begins in the text
    columns: dict[str, Taken] = field(default_factory=dict)
    """What they have of each column that is wanted."""

    def line_of(self, record: int) -> int:
        """Return the line in which a record begins, from 1."""
        return self.line + self.text.count("\n", 0, self.records[record])

    def lines_of(self, column: str) -> Callable[[int], int]:
        """Return what gives the line of a value of a column."""
        rows = self.columns[column].rows
        return self.line_of if rows is None else lambda value: self.line_of(rows[value])


class _Wanted:
    """A column that is wanted, by its key or its path, and others beside it.

    Attributes
    ----------
    name : str
        The column.
    steps : tuple
        The path's steps; one, if it is a key.
    """

    def __init__(self, name: str, others: Sequence[str]) -> None:
        self.name = name
        self.steps = steps_of(name) or (name,)
        self._in_list = any(isinstance(step, Inside) for step in self.steps)
        self._others = [(other, *self._beside(other)) for other in others]

    def none(self) -> Taken:
        """Return what no record has of it."""
        return Taken([], [], [[] for _ in self._others], [] if self._in_list else None)

    def _beside(self, other: str) -> tuple[int, tuple[str, ...]]:
        """Return how many steps another column has in common, and the names behind these."""
        steps = steps_of(other) or (other,)
        pairs = zip(steps[:-1], self.steps[:-1], strict=False)
        common = next((i for i, (a, b) in enumerate(pairs) if a != b), None)
        common = min(len(steps), len(self.steps)) - 1 if common is None else common
        names = tuple(step for step in steps[common:] if isinstance(step, str))
        if len(names) < len(steps) - common:
            raise in_another_list(other, self.name)
        return common, names

    def take(self, block: Block, members: _Members, text: str) -> None:
        """Add what a record has of the column to its block.

        Raises `_WrongError`: a value on the way is of another kind.
        """
        record = {name: value for name, (value, _, _) in members.items()} if self._others else {}
        whole = self.name in members or len(self.steps) == 1
        if whole and len(self.steps) > 1:
            self._check_single(members)
        found = [(members.get(self.name, _NONE), (record,))] if whole else self._walk(members, text)
        taken = block.columns[self.name]
        for (value, start, stop), chain in found:
            taken.values.append(value)
            taken.places.append((start, stop) if stop else None)
            for column, (other, common, names) in zip(taken.others, self._others, strict=True):
                column.append(self._value(other, common, names, (record, *chain[1:])))
        if taken.rows is not None:
            taken.rows += [len(block.records)] * len(found)

    def _check_single(self, members: _Members) -> None:
        """Refuse a record with the column's whole name and with what its path leads into."""
        outer = str(self.steps[0])
        if isinstance(members.get(outer, _NONE)[0], dict | list):
            raise _WrongError(
                f"it has both {self.name!r} and {outer!r}, in which that column may be too; rename "
                "one of them"
            )

    def _walk(self, members: _Members, text: str) -> list[tuple[_Member, tuple[Any, ...]]]:
        """Return the values at the end of the path, each with those that it is in."""
        found: list[tuple[_Member, tuple[Any, ...]]] = [
            (members.get(str(self.steps[0]), _NONE), (None,))
        ]
        for depth, step in enumerate(self.steps[1:], 1):
            inside: list[tuple[_Member, tuple[Any, ...]]] = []
            for (value, start, _), chain in found:
                within = (*chain, value)
                if value is None:
                    if isinstance(step, str):  # a list that is missing has no items
                        inside.append((_NONE, within))
                    continue
                wanted = list if step is Inside.ITEMS else dict
                if not isinstance(value, wanted):
                    what = "an array" if wanted is list else "an object"
                    raise _WrongError(
                        f"step {depth} of the path {self.name!r} is not {what}; correct the record "
                        "or the policy"
                    )
                if wanted is list:
                    inside += [(item, within) for item in _items(text, start)]
                    continue
                fields, _ = _object(text, start, ended=True)
                if isinstance(step, str):
                    inside.append((fields.get(step, _NONE), within))
                else:
                    inside += [(one, within) for one in fields.values()]
            found = inside
        return found

    @property
    def is_key(self) -> bool:
        """Whether it is a key of records, and those beside it are."""
        return len(self.steps) == 1 and all(len(names) == 1 for _, _, names in self._others)

    @staticmethod
    def _value(other: str, common: int, names: tuple[str, ...], chain: tuple[Any, ...]) -> object:
        """Return the value of another column, None if there is none."""
        if other in chain[0]:
            return chain[0][other]
        value = chain[common] if common < len(chain) else None
        for name in names:
            if value is not None and not isinstance(value, dict):
                raise _WrongError(f"the path {other!r} leads into what is not an object")
            value = None if value is None else value.get(name)
        return value


class JsonBlocks:
    """The blocks of a text.

    `stream`: the text in UTF-8.
    `array`: whether it is one array of objects; if not it has an object a line.
    `wanted`: the columns whose values are wanted, each with others beside it: keys, or paths.
    `inside`: paths that lead into nested objects and arrays of which `types` has what is inside;
    None: it has what is inside all of them.

    Attributes
    ----------
    types : dict of str to pyarrow.DataType
        The columns that were there, in their order: strings, unless one had another type of value,
        or none but nulls.
    rows : int
        The records so far.
    """

    def __init__(
        self,
        stream: Input,
        wanted: Mapping[str, Sequence[str]],
        *,
        array: bool,
        inside: Iterable[str] | None = (),
    ) -> None:
        self._stream = stream
        self._array = array
        self._wanted = [_Wanted(name, others) for name, others in wanted.items()]
        # Most columns are keys, and take less time by themselves.
        self._keys = [(one.name, wanted[one.name]) for one in self._wanted if one.is_key]
        self._paths = [one for one in self._wanted if not one.is_key]
        self._types_found: dict[str, type] = {}
        named = [*wanted, *(other for others in wanted.values() for other in others)]
        self._opened = None if inside is None else _tree([*named, *inside])
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._buffer = memoryview(bytearray(BLOCK))
        self._text = ""
        self._ended = False
        self._line = 1
        self.types: dict[str, pa.DataType] = {}
        self.rows = 0

    def __iter__(self) -> Iterator[Block]:
        """Give blocks one after another.

        Raises `BadJsonError`: the text is not JSON, or not of the shape.
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
        block.columns = {column.name: column.none() for column in self._wanted}
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
        for name, others in self._keys:
            value, start, stop = members.get(name, _NONE)
            taken = block.columns[name]
            taken.values.append(value)
            taken.places.append((start, stop) if stop else None)
            for column, other in zip(taken.others, others, strict=True):
                column.append(members.get(other, _NONE)[0])
        try:
            for path in self._paths:
                path.take(block, members, self._text)
        except _WrongError as error:
            self._bad(str(error), number, at)
        block.records.append(at)
        for name, (value, _, _) in members.items():
            type_found = self._types_found.get(name)
            if type_found is None or (
                type_found is str and not (value is None or type(value) in _TEXT)
            ):
                self._note(name, value)
        return end

    def _note(self, name: str, value: object) -> None:
        """Note which columns a record has; one that is opened is not, but those inside it are."""
        tree = self._opened
        left = [(name, value, None if tree is None else tree.get(name, {}))]
        top = quoted(name)
        while left:
            path, value, tree = left.pop()
            inside: list[tuple[str, object, _Tree | None]] = []
            start = top if path == name else path
            if isinstance(value, list) and (tree is None or Inside.ITEMS in tree):
                below = None if tree is None else tree[Inside.ITEMS]
                inside = [(f"{start}[]", item, below) for item in value]
            elif isinstance(value, dict) and tree is not None and Inside.VALUES in tree:
                inside = [(f"{start}{{}}", item, tree[Inside.VALUES]) for item in value.values()]
            elif isinstance(value, dict) and (tree is None or tree):
                inside = [
                    (f"{start}.{quoted(key)}", item, None if tree is None else tree.get(key, {}))
                    for key, item in value.items()
                ]
            if inside and len(self.types) < MOST_NAMES:
                left += reversed(inside)
                continue
            if tree and not value:  # null, or empty: what would be inside is not missing
                for each in _ends(start, tree):
                    self.types.setdefault(each, pa.null())
                continue
            kind = _type(value)
            if kind is None:
                kind = pa.null() if value is None else pa.string()
            elif path in self.types:
                self.types[path] = kind
            if self.types.get(path, pa.null()) == pa.null():
                self.types[path] = kind
            if path == name and kind != pa.null() and not tree:
                # A column of text may get another type yet, and be opened if all are.
                special = tree is not None and self.types[name] != pa.string()
                self._types_found[name] = object if special else str

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


_Tree = dict[str | Inside, Any]
"""Steps, each with those that may follow it."""


def _tree(paths: Iterable[str]) -> _Tree:
    tree: _Tree = {}
    for path in paths:
        node = tree
        for step in steps_of(path):
            node = node.setdefault(step, {})
    return tree


def _ends(path: str, tree: _Tree) -> Iterator[str]:
    """Yield the paths that a tree has."""
    left = [(path, tree)]
    while left:
        path, tree = left.pop()
        if not tree:
            yield path
        for step, below in tree.items():
            name = f".{quoted(step)}" if isinstance(step, str) else step.value
            left.append((path + name, below))


def _items(text: str, at: int) -> list[_Member]:
    """Return the items of an array that was read, each with where it begins and ends."""
    found: list[_Member] = []
    at = _next(text, at + 1)
    while text[at] != "]":
        value, end = _scan(text, at)
        found.append((value, at, end))
        at = _next(text, end)
        if text[at] == ",":
            at = _next(text, at + 1)
    return found


def _object(text: str, at: int, *, ended: bool) -> tuple[_Members, int]:
    """Return the members of an object, each with where its value begins and ends; and its end.

    Raises `_CutError`: the text ends before. `_WrongError`: it is none, or a key occurs twice.
    """
    if text[at : at + 1] != "{":
        raise _WrongError("not a JSON object")
    members: _Members = {}
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

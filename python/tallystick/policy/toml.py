# SPDX-License-Identifier: Apache-2.0
"""What TOML gives: where a key of a policy is, and whether it has what it should.

Messages speak of TOML (text, table, whole number), not of Python.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, time
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import msgspec

from tallystick.errors import PolicyError

Table = TypeVar("Table", bound=msgspec.Struct)

_RENAMED = {"unfit": "on_invalid", "domain": "namespace"}
"""Keys that had another name, and their names."""


@dataclass(frozen=True, slots=True)
class Place:
    """A key of a policy; ``str`` gives the file and the key's dotted path, as TOML writes it.

    Attributes
    ----------
    source : str
        The file.
    keys : tuple of str
        The path; none stands for the whole file.
    """

    source: str
    keys: tuple[str, ...] = ()

    def __truediv__(self, key: str) -> Place:
        """Return the place of a key of this table."""
        return Place(self.source, (*self.keys, key))

    def __str__(self) -> str:
        """Return what a message begins with."""
        return ": ".join(filter(None, (self.source, ".".join(map(_written, self.keys)))))

    def wrong(self, text: str) -> PolicyError:
        """Make the error that says what is wrong here, and how to mend it."""
        return PolicyError(f"{self}: {text}")


def read_table(value: object, kind: type[Table], place: Place, example: str = "") -> Table:
    """Read what TOML gave for a table.

    Raises
    ------
    PolicyError
        It is no table, has a key that `kind` has not, lacks one, or has a value of another type.
    """
    if not isinstance(value, dict):
        such_as = f", such as {example}" if example else ""
        raise place.wrong(f"must be a table{such_as}, not {_described(value)}")
    fields = {field.name: field for field in msgspec.structs.fields(kind)}
    for key in value:
        if _RENAMED.get(key) in fields:
            raise (place / key).wrong(f"this key is called {_RENAMED[key]!r} now; rename it")
        if key not in fields:
            raise (place / key).wrong(f"there is no such key{instead(key, fields)}")
    read = {}
    for name, field in fields.items():
        at = place / name
        if name in value:
            read[name] = _read(value[name], field.type, at)
        elif field.required:
            raise at.wrong(f"is missing; it must be {_expected(field.type)}")
    return kind(**read)


def instead(name: str, known: Iterable[str]) -> str:
    """Say what a misspelt name may have meant, or what there is."""
    choices = list(known)
    close = difflib.get_close_matches(name, choices, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; there are: {', '.join(choices)}"


def _read(value: object, kind: object, at: Place) -> Any:  # noqa: ANN401
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        shown = _is_choice(kind) and isinstance(value, str | int) and not isinstance(value, bool)
        got = repr(value) if shown else _described(value)
        raise at.wrong(f"must be {_expected(kind)}, not {got}") from None


_BARE = re.compile(r"[A-Za-z0-9_-]+")


def _written(key: str) -> str:
    """Write a key as TOML does."""
    if _BARE.fullmatch(key):
        return key
    return json.dumps(key, ensure_ascii=not key.isprintable()).replace("\x7f", "\\u007f")


def _is_choice(kind: object) -> bool:
    return get_origin(kind) is Literal


_EXPECTED: dict[object, str] = {
    str: "text",
    bool: "true or false",
    int: "a whole number",
    date: "a date, such as 2000-12-31",
    datetime: "a date with a time, such as 2000-12-31T23:59:59",
    dict: "a table",
}


def _expected(kind: object) -> str:
    """Say what a type is in TOML."""
    if get_origin(kind) is Annotated:
        return str(next(meta.description for meta in get_args(kind)[1:]))
    if _is_choice(kind):
        return _either([repr(choice) for choice in get_args(kind)])
    if get_origin(kind) in (Union, UnionType):
        return _either([_expected(each) for each in get_args(kind) if each is not type(None)])
    return _EXPECTED[get_origin(kind) or kind]


def _either(choices: list[str]) -> str:
    return " or ".join(filter(None, (", ".join(choices[:-1]), choices[-1])))


_FOUND: tuple[tuple[type, str], ...] = (
    (str, "text"),
    (bool, "true or false"),  # before int, of which it is a kind
    (int, "a whole number"),
    (float, "a number with a fraction or exponent"),
    (datetime, "a date with a time"),  # before date, of which it is a kind
    (date, "a date"),
    (time, "a time"),
    (list, "an array"),
    (dict, "a table"),
)


def _described(value: object) -> str:
    """Say what a value is in TOML."""
    return next((words for kind, words in _FOUND if isinstance(value, kind)), "what it is")

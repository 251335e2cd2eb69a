# SPDX-License-Identifier: Apache-2.0
"""Policies: which columns are protected, how, and under which key. ``docs/policy.md`` explains them.

A policy is a TOML file::

    [columns]
    soc_sec_id = { format = "digits", key = "people:1", domain = "person-id" }

A format is a name, or a table with a ``type`` and the options of the format of that name.
"""

from __future__ import annotations

import difflib
import inspect
import os
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_type_hints

import msgspec

from tallystick.errors import FormatError, ParameterError, PolicyError
from tallystick.files import CsvOptions
from tallystick.formats import READY, Format
from tallystick.keyring import KeyId
from tallystick.tokenizer import Unfit

_LARGEST = 1 << 20
"""Bytes of a policy file, at most."""


@dataclass(frozen=True, slots=True)
class ColumnRule:
    """What happens to one column.

    Attributes
    ----------
    column : str
        Its name in the file.
    form : Format
        What its values look like.
    key : KeyId
        The data key, with its version.
    domain : str
        What the values are; see `Tokenizer`.
    tweak : str or None
        The column whose values make tokens of different rows incomparable.
    unfit : {"error", "null", "keep"}
        What becomes of values that do not fit.
    """

    column: str
    form: Format
    key: KeyId
    domain: str
    tweak: str | None = None
    unfit: Unfit = "error"


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules of a file's columns, and its dialect if it is CSV.

    Attributes
    ----------
    rules : tuple of ColumnRule
        One for each protected column, in the order of the policy.
    csv : CsvOptions or None
        None: commas, or tabs for .tsv.
    """

    rules: tuple[ColumnRule, ...]
    csv: CsvOptions | None = None

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Policy:
        """Read a policy from a file.

        Raises
        ------
        PolicyError
            If it can't be read, is no TOML, or says something that is not a policy; the message
            names the key.
        """
        where = Path(path)
        try:
            with where.open("rb") as file:
                raw = file.read(_LARGEST + 1)
            if len(raw) > _LARGEST:
                raise PolicyError(f"{where}: a policy has at most {_LARGEST} bytes")
            text = raw.decode("utf-8")
        except OSError as error:
            raise PolicyError(f"{where}: can't be read: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise PolicyError(f"{where}: is not UTF-8, at byte {error.start}") from None
        return cls.parse(text, str(where))

    @classmethod
    def parse(cls, text: str, source: str = "policy") -> Policy:
        """Read a policy from TOML text; `source` begins the messages. See `load`."""
        try:
            document = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise PolicyError(f"{source}: not TOML: {error}") from None
        top = _convert(document, _Top, source)
        if not top.columns:
            raise PolicyError(f"{source}: columns: no column is protected; name one at least")
        rules = tuple(_rule(name, table, source) for name, table in top.columns.items())
        protected = {rule.column for rule in rules}
        for rule in rules:
            if rule.tweak in protected:
                raise PolicyError(
                    f"{source}: columns.{rule.column}.tweak: column {rule.tweak!r} is protected as "
                    "well, so its values would not be at hand to reveal this one; use a column "
                    "that stays as it is"
                )
        return cls(rules, _csv(top.csv, source))


class _Top(msgspec.Struct, forbid_unknown_fields=True):
    columns: dict[str, Any]
    version: Literal[1] = 1
    csv: dict[str, Any] | None = None


class _Column(msgspec.Struct, forbid_unknown_fields=True):
    format: str | dict[str, Any]
    key: str
    domain: str
    tweak: str | None = None
    unfit: Unfit = "error"


def _rule(name: str, table: object, source: str) -> ColumnRule:
    where = f"{source}: columns.{name}"
    column = _convert(table, _Column, where, dotted=True)
    if not column.domain:
        raise PolicyError(f"{where}.domain: must not be empty")
    try:
        key = KeyId.parse(column.key)
    except ParameterError as error:
        raise PolicyError(f"{where}.key: {error}") from None
    if column.tweak == name:
        raise PolicyError(f"{where}.tweak: a column can't be its own tweak")
    form = _format(column.format, f"{where}.format")
    return ColumnRule(name, form, key, column.domain, column.tweak, column.unfit)


def _format(described: str | dict[str, Any], where: str) -> Format:
    options = {"type": described} if isinstance(described, str) else dict(described)
    kind = options.pop("type", None)
    if not isinstance(kind, str):
        raise PolicyError(f"{where}.type: is missing; it is one of {', '.join(READY)}")
    if kind not in READY:
        raise PolicyError(f"{where}: no format is called {kind!r}{_instead(kind, READY)}")
    given = _convert(options, _options(kind), where, dotted=True)
    try:
        return READY[kind](**{name: getattr(given, name) for name in options})
    except FormatError as error:
        raise PolicyError(f"{where}: {error}") from None


def _csv(table: dict[str, Any] | None, source: str) -> CsvOptions | None:
    if table is None:
        return None
    try:
        return _convert(table, CsvOptions, f"{source}: csv", dotted=True)
    except ParameterError as error:
        raise PolicyError(f"{source}: csv: {error}") from None


@cache
def _options(kind: str) -> type[msgspec.Struct]:
    """Describe the options of a ready-made format, from its function's signature."""
    builder = READY[kind]
    hints = get_type_hints(builder)
    fields: list[tuple[str, Any] | tuple[str, Any, Any]] = []
    for name, parameter in inspect.signature(builder).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            (common,) = get_args(hints[name])
            fields += [(key, hint, None) for key, hint in get_type_hints(common).items()]
        elif parameter.default is parameter.empty:
            fields.append((name, hints[name]))
        else:
            fields.append((name, hints[name], parameter.default))
    return msgspec.defstruct(kind, fields, forbid_unknown_fields=True, kw_only=True)


Made = TypeVar("Made")


def _convert(value: object, kind: type[Made], where: str, *, dotted: bool = False) -> Made:
    """Validate what TOML gave; a message names the key under `where`."""
    known = [field.name for field in msgspec.structs.fields(kind)] if _is_struct(kind) else []
    if not known:
        known = list(get_type_hints(kind))
    if isinstance(value, dict):
        for key in value:
            if key not in known:
                at = f"{where}.{key}" if dotted else f"{where}: {key}"
                raise PolicyError(f"{at}: there is no such key{_instead(key, known)}")
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise PolicyError(_message(str(error), where, dotted=dotted)) from None


def _is_struct(kind: type[Any]) -> bool:
    return issubclass(kind, msgspec.Struct)


_FIELD = re.compile(r"Object missing required field `(.+?)`")
_PATH = re.compile(r" - at `\$\.?(.*?)`$")


def _message(text: str, where: str, *, dotted: bool) -> str:
    """Put the key in front of what msgspec says of it."""
    path = _PATH.search(text)
    text = _PATH.sub("", text)
    missing = _FIELD.match(text)
    key = missing[1] if missing else path[1] if path else ""
    if missing:
        text = "is missing"
    at = where + ((("." if dotted else ": ") + key) if key else "")
    return f"{at}: {text[0].lower()}{text[1:].replace('`', chr(39))}"


def _instead(name: str, known: Iterable[str]) -> str:
    choices = list(known)
    close = difflib.get_close_matches(name, choices, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; there are: {', '.join(choices)}"

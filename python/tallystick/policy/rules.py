# SPDX-License-Identifier: Apache-2.0
"""Policies: which columns are protected, how, under which key; ``docs/reference/policy.md``.

A policy is a TOML file::

    [columns]
    soc_sec_id = { format = "digits", key = "people:1", namespace = "person-id" }

A format is a name, or a table with a ``type`` and the options of the format of that name.
"""

from __future__ import annotations

import inspect
import json
import os
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_type_hints

import msgspec

from tallystick.errors import FormatError, ParameterError, PolicyError
from tallystick.files import CsvOptions
from tallystick.formats import PRESETS, Format, TextFormat
from tallystick.keyring import KeyId
from tallystick.mistaken import hint
from tallystick.policy.toml import Place, instead, read_table
from tallystick.policy.toml_text import MAX_DEPTH, too_deep
from tallystick.reading import read_small
from tallystick.tokenizer import OnInvalid

_LARGEST = 1 << 20
"""Bytes of a policy file, at most."""

Unlisted = Literal["keep", "error"]
"""What to do with columns that a policy does not name."""


@dataclass(frozen=True, slots=True)
class ColumnRule:
    """How one column is protected.

    Attributes
    ----------
    column : str
        The column's name in the file.
    form : Format
        The format of its values.
    key : KeyId or None
        The data key, with its version. None for a format without a key.
    namespace : str
        A name for the values; see `Tokenizer`. Empty without a key.
    tweak : str or None
        The tweak column: equal values in rows with different tweaks have unrelated tokens.
    on_invalid : {"error", "null", "keep"}
        What to do with an invalid value; see `Tokenizer`.
    """

    column: str
    form: Format
    key: KeyId | None
    namespace: str
    tweak: str | None = None
    on_invalid: OnInvalid = "error"


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules for the columns of a file, and its CSV dialect.

    Attributes
    ----------
    rules : tuple of ColumnRule
        One rule for each protected column, in the order of the policy.
    csv : CsvOptions or None
        The CSV dialect. None: commas, or tabs for .tsv.
    unlisted : {"keep", "error"} or None
        What to do with columns that the policy does not name: let them pass in clear, or raise an
        error. None: they pass in clear, with a warning.
    keep : tuple of str
        Columns that pass in clear on purpose.
    mixed_formats : tuple of str
        Namespaces in which one key may serve several formats.

    Raises
    ------
    PolicyError
        The rules contradict each other.
    """

    rules: tuple[ColumnRule, ...]
    csv: CsvOptions | None = None
    unlisted: Unlisted | None = None
    keep: tuple[str, ...] = ()
    mixed_formats: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse rules that contradict each other.

        Raises
        ------
        PolicyError
            A column has two rules, or is protected and also kept or used as a tweak; or one key has
            two formats in a namespace.
        """
        if self.unlisted not in (None, "keep", "error"):
            raise PolicyError("unlisted must be 'keep' or 'error'")
        columns = Counter(rule.column for rule in self.rules)
        for rule in self.rules:
            if columns[rule.column] > 1:
                raise PolicyError(f"column {rule.column!r} has {columns[rule.column]} rules")
            if rule.tweak in columns:
                raise PolicyError(
                    f"tweak of column {rule.column!r}: {_tweak_protected(rule.tweak)}"
                )
            if rule.column in self.keep:
                raise PolicyError(f"keep: {_kept(rule.column)}")
        check_mixed(self.rules, self.mixed_formats)

    def to_reveal(self) -> tuple[ColumnRule, ...]:
        """Return the rules whose tokens can be revealed: those of two-way formats.

        Raises
        ------
        PolicyError
            There are none.
        """
        rules = tuple(rule for rule in self.rules if not rule.form.one_way)
        if not rules:
            raise PolicyError("the formats of all columns are one-way: there is nothing to reveal")
        return rules

    def for_columns(self, names: Collection[str], source: object) -> Policy:
        """Return the policy without the rules of columns that a table lacks.

        Parameters
        ----------
        names : collection of str
            The columns of the table.
        source : object
            The table's name, at the start of the message.

        Raises
        ------
        PolicyError
            The table has none of the policy's columns.
        """
        rules = tuple(rule for rule in self.rules if rule.column in names)
        if not rules:
            raise PolicyError(
                f"{source}: has none of the columns that the policy protects; pass the "
                "policy of this file"
            )
        return replace(self, rules=rules)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Policy:
        """Read a policy from a TOML file.

        Parameters
        ----------
        path : path
            The file.

        Returns
        -------
        Policy
            The policy.

        Raises
        ------
        PolicyError
            The file can't be read, is not valid TOML, or is not a valid policy. The message names
            the key.
        """
        return cls.parse(policy_text(path), str(Path(path)))

    @classmethod
    def parse(cls, text: str, source: str = "policy") -> Policy:
        """Read a policy from TOML text.

        Parameters
        ----------
        text : str
            The TOML text, at most 1 MiB in UTF-8.
        source : str
            The name of the text, at the start of messages.

        Returns
        -------
        Policy
            The policy.

        Raises
        ------
        PolicyError
            The text is not valid TOML, or not a valid policy. The message names the key.
        """
        if len(text.encode(errors="surrogatepass")) > _LARGEST:
            raise _too_large(source)
        if too_deep(text):
            raise PolicyError(
                f"{source}: nested too deep; the limit is {MAX_DEPTH} levels of tables or lists"
            )
        try:
            document = tomllib.loads(text)
        except ValueError as error:
            # Not only TOMLDecodeError: a number of thousands of digits is a plain ValueError.
            known = isinstance(error, tomllib.TOMLDecodeError)
            reason = error if known else "a number has too many digits"
            raise PolicyError(
                f"{source}: not valid TOML: {reason}{hint(source, 'a policy')}"
            ) from None
        top = read_table(document, _Top, Place(source))
        columns = Place(source) / "columns"
        if not top.columns:
            raise columns.wrong("no column is protected; name at least one")
        rules = tuple(_rule(name, table, columns / name) for name, table in top.columns.items())
        protected = {rule.column for rule in rules}
        for rule in rules:
            if rule.tweak in protected:
                raise (columns / rule.column / "tweak").wrong(_tweak_protected(rule.tweak))
        for name in top.keep:
            if name in protected:
                raise (Place(source) / "keep").wrong(_kept(name))
        csv = None if top.csv is None else _csv(top.csv, Place(source) / "csv")
        try:
            return cls(rules, csv, top.unlisted, tuple(top.keep), tuple(top.mixed_formats))
        except PolicyError as error:
            raise PolicyError(f"{source}: {error}") from None


def policy_text(path: str | os.PathLike[str]) -> str:
    """Read a policy's TOML text from a file, with its line ends.

    Raises
    ------
    PolicyError
        If it can't be read, is too large, or not UTF-8.
    """
    where = Path(path)
    try:
        raw = read_small(where, _LARGEST)
        if len(raw) > _LARGEST:
            raise _too_large(str(where))
        return raw.decode("utf-8-sig")
    except OSError as error:
        instead = hint(where, "a policy")
        raise PolicyError(f"{where}: can't be read: {error.strerror}{instead}") from error
    except UnicodeDecodeError as error:
        raise PolicyError(
            f"{where}: is not UTF-8, at byte {error.start}"
            f"{hint(where, 'a policy') or '; save it as UTF-8'}"
        ) from None


def _too_large(source: str) -> PolicyError:
    return PolicyError(f"{source}: too large; the limit for a policy is {_LARGEST} bytes")


def check_mixed(rules: Iterable[ColumnRule], allowed: Collection[str]) -> None:
    """Refuse two formats under one key and namespace, except in the namespaces that are allowed.

    Equal values have different tokens in two formats, so tables no longer join.

    Raises
    ------
    PolicyError
        Two columns have one key and namespace, and their formats have different identities.
    """
    first: dict[tuple[KeyId, str], ColumnRule] = {}
    for rule in rules:
        if rule.key is None or rule.namespace in allowed:
            continue
        other = first.setdefault((rule.key, rule.namespace), rule)
        if json.dumps(other.form.identity) != json.dumps(rule.form.identity):
            written = json.dumps(rule.namespace, ensure_ascii=False)
            raise PolicyError(
                f"columns {other.column!r} and {rule.column!r} have two formats under "
                f"key {rule.key} in namespace {rule.namespace!r}, so equal values get "
                "different tokens and no longer join; give both columns one format, "
                "or one of them another namespace, or allow it with mixed_formats = "
                f"[{written}]"
            )


def _kept(column: str) -> str:
    return f"column {column!r} has a rule in [columns] too; remove one of the two"


def _tweak_protected(tweak: str | None) -> str:
    return (
        f"column {tweak!r} is protected too, so its values would not be available to "
        "reveal this column; use a column that is not protected"
    )


_NAMES = "an array of column names"
_NAMESPACES = "an array of namespaces"


class _Top(msgspec.Struct):
    columns: dict[str, Any]
    version: Literal[1] = 1
    csv: dict[str, Any] | None = None
    unlisted: Unlisted | None = None
    keep: Annotated[list[str], msgspec.Meta(description=_NAMES)] = []
    mixed_formats: Annotated[list[str], msgspec.Meta(description=_NAMESPACES)] = []


_KEY = 'a data key with its version, such as "people:1"'
_NAMESPACE = 'text that names the values, such as "person id"'


class _Column(msgspec.Struct):
    format: Annotated[
        str | dict[str, Any],
        msgspec.Meta(description='a format\'s name, such as "digits", or a table with its type'),
    ]
    key: Annotated[str, msgspec.Meta(description=_KEY)] | None = None
    namespace: Annotated[str, msgspec.Meta(description=_NAMESPACE)] | None = None
    tweak: Annotated[str, msgspec.Meta(description="a column's name")] | None = None
    on_invalid: OnInvalid = "error"


_EXAMPLE = '{ format = "digits", key = "people:1", namespace = "person id" }'


def _rule(name: str, table: object, place: Place) -> ColumnRule:
    column = read_table(table, _Column, place, _EXAMPLE)
    if column.tweak == name:
        raise (place / "tweak").wrong("a column can't be its own tweak; name another column")
    form = _format(column.format, place / "format")
    if not form.keyed:
        for option in ("key", "namespace", "tweak"):
            if getattr(column, option) is not None:
                raise (place / option).wrong(f"format {form.label!r} takes no {option}; remove it")
        return ColumnRule(name, form, None, "", on_invalid=column.on_invalid)
    if column.key is None:
        raise (place / "key").wrong(f"is missing; it must be {_KEY}")
    if column.namespace is None:
        raise (place / "namespace").wrong(f"is missing; it must be {_NAMESPACE}")
    if not column.namespace:
        raise (place / "namespace").wrong("must not be empty; name the values")
    try:
        key = KeyId.parse(column.key)
    except ParameterError as error:
        raise (place / "key").wrong(str(error)) from None
    if column.on_invalid == "keep" and isinstance(form, TextFormat) and form.luhn == "invalid":
        raise (place / "on_invalid").wrong(
            "'keep' can't go with luhn = \"invalid\": a value kept because its check digit is "
            "wrong could be taken for a token; use 'error' or 'null'"
        )
    return ColumnRule(name, form, key, column.namespace, column.tweak, column.on_invalid)


def _format(described: str | dict[str, Any], place: Place) -> Format:
    if isinstance(described, str):
        kind, options, at = described, {}, place
    else:
        options, at = dict(described), place / "type"
        kind = options.pop("type", None)
    if not isinstance(kind, str):
        raise at.wrong(f"must be the name of a format: {', '.join(PRESETS)}")
    if kind not in PRESETS:
        raise at.wrong(f"there is no format {kind!r}{instead(kind, PRESETS)}")
    read = read_table(options, _options(kind), place)
    given = {name: getattr(read, name) for name in options}
    try:
        return PRESETS[kind](**given)
    except FormatError as error:
        raise _blamed_option(kind, given, place).wrong(str(error)) from None


def _blamed_option(kind: str, given: dict[str, Any], place: Place) -> Place:
    """Return the one option without which the format could be made, or the table of all."""
    cures, required = [], []
    for name in given:
        others = {other: value for other, value in given.items() if other != name}
        try:
            PRESETS[kind](**others)
        except FormatError:
            continue
        except TypeError:  # it can't be left out
            required.append(name)
        else:
            cures.append(name)
    blamed = cures or required
    return place / blamed[0] if len(blamed) == 1 else place


@cache
def _options(kind: str) -> type[msgspec.Struct]:
    """Describe the options of a preset, from its function's signature."""
    builder = PRESETS[kind]
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
    return msgspec.defstruct(kind, fields, kw_only=True)


_Csv = msgspec.defstruct(
    "_Csv", [(name, hint, None) for name, hint in get_type_hints(CsvOptions).items()]
)


def _csv(table: dict[str, Any], place: Place) -> CsvOptions:
    read = read_table(table, _Csv, place)
    options = {name: getattr(read, name) for name in table}
    if options.get("quote") == "":
        options["quote"] = None  # TOML has no null
    try:
        return CsvOptions(**options)
    except ParameterError as error:
        raise _blamed(options, place).wrong(str(error)) from None


def _blamed(options: dict[str, Any], place: Place) -> Place:
    """Return the key that is wrong whatever the others say, or their table."""
    for name, value in options.items():
        try:
            CsvOptions(**{name: value})
        except ParameterError:
            return place / name
    return place

# SPDX-License-Identifier: Apache-2.0
"""Policies: which columns are protected, how, under which key; ``docs/reference/policy.md``.

A policy is a TOML file::

    [columns]
    soc_sec_id = { format = "digits", key = "people:1", namespace = "person-id" }

A format is a name, or a table with a ``type`` and the options of the format of that name. Python
reads TOML; the core says what a policy is.
"""

import json
import os
import tomllib
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time
from math import isfinite
from pathlib import Path
from typing import Any, Literal

from tallystick._core import ffi, lib
from tallystick.errors import PolicyError
from tallystick.files import CsvOptions
from tallystick.formats import Format, of_description
from tallystick.keyring import KeyId
from tallystick.mistaken import hint
from tallystick.policy.signatures import Signed, beside, demanded
from tallystick.reading import read_small
from tallystick.tokenizer import ON_INVALID, OnInvalid

Unlisted = Literal["keep", "error"]
"""What to do with columns that a policy does not name."""


@dataclass(frozen=True, slots=True)
class ColumnRule:
    """How one column is protected."""

    column: str
    """The column's name in the file."""
    form: Format
    """The format of its values."""
    key: KeyId | None
    """The data key, with its version. None for a format without a key."""
    namespace: str
    """A name for the values; see `Tokenizer`. Empty without a key."""
    tweak: str | None = None
    """The tweak column: equal values in rows with different tweaks have unrelated tokens."""
    on_invalid: OnInvalid = "error"
    """What to do with an invalid value; see `Tokenizer`."""

    def same_tokens(self, other: "ColumnRule") -> bool:
        """Say whether another rule gives values the same tokens."""
        what = ("key", "namespace", "tweak")
        return self.form.identity == other.form.identity and all(
            getattr(self, one) == getattr(other, one) for one in what
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The column, and the tweak column if there is one."""
        return (self.column,) if self.tweak is None else (self.column, self.tweak)


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules for the columns of a file, and its CSV dialect.

    Raises
    ------
    PolicyError
        The rules contradict each other.
    """

    rules: tuple[ColumnRule, ...]
    """One rule for each protected column, in the order of the policy."""
    csv: CsvOptions | None = None
    """The CSV dialect. None: commas, or tabs for .tsv."""
    unlisted: Unlisted | None = None
    """What to do with columns that the policy does not name: let them pass in clear, or raise an
    error. None: they pass in clear, with a warning."""
    keep: tuple[str, ...] = ()
    """Columns that pass in clear on purpose."""
    mixed_formats: tuple[str, ...] = ()
    """Namespaces in which one key may serve several formats."""
    signed: Signed | None = field(default=None, compare=False, repr=False)
    """The file that it was read from, for a key ring that demands signatures."""

    def __post_init__(self) -> None:
        """Refuse rules that contradict each other.

        Raises `PolicyError`: a column has two rules, or is protected and also kept or used as a
        tweak; or one key has two formats in a namespace.
        """
        if self.unlisted not in (None, "keep", "error"):
            raise PolicyError("unlisted must be 'keep' or 'error'")
        _check(self.rules, self.keep, self.mixed_formats)

    @property
    def named(self) -> list[str]:
        """The columns that it names: to be protected, as tweaks, or to be kept."""
        return [*(name for rule in self.rules for name in rule.names), *self.keep]

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

    def for_columns(self, names: Collection[str], source: object) -> "Policy":
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
    def load(cls, path: str | os.PathLike[str]) -> "Policy":
        """Read a policy from a TOML file.

        Parameters
        ----------
        path : path
            The file.

        Raises
        ------
        PolicyError
            The file can't be read, is not valid TOML, or is not a valid policy. The message names
            the key.
        """
        where = Path(path)
        return cls.of_file(read_file(where), str(where), beside(where))

    @classmethod
    def of_file(cls, data: bytes, source: str, signatures: bytes | None) -> "Policy":
        """Read a policy from the bytes of a file, and of the file of its signatures.

        Parameters
        ----------
        data : bytes
            The policy's file.
        source : str
            Its name, at the start of messages.
        signatures : bytes or None
            The file beside it. It is looked at when a key ring demands it.

        Raises
        ------
        PolicyError
            As for `load`.
        """
        made = cls.parse(decoded(data, source), source)
        return replace(made, signed=Signed(data, signatures, source))

    def check_signed(self, signers: Collection[str], ring: object) -> None:
        """Refuse a policy that is not as one of the signers signed it.

        Parameters
        ----------
        signers : collection of str
            Public keys. Without any, no signature is needed.
        ring : object
            The key ring's name, for messages.

        Raises
        ------
        PolicyError
            It is not signed, or was changed since.
        """
        signed = demanded(self.signed, signers, ring, "Policy.load")
        if signed is None:
            return
        source = signed.source
        origin = Policy.of_file(signed.policy, source, None)
        for rule in self.rules:
            if rule not in origin.rules:
                raise PolicyError(
                    f"{source}: the rule of column {rule.column!r} is not the signed one; let a "
                    "signer sign the changed policy, and pass that file"
                )
        same = {self.unlisted} <= {origin.unlisted, "error"} and (
            set(self.keep) <= set(origin.keep)
            and set(self.mixed_formats) <= set(origin.mixed_formats)
        )
        if not same:
            raise PolicyError(
                f"{source}: what passes in clear is not as it was signed; let a signer sign the "
                "changed policy, and pass that file"
            )
        ours, theirs = (replace(one.csv or CsvOptions(), encoding=None) for one in (self, origin))
        if ours != theirs:
            raise PolicyError(
                f"{source}: [csv] is not as it was signed; let a signer sign the changed policy, "
                "and pass that file"
            )

    @classmethod
    def parse(cls, text: str, source: str = "policy") -> "Policy":
        """Read a policy from TOML text.

        Parameters
        ----------
        text : str
            The TOML text, at most 1 MiB in UTF-8.
        source : str
            The name of the text, at the start of messages.

        Raises
        ------
        PolicyError
            The text is not valid TOML, or not a valid policy. The message names the key.
        """
        try:
            document = read_toml(text)
        except PolicyError as error:
            raise PolicyError(f"{source}: {error}{hint(source, 'a policy')}") from None
        described = json.dumps(tagged(document), ensure_ascii=False).encode()
        made, problem = ffi.new("tally_policy **"), ffi.new("tally_problem *")
        status = lib.tally_policy_new(ffi.NULL, described, len(described), made, problem)
        if status == lib.TALLY_ERROR_MEMORY:
            raise MemoryError
        if status != lib.TALLY_OK:
            raise PolicyError(": ".join(filter(None, (source, *problem_of(problem)))))
        native = ffi.gc(made[0], lib.tally_policy_free)
        rules: list[ColumnRule] = []
        while (rule := lib.tally_policy_rule(native, len(rules))) != ffi.NULL:
            rules.append(_rule(rule, document["columns"]))
        return cls(
            tuple(rules),
            _csv(native),
            _UNLISTED[lib.tally_policy_unlisted(native)],
            _texts(native, lib.tally_policy_keep),
            _texts(native, lib.tally_policy_mixed_format),
        )


def policy_text(path: str | os.PathLike[str]) -> str:
    """Read a policy's TOML text from a file, with its line ends.

    Raises
    ------
    PolicyError
        If it can't be read, is too large, or not UTF-8.
    """
    where = Path(path)
    return decoded(read_file(where), str(where))


def read_file(where: Path) -> bytes:
    """Return the bytes of a policy's file.

    Raises
    ------
    PolicyError
        It can't be read, or is too large or nested too deep.
    """
    try:
        data = read_small(where, lib.TALLY_POLICY_SIZE_MAX)
    except OSError as error:
        instead = hint(where, "a policy")
        raise PolicyError(f"{where}: can't be read: {error.strerror}{instead}") from error
    try:
        _check_text(data)
    except PolicyError as error:
        raise PolicyError(f"{where}: {error}") from None
    return data


def decoded(data: bytes, source: str) -> str:
    """Return the text of a policy's file. Raises `PolicyError`: it is not UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PolicyError(
            f"{source}: is not UTF-8, at byte {error.start}"
            f"{hint(source, 'a policy') or '; save it as UTF-8'}"
        ) from None


def read_toml(text: str) -> dict[str, Any]:
    """Return the table of a policy's text.

    Raises
    ------
    PolicyError
        It is too large, nested too deep, or not TOML.
    """
    _check_text(text.encode(errors="surrogatepass"))
    try:
        return tomllib.loads(text)
    except ValueError as error:
        # Not only TOMLDecodeError: a number of thousands of digits is a plain ValueError.
        known = isinstance(error, tomllib.TOMLDecodeError)
        reason = error if known else "a number has too many digits"
        raise PolicyError(f"not valid TOML: {reason}") from None


def _check_text(toml: bytes) -> None:
    """Refuse what is too large, or nested too deep, for `tomllib`."""
    problem = ffi.new("tally_problem *")
    if lib.tally_policy_check_text(toml, len(toml), problem) != lib.TALLY_OK:
        raise PolicyError(problem_of(problem)[1])


_UNLISTED: tuple[Unlisted | None, ...] = (None, "keep", "error")
_ON_INVALID: dict[int, OnInvalid] = {code: word for word, code in ON_INVALID.items()}


def tagged(value: object) -> object:
    """Return what TOML gives as JSON can have it; see the core's policy.h."""
    if isinstance(value, dict):
        return {key: tagged(item) for key, item in value.items()}
    if isinstance(value, list):
        return [tagged(item) for item in value]
    if isinstance(value, float) and not isfinite(value):
        return {"$float": str(value)}
    for kind, tag in ((datetime, "$datetime"), (date, "$date"), (time, "$time")):
        if isinstance(value, kind):
            return {tag: value.isoformat()}
    return value


def problem_of(problem: Any) -> tuple[str, str]:  # noqa: ANN401
    """Return the place and the text of a problem."""
    place, text = (ffi.string(held).decode() for held in (problem.place, problem.text))
    return place, text


def _rule(rule: Any, columns: dict[str, Any]) -> ColumnRule:  # noqa: ANN401
    name = _read(rule.column) or ""
    key = KeyId(ffi.string(rule.key.name).decode(), rule.key.version) if rule.key.version else None
    return ColumnRule(
        name,
        _form(rule, columns[name]),
        key,
        _read(rule.name_space) or "",
        _read(rule.tweak),
        _ON_INVALID[rule.on_invalid],
    )


def _read(held: Any) -> str | None:  # noqa: ANN401
    return None if held.text == ffi.NULL else ffi.buffer(held.text, held.size)[:].decode()


def _form(rule: Any, column: dict[str, Any]) -> Format:  # noqa: ANN401
    """Return the format of a rule, whose cipher may stand in it, beside it or above all columns."""
    described = column["format"]
    options = {"type": described} if isinstance(described, str) else dict(described)
    cipher = lib.tally_format_cipher(rule.format)
    if cipher != ffi.NULL:
        options["cipher"] = ffi.string(cipher).decode()
    if "tweak_hex" in column:
        options["tweak_hex"] = column["tweak_hex"]
    return of_description(options)


def _texts(native: Any, at: Any) -> tuple[str, ...]:  # noqa: ANN401
    found: list[str] = []
    while (text := _read(at(native, len(found)))) is not None:
        found.append(text)
    return tuple(found)


def _csv(native: Any) -> CsvOptions | None:  # noqa: ANN401
    found = ffi.new("tally_csv_options *")
    if not lib.tally_policy_csv(native, found):
        return None
    delimiter, quote = (
        None if one == b"\0" else one.decode() for one in (found.delimiter, found.quote)
    )
    skips, header = bool(found.skip_initial_space), bool(found.header)
    return CsvOptions(delimiter, quote, skips, header, _read(found.encoding))


def _check(
    rules: Collection[ColumnRule], keep: Collection[str], mixed_formats: Collection[str]
) -> None:
    """Refuse rules that contradict each other."""
    held: list[object] = []

    def text(value: str | None) -> dict[str, Any]:
        if value is None:
            return {"text": ffi.NULL, "size": 0}
        raw = value.encode(errors="surrogatepass")
        held.append(ffi.from_buffer("char[]", raw + b"\0"))
        return {"text": held[-1], "size": len(raw)}

    made = ffi.new("tally_rule[]", len(rules))
    for native, rule in zip(made, rules, strict=True):
        native.column, native.name_space, native.tweak = (
            text(rule.column),
            text(rule.namespace),
            text(rule.tweak),
        )
        native.format = rule.form.native
        if rule.key is not None:
            native.key.name, native.key.version = rule.key.name.encode(), rule.key.version
        native.on_invalid = ON_INVALID[rule.on_invalid]
    kept, mixed = (
        ffi.new("tally_policy_text[]", list(map(text, one))) for one in (keep, mixed_formats)
    )
    problem = ffi.new("tally_problem *")
    status = lib.tally_rules_check(
        *(ffi.NULL, made, len(rules)),
        *(kept, len(keep), mixed, len(mixed_formats), problem),
    )
    if status == lib.TALLY_ERROR_MEMORY:
        raise MemoryError
    if status != lib.TALLY_OK:
        raise PolicyError(problem_of(problem)[1])

# SPDX-License-Identifier: Apache-2.0
"""Formats: the core's, made from their descriptions."""

import json
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from itertools import count, takewhile
from typing import Any, final, get_args

from tallystick._core import ffi, lib
from tallystick.arrow import format_of
from tallystick.errors import CharacterClass, Fault, FormatError, ParameterError
from tallystick.formats.description import descriptions
from tallystick.memory import FORMAT, shared
from tallystick.memory import check as check_status

SMALLEST_DOMAIN = int(lib.TALLY_SMALLEST_DOMAIN)
"""A domain of fewer values is refused, unless `allow_tiny_domain` allows it."""

SMALL_DOMAIN = int(lib.TALLY_SMALL_DOMAIN)
"""A domain of fewer values gets a warning: anyone who can protect values can list its tokens."""

LARGEST_DOMAIN = 2**64 - 1
"""The size of a domain that has so many values, or more."""


class Reason(StrEnum):
    """The reason why a value is invalid, with the core's text and in its order."""

    SHORT, LONG, FOREIGN, DELIMITER, CHECK, TWEAK, NOTATION, RANGE, NORMAL = (
        ffi.string(lib.tally_reason_text(reason)).decode() for reason in range(1, lib.TALLY_REASONS)
    )


_REASONS: tuple[Reason, ...] = tuple(Reason)
REASONS: tuple[Reason | None, ...] = (None, *_REASONS)
"""Row statuses: the status of a row is an index into this tuple; 0 is valid."""

_CLASSES: tuple[CharacterClass, ...] = get_args(CharacterClass)


@final
class Format:
    """A format: which values are valid, and which tokens they get.

    Tokens match the same format, except those of one-way formats. The functions of
    `tallystick.formats` make formats. A format is immutable, and threads may share it.

    Parameters
    ----------
    name : str
        The format's name in policies.
    options : mapping of str to object
        Its options, by their names in policies.

    Attributes
    ----------
    label : str
        The name.
    options : dict of str to object
        The options with their defaults; dates as text, Decimal too.
    identity : tuple
        The facts that tokens depend on, beside key and namespace: equal identities give equal
        tokens. ``docs/reference/tokens.md`` has the bytes.
    no_text : str or None
        Why values can't be text, if they can't.
    one_way : bool
        Whether tokens can't be revealed.
    cipher : str or None
        The cipher; see `with_cipher`. None: the format encrypts no words.
    integers : bytes
        The type of a single integer, in the notation of Arrow's C data interface.
    keyed : bool
        Whether the format needs a key and a namespace.
    key_size : int or None
        The bytes that the key must have. None: 16, 24 or 32.
    needs_tweak : bool
        Whether each value needs a tweak.
    forbids_keep : bool
        Whether `on_invalid` can't be ``"keep"``: a value that is kept could be taken for a token.
    may_be_formula : bool
        Whether tokens may begin with a character that spreadsheets read as a formula although
        values do not.
    examples : tuple of str
        Some valid values.
    smallest_domain : int or None
        The size of the domain of the shortest valid value, at most `LARGEST_DOMAIN`. None: the
        format does not know it.

    Raises
    ------
    FormatError
        There is no such format, or it can't have these options.
    """

    __slots__ = (
        *(
            "cipher",
            "examples",
            "forbids_keep",
            "held",
            "identity",
            "integers",
            "key_size",
            "keyed",
        ),
        *("label", "may_be_formula", "native", "needs_tweak", "no_text", "one_way", "options"),
        "smallest_domain",
    )

    def __init__(self, name: str, options: Mapping[str, Any] | None = None) -> None:
        if "type" in (options or {}):
            raise FormatError(f"{name!r}: 'type' is no option: the name says which format it is")
        self.label = name
        usual = _usual(name)
        given = {key: value for key, value in (options or {}).items() if value is not None}
        if given.get("cipher") == "fast":  # which all have that have one
            del given["cipher"]
        self.options: dict[str, Any] = usual | {key: _said(one) for key, one in given.items()}
        # Without the defaults, since messages name what is given.
        changed = {key: one for key, one in given.items() if not _is(one, usual.get(key))}
        self.held = _made(name, changed)
        self.native: Any = self.held.object
        self.one_way = bool(lib.tally_format_is_one_way(self.native))
        cipher = lib.tally_format_cipher(self.native)
        self.cipher = None if cipher == ffi.NULL else _text(cipher)
        self.keyed = bool(lib.tally_format_is_keyed(self.native))
        self.key_size: int | None = lib.tally_format_key_size(self.native) or None
        self.needs_tweak = bool(lib.tally_format_needs_tweak(self.native))
        self.forbids_keep = bool(lib.tally_format_forbids_keep(self.native))
        self.may_be_formula = bool(lib.tally_format_may_be_formula(self.native))
        identity = json.loads(_text(lib.tally_format_identity(self.native)))
        self.identity: tuple[object, ...] = tuple(identity)
        at = (lib.tally_format_example(self.native, index) for index in count())
        self.examples = tuple(map(_text, takewhile(lambda found: found != ffi.NULL, at)))
        unsigned = self.takes("L") is None and self.takes("l") is not None
        self.no_text = self.takes("u")
        self.integers = b"L" if unsigned else b"l"
        found = ffi.new("tally_domain *")
        lib.tally_format_smallest_domain(self.native, found)
        self.smallest_domain = int(found.size) if found.known else None

    def __repr__(self) -> str:
        return f"formats.{self.label}({', '.join(f'{k}={v!r}' for k, v in self.options.items())})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Format):
            return NotImplemented
        return self.label == other.label and self.options == other.options

    def __hash__(self) -> int:
        return hash((self.label, tuple(self.options)))

    def __reduce__(self) -> tuple[object, ...]:
        return Format, (self.label, self.options)

    def with_cipher(self, cipher: str = "fast", tweak_hex: str | None = None) -> "Format":
        """Return the same format with another cipher; ``docs/explanation/which-cipher.md``.

        Parameters
        ----------
        cipher : {"fast", "ff1", "ff1-2016", "ff3-1"}
            ``ff1`` needs domains of 1,000,000 values or more. ``ff1-2016`` needs as many, or 100
            with ``allow_tiny_domain``. ``ff3-1`` reveals tokens and makes none.
        tweak_hex : str or None
            Hexadecimal digits: the tweak of the plain cipher, for tokens of other programs. The
            data key is the cipher's key then, and a tweak column adds its bytes to this tweak.

        Raises
        ------
        FormatError
            The format encrypts no words, or its domain is too small, or it is not of text alone
            and has a `tweak_hex`.
        """
        made = Format(self.label, {**self.options, "cipher": cipher, "tweak_hex": tweak_hex})
        return self if made == self else made

    def domain_of(self, value: str) -> int | None:
        """Return the size of the domain of a valid value; see `smallest_domain`.

        Parameters
        ----------
        value : str
            The value as text, for any type of column.
        """
        found, given = ffi.new("tally_domain *"), value.encode()
        lib.tally_format_domain_of(self.native, given, len(given), found)
        return int(found.size) if found.known else None

    def accepts(self, kind: Any) -> bool:  # noqa: ANN401
        """Return whether the format accepts columns of an Arrow type.

        Parameters
        ----------
        kind : pyarrow.DataType
            The type.
        """
        return self.takes(_values_format(kind)) is None

    def refusal(self, kind: Any) -> str:  # noqa: ANN401
        """Return the message for a column of a type that the format does not accept."""
        return self.takes(_values_format(kind)) or ""

    def check(self, value: str) -> tuple[Reason, Fault | None] | None:
        """Return why a value is invalid, and its invalid character if that is the reason.

        It needs no key, and takes some tens of microseconds; `Tokenizer.protect` checks each value.

        Parameters
        ----------
        value : str
            The value as text. With the cipher ``ff3-1`` it is a token.

        Returns
        -------
        tuple of Reason and Fault, or None
            None: the value is valid.

        Raises
        ------
        FormatError
            The format takes no text.
        ParameterError
            The value has more than 1 MiB.
        """
        given, found = value.encode(errors="surrogatepass"), ffi.new("tally_fault *")
        status = lib.tally_format_check(self.native, given, len(given), found)
        if status == lib.TALLY_ERROR_TYPE:
            raise FormatError(f"{self.label}: {self.no_text}")
        if status == lib.TALLY_ERROR_ARGUMENT:
            raise ParameterError("a value of more than 1 MiB can't be checked")
        check_status(status, f"format {self.label}")
        return (reason_of(found), fault_of(found)) if found.reason else None

    def fault(self, value: object, reason: Reason) -> Fault | None:
        """Return the invalid character of a value, if its reason is a character.

        Parameters
        ----------
        value : str, bytes, pyarrow.Scalar or another value
            Only text has characters.
        reason : Reason
            The reason. A check digit, a range or a length has no place.
        """
        given: Any = value
        if hasattr(given, "as_buffer") and _is_text(format_of(given.type)) and given.is_valid:
            given = given.as_buffer().to_pybytes()
        if isinstance(given, str):
            given = given.encode(errors="surrogatepass")
        if not isinstance(given, bytes):
            return None
        found = ffi.new("tally_fault *")
        code = REASONS.index(reason)
        lib.tally_format_explain(self.native, given, len(given), code, found)
        return fault_of(found)

    def takes(self, kind: str) -> str | None:
        """Return why a type, in the notation of Arrow's C interface, is not accepted, or None."""
        problem = ffi.new("tally_problem *")
        status = lib.tally_format_takes(self.native, kind.encode(), problem)
        return None if status == lib.TALLY_OK else _text(problem.text)


def fault_of(found: Any) -> Fault | None:  # noqa: ANN401
    """Return the character that a ``tally_fault`` tells of."""
    if not found.position:
        return None
    return Fault(int(found.position), _CLASSES[found.character])


def reason_of(found: Any) -> Reason:  # noqa: ANN401
    """Return the reason that a ``tally_fault`` tells of, of an invalid value."""
    return _REASONS[int(found.reason) - 1]


def _values_format(kind: Any) -> str:  # noqa: ANN401
    """Return the format string of an Arrow type, or that of the values of dictionaries and runs."""
    found = format_of(kind)
    return format_of(kind.value_type) if found == "+r" else found


def _is_text(kind: str) -> bool:
    return kind in ("u", "U", "z", "Z")


def is_text(kind: Any) -> bool:  # noqa: ANN401
    """Say whether an Arrow type is text, or binary, which formats read as text."""
    return _is_text(format_of(kind)) and not hasattr(kind, "value_type")


def _text(held: Any) -> str:  # noqa: ANN401
    return str(ffi.string(held).decode())


def _made(name: str, options: Mapping[str, Any]) -> Any:  # noqa: ANN401
    described = json.dumps({"type": name, **options}, default=_plain).encode()
    made, problem = ffi.new("tally_format **"), ffi.new("tally_problem *")
    status = lib.tally_format_new(ffi.NULL, described, len(described), made, problem)
    if status == lib.TALLY_ERROR_MEMORY:
        raise MemoryError
    if status != lib.TALLY_OK:
        place, text = _text(problem.place), _text(problem.text)
        if not text.startswith(f"{name}: "):
            said = name if name.isidentifier() else repr(name)
            text = f"{said}: {place}: {text}" if place else text
        raise FormatError(text, option=place)
    return shared(made[0], FORMAT)


def _plain(value: object) -> object:
    """Write an option as the core reads it from JSON."""
    if isinstance(value, datetime):
        return {"$datetime": value.isoformat()}
    if isinstance(value, date):
        return {"$date": value.isoformat()}
    if isinstance(value, Decimal):
        return f"{value:f}"
    raise FormatError(f"an option can't be a {type(value).__name__}")


def _usual(name: str) -> dict[str, Any]:
    """Return the options of a format that have a default."""
    found = descriptions().get(name)
    options = () if found is None else found.options
    return {option.name: option.default for option in options if option.default is not None}


def _is(given: object, usual: object) -> bool:
    said = _said(given)
    return type(said) is type(usual) and said == usual


def _said(value: object) -> object:
    """Write an option as text if it can be given as text too, so that formats compare."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, list):
        return tuple(value)
    return f"{value:f}" if isinstance(value, Decimal) else value

# SPDX-License-Identifier: Apache-2.0
"""What the first argument of ``tally_protect`` and ``tally_reveal`` may be, and their errors."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from tallystick.errors import FormatError, InvalidValueError, ParameterError, TallyError
from tallystick.formats import PRESETS
from tallystick.frames.by import preset, tokenizer_of
from tallystick.protector import Protector
from tallystick.tokenizer import ONLY_PROTECTS, Tokenizer

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Named:
    """A name of SQL: the tokenizer, and whether its rule has a tweak."""

    name: str
    tokenizer: Tokenizer
    tweak: str | None = None


def named(
    protector: Protector | None,
    key: bytes | bytearray | None,
    namespace: str | None,
    *,
    reveal: bool,
) -> dict[str, Named]:
    """Return what names mean: columns of a policy, or formats under one key and namespace.

    Raises `ParameterError`: neither a protector nor key and namespace are given, or both.
    `TallyError`: tokens are to be revealed, and the protector must not.
    """
    if reveal and protector is not None and not protector.reveals:
        raise TallyError(f"tally_reveal can't be registered; the protector: {ONLY_PROTECTS}")
    if protector is not None and key is None and namespace is None:
        return {
            name: Named(name, protector.tokenizer(name), rule.tweak)
            for name, rule in protector.rules.items()
        }
    if protector is not None or key is None or namespace is None:
        raise ParameterError(
            "pass either a protector (names are columns of its policy), or key and "
            "namespace (names are formats)"
        )
    made = {}
    for name in PRESETS:
        try:
            form = preset(name)
        except (ParameterError, FormatError):  # it needs options
            continue
        if form.key_size is not None:  # a key of its own, which serves no other format
            continue
        made[name] = Named(name, tokenizer_of(form, key, namespace, reveal=reveal))
    return made


def find(names: Mapping[str, Found], name: object) -> Found:
    """Return what a name means.

    Raises `ParameterError`: it means nothing. The name is not repeated: it may be a value, given in
    the wrong place.
    """
    if isinstance(name, str) and name in names:
        return names[name]
    raise ParameterError(
        f"the first argument must be one of {', '.join(map(repr, names))}, and the second the value"
    )


@contextmanager
def named_errors(meant: Named, *, decrypt: bool) -> Iterator[None]:
    """Say in an error which function and name it was. Rows have no numbers in SQL."""
    call = f"tally_{'reveal' if decrypt else 'protect'}({meant.name!r}, ...)"
    try:
        yield
    except InvalidValueError as error:
        raise error.moved(f"{call}: invalid value", -1).mended(decrypt=decrypt) from None
    except TallyError as error:
        raise type(error)(f"{call}: {error}") from None

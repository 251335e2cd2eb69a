# SPDX-License-Identifier: Apache-2.0
"""The rules of a policy with their keys: a tokenizer for each, and what messages say of both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from tallystick.errors import KeyringError, ParameterError, PolicyError
from tallystick.files import Place
from tallystick.keyring import Keyring
from tallystick.policy.rules import ColumnRule
from tallystick.tokenizer import Tokenizer

TO_MEND_PROTECTING = (
    "correct the value, change the options of the format (such as case, separators or "
    "a wider range), or set on_invalid = 'null' or 'keep' for the column in the "
    "policy"
)
TO_MEND_REVEALING = "it can't be a token of this policy; pass the policy that protected the data"


@contextmanager
def tokenizers_of(
    rules: Sequence[ColumnRule], keyring: Keyring, *, reveal: bool = True
) -> Iterator[Sequence[Tokenizer]]:
    """Lend a tokenizer for each rule; their keys are wiped at the end."""
    made = open_tokenizers(rules, keyring, reveal=reveal)
    try:
        yield made
    finally:
        close_tokenizers(made)


def open_tokenizers(
    rules: Sequence[ColumnRule], keyring: Keyring, *, reveal: bool = True
) -> list[Tokenizer]:
    """Make a tokenizer for each rule; the caller closes them. If one fails, none stays open."""
    made: list[Tokenizer] = []
    try:
        for rule in rules:
            made.append(_tokenizer(rule, keyring, reveal))
    except BaseException:
        close_tokenizers(made)
        raise
    return made


def close_tokenizers(made: Iterable[Tokenizer]) -> None:
    """Wipe the keys of all."""
    for tokenizer in made:
        tokenizer.close()


def _tokenizer(rule: ColumnRule, keyring: Keyring, reveal: bool) -> Tokenizer:
    """Make a tokenizer. By itself, since whoever waits for the end would hold the key."""
    try:
        key = None if rule.key is None else keyring.key(rule.key)
    except KeyringError as error:
        raise type(error)(
            f"column {rule.column!r}: its key in the policy, {rule.key}: {error}"
        ) from None
    return Tokenizer(
        rule.form, key, namespace=rule.namespace, on_invalid=rule.on_invalid, reveal=reveal
    )


@contextmanager
def at_column(source: Place | None, name: str) -> Iterator[None]:
    """Name file, if it is one, and column where a format or tweak can't have a column's type."""
    try:
        yield
    except ParameterError as error:
        where = "" if source is None else f"{source}: "
        raise PolicyError(
            f"{where}column {name!r}: {error}; change the policy, or convert the column"
        ) from None

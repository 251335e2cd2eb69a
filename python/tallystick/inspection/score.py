# SPDX-License-Identifier: Apache-2.0
"""The certainty that a column is of a kind: evidence of values, check digits and the name.

``docs/reference/inspection.md`` defines the score.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tallystick.errors import FormatError
from tallystick.formats import Format
from tallystick.formats.format import REASONS, Reason
from tallystick.inspection.choice import Choice
from tallystick.inspection.column import Column
from tallystick.inspection.knowledge import NEUTRAL
from tallystick.tokenizer import Tokenizer

SURE = 0.75
LIKELY = 0.5
"""A column of at least this score counts as sensitive."""
POSSIBLE = 0.25
"""A column of at least this score is reported as a possibility."""

_ONE_WAY = 0.9
"""What a one-way format's score counts beside those of others that have not all values."""
_ALL = 0.99
"""The share of valid values from which on a format has, in effect, all of them."""
_SPECIAL = 0.35
"""What values must say of a special format so that it goes before one of many kinds."""
_FEW = 24  # values that are looked at first
_WRONG = [REASONS.index(Reason.CHECK), REASONS.index(Reason.RANGE)]
"""Of values that have a format's notation, but are not valid."""


@dataclass(frozen=True)
class Weighed:
    """A choice for a column, and the evidence for it.

    Attributes
    ----------
    choice : Choice
        The format.
    form : Format
        The same, made.
    status : numpy.ndarray of uint8
        For each value that is not null an index into `tallystick.formats.REASONS`.
    fit, shape, hint, score : float
        The share of valid values, without the empty text; the evidence of the values, after check
        digits; the evidence of the name; and the three together.
    """

    choice: Choice
    form: Format
    status: npt.NDArray[np.uint8]
    fit: float
    shape: float
    hint: float
    score: float

    @property
    def rank(self) -> float:
        """What choices for a column are compared by."""
        return self.score * (_ONE_WAY if self.form.one_way else 1.0)


def best_of(found: Sequence[Weighed]) -> Weighed:
    """Return the choice that a column gets.

    That is the one of the highest rank, with exceptions. No one-way format is taken if another has
    all values, and a one-way format goes before one of many kinds that lacks some. A special format
    that has all values goes before one of many kinds, whatever the column's name says: a name that
    helps must not hurt.
    """
    two_way = [one for one in found if not one.form.one_way]
    if any(one.fit >= _ALL and one.score >= LIKELY for one in two_way):
        found = two_way
    best = max(found, key=lambda one: one.rank)
    special = [
        one
        for one in two_way
        if not one.choice.generic and one.fit >= _ALL and one.shape >= _SPECIAL
    ]
    if best.choice.generic and special:
        return max(special, key=lambda one: one.rank)
    one_way = [one for one in found if one.form.one_way]
    if best.choice.generic and best.fit < _ALL and one_way:
        return max(one_way, key=lambda one: one.rank)
    return best


def weigh(column: Column, choice: Choice) -> Weighed | None:
    """Return the evidence for a choice; None: it is very weak, or the format can't be made."""
    try:
        form = choice.form()
    except FormatError:
        return None
    as_text = column.is_text or column.is_integer
    values = column.text if as_text else column.values.drop_null()
    kinds = (values.type,) if column.is_integer else (values.type, *column.kinds)
    if not all(map(form.accepts, kinds)):
        return None
    gate = 1.0 if choice.gate is None else column.share(choice.gate)
    if as_text and len(values) > 2 * _FEW:
        step = -(-len(column.probe) // _FEW)
        few = pa.array(column.probe[::step], values.type)
        if _fit(statuses(form, few)) == 0:
            return None
    status = statuses(form, values)
    fit = min(gate, _fit(status[column.worded]))
    if fit < POSSIBLE:
        return None
    shape = choice.shape * _checked(choice, status) * (1 - 0.5 ** len(column.different))
    hint = column.hints.get(choice.kind, 0.0)
    if not hint and NEUTRAL in column.hints:
        shape **= 3  # the name suggests something else: only strong evidence is left
    score = fit * (1 - (1 - shape) * (1 - hint))
    return Weighed(choice, form, status, fit, shape, hint, score)


def statuses(form: Format, values: pa.Array) -> npt.NDArray[np.uint8]:
    """Return the status of each value, as an index into `REASONS`."""
    if form.one_way:
        return np.zeros(len(values), np.uint8)
    tokenizer = Tokenizer(form, secrets.token_bytes(16), namespace="inspect")
    return tokenizer.outcome(values, decrypt=False).status


def _fit(status: npt.NDArray[np.uint8]) -> float:
    return float(np.mean(status == 0)) if len(status) else 0.0


def _checked(choice: Choice, status: npt.NDArray[np.uint8]) -> float:
    """Return how much better check digits are than by chance, 0 to 1."""
    if choice.check is None:
        return 1.0
    right, wrong = int(np.sum(status == 0)), int(np.sum(np.isin(status, _WRONG)))
    if not right:
        return 0.0
    better = max(0.0, (right / (right + wrong) - choice.check) / (1 - choice.check))
    return better * (1 - choice.check ** min(right, 50))

# SPDX-License-Identifier: Apache-2.0
"""What a column of a sample looks like, and a format for it."""

from dataclasses import dataclass, field, replace
from math import floor

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tallystick.formats import Format
from tallystick.formats.format import REASONS, Reason, is_text
from tallystick.inspection.by_name import choice_by_name
from tallystick.inspection.choice import Choice
from tallystick.inspection.column import Column
from tallystick.inspection.domains import domain_sizes, usual_size
from tallystick.inspection.knowledge import FAIR, NEUTRAL
from tallystick.inspection.ranges import integer_range
from tallystick.inspection.rules import choices
from tallystick.inspection.score import (
    LIKELY,
    POSSIBLE,
    SURE,
    Weighed,
    best_of,
    statuses,
    weigh,
)

FIRST_ROWS = 5
"""Rows that are listed for each reason, at most."""


@dataclass(frozen=True)
class Finding:
    """What a column of the sample looks like."""

    column: str
    """Its name."""
    type: str
    """Its Arrow type (text in CSV); several types if files differ."""
    sensitive: bool = False
    """Whether it looks so: its score is at least `tallystick.inspection.score.LIKELY`, or it has
    no value and a name that suggests personal data."""
    undecided: bool = False
    """Whether a draft can't decide about it: no format accepts its type, or the sample of a part
    of a file has no value."""
    by_name: bool = False
    """Whether the format is chosen by the column's name alone, since it has no value."""
    files: tuple[int, ...] = (0,)
    """Which files have it, by their place in `Inspection.files`."""
    namespace: str = ""
    """The namespace of the column in a draft."""
    choice: Choice | None = None
    """The kind of the column, and a format for it. If the column is not sensitive: its possible
    kind."""
    form: Format | None = None
    """The format; None: no format can be used."""
    score: float = 0.0
    """The certainty of the choice, 0 to 1."""
    fit: float = 0.0
    """A part of the score: the share of valid values."""
    hint: float = 0.0
    """A part of the score: the hint of the name."""
    filled: int = 0
    """Rows of the sample that have a value."""
    nulls: int = 0
    """Rows of the sample that have none."""
    different: int = 0
    """Different values of the sample."""
    invalid_rows: dict[Reason, tuple[int, tuple[int, ...]]] = field(default_factory=dict)
    """Invalid values of the sample, by reason: their number, and the first rows of the file
    whose number is known, from 0."""
    smallest: int | None = None
    """The size of the smallest domain of a value of the sample."""
    usual: int | None = None
    """The size of the most frequent domain of a value of the sample."""
    reason: str = ""
    """Why it counts as sensitive, or not."""

    @property
    def certainty(self) -> str:
        """The score in a word."""
        if self.by_name:
            return "by its name"
        words = ((SURE, "sure"), (LIKELY, "likely"), (POSSIBLE, "possible"))
        return next((word for least, word in words if self.score >= least), "no sign")


def look(
    column: Column,
    rows: npt.NDArray[np.int64],
    files: tuple[int, ...],
    *,
    whole: bool,
) -> Finding:
    """Return what a column looks like, and a format for it.

    Parameters
    ----------
    rows : numpy.ndarray of int64, shape (rows,)
        The number of each row of the sample in its file, from 0; -1 where it is not known.
    files : tuple of int
        As in `Finding`.
    whole : bool
        Whether the sample was chosen from all rows.
    """
    plain = Finding(
        column.name,
        ", ".join(dict.fromkeys("text" if is_text(kind) else str(kind) for kind in column.kinds)),
        files=files,
        filled=len(column.filled),
        nulls=len(column.values) - len(column.filled),
    )
    if not all(map(has_format, column.kinds)):
        return replace(
            plain,
            undecided=True,
            reason=f"not protected: no format takes columns of its type{_named(column)}",
        )
    if not column.worded.any():
        return _without_values(column, plain, whole=whole)
    found = [weighed for one in choices(column) if (weighed := weigh(column, one))]
    plain = replace(plain, different=len(column.different))
    if not found and column.is_float and _named(column):
        return replace(
            plain,
            undecided=True,
            reason="not protected: its numbers have too many digits for a format; round them to "
            f"the places that you need{_named(column)}",
        )
    if not found:
        mixed = len(set(map(str, column.kinds))) > 1 and _named(column)
        reason = f"not protected: no format takes its types in all files{_named(column)}"
        undecided = bool(mixed) or _must_be_decided(column)
        return replace(plain, undecided=undecided, reason=reason if mixed else _ordinary(column))
    best = best_of(found)
    if column.is_integer:
        best = _as_integers(column, best)
    return found_of(plain, column, best, rows)


def found_of(plain: Finding, column: Column, best: Weighed, rows: npt.NDArray[np.int64]) -> Finding:
    """Return a finding with a choice for its column."""
    smallest, usual = _domains(column, best)
    sensitive = best.score >= LIKELY
    return replace(
        plain,
        sensitive=sensitive,
        undecided=not sensitive and _must_be_decided(column),
        choice=_noted(column, best) if sensitive else best.choice,
        form=best.form,
        score=best.score,
        fit=best.fit,
        hint=best.hint,
        invalid_rows=_invalid_rows(column, best, rows),
        smallest=smallest,
        usual=usual,
        reason=_because(column, best) if sensitive else _doubt(column, best),
    )


def _without_values(column: Column, plain: Finding, *, whole: bool) -> Finding:
    choice = choice_by_name(column.name, column.hints, column.values.type)
    if choice is None:
        reason = "no value in the sample"
        if not whole:
            reason += ", which is not of all rows"
        elif not len(column.values):
            reason += ", which has no rows"
        return replace(plain, undecided=True, reason=reason)
    return replace(
        plain,
        sensitive=True,
        by_name=True,
        choice=choice,
        form=choice.form(),
        score=column.hints[choice.kind],
        hint=column.hints[choice.kind],
        reason="no value in the sample; its name suggests it",
    )


def _must_be_decided(column: Column) -> bool:
    """Return whether a draft does not keep a column that matches no format."""
    return column.is_binary or _is_personal(column)


def _is_personal(column: Column) -> bool:
    """Return whether a text column has a name that clearly suggests personal data."""
    personal = [sure for kind, sure in column.hints.items() if kind != NEUTRAL]
    sure = max(FAIR, column.hints.get(NEUTRAL, 0.0))
    return column.is_text and max(personal, default=0.0) > sure


def _noted(column: Column, best: Weighed) -> Choice:
    """Return the choice; add a note if an integer column could not have its format."""
    form, choice = best.form, best.choice
    if not column.is_text or form.accepts(pa.int64()) or not column.all_integers:
        return choice
    note = (
        f"an integer column can't have format {choice.type!r}, so its tokens differ; store these "
        "values as text in data frames and Parquet too"
    )
    return replace(choice, note=f"{choice.note}; {note}" if choice.note else note)


def has_format(kind: pa.DataType) -> bool:
    """Say whether any format takes columns of a type, which is not of a dictionary."""
    numbers = pa.types.is_decimal(kind) or pa.types.is_integer(kind) or pa.types.is_float64(kind)
    times = pa.types.is_date(kind) or pa.types.is_timestamp(kind)
    return bool(numbers or times or is_text(kind))


def _named(column: Column) -> str:
    """Return what a column's name suggests, where its values can't show it."""
    kinds = [kind for kind in column.hints if kind != NEUTRAL]
    return f"; its name suggests: {', '.join(kinds)}" if kinds else ""


def _as_integers(column: Column, best: Weighed) -> Weighed:
    """Take what an integer column looks like, and the one format that it can have."""
    if best.choice.type == "integer":
        return best
    _, options = integer_range(column)
    note = (
        "in an integer column, tokens keep only a range, not check digits or places; the same "
        f"values in text get format {best.choice.type!r}, and other tokens"
    )
    choice = replace(best.choice, type="integer", options=options, check=None, note=note)
    form = choice.form()
    status = statuses(form, column.values.drop_null())
    return replace(best, choice=choice, form=form, status=status)


def _invalid_rows(
    column: Column, best: Weighed, rows: npt.NDArray[np.int64]
) -> dict[Reason, tuple[int, tuple[int, ...]]]:
    found = {}
    for code in np.unique(best.status).tolist():
        reason = REASONS[code]
        if reason is not None:
            places = column.filled[np.flatnonzero(best.status == code)]
            known = rows[places]
            first = tuple(known[known >= 0][:FIRST_ROWS].tolist())
            found[reason] = (len(places), first)
    return found


def _domains(column: Column, best: Weighed) -> tuple[int | None, int | None]:
    """Return the smallest and the most frequent domain of valid values."""
    if not column.is_text:
        return best.form.smallest_domain, best.form.smallest_domain
    sizes = domain_sizes(best.form, column.text, best.status)
    return min(sizes, default=None), usual_size(sizes)


def _because(column: Column, best: Weighed) -> str:
    share = f"{floor(best.fit * 1000) / 10:g} %"
    sample = "the sample" if column.worded.all() else "the sample that is not empty"
    parts = [f"{share} of {sample} {'has the shape' if best.form.one_way else 'is valid'}"]
    if best.choice.check is not None:
        parts.append("check digits are right")
    if best.hint:
        parts.append("its name suggests it")
    return ", ".join(parts)


def _doubt(column: Column, best: Weighed) -> str:
    if best.score >= POSSIBLE:
        return (
            f"might be: {best.choice.title}; the evidence of values and name is too weak (score "
            f"{best.score:.2f}, below {LIKELY})"
        )
    return _ordinary(column)


def _ordinary(column: Column) -> str:
    """Say why a column does not look sensitive."""
    if _is_personal(column):
        return "its name suggests personal data, but its values match no format"
    if column.is_binary:
        return "binary values that match no rule may be anything"
    if NEUTRAL in column.hints:
        return "its name suggests things, and its values suggest no person"
    count = len(column.different)
    many = "values" if column.is_text else "numbers or times"
    one = "value" if column.is_text else "number or time"
    what = one if count == 1 else many
    few = f"{count:,} different {what}" if count <= 50 else what
    return f"{few} that match no rule; its name suggests no personal data"

# SPDX-License-Identifier: Apache-2.0
"""A sample of a file: which columns look sensitive, and which formats fit them."""

from __future__ import annotations

import secrets
from collections import Counter
from dataclasses import dataclass, field, replace
from math import floor
from pathlib import Path

import numpy as np
import pyarrow as pa

from tallystick.ciphers import Ciphers
from tallystick.files import CsvOptions, FileKind, Sample, columns_of, kind_of, sample_file
from tallystick.formats import Format
from tallystick.formats.base import REASONS, Reason
from tallystick.inspection.column import Column
from tallystick.inspection.column_names import hints
from tallystick.inspection.dialect import guess_dialect
from tallystick.inspection.domains import domain_sizes, usual_size
from tallystick.inspection.hints import NEUTRAL
from tallystick.inspection.ranges import integer_range
from tallystick.inspection.rules import Choice, choices
from tallystick.inspection.score import LIKELY, POSSIBLE, SURE, Weighed, statuses, weigh

ROWS = 10_000
"""Rows of a sample, if nothing else is said."""
FIRST_ROWS = 5
"""Rows that are named of each reason."""


@dataclass(frozen=True)
class Finding:
    """What a column of the sample looks like.

    Attributes
    ----------
    column, type : str
        Its name, and its Arrow type (text in CSV).
    sensitive : bool
        Whether it looks so: its score is at least `tallystick.inspection.score.LIKELY`.
    choice : Choice or None
        What it is, and the format that fits; of a column that is not sensitive what it might be.
    form : Format or None
        The format, made; None: none can be used.
    score : float
        How sure that is, 0 to 1.
    fit, hint : float
        Of the score: the share that fits, and what the name says.
    filled, nulls, different : int
        Rows of the sample that have a value or none, and different values.
    misfits : dict of Reason to (int, tuple of int)
        What of the sample does not fit: how many, and the first rows of the file
        whose number is known, from 0.
    smallest, usual : int or None
        The size of the smallest domain of a value of the sample, and of that of most.
    reason : str
        Why it counts as sensitive, or not.
    """

    column: str
    type: str
    sensitive: bool = False
    choice: Choice | None = None
    form: Format | None = None
    score: float = 0.0
    fit: float = 0.0
    hint: float = 0.0
    filled: int = 0
    nulls: int = 0
    different: int = 0
    misfits: dict[Reason, tuple[int, tuple[int, ...]]] = field(default_factory=dict)
    smallest: int | None = None
    usual: int | None = None
    reason: str = ""

    @property
    def certainty(self) -> str:
        """The score in a word."""
        words = ((SURE, "sure"), (LIKELY, "likely"), (POSSIBLE, "possible"))
        return next((word for least, word in words if self.score >= least), "no sign")


@dataclass(frozen=True)
class Inspection:
    """What was found in a file.

    Attributes
    ----------
    rows : int
        Rows of the sample.
    seen : int
        Rows that were read to choose them.
    whole : bool
        Whether these are all rows of the file.
    csv : CsvOptions or None
        The dialect; None: the file is Parquet.
    findings : list of Finding
        One for each column, in the file's order.
    """

    rows: int
    seen: int
    whole: bool
    csv: CsvOptions | None
    findings: list[Finding]


def inspect_file(
    source: Path,
    *,
    rows: int = ROWS,
    kind: FileKind | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
) -> Inspection:
    """Look at a sample of a file.

    Parameters
    ----------
    source : pathlib.Path
        A CSV or Parquet file.
    rows : int
        Rows of the sample, at most.
    kind : FileKind, optional
        By default what the file's name says.
    delimiter, header : optional
        Of CSV; by default they are looked for.

    Raises
    ------
    FileError
        The file can't be read.
    """
    csv = None
    if (kind or kind_of(source)) is FileKind.CSV:
        csv = guess_dialect(source, delimiter, header)
    sample = sample_file(source, rows, kind=kind, csv=csv)
    listed = columns_of(source, kind=kind, csv=csv)
    counted = Counter(name for name, _ in listed)
    ciphers = Ciphers(secrets.token_bytes(32))
    try:
        findings = [
            _find(Column(name, sample.columns[name]), sample, ciphers)
            if counted[name] == 1
            else Finding(
                name,
                str(kind),
                reason=f"{counted[name]} columns have this name, and a policy can't tell them "
                "apart; rename them, and look again",
            )
            for name, kind in listed
        ]
    finally:
        ciphers.close()
    return Inspection(len(sample.rows), sample.seen, sample.whole, csv, findings)


def _find(column: Column, sample: Sample, ciphers: Ciphers) -> Finding:
    plain = Finding(
        column.name,
        "text" if column.is_text else str(column.values.type),
        filled=len(column.filled),
        nulls=len(column.values) - len(column.filled),
    )
    if _unfit_type(column.values.type):
        return replace(plain, reason=f"no format takes columns of its type{_named(column)}")
    if not len(column.filled):
        return replace(plain, reason=f"no value in the sample{_named(column)}")
    found = [weighed for one in choices(column) if (weighed := weigh(column, one, ciphers))]
    plain = replace(plain, different=len(column.different))
    if not found:
        return replace(plain, reason=_ordinary(column))
    best = max(found, key=lambda weighed: weighed.rank)
    if column.is_integer:
        best = _as_integers(column, best, ciphers)
    smallest, usual = _domains(column, best)
    sensitive = best.score >= LIKELY
    return replace(
        plain,
        sensitive=sensitive,
        choice=best.choice,
        form=best.form,
        score=best.score,
        fit=best.fit,
        hint=best.hint,
        misfits=_misfits(column, best, sample),
        smallest=smallest,
        usual=usual,
        reason=_because(best) if sensitive else _doubt(column, best),
    )


def _unfit_type(kind: pa.DataType) -> bool:
    numbers = pa.types.is_integer(kind) or pa.types.is_decimal128(kind)
    times = pa.types.is_date(kind) or pa.types.is_timestamp(kind)
    return not (numbers or times or kind in (pa.string(), pa.large_string()))


def _named(column: Column) -> str:
    """Say what a column's name speaks of, where its values can't."""
    kinds = [kind for kind in hints(column.name) if kind != NEUTRAL]
    return f"; its name speaks of: {', '.join(kinds)}" if kinds else ""


def _as_integers(column: Column, best: Weighed, ciphers: Ciphers) -> Weighed:
    """Take what an integer column looks like, and the one format that it can have."""
    if best.choice.type == "integer":
        return best
    _, options = integer_range(column)
    note = "in an integer column only a range can be kept: no check digits, no places"
    choice = replace(best.choice, type="integer", options=options, check=None, note=note)
    form = choice.form()
    status = statuses(form, column.values.drop_null(), ciphers)
    return replace(best, choice=choice, form=form, status=status)


def _misfits(
    column: Column, best: Weighed, sample: Sample
) -> dict[Reason, tuple[int, tuple[int, ...]]]:
    found = {}
    for code in np.unique(best.status).tolist():
        reason = REASONS[code]
        if reason is not None:
            places = column.filled[np.flatnonzero(best.status == code)]
            known = sample.rows[places]
            first = tuple(known[known >= 0][:FIRST_ROWS].tolist())
            found[reason] = (len(places), first)
    return found


def _domains(column: Column, best: Weighed) -> tuple[int | None, int | None]:
    """Return the smallest and the most frequent domain of values that fit."""
    if not column.is_text:
        return best.form.smallest_domain, best.form.smallest_domain
    sizes = domain_sizes(best.form, column.text, best.status)
    return min(sizes, default=None), usual_size(sizes)


def _because(best: Weighed) -> str:
    share = f"{floor(best.fit * 1000) / 10:g} %"
    parts = [f"{share} of the sample {'has the shape' if best.form.one_way else 'fits'}"]
    if best.choice.check is not None:
        parts.append("check digits are right")
    if best.hint:
        parts.append("its name says so")
    return ", ".join(parts)


def _doubt(column: Column, best: Weighed) -> str:
    if best.score >= POSSIBLE:
        return (
            f"might be: {best.choice.title}; values and name speak too little for it (score "
            f"{best.score:.2f}, below {LIKELY})"
        )
    return _ordinary(column)


def _ordinary(column: Column) -> str:
    """Say why a column does not look sensitive."""
    if NEUTRAL in column.hints:
        return "its name speaks of things, and its values of no person"
    count = len(column.different)
    what = "values" if column.is_text else "numbers or times"
    few = f"{count:,} different {what}" if count <= 50 else what
    return f"{few} that no rule knows, and a name that says nothing of persons"

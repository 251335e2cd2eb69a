# SPDX-License-Identifier: Apache-2.0
"""A policy against a whole file: what would fail, and how well its tokens would hide the values.

Whether a value fits does not depend on the key, so keys made for this alone stand for the real
ones, and are forgotten.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Lock

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tallystick.errors import Fault, ParameterError
from tallystick.files import FileKind, Progress, Readable, columns_of, scan_file, stored_of
from tallystick.formats.base import REASONS, Reason
from tallystick.inspection.distinct import Distinct, Hasher, Number
from tallystick.inspection.domains import domain_sizes, usual_size
from tallystick.inspection.finding import has_format
from tallystick.inspection.meaning import meaning_of
from tallystick.inspection.pipes import refuse_pipe
from tallystick.keyring import Keyring
from tallystick.policy import ColumnRule, Policy
from tallystick.policy.untouched import Untouched, untouched_columns
from tallystick.tokenizer import Tokenizer

FIRST_ROWS = 5
"""Rows that are named of each reason."""


@dataclass(slots=True)
class InvalidRows:
    """The rows of a column with values that are invalid for one reason.

    Attributes
    ----------
    count : int
        All of them.
    first : list of (int, int or None)
        The first ones: row of the file, from 0, and line, from 1, if the file has lines.
    faults : dict of int to Fault
        Of these rows, the character at fault, where one is.
    """

    count: int = 0
    first: list[tuple[int, int | None]] = field(default_factory=list)
    faults: dict[int, Fault] = field(default_factory=dict)


@dataclass(slots=True)
class ColumnCheck:
    """What a policy's rule would meet in its column.

    Attributes
    ----------
    rule : ColumnRule
        The rule.
    problem : str or None
        Why nothing of the column could be protected; the rest is empty then.
    rows, nulls : int
        All rows, and those that are null.
    invalid_rows : dict of Reason to InvalidRows
        Rows with an invalid value, by its reason.
    distinct : Number
        Different values that are not null.
    smallest, usual : int or None
        The size of the smallest domain of a value that occurs, and of that of most; None: not
        known, or no value is valid. Values of one length count as alike.
    small : int
        Rows whose domain is below `tallystick.formats.SMALL_DOMAIN`.
    key : bool or None
        Whether the ring has the rule's key; None: there is no ring to look at, or the rule has no
        key.
    """

    rule: ColumnRule
    problem: str | None = None
    rows: int = 0
    nulls: int = 0
    invalid_rows: dict[Reason, InvalidRows] = field(default_factory=dict)
    distinct: Number = field(default_factory=lambda: Number(0, exact=True))
    smallest: int | None = None
    usual: int | None = None
    small: int = 0
    key: bool | None = None

    @property
    def invalid(self) -> int:
        """The number of rows with an invalid value."""
        return sum(found.count for found in self.invalid_rows.values())

    @property
    def fails(self) -> bool:
        """Whether a run would end here with an error."""
        blocked = self.problem is not None or self.key is False
        return blocked or (self.invalid > 0 and self.rule.on_invalid == "error")

    @property
    def meaning(self) -> list[str]:
        """What this means, in sentences without a value."""
        return meaning_of(self)


@dataclass(frozen=True, slots=True)
class FileCheck:
    """What a policy would meet in a file.

    Attributes
    ----------
    rows : int or None
        The file's; None: no column could be read, so nothing was.
    columns : list of ColumnCheck
        In the policy's order.
    untouched : Untouched
        The columns that pass in clear.
    refused : bool
        Whether the policy refuses those of them that it does not name.
    unprotectable : dict of str to str
        Of the columns that pass in clear those whose types no format takes, with their types.
    """

    rows: int | None
    columns: list[ColumnCheck]
    untouched: Untouched = field(default_factory=Untouched)
    refused: bool = False
    unprotectable: dict[str, str] = field(default_factory=dict)

    @property
    def fails(self) -> bool:
        """Whether a run would end with an error."""
        return self.refused or any(column.fails for column in self.columns)


def check_file(
    source: Readable,
    policy: Policy,
    keyring: Keyring | None = None,
    *,
    kind: FileKind | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
) -> FileCheck:
    """Read a whole file as `protect_file` would, and change nothing.

    Parameters
    ----------
    keyring : Keyring, optional
        With it, it is checked that the ring has the policy's keys. None is taken out of it.
    source, policy, kind, progress, threads
        As for `tallystick.protection.protect_file`.

    Raises
    ------
    FileError
        The file can't be read, or is damaged.
    """
    source = stored_of(source)
    refuse_pipe(source)
    listed = columns_of(source, kind=kind, csv=policy.csv)
    checks = [ColumnCheck(rule) for rule in policy.rules]
    for check in checks:
        check.problem = _problem(check.rule, listed)
        check.key = _has_key(check.rule, keyring)
    hasher = Hasher()
    jobs = [_Job(check, hasher) for check in checks if check.problem is None]
    try:
        rows = None
        if jobs:
            rows = scan_file(
                source, jobs, kind=kind, csv=policy.csv, progress=progress, threads=threads
            )
    finally:
        hasher.close()
        for job in jobs:
            job.close()
    for job in jobs:
        job.finish()
    untouched = untouched_columns(policy, (name for name, _ in listed))
    types = {name: str(kind) for name, kind in listed if not has_format(_plain(kind))}
    return FileCheck(
        rows,
        checks,
        untouched,
        policy.unlisted == "error" and bool(untouched.unlisted),
        {name: kind for name, kind in types.items() if name in untouched.all},
    )


def _has_key(rule: ColumnRule, keyring: Keyring | None) -> bool | None:
    if keyring is None or rule.key is None:
        return None
    held = keyring.keys()
    return any(info.id == rule.key for info in held)


def _problem(rule: ColumnRule, listed: Sequence[tuple[str, pa.DataType]]) -> str | None:
    """Say why nothing of a column could be protected, as far as its type says."""
    counted = Counter(name for name, _ in listed)
    types = dict(listed)
    for name, what in ((rule.column, "column"), (rule.tweak, "tweak column")):
        if name is None:
            continue
        if counted[name] > 1:
            return f"{counted[name]} columns are named {name!r}; rename them"
        if name not in counted:
            return (
                f"there is no {what} {name!r}; check its spelling, or of CSV the delimiter and "
                "whether there is a header; of a policy for several tables, ignore what this one "
                "lacks (--ignore-missing)"
            )
    plain = _plain(types[rule.column])
    if not rule.form.accepts(plain):
        return f"{rule.form.refusal(plain)}; change the policy, or convert the column"
    return None


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


class _Job:
    """A rule at work on its column; see `ScanJob`."""

    def __init__(self, check: ColumnCheck, hasher: Hasher) -> None:
        rule = check.rule
        self.name = rule.column
        self.others = () if rule.tweak is None else (rule.tweak,)
        key = secrets.token_bytes(32) if rule.form.keyed else None
        self._tokenizer = Tokenizer(rule.form, key, namespace=rule.namespace)
        self._check = check
        self._hasher = hasher
        self._lock = Lock()
        self._distinct = Distinct()
        self._domains: Counter[int] = Counter()

    def read(
        self,
        values: pa.Array,
        others: Sequence[pa.Array],
        first_row: int,
        line: Callable[[int], int | None],
    ) -> None:
        """Count what a batch has."""
        tweaks = others[0] if others else None
        try:
            outcome = self._tokenizer.outcome(values, tweaks, decrypt=False)
        except ParameterError as error:  # such as tweaks of a type that none have
            with self._lock:
                self._check.problem = self._check.problem or f"{error}; change the policy"
            return
        hashes = self._hasher.hashes(values)
        domains = domain_sizes(self._check.rule.form, values, outcome.status)
        with self._lock:
            check = self._check
            check.rows += len(values)
            check.nulls += values.null_count
            check.small += outcome.small
            self._distinct.add(hashes)
            self._domains += domains
            for code in np.flatnonzero(np.bincount(outcome.status)):
                reason = REASONS[code]
                if reason is not None:
                    rows = np.flatnonzero(outcome.status == code)
                    self._note(reason, rows, values, first_row, line)

    def _note(
        self,
        reason: Reason,
        rows: npt.NDArray[np.intp],
        values: pa.Array,
        first_row: int,
        line: Callable[[int], int | None],
    ) -> None:
        found = self._check.invalid_rows.setdefault(reason, InvalidRows())
        found.count += len(rows)
        last = found.first[-1][0] if len(found.first) == FIRST_ROWS else None
        for row in rows[:FIRST_ROWS].tolist():
            if last is None or first_row + row < last:
                found.first.append((first_row + row, line(row)))
                if fault := self._tokenizer.form.fault(values[row], reason):
                    found.faults[first_row + row] = fault
        found.first = sorted(found.first)[:FIRST_ROWS]
        kept = {row for row, _ in found.first}
        found.faults = {row: fault for row, fault in found.faults.items() if row in kept}

    def close(self) -> None:
        """Wipe the key."""
        self._tokenizer.close()

    def finish(self) -> None:
        """Say what all batches had."""
        check = self._check
        check.distinct = self._distinct.number
        check.smallest = min(self._domains, default=None)
        check.usual = usual_size(self._domains)

# SPDX-License-Identifier: Apache-2.0
"""Check a policy against a whole file: which values are invalid, and how well tokens hide values.

The key does not decide which values are valid, so the check uses random keys and discards them.
"""

import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tallystick.errors import Fault, ParameterError
from tallystick.files import FileKind, Progress, Readable, columns_of, scan_file, stored_of
from tallystick.files.job import Batch
from tallystick.files.places import refuse_pipe
from tallystick.files.tables import plain_type
from tallystick.formats.format import REASONS, Reason
from tallystick.inspection.distinct import Distinct, Hasher, Number
from tallystick.inspection.domains import domain_sizes, usual_size
from tallystick.inspection.finding import has_format
from tallystick.inspection.meaning import meaning_of
from tallystick.keyring import Keyring
from tallystick.paths import opened, row_of
from tallystick.policy import ColumnRule, Policy
from tallystick.policy.tables import Untouched, untouched_columns
from tallystick.tokenizer import Tokenizer

FIRST_ROWS = 5
"""Rows that are listed for each reason, at most."""


@dataclass(slots=True)
class InvalidRows:
    """The rows of a column with values that are invalid for one reason."""

    count: int = 0  # the number of these rows
    first: list[tuple[int, int | None]] = field(default_factory=list)
    """The first ones: row of the file, from 0, and line, from 1, if the file has lines."""
    faults: dict[int, Fault] = field(default_factory=dict)
    """The character at fault in these rows, if there is one."""


@dataclass(slots=True)
class ColumnCheck:
    """The result of a policy's rule for its column."""

    rule: ColumnRule
    """The rule."""
    problem: str | None = None
    """The reason why the column can't be protected; then its rows are not counted."""
    rows: int = 0
    """All rows."""
    nulls: int = 0
    """The rows that are null."""
    invalid_rows: dict[Reason, InvalidRows] = field(default_factory=dict)
    """Rows with an invalid value, by reason."""
    distinct: Number = field(default_factory=lambda: Number(0, exact=True))
    """The number of different values that are not null."""
    smallest: int | None = None
    """The size of the smallest domain of a value; None: not known, or no value is valid."""
    usual: int | None = None
    """As `smallest`, of the most frequent domain. Values of one length count as equal."""
    small: int = 0
    """Rows whose domain is below `tallystick.formats.SMALL_DOMAIN`."""
    key: bool | None = None
    """Whether the ring has the rule's key; None: no ring is given, or the rule has no key."""

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
        """The meaning of the figures, in sentences without a value."""
        return meaning_of(self)


@dataclass(frozen=True, slots=True)
class FileCheck:
    """The result of a policy for a file."""

    rows: int | None
    """Rows of the file; None: no column could be read, so the file was not read."""
    columns: list[ColumnCheck]
    """In the policy's order."""
    untouched: Untouched = field(default_factory=Untouched)
    """The columns that pass in clear."""
    refused: bool = False
    """Whether the policy refuses the untouched columns that it does not name."""
    unprotectable: dict[str, str] = field(default_factory=dict)
    """Columns that pass in clear and whose types no format accepts, with their types; nor those
    of columns inside them."""

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
        If given, check that the ring has the policy's keys, and a signature if it demands one. No
        key is taken out of it.
    source, policy, kind, progress, threads
        As for `tallystick.protection.protect_file`.

    Raises
    ------
    FileError
        The file can't be read, or is damaged.
    PolicyError
        The ring demands a signed policy, and this one is not.
    """
    source = stored_of(source)
    if keyring is not None:
        policy.check_signed(keyring.signers, keyring.path)
    refuse_pipe(source)
    listed = columns_of(source, kind=kind, csv=policy.csv, inside=policy.named)
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
        for job in jobs:
            job.close()
    for job in jobs:
        job.finish()
    untouched = untouched_columns(policy, (name for name, _ in listed))
    types = {name: str(kind) for name, kind in listed if not _can_be_protected(kind)}
    return FileCheck(
        rows,
        checks,
        untouched,
        policy.unlisted == "error" and bool(untouched.unlisted),
        {name: kind for name, kind in types.items() if name in untouched.all},
    )


def _can_be_protected(kind: pa.DataType) -> bool:
    """Return whether a format takes columns of a type, or columns inside them."""
    return any(has_format(plain_type(inner)) for _, inner in opened(pa.schema([("column", kind)])))


def _has_key(rule: ColumnRule, keyring: Keyring | None) -> bool | None:
    if keyring is None or rule.key is None:
        return None
    held = keyring.keys()
    return any(info.id == rule.key for info in held)


def _problem(rule: ColumnRule, listed: Sequence[tuple[str, pa.DataType]]) -> str | None:
    """Return the reason why a column can't be protected, as far as its name and type show."""
    counted = Counter(name for name, _ in listed)
    types = dict(listed)
    for name, what in ((rule.column, "column"), (rule.tweak, "tweak column")):
        if name is None:
            continue
        if counted[name] > 1:
            return f"{counted[name]} columns are named {name!r}; rename them"
        if name not in counted:
            return (
                f"the file has no {what} {name!r}; check its spelling and, in CSV, the delimiter "
                "and the header; if the policy is for several tables, ignore the missing columns "
                "(--ignore-missing)"
            )
    plain = plain_type(types[rule.column])
    if not rule.form.accepts(plain):
        return f"{rule.form.refusal(plain)}; change the policy, or convert the column"
    return None


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

    def read(self, batch: Batch) -> None:
        """Count the values of a batch."""
        values = batch.values
        tweaks = batch.others[0] if batch.others else None
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
                    self._note(reason, rows, batch)

    def _note(self, reason: Reason, rows: npt.NDArray[np.intp], batch: Batch) -> None:
        found = self._check.invalid_rows.setdefault(reason, InvalidRows())
        found.count += len(rows)
        last = found.first[-1][0] if len(found.first) == FIRST_ROWS else None
        for value in rows[:FIRST_ROWS].tolist():
            row = row_of(batch.rows, value)
            if last is None or row < last:
                found.first.append((row, batch.line(value)))
                if fault := self._tokenizer.form.fault(batch.values[value], reason):
                    found.faults[row] = fault
        found.first = sorted(found.first, key=lambda one: one[0])[:FIRST_ROWS]
        kept = {row for row, _ in found.first}
        found.faults = {row: fault for row, fault in found.faults.items() if row in kept}

    def close(self) -> None:
        """Wipe the key."""
        self._tokenizer.close()

    def finish(self) -> None:
        """Set the totals of all batches."""
        check = self._check
        check.distinct = self._distinct.number
        check.smallest = min(self._domains, default=None)
        check.usual = usual_size(self._domains)

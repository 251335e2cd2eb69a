# SPDX-License-Identifier: Apache-2.0
"""Protect, reveal and preview files, by a policy."""

import os
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tallystick.errors import InvalidValueError, ParameterError, with_fault
from tallystick.files import (
    FileOptions,
    Given,
    Place,
    Standard,
    kind_of,
    place_of,
    read_head,
    transform_file,
)
from tallystick.formats.format import REASONS
from tallystick.in_memory import placed
from tallystick.keyring import Keyring
from tallystick.paths import Rows
from tallystick.policy import ColumnRule, Policy
from tallystick.policy.gate import FileGate
from tallystick.policy.marker import Marker, State
from tallystick.policy.tables import Untouched
from tallystick.protector import Protector
from tallystick.report import Groups, Outline, Report, check_groups, measure_groups
from tallystick.threads import thread_count
from tallystick.tokenizer import Counts


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions(FileOptions):
    """How a run protects, reveals or rotates a file.

    Attributes
    ----------
    overwrite, kind, progress, threads
        As of `tallystick.files.FileOptions`.
    csv
        Not used: the policy has the dialect.
    report : path or None
        Where to write an HTML report about the run. It appears after the target. See
        docs/how-to/make-a-report.md.
    groups : sequence of sequences of str
        Sets of columns: the report has the smallest groups of rows of the target that agree in all
        columns of a set. The target must be a file. Rotation does not use it.
    marker : bool
        Whether the target gets a marker, which records how it was protected; see
        docs/reference/markers.md.
    ignore_marker : bool
        Whether a marker of the source is ignored.
    """

    report: str | os.PathLike[str] | None = None
    groups: Sequence[Sequence[str]] = ()
    marker: bool = True
    ignore_marker: bool = False


DEFAULTS = RunOptions()
"""No option is given."""


@dataclass(frozen=True, slots=True)
class RunReport:
    """What a run did."""

    rows: int  # the rows of the file
    bytes_in: int  # the size of the source
    bytes_out: int  # the size of the target
    seconds: float  # wall-clock time
    columns: dict[str, Counts]  # the counts of each protected column
    untouched: Untouched = field(default_factory=Untouched)
    """The columns that passed in clear; only of `protect_file`."""
    marker: State = "none"  # whether the source had a marker; see docs/reference/markers.md
    marked: bool = False
    """Whether the target has a marker. False for text on standard output."""
    metadata: tuple[str, ...] = ()
    """Names of metadata that stayed as it was and may have values: of the file, and of columns
    that were replaced. Text has none."""


@dataclass(frozen=True, slots=True)
class Preview:
    """The first rows of a file, before and after a run."""

    columns: "list[PreviewColumn]"  # the columns of the policy
    untouched: Untouched  # the columns that pass in clear, if the preview shows protection
    marker: State  # whether the source has a marker; see docs/reference/markers.md


@dataclass(frozen=True, slots=True)
class PreviewColumn:
    """The first rows of a column, before and after a run."""

    name: str  # the column
    before: list[str | None]  # one value per row, as text; None for a null
    after: list[str | None]  # likewise
    problems: list[str | None]
    """For each row the reason why its value is invalid, or None. `after` then has the result of
    `on_invalid` (for ``error`` the value itself)."""


def protect_file(
    source: Given, target: Given, policy: Policy, keyring: Keyring, options: RunOptions = DEFAULTS
) -> RunReport:
    """Write a file with tokens in the columns that the policy names.

    Parameters
    ----------
    source, target : path or Place
        A data file, and where the result goes: paths, or `tallystick.files.STDIN` and `STDOUT`. A
        file appears only when it is complete. Standard output may receive a part of the result
        before an error.
    policy : Policy
        The policy: columns, formats and keys.
    keyring : Keyring
        The key ring with the keys that the policy names.
    options : RunOptions
        How the files are read and written.

    Returns
    -------
    RunReport
        What the run did.

    Raises
    ------
    FileError, InvalidValueError, KeyringError
        The message names file, column and row, never a value. No unfinished file remains.
    PolicyError
        The policy does not match the file; or the source's marker contradicts the run; or columns
        would pass in clear, and the policy says ``unlisted = "error"``.
    ParameterError
        `threads` is below 1 or above `threads.MOST_THREADS`.
    """
    return _run(source, target, policy, keyring, options, decrypt=False)


def reveal_file(
    source: Given, target: Given, policy: Policy, keyring: Keyring, options: RunOptions = DEFAULTS
) -> RunReport:
    """Write a file with values in place of tokens; see `protect_file`.

    Only the owner may read the target. Columns of one-way formats are unchanged.
    """
    return _run(source, target, policy, keyring, options, decrypt=True)


def _run(
    source: Given,
    target: Given,
    policy: Policy,
    keyring: Keyring,
    options: RunOptions,
    *,
    decrypt: bool,
) -> RunReport:
    source = place_of(source)
    command: Literal["reveal", "protect"] = "reveal" if decrypt else "protect"
    path = options.report
    target = place_of(target)
    if options.groups and (path is None or isinstance(target, Standard)):
        raise ParameterError("groups: they are shown in a report on a target that is a file")
    report = None if path is None else Report(Path(path), source, command, policy.rules)
    with Protector.in_direction(policy, keyring, decrypt=decrypt) as protector:
        rules = protector.policy.rules
        jobs = [
            (_DictionaryJob if rule.tweak is None and report is None else _Job)(
                source, rule, protector, report, decrypt
            )
            for rule in rules
        ]
        return run_jobs(
            source,
            target,
            jobs,
            _gate(source, policy, protector, options, decrypt),
            replace(options, csv=policy.csv),
            report,
            decrypt=decrypt,
            private=decrypt,
        )


def preview_file(
    source: Given,
    policy: Policy,
    keyring: Keyring,
    options: RunOptions = DEFAULTS,
    *,
    rows: int = 10,
    decrypt: bool = False,
) -> Preview:
    """Show how protecting (or revealing) changes the first rows of a file. Writes nothing.

    Invalid values raise no error: the result has their reasons. Other errors are those of
    `protect_file`. Of the options, `kind` and `ignore_marker` count.
    """
    source = place_of(source)
    with Protector.in_direction(policy, keyring, decrypt=decrypt) as protector:
        gate = _gate(source, policy, protector, replace(options, marker=False), decrypt)
        rules = protector.policy.rules
        used = [(rule.column, rule.tweak) for rule in rules]
        heads = read_head(source, used, rows, kind=options.kind, csv=policy.csv, gate=gate)
        columns = [
            _preview(source, rule, protector, head.values, head.tweaks, decrypt)
            for rule, head in zip(rules, heads, strict=True)
        ]
        return Preview(columns, gate.untouched, gate.state)


def _preview(
    source: Place,
    rule: ColumnRule,
    protector: Protector,
    values: pa.Array | None,
    tweaks: pa.Array | None,
    decrypt: bool,
) -> PreviewColumn:
    if values is None:
        return PreviewColumn(rule.column, [], [], [])
    with placed(rule.column, source):
        outcome = protector.tokenizer(rule.column).outcome(values, tweaks, decrypt=decrypt)
    reasons = [REASONS[status] for status in outcome.status]
    after = [
        None if reason is not None and rule.on_invalid == "null" else _text(value)
        for reason, value in zip(reasons, outcome.array, strict=True)
    ]
    problems = [
        None if reason is None else with_fault(reason, rule.form.fault(value, reason))
        for reason, value in zip(reasons, outcome.array, strict=True)
    ]
    return PreviewColumn(rule.column, [_text(value) for value in values], after, problems)


def _text(value: pa.Scalar) -> str | None:
    if isinstance(value, pa.StringScalar | pa.LargeStringScalar) and value.is_valid:
        return str(value.as_buffer().to_pybytes().decode(errors="backslashreplace"))
    plain = value.as_py()
    return None if plain is None else str(plain)


class CountingJob(ABC):
    """A job that counts what it does, and gives a report what it has to know.

    Attributes
    ----------
    counts : Counts
        What has happened so far.
    """

    def __init__(
        self, source: Place, name: str, others: Sequence[str], report: Report | None
    ) -> None:
        self.name = name
        self.others = others
        self.source = source
        self.counts = Counts()
        self._lock = Lock()
        self._statistics = None if report is None else report.column(name)

    @abstractmethod
    def apply(self, values: pa.Array, others: Sequence[pa.Array], rows: Rows) -> pa.Array:
        """Return new values for one batch; see `tallystick.files.ColumnJob`."""

    def add(self, counts: Counts) -> None:
        """Add what happened to a batch; other threads have other batches."""
        with self._lock:
            self.counts.add(counts)

    def report(
        self, before: pa.Array, after: pa.Array, status: npt.NDArray[np.uint8], rows: Rows
    ) -> None:
        """Give a batch to the report, if there is one; see `ColumnStatistics.add`."""
        if self._statistics is not None:
            self._statistics.add(before, after, status, rows)


class _Job(CountingJob):
    """A rule of a policy at work on a file's column."""

    def __init__(
        self,
        source: Place,
        rule: ColumnRule,
        protector: Protector,
        report: Report | None,
        decrypt: bool,
    ) -> None:
        super().__init__(source, rule.column, rule.names[1:], report)
        self._tokenizer = protector.tokenizer(rule.column)
        self._decrypt = decrypt

    def apply(self, values: pa.Array, others: Sequence[pa.Array], rows: Rows) -> pa.Array:
        counts = Counts(len(values), values.null_count)
        tweaks = others[0] if others else None
        with placed(self.name, self.source):
            outcome = self._tokenizer.outcome(values, tweaks, decrypt=self._decrypt)
        counts.small = outcome.small
        new = self._tokenizer.apply_on_invalid(outcome, counts)
        self.report(values, new, outcome.status, rows)
        self.add(counts)
        return new


class _DictionaryJob(_Job):
    """A rule without a tweak, of whose values no report is asked for."""

    def apply_dictionary(self, values: pa.DictionaryArray, first_row: int) -> pa.DictionaryArray:
        counts = Counts()
        with placed(self.name, self.source):
            new = self._tokenizer.transform(values, decrypt=self._decrypt, counts=counts)
        self.add(counts)
        return new


def _gate(
    source: Place,
    policy: Policy,
    protector: Protector,
    options: RunOptions,
    decrypt: bool,
) -> FileGate:
    entries = {name: protector.marker_entry(name) for name in protector.columns}

    def change(found: Marker | None) -> Marker | None:
        if not decrypt:
            return (found or Marker()).protected(source, entries)
        return None if found is None else found.revealed(source, entries)

    protects = None if decrypt else policy
    kind = options.kind or kind_of(source)
    typed = kind is not None and not kind.is_text
    return FileGate(
        source,
        change,
        protects=protects,
        write=options.marker,
        ignore=options.ignore_marker,
        check=partial(check_groups, options.groups, typed=typed),
    )


def run_jobs(
    source: Place,
    target: Place,
    jobs: Sequence[CountingJob],
    gate: FileGate,
    options: RunOptions,
    report: Report | None,
    *,
    decrypt: bool,
    private: bool,
) -> RunReport:
    """Run jobs on a file; with `decrypt` an invalid value is one that can't be a token."""
    with ExitStack() as stack:
        tell = None
        if report is not None:
            tell = stack.enter_context(report.written(source, target, overwrite=options.overwrite))
        start = time.perf_counter()
        try:
            done = transform_file(source, target, jobs, options, private=private, gate=gate)
        except InvalidValueError as error:
            raise error.mended(decrypt=decrypt) from None
        seconds = time.perf_counter() - start
        counts = {job.name: job.counts for job in jobs}
        if tell is not None:
            groups: list[Groups] = []
            if options.groups and not isinstance(target, Standard):
                groups = measure_groups(target, options.groups, kind=options.kind, csv=options.csv)
            tell(
                Outline(
                    source.name,
                    target.name,
                    done,
                    thread_count(options.threads),
                    seconds,
                    counts,
                    gate.state,
                    groups,
                )
            )
    return RunReport(
        done.rows,
        done.bytes_in,
        done.bytes_out,
        seconds,
        counts,
        gate.untouched,
        gate.state,
        gate.marked,
        done.metadata,
    )

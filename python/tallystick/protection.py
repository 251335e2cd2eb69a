# SPDX-License-Identifier: Apache-2.0
"""Protect, reveal and preview files, by a policy."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Literal, Protocol

import pyarrow as pa

from tallystick.errors import InvalidValueError, with_fault
from tallystick.files import (
    ColumnJob,
    CsvOptions,
    FileKind,
    Given,
    Place,
    Progress,
    place_of,
    read_head,
    transform_file,
)
from tallystick.formats.base import REASONS
from tallystick.keyring import Keyring
from tallystick.policy import ColumnRule, Policy
from tallystick.policy.gate import FileGate
from tallystick.policy.marker import Mark, Marker, State, marks_of
from tallystick.policy.tokenizers import (
    TO_MEND_PROTECTING,
    TO_MEND_REVEALING,
    at_column,
    tokenizers_of,
)
from tallystick.policy.untouched import Untouched
from tallystick.report import Outline, Report
from tallystick.threads import thread_count
from tallystick.tokenizer import Counts, Tokenizer


@dataclass(frozen=True, slots=True)
class RunReport:
    """What a run did.

    Attributes
    ----------
    rows : int
        The rows of the file.
    bytes_in, bytes_out : int
        The sizes of source and target, in bytes.
    seconds : float
        Wall-clock time.
    columns : dict of str to Counts
        The counts of each protected column.
    untouched : Untouched
        The columns that passed in clear; only of `protect_file`.
    marker : {"none", "checked", "ignored"}
        Whether the source had a marker; see docs/reference/markers.md.
    marked : bool
        Whether the target has a marker. False for text on standard output.
    """

    rows: int
    bytes_in: int
    bytes_out: int
    seconds: float
    columns: dict[str, Counts]
    untouched: Untouched = field(default_factory=Untouched)
    marker: State = "none"
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Preview:
    """The first rows of a file, before and after a run.

    Attributes
    ----------
    columns : list of PreviewColumn
        The columns of the policy.
    untouched : Untouched
        The columns that pass in clear, if the preview shows protection.
    marker : {"none", "checked", "ignored"}
        Whether the source has a marker; see docs/reference/markers.md.
    """

    columns: list[PreviewColumn]
    untouched: Untouched
    marker: State


@dataclass(frozen=True, slots=True)
class PreviewColumn:
    """The first rows of a column, before and after a run.

    Attributes
    ----------
    name : str
        The column.
    before, after : list of str or None
        One value per row, as text; None for a null.
    problems : list of str or None
        For each row the reason why its value is invalid, or None. `after` then has the result of
        `on_invalid` (for ``error`` the value itself).
    """

    name: str
    before: list[str | None]
    after: list[str | None]
    problems: list[str | None]


def protect_file(
    source: Given,
    target: Given,
    policy: Policy,
    keyring: Keyring,
    *,
    overwrite: bool = False,
    kind: FileKind | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    report: str | os.PathLike[str] | None = None,
    marker: bool = True,
    ignore_marker: bool = False,
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
    overwrite : bool
        Whether an existing target may be replaced.
    kind : FileKind, optional
        The type of the files. By default the source's name decides.
    progress : callable, optional
        Called with the work done and the total; see `tallystick.files.Progress`.
    threads : int, optional
        The number of threads; see `tallystick.files.transform_file`.
    report : path, optional
        Where to write an HTML report about the run. It appears after the target. See
        docs/how-to/make-a-report.md.
    marker : bool
        Whether the target gets a marker, which records how it was protected; see
        docs/reference/markers.md.
    ignore_marker : bool
        Whether a marker of the source is ignored.

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
    return _run(
        source,
        target,
        policy,
        keyring,
        False,
        overwrite,
        kind,
        progress,
        threads,
        report,
        marker,
        ignore_marker,
    )


def reveal_file(
    source: Given,
    target: Given,
    policy: Policy,
    keyring: Keyring,
    *,
    overwrite: bool = False,
    kind: FileKind | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    report: str | os.PathLike[str] | None = None,
    marker: bool = True,
    ignore_marker: bool = False,
) -> RunReport:
    """Write a file with values in place of tokens; see `protect_file`.

    Only the owner may read the target. Columns of one-way formats are unchanged.
    """
    return _run(
        source,
        target,
        policy,
        keyring,
        True,
        overwrite,
        kind,
        progress,
        threads,
        report,
        marker,
        ignore_marker,
    )


def _run(
    source: Given,
    target: Given,
    policy: Policy,
    keyring: Keyring,
    decrypt: bool,
    overwrite: bool,
    kind: FileKind | None,
    progress: Progress | None,
    threads: int | None,
    report: str | os.PathLike[str] | None,
    marker: bool,
    ignore_marker: bool,
) -> RunReport:
    source = place_of(source)
    rules = policy.to_reveal() if decrypt else policy.rules
    command: Literal["reveal", "protect"] = "reveal" if decrypt else "protect"
    sheet = None if report is None else Report(Path(report), source, command, policy.rules)
    with tokenizers_of(rules, keyring) as tokenizers:
        marks = marks_of(rules, tokenizers)
        return run_jobs(
            source,
            place_of(target),
            _jobs(source, rules, tokenizers, sheet, decrypt=decrypt),
            _gate(source, policy, marks, marker, ignore_marker, decrypt=decrypt),
            to_mend=TO_MEND_REVEALING if decrypt else TO_MEND_PROTECTING,
            private=decrypt,
            overwrite=overwrite,
            kind=kind,
            csv=policy.csv,
            progress=progress,
            threads=threads,
            report=sheet,
        )


def preview_file(
    source: Given,
    policy: Policy,
    keyring: Keyring,
    *,
    rows: int = 10,
    decrypt: bool = False,
    kind: FileKind | None = None,
    ignore_marker: bool = False,
) -> Preview:
    """Show how protecting (or revealing) changes the first rows of a file. Writes nothing.

    Invalid values raise no error: the result has their reasons. Other errors are those of
    `protect_file`.
    """
    source = place_of(source)
    rules = policy.to_reveal() if decrypt else policy.rules
    with tokenizers_of(rules, keyring) as tokenizers:
        marks = marks_of(rules, tokenizers)
        gate = _gate(source, policy, marks, False, ignore_marker, decrypt=decrypt)
        used = [(rule.column, rule.tweak) for rule in rules]
        heads = read_head(source, used, rows, kind=kind, csv=policy.csv, gate=gate)
        columns = [
            _preview(source, rule, tokenizer, head.values, head.tweaks, decrypt=decrypt)
            for rule, tokenizer, head in zip(rules, tokenizers, heads, strict=True)
        ]
        return Preview(columns, gate.untouched, gate.state)


def _preview(
    source: Place,
    rule: ColumnRule,
    tokenizer: Tokenizer,
    values: pa.Array | None,
    tweaks: pa.Array | None,
    *,
    decrypt: bool,
) -> PreviewColumn:
    if values is None:
        return PreviewColumn(rule.column, [], [], [])
    with at_column(source, rule.column):
        outcome = tokenizer.outcome(values, tweaks, decrypt=decrypt)
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


class _Job:
    """A rule of a policy at work on a file's column."""

    def __init__(
        self,
        source: Place,
        rule: ColumnRule,
        tokenizer: Tokenizer,
        report: Report | None,
        *,
        decrypt: bool,
    ) -> None:
        self.name = rule.column
        self.others = () if rule.tweak is None else (rule.tweak,)
        self.counts = Counts()
        self._lock = Lock()
        self._source = source
        self._tokenizer = tokenizer
        self._statistics = None if report is None else report.column(rule.column)
        self._decrypt = decrypt

    def apply(self, values: pa.Array, others: Sequence[pa.Array], first_row: int) -> pa.Array:
        counts = Counts(len(values), values.null_count)  # other threads have other batches
        tweaks = others[0] if others else None
        with at_column(self._source, self.name):
            outcome = self._tokenizer.outcome(values, tweaks, decrypt=self._decrypt)
        counts.small = outcome.small
        new = self._tokenizer.settle(outcome, counts)
        if self._statistics is not None:
            self._statistics.add(values, new, outcome.status, first_row)
        with self._lock:
            self.counts.add(counts)
        return new


def _jobs(
    source: Place,
    rules: Sequence[ColumnRule],
    tokenizers: Sequence[Tokenizer],
    report: Report | None,
    *,
    decrypt: bool,
) -> list[_Job]:
    return [
        _Job(source, rule, tokenizer, report, decrypt=decrypt)
        for rule, tokenizer in zip(rules, tokenizers, strict=True)
    ]


def _gate(
    source: Place,
    policy: Policy,
    marks: Mapping[str, Mark],
    write: bool,
    ignore: bool,
    *,
    decrypt: bool,
) -> FileGate:
    def change(found: Marker | None) -> Marker | None:
        if not decrypt:
            return (found or Marker()).protected(source, marks)
        return None if found is None else found.revealed(source, marks)

    protects = None if decrypt else policy
    return FileGate(source, change, protects=protects, write=write, ignore=ignore)


class CountingJob(ColumnJob, Protocol):
    """A job that counts what it does."""

    @property
    def counts(self) -> Counts:
        """What has happened so far."""


def run_jobs(
    source: Place,
    target: Place,
    jobs: Sequence[CountingJob],
    gate: FileGate,
    *,
    to_mend: str,
    private: bool,
    overwrite: bool,
    kind: FileKind | None,
    csv: CsvOptions | None,
    progress: Progress | None,
    threads: int | None,
    report: Report | None,
) -> RunReport:
    """Run jobs on a file; `to_mend` ends the message about an invalid value."""
    with ExitStack() as stack:
        tell = None
        if report is not None:
            tell = stack.enter_context(report.written(source, target, overwrite=overwrite))
        start = time.perf_counter()
        try:
            done = transform_file(
                source,
                target,
                jobs,
                private=private,
                overwrite=overwrite,
                kind=kind,
                csv=csv,
                progress=progress,
                threads=threads,
                gate=gate,
            )
        except InvalidValueError as error:
            raise InvalidValueError(
                f"{error}; {to_mend}", reason=error.reason, row=error.row, fault=error.fault
            ) from None
        seconds = time.perf_counter() - start
        counts = {job.name: job.counts for job in jobs}
        if tell is not None:
            tell(
                Outline(
                    source.name,
                    target.name,
                    done.rows,
                    done.bytes_in,
                    done.bytes_out,
                    thread_count(threads),
                    seconds,
                    done.columns,
                    counts,
                    gate.state,
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
    )

# SPDX-License-Identifier: Apache-2.0
"""Rotate files of tokens to other keys. Plaintext is never written.

Several policies may have protected a file, one after another. A tweak column of one policy may
then be protected by another policy. The order decides which values were the tweaks: plaintexts,
if the tweak column was protected later; otherwise tokens, which change with their key.
"""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tallystick._core import ffi, lib
from tallystick.errors import Fault, InvalidValueError, ParameterError, PolicyError
from tallystick.files import Given, Place, place_of
from tallystick.formats.format import REASONS
from tallystick.in_memory import placed
from tallystick.keyring import KeyId, Keyring
from tallystick.paths import Rows
from tallystick.policy import ColumnRule, Policy
from tallystick.policy.gate import FileGate
from tallystick.policy.marker import Marker, entry_of
from tallystick.policy.rotation import check_keys, check_rotatable
from tallystick.protection import DEFAULTS, CountingJob, RunOptions, RunReport, run_jobs
from tallystick.protector import Protector, check_rights
from tallystick.report import Report
from tallystick.tokenizer import Counts, Tokenizer, invalid_value


def rotate_file(
    source: Given,
    target: Given,
    policies: Sequence[tuple[Policy, Policy]],
    keyring: Keyring,
    options: RunOptions = DEFAULTS,
) -> RunReport:
    """Write a file of tokens as if it had been protected by other policies.

    A column changes only if its key, format, namespace or tweak column changes, or if its tweaks
    are tokens that change. Each batch of rows is revealed and protected in memory; the plaintexts
    are overwritten afterwards.

    Parameters
    ----------
    source, target : path or Place
        A file of tokens, and where the result goes; see `tallystick.protection.protect_file`.
    policies : sequence of (Policy, Policy)
        The policies that protected the source, in that order, each with its new policy. Both
        protect the same columns. Usually there is one pair.
    keyring : Keyring
        The key ring with the old and the new keys.
    options : RunOptions
        As for `tallystick.protection.protect_file`.

    Returns
    -------
    RunReport
        Its columns are the changed columns; `invalid` counts values that can't be tokens.

    Raises
    ------
    FileError, InvalidValueError, PolicyError, KeyringError, ParameterError
        As for `tallystick.protection.protect_file`. A `PolicyError` also if two policies protect
        other columns, or give the same tokens, or two pairs protect the same column, or one
        contradicts the source's marker, or a key of a plain cipher would serve something else too.
    """
    plan, place = _Plan(policies), place_of(source)
    with ExitStack() as stack:
        steps = plan.steps(stack, keyring)
        sheet = None
        if options.report is not None:
            sheet = Report(Path(options.report), place, "rotate", plan.rules, plan.new_keys)
        jobs = [_Job(place, name, plan, steps, sheet) for name in plan.changed]
        olds = {name: step.old for name, step in steps.items()}
        news = {name: step.new for name, step in steps.items()}
        old = [{r.column: entry_of(r, olds.get(r.column)) for r in p.rules} for p, _ in policies]
        new = [{r.column: entry_of(r, news.get(r.column)) for r in p.rules} for _, p in policies]

        def change(found: Marker | None) -> Marker:
            if found is None:
                return Marker(tuple(new))
            return found.rotated(place, old, new, plan.changed)

        return run_jobs(
            place,
            place_of(target),
            jobs,
            FileGate(place, change, write=options.marker, ignore=options.ignore_marker),
            replace(options, csv=policies[0][0].csv),
            sheet,
            decrypt=True,
            private=False,
        )


@dataclass(frozen=True, slots=True)
class _Step:
    """A column's rules at work; if its tokens stay, `old` and `new` are one."""

    rule: ColumnRule
    new_rule: ColumnRule
    old: Tokenizer
    new: Tokenizer


_Steps = Mapping[str, _Step]


class _Plan:
    """What depends on what.

    Attributes
    ----------
    changed : list of str
        The columns that get new tokens, in the order of the policies.
    """

    def __init__(self, policies: Sequence[tuple[Policy, Policy]]) -> None:
        if not policies:
            raise ParameterError("a rotation needs at least one policy")
        self._policies = policies
        self._rules: dict[str, tuple[int, ColumnRule, ColumnRule]] = {}
        for order, (old, new) in enumerate(policies):
            check_rotatable(old, new, ("the old policy", "the new one"))
            if old.csv != policies[0][0].csv:
                raise PolicyError(
                    "the policies have different [csv] tables; give them the same one"
                )
            after = {rule.column: rule for rule in new.rules}
            for rule in old.rules:
                if rule.column in self._rules:
                    raise PolicyError(
                        f"column {rule.column!r} is protected by two of the policies; "
                        "a rotation can't change both"
                    )
                self._rules[rule.column] = (order, rule, after[rule.column])
        check_keys([(old, new) for _, old, new in self._rules.values()])
        self.changed = [name for name in self._rules if self.changes(name)]
        if not self.changed:
            raise PolicyError("no column gets new tokens: there is nothing to rotate")

    @property
    def rules(self) -> list[ColumnRule]:
        """The rules of all policies, with their old keys."""
        return [old for _, old, _ in self._rules.values()]

    @property
    def new_keys(self) -> dict[str, KeyId]:
        """The keys that columns are to have."""
        keys = ((name, new.key) for name, (_, _, new) in self._rules.items())
        return {name: key for name, key in keys if key is not None}

    def changes(self, name: str) -> bool:
        """Return whether a column gets new tokens."""
        if name not in self._rules:
            return False
        _, old, new = self._rules[name]
        if old.form.one_way:
            return False
        if not old.same_tokens(new):
            return True
        if old.tweak is None or self.by_originals(name, old.tweak):
            return False
        return self.changes(old.tweak)

    def by_originals(self, name: str, tweak: str) -> bool:
        """Say whether a column's tweaks were revealed values: those protected by a later policy."""
        other = self._rules.get(tweak)
        return other is not None and other[0] > self._rules[name][0]

    def inputs(self, name: str) -> list[str]:
        """Return the columns that a column's new tokens are made of, itself the first."""
        found = [name]
        for each in found:  # which grows meanwhile
            for rule in self._rules[each][1:] if each in self._rules else ():
                if rule.tweak is not None and rule.tweak not in found:
                    found.append(rule.tweak)
        return found

    def steps(self, stack: ExitStack, keyring: Keyring) -> _Steps:
        """Open the keys of all columns that matter; they are closed with `stack`."""
        used = {name for column in self.changed for name in self.inputs(column)}
        made: dict[str, _Step] = {}
        for old, new in self._policies:
            rules = {rule.column: rule for rule in old.rules if rule.column in used}
            others = {rule.column: rule for rule in new.rules}
            differ = [name for name, rule in rules.items() if not rule.same_tokens(others[name])]
            olds = stack.enter_context(Protector.of_columns(old, keyring, rules))
            news = stack.enter_context(Protector.of_columns(new, keyring, differ))
            check_rights(keyring, [rules[name] for name in differ], "reveal")
            check_rights(keyring, [others[name] for name in differ], "protect")
            for name, rule in rules.items():
                before = olds.tokenizer(name)
                after = news.tokenizer(name) if name in differ else before
                made[name] = _Step(rule, others[name], before, after)
        return made


class _Job(CountingJob):
    """A column whose tokens are made anew."""

    def __init__(
        self, source: Place, name: str, plan: _Plan, steps: _Steps, report: Report | None
    ) -> None:
        super().__init__(source, name, plan.inputs(name)[1:], report)
        self._plan = plan
        self._steps = steps

    def apply(self, values: pa.Array, others: Sequence[pa.Array], rows: Rows) -> pa.Array:
        given = dict(zip((self.name, *self.others), (values, *others), strict=True))
        with _Batch(self.source, self.name, self._plan, self._steps, given) as batch:
            new = batch.token(self.name)
        self.report(values, new, batch.status, rows)
        self.add(batch.counts)
        return new


class _Batch:
    """Some rows of a column and of those it depends on; at the end originals are overwritten.

    Attributes
    ----------
    counts : Counts
        What happened to the column's rows.
    status : numpy.ndarray of uint8, shape (rows,)
        Which of them are no tokens, as of `tallystick.formats.Outcome`.
    """

    def __init__(
        self, source: Place, column: str, plan: _Plan, steps: _Steps, given: Mapping[str, pa.Array]
    ) -> None:
        self.counts = Counts(len(given[column]), given[column].null_count)
        self.status = np.zeros(len(given[column]), np.uint8)
        self._source = source
        self._column = column
        self._plan = plan
        self._steps = steps
        self._given = given
        self._originals: dict[str, pa.Array] = {}
        self._kept: dict[str, npt.NDArray[np.bool_]] = {}
        self._secret: list[pa.Array] = []
        self._public = list(given.values())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        spared = [buffer for array in self._public for buffer in array.buffers() if buffer]
        for array in self._secret:
            _wipe_values(array, spared)

    def token(self, name: str) -> pa.Array:
        """Return the new tokens of a column."""
        if not self._plan.changes(name):
            return self._given[name]
        step, values = self._steps[name], self.original(name)
        with placed(name, self._source):
            outcome = step.new.outcome(values, self._tweaks(name, new=True), decrypt=False)
        self._public.append(outcome.array)
        # What was a token is one again, and nothing else; or originals would be written.
        wrong = (outcome.status != 0) != self._kept[name]
        if wrong.any():
            self._public.pop()
            self._secret.append(outcome.array)
            row = int(np.argmax(wrong))
            raise self._invalid(name, row, _wrong(outcome.status[row]), mend=_MEND)
        if name == self._column:
            self.counts.small = outcome.small
        return outcome.array

    def original(self, name: str) -> pa.Array:
        """Return the originals of a protected column, and its values that are no tokens."""
        if name in self._originals:
            return self._originals[name]
        step = self._steps[name]
        with placed(name, self._source):
            tweaks = self._tweaks(name, new=False)
            outcome = step.old.outcome(self._given[name], tweaks, decrypt=True)
        self._secret.append(outcome.array)
        if name == self._column:
            self.status = outcome.status
        try:
            values = step.old.apply_on_invalid(
                outcome, self.counts if name == self._column else Counts()
            )
        except InvalidValueError as error:
            raise self._invalid(name, error.row, error.reason, error.fault) from None
        self._secret.append(values)
        self._kept[name] = (outcome.status != 0) & (step.rule.on_invalid == "keep")
        self._originals[name] = values
        return values

    def _tweaks(self, name: str, *, new: bool) -> pa.Array | None:
        """Return the tweaks of a column's rows, those of its old tokens or of its new ones."""
        step = self._steps[name]
        tweak = (step.new_rule if new else step.rule).tweak
        if tweak is None:
            return None
        if self._plan.by_originals(name, tweak):
            return self.original(tweak)
        return self.token(tweak) if new else self._given[tweak]

    def _invalid(
        self, name: str, row: int, reason: str, fault: Fault | None = None, mend: str = ""
    ) -> InvalidValueError:
        if name != self._column:
            reason = f"in its tweak column {name!r}: {reason}"
        return invalid_value(row, reason, fault, mend)


_MEND = "change the new policy, or correct the value"


def _wrong(status: int) -> str:
    """Say why the value of a token can't get a new one, or why one that is no token would."""
    if status == 0:
        return "it is no token of the old policy, and would get one of the new policy"
    return f"its value does not fit the new policy: {REASONS[status]}"


def _wipe_values(array: pa.Array, spared: Sequence[pa.Buffer]) -> None:
    """Overwrite the values of an array, unless they lie in memory that is spared."""
    values = array.buffers()[-1]
    if values is None or any(
        buffer.address <= values.address < buffer.address + buffer.size for buffer in spared
    ):
        return
    lib.tally_wipe(ffi.cast("uint8_t *", values.address), values.size)

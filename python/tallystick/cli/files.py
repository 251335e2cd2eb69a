# SPDX-License-Identifier: Apache-2.0
"""``tallystick protect`` and ``reveal``."""

from __future__ import annotations

from functools import partial

from tallystick.cli.data_options import (
    BATCH_MIB,
    VALUE_MIB,
    DataNames,
    IgnoreMarker,
    IgnoreMissing,
    KeyringFile,
    Kind,
    MaxBatch,
    MaxValue,
    NoMarker,
    PolicyFile,
    ReportFile,
    Resume,
    Strict,
    TextEncoding,
    Threads,
    ToFolder,
    bounded,
    check_report,
    for_source,
    in_encoding,
    load_policy,
)
from tallystick.cli.folders import Pair, plan_of, run_plan
from tallystick.cli.group import group
from tallystick.cli.options import Json, Overwrite, Quiet, Root, root_key
from tallystick.cli.output import say
from tallystick.cli.run import reported, run_file
from tallystick.files import Address
from tallystick.keyring import Keyring
from tallystick.policy import Policy
from tallystick.protection import (
    RunReport,
    protect_file,
    reveal_file,
)

app = group()


@app.command()
def protect(
    names: DataNames,
    policy: PolicyFile,
    keyring: KeyringFile,
    root: Root,
    to: ToFolder = None,
    resume: Resume = False,
    overwrite: Overwrite = False,
    kind: Kind = None,
    encoding: TextEncoding = None,
    threads: Threads = None,
    max_value: MaxValue = VALUE_MIB,
    max_batch: MaxBatch = BATCH_MIB,
    report: ReportFile = None,
    strict: Strict = False,
    ignore_missing: IgnoreMissing = False,
    no_marker: NoMarker = False,
    ignore_marker: IgnoreMarker = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Replace values of a file with tokens, by a policy."""
    check_report(report, [policy, keyring], root)
    plan = plan_of(names, to, kind, report, overwrite=overwrite, resume=resume, as_json=as_json)
    rules = in_encoding(load_policy(policy, strict=strict), encoding)
    ring = Keyring.open(keyring, root_key(root))
    more = reported(report)

    def run(pair: Pair) -> RunReport:
        own = for_source(rules, pair.source, kind, ignore_missing=ignore_missing)
        act = partial(
            protect_file,
            pair.source,
            pair.target,
            own,
            ring,
            overwrite=pair.overwrite,
            kind=kind,
            report=report,
            marker=not no_marker,
            ignore_marker=ignore_marker,
        )
        return run_file(
            "protect",
            bounded(act, max_value, max_batch),
            pair.source,
            pair.target,
            own.rules,
            kind,
            threads,
            as_json,
            quiet,
            more,
        )

    run_plan("protect", plan, run, private=False, quiet=quiet or as_json)


@app.command()
def reveal(
    names: DataNames,
    policy: PolicyFile,
    keyring: KeyringFile,
    root: Root,
    to: ToFolder = None,
    resume: Resume = False,
    overwrite: Overwrite = False,
    kind: Kind = None,
    encoding: TextEncoding = None,
    threads: Threads = None,
    max_value: MaxValue = VALUE_MIB,
    max_batch: MaxBatch = BATCH_MIB,
    report: ReportFile = None,
    ignore_missing: IgnoreMissing = False,
    no_marker: NoMarker = False,
    ignore_marker: IgnoreMarker = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Reveal the values of a protected file. Only its owner may read the target."""
    check_report(report, [policy, keyring], root)
    plan = plan_of(names, to, kind, report, overwrite=overwrite, resume=resume, as_json=as_json)
    rules = in_encoding(Policy.load(policy), encoding)
    ring = Keyring.open(keyring, root_key(root))
    one_way: dict[str, None] = {}

    def run(pair: Pair) -> RunReport:
        own = for_source(rules, pair.source, kind, ignore_missing=ignore_missing)
        here = [rule.column for rule in own.rules if rule.form.one_way]
        one_way.update(dict.fromkeys(here))
        act = partial(
            reveal_file,
            pair.source,
            pair.target,
            own,
            ring,
            overwrite=pair.overwrite,
            kind=kind,
            report=report,
            marker=not no_marker,
            ignore_marker=ignore_marker,
        )
        return run_file(
            "reveal",
            bounded(act, max_value, max_batch),
            pair.source,
            pair.target,
            own.rules,
            kind,
            threads,
            as_json,
            quiet,
            {"one_way": here, **reported(report)},
        )

    run_plan("reveal", plan, run, private=True, quiet=quiet or as_json)
    target = plan.pairs[0].target if plan.pairs else None
    if isinstance(target, Address) and not as_json:
        say(
            f"warning: {target} has plaintext values; the rules of its server decide who "
            "may read it"
        )
    if one_way and not (as_json or quiet):
        say(f"not revealed, because their formats are one-way: {', '.join(map(repr, one_way))}")

# SPDX-License-Identifier: Apache-2.0
"""``tallystick protect`` and ``reveal``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tallystick.cli.data_options import (
    BATCH_MIB,
    VALUE_MIB,
    DataNames,
    DataOptions,
    GroupColumns,
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
    check_report,
    for_source,
    in_encoding,
    load_policy,
)
from tallystick.cli.folders import Pair, plan_of, run_plan
from tallystick.cli.group import group
from tallystick.cli.options import Json, Overwrite, Quiet, Root, root_key
from tallystick.cli.output import say
from tallystick.errors import ParameterError
from tallystick.files import Address

if TYPE_CHECKING:
    from tallystick.protection import RunReport

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
    groups: GroupColumns = None,
    strict: Strict = False,
    ignore_missing: IgnoreMissing = False,
    no_marker: NoMarker = False,
    ignore_marker: IgnoreMarker = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Replace values of a file with tokens, by a policy."""
    options = DataOptions.of(locals())
    _run("protect", names, to, policy, options, resume=resume, strict=strict)


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
    options = DataOptions.of(locals())
    _run("reveal", names, to, policy, options, resume=resume, strict=False)


def _run(
    command: str,
    names: Sequence[str],
    to: Path | None,
    policy: Path,
    options: DataOptions,
    *,
    resume: bool,
    strict: bool,
) -> None:
    # Arrow takes longer to load than a command's help may.
    from tallystick.cli.run import reported, run_file, run_options
    from tallystick.keyring import Keyring
    from tallystick.protection import protect_file, reveal_file

    reveals = command == "reveal"
    act = reveal_file if reveals else protect_file
    check_report(options.report, [policy, options.keyring], options.root)
    if options.groups and options.report is None:
        raise ParameterError("--groups says what the report counts; pass --report FILE too")
    plan = plan_of(names, to, options, resume=resume)
    rules = in_encoding(load_policy(policy, strict=strict), options.encoding)
    ring = Keyring.open(options.keyring, root_key(options.root))
    one_way: dict[str, None] = {}

    def run(pair: Pair) -> RunReport:
        own = for_source(rules, pair.source, options.kind, ignore_missing=options.ignore_missing)
        more = reported(options.report)
        if reveals:
            here = [rule.column for rule in own.rules if rule.form.one_way]
            one_way.update(dict.fromkeys(here))
            more = {"one_way": here, **more}
        return run_file(
            command,
            lambda progress: act(
                pair.source, pair.target, own, ring, run_options(options, pair.overwrite, progress)
            ),
            (pair.source, pair.target),
            own.rules,
            options,
            more,
        )

    quiet = options.quiet or options.as_json
    run_plan(command, plan, run, private=reveals, quiet=quiet)
    target = plan.pairs[0].target if plan.pairs else None
    if reveals and isinstance(target, Address) and not options.as_json:
        say(
            f"warning: {target} has plaintext values; the rules of its server decide who "
            "may read it"
        )
    if one_way and not quiet:
        say(f"not revealed, because their formats are one-way: {', '.join(map(repr, one_way))}")

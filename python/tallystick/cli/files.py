# SPDX-License-Identifier: Apache-2.0
"""``tallystick protect`` and ``reveal``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tallystick.cli.data_options import (
    DataNames,
    DataOptions,
    PolicyFile,
    RevealLogFile,
    check_written,
    for_source,
    in_encoding,
    load_policy,
    takes_options,
)
from tallystick.cli.folders import Pair, Plan, plan_of, run_plan
from tallystick.cli.options import group, open_ring
from tallystick.cli.output import say
from tallystick.errors import ParameterError, PolicyError
from tallystick.files import Address

if TYPE_CHECKING:
    from tallystick.policy import Policy
    from tallystick.protection import RunReport

app = group()


@app.command()
@takes_options()
def protect(names: DataNames, policy: PolicyFile, options: DataOptions) -> None:
    """Replace values of a file with tokens, by a policy."""
    _run("protect", names, policy, options)


@app.command()
@takes_options("groups", "strict")
def reveal(
    names: DataNames, policy: PolicyFile, options: DataOptions, reveal_log: RevealLogFile = None
) -> None:
    """Reveal the values of a protected file. Only its owner may read the target."""
    _run("reveal", names, policy, options, reveal_log)


def _run(
    command: str,
    names: Sequence[str],
    policy: Path,
    options: DataOptions,
    reveal_log: Path | None = None,
) -> None:
    # Arrow takes longer to load than a command's help may.
    from tallystick.cli.reveals import logged, revealable
    from tallystick.cli.run import reported, run_file, run_options
    from tallystick.protection import protect_file, reveal_file

    reveals = command == "reveal"
    act = reveal_file if reveals else protect_file
    if options.groups and options.report is None:
        raise ParameterError("--groups says what the report counts; pass --report FILE too")
    plan = plan_of(names, options)
    others = [("policy", policy)]
    if reveal_log is not None:
        others.append(("reveal log", reveal_log))
    check_written([("target", pair.target) for pair in plan.pairs], others, options)
    rules = in_encoding(load_policy(policy, strict=options.strict), options.encoding)
    if plan.columns and not reveals:
        _check_folders(rules, plan, quiet=options.quiet or options.as_json)
    ring = open_ring(options.keyring, options.root)
    one_way: dict[str, None] = {}

    def run(pair: Pair) -> RunReport:
        own = for_source(rules, pair.source, options.kind, ignore_missing=options.ignore_missing)
        more = reported(options.report)
        if reveals:
            here = [rule.column for rule in own.rules if rule.form.one_way]
            one_way.update(dict.fromkeys(here))
            more = {"one_way": here, **more}
        with logged(reveal_log, revealable(own), ring, pair.source, pair.target) as tell:
            report = run_file(
                command,
                lambda progress: act(
                    *(pair.source, pair.target, own, ring),
                    run_options(options, pair.overwrite, progress),
                ),
                (pair.source, pair.target),
                own.rules,
                options,
                more,
            )
            tell(report.rows)
        return report

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


def _check_folders(policy: Policy, plan: Plan, *, quiet: bool) -> None:
    """Say which columns are in names of folders, where no run protects them.

    Raises `PolicyError`: the policy protects one, or does not name one and must.
    """
    from tallystick.cli.run import say_untouched
    from tallystick.policy.tables import check_listed, counted_names, untouched_columns

    ruled = {rule.column for rule in policy.rules}
    protected = [name for name in plan.columns if name in ruled]
    if protected:
        raise PolicyError(
            f"names of folders have values of {counted_names(protected)}, and the targets would be "
            "in folders of these names; write the values into the files, and rename the folders"
        )
    untouched = untouched_columns(policy, plan.columns)
    check_listed(policy, untouched, "names of folders")
    say_untouched(untouched, quiet=quiet, where="names of folders")

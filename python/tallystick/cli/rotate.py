# SPDX-License-Identifier: Apache-2.0
"""``tallystick rotate``: tokens under old keys to tokens under new ones, and their new policy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tallystick.atomic import complete_file
from tallystick.cli.data_options import (
    DataOptions,
    SourceName,
    TargetName,
    check_written,
    for_source,
    in_encoding,
    source_of,
    takes_options,
    target_of,
)
from tallystick.cli.options import group, open_ring
from tallystick.cli.output import OutputClosedError, OutputError, say
from tallystick.errors import FileError, ParameterError, PolicyError
from tallystick.files import check_apart
from tallystick.keyring import KeyId

if TYPE_CHECKING:
    from tallystick.policy import Policy

Policies = Annotated[
    list[Path],
    typer.Option(
        "--policy",
        "-p",
        envvar="TALLYSTICK_POLICY",
        metavar="FILE",
        readable=False,
        help="The policy that protected the source. If several did, pass each, in the "
        "order of the runs.",
    ),
]
Keys = Annotated[
    list[str] | None,
    typer.Option("--key", metavar="OLD=NEW", help="An old key and its new key, as a:1=a:2."),
]
NewPolicies = Annotated[
    list[Path] | None,
    typer.Option(
        "--to",
        metavar="FILE",
        readable=False,
        help="The policy with the new keys, instead of --key.",
    ),
]
WrittenPolicies = Annotated[
    list[Path] | None,
    typer.Option(
        "--write-policy",
        metavar="FILE",
        readable=False,
        help="Where to write the policy with the new keys of --key.",
    ),
]


app = group()


@app.command()
@takes_options("to", "resume", "groups", "strict")
def rotate(
    source: SourceName,
    target: TargetName,
    policy: Policies,
    options: DataOptions,
    key: Keys = None,
    to: NewPolicies = None,
    write_policy: WrittenPolicies = None,
) -> None:
    """Replace tokens with tokens of new keys, or of a new policy.

    Writes no plaintext but what the new policy keeps in clear.

    Without a marker, rotate a file only once: a token does not show which key it has.
    """
    # Arrow takes longer to load than a command's help may.
    from tallystick.cli.run import reported, run_file, run_options
    from tallystick.policy import policy_text
    from tallystick.policy.rotation import changed_columns, text_with_keys
    from tallystick.rotation import rotate_file

    written = write_policy or []
    _check_options(policy, key, to, written)
    taken, given = source_of(source), target_of(target, as_json=options.as_json)
    policies = [("new policy", path) for path in written]
    check_apart(policies, [("source", taken)])
    others = [("policy", path) for path in (*policy, *(to or ()))]
    check_written([("target", given), *policies], others, options)
    keys = dict(map(_parsed, key or ()))
    if len(keys) < len(key or ()):
        raise ParameterError(
            "--key: an old key is given twice; pass each old key once, with one new key"
        )
    pairs = _by_policies(policy, to) if to else _by_keys(policy, keys)

    def here(policy: Policy) -> Policy:
        coded = in_encoding(policy, options.encoding)
        return for_source(coded, taken, options.kind, ignore_missing=options.ignore_missing)

    pairs = [(here(old), here(new)) for old, new in pairs]
    changed = [item for pair in pairs for item in changed_columns(*pair).items()]
    more: dict[str, object] = {
        "keys": {column: {"old": str(old), "new": str(new)} for column, (old, new) in changed},
        "policies": [str(path) for path in written],
        **reported(options.report),
    }
    ring = open_ring(options.keyring, options.root)
    rules = [rule for old, _ in pairs for rule in old.rules]
    unheard: OutputClosedError | OutputError | None = None
    with ExitStack() as stack:
        for path, old in zip(written, policy, strict=False):
            text = text_with_keys(policy_text(old), keys, str(old))
            stack.enter_context(_written_at_the_end(path, text, overwrite=options.overwrite))
        try:
            run_file(
                "rotate",
                lambda progress: rotate_file(
                    taken, given, pairs, ring, run_options(options, options.overwrite, progress)
                ),
                (taken, given),
                rules,
                options,
                more,
            )
        except (OutputClosedError, OutputError) as error:
            unheard = error  # the file is rotated, so its policy has to appear
    if unheard is not None:
        raise unheard
    if key and not (written or options.as_json or options.quiet):
        names = ", ".join(sorted({str(new) for _, (_, new) in changed}))
        say(f"only a policy that names {names} reveals {target}; --write-policy writes one")


def _check_options(
    policy: Sequence[Path],
    key: Sequence[str] | None,
    to: Sequence[Path] | None,
    written: Sequence[Path],
) -> None:
    if bool(key) == bool(to):
        raise ParameterError("pass the new keys by --key OLD=NEW, or the new policy by --to POLICY")
    if to and written:
        raise ParameterError("--write-policy belongs to --key; the policy of --to exists already")
    for option, given in (("--to", to), ("--write-policy", written)):
        if given and len(given) != len(policy):
            raise ParameterError(f"pass {option} as often as --policy, and in the same order")


def _by_policies(paths: Sequence[Path], to: Sequence[Path]) -> list[tuple[Policy, Policy]]:
    """Read the policies and what they are to be."""
    from tallystick.policy import Policy
    from tallystick.policy.rotation import check_rotatable

    pairs = []
    for before, after in zip(paths, to, strict=True):
        pair = Policy.load(before), Policy.load(after)
        check_rotatable(*pair, (str(before), str(after)))
        pairs.append(pair)
    return pairs


def _by_keys(paths: Sequence[Path], keys: Mapping[KeyId, KeyId]) -> list[tuple[Policy, Policy]]:
    """Read the policies, and make the new ones."""
    from tallystick.policy import Policy
    from tallystick.policy.rotation import with_keys

    olds = [Policy.load(path) for path in paths]
    named = {rule.key for old in olds for rule in old.rules if rule.key is not None}
    for key in keys:
        if key not in named:
            raise PolicyError(
                f"{', '.join(map(str, paths))}: no column has key {key}; the keys are "
                f"{', '.join(map(str, sorted(named)))}. Pass the policy that protected "
                "the file"
            )
    return [(old, with_keys(old, keys)) for old in olds]


def _parsed(change: str) -> tuple[KeyId, KeyId]:
    old, mark, new = change.partition("=")
    if not mark:
        raise ParameterError(
            "--key takes the old key, =, and the new key, such as people:1=people:2"
        )
    ids = KeyId.parse(old), KeyId.parse(new)
    if ids[0] == ids[1]:
        raise ParameterError(
            f"--key: {old} is its own new key; create a new version with keyring rotate"
        )
    return ids


@contextmanager
def _written_at_the_end(path: Path, text: str, *, overwrite: bool) -> Iterator[None]:
    """Prepare a policy's file; it appears when the block has ended well."""
    rotated = ""
    try:
        with complete_file(path, private=False, overwrite=overwrite) as sink:
            sink.write(text.encode())
            yield
            rotated = "; the file is rotated, only its new policy was not written"
    except FileError as error:
        raise FileError(f"{error}{rotated}") from None
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}{rotated}") from error

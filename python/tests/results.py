# SPDX-License-Identifier: Apache-2.0
"""The JSON results of the command line: a type for each command.

``docs/reference/cli.schema.json`` is made of them:
``python python/tests/results.py > docs/reference/cli.schema.json``.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

Count = Annotated[int, Meta(ge=0)]
Position = Annotated[int, Meta(ge=1)]
ReasonName = Literal[
    "short", "long", "foreign", "delimiter", "check", "tweak", "notation", "range", "normal"
]
OnInvalid = Literal["error", "null", "keep"]
Verdict = Literal["good", "malformed", "damaged", "foreign", "repeated"]
Marker = Literal["none", "checked", "ignored"]
SetId = Annotated[str, Meta(pattern="^[0-9a-f]{32}$")]
Bits = Literal[128, 192, 256]


class Part(Struct, forbid_unknown_fields=True):
    """A part of a result: an object of these fields and no others."""


class Result(Struct, forbid_unknown_fields=True, tag_field="command"):
    """A result: its first field is the command."""


class Error(Part):
    error: str
    message: str


class Handled(Part):
    rows: Count
    nulls: Count
    invalid: dict[ReasonName, Count]
    small_domain: Count


class Run(Result):
    source: str
    target: str
    rows: Count
    bytes_in: Count
    bytes_out: Count
    seconds: Annotated[float, Meta(ge=0)]
    columns: dict[str, Handled]
    marker: Marker
    report: str | UnsetType = UNSET


class Protect(Run, tag="protect", kw_only=True):
    unlisted: list[str]
    kept: list[str]
    metadata: list[str]


class Reveal(Run, tag="reveal", kw_only=True):
    one_way: list[str]


class NewKey(Part):
    old: str
    new: str


class Rotate(Run, tag="rotate", kw_only=True):
    keys: dict[str, NewKey]
    policies: list[str]


class Previewed(Part):
    before: list[str | None]
    after: list[str | None]
    problems: list[str | None]


class Preview(Result, tag="preview"):
    source: str
    columns: dict[str, Previewed]
    marker: Marker
    unlisted: list[str] | UnsetType = UNSET
    kept: list[str] | UnsetType = UNSET


class Csv(Part):
    delimiter: str | None
    skip_initial_space: bool
    header: bool
    encoding: str | None


class InvalidInSample(Part):
    count: Position
    first: list[Position]


class Inspected(Part):
    column: str
    type: str
    files: list[str]
    sensitive: bool
    undecided: bool
    by_name: bool
    namespace: str | None
    what: str | None
    kind: str | None
    format: str | None
    options: dict[str, bool | int | str] | None
    note: str | None
    score: float
    certainty: str
    fit: float
    filled: Count
    nulls: Count
    different: Count
    invalid: dict[ReasonName, InvalidInSample]
    smallest_domain: Count | None
    usual_domain: Count | None
    reason: str


class InspectedFile(Part):
    source: str
    rows: Count
    rows_read: Count
    whole_file: bool
    csv: Csv | None


class Inspect(Result, tag="inspect"):
    files: list[InspectedFile]
    policy: str | None
    columns: list[Inspected]


class Row(Part):
    row: Position
    line: Position | None
    position: Position | None
    class_: Literal["letter", "digit", "space", "control", "other"] | None = msgspec.field(
        name="class"
    )


class InvalidRows(Part):
    count: Position
    first: list[Row]


class Checked(Part):
    format: str
    ok: bool
    problem: str | None
    key: str | None
    key_found: bool | None
    tweak: str | None
    on_invalid: OnInvalid
    rows: Count
    nulls: Count
    invalid: dict[ReasonName, InvalidRows]
    distinct: Count
    distinct_exact: bool
    smallest_domain: Count | None
    usual_domain: Count | None
    small_domain: Count
    meaning: list[str]


class Check(Result, tag="check"):
    policy: str
    source: str
    rows: Count | None
    ok: bool
    columns: dict[str, Checked]
    unlisted: list[str]
    kept: list[str]
    unprotectable: dict[str, str]


class Example(Part):
    format: str
    about: str
    value: str
    token: str


class Formats(Result, tag="formats"):
    formats: list[Example]


class KeyringNew(Result, tag="keyring new"):
    keyring: str
    root: str
    root_made: bool


class KeyringAdd(Result, tag="keyring add"):
    keyring: str
    key: str


class KeyringRotate(Result, tag="keyring rotate"):
    keyring: str
    key: str
    previous: str
    bits: Bits


class Key(Part):
    name: str
    version: Position
    bits: Bits
    created: str
    rights: Literal["protect", "protect reveal", "reveal"]


class Sharing(Part):
    set: SetId
    threshold: Position
    holders: list[str]


class KeyringList(Result, tag="keyring list"):
    keyring: str
    keys: list[Key]
    sharing: Sharing | None
    roots: list[str]
    revision: Count
    signers: list[str]


class KeyringWrap(Result, tag="keyring wrap"):
    keyring: str
    roots: list[str]


class KeyringRights(Result, tag="keyring rights"):
    keyring: str
    key: str
    rights: Literal["protect", "protect reveal", "reveal"]


class KeyringSigners(Result, tag="keyring signers"):
    keyring: str
    signers: list[str]


class PolicyKey(Result, tag="policy key"):
    key: str
    signer: str


class PolicySign(Result, tag="policy sign"):
    policy: str
    signature: str
    signer: str


class RevealsVerify(Result, tag="reveals verify"):
    log: str
    lines: Count
    hash: str


class PolicyVerify(Result, tag="policy verify"):
    policy: str
    signed: bool


class KeyringAnchor(Result, tag="keyring anchor"):
    keyring: str
    anchor: str
    revision: Count


class HeldShare(Part):
    index: Position
    holder: str
    file: str
    qr: str | None


class KeyringSplit(Result, tag="keyring split"):
    keyring: str
    id: str
    set: SetId
    threshold: Position
    roots_removed: list[str]
    shares: list[HeldShare]


class KeyringReshare(KeyringSplit, tag="keyring reshare"):
    pass


class ShareSplit(Result, tag="share split"):
    set: SetId
    threshold: Position
    shares: list[str]
    holders: list[str]


class GivenShare(Part):
    file: str
    index: Position | None
    verdict: Verdict
    problem: str | None


class Given(Result, kw_only=True):
    set: SetId | None
    label: str | None
    threshold: Position | None
    good: Count
    shares: list[GivenShare]


class ShareCombine(Given, tag="share combine", kw_only=True):
    target: str
    size: Count | UnsetType = UNSET
    damaged_parts: dict[str, Count] | UnsetType = UNSET


class ShareVerify(Given, tag="share verify", kw_only=True):
    state: str
    alone: bool
    parts_checked: bool
    damaged_parts: dict[str, Count]


class ShareInfo(Result, tag="share info"):
    set: SetId
    index: Position
    threshold: Position
    shares: Position
    label: str
    kind: Literal["secret", "file"]
    bytes: Count | None


class FoundInText(Part):
    source: str
    line: Position
    column: Position
    offset: Count
    bytes: Position
    kind: str
    rule: str
    certainty: Literal["weak", "fair", "strong"]


class TextScan(Result, tag="text scan"):
    findings: list[FoundInText]


RESULTS = (
    *(Protect, Reveal, Rotate, Preview, Inspect, Check, Formats),
    *(KeyringNew, KeyringAdd, KeyringRotate, KeyringList, KeyringWrap, KeyringRights),
    *(KeyringSigners, KeyringAnchor, KeyringSplit, KeyringReshare),
    *(PolicyKey, PolicySign, PolicyVerify, RevealsVerify),
    *(ShareSplit, ShareCombine, ShareVerify, ShareInfo),
    TextScan,
)


def read(text: str) -> Any:  # noqa: ANN401
    """Read what ``--json`` printed: a result, or an error.

    Raises
    ------
    msgspec.ValidationError
        It is neither: a field is missing, unknown or of another type.
    """
    found = json.loads(text)
    if "error" in found:
        return msgspec.convert(found, Error)
    assert next(iter(found)) == "command", "the first field says of which command it is"
    kinds = {kind.__struct_config__.tag: kind for kind in RESULTS}
    return msgspec.convert(found, kinds[found["command"]])


def schema() -> str:
    """Return the JSON schema of all results and of errors."""
    whole, parts = msgspec.json.schema_components((*RESULTS, Error), ref_template="#/$defs/{name}")
    one_of = ",\n".join(f"  {json.dumps(each)}" for each in whole)
    named = ",\n".join(f"  {json.dumps(name)}: {json.dumps(part)}" for name, part in parts.items())
    return (
        '{\n"$schema": "https://json-schema.org/draft/2020-12/schema",\n'
        '"title": "What tallystick prints with --json",\n'
        f'"oneOf": [\n{one_of}\n],\n"$defs": {{\n{named}\n}}\n}}\n'
    )


if __name__ == "__main__":
    print(schema(), end="")

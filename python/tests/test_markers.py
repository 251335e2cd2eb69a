# SPDX-License-Identifier: Apache-2.0
"""Markers: runs that contradict what a file was protected by are refused before its first row."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from keyring_support import listing, make_ring
from pages import blocks
from tallystick.errors import FileError, PolicyError
from tallystick.files.marker import sidecar_of
from tallystick.keyring import KeyId, Keyring
from tallystick.policy import Policy
from tallystick.policy.marker import Marker, entry_of
from tallystick.policy.rotation import with_keys
from tallystick.protection import RunOptions, preview_file, protect_file, reveal_file
from tallystick.rotation import rotate_file
from tallystick.tokenizer import Tokenizer

PEOPLE = {
    "id": ["1234567", "7654321"],
    "name": ["Anne", "Bob"],
    "town": ["Lyon", "Ghent"],
    "note": ["a", "b"],
}
IDS = 'id = { format = "digits", key = "a:1", namespace = "id" }'
NAMES = 'name = { format = "letters", key = "a:1", namespace = "name" }'
NAMES_BY_ID = 'name = { format = "letters", key = "a:1", namespace = "name", tweak = "id" }'
MASKED = 'town = { format = "mask" }'


def policy(*columns: str) -> Policy:
    return Policy.parse("[columns]\n" + "\n".join(columns))


def rotated(rules: Policy) -> tuple[Policy, Policy]:
    return rules, with_keys(rules, {KeyId("a", 1): KeyId("a", 2)})


@pytest.fixture(scope="module")
def rings(tmp_path_factory: pytest.TempPathFactory) -> list[Keyring]:
    """Return two rings whose keys have the same names."""
    folders = map(tmp_path_factory.mktemp, ("one", "two"))
    return [make_ring(folder / "a.keys", "a", "a") for folder in folders]


class Bench:
    """A file of either kind, and where its copies go."""

    def __init__(self, folder: Path, kind: str, rings: list[Keyring]) -> None:
        self.ring, self.other_ring = rings
        self.folder = folder
        self.source = folder / f"people.{kind}"
        if kind == "csv":
            rows = zip(*PEOPLE.values(), strict=True)
            lines = [",".join(row) for row in [PEOPLE, *rows]]
            self.source.write_text("\n".join(lines) + "\n")
        else:
            pq.write_table(pa.table(PEOPLE), self.source)
        self.made = 0

    def new(self) -> Path:
        self.made += 1
        return self.source.with_stem(str(self.made))

    def protect(self, source: Path, *columns: str, **options: bool) -> Path:
        target = self.new()
        protect_file(source, target, policy(*columns), self.ring, RunOptions(**options))  # type: ignore[arg-type]
        return target

    def reveal(self, source: Path, *columns: str, **options: bool) -> Path:
        target = self.new()
        reveal_file(source, target, policy(*columns), self.ring, RunOptions(**options))  # type: ignore[arg-type]
        return target

    def rotate(self, source: Path, *policies: Policy, **options: bool) -> Path:
        target = self.new()
        pairs = [rotated(rules) for rules in policies]
        rotate_file(source, target, pairs, self.ring, RunOptions(**options))  # type: ignore[arg-type]
        return target

    def layers(self, path: Path) -> list[dict[str, str | None]]:
        """Return the keys of the columns that a file's marker names."""
        found = self.marker(path)
        if found is None:
            return []
        document = json.loads(found)
        assert document["version"] == 1
        return [
            {name: entry.get("key") for name, entry in layer["columns"].items()}
            for layer in document["layers"]
        ]

    def marker(self, path: Path) -> bytes | None:
        if path.suffix == ".csv":
            beside = sidecar_of(path)
            return beside.read_bytes() if beside.exists() else None
        return (pq.read_schema(path).metadata or {}).get(b"tallystick")

    def same(self, path: Path) -> bool:
        """Return whether a file is the original one, without a marker."""
        return path.read_bytes() == self.source.read_bytes() and self.marker(path) is None


@pytest.fixture(params=["csv", "parquet"])
def bench(request: pytest.FixtureRequest, tmp_path: Path, rings: list[Keyring]) -> Bench:
    return Bench(tmp_path, request.param, rings)


def refused(act: Callable[[], object], bench: Bench, match: str) -> None:
    """Check that a run is refused, names the way out, and leaves nothing."""
    before = listing(bench.folder)
    with pytest.raises(PolicyError, match=f"{match}.*--ignore-marker"):
        act()
    assert listing(bench.folder) == before


def test_there_and_back_leaves_no_marker(bench: Bench) -> None:
    tokens = bench.protect(bench.source, IDS, NAMES)
    assert bench.layers(tokens) == [{"id": "a:1", "name": "a:1"}]
    assert bench.same(bench.reveal(tokens, IDS, NAMES))


def test_a_marker_has_fingerprints_and_nothing_of_keys_or_values(bench: Bench) -> None:
    marker = bench.marker(bench.protect(bench.source, IDS, MASKED))
    assert marker is not None
    entries = json.loads(marker)["layers"][0]["columns"]
    assert set(entries["id"]) == {"format", "key", "check"}
    assert set(entries["town"]) == {"format", "one_way"}
    assert {len(entries["id"][name]) for name in ("format", "check")} == {16}
    key = bench.ring.key("a:1")
    assert not any(key[at : at + 4].hex() in entries["id"]["check"] for at in range(len(key) - 3))
    for value in (*PEOPLE["id"], *PEOPLE["town"]):
        assert value.encode() not in marker
    other = bench.new()
    protect_file(bench.source, other, policy(IDS, MASKED), bench.other_ring)
    second = bench.marker(other)
    assert second is not None
    other_entries = json.loads(second)["layers"][0]["columns"]
    assert other_entries["id"]["check"] != entries["id"]["check"]
    assert other_entries["id"]["format"] == entries["id"]["format"]


def test_the_marker_of_the_document() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "markers.md").read_text("utf-8")
    (policy,), (written,) = blocks(page, "toml"), blocks(page, "json")
    rules = Policy.parse(policy).rules
    tools = [
        Tokenizer(rule.form, bytes(range(16)) if rule.key else None, namespace=rule.namespace)
        for rule in rules
    ]
    entries = {r.column: entry_of(r, tool) for r, tool in zip(rules, tools, strict=True)}
    marker = Marker((entries,))
    assert Marker.read(written.encode("ascii"), "the document") == marker
    assert '"000102030405060708090a0b0c0d0e0f"' in page


def test_protected_twice(bench: Bench) -> None:
    tokens = bench.protect(bench.source, IDS, NAMES)
    says = "says that column 'id' is protected already under key a:1"
    refused(lambda: bench.protect(tokens, IDS), bench, says)
    again = bench.protect(tokens, IDS, ignore_marker=True)
    assert bench.layers(again) == [{"id": "a:1"}]


def test_rotated_twice(bench: Bench) -> None:
    rules = policy(IDS, NAMES)
    tokens = bench.protect(bench.source, IDS, NAMES)
    once = bench.rotate(tokens, rules)
    assert bench.layers(once) == [{"id": "a:2", "name": "a:2"}]
    refused(lambda: bench.rotate(once, rules), bench, "under key a:2, not under key a:1")
    refused(lambda: bench.reveal(once, IDS, NAMES), bench, "under key a:2, not under key a:1")
    new = [text.replace("a:1", "a:2") for text in (IDS, NAMES)]
    assert bench.same(bench.reveal(once, *new))


def test_another_ring_whose_key_has_the_name(bench: Bench) -> None:
    tokens = bench.protect(bench.source, IDS)
    bench.ring = bench.other_ring
    says = "another key that is also called a:1"
    refused(lambda: bench.reveal(tokens, IDS), bench, says)
    refused(lambda: bench.rotate(tokens, policy(IDS)), bench, says)


@pytest.mark.parametrize(
    ("other", "says"),
    [
        (IDS.replace("a:1", "a:2"), "under key a:1, not under key a:2"),
        (IDS.replace('"id" }', '"other" }'), "with another format or namespace"),
        (IDS.replace('"digits"', '"hex"'), "with another format or namespace"),
        (IDS.replace("}", ', tweak = "note" }'), "with another tweak"),
        (NAMES, "column 'name' is not protected"),
    ],
)
def test_another_policy(bench: Bench, other: str, says: str) -> None:
    tokens = bench.protect(bench.source, IDS)
    refused(lambda: bench.reveal(tokens, other), bench, says)
    refused(lambda: preview_file(tokens, policy(other), bench.ring, decrypt=True), bench, says)
    if "a:2" not in other:
        refused(lambda: bench.rotate(tokens, policy(other)), bench, says)


def test_what_does_not_change_tokens_may_change(bench: Bench) -> None:
    tokens = bench.protect(bench.source, IDS)
    other = 'id = { format = { type = "digits", separators = "." }, key = "a:1", namespace = "id"'
    assert bench.same(bench.reveal(tokens, other + ', on_invalid = "null" }'))


def test_policies_are_layers(bench: Bench) -> None:
    first = bench.protect(bench.source, NAMES_BY_ID)
    both = bench.protect(first, IDS)
    assert bench.layers(both) == [{"name": "a:1"}, {"id": "a:1"}]
    says = "column 'id' was protected after 'name'.*reveal 'id' first"
    refused(lambda: bench.reveal(both, NAMES_BY_ID), bench, says)
    back = bench.reveal(both, IDS)
    assert bench.layers(back) == [{"name": "a:1"}]
    assert bench.same(bench.reveal(back, NAMES_BY_ID))


def test_a_tweak_of_tokens_is_revealed_last(bench: Bench) -> None:
    both = bench.protect(bench.protect(bench.source, IDS), NAMES_BY_ID)
    says = "column 'name' was protected after 'id'.*reveal 'name' first"
    refused(lambda: bench.reveal(both, IDS), bench, says)
    assert bench.same(bench.reveal(bench.reveal(both, NAMES_BY_ID), IDS))


@pytest.mark.parametrize("turned", [False, True])
def test_layers_are_rotated_in_their_order(bench: Bench, turned: bool) -> None:
    names, ids = policy(NAMES_BY_ID), policy(IDS)
    first, second = (ids, names) if turned else (names, ids)
    one, both, back, start = (bench.new() for _ in range(4))
    protect_file(bench.source, one, first, bench.ring)
    protect_file(one, both, second, bench.ring)
    refused(lambda: bench.rotate(both, second, first), bench, "protected in the other order")
    alone, missing = (ids, "name") if turned else (names, "id")
    refused(lambda: bench.rotate(both, alone), bench, f"pass the policy of '{missing}' too")
    done = bench.rotate(both, first, second)
    assert [set(layer.values()) for layer in bench.layers(done)] == [{"a:2"}] * 2
    reveal_file(done, back, rotated(second)[1], bench.ring)
    reveal_file(back, start, rotated(first)[1], bench.ring)
    assert bench.same(start)


def test_a_column_that_nothing_depends_on_is_rotated_alone(bench: Bench) -> None:
    both = bench.protect(bench.protect(bench.source, IDS), NAMES)
    assert bench.layers(bench.rotate(both, policy(NAMES))) == [{"id": "a:1"}, {"name": "a:2"}]


def test_one_way_columns_stay_protected(bench: Bench) -> None:
    tokens = bench.protect(bench.source, IDS, MASKED)
    back = bench.reveal(tokens, IDS, MASKED)
    assert bench.layers(back) == [{"town": None}]
    refused(lambda: bench.protect(back, MASKED), bench, "column 'town' is protected already")


def test_a_run_without_a_marker_says_so(bench: Bench) -> None:
    report = protect_file(
        bench.source, bench.new(), policy(IDS), bench.ring, RunOptions(marker=False)
    )
    assert report.marker == "none"
    tokens = bench.protect(bench.source, IDS, marker=False)
    assert bench.marker(tokens) is None
    back = reveal_file(tokens, bench.new(), policy(IDS), bench.ring)
    assert back.marker == "none"
    once = bench.rotate(tokens, policy(IDS))
    assert bench.layers(once) == [{"id": "a:2"}], "twice is an error from here on"
    refused(lambda: bench.rotate(once, policy(IDS)), bench, "under key a:2")


def test_ignored_and_checked_markers_are_distinguished(bench: Bench) -> None:
    tokens = bench.protect(bench.source, IDS)
    rules = policy(IDS)
    assert reveal_file(tokens, bench.new(), rules, bench.ring).marker == "checked"
    ignored = reveal_file(tokens, bench.new(), rules, bench.ring, RunOptions(ignore_marker=True))
    assert ignored.marker == "ignored"
    assert preview_file(tokens, rules, bench.ring, decrypt=True).marker == "checked"


ID_LAYER = b'{"columns": {"id": {"format": ""}}}'


@pytest.mark.parametrize(
    ("damaged", "says"),
    [
        *((one, "damaged") for one in (b"", b"{", b"[]", b'{"version": 1}')),
        (b'{"version": 1, "layers": [], "more": 1}', "damaged"),
        (b'{"version": 1, "layers": [{"columns": {"id": {"key": "a:1"}}}]}', "damaged"),
        (b'{"version": 1, "layers": [{"columns": {"id": {"format": 1}}}]}', "damaged"),
        (b'{"version": 1, "layers": [%(id)s, %(id)s]}' % {b"id": ID_LAYER}, "damaged"),
        (b'{"version": 2, "columns": {}}', "version 2, but this program reads version 1"),
        (b'{"version": 1, "layers": ' + b"[" * 100_000, "damaged"),
    ],
)
def test_a_marker_that_can_not_be_read(
    tmp_path: Path, rings: list[Keyring], damaged: bytes, says: str
) -> None:
    bench = Bench(tmp_path, "csv", rings)
    tokens = bench.protect(bench.source, IDS)
    sidecar_of(tokens).write_bytes(damaged)
    for act in (bench.reveal, bench.protect):
        with pytest.raises(FileError, match=f"{tokens.name}: its marker .*{says}.*ignore-marker"):
            act(tokens, IDS)
    back = bench.reveal(tokens, IDS, ignore_marker=True)
    assert bench.same(back)


# Columns that pass in clear.


def test_the_columns_that_passed_in_clear_are_reported(bench: Bench) -> None:
    rules = replace(policy(IDS, NAMES_BY_ID.replace('"id" }', '"note" }')), keep=("none",))
    report = protect_file(bench.source, bench.new(), rules, bench.ring)
    assert report.untouched.unlisted == ("town",)
    assert report.untouched.kept == ("note",)
    shown = preview_file(bench.source, rules, bench.ring)
    assert shown.untouched == report.untouched
    strict = replace(rules, unlisted="error")
    for act in (
        lambda: protect_file(bench.source, bench.new(), strict, bench.ring),
        lambda: preview_file(bench.source, strict, bench.ring),
    ):
        with pytest.raises(PolicyError, match=r"does not name 'town' \(1 column\).*to keep"):
            act()
    protect_file(bench.source, bench.new(), replace(strict, keep=("town",)), bench.ring)


def test_columns_that_another_policy_protected_are_not_in_clear(bench: Bench) -> None:
    first = bench.protect(bench.source, IDS)
    rules = replace(policy(NAMES), unlisted="error", keep=("town", "note"))
    target = bench.new()
    report = protect_file(first, target, rules, bench.ring)
    assert report.untouched.unlisted == ()
    assert report.untouched.kept == ("town", "note")
    reveal_file(target, bench.new(), rules, bench.ring)


def test_columns_of_types_without_a_format_are_named(tmp_path: Path, rings: list[Keyring]) -> None:
    table = pa.table(
        {
            "id": ["1234567"],
            "struct": pa.array([{"a": "secret"}]),
            "list": pa.array([["secret"]]),
            "map": pa.array([[("a", "b")]], pa.map_(pa.string(), pa.string())),
            "float": [1.5],
            "decimal": pa.array([None], pa.decimal256(50, 2)),
        }
    )
    source = tmp_path / "a.parquet"
    pq.write_table(table, source)
    report = protect_file(source, tmp_path / "b.parquet", policy(IDS), rings[0])
    names = ("struct", "list", "map", "float", "decimal")
    assert report.untouched.unlisted == names
    strict = replace(policy(IDS), unlisted="error")
    with pytest.raises(PolicyError, match=r"'struct', 'list', 'map', 'float', 'decimal' \(5"):
        protect_file(source, tmp_path / "c.parquet", strict, rings[0])
    protect_file(source, tmp_path / "c.parquet", replace(strict, keep=names), rings[0])


def test_a_name_that_two_columns_have_is_never_kept(tmp_path: Path, rings: list[Keyring]) -> None:
    source, target = tmp_path / "a.csv", tmp_path / "b.csv"
    source.write_text("id,ssn,ssn\n1234567,078-05-1120,219-09-9999\n")
    kept = replace(policy(IDS), keep=("ssn",))
    with pytest.raises(PolicyError, match=r"several columns are called 'ssn' \(1 column\)"):
        protect_file(source, target, replace(kept, unlisted="error"), rings[0])
    assert not target.exists()
    assert protect_file(source, target, kept, rings[0]).untouched.unlisted == ("ssn",)

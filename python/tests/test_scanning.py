# SPDX-License-Identifier: Apache-2.0
"""Findings in text: the vectors, pieces, files, rules; and that the tables are of today's data."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallystick as ts
from tallystick.scanning import MAX_FINDING, Finding, Scanner, scan

ROOT = Path(__file__).parents[2]
CASES = json.loads((ROOT / "vectors" / "text_scan.json").read_text("utf-8"))
RULES: dict[str, Any] = {
    "least": "weak",
    "lists": {"names": ["acme corp", "acme", "Müller", "ümit", "田中"]},
    "patterns": {"ids": "ID-[0-9]{6}"},
}
"""The rules of the vectors."""


def written(findings: list[Finding]) -> list[str]:
    return [f"{one.start} {one.length} {one.rule} {one.certainty}" for one in findings]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_vectors(case: dict[str, Any]) -> None:
    text = case["text"]
    assert written(scan(text.encode(), **RULES)) == case["findings"]
    scanner = Scanner(**RULES)
    pieces = [one for byte in text.encode() for one in scanner.feed(bytes([byte]))]
    assert written(pieces + scanner.finish()) == case["findings"]
    assert written(scan(io.BytesIO(text.encode()), **RULES)) == case["findings"]
    in_bytes, in_text = scan(text.encode(), **RULES), scan(text, **RULES)
    assert [text[one.start : one.end].encode() for one in in_text] == [
        text.encode()[one.start : one.end] for one in in_bytes
    ]


def test_every_kind_has_a_vector() -> None:
    rules = {line.split()[2] for case in CASES for line in case["findings"]}
    kinds = {rule.split(".")[0] for rule in rules}
    assert kinds == {
        *("card", "iban", "national_id", "email", "phone", "ipv4", "ipv6", "mac", "uuid", "jwt"),
        *("pem", "url", "key", "entropy", "list", "pattern"),
    }


def test_every_national_identifier_and_key_has_a_vector() -> None:
    own, inspection = (
        tomllib.loads((ROOT / path / "knowledge.toml").read_text("utf-8"))
        for path in ("tools/scan", "python/tallystick/inspection")
    )
    kinds = [*inspection["national"], *(one["kind"] for one in own["national"])]
    rules = {f"national_id.{kind.replace('in_.', 'in.')}" for kind in kinds}
    rules |= {f"key.{one['name']}" for one in own["keys"]}
    found = {line.split()[2] for case in CASES for line in case["findings"]}
    assert rules <= found


def test_findings_without_a_value() -> None:
    text = "mail jane@example.org now"
    (one,) = ts.scan(text)
    assert (one.start, one.end, one.kind, one.certainty) == (5, 21, "email", "fair")
    assert "jane" not in repr(one)


@given(st.binary(max_size=400), st.integers(1, 60))
def test_pieces_of_any_bytes(data: bytes, size: int) -> None:
    scanner = Scanner(**RULES)
    pieces = [one for at in range(0, len(data), size) for one in scanner.feed(data[at : at + size])]
    found = pieces + scanner.finish()
    assert found == scan(data, **RULES)
    assert all(before.end <= after.start for before, after in pairwise(found))
    assert all(one.start >= 0 and one.end <= len(data) for one in found)


@given(st.lists(st.sampled_from([case["text"] for case in CASES]), max_size=4), st.text())
def test_places_in_text(texts: list[str], between: str) -> None:
    text = between.join(texts)
    data = text.encode()
    in_text, in_bytes = scan(text, **RULES), scan(data, **RULES)
    assert [text[one.start : one.end].encode() for one in in_text] == [
        data[one.start : one.end] for one in in_bytes
    ]


def test_a_finding_comes_before_the_end() -> None:
    scanner = Scanner()
    assert scanner.feed(b"jane@example.org ") == []
    (one,) = scanner.feed(b" " * (MAX_FINDING + 1024))
    assert one.kind == "email"
    assert scanner.finish() == []
    assert len(scanner.scan("jane@example.org")) == 1  # another text


def test_kinds_and_certainty() -> None:
    text = "jane@example.org 10.0.0.1 4111 1111 1111 1111 AKIAIOSFODNN7" + "EXAMPLE"
    assert [one.kind for one in scan(text)] == ["email", "ipv4", "card"]
    assert [one.kind for one in scan(text, kinds=["ipv4"])] == ["ipv4"]
    assert [one.kind for one in scan(text, least="strong")] == ["card"]
    assert [one.kind for one in scan(text, least="weak")] == ["email", "ipv4", "card", "key"]


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"kinds": ["cards"]}, "kinds are card"),
        ({"least": "sure"}, "least is"),
        ({"lists": {"x": ["a"]}}, "lists.x: a list has texts of 2 to 128 bytes"),
        ({"patterns": {"x": "a*"}}, "patterns.x: "),
    ],
)
def test_refused_rules(rules: dict[str, Any], message: str) -> None:
    with pytest.raises(ts.ParameterError, match=message):
        Scanner(**rules)


def test_a_file_of_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("jane@example.org")
    with path.open() as file, pytest.raises(ts.ParameterError, match="mode 'rb'"):
        scan(file)
    with path.open("rb") as binary:
        assert [one.kind for one in scan(binary)] == ["email"]


def test_tables_are_of_the_data() -> None:
    done = subprocess.run([sys.executable, "-m", "tools.scan", "--check"], cwd=ROOT, check=False)
    assert done.returncode == 0, "run: python -m tools.scan"


def test_each_key_names_its_source() -> None:
    keys = tomllib.loads((ROOT / "tools/scan/knowledge.toml").read_text("utf-8"))["keys"]
    assert len({one["name"] for one in keys}) == len(keys)
    assert all(one["source"] for one in keys)

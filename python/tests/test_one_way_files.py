# SPDX-License-Identifier: Apache-2.0
"""Policies with one-way formats: read, protected by, revealed as far as that goes, and rotated."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pytest

from keyring_support import make_ring
from tallystick import PolicyError, Protector, Tokenizer, formats
from tallystick.keyring import KeyId
from tallystick.policy import Policy
from tallystick.protection import RunOptions, preview_file, protect_file, reveal_file
from tallystick.rotation import rotate_file

MASK = 'card = { format = { type = "mask", keep_last = 4, width = 4 } }'
PSEUDONYM = 'name = { format = "pseudonym", key = "people:1", namespace = "name" }'
ID = 'id = { format = "digits", key = "people:1", namespace = "id" }'
SOURCE = 'id,name,card,note\n123456,Ann,4111 1111 1111 1234,x\n234567,"Lee, Bo",,y\n'


def policy(*columns: str) -> Policy:
    return Policy.parse("\n".join(("[columns]", *columns)))


def mistake(*columns: str) -> str:
    with pytest.raises(PolicyError) as caught:
        policy(*columns)
    return str(caught.value)


def test_a_policy_gives_a_mask_no_key_and_all_else_one() -> None:
    rules = policy(MASK, PSEUDONYM, ID).rules
    assert [rule.key for rule in rules] == [None, KeyId("people", 1), KeyId("people", 1)]
    for option in ('key = "people:1"', 'namespace = "d"', 'tweak = "id"'):
        text = f'a = {{ format = "mask", {option} }}'
        assert f"{option.split()[0]}: format 'mask' takes no {option.split()[0]}" in mistake(text)
    for form in ("digits", "pseudonym"):
        assert "a.key: is missing" in mistake(f'a = {{ format = "{form}", namespace = "d" }}')
        assert "a.namespace: is missing" in mistake(f'a = {{ format = "{form}", key = "p:1" }}')


def test_a_file_is_revealed_but_for_what_is_one_way(tmp_path: Path) -> None:
    ring, rules = make_ring(tmp_path / "a.keys", "people"), policy(MASK, PSEUDONYM, ID)
    source, target, back = (tmp_path / f"{name}.csv" for name in ("source", "target", "back"))
    source.write_text(SOURCE)
    report = protect_file(source, target, rules, ring)
    assert set(report.columns) == {"card", "name", "id"}
    table = pa.csv.read_csv(target)
    name = Tokenizer(formats.pseudonym(), ring.key(KeyId("people", 1)), namespace="name")
    assert table["name"].to_pylist() == [name.protect("Ann"), name.protect("Lee, Bo")]
    assert table["card"].to_pylist() == ["****1234", ""]
    report = reveal_file(target, back, rules, ring)
    assert set(report.columns) == {"id"}
    assert back.read_text().splitlines()[1].startswith(f"123456,{name.protect('Ann')},****1234,x")
    shown = preview_file(target, rules, ring, decrypt=True).columns
    assert [column.name for column in shown] == ["id"]
    with pytest.raises(PolicyError, match="nothing to reveal"):
        reveal_file(target, back, policy(MASK, PSEUDONYM), ring, RunOptions(overwrite=True))


def test_a_table_is_revealed_but_for_what_is_one_way(tmp_path: Path) -> None:
    table = pa.table({"id": ["123456"], "name": ["Ann"], "card": ["4111111111111234"]})
    ring, rules = make_ring(tmp_path / "a.keys", "people"), policy(MASK, PSEUDONYM, ID)
    with Protector(rules, ring) as protector:
        tokens = protector.protect(table)
        assert tokens["card"].to_pylist() == ["****1234"]
        assert tokens["name"].to_pylist() != ["Ann"]
        back = protector.reveal(tokens)
    assert back["id"].to_pylist() == ["123456"]
    assert back.drop_columns("id") == tokens.drop_columns("id")


def test_a_rotation_leaves_what_is_one_way(tmp_path: Path) -> None:
    ring, old = make_ring(tmp_path / "a.keys", "people"), policy(MASK, PSEUDONYM, ID)
    second = ring.rotate("people")
    source, target, rotated = (tmp_path / f"{name}.csv" for name in ("source", "target", "new"))
    source.write_text(SOURCE)
    protect_file(source, target, old, ring)
    every = replace(old, rules=tuple(replace(r, key=r.key and second) for r in old.rules))
    with pytest.raises(PolicyError, match="'name': format 'pseudonym' is one-way"):
        rotate_file(target, rotated, [(old, every)], ring)
    one = replace(old, rules=(*old.rules[:2], replace(old.rules[2], key=second)))
    report = rotate_file(target, rotated, [(old, one)], ring)
    assert set(report.columns) == {"id"}
    protect_file(source, tmp_path / "anew.csv", one, ring)
    assert rotated.read_text() == (tmp_path / "anew.csv").read_text()

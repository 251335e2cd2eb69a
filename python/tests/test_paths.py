# SPDX-License-Identifier: Apache-2.0
"""Functions on files take text, `pathlib.Path`, or anything with a path."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tallystick.inspection import check_file, inspect_file
from tallystick.keyring import Keyring, RootKey
from tallystick.policy import Policy
from tallystick.protection import RunOptions, preview_file, protect_file, reveal_file
from tallystick.rotation import rotate_file

RULE = '[columns]\nid = {{ format = "digits", key = "people:{}", namespace = "person id" }}\n'


class Entry:
    """Has a path, and is none."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __fspath__(self) -> str:
        return self.path


@pytest.mark.parametrize("given", [str, Path, Entry])
def test_a_file_is_given_in_any_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: Callable[[str], str | os.PathLike[str]]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("id,name\n5304218,Ann\n8124035,Bob\n")
    ring = Keyring.create(given("people.keys"), RootKey.generate_file(given("root.key")))
    ring.add("people")
    ring.add("people")
    Path("people.toml").write_text(RULE.format(1))
    old, new = Policy.load(given("people.toml")), Policy.parse(RULE.format(2))
    assert inspect_file(given("people.csv")).findings
    assert check_file(given("people.csv"), old, ring).rows == 2
    assert len(preview_file(given("people.csv"), old, ring).columns) == 1
    protect_file(
        given("people.csv"), given("tokens.csv"), old, ring, RunOptions(report=given("report.html"))
    )
    rotate_file(given("tokens.csv"), given("rotated.csv"), [(old, new)], ring)
    reveal_file(given("rotated.csv"), given("back.csv"), new, ring)
    assert Path("back.csv").read_bytes() == Path("people.csv").read_bytes()
    assert Path("report.html").exists()

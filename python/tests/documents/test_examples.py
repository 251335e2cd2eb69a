# SPDX-License-Identifier: Apache-2.0
"""The examples of the README run, in their order.

Those of other pages are run by the tests of what they are about.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pages import CHECKOUT, blocks
from tallystick import Tokenizer
from tallystick.policy import Policy

README = (CHECKOUT / "README.md").read_text("utf-8")


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= 120


def shell(folder: Path, script: str) -> None:
    """Run commands in one shell, with our programs and none of our variables."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("TALLYSTICK_")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{own['PATH']}"
    subprocess.run(["sh", "-ec", script], cwd=folder, env={**own, "PATH": path}, check=True)


@pytest.mark.slow
def test_the_examples_of_the_readme_run_in_an_empty_folder(tmp_path: Path) -> None:
    (script,) = blocks(README, "sh")
    (tmp_path / "readme.py").write_text("\n".join(blocks(README, "python")))
    shell(tmp_path, f"{script}\npython readme.py")
    people = (tmp_path / "people.csv").read_bytes()
    assert (tmp_path / "back.csv").read_bytes() == people
    tokens = (tmp_path / "tokens.csv").read_bytes()
    drafted = Policy.load(tmp_path / "people.toml")
    own = the_policy_of_the_readme()
    assert {rule.column for rule in drafted.rules} == {rule.column for rule in own.rules}
    assert {rule.key for rule in drafted.rules} == {rule.key for rule in own.rules}
    assert (drafted.unlisted, drafted.keep) == (own.unlisted, own.keep) == ("error", ("id",))
    for before, after in zip(people.splitlines()[1:], tokens.splitlines()[1:], strict=True):
        pairs = list(zip(before.split(b","), after.split(b","), strict=True))
        assert [one == other for one, other in pairs] == [True] + [False] * 4


def the_policy_of_the_readme() -> Policy:
    (written,) = blocks(README, "toml")
    return Policy.parse(written)


def test_the_record_of_the_readme_has_the_tokens_of_a_published_key() -> None:
    rows = dict(re.findall(r"^\| (\w+) \| `(.*?)` \| `.*?` \|", README, re.MULTILINE))
    tokens = dict(re.findall(r"^\| (\w+) \| `.*?` \| `(.*?)` \|", README, re.MULTILINE))
    policy = the_policy_of_the_readme()
    made = {
        rule.column: Tokenizer(rule.form, bytes(range(32)), namespace=rule.namespace).protect(
            rows[rule.column]
        )
        for rule in policy.rules
    }
    assert tokens == made | {name: rows[name] for name in policy.keep}

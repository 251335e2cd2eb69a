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

from tallystick.policy import Policy

ROOT = Path(__file__).parents[3]


def blocks(page: str, language: str) -> list[str]:
    text = (ROOT / page).read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def shell(folder: Path, script: str) -> None:
    """Run commands in one shell, with our programs and none of our variables."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("TALLYSTICK_")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{own['PATH']}"
    subprocess.run(["sh", "-ec", script], cwd=folder, env={**own, "PATH": path}, check=True)


def test_the_python_of_the_readme_runs(tmp_path: Path) -> None:
    (tmp_path / "payroll.tar").write_bytes(bytes(range(256)) * 1000)
    found = blocks("README.md", "python")
    assert len(found) == 2
    for block in found:
        subprocess.run([sys.executable, "-c", block], cwd=tmp_path, check=True)
    assert (tmp_path / "back.tar").read_bytes() == (tmp_path / "payroll.tar").read_bytes()


def test_the_commands_of_the_readme_run_in_an_empty_folder(tmp_path: Path) -> None:
    (script,) = blocks("README.md", "sh")
    shell(tmp_path, script)
    people = (tmp_path / "people.csv").read_bytes()
    assert (tmp_path / "back.csv").read_bytes() == people
    tokens = (tmp_path / "tokens.csv").read_bytes()
    drafted = Policy.load(tmp_path / "people.toml")
    (written,) = blocks("README.md", "toml")
    own = Policy.parse(written)
    assert {rule.column for rule in drafted.rules} == {rule.column for rule in own.rules}
    assert {rule.key for rule in drafted.rules} == {rule.key for rule in own.rules}
    assert (drafted.unlisted, drafted.keep) == (own.unlisted, own.keep) == ("error", ("id",))
    for before, after in zip(people.splitlines()[1:], tokens.splitlines()[1:], strict=True):
        pairs = list(zip(before.split(b","), after.split(b","), strict=True))
        assert [one == other for one, other in pairs] == [True] + [False] * 4

# SPDX-License-Identifier: Apache-2.0
"""The examples of the README, docs/cli.md and docs/keyring.md run, in their order.

Those of other pages are run by the tests of what they are about.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
PEOPLE = (
    "id,ssn,email,birth,card\r\n"
    "1,078-05-1120,jane.doe@example.org,1970-01-31,4111 1111 1111 1111\r\n"
    '2,,"o\'neil@x.y",,5555555555554444\r\n'
)


def blocks(page: str, language: str) -> list[str]:
    text = (ROOT / page).read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def shell(folder: Path, *scripts: str) -> None:
    """Run commands in one shell, with the environment that the README names."""
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "TALLYSTICK_ROOT": "file:root.key",
        "TALLYSTICK_KEYRING": "people.keys",
        "TALLYSTICK_POLICY": "people.toml",
    }
    script = "set -e\n" + "\n".join(scripts)
    subprocess.run(["sh", "-c", script], cwd=folder, env=environment, check=True)


def test_the_python_of_the_readme_runs(tmp_path: Path) -> None:
    (tmp_path / "payroll.tar").write_bytes(bytes(range(256)) * 1000)
    found = blocks("README.md", "python")
    assert len(found) == 2
    for block in found:
        subprocess.run([sys.executable, "-c", block], cwd=tmp_path, check=True)
    assert (tmp_path / "back.tar").read_bytes() == (tmp_path / "payroll.tar").read_bytes()


def test_the_commands_run(tmp_path: Path) -> None:
    """Those of the README, of docs/cli.md on rotation and reports, and the split of a ring."""
    (policy,) = blocks("README.md", "toml")
    (readme,) = blocks("README.md", "sh")
    (rotation,) = blocks("docs/cli.md", "sh")
    report = re.findall(r"^    (tallystick protect .*--report.*)$", cli_page(), re.MULTILINE)
    split = blocks("docs/keyring.md", "sh")[0].split("tallystick reveal")[0]
    assert len(report) == 1
    assert "keyring split" in split
    (tmp_path / "people.toml").write_text(policy)
    (tmp_path / "people.csv").write_bytes(PEOPLE.encode())
    shell(tmp_path, readme)
    assert (tmp_path / "back.csv").read_bytes() == PEOPLE.encode()
    tokens = (tmp_path / "tokens.csv").read_bytes()
    assert tokens != PEOPLE.encode()
    (tmp_path / "back.csv").unlink()
    shell(tmp_path, rotation, "rm tokens.csv", *report, split)
    assert (tmp_path / "back.csv").read_bytes() == PEOPLE.encode()
    assert (tmp_path / "new.csv").read_bytes() != tokens
    assert (tmp_path / "tokens.csv").read_bytes() == tokens
    assert len(list(tmp_path.glob("people.keys.shares-*/share-*.txt"))) == 5


def cli_page() -> str:
    return (ROOT / "docs" / "cli.md").read_text("utf-8")


def test_the_python_of_key_rings_runs(tmp_path: Path) -> None:
    (block,) = blocks("docs/keyring.md", "python")
    check = "\nassert [str(k.id) for k in ring.keys()] == ['people:1', 'people:2']\n"
    check += "assert len(key) == 32\n"
    subprocess.run([sys.executable, "-c", block + check], cwd=tmp_path, check=True)

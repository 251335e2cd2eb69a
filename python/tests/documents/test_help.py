# SPDX-License-Identifier: Apache-2.0
"""Every help has examples, and they run as they are, one after another.

docs/reference/command-line.md has the same.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from command_list import every_command
from tallystick.cli.examples import _EXAMPLES, examples
from tallystick.cli.main import COMMANDS, run

GROUPS = {"keyring", "policy", "reveals", "share", "text"}


def shown(command: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return the examples in the help of a command, each with the lines that it goes on with."""
    assert run([*command.split(), "--help"]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    listed = out.partition("\n  Examples:\n")[2].replace("\\\n", " ").splitlines()
    assert listed, "no example"
    return listed


def test_every_command_has_examples() -> None:
    assert set(_EXAMPLES) == {"", *COMMANDS, *(name for name, _ in every_command())}
    assert set(_EXAMPLES) - {"", *(name for name, _ in every_command())} == GROUPS
    assert examples("no command") == ""


def test_examples_run_in_the_order_in_which_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("ROOT_KEY", "ab" * 32)
    people = "".join(f"{n},jane.doe{n}@mail{n}.example.org\n" for n in range(200))
    (tmp_path / "people.csv").write_text("n,email\n" + people)
    (tmp_path / "secret.txt").write_text("a secret")
    (tmp_path / "prompt.txt").write_text("write to jane.doe@example.org")
    (tmp_path / "answer.txt").write_text("done")
    (tmp_path / "text.toml").write_text(
        '[kinds.email]\nkey = "data:1"\nnamespace = "e-mail"\nscan = ["email"]\n'
    )
    ran = set()
    for command in _EXAMPLES:
        lines = shown(command, capsys)
        assert any(line.split(None, 1)[1].startswith(command) for line in lines)
        for line in lines:
            words = shlex.split(line)
            if words[0] == "export":
                for setting in words[1:]:
                    monkeypatch.setenv(*setting.split("=", 1))
                continue
            assert words[0] == "tallystick"
            if line in ran:
                continue
            ran.add(line)
            assert run(words[1:]) == 0, f"{line}: {capsys.readouterr().err}"
            capsys.readouterr()
        for name in re.findall(r"TALLYSTICK_\w+", examples(command)):
            monkeypatch.delenv(name)
    assert (tmp_path / "back.csv").read_bytes() == (tmp_path / "people.csv").read_bytes()
    assert (tmp_path / "tokens.csv").read_bytes() != (tmp_path / "people.csv").read_bytes()
    assert (tmp_path / "back.txt").read_text() == "a secret"

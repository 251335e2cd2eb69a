# SPDX-License-Identifier: Apache-2.0
"""Pages and help that are generated and checked in are what their generators print."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from tools.docs import command_line, json_fields

from tallystick.cli.main import quick_help, run

REFERENCE = Path(__file__).parents[3] / "docs" / "reference"


@pytest.mark.parametrize(
    ("name", "made"),
    [("command-line.md", command_line.page()), ("json-fields.md", json_fields.page())],
)
def test_page(name: str, made: str) -> None:
    """To mend it see the docstring of the generator."""
    assert (REFERENCE / name).read_text("utf-8") == made


def test_help_is_as_typer_writes_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """If not, ``python -m tools.docs.command_line`` writes it anew."""
    monkeypatch.setenv("COLUMNS", "80")  # then typer writes it
    commands = [each.command_path.split()[1:] for each in command_line.contexts()]
    assert ["keyring", "new"] in commands
    for command in commands:
        with suppress(SystemExit):
            assert run([*command, "--help"]) == 0
        assert capsys.readouterr().out == quick_help(" ".join(command)), command
    assert quick_help("protected") is None

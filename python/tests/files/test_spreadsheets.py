# SPDX-License-Identifier: Apache-2.0
"""Spreadsheets are refused, with the reason and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from keyring_support import make_ring
from program import set_defaults
from tallystick.cli.main import run

POLICY = """\
[columns]
id = { format = "digits", key = "people:1", namespace = "person id" }
"""


@pytest.mark.parametrize("suffix", ["xlsx", "xls", "ods"])
def test_every_command_refuses_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], suffix: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("people.toml").write_text(POLICY)
    make_ring(Path("people.keys"), "people", "people")
    set_defaults(monkeypatch, "people.toml", "people.keys")
    book = f"book.{suffix}"
    Path(book).write_bytes(b"PK\x03\x04")
    for arguments in (
        ("protect", book, "out.csv"),
        ("reveal", book, "out.csv"),
        ("rotate", book, "out.csv", "--key", "people:1=people:2"),
        ("preview", book),
        ("inspect", book),
        ("check", book),
    ):
        assert run(arguments) == 6
        text = capsys.readouterr().err
        assert f"{book}: spreadsheets are not supported" in text
        assert "formulas, formats and other sheets" in text
        assert "export the sheet as CSV" in text
    assert not Path("out.csv").exists()

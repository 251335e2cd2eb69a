# SPDX-License-Identifier: Apache-2.0
"""``tallystick text scan``: places, exit codes, streams, terminals; never a value."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from program import PROGRAM, on_terminal
from tallystick.cli.errors import ExitCode
from tallystick.cli.main import run

CARD = "4111 1111 1111 1111"


def given(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_places_and_no_value(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.log"
    path.write_text(f"started\n\ncard {CARD}\nü jane@example.org\n", "utf-8")
    assert run(["text", "scan", str(path)]) == ExitCode.FOUND
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        f"{path}:3:6: card, 19 bytes, strong",
        f"{path}:4:4: email, 16 bytes, fair",
    ]
    assert err == "2 findings: card 1, email 1\n"


def test_nothing_found(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    given(monkeypatch, b"nothing here\n")
    assert run(["text", "scan"]) == ExitCode.OK
    assert capsys.readouterr() == ("", "0 findings\n")


def test_json_of_two_sources(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a"
    path.write_text("a\n10.1.2.3")
    given(monkeypatch, b"ID-123456 of Acme Corp")
    (tmp_path / "terms").write_text("acme corp\n\nother\n")
    arguments = ["--list", f"firms={tmp_path / 'terms'}", "--pattern", "ids=ID-[0-9]{6}", "--json"]
    assert run(["text", "scan", str(path), "-", *arguments]) == ExitCode.FOUND
    out, err = capsys.readouterr()
    found: list[dict[str, Any]] = json.loads(out)["findings"]
    assert [(one["source"], one["line"], one["column"], one["rule"]) for one in found] == [
        (str(path), 2, 1, "ipv4"),
        ("-", 1, 1, "pattern.ids"),
        ("-", 1, 14, "list.firms"),
    ]
    assert err == ""


def test_lines_of_a_large_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a"
    line = "x" * 99 + "\n"
    path.write_text(line * 30000 + f"  {CARD}\n" + line * 20000 + CARD)
    assert run(["text", "scan", str(path), "--quiet"]) == ExitCode.FOUND
    assert capsys.readouterr().out.splitlines() == [
        f"{path}:30001:3: card, 19 bytes, strong",
        f"{path}:50002:1: card, 19 bytes, strong",
    ]


def test_kinds_and_certainty(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a"
    path.write_text(f"{CARD} jane@example.org 10.0.0.1")
    assert run(["text", "scan", str(path), "--kind", "email", "--kind", "ipv4"]) == ExitCode.FOUND
    assert capsys.readouterr().err == "2 findings: email 1, ipv4 1\n"
    assert run(["text", "scan", str(path), "--least", "strong"]) == ExitCode.FOUND
    assert capsys.readouterr().err == "1 finding: card 1\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--kind", "cards"], "--kind cards is unknown"),
        (["--least", "sure"], "--least is weak, fair or strong"),
        (["--pattern", "x"], "--pattern takes NAME="),
        (["--pattern", "x=a*"], "patterns.x: "),
        (["--pattern", "x=ab", "--pattern", "x=cd"], "is there twice"),
    ],
)
def test_refused_options(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["text", "scan", *arguments]) == ExitCode.USAGE
    assert message in capsys.readouterr().err


def test_files_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["text", "scan", str(tmp_path / "none")]) == ExitCode.FILE
    assert str(tmp_path / "none") in capsys.readouterr().err
    (tmp_path / "terms").write_bytes(b"\xff\xfe")
    assert run(["text", "scan", "--list", f"x={tmp_path / 'terms'}"]) == ExitCode.FILE
    assert "is UTF-8" in capsys.readouterr().err


def test_a_pipeline_fails(tmp_path: Path) -> None:
    script = f"printf '%s' '{CARD}' | {PROGRAM} text scan --quiet && touch passed"
    done = subprocess.run(
        ["sh", "-c", script], cwd=tmp_path, capture_output=True, timeout=60, check=False
    )
    assert done.returncode == ExitCode.FOUND
    assert done.stdout == b"-:1:1: card, 19 bytes, strong\n"
    assert not (tmp_path / "passed").exists()


def test_colors_on_a_terminal_alone(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text(CARD)
    code, shown = on_terminal(["text", "scan", str(path)])
    assert code == ExitCode.FOUND
    assert "\x1b[31mstrong\x1b[0m" in shown
    assert "4111" not in shown

# SPDX-License-Identifier: Apache-2.0
"""``tallystick text protect`` and ``text reveal``: pipes, values left in clear, failures."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from program import PROGRAM, on_terminal
from tallystick.cli import text_filter
from tallystick.cli.errors import ExitCode
from tallystick.cli.main import run

CARD = "4111 1111 1111 1111"
POLICY = """
[kinds.email]
key = "data:1"
namespace = "e-mail"
scan = ["email"]

[kinds.name]
key = "data:1"
namespace = "name"
words = ["Jane Doe"]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a text policy, a key ring, and an environment that names them."""
    (tmp_path / "text.toml").write_text(POLICY)
    monkeypatch.setenv("KEY", "6b" * 32)
    monkeypatch.setenv("TALLYSTICK_TEXT_POLICY", str(tmp_path / "text.toml"))
    monkeypatch.setenv("TALLYSTICK_KEYRING", str(tmp_path / "keys"))
    monkeypatch.setenv("TALLYSTICK_ROOT", "env:KEY")
    assert run(["keyring", "new", str(tmp_path / "keys")]) == 0
    assert run(["keyring", "add", str(tmp_path / "keys"), "data"]) == 0
    return tmp_path


def piped(*arguments: str, given: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [PROGRAM, "text", *arguments], input=given, capture_output=True, timeout=60, check=False
    )


@pytest.mark.parametrize("lines", [(), ("--lines",)])
def test_there_and_back(folder: Path, lines: tuple[str, ...]) -> None:
    given = "Jane Doe <jane@example.org>\nünïcode\n\nno newline".encode()
    made = piped("protect", *lines, given=given)
    assert made.returncode == 0
    assert made.stderr == b"2 values protected: email 1, name 1\n"
    assert b"ane" not in made.stdout
    back = piped("reveal", given=made.stdout)
    assert (back.returncode, back.stdout) == (0, given)
    assert back.stderr == b"2 tokens revealed\n"


@pytest.mark.parametrize("frame", ["unicode", "ascii", "email"])
def test_tokens_that_are_there_already_stay(folder: Path, frame: str) -> None:
    (folder / "text.toml").write_text(f'frame = "{frame}"\n{POLICY}')
    once = piped("protect", given=b"Jane Doe jane@example.org ").stdout
    again = piped("protect", "--strict", given=once + b"joe@example.org")
    assert (again.returncode, again.stderr) == (0, b"1 value protected: email 1\n")
    assert again.stdout.startswith(once)
    back = piped("reveal", given=again.stdout)
    assert back.stdout == b"Jane Doe jane@example.org joe@example.org"


def test_scopes_keep_tokens_apart(folder: Path) -> None:
    made = piped("protect", "--scope", "a", "--quiet", given=b"jane@example.org")
    assert made.stderr == b""
    other = piped("reveal", "--scope", "b", given=made.stdout)
    assert other.stdout == made.stdout
    assert other.stderr == b"0 tokens revealed; 1 token of other keys\n"
    assert piped("reveal", "--scope", "a", given=made.stdout).stdout == b"jane@example.org"


def test_what_stays_in_clear_is_named(folder: Path) -> None:
    given = f"Jane Doe {CARD} jane@example.org 10.1.2.3 {CARD}".encode()
    made = piped("protect", "--quiet", given=given)
    assert made.returncode == 0
    assert made.stderr == (
        b"warning: the policy left in clear what `tallystick text scan` finds: card 2, ipv4 1\n"
    )
    assert CARD.encode() in made.stdout


def test_strict_prints_nothing_of_it(folder: Path) -> None:
    whole = piped("protect", "--strict", given=f"Jane Doe {CARD}".encode())
    assert (whole.returncode, whole.stdout) == (ExitCode.POLICY, b"")
    assert b"standard input: the policy leaves in clear" in whole.stderr
    assert CARD.encode() not in whole.stderr
    lines = piped("protect", "--strict", "--lines", given=f"safe\nx {CARD}\nsafe\n".encode())
    assert (lines.returncode, lines.stdout) == (ExitCode.POLICY, b"safe\n")
    assert b"standard input, line 2: " in lines.stderr


def test_bytes_that_are_no_text(folder: Path) -> None:
    made = piped("protect", "--lines", given=b"jane@example.org\nsecret \xff\n")
    assert made.returncode == ExitCode.FILE
    assert b"line 2: byte 8 is not UTF-8" in made.stderr
    assert b"secret" not in made.stdout + made.stderr
    assert made.stdout.count(b"\n") == 1


def test_a_value_in_two_lines_is_one_in_the_whole_text(folder: Path) -> None:
    (folder / "text.toml").write_text(POLICY + "patterns = ['end\\nless']\n")
    assert b"end" not in piped("protect", given=b"end\nless").stdout
    assert piped("protect", "--lines", given=b"end\nless").stdout == b"end\nless"


def test_sizes_at_their_limits(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setattr(text_filter, "TEXT_BYTES", 100)
    monkeypatch.setattr(text_filter, "LINE_BYTES", 10)
    path = folder / "a.txt"
    for size, lines, code in (
        (100, [], ExitCode.OK),
        (101, [], ExitCode.FILE),
        (10, ["--lines"], ExitCode.OK),
        (11, ["--lines"], ExitCode.FILE),
    ):
        path.write_bytes(b"x" * size)
        assert run(["text", "protect", str(path), "--quiet", *lines]) == code
        shown = capsysbinary.readouterr()
        assert shown.out == (b"x" * size if code == ExitCode.OK else b"")
        assert (b"--lines" in shown.err) == (code != ExitCode.OK)


def test_a_line_comes_out_before_the_next_goes_in(folder: Path) -> None:
    command = f"{PROGRAM} text protect --lines --quiet | {PROGRAM} text reveal --quiet"
    with subprocess.Popen(
        ["sh", "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as both:
        assert both.stdin is not None and both.stdout is not None
        for line in (b"jane@example.org;\n", b"joe@example.org;\n"):
            both.stdin.write(line)
            both.stdin.flush()
            assert both.stdout.readline() == line
        both.stdin.close()
        assert both.wait(timeout=60) == 0


SHIPPER = """
import json, sys
for line in sys.stdin:
    print("shipped", json.loads(line)["log"], flush=True)
"""
"""A stand-in for fluent-bit, whose input `stdin` takes lines in JSON."""


SYSLOG_NG = """
@version: 3.38
source pipe { stdin(flags(no-parse)); };
destination out { file("/dev/stdout" template("shipped $MSG\\n")); };
log { source(pipe); destination(out); };
"""
needs_syslog_ng = pytest.mark.skipif(
    shutil.which("syslog-ng") is None, reason="syslog-ng is not installed"
)


@pytest.mark.parametrize("name", ["stand-in", pytest.param("syslog-ng", marks=needs_syslog_ng)])
def test_before_a_log_shipper(folder: Path, name: str) -> None:
    (folder / "shipper.py").write_text(SHIPPER)
    (folder / "syslog-ng.conf").write_text(SYSLOG_NG)
    shipper = {
        "stand-in": f"{sys.executable} {folder / 'shipper.py'}",
        "syslog-ng": f"syslog-ng -F --no-caps -f {folder / 'syslog-ng.conf'} "
        f"-R {folder / 'persist'} -c {folder / 'control'} -p {folder / 'pid'}",
    }[name]
    command = f"set -o pipefail; {PROGRAM} text protect --lines | {shipper}"
    with subprocess.Popen(
        ["bash", "-c", command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as both:
        assert both.stdin is not None and both.stdout is not None and both.stderr is not None
        for _ in range(2):  # the log goes on, and each line is shipped
            both.stdin.write(b'{"log": "login of jane@example.org"}\n')
            both.stdin.flush()
            line = both.stdout.readline().decode()
            assert line.startswith("shipped ") and "login of ⟦email:" in line
        both.stdin.write(b'{"log": "jane@example.org \xff"}\n{"log": "Jane Doe"}\n')
        both.stdin.close()
        assert both.stdout.read() == b""
        assert b"line 3: byte " in both.stderr.read()
        assert both.wait(timeout=60) == ExitCode.FILE


def test_values_are_escaped_for_their_context(folder: Path) -> None:
    (folder / "text.toml").write_text(POLICY.replace("Jane Doe", 'Jane \\"J\\" Doe'))
    made = piped("protect", given=b'Jane "J" Doe').stdout
    text = piped("reveal", "--context", "json", given=b'{"name": "' + made + b'"}').stdout
    assert json.loads(text) == {"name": 'Jane "J" Doe'}
    wrong = piped("reveal", "--context", "xml", given=b"")
    assert wrong.returncode == ExitCode.USAGE
    assert b"context must be" in wrong.stderr


def test_a_log_of_reveals(folder: Path) -> None:
    made = piped("protect", given=b"jane@example.org").stdout
    log = str(folder / "reveals.log")
    assert piped("reveal", "--reveal-log", log, given=made).returncode == 0
    begin, end = map(json.loads, (folder / "reveals.log").read_text().splitlines())
    assert (begin["event"], begin["columns"], begin["rows"]) == ("begin", ["email", "name"], None)
    assert (end["event"], end["rows"], end["source"]) == ("end", 1, "standard input")
    assert run(["reveals", "verify", log]) == 0
    refused = piped("reveal", "--reveal-log", str(folder / "none" / "log"), given=made)
    assert (refused.returncode, refused.stdout) == (ExitCode.FILE, b"")


def test_tokens_have_a_color_on_a_terminal_alone(folder: Path) -> None:
    (folder / "a").write_text("to jane@example.org")
    code, shown = on_terminal(["text", "protect", str(folder / "a")])
    assert code == 0
    assert "to \x1b[36m⟦email:" in shown
    assert b"\x1b" not in piped("protect", str(folder / "a"), given=b"").stdout


def test_files_that_cannot_be_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("protect", "reveal"):
        assert run(["text", command, str(folder / "none")]) == ExitCode.FILE
        assert str(folder / "none") in capsys.readouterr().err
        assert run(["text", command, str(folder)]) == ExitCode.FILE
        capsys.readouterr()


def test_a_ring_that_lacks_a_key(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "text.toml").write_text(POLICY.replace("data:1", "other:1"))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"jane@example.org")))
    assert run(["text", "protect"]) == ExitCode.KEYRING
    out, err = capsys.readouterr()
    assert out == "" and "other:1" in err

# SPDX-License-Identifier: Apache-2.0
"""What is loaded when: nothing heavy before it is needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import tallystick
from keyring_support import make_ring
from tallystick.cli import files
from tallystick.cli.main import COMMANDS, PURGE_MS
from tallystick.cli.program import app

HEAVY = {"cryptography", "numpy", "pyarrow", "rich"}

LIGHT = {
    "tallystick": set(),
    "tallystick.hazmat.shamir": set(),
    "tallystick.shares": set(),
    "tallystick.cli": set(),
    "tallystick.cli.share": {"rich"},
    "tallystick.keyring": set(),
    "tallystick.files": set(),
    "tallystick.fast": {"numpy"},
}
"""Which of the heavy packages a module may load."""


def loaded(code: str) -> set[str]:
    """Return which heavy packages a fresh interpreter has loaded after some code."""
    code += "; import sys; print('\\n', *sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return HEAVY & set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("module", LIGHT)
def test_a_module_loads_no_more_than_it_needs(module: str) -> None:
    assert loaded(f"import {module}") == LIGHT[module]


def test_help_loads_nothing_heavy() -> None:
    assert loaded("from tallystick.cli.main import run; assert run(['--help']) == 0") == set()


def test_opening_a_ring_loads_nothing_heavy(tmp_path: Path) -> None:
    make_ring(tmp_path / "a.keys", "people")
    code = f"""
import os; os.chdir({str(tmp_path)!r})
from tallystick.keyring import Keyring, RootKey
Keyring.open("a.keys", RootKey.parse("file:root.key")).key("people:1")"""
    assert loaded(code) == set()


def test_heavy_packages_are_seen() -> None:
    assert loaded("import tallystick.protection") >= {"numpy", "pyarrow"}


@pytest.mark.parametrize("given", [None, "7"])
def test_the_program_says_how_long_arrow_keeps_free_memory(
    monkeypatch: pytest.MonkeyPatch, given: str | None
) -> None:
    monkeypatch.delenv("MIMALLOC_PURGE_DELAY", raising=False)
    if given is not None:
        monkeypatch.setenv("MIMALLOC_PURGE_DELAY", given)
    code = """
import os, sys
from tallystick.cli.main import main
assert "pyarrow" not in sys.modules
sys.argv = ["tallystick", "--version"]
try:
    main()
finally:
    print(os.environ["MIMALLOC_PURGE_DELAY"])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == (given or PURGE_MS)


def test_all_names_are_there() -> None:
    for name in tallystick.__all__:
        assert getattr(tallystick, name) is not None
    assert set(tallystick.__all__) <= set(dir(tallystick))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = tallystick.nonsense  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", COMMANDS)
def test_help_says_of_a_command_what_its_own_help_begins_with(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        app([name, "--help"], prog_name="tallystick")
    assert end.value.code == 0
    words = " ".join(capsys.readouterr().out.split())
    assert f"Usage: tallystick {name} " in words
    assert COMMANDS[name][1].removesuffix(".") in words


def test_no_command_is_left_out() -> None:
    commands = {getattr(each.callback, "__name__", "") for each in files.app.registered_commands}
    assert commands == {name for name, (module, _) in COMMANDS.items() if module == "files"}


def test_help_of_a_command_needs_no_typer() -> None:
    for command in ("protect", "keyring new"):
        code = f"from tallystick.cli.main import run; run([*{command.split()!r}, '--help'])"
        done = subprocess.run(
            [sys.executable, "-c", f"{code}; import sys; print('typer' in sys.modules)"],
            capture_output=True,
            text=True,
            check=True,
        )
        assert f"Usage: tallystick {command} " in done.stdout
        assert done.stdout.endswith("\nFalse\n")

# SPDX-License-Identifier: Apache-2.0
"""Programs in Go, built from the sources."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

pytest.register_assert_rewrite("two_commands")

from pages import CHECKOUT  # noqa: E402
from tallystick.cli.main import run  # noqa: E402
from two_commands import ONE, Command, Result  # noqa: E402


@pytest.fixture(scope="session")
def programs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the programs, and return their folder; a parameter is variables of the build."""
    return build(tmp_path_factory.mktemp("programs"), **getattr(request, "param", {}))


def build(folder: Path, *options: str, **variables: str) -> Path:
    """Build the programs into a folder, and return it."""
    command = ["go", "build", *options, "-o", f"{folder}{os.sep}", "./tallystick", "./tallystickd"]
    subprocess.run(command, cwd=CHECKOUT / "go" / "cmd", env=os.environ | variables, check=True)
    return folder


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a policy and a ring, in which the test runs."""
    for name in [one for one in os.environ if one.startswith("TALLYSTICK_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    Path("p.toml").write_text(ONE)
    assert run(["keyring", "new", "r.keys", "-r", "file:root.key"]) == 0
    for _ in range(2):
        assert run(["keyring", "add", "r.keys", "people", "-r", "file:root.key"]) == 0
    return tmp_path


@pytest.fixture
def go(programs: Path) -> Command:
    def call(*arguments: str, given: bytes = b"", cwd: str | None = None) -> Result:
        done = subprocess.run(
            [programs / "tallystick", *arguments], input=given, capture_output=True, cwd=cwd
        )
        return Result(done.returncode, done.stdout.decode(), done.stderr.decode())

    return call


@pytest.fixture
def python(place: Path, capfd: pytest.CaptureFixture[str]) -> Command:
    def call(*arguments: str) -> Result:
        capfd.readouterr()
        code = run(arguments)
        return Result(code, *capfd.readouterr())

    return call

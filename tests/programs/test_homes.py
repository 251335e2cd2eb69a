# SPDX-License-Identifier: Apache-2.0
"""Programs with the tag ``allroots`` open rings by keys in a token, in a KMS and in OpenBao."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.programs.conftest import build

from key_homes import HOMES, Home, missing
from pages import CHECKOUT
from program import PROGRAM
from two_commands import KEYS, ONE, Command


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the programs with all homes, and return their folder."""
    workspace = str(CHECKOUT / "go" / "cmd" / "allroots.work")
    return build(tmp_path_factory.mktemp("allroots"), "-tags", "allroots", GOWORK=workspace)


@pytest.fixture(params=["aws-kms", "pkcs11", "transit"])
def home(
    request: pytest.FixtureRequest, place: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Home]:
    if lacking := missing(request.param):
        pytest.skip(f"there is no {', '.join(lacking)}")
    folder = place / "home"
    folder.mkdir()
    with HOMES[request.param][0](folder) as running:
        for name, value in running.environment.items():
            monkeypatch.setenv(name, value)
        yield running


def test_a_home(home: Home, programs: Path, go: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    root = ("-r", home.root)
    keys = (*KEYS[:2], "-k", "h.keys", *root)
    Path("p.toml").write_text(ONE)
    Path("a.csv").write_text("n\n12345678\n")
    Path("tallystickd.toml").write_text(
        f'listen = "127.0.0.1:0"\npolicy = "p.toml"\nkeyring = "h.keys"\nroot = "{home.root}"\n'
        f'[callers.one]\ntoken_sha256 = "{"0" * 64}"\nreveal = ["n"]\n'
    )

    def server() -> tuple[int, str]:
        command = [str(programs / "tallystickd"), "check", "-config", "tallystickd.toml"]
        done = subprocess.run(command, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    for command in (
        ("keyring", "new", "h.keys", *root),
        ("keyring", "add", "h.keys", "people", *root),
        ("protect", "a.csv", "t.csv", *keys),
    ):
        done = go(*command)
        assert done.code == 0, done
    assert server() == (0, "the configuration is good\n")
    subprocess.run([PROGRAM, "reveal", "t.csv", "b.csv", "--quiet", *keys], check=True)
    assert Path("b.csv").read_bytes() == Path("a.csv").read_bytes()

    for change, error, says in (
        (home.deny, "RootKeyDeniedError", "root key: denied: "),
        (home.lose, "RootKeyLostError", "root key: lost: "),
    ):
        for name, value in (home.allow() | change()).items():
            monkeypatch.setenv(name, value)
        done = go("reveal", "t.csv", "c.csv", "--json", *keys)
        assert (done.code, json.loads(done.out)["error"]) == (4, error), done
        code, said = server()
        assert (code, says in said) == (1, True), said
        assert not [secret for secret in home.secrets if secret in done.out + done.err + said]
        assert not os.path.exists("c.csv")

# SPDX-License-Identifier: Apache-2.0
"""The Debian package has what `make install` writes."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.parts import LAUNCHER
from tests.postgres import server as servers
from tests.postgres.conftest import KEY, PEOPLE, served
from tests.postgres.server import PG_CONFIG, ROOT, config, make
from tests.postgres.test_policies import CARD, TOKEN


@pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="dpkg-deb not installed")
def test_the_debian_package() -> None:
    for old in (ROOT / "build").glob("postgresql-*-tallystick_*.deb"):
        old.unlink()
    make("deb")
    (package,) = (ROOT / "build").glob("postgresql-*-tallystick_*.deb")
    listed = subprocess.run(["dpkg-deb", "-c", package], capture_output=True, text=True, check=True)
    found = {line.split()[-1].removeprefix(".") for line in listed.stdout.splitlines()}
    shared = config("sharedir") / "extension"
    assert {
        f"{config('pkglibdir')}/tallystick.so",
        f"{shared}/tallystick.control",
        f"{shared}/tallystick--0.1.sql",
    } <= found
    named = subprocess.run(
        ["dpkg-deb", "-f", package, "Package", "Depends"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Depends: postgresql-" in named.stdout
    with servers.folder() as tree:
        programs = servers.linked(tree)
        subprocess.run(["dpkg-deb", "-x", package, tree], check=True)
        with served(programs, data=KEY) as server:
            server.run(f"SELECT tally_policy_set('people', $${PEOPLE}$$)")
            assert server.run(f"SELECT tally_protect('{CARD}', 'people.card')").value == TOKEN


def test_the_image_s_commands_in_a_folder(tmp_path: Path) -> None:
    """There is no Docker here: what the Dockerfile copies is enough to compile and install.

    So the core is compiled by the extension's own rules.
    """
    lines = (ROOT / "integrations/postgres/Dockerfile").read_text().splitlines()
    copied = [line.split()[1:] for line in lines if line.startswith("COPY ")]
    assert copied[-1] == ["--from=build", "/made", "/"]
    for source, target in copied[:-1]:
        shutil.copytree(ROOT / source, tmp_path / target.lstrip("/"))
    (install,) = [line.split()[1:] for line in lines if line.startswith("RUN make ")]
    command = [word.replace("/tallystick", f"{tmp_path}/tallystick") for word in install]
    command = [word.replace("DESTDIR=/made", f"DESTDIR={tmp_path}/made") for word in command]
    command += [f"PG_CONFIG={PG_CONFIG}", f"CC={os.environ.get(LAUNCHER, '')} gcc"]
    # What ccache has of an earlier run counts, although that was in another folder.
    environment = os.environ | {"CCACHE_BASEDIR": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    assert Path(f"{tmp_path}/made{config('pkglibdir')}/tallystick.so").exists()
    assert Path(f"{tmp_path}/made{config('sharedir')}/extension/tallystick.control").exists()
    names = {line.split()[0] for line in lines if line and not line.startswith("#")}
    assert names == {"ARG", "FROM", "RUN", "COPY"}


def test_missing_headers_are_named(tmp_path: Path) -> None:
    """Debian's client package has pg_config and PGXS, but no headers."""
    program = tmp_path / "pg_config"
    program.write_text('#!/bin/sh\n[ "$1" = --version ] && echo PostgreSQL 15.18 || echo /none\n')
    program.chmod(0o755)
    command = ["make", "-C", str(ROOT / "integrations/postgres"), f"PG_CONFIG={program}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "install them (Debian: postgresql-server-dev-15)" in done.stderr

# SPDX-License-Identifier: Apache-2.0
"""The Debian package has what `make install` writes."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from tests.postgres.server import ROOT, config, make


@pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="dpkg-deb not installed")
def test_the_debian_package() -> None:
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

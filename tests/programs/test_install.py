# SPDX-License-Identifier: Apache-2.0
"""``go install MODULE@VERSION`` works from a proxy, as of a release, without the checkout.

Without cgo each program is one static file.
"""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import time
import zipfile
from pathlib import Path

from pages import CHECKOUT

MODULE = "github.com/tallystick/tallystick"
PROGRAMS = ("tallystick", "tallystickd")
OWN = "v0.0.0"  # that the programs' go.mod asks for
VERSION = f"v0.0.{time.time_ns()}"
"""Another one each time, since Go takes a module's folder for one that never changes."""
MODULES = CHECKOUT / "build" / ".go-install"
"""The same folder each time, so that the next run finds in Go's cache what was compiled from it;
with a point, so that ./... passes over it."""


def publish(proxy: Path, module: str, folder: Path, without: tuple[Path, ...]) -> None:
    """Put a module into a folder that is laid out as a proxy, as git has its files."""
    place = proxy / module / "@v"
    place.mkdir(parents=True)
    (place / "list").write_text(f"{VERSION}\n")
    (place / f"{VERSION}.info").write_text(json.dumps({"Version": VERSION}))
    described = (
        (folder / "go.mod").read_text("utf-8").replace(f"{MODULE} {OWN}", f"{MODULE} {VERSION}")
    )
    (place / f"{VERSION}.mod").write_text(described, "utf-8")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "go", "go.mod"],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=True,
    )
    with zipfile.ZipFile(place / f"{VERSION}.zip", "w") as archive:
        for name in filter(None, listed.stdout.split("\0")):
            path = CHECKOUT / name
            inside = path.is_relative_to(folder) and path.exists()
            if inside and not any(path.is_relative_to(one) for one in without):
                inner = f"{module}@{VERSION}/{path.relative_to(folder)}"
                if path == folder / "go.mod":
                    archive.writestr(inner, described)
                else:
                    archive.write(path, inner)


def segments(program: Path) -> set[int]:
    """Return the types of an ELF program's segments."""
    data = program.read_bytes()
    assert data[:6] == b"\x7fELF\x02\x01", "of 64 bits, little-endian"
    (start,) = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    return {struct.unpack_from("<I", data, start + size * n)[0] for n in range(count)}


LOAD, DYNAMIC, INTERPRETER = 1, 2, 3


def test_go_install(tmp_path: Path) -> None:
    commands = CHECKOUT / "go" / "cmd"
    nested = tuple(
        path.parent for path in (CHECKOUT / "go").rglob("go.mod") if path.parent != CHECKOUT
    )
    publish(tmp_path / "proxy", MODULE, CHECKOUT, nested)
    publish(tmp_path / "proxy", f"{MODULE}/go/cmd", commands, ())
    cache, usual = (
        subprocess.run(
            ["go", "env", name], capture_output=True, text=True, check=True
        ).stdout.strip()
        for name in ("GOMODCACHE", "GOPROXY")
    )
    for earlier in (MODULES, MODULES / "cache" / "download"):
        shutil.rmtree(earlier / Path(MODULE).parent, ignore_errors=True)
    # What was downloaded before is a proxy too. The two modules stay out of the user's own cache.
    proxies = f"file://{tmp_path / 'proxy'},file://{cache}/cache/download,{usual}"
    environment = os.environ | {
        "GOPROXY": proxies,
        "GOMODCACHE": str(MODULES),
        "GONOSUMDB": MODULE,
        "GOFLAGS": "-modcacherw",
        "GOBIN": str(tmp_path / "bin"),
        "CGO_ENABLED": "0",
    }
    empty = tmp_path / "empty"
    empty.mkdir()
    subprocess.run(
        ["go", "install", *(f"{MODULE}/go/cmd/{name}@{VERSION}" for name in PROGRAMS)],
        cwd=empty,
        env=environment,
        check=True,
    )
    for name, argument, says in (
        ("tallystickd", "token", "token_sha256 = "),
        ("tallystick", "--version", f"tallystick {VERSION}\n"),
    ):
        program = tmp_path / "bin" / name
        made = subprocess.run([program, argument], capture_output=True, text=True, check=True)
        assert says in made.stdout
        assert segments(program) & {LOAD, DYNAMIC, INTERPRETER} == {LOAD}

# SPDX-License-Identifier: Apache-2.0
"""An installed library serves programs in C and C++, by pkg-config and by find_package."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.library.compilers import CORE, CXX, ROOT, STRICT, C, call

from tallystick import __version__

HERE = Path(__file__).parent
RELEASE = re.findall(r"^[0-9.]*[0-9]", __version__)[0]
MAJOR, MINOR = RELEASE.split(".")[:2]
SHORT = f"{MAJOR}.{MINOR}"
(ABI,) = re.findall(r"^set\(TALLY_ABI (\d+)\)$", (ROOT / "CMakeLists.txt").read_text("utf-8"), re.M)


def flags(prefix: Path, *choice: str) -> list[str]:
    """Return what pkg-config says of the library below a prefix."""
    where = str(prefix / "lib" / "pkgconfig")
    return call("pkg-config", *choice, "tallystick", PKG_CONFIG_PATH=where).split()


def run(prefix: Path, program: Path) -> str:
    """Run a program that was linked with the library below a prefix."""
    needed = [word for word in call("readelf", "--dynamic", program).split() if "tally" in word]
    assert needed == ([f"[libtallystick.so.{ABI}]"] if prefix.name == "shared" else [])
    return call(program, LD_LIBRARY_PATH=str(prefix / "lib"))


@pytest.mark.parametrize(
    ("source", "printed"),
    [
        (CORE / "tests" / "example.c", "values 0815-4711271828"),
        (HERE / "card.c", "revealed: the card number"),
    ],
)
@pytest.mark.parametrize("compiler", C)
def test_a_program_in_c(
    installed: Path, compiler: str, source: Path, printed: str, tmp_path: Path
) -> None:
    options, program = flags(installed, "--cflags", "--libs"), tmp_path / "program"
    call(compiler, "-std=c11", *STRICT, source, "-o", program, *options)
    assert printed in run(installed, program)


@pytest.mark.parametrize("compiler", C)
def test_a_program_in_cpp(installed: Path, compiler: str, tmp_path: Path) -> None:
    options = flags(installed, "--cflags", "--libs")
    source, program = HERE / "program.cpp", tmp_path / "program"
    call(CXX[compiler], "-std=c++17", *STRICT, source, "-o", program, *options)
    assert run(installed, program) == f"program: 5 passed, 0 failed, version {__version__}\n"


def configure(prefix: Path, folder: Path, wanted: str) -> subprocess.CompletedProcess[str]:
    """Configure a project that wants a version of the library, and return how that ended."""
    text = (HERE / "CMakeLists.txt").read_text("utf-8")
    assert text.count(f" {SHORT} ") == 1
    (folder / "CMakeLists.txt").write_text(text.replace(f" {SHORT} ", f" {wanted} "), "utf-8")
    shutil.copy(HERE / "program.cpp", folder)
    return subprocess.run(
        ["cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}"],
        env={name: value for name, value in os.environ.items() if name != "CXX"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_project_of_cmake(installed: Path, tmp_path: Path) -> None:
    done = configure(installed, tmp_path, SHORT)
    assert done.returncode == 0, done.stderr
    call("cmake", "--build", tmp_path / "build")
    assert run(installed, tmp_path / "build" / "program").startswith("program: 5 passed, 0 failed")


def test_a_project_of_cmake_that_wants_another_version(installed: Path, tmp_path: Path) -> None:
    done = configure(installed, tmp_path, f"{MAJOR}.{int(MINOR) + 1}")
    assert done.returncode != 0
    assert f"version: {RELEASE}" in done.stderr


def test_the_version_and_the_name_of_the_interface(installed: Path) -> None:
    assert flags(installed, "--modversion") == [RELEASE]
    if installed.name == "shared":
        library = installed / "lib" / "libtallystick.so"
        dynamic = call("readelf", "--dynamic", library)
        assert re.findall(r"soname: \[(.*)\]", dynamic) == [f"libtallystick.so.{ABI}"]
        assert re.findall(r"NEEDED.*\[(.*)\]", dynamic) == ["libc.so.6"]
        assert library.resolve().name == f"libtallystick.so.{RELEASE}"


def test_the_headers_are_those_of_the_checkout(installed: Path) -> None:
    for path in (CORE / "include").rglob("*.h"):
        copy = installed / path.relative_to(CORE)
        assert copy.read_bytes() == path.read_bytes()
    assert ROOT in installed.parents

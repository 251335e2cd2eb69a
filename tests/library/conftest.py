# SPDX-License-Identifier: Apache-2.0
"""The C library as its users have it: installed, and as one file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.library.compilers import C, ROOT, call
from tools import amalgamate

BUILD = ROOT / "build" / "library"


@pytest.fixture(scope="session", params=["static", "shared"])
def installed(request: pytest.FixtureRequest) -> Path:
    """Return the folder into which a library was installed; its name says which kind it is."""
    build, prefix = BUILD / f"{request.param}-build", BUILD / request.param
    call(
        *("cmake", "-S", ROOT, "-B", build, f"-DCMAKE_C_COMPILER={C[0]}", "-DBUILD_TESTING=OFF"),
        *("-DCMAKE_C_FLAGS_RELEASE=-O0", "-DTALLY_WERROR=ON"),
        f"-DBUILD_SHARED_LIBS={'ON' if request.param == 'shared' else 'OFF'}",
        *("-DCMAKE_INSTALL_LIBDIR=lib/here", f"-DCMAKE_INSTALL_PREFIX={BUILD}/elsewhere"),
    )
    call("cmake", "--build", build, "-j2", "--target", "tallystick")
    call("cmake", "--install", build, "--prefix", prefix)
    return prefix


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return a shared library that was made from one file, without optimization."""
    folder = amalgamation_in(BUILD / "amalgamation")
    target = folder / "libtallystick.so"
    flags = ("-std=c11", "-O0", "-fPIC", "-shared", "-DTALLY_SHARED", "-DTALLY_BUILD")
    call(C[0], *flags, folder / "tallystick.c", "-o", target)
    return target


def amalgamation_in(folder: Path) -> Path:
    """Write the amalgamation into a folder, and return it."""
    call("make", "-C", ROOT, "amalgamation", f"AMALGAMATION={folder}")
    return folder

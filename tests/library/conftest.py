# SPDX-License-Identifier: Apache-2.0
"""The C library as its users have it: installed, or as one file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.library.compilers import ROOT, STRICT, C, call

BUILD = ROOT / "build" / "library"


@dataclass(frozen=True, slots=True)
class Amalgamation:
    """The one file, and what a compiler made of it for a shared library."""

    compiler: str
    folder: Path
    object: Path


def install(kind: str) -> Path:
    """Build a library, and install it where it was not configured for.

    The static one is compiled as the part core (gcc) compiles it, so ccache has its objects. The
    shared one, of which nothing else is made, is compiled without optimization.
    """
    build, prefix = BUILD / f"{kind}-build", BUILD / kind
    shared = ("-DBUILD_SHARED_LIBS=ON", "-DCMAKE_C_FLAGS_RELEASE=-O0")
    call(
        *("cmake", "-S", ROOT, "-B", build, f"-DCMAKE_C_COMPILER={C[0]}", "-DTALLY_WERROR=ON"),
        *("-DBUILD_TESTING=OFF", *(shared if kind == "shared" else ())),
        *("-DCMAKE_INSTALL_LIBDIR=lib", f"-DCMAKE_INSTALL_PREFIX={BUILD}/elsewhere"),
    )
    call("cmake", "--build", build, "-j2", "--target", "tallystick")
    call("cmake", "--install", build, "--prefix", prefix)
    return prefix


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder into which a shared library was installed."""
    return install("shared")


@pytest.fixture(scope="session", params=["static", "shared"])
def installed(request: pytest.FixtureRequest) -> Path:
    """The folder into which a static or a shared library was installed."""
    prefix: Path = (
        request.getfixturevalue("shared") if request.param == "shared" else install("static")
    )
    return prefix


@pytest.fixture(scope="session", params=C)
def amalgamation(request: pytest.FixtureRequest) -> Amalgamation:
    """The one file as a compiler takes it, with the warnings of a strict user."""
    call("make", "-C", ROOT, "amalgamation")
    folder = ROOT / "build" / "amalgamation"
    target = BUILD / f"amalgamation-{request.param}.o"
    target.parent.mkdir(parents=True, exist_ok=True)
    flags = ("-std=c11", "-O0", "-fPIC", "-DTALLY_SHARED", "-DTALLY_BUILD", *STRICT)
    call(request.param, *flags, "-c", folder / "tallystick.c", "-o", target)
    return Amalgamation(request.param, folder, target)

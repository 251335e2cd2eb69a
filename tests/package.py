# SPDX-License-Identifier: Apache-2.0
"""Builds a release as `make release` does, twice, and uses its wheel in an environment of its own.

The first may take from ccache what `make setup` compiled in the checkout. The second compiles all
of it again, in another folder, so that the bytes of two compilations are compared.

Everything is built by the pinned packages of .venv/, and the run-time libraries are taken from
there; only Tallystick itself is installed anew, as a user gets it.
"""

import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from tests.parts import LAUNCHER
from tools.release import hardening

from tallystick import __version__

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "package"
VENV = WORK / "venv"

UMASK = 0o027
"""What a release must not depend on; 022 is usual."""


def call(*command: str | Path) -> None:
    """Run a command with its output into ours; an error if it fails."""
    subprocess.run([str(word) for word in command], cwd=WORK, check=True)


def only(pattern: str) -> Path:
    """Return the one file that a step has made."""
    (path,) = WORK.glob(pattern)
    return path


def sources(*patterns: str) -> set[str]:
    """Return the files of the checkout that match, by their names in it."""
    return {path.relative_to(ROOT).as_posix() for glob in patterns for path in ROOT.glob(glob)}


def build(source: Path, target: str, **environment: str) -> None:
    """Build a release into a folder of ours; with ccache only if `environment` has it."""
    command = (sys.executable, "-m", "tools.release", "--source", source, "--target", WORK / target)
    inherited = {name: value for name, value in os.environ.items() if name != LAUNCHER}
    subprocess.run(command, cwd=ROOT, check=True, env={**inherited, **environment}, umask=UMASK)


def one_version() -> None:
    """The version stands in one place; CMake and the change log have no other.

    Python's tests compare it with core/library/version.c.
    """
    for name in ("pyproject.toml", "CMakeLists.txt"):
        if f'"{__version__}"' in (ROOT / name).read_text("utf-8"):
            raise AssertionError(f"{name} has the version too")
    titles = re.findall(r"^## (\d\S*)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    if titles and titles[0] != __version__:
        raise AssertionError(f"CHANGELOG.md has {titles[0]}, the package {__version__}")
    if shutil.which("cmake"):
        call("cmake", "-S", ROOT, "-B", WORK / "cmake", "-DBUILD_TESTING=OFF")
        text = (WORK / "cmake" / "tallystick.pc").read_text("utf-8")
        (read,) = re.findall(r"^Version: (.*)$", text, re.MULTILINE)
        if not __version__.startswith(read) or read.count(".") != 2:
            raise AssertionError(f"CMake reads {read} of {__version__}")


def release() -> None:
    """A release is built."""
    before = os.times()
    build(ROOT, "release", **{name: os.environ[name] for name in os.environ if name == LAUNCHER})
    after = os.times()
    spent = after.children_user + after.children_system
    spent -= before.children_user + before.children_system
    print(f"package: {spent:.0f} seconds of processor time")


def source_distribution() -> None:
    """The source distribution holds the core, all tests and their vectors."""
    with tarfile.open(only("release/*.tar.gz")) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = sources(
        "core/**/*.[chS]",
        "cryptol/**/*.[ci]*",
        "python/**/*.py*",
        "python/**/page.*",
        "tests/**/*.[cp]*",
        "tests/fuzz/corpus/*.tar.xz",
        "vectors/**/*.json",
    )
    missing = {name for name in wanted if "__pycache__" not in name} - names
    if missing:
        raise AssertionError(f"not in the source distribution: {sorted(missing)}")


def wheel_tag() -> None:
    """The wheel serves all CPythons from 3.11, and on Linux other distributions too."""
    name = only("release/*.whl").name
    linux = sys.platform == "linux"
    wanted = r"-cp311-abi3-(many|musl)linux_\d+_\d+_" if linux else r"-cp311-abi3-"
    if not re.search(wanted, name):
        raise AssertionError(f"not an abi3 wheel for many systems: {name}")


def reproducible() -> None:
    """Its source distribution gives the same bytes in another folder and other surroundings."""
    with tarfile.open(only("release/*.tar.gz")) as archive:
        archive.extractall(WORK / "unpacked", filter="data")
        moment = archive.getmembers()[0].mtime
    folder = WORK / "a folder that has a longer name"
    folder.mkdir()
    surroundings = {"TZ": "Asia/Kathmandu", "LC_ALL": "C.UTF-8", "TMPDIR": str(folder)}
    build(only("unpacked/*"), "again", SOURCE_DATE_EPOCH=f"{moment:.0f}", **surroundings)
    compared = [
        path
        for path in sorted((WORK / "release").iterdir())
        if path.suffix in (".gz", ".json", *[".whl"] * (sys.platform == "linux"))
    ]
    differ = [
        path.name
        for path in compared
        if path.read_bytes() != (WORK / "again" / path.name).read_bytes()
    ]
    if differ or len(compared) < 2:
        raise AssertionError(f"of {len(compared)} files differ: {', '.join(differ)}")


def checksums() -> None:
    """SHA256SUMS names every file with its checksum."""
    folder = WORK / "release"
    lines = (folder / "SHA256SUMS").read_text("utf-8").splitlines()
    listed = {name: checksum for checksum, name in (line.split("  ", 1) for line in lines)}
    found = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir()
        if path.name != "SHA256SUMS"
    }
    if listed != found or len(found) != 4:
        raise AssertionError("SHA256SUMS and the folder differ")


def dependencies() -> None:
    """The list of dependencies has what the package needs, and nothing of its tests."""
    document = json.loads(only("release/*.cdx.json").read_text("utf-8"))
    names = {part["name"].lower() for part in document["components"]}
    absent = {"cffi", "pycparser", "cryptography", "numpy", "pyarrow", "msgspec"} - names
    foreign = {"pytest", "mypy", "hypothesis", "auditwheel", "pandas"} & names
    root = document["metadata"]["component"]
    if absent or foreign or (root["name"], root["version"]) != ("tallystick", __version__):
        raise AssertionError(f"the list of dependencies: {root}, {absent}, {foreign}")


def hardened() -> None:
    """The wheel is hardened, and a module that is not so is found out."""
    lacks = hardening.missing(hardening.module_of(only("release/*.whl")))
    if lacks:
        raise AssertionError(f"the module has no {', no '.join(lacks)}")
    if sys.platform != "linux":
        return
    branches = {"x86_64": ["-fcf-protection=none"], "aarch64": ["-mbranch-protection=none"]}
    weak = ["-fno-stack-protector", "-Wl,-z,norelro,-z,lazy,-z,execstack,-rpath,/tmp"]
    weak += branches.get(platform.machine(), [])
    (WORK / "weak.c").write_text("int f(void);\nint g(void) { return f(); }\n", encoding="utf-8")
    call("gcc", "-shared", "-fPIC", *weak, "weak.c", "-o", "weak.so")
    found = hardening.missing((WORK / "weak.so").read_bytes())
    known = len(hardening.CHECKS) + len(hardening.FOREIGN) + (platform.machine() in branches)
    if len(found) != known:
        raise AssertionError(f"of a weak module only this is found: {found}")


def wheel_content() -> None:
    """The wheel holds the package, its types and the compiled core, and nothing else."""
    prefix = "python/tallystick/"
    kinds = (
        "**/*.py",
        "*.pyi",
        "py.typed",
        "report/page.*",
        "cli/help.txt",
        "inspection/knowledge.toml",
    )
    modules = sources(*(f"{prefix}{kind}" for kind in kinds))
    wanted = {name.removeprefix("python/") for name in modules} | {"tallystick/_core.abi3.so"}
    with zipfile.ZipFile(only("release/*.whl")) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    if names != wanted:
        raise AssertionError(f"missing or foreign in the wheel: {sorted(names ^ wanted)}")


def installed() -> None:
    """The wheel is installed in an environment of its own, and its compiled core answers."""
    call(sys.executable, "-m", "venv", "--without-pip", VENV)
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", VENV)
    call(*pip, "install", "--no-index", "--no-deps", only("release/*.whl"))
    (site,) = VENV.glob("lib/python*/site-packages")
    (site / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    script = "from tallystick import _core; assert _core.lib.TALLY_OK == 0; print(_core.__file__)"
    python = VENV / "bin" / "python"
    place = subprocess.run(
        [python, "-I", "-c", script], cwd=WORK, check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    if not Path(place.strip()).is_relative_to(VENV):
        raise AssertionError(f"imported from elsewhere: {place}")


def command_line() -> None:
    """The command `tallystick` starts."""
    call(VENV / "bin" / "tallystick", "--help")


STEPS: tuple[Callable[[], None], ...] = (
    one_version,
    release,
    source_distribution,
    wheel_tag,
    wheel_content,
    hardened,
    checksums,
    dependencies,
    installed,
    command_line,
    reproducible,
)


def main() -> int:
    """Take the steps in order, up to the first that fails."""
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    passed = 0
    for step in STEPS:
        print(f"package: {step.__doc__}", flush=True)
        try:
            step()
        except (subprocess.CalledProcessError, AssertionError, OSError, ValueError) as error:
            print(f"package: {error}\npackage: {passed} passed, 1 failed")
            return 1
        passed += 1
    print(f"package: {passed} passed, 0 failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())

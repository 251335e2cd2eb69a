# SPDX-License-Identifier: Apache-2.0
"""Builds the source distribution, from it the wheel, and uses that in an environment of its own.

Everything is built by the pinned packages of .venv/, and the run-time libraries are taken from
there; only Tallystick itself is installed anew, as a user gets it.
"""

import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "package"
VENV = WORK / "venv"


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


def source_distribution() -> None:
    """The source distribution is built, and holds the core, all tests and their vectors."""
    script = f"import setuptools.build_meta as b; b.build_sdist({str(WORK)!r})"
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True)
    with tarfile.open(only("*.tar.gz")) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = sources(
        "core/**/*.[chS]",
        "cryptol/**/*.[ci]*",
        "python/**/*.py*",
        "python/**/page.*",
        "tests/**/*.[cp]*",
        "vectors/**/*.json",
    )
    missing = {name for name in wanted if "__pycache__" not in name} - names
    if missing:
        raise AssertionError(f"not in the source distribution: {sorted(missing)}")


def wheel() -> None:
    """A wheel for all CPythons from 3.11 is built from the source distribution."""
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--no-index")
    # --no-cache-dir: pip would keep the wheel by its name, and give it for other content.
    call(
        *pip,
        "--no-cache-dir",
        "--no-build-isolation",
        "--no-deps",
        "--wheel-dir",
        WORK,
        only("*.tar.gz"),
    )
    if "-cp311-abi3-" not in only("*.whl").name:
        raise AssertionError(f"not an abi3 wheel: {only('*.whl').name}")


def wheel_content() -> None:
    """The wheel holds the package, its types and the compiled core, and nothing else."""
    prefix = "python/tallystick/"
    kinds = ("**/*.py", "*.pyi", "py.typed", "report/page.*")
    modules = sources(*(f"{prefix}{kind}" for kind in kinds))
    wanted = {name.removeprefix("python/") for name in modules} | {"tallystick/_core.abi3.so"}
    with zipfile.ZipFile(only("*.whl")) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    if names != wanted:
        raise AssertionError(f"missing or foreign in the wheel: {sorted(names ^ wanted)}")


def installed() -> None:
    """The wheel is installed in an environment of its own, and its compiled core answers."""
    call(sys.executable, "-m", "venv", "--without-pip", VENV)
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", VENV)
    call(*pip, "install", "--no-index", "--no-deps", only("*.whl"))
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
    source_distribution,
    wheel,
    wheel_content,
    installed,
    command_line,
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

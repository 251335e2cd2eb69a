# SPDX-License-Identifier: Apache-2.0
"""The core compiles as one file, and so does any part of it in any order."""

from __future__ import annotations

import filecmp
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.library.compilers import CORE, CXX, INCLUDE, ROOT, STRICT, C, call
from tests.library.conftest import Amalgamation

SOURCES = sorted(path for path in CORE.rglob("*.c") if path.parent != CORE / "tests")
MODULES = sorted({path.parent for path in SOURCES})
HEADERS = sorted(INCLUDE.rglob("*.h"))


def compile_as_one(compiler: Sequence[str], files: Sequence[Path]) -> None:
    """Compile files as one unit; of code nothing is made."""
    unit = "".join(f'#include "{path}"\n' for path in files)
    flags = ("-std=c11", "-fsyntax-only", "-D_DEFAULT_SOURCE", *STRICT, "-I", CORE, "-I", INCLUDE)
    command = [*compiler, *(str(flag) for flag in flags), "-Wno-unused-function", "-x", "c", "-"]
    done = subprocess.run(command, input=unit, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("compiler", C)
@pytest.mark.parametrize("order", [1, -1])
def test_all_sources_are_one_unit(compiler: str, order: int) -> None:
    assert len(SOURCES) > 50
    compile_as_one([compiler], SOURCES[::order])


@pytest.mark.parametrize("target", ["aarch64-linux-gnu", "arm-linux-gnueabihf"])
def test_all_sources_are_one_unit_on_other_machines(target: str) -> None:
    if shutil.which(f"{target}-gcc") is None:
        pytest.skip(f"{target}-gcc not installed")
    compile_as_one([f"{target}-gcc"], SOURCES)
    compile_as_one([C[1], f"--target={target}"], SOURCES)


@pytest.mark.parametrize("module", MODULES, ids=[path.name for path in MODULES])
def test_the_sources_of_a_module_are_one_unit(module: Path) -> None:
    compile_as_one([C[0]], [path for path in SOURCES if path.parent == module])


def test_the_same_sources_give_the_same_file(amalgamation: Amalgamation, tmp_path: Path) -> None:
    call(sys.executable, ROOT / "tools" / "amalgamate.py", tmp_path, PYTHONHASHSEED="1")
    names = ["tallystick.c", "tallystick.h"]
    assert filecmp.cmpfiles(amalgamation.folder, tmp_path, names, shallow=False)[0] == names


def test_one_file_needs_the_system_alone(amalgamation: Amalgamation) -> None:
    source = (amalgamation.folder / "tallystick.c").read_text("utf-8")
    header = (amalgamation.folder / "tallystick.h").read_text("utf-8")
    assert re.findall(r'^\s*#\s*include\s*"(.*)"', source + header, re.MULTILINE) == [
        "tallystick.h"
    ]
    assert not re.search(r"^\s*#\s*line\b", source + header, re.MULTILINE)


def test_a_program_with_one_file(amalgamation: Amalgamation, tmp_path: Path) -> None:
    text = (CORE / "tests" / "example.c").read_text("utf-8")
    source, program = tmp_path / "program.c", tmp_path / "program"
    source.write_text(text.replace('"tallystick/tallystick.h"', '"tallystick.h"'), "utf-8")
    flags = ("-std=c11", *STRICT, "-I", amalgamation.folder)
    call(amalgamation.compiler, *flags, source, amalgamation.object, "-o", program)
    assert "values 0815-4711271828" in call(program)


def test_a_program_in_cpp_with_one_file(amalgamation: Amalgamation, tmp_path: Path) -> None:
    text = (ROOT / "tests" / "library" / "program.cpp").read_text("utf-8")
    source, program = tmp_path / "program.cpp", tmp_path / "program"
    source.write_text(text.replace('"tallystick/tallystick.h"', '"tallystick.h"'), "utf-8")
    flags = ("-std=c++17", *STRICT, "-I", amalgamation.folder)
    call(CXX[amalgamation.compiler], *flags, source, amalgamation.object, "-o", program)
    assert call(program).startswith("program: 5 passed, 0 failed, version ")


@pytest.mark.parametrize("header", HEADERS, ids=[path.name for path in HEADERS])
def test_a_public_header_needs_no_other_before_it(header: Path, tmp_path: Path) -> None:
    for compiler, language in [(name, "c") for name in C] + [(CXX[name], "c++") for name in C]:
        standard = "c11" if language == "c" else "c++17"
        unit = tmp_path / f"unit.{'c' if language == 'c' else 'cpp'}"
        unit.write_text(f'#include "tallystick/{header.name}"\nint main(void);\n', "utf-8")
        call(compiler, f"-std={standard}", "-fsyntax-only", *STRICT, "-I", INCLUDE, unit)

# SPDX-License-Identifier: Apache-2.0
"""The code of the pages on masked AES compiles and runs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"


def block(page: str, language: str) -> str:
    """Return the only block of a page in a language that is not marked as not run."""
    (found,) = re.findall(
        rf"^```{language}\n(.*?)^```", (DOCS / page).read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    return str(found)


def test_the_guide_encrypts_in_the_emulator() -> None:
    program = block("how-to/run-masked-aes-on-a-cortex-m0.md", "python")
    done = subprocess.run(
        [sys.executable, "-"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        input=program,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"\d+ cycles, \d+ random words\n", done.stdout)


def test_the_program_of_the_reference_compiles(tmp_path: Path) -> None:
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("gcc is not installed")
    source = tmp_path / "program.c"
    source.write_text(block("reference/masked-aes.md", "c"))
    options = ("-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only")
    subprocess.run([compiler, *options, f"-I{ROOT / 'core' / 'include'}", str(source)], check=True)

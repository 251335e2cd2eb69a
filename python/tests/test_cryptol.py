# SPDX-License-Identifier: Apache-2.0
"""What can be said of the specifications in cryptol/ without the program `cryptol`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import tests.cryptol as driver
from tests.cryptol import BATCH, FAILS, FOLDER, HOLDS, MODULES

ROOT = Path(__file__).resolve().parents[2]
FOREIGN = re.compile(r"^  foreign (\w+) :", re.MULTILINE)


def test_the_batch_file_discharges_every_property_as_its_docstring_says() -> None:
    assert BATCH.read_text("utf-8") == driver.batch()
    modules = {path.stem for path in FOLDER.glob("*.cry")}
    without = {"SuiteB_FFI", "SuiteB_Perf"}
    assert modules == set(MODULES) | without
    for module in sorted(without):
        assert driver.properties(module) == []


@pytest.mark.parametrize(
    ("doc", "wrong"),
    [
        ("/**\n * Text.\n */\n", "does not say"),
        ("/**\n * Text.\n *\n * ```repl\n * :prove other\n * ```\n */\n", "does not say"),
        ("", "no docstring"),
    ],
)
def test_a_property_must_say_how_it_is_discharged(
    doc: str, wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "M.cry").write_text(f"{doc}property holds (x : [8]) = x == x\n")
    monkeypatch.setattr(driver, "FOLDER", tmp_path)
    with pytest.raises(ValueError, match=wrong):
        driver.properties("M")


@pytest.mark.parametrize(
    ("output", "holds"),
    [
        ('Q.E.D.\n(Total Elapsed Time: 0.019s, using "Z3")', True),
        ("Using random testing.\nPassed 100 tests.", True),
        ("Using exhaustive testing.\nPassed 65,536 tests.\nQ.E.D.", True),
        ("Counterexample\nholds 0x01 = False", False),
        ("Using random testing.\nFAILED for the following inputs:", False),
        ("[error] at M.cry:3:1: Type mismatch", False),
        ("Loading module M", False),
    ],
)
def test_what_the_program_says_is_understood(output: str, holds: bool) -> None:
    assert (bool(HOLDS.search(output)) and not FAILS.search(output)) == holds


def test_every_foreign_function_is_in_the_library_and_has_a_body() -> None:
    module = (FOLDER / "SuiteB_FFI.cry").read_text("utf-8")
    source = (FOLDER / "suiteb_ffi.c").read_text("utf-8")
    for bits in (128, 192, 256):
        source += "".join(f" tallyExpand{bits}{way}(" for way in ("Encrypt", "Decrypt", "Both"))
        assert f"EXPANSIONS({bits})" in source
    source = re.sub(r"BLOCKS\((\w+),", r"\1Block( \1Blocks(", source)
    source = re.sub(r"WORDS\((\w+),", r"\1(", source)
    source = re.sub(r"\nSHA\((\d+),", r"\ntallySha\1(", source)
    names = FOREIGN.findall(module)
    assert len(names) == len(set(names)) == 22
    for name in names:
        assert f"{name}(" in source, name
        assert re.search(rf"^  {name} .*=", module, re.MULTILINE), name


def test_the_specification_of_fast_has_the_core_s_table() -> None:
    def numbers(path: str, begin: str, end: str) -> list[int]:
        text = (ROOT / path).read_text("utf-8")
        start = text.index(begin)
        return [int(n) for n in re.findall(r"\d+", text[start : text.index(end, start)])]

    ours = numbers("cryptol/Fast.cry", "  [ [ 165", "\n  ]")
    assert ours == numbers("core/fast/params.c", "{165", "};")
    assert len(ours) == 16 * 15

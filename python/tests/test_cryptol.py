# SPDX-License-Identifier: Apache-2.0
"""What can be said of the specifications in cryptol/ without the program `cryptol`."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
import tests.cryptol as driver
from tests.cryptol import BATCH, FAILS, FOLDER, HOLDS, MODULES

ROOT = Path(__file__).resolve().parents[2]


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


SCHEDULES = {
    "AESEncryptKeySchedule": ["uint32_t *"] * 3,
    "AESDecryptKeySchedule": ["uint32_t *"] * 3,
}


def passed(cryptol: str) -> list[str]:
    """Return how an argument or a result crosses, by the manual's chapter on foreign functions."""
    cryptol = cryptol.strip()
    if cryptol.startswith("("):
        return [each for part in cryptol[1:-1].split(",") if part for each in passed(part)]
    if cryptol.split(" ")[0] in SCHEDULES:
        return SCHEDULES[cryptol.split(" ")[0]]
    if array := re.fullmatch(r"(?:\[\w+\])+\[(32|64)\]", cryptol):
        return [f"uint{array[1]}_t *"]
    return [{"Bit": "uint8_t", "Integer": "mpz"}[cryptol]]


def prototype(cryptol: str) -> tuple[str, list[str]]:
    """Return the C result and parameters of a foreign function of this type."""
    sizes: list[str] = []
    if quantified := re.match(r"\{([^}]*)\} \(([^)]*)\) =>", cryptol):
        names = quantified[1].split(", ")
        assert quantified[2] == ", ".join(f"fin {name}" for name in names)
        sizes = ["size_t"] * len(names)
        cryptol = cryptol[quantified.end() :]
    *arguments, result = cryptol.split("->")
    given = [each for argument in arguments for each in passed(argument)]
    constant = [
        f"const {each}" if "*" in each else each.replace("mpz", "mpz_srcptr") for each in given
    ]
    if result.strip() == "Bit":
        return "uint8_t", sizes + constant or ["void"]
    made = [each.replace("mpz", "mpz_ptr") for each in passed(result)]
    return "void", sizes + constant + made


def test_the_library_has_every_foreign_function_as_its_type_says() -> None:
    module = (FOLDER / "SuiteB_FFI.cry").read_text("utf-8")
    source = (FOLDER / "suiteb_ffi.c").read_text("utf-8")
    expanded = subprocess.run(
        ["cc", "-E", "-P", "-DGMP_NUMB_BITS=64", "-"],
        input=re.sub(r"^#include .*$", "", source, flags=re.MULTILINE),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    exported = re.findall(
        r'__attribute__\(\(visibility\("default"\)\)\)\s+(\w+)\s+(\w+)\(([^)]*)\);', expanded
    )
    library = {
        name: (result, [re.sub(r"\s*\w+$", "", each.strip()) or each for each in given.split(",")])
        for result, name, given in exported
    }
    library = {
        name: (result, [re.sub(r"\s+\*", " *", each) for each in given])
        for name, (result, given) in library.items()
    }
    assert library.pop("tallyLower") == ("uint32_t", ["uint32_t"])
    declared = re.findall(r"^  foreign (\w+) : (.*(?:\n    .*)*)", module, re.MULTILINE)
    assert {name: prototype(" ".join(of.split())) for name, of in declared} == library
    assert len(library) == len(declared) == 22
    for name in library:
        assert re.search(rf"^  {name} .*=", module, re.MULTILINE), name


def test_the_specification_of_fast_has_the_core_s_table() -> None:
    def numbers(path: str, begin: str, end: str) -> list[int]:
        text = (ROOT / path).read_text("utf-8")
        start = text.index(begin)
        return [int(n) for n in re.findall(r"\d+", text[start : text.index(end, start)])]

    ours = numbers("cryptol/Fast.cry", "  [ [ 165", "\n  ]")
    assert ours == numbers("core/fast/params.c", "{165", "};")
    assert len(ours) == 16 * 15

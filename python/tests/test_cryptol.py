# SPDX-License-Identifier: Apache-2.0
"""What can be said of the specifications in cryptol/ without the program `cryptol`."""

from __future__ import annotations

import ctypes
import json
import os
import re
import select
import shlex
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import tests.cryptol as driver
from tests.cryptol import BATCH, FAILS, FOLDER, HOLDS, MODULES

from shares_model import product

ROOT = Path(__file__).resolve().parents[2]


def test_the_batch_file_discharges_every_property_as_its_docstring_says() -> None:
    assert BATCH.read_text("utf-8") == driver.batch()
    modules = {path.stem for path in FOLDER.glob("*.cry")}
    assert modules == {*MODULES, *driver.WITHOUT}
    for module in driver.WITHOUT:
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
        ("Using random testing.\nTesting... Passed 100 tests.", True),
        (
            "Using random testing.\nTesting... Passed 100 tests.\n"
            "Expected test coverage: 0.00% (100 of 2^^64 values)",
            True,
        ),
        ("Using exhaustive testing.\nPassed 65,536 tests.\nQ.E.D.", True),
        ("Using exhaustive testing.\nTesting... Passed 65536 tests.\nQ.E.D.", True),
        ("Counterexample\nholds 0x01 = False", False),
        ("Using random testing.\nFAILED for the following inputs:", False),
        ("Using random testing.\nTesting... Counterexample\nholds 0x01 = False", False),
        ("Using exhaustive testing.\nTesting... ERROR for the following inputs:\n0x01", False),
        ("Using random testing.\nTesting... \nTest interrupted...", False),
        ("Using random testing.\nTesting... ", False),
        ("Not all is said: Passed 100 tests.", False),
        ("Solver returned UNKNOWN", False),
        ("[error] at M.cry:3:1: Type mismatch", False),
        ("Loading module M", False),
    ],
)
def test_what_the_program_says_is_understood(output: str, holds: bool) -> None:
    assert (bool(HOLDS.search(output)) and not FAILS.search(output)) == holds


@pytest.mark.parametrize(("end", "says"), [("wait", "error: no answer within"), ("exit 0", "")])
def test_what_the_program_started_ends_with_it(
    end: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe, started = tmp_path / "pipe", tmp_path / "started"
    os.mkfifo(pipe)
    program = tmp_path / "cryptol"
    program.write_text(
        "#!/bin/sh\n"
        f"(echo solving; : >{started}; exec sleep 600) >{pipe} 2>&1 </dev/null &\n"
        f"until [ -e {started} ]; do sleep 0.01; done\n{end}\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(driver, "SECONDS", 1)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert driver.cryptol([":prove holds"]).startswith(says)
        os.set_blocking(reader, True)
        assert select.select([reader], [], [], 10)[0]
        assert os.read(reader, 100) == b"solving\n"
        assert select.select([reader], [], [], 10)[0], "the solver runs on"
        assert os.read(reader, 100) == b""  # nothing has the pipe open any more
    finally:
        os.close(reader)


def test_vectors_are_those_of_the_files() -> None:
    for all_words, words in ((False, 6), (True, 120)):
        found = list(driver.vectors(all_words=all_words))
        assert Counter(what.partition(",")[0] for what, _, _ in found) == {
            "spec_fast": 12,
            "fast_words": words,
            "spec_shamir": 5,
            "spec_shamir_0x11d": 3,
            "shamir_vault": 24,
            "shamir_0x11d": 24,
        }
    sizes = {len(re.findall("fromRaw", text)) for _, module, text in found if module == "Shamir"}
    assert max(sizes) == 128


def test_coefficients_of_a_sharing_are_taken_in_their_order() -> None:
    text = (FOLDER / "Shamir.cry").read_text("utf-8")
    block = text[text.index("property coefficientsOfGoShamir") :].partition("\n\n")[0]
    secret, *numbers = (bytes.fromhex(n) for n in re.findall(r"0x(\w+)", block))
    coefficients, shares = numbers[:2], numbers[2:]
    cases = json.loads((ROOT / "vectors" / "shamir_0x11d.json").read_text("utf-8"))
    case = next(each for each in cases if each["Secret"] == secret.hex())
    assert case["Shares"] == [each.hex() for each in shares]
    assert len(shares) > case["Threshold"] == len(coefficients) + 1

    def made(rows: list[bytes]) -> list[bytes]:
        return [
            bytes(
                s ^ product(x, a ^ product(x, b, 0x11D), 0x11D)
                for s, a, b in zip(secret, *rows, strict=True)
            )
            + bytes([x])
            for x in (share[-1] for share in shares)
        ]

    assert made(coefficients) == shares
    assert not any(a == b for a, b in zip(made(coefficients[::-1]), shares, strict=True))


PRELUDE = frozenset(
    re.findall(
        r"\w+",
        """
        abs all and any append assert carry ceiling complement curry deepseq drop elem error floor
        foldl foldr fraction fromInteger fromZ generate groupBy head infFrom infFromThen iterate
        join last length lg2 map max min negate number or parmap pdiv pmod pmult product random
        ratio recip repeat reverse rnf roundAway roundToEven sborrow scanl scanr scarry sext sort
        sortBy split splitAt sum tail take toInteger toSignedInteger trace traceVal transpose trunc
        uncurry undefined update updateEnd updates updatesEnd zero zext zip zipWith
        """,
    )
)
"""Functions of Cryptol's own module: the program warns of every name that hides one."""


def bound(text: str) -> set[str]:
    """Return the names that definitions, patterns, properties, lambdas and comprehensions bind."""
    code = re.sub(r"/\*.*?\*/|//[^\n]*|\"[^\"\n]*\"", "", text, flags=re.DOTALL)
    places = (
        r"^[ ]*(?:property )?([\w'(\[][\w', ()\[\]:]*?) =(?:\s|$)",
        r"^[ ]*([\w']+(?:, [\w']+)*) :",
        r"\|\s*([\w', ()]+?) <-",
        r"\\([\w', ()]+?) ->",
    )
    found = [each for place in places for each in re.findall(place, code, re.MULTILINE)]
    return {name for each in found for name in re.findall(r"[A-Za-z_][\w']*", each)}


@pytest.mark.parametrize("module", sorted(path.stem for path in FOLDER.glob("*.cry")))
def test_no_name_hides_one_of_cryptols_own(module: str) -> None:
    assert bound((FOLDER / f"{module}.cry").read_text("utf-8")) & PRELUDE == set()


def test_names_that_hide_are_seen() -> None:
    text = (
        "f random = x\n  where\n    product : [64]\n    (sum, map) = \\zip -> [ y | head <- y ]\n"
    )
    text += "property p (take : [8]) (x : [3]) = x\n"
    assert bound(text) & PRELUDE == {"random", "product", "sum", "map", "zip", "head", "take"}


def test_a_user_s_properties_are_not_mixed_with_ours() -> None:
    imported, wanted = set(), {"SuiteB_FFI"}
    while wanted:
        module = wanted.pop()
        imported.add(module)
        text = (FOLDER / f"{module}.cry").read_text("utf-8")
        wanted |= set(re.findall(r"^import (\w+)", text, re.MULTILINE)) - imported - {"SuiteB"}
        assert driver.properties(module) == []
    assert imported == {"SuiteB_FFI", "Modes"}


def test_sequences_go_to_the_library_up_to_a_bound_only() -> None:
    module = (FOLDER / "SuiteB_FFI.cry").read_text("utf-8")
    public = module.partition("\nprivate\n")[0]
    calls = re.findall(r"if (.*)\n    then .*tally(?:En|De)cryptBlocks`", public)
    assert calls == ["served`{k} /\\ fewBlocks`{n}"] * 4


def test_make_cryptol_needs_no_setup(tmp_path: Path) -> None:
    where = ("--file", str(ROOT / "Makefile"), "--directory", str(tmp_path))
    made = subprocess.run(
        ["make", "--dry-run", *where, "cryptol"], capture_output=True, text=True, check=True
    ).stdout
    assert "cmake --build build/cryptol" in made
    assert not re.search(r"venv|pip|setup|apt|debian-packages", made)


@pytest.mark.slow
def test_the_line_for_cc_makes_the_library(tmp_path: Path) -> None:
    header = subprocess.run(
        ["cc", "-E", "-"], input="#include <gmp.h>", capture_output=True, text=True, check=False
    )
    if header.returncode:
        pytest.skip("GMP's header is missing")
    page = (ROOT / "docs" / "reference" / "cryptol.md").read_text("utf-8")
    (line,) = re.findall(r"^(cc .*)$", page, re.MULTILINE)
    library = tmp_path / "library.so"
    line = line.replace("-O2", "-O0").replace("cryptol/SuiteB_FFI.so", shlex.quote(str(library)))
    subprocess.run(["sh", "-c", line], cwd=ROOT, check=True)
    functions = ctypes.CDLL(str(library))
    assert functions.tallyAvailable() == 1

    def words(bits: int, text: str) -> ctypes.Array[Any]:
        each = bits // 4
        kind = ctypes.c_uint64 if bits == 64 else ctypes.c_uint32
        return (kind * (len(text) // each))(
            *(int(text[i : i + each], 16) for i in range(0, len(text), each))
        )

    schedule = [words(32, "0" * 32), words(32, "0" * 32 * 9), words(32, "0" * 32)]
    functions.tallyExpand128Encrypt(words(64, "000102030405060708090a0b0c0d0e0f"), *schedule)
    block = words(64, "0" * 32)
    plain = words(64, "00112233445566778899aabbccddeeff")
    functions.tallyEncryptBlock(ctypes.c_size_t(4), *schedule, plain, block)
    assert list(block) == [0x69C4E0D86A7B0430, 0xD8CDB78070B4C55A]  # FIPS 197, appendix C.1


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
    assert ours == numbers("core/fast/schedule/params.c", "{165", "};")
    assert len(ours) == 16 * 15

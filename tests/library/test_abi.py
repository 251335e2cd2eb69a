# SPDX-License-Identifier: Apache-2.0
"""The C library exports its public functions and no others, and its interface is as listed."""

from __future__ import annotations

import difflib
import re
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from tests.library import abi
from tests.library.compilers import INCLUDE, C, call, exported
from tests.library.conftest import Amalgamation

COMMAND = ".venv/bin/python -m tests.library.abi --write"
CHANGED = f"""\
The binary interface of the C library is not what core/tests/abi.txt lists.

- A line that goes or changes (-) breaks programs that were compiled with the headers of a release:
  put it back, or raise TALLY_ABI in CMakeLists.txt, if nobody has since the last release.
- A line that is new (+) breaks none.

If the change is wanted, run `{COMMAND}`
and commit the list, with a line in CHANGELOG.md.

"""


def test_the_interface_is_as_listed() -> None:
    old = abi.LIST.read_text("utf-8").splitlines(keepends=True)
    new = abi.listed().splitlines(keepends=True)
    diff = "".join(difflib.unified_diff(old, new, "core/tests/abi.txt", "the headers", n=0))
    if diff:
        pytest.fail(CHANGED + diff, pytrace=False)


def test_public_functions_have_the_macro_that_exports_them() -> None:
    missing = [function.name for function in abi.functions() if not function.exported]
    assert not missing, "declare them with TALLY_API"


def test_a_status_must_be_checked() -> None:
    statuses = [each for each in abi.functions() if each.declaration.startswith("tally_status ")]
    assert len(statuses) > 20
    missing = [function.name for function in statuses if not function.must_check]
    assert not missing, "declare them with TALLY_API TALLY_MUST_CHECK"


def test_each_status_is_in_the_range_of_its_part() -> None:
    headers = {path.name: path.read_text("utf-8") for path in INCLUDE.rglob("*.h")}
    listed = headers["base.h"].split("range of 16 numbers:")[1].split("*/")[0]
    ranges = re.findall(r"(\d+)\.\.(\d+)(?:[ *\n]+\((\w+\.h)\))?", listed)
    parts = {name or "base.h": range(int(first), int(last) + 1) for first, last, name in ranges}
    parts["masked_modes.h"] = parts["aes.h"]
    assert all(len(part) == 16 and part.start % 16 == 0 for part in parts.values())
    assert len({part.start for part in parts.values()}) == len(parts) - 1
    found = [
        (name, number, int(number) in parts.get(name, ()))
        for name, text in headers.items()
        for number in re.findall(r"\bTALLY_ERROR_\w+ = (\d+)", text)
    ]
    assert len(found) > 30
    assert [each for each in found if not each[2]] == []


ALWAYS_WRITES = {"tally_policy_csv"}
"""Functions whose output has defaults where there is no answer."""


def test_an_answer_with_an_output_must_be_checked() -> None:
    answers = [
        each
        for each in abi.functions()
        if re.match(r"int \w+\((?:.*, )?(?!const )[^,]*\*\w+(?:,|\))", each.declaration)
    ]
    assert {each.name for each in answers} >= {*ALWAYS_WRITES, "tally_keyring_at"}
    missing = {each.name for each in answers if not each.must_check}
    assert missing == ALWAYS_WRITES, "declare them with TALLY_API TALLY_MUST_CHECK"


@pytest.mark.parametrize("compiler", C)
def test_a_call_whose_status_is_ignored_is_a_warning(compiler: str) -> None:
    call_of = "int main(void) {{ {}tally_entropy(0, 0); return 0; }}"
    unit = '#include "tallystick/tallystick.h"\n' + call_of
    command = [compiler, "-std=c11", "-Werror", "-c", "-I", str(INCLUDE), "-x", "c", "-"]
    for before, good in (("", False), ("return (int)", True)):
        text = unit.format(before)
        done = subprocess.run(
            [*command, "-o", "/dev/null"], input=text, capture_output=True, text=True, check=False
        )
        assert (done.returncode == 0) == good, done.stderr
        assert good or "unused" in done.stderr


OTHERS = (
    "begin",
    "start",
    "create",
    "feed",
    "finish",
    "end",
    "close",
    "clear",
    "destroy",
    "release",
)
"""Names that the calls of a life cycle could have too."""

ONE_SIZE = {"tally_masked_refresh_shares", "tally_reed_solomon_apply", "tally_shamir_recover"}
"""Functions with one size of several arrays."""


def test_the_calls_of_a_life_cycle_have_one_name() -> None:
    found = [each.name for each in abi.functions() if each.name.rpartition("_")[2] in OTHERS]
    assert not found, "name them init, update, final and wipe, or new and free"


def test_a_size_follows_its_pointer() -> None:
    found = [
        f"{each.name}: {one}"
        for each in abi.functions()
        for before, one in pairwise(each.declaration.partition("(")[2].rstrip(")").split(", "))
        if re.search(r" \w*(size|room|capacity)$", one)
        and not re.search(r"[*\]]", before)
        and each.name not in ONE_SIZE
    ]
    assert not found


def test_hooks_of_tests_are_not_public() -> None:
    assert "tally_cpu_lower" not in {function.name for function in abi.functions()}


def test_a_shared_library_exports_the_public_functions_alone(shared: Path) -> None:
    names = [function.name for function in abi.functions()]
    assert exported(shared / "lib" / "libtallystick.so") == names


def test_one_file_exports_the_public_functions_alone(
    amalgamation: Amalgamation, tmp_path: Path
) -> None:
    library = tmp_path / "libtallystick.so"
    call(amalgamation.compiler, "-shared", amalgamation.object, "-o", library)
    assert exported(library) == [function.name for function in abi.functions()]

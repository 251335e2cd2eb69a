# SPDX-License-Identifier: Apache-2.0
"""Constant time at every level of optimisation: what `make constant-time` does.

Each program of tests/constant_time/ is compiled by each compiler at each level and run by
valgrind's memcheck, with its secrets marked as undefined. All but `exceptions` must make it report
nothing. `exceptions` runs the whole of FAST with everything secret, and what memcheck reports there
must lie in the functions of `EXCEPTIONS`: so these are all that is not constant time.

    constant_time.py [COMPILER-LEVEL ...]    as gcc-O0 and clang-16-O3; all eight if none is given
"""

import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
JOBS = int(os.environ.get("TALLY_JOBS") or 2)
BUILD = ROOT / "build" / "constant-time"
PROGRAMS = sorted(path.stem for path in (ROOT / "tests" / "constant_time").glob("*.c"))
LEVELS = ("O0", "O1", "O2", "O3")
COMPILERS = ("gcc", "clang-16" if shutil.which("clang-16") else "clang")
CORE = ROOT / "core"
EXCEPTIONAL = "exceptions"
SECONDS = 600
"""Of a program, at most."""


BRANCH, ADDRESS = False, True


@dataclass(frozen=True, slots=True)
class Exempt:
    """What may be reported: in these functions, by file.

    `files` are those in which something must be reported at every level, for else the exception is
    none, or is not reached any more. `kinds` are of what: BRANCH, ADDRESS.
    """

    reason: str
    functions: dict[str, str]
    kinds: tuple[bool, ...] = (BRANCH, ADDRESS)
    files: tuple[str, ...] = ()


BODY = " ".join(
    f"lanes_{back_end}_{name}"
    for back_end in ("avx2", "portable")
    for name in (
        *("add_mod", "sub_mod", "sub_result", "encrypt_rounds", "decrypt_round", "decrypt_rounds"),
        *("encrypt_groups", "decrypt_groups", "encrypt_CHUNKS1"),
    )
)

EXCEPTIONS = (
    Exempt(
        "one word, and several side by side without vectors: S-boxes in memory, at secret indices",
        {
            "fast/words/layers.c": "layers_forward layers_forward_by layers_backward "
            "layers_backward_by layers_make layers_restore layers_run_kind layers_run "
            "layers_run_line layers_look_up_sum layers_look_up_difference",
            "fast/lanes/portable.c": "lanes_portable_look_up_sum lanes_portable_look_up_difference "
            "lanes_portable_min",
            "fast/schedule/legacy.c": "legacy_look_up tally_fast_legacy_byte "
            "tally_fast_legacy_pair",
        },
        files=("fast/words/layers.c", "fast/lanes/portable.c", "fast/schedule/legacy.c"),
    ),
    Exempt(
        "building a pool: swaps at secret places, words that are rejected",
        {
            "fast/schedule/shuffle.c": "shuffle_swap shuffle_swap_eight shuffle_swap_one "
            "shuffle_targets shuffle_uniform shuffle_draw_one_by_one tally_fast_shuffle_draw"
        },
        files=("fast/schedule/shuffle.c",),
    ),
    Exempt(
        "lanes of vectors: which S-box is loaded whole, by key and tweak (lanes.c: not by values)",
        {"fast/lanes/avx2.c": "lanes_avx2_look_up_chunks"},
        files=("fast/lanes/avx2.c",),
    ),
    Exempt(
        "both of these where a compiler has joined loads with the layers",
        {"fast/lanes/body.h": BODY},
        kinds=(ADDRESS,),
    ),
    Exempt(
        "text of a column that is taken byte by byte: tables of 256 entries",
        {
            "columns/symbols.c": "tally_symbols_gather tally_symbols_scatter symbols_is_symbol",
            "columns/same_layout.c": "tally_same_layout_of",
        },
        files=("columns/symbols.c", "columns/same_layout.c"),
    ),
    Exempt(
        "ranges: how often a number is encrypted until it is in the range",
        {"fast/words/range.c": "tally_range_walk"},
        kinds=(BRANCH,),
        files=("fast/words/range.c",),
    ),
    Exempt(
        "whether all values of a group fit, which is public: where counting begins",
        {"columns/same_layout.c": "tally_same_layout_count_bad"},
    ),
    Exempt(
        "whether values fit their format, which is public",
        {
            "fast/words/words.c": "tally_fast_words",
            "fast/words/words_rows.c": "tally_fast_words_rows",
            "fast/words/run.c": "run_on_lanes run_one_by_one run_words",
            "fast/words/range.c": "tally_fast_range_by",
            "fast/words/range.h": "tally_range_load",
            "base/below.h": "tally_all_below",
            "columns/same_layout.c": "same_layout_run_chunk same_layout_run_packed_chunk "
            "tally_same_layout_run_packed",
            "columns/ff1_rows.c": "tally_ff1_rows_run_plain tally_ff1_rows_run",
            "columns/each_row.c": "each_row_check_value each_row_prepare",
            "columns/columns.c": "columns_count_statuses",
        },
        kinds=(BRANCH,),
    ),
)

Place = tuple[str, str, bool]
"""A file of core/, a function, and whether an address depends on secrets there, not a branch."""


def allowed() -> dict[Place, str]:
    """Return the places where `exceptions` may be reported, with the reason."""
    places = {}
    for exception in EXCEPTIONS:
        for file, functions in exception.functions.items():
            for function in functions.split():
                for kind in exception.kinds:
                    places[file, function, kind] = exception.reason
    return places


def stale_names() -> list[str]:
    """Return the exceptions whose function is no longer in its file."""
    sources = {file: (CORE / file).read_text("utf-8") for file, _, _ in allowed()}

    # The body of the lanes is compiled for each back end, and names its functions without one; that
    # of a radix's range is put together by a macro.
    def names(function: str) -> set[str]:
        bare = re.sub(r"^lanes_(avx2|portable)_", "", function)
        return {function, bare, re.sub(r"CHUNKS\d+$", "##how", bare)}

    return [
        f"{file}: has no {function}, but it is named ({reason})"
        for (file, function, _), reason in allowed().items()
        if not any(re.search(rf"\b{name}\b", sources[file]) for name in names(function))
    ]


def place_of(error: ElementTree.Element) -> Place:
    """Return where the core did it: the innermost frame of its files, inlined ones among them."""
    address = error.findtext("kind") != "UninitCondition"
    for frame in error.iterfind("stack[1]/frame"):
        path = Path(frame.findtext("dir") or "", frame.findtext("file") or "?").resolve()
        if path.is_relative_to(CORE):
            function = (frame.findtext("fn") or "?").partition(".")[0]
            return path.relative_to(CORE).as_posix(), function, address
    return "?", error.findtext("stack[1]/frame/fn") or "?", address


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a program came to; `bad` says what is wrong with it."""

    cell: str
    bad: list[str]


def judge_exceptions(places: Counter[Place]) -> list[str]:
    """Compare what was reported with the exceptions."""
    known = allowed()
    bad = [
        f"{file}, {function}: {'an address' if address else 'a branch'} that depends on a secret"
        for file, function, address in places
        if (file, function, address) not in known
    ]
    seen = {(file, known.get((file, function, address))) for file, function, address in places}
    for exception in EXCEPTIONS:
        bad += [
            f"{file}: nothing reported, but it is named ({exception.reason})"
            for file in exception.files
            if (file, exception.reason) not in seen
        ]
    return bad


def run_program(build: Path, name: str, *arguments: str) -> Outcome:
    """Run a program under valgrind, and judge its reports."""
    report = build / f"{'-'.join((name, *arguments))}.xml"
    # Valgrind masks the instructions that it can't read, so back ends with them are not run.
    command = [
        *("valgrind", "--error-limit=no", "--num-callers=24", "--read-inline-info=yes"),
        *("--xml=yes", f"--xml-file={report}"),
        *(str(build / f"constant_time_{name}"), *arguments),
    ]
    started = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    seconds = time.monotonic() - started
    if done.returncode != 0:
        return Outcome("FAILED", [done.stderr.strip() or f"exit code {done.returncode}"])
    errors = ElementTree.parse(report).iter("error")  # noqa: S314 (our own file)
    places = Counter(place_of(error) for error in errors)
    if arguments:  # a control
        return Outcome("", [] if places else [f"{arguments[0]}: memcheck saw nothing"])
    if name == EXCEPTIONAL:
        bad = judge_exceptions(places)
        named = len({place[:2] for place in places})
        return Outcome("FAILED" if bad else f"{named} functions, {seconds:.0f} s", bad)
    bad = [f"{file}, {function}" for file, function, _ in places]
    bad += [] if "checked: " in done.stdout else ["it checked nothing"]
    return Outcome("FAILED" if bad else f"none, {seconds:.0f} s", bad)


def compile_all(compiler: str, level: str) -> Path:
    """Build the programs, and return their folder."""
    folder = BUILD / f"{compiler}-{level}"
    configure = [
        *("cmake", "-S", str(ROOT), "-B", str(folder), f"-DCMAKE_C_COMPILER={compiler}"),
        # Valgrind tells inlined functions by DWARF 4; it does not know clang's 5.
        *("-DTALLY_WERROR=ON", f"-DTALLY_LEVEL=-{level};-gdwarf-4"),
    ]
    compile_ = ["cmake", "--build", str(folder), f"-j{JOBS}", "--target", "constant_time"]
    for command in (configure, compile_):
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        if done.returncode != 0:
            sys.exit(f"{done.stdout[-4000:]}\nconstant time: can't build with {compiler} -{level}")
    return folder


def main() -> int:
    """Run what was chosen, print a table, and return the exit code."""
    every = [f"{compiler}-{level}" for compiler in COMPILERS for level in LEVELS]
    chosen = sys.argv[1:] or every
    if not set(chosen) <= set(every):
        print("no such compiler and level; there are:", *every)
        return 2
    table: dict[str, list[str]] = {name: [] for name in PROGRAMS}
    times, bad, passed = [], stale_names(), 0
    for column in chosen:
        compiler, _, level = column.rpartition("-")
        started = time.monotonic()
        folder = compile_all(compiler, level)
        built = time.monotonic() - started
        runs = [(name,) for name in PROGRAMS] + [("aes", "branch"), ("aes", "address")]
        with ThreadPoolExecutor(JOBS) as pool:
            outcomes = list(pool.map(lambda run: run_program(folder, *run), runs))  # noqa: B023
        for run, outcome in zip(runs, outcomes, strict=True):
            if len(run) == 1:
                table[run[0]].append(outcome.cell)
            passed += not outcome.bad
            bad += [f"{' '.join(run)}, {column}: {what}" for what in outcome.bad]
        times.append(f"{built:.0f} + {time.monotonic() - started - built:.0f} s")
        print(f"{column}: built and run in {times[-1]}", flush=True)
    print()
    for name, cells in {"": chosen, **table, "built + run": times}.items():
        print(f"{name:14}", *(f"{cell:22}" for cell in cells))
    print("\nWhat memcheck reports in `exceptions`, and where; the other programs must be silent:")
    for exception in EXCEPTIONS:
        print(f"  {exception.reason}\n     ", ", ".join(exception.functions))
    print(*(f"FAILED: {what}" for what in bad), sep="\n")
    print(f"constant time: {passed} passed, {len(bad)} failed")
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""What the benchmarks make of measurements: no speed is tested here."""

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from random import Random

import pytest
from bench import (
    aes,
    beside,
    ff1,
    files,
    foreign,
    formats,
    golang,
    hashes,
    kernels,
    limits,
    masked,
    sharing,
)
from bench.document import document
from bench.errors import WrongResultError
from bench.goals import GOALS, IDNR_VALUES, Goal, idnr
from bench.kernels import COLUMN, LANES, ONE_WORD, TWEAKS, Kernels, Measured, Point
from bench.limits import Cost, Limit
from bench.results import Results, duration, figure, rate
from bench.timing import Group, Section, Timing, Unit

from tallystick.formats import PRESETS

ROOT = Path(__file__).parents[2]

LISTING = """
kernels:     file format elf64-x86-64

Disassembly of section .text:

0000000000001100 <forward>:
    1100:\tvmovdqa64 (%rax),%zmm4
    1106:\tvpaddb (%rdx),%zmm4,%zmm10
    110c:\tvpermb %zmm0,%zmm10,%zmm10
    1112:\tvpaddb %zmm1,%zmm2,%zmm3{%k1}
    1118:\tvmovdqa64 %zmm10,0x40(%rax)
    111e:\tvmovdqa64 %zmm10,%zmm11
    1124:\tvpbroadcastb %xmm1,%zmm1
    112a:\tvbroadcasti128 0x10(%rdi),%ymm3
    1130:\tvmovq  %rdi,%xmm5
    1135:\tadd    $0x40,%rax
    1139:\tret
"""


def test_plots_of_the_document_are_there() -> None:
    text = (ROOT / "docs" / "reference" / "benchmarks.md").read_text()
    plots = {path.name for path in (ROOT / "docs" / "reference" / "benchmarks").iterdir()}
    assert plots == {"lanes.svg", "works.svg", "peers.svg", "files.svg"}
    assert all(f"(benchmarks/{name})" in text for name in plots)


def test_an_instruction_is_its_work_and_its_load() -> None:
    code = limits.instructions(LISTING)
    assert [limits.parts(*code[address]) for address in sorted(code)] == [
        ("load",),
        ("vpaddb", "load"),
        ("vpermb",),
        ("vpaddb_masked",),
        ("store",),
        ("copy",),
        ("vpbroadcastb",),
        ("load",),
        (),
        (),
        (),
    ]


COSTS = {
    "vpaddb": Cost(0.5, 0.5, 0.0, 0.0),
    "vpermb": Cost(1.0, 0.5, 1.0, 0.0),
    "vpminub": Cost(1.0, 0.5, 0.0, 1.0),
    "load": Cost(0.5, 0.0, 0.0, 0.0),
    "store": Cost(1.0, 0.0, 0.0, 0.0),
    "layer": Cost(2.5, 0.0, 0.0, 0.0),
}


def test_a_cost_is_what_an_instruction_adds_to_busy_units(tmp_path: Path) -> None:
    samples = (
        ("vpaddb", 0.5, 4.5, 8.0, 8.0),
        ("vpermb", 1.0, 4.5, 9.0, 8.0),
        ("vpminub", 1.0, 4.5, 8.0, 9.0),
        ("vpermi2b", 2.0, 5.5, 10.0, 7.9),
        ("vpermi2b", 2.5, 6.5, 11.0, 8.4),  # disturbed
        ("vpermi2b", 2.0, 5.5, 10.0, 7.9),
    )
    line = '{"set": "avx512", "instruction": "%s", "alone": %s, "adds": %s, "permutes": %s, '
    lines = [(line + '"minima": %s}') % sample for sample in samples]
    program = _printing(tmp_path / "limits", lines)
    assert limits.instruction_costs(program, 1) == {
        "avx512": {
            "vpaddb": Cost(0.5, 0.5, 0.0, 0.0),
            "vpermb": Cost(1.0, 0.5, 1.0, 0.0),
            "vpminub": Cost(1.0, 0.5, 0.0, 1.0),
            "vpermi2b": Cost(2.0, 1.5, 2.0, 0.0),
        }
    }


@pytest.mark.parametrize(
    ("executed", "cycles", "unit"),
    [
        ({"vpermb": 30, "vpaddb": 10, "load": 30, "store": 10}, 3.0, "permutes"),
        ({"vpermb": 20, "vpaddb": 50, "load": 30, "store": 10}, 3.5, "all vector units"),
        ({"vpermb": 20, "vpaddb": 20, "load": 30, "store": 10}, 2.5, "a plain layer"),
        ({"vpermb": 20, "vpaddb": 20, "load": 29, "store": 10}, 2.0, "permutes"),
        ({"vpermb": 19, "vpaddb": 21, "load": 30, "store": 10}, 2.0, "all vector units"),
        ({"vpermb": 10, "vpminub": 20, "store": 10}, 2.0, "minima"),
        ({"vpermb": 10, "load": 50}, 2.5, "loads"),
        ({"vpermb": 10, "store": 20, "copy": 100}, 2.0, "stores"),
    ],
)
def test_the_busiest_unit_sets_the_limit(
    executed: dict[str, int], cycles: float, unit: str
) -> None:
    found = limits.limit(executed, COSTS, layers=10)
    assert (found.cycles, found.unit) == (cycles, unit)
    assert found.permutes == executed["vpermb"] / 10
    assert found.unknown == ()


def test_an_unknown_instruction_is_named_and_counts_as_an_addition() -> None:
    found = limits.limit({"vpnew": 10, "vpaddb": 10}, COSTS, layers=10)
    assert (found.cycles, found.unknown) == (1.0, ("vpnew",))


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.01234, "0.0123"), (1.0, "1.00"), (9.876, "9.88"), (57.04, "57.0"), (123.4, "123")],
)
def test_figures_have_three_digits(value: float, text: str) -> None:
    assert figure(value) == text


def test_figures_have_units() -> None:
    assert figure(1_234_567) == "1,230,000"
    assert (rate(31_400_000), rate(5_432)) == ("31.4 million/s", "5,430/s")
    assert (duration(6.3e-6), duration(6.94e-7), duration(1.5e-2)) == (
        "6.30 µs",
        "694 ns",
        "15.0 ms",
    )


def _program(path: Path, script: str) -> Path:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def _printing(path: Path, lines: Iterable[str]) -> Path:
    """Make a program that prints lines."""
    return _program(path, "\n".join(f"echo '{line}'" for line in lines))


def _line(ns: float) -> str:
    return (
        '{"level": "avx512", "profile": "fast", "radix": 10, "length": 16, "layers": 592, '
        f'"work": "lanes", "decrypt": false, "rows": 512, "ns": {ns}, "clock": 4.0}}'
    )


def test_kernels_are_read_and_compared_with_their_limit(tmp_path: Path) -> None:
    lines = ['{"turn": 0, "of": 1}', *(_line(ns) for ns in (9.25, 4.625, 18.5))]
    program = _printing(tmp_path / "kernels", lines)
    said: list[str] = []
    bound = {("avx512", "fast", 10, False): Limit(2, 4, 2.0, "permutes", ())}
    found = kernels.measure(program, bound, repetitions=3, rows=1000, rough=False, say=said.append)
    point = Point("avx512", "fast", 10, 16, LANES, decrypt=False)
    assert said == ["kernels: turn 0 of 1"]
    assert found.points[point].rate == pytest.approx(1e9 / 9.25)
    assert found.points[point].cycles == pytest.approx(9.25 * 4 * 64 / 592)
    assert found.closeness(point) == pytest.approx(0.5)
    assert len(found.disturbed()) == 1


def test_a_kernel_that_fails_stops_the_benchmarks(tmp_path: Path) -> None:
    program = _program(tmp_path / "kernels", f"echo '{_line(9.25)}'\nexit 1")
    with pytest.raises(WrongResultError):
        kernels.measure(program, {}, repetitions=1, rows=1000, rough=False, say=lambda _: None)


def test_peers_without_a_toolchain_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bench.foreign.shutil.which", lambda _: None)
    peers, missing = foreign.build(tmp_path, lambda _: None)
    assert peers == []
    assert [sentence.rsplit(":", 1)[1] for sentence in missing] == [
        " cargo is not installed.",
        " go is not installed.",
        " javac is not installed.",
    ]


def test_a_peer_that_does_not_give_values_back_is_refused(tmp_path: Path) -> None:
    script = (
        'while read line; do case "$line" in\n'
        "encrypt|decrypt) echo done;; tokens) echo 1111;; values) echo 2222;; esac; done\n"
    )
    peer = foreign.Peer("a peer", (str(_program(tmp_path / "peer", script)),), "ff3")
    with pytest.raises(WrongResultError, match="a peer does not give values back"):
        foreign.check([peer], bytes(16), ["3333"])


def test_hashes_are_grouped_and_stand_beside_openssl(tmp_path: Path) -> None:
    lines = (
        '{"hash": "SHA-256", "by": "sha-ni", "messages": 1, "ns": 0.5}',
        '{"hash": "SHA-256", "by": "sha-ni-2", "messages": 5, "ns": 0.25}',
        '{"hash": "SHA-512", "by": "portable", "messages": 1, "ns": 2}',
    )
    program = _printing(tmp_path / "sha2", lines)
    section = hashes.hashes(program, 2)
    labels = [[timing.label for timing in group.timings] for group in section.groups]
    assert [group.title for group in section.groups] == ["SHA-256", "SHA-512"]
    assert labels == [
        ["one message, sha-ni", "5 side by side, sha-ni-2", "one message, OpenSSL"],
        ["one message, portable", "one message, OpenSSL"],
    ]
    assert section.groups[0].timings[1].seconds == (0.25e-9, 0.25e-9)


def test_ff1_is_grouped_by_words_and_names_its_back_ends(tmp_path: Path) -> None:
    lines = (
        '{"radix": 10, "length": 16, "lanes": "avx512", "aes": "vaes-avx512", "one": 300, '
        '"many": 16, "row_tweaks": 19, "anywhere": 16}',
        '{"radix": 10, "length": 16, "lanes": "avx2", "aes": "aes-ni", "one": 305, '
        '"many": 35, "row_tweaks": 40, "anywhere": 35}',
        '{"radix": 10, "length": 16, "lanes": "portable", "aes": "aes-ni", "one": 310, '
        '"many": 60, "row_tweaks": 65, "anywhere": 60}',
    )
    program = _printing(tmp_path / "ff1", lines)
    (group,) = ff1.ff1(program, 1).groups
    assert group.title == "16 symbols of radix 10"
    assert {timing.label: timing.median * 1e9 for timing in group.timings} == pytest.approx(
        {
            "vaes-avx512, IFMA": 16,
            "vaes-avx512, IFMA, a tweak a word": 19,
            "vaes-avx512, IFMA, one a call": 300,
            "aes-ni, AVX2": 35,
            "aes-ni, AVX2, a tweak a word": 40,
            "aes-ni, AVX2, one a call": 305,
            "aes-ni": 60,
            "aes-ni, a tweak a word": 65,
            "aes-ni, one a call": 310,
        }
    )


def test_sharing_stands_beside_the_peers(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    work = '"work": "split, 32 bytes, 2 of 5", "bytes": 0'
    both = ((ours, {"gfni": 400, "portable": 500}), (theirs, {"a peer": 800}))
    for program, own in both:
        lines = [f'{{{work}, "by": "{by}", "ns": {ns}}}' for by, ns in own.items()]
        lines.append(
            f'{{"work": "split, 1 MB, 2 of 5", "by": "{program.name}", "bytes": 1000, "ns": 100}}'
        )
        _printing(program, lines)
    in_python = {"split, 32 bytes, 2 of 5": Timing("split", 1, (9e-7, 9e-7))}
    section = sharing.sharing(ours, [theirs], in_python, 2)
    groups = {group.title: group for group in section.groups}
    timings = groups["split, 32 bytes, 2 of 5"].timings
    assert [t.label for t in timings] == ["gfni", "portable", "a peer", "pycryptodome, 16 bytes"]
    assert [t.median for t in timings[:3]] == pytest.approx([4e-7, 5e-7, 8e-7])
    assert timings[3].seconds == (9e-7, 9e-7)
    assert len(timings[2].seconds) == 2
    large = groups["split, 1 MB, 2 of 5"]
    assert large.unit is Unit.MEGABYTES_PER_SECOND
    assert large.timings[0].median == pytest.approx(1e-10)
    _program(theirs, "echo wrong >&2; exit 1")
    with pytest.raises(WrongResultError, match="theirs: wrong"):
        sharing.sharing(ours, [theirs], {}, 1)


def test_aes_stands_beside_the_peers(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    for program, by, ns in ((ours, "vaes-avx512", 40), (theirs, "OpenSSL", 80)):
        lines = [
            f'{{"work": "AES-128 encrypt, 1 KiB", "by": "{by}", "bytes": 1024, "ns": {ns}}}',
            f'{{"work": "AES-128 key schedule", "by": "{by}", "bytes": 0, "ns": {ns}}}',
        ]
        _printing(program, lines)
    section = aes.aes(ours, [theirs], 2)
    blocks, keys = section.groups
    assert [t.label for t in blocks.timings] == ["vaes-avx512", "OpenSSL"]
    assert blocks.unit is Unit.MEGABYTES_PER_SECOND
    assert blocks.timings[1].seconds == pytest.approx((80e-9 / 1024,) * 2)
    assert keys.unit is Unit.NANOSECONDS
    assert keys.timings[0].median == pytest.approx(40e-9)
    _program(theirs, "echo wrong >&2; exit 1")
    with pytest.raises(WrongResultError, match="theirs: wrong"):
        aes.aes(ours, [theirs], 1)


def test_masked_blocks_are_grouped_by_work(tmp_path: Path) -> None:
    lines = (
        f'{{"work": "order 1", "by": "{bits} bits", "blocks": {bits // 16}, "ns": 800}}'
        for bits in (16, 512)
    )
    program = _printing(tmp_path / "masked", lines)
    (group,) = masked.masked(program, 2).groups
    assert [t.label for t in group.timings] == ["16 bits", "512 bits"]
    assert group.timings[1].seconds == pytest.approx((2.5e-8, 2.5e-8))
    _program(program, "echo wrong >&2; exit 1")
    with pytest.raises(WrongResultError, match="masked: wrong"):
        masked.masked(program, 1)


_GO_LINES = """goos: linux
BenchmarkBeside/split,_1_MB/by_Tallystick,_SplitInto \t 396 \t 250 ns/op \t 1048576 bytes
BenchmarkBeside/word_of_16/by_fpe_FF1         \t 66363 \t 1527.5 ns/op \t 1.000 values \t 1 B/op
PASS
"""


def test_go_benchmarks_are_read(tmp_path: Path) -> None:
    split, word = golang.parse(_GO_LINES)
    assert split == {
        "work": "split, 1 MB", "by": "Tallystick, SplitInto", "ns": 250.0, "amount": 1048576,
        "unit": "bytes",
    }  # fmt: skip
    assert (word["by"], word["ns"], word["amount"]) == ("fpe FF1", 1527.5, 1)
    script = f"case $* in *Beside*) cat <<'END'\n{_GO_LINES}END\n;; esac"
    program = _program(tmp_path / "from-go", script)
    section = golang.golang([program], 2)
    assert [group.unit for group in section.groups] == [Unit.MEGABYTES_PER_SECOND, Unit.NANOSECONDS]
    assert section.groups[0].timings[0].seconds == pytest.approx((250e-9 / 1048576,) * 2)
    _program(program, "echo other results\nexit 1")
    with pytest.raises(WrongResultError, match="other results"):
        golang.golang([program], 1)


def test_every_format_is_measured() -> None:
    found = {one.form.label for _, own in formats.measured() for one in own}
    assert found == set(PRESETS)


def test_columns_of_formats_have_values_that_differ() -> None:
    for _, own in formats.measured():
        for one in own:
            assert len(one.column(40).unique()) > 20, one.label


def test_space_for_files_is_checked_before_they_are_made(tmp_path: Path) -> None:
    assert files.lacking(tmp_path, 1000) == []
    lacks = files.lacking(tmp_path, 10**12)
    assert "GB of disk" in lacks[0]


def _results(cycles_known: bool) -> Results:
    fast = Measured(592, 512, (7.4e-9,), (4e9 if cycles_known else 0.0,))
    slow = Measured(592, 512, (7.4e-7,), (4e9,))
    works = {LANES: fast, COLUMN: fast, TWEAKS: slow, ONE_WORD: slow}
    points = {
        Point("avx512", "fast", 10, 16, work, decrypt=decrypt): measured
        for work, measured in works.items()
        for decrypt in (False, True)
    }
    bound = {
        ("avx512", "fast", 10, decrypt): Limit(2, 4, 2.0, "permutes", ())
        for decrypt in (False, True)
    }
    timings = (Timing("Tallystick", 1, (1e-6,)), Timing("ff3", 1, (4e-5,)))
    words = Section("Words", (Group("value, 16 digits", Unit.NANOSECONDS, timings),))
    columns = Section("Columns", (Group("16 digits", Unit.VALUES_PER_SECOND, timings),))
    starts = Section("Start-up", (Group("imports", Unit.MILLISECONDS, timings, ratios=False),))
    rates = tuple(Timing(label, 1, (s,)) for label, s in (("au.tfn", 1e-7), ("de.idnr", 4e-7)))
    by_format = Section(
        "Formats", (Group("national identifiers", Unit.VALUES_PER_SECOND, rates, ratios=False),)
    )
    copies = (
        Timing("pyarrow copies, and fsync", 1, (1e-9,)),
        Timing("Tallystick, protect", 1, (1.1e-9,)),
    )
    on_disk = Section("Files", (Group("CSV", Unit.MEGABYTES_PER_SECOND, copies),), ("A note.",))
    shares = (
        Timing("gfni", 1, (4e-7,)),
        Timing("portable", 1, (8e-7,)),
        Timing("x (Go)", 1, (1e-6,)),
    )
    speeds = {"vaes-avx512": 4e-11, "bitslice": 4e-9, "aes (Rust)": 5e-11, "OpenSSL": 8e-11}
    sized = tuple(Timing(label, 16384, (seconds,)) for label, seconds in speeds.items())
    ciphers = Section("AES", (Group("AES-128 encrypt, 16 KiB", Unit.MEGABYTES_PER_SECOND, sized),))
    shared = Section("Sharing", (Group("split, 32 bytes, 2 of 5", Unit.NANOSECONDS, shares),))
    in_shares = Section(
        "Masked",
        tuple(
            Group(
                f"order 1, key expanded before, {masks}",
                Unit.VALUES_PER_SECOND,
                tuple(Timing(f"{bits} bits", 1, (ns * 1e-9,)) for bits in (16, 64, 512)),
            )
            for masks, ns in (("a counter for masks", 50), ("the generator's masks", 80))
        ),
    )
    in_go = Section(
        "Go", (Group("word of 16 digits", Unit.NANOSECONDS, (
            Timing("Tallystick", 1, (8e-7,)), Timing("Tallystick, WebAssembly", 1, (2.6e-6,)),
        )),),
    )  # fmt: skip
    return Results(
        1000, 2, {"CPU": "one"}, ["noise"], {"avx512": COSTS}, Kernels(points, bound), words,
        words, columns, by_format, words, words, words, words, starts, on_disk, ciphers, words,
        words, shared, in_shares, in_go, words,
        ["No peer."],
    )  # fmt: skip


def test_the_document_has_what_was_measured() -> None:
    text = document(_results(cycles_known=True), "plots")
    for part in (
        "| CPU | one |",
        "## Warnings\n\n- noise.",
        "No peer.",
        "| 10 | 135 / 135 |  | 135 / 135 | 1.35 / 1.35 |  | 1.35 / 1.35 |  | 1 | 100 |",
        "| text columns in C, up to radix 95, beside words in lanes | 1.25 times | 1.00 times "
        "| radix 10, encrypt | yes |",
        "| columns of national identifiers | 5.00 million/s | 2.50 million/s | de.idnr | no |",
        "| CSV, beside pyarrow's copy and fsync | 1.20 times | 1.10 times | CSV | yes |",
        "| 10, decrypt | 2 | 4 | 2.00 | permutes | 3.20 | 62% | 216 |",
        "| a value of 16 digits, Python | 1.00 µs | ff3 40.0 µs |",
        "| imports | Tallystick | 0.00100 | 0.00100 | ms |",
        "| AES-128, blocks, 16 KiB | 25.0 GB/s | aes (Rust) 20.0 GB/s, OpenSSL 12.5 GB/s |",
        "words of 64 bits | 12.5 million/s | 512 bits 12.5 million/s |",
        "| a word of 16 digits, Go | 800 ns | WebAssembly 2.60 µs |",
        "| value, 16 digits | Tallystick | 1,000 | 1,000 | ns | 1.00 |",
        "A note.",
    ):
        assert part in text


def test_a_goal_counts_its_slowest_figure() -> None:
    results = _results(cycles_known=True)
    seconds = Goal("a value", "one_value", ("value",), most_seconds=2e-6)
    assert seconds.row(results) == "| a value | 2.00 µs | 40.0 µs | ff3 | no |"
    ours = Goal("a value", "one_value", ("value",), "Tallystick", most_seconds=2e-6)
    assert ours.row(results) == "| a value | 2.00 µs | 1.00 µs | value, 16 digits | yes |"
    assert Goal("another", "one_value", ("word",), most_seconds=2e-6).row(results) is None


def test_german_numbers_are_as_many_as_goals_count() -> None:
    def is_number(digits: list[int]) -> bool:
        *others, most = sorted(Counter(digits).values())
        return most in (2, 3) and others[-1] == 1

    # A first digit of 0 changes no share: each digit is as likely as the others.
    source = Random(1)  # noqa: S311, not for keys
    tried = 20_000
    found = sum(is_number(source.choices(range(10), k=10)) for _ in range(tried))
    assert 9e9 * found / tried == pytest.approx(IDNR_VALUES, rel=0.1)
    assert "takes 26.4 steps" in idnr()


def test_goals_name_groups_that_are_measured() -> None:
    titles = {title for title, _ in formats.measured()}
    named = {title for goal in GOALS if goal.section == "formats" for title in goal.groups}
    assert named <= titles


def test_goals_of_ff1_name_back_ends_that_there_are() -> None:
    source = "".join(path.read_text() for path in (ROOT / "core" / "aes").glob("*.c"))
    ciphers = re.findall(r'\.backend = \{"([^"]+)"', source)
    measured = {
        f"{cipher}{lanes}{kind}"
        for cipher in ciphers
        for lanes in ff1.LANES.values()
        for kind in ff1.MEASURED.values()
    }
    named = {goal.timing for goal in GOALS if goal.section == "ff1"}
    assert len(named) == 3
    assert named <= measured


def test_rows_of_two_commits_are_compared() -> None:
    lines = [
        '{"turn": 1, "of": 1}',
        '{"level": "avx2", "radix": 10, "decrypt": true, "rows": 9, "ns": 3, "clock": 2.5}',
        '{"level": "avx2", "radix": 10, "decrypt": true, "rows": 7, "ns": 5.0, "clock": 2.6}',
        '{"radix": 10, "encrypt": 1.5, "decrypt": 2.5}',
    ]
    row = "kernels, avx2, radix 10, decrypt True"
    assert beside.samples("kernels", lines) == {
        row: 4.0,
        "kernels, radix 10, encrypt": 1.5,
        "kernels, radix 10, decrypt": 2.5,
    }
    old, new = {row: [4.0, 2.0, 4.0], "gone": [1.0]}, {row: [2.0, 3.0, 4.0], "more": [1.0]}
    assert beside.ratios(old, new) == [(row, 4.0, 3.0, 1.0, 0.5, 1.5)]


def test_without_a_clock_no_closeness_is_stated() -> None:
    assert "62%" not in document(_results(cycles_known=False), "plots")

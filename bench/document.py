# SPDX-License-Identifier: Apache-2.0
"""docs/reference/benchmarks.md, written from a run's results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from . import glance
from .kernels import COLUMN, ENGINE, LENGTH, TWEAKS, WORDS, Kernels, Measured, Point
from .results import Results, figure, in_unit
from .timing import Section

Kind = tuple[str, int]


def document(results: Results, plots: str) -> str:
    """Return the whole document; `plots` is the folder of the plots, as seen from it."""
    kernels = results.kernels
    blocks = [
        "<!-- Written by `make bench`: changes made by hand are lost. -->",
        "# Benchmarks",
        "`make bench` measures all of this in one run and writes this page. Cases that are "
        "compared take turns, so that a machine whose speed drifts does so for all; the median of "
        "the turns is stated. Words, kernels and hashes are timed by what their thread has run, "
        "columns and files by the clock on the wall. Every result is checked before it is timed. "
        f"{results.rows:,} rows, unless something else is said.",
        _table(["measured on", ""], list(results.machine.items()), texts=2),
        *(f"**Warning:** {warning}." for warning in results.warnings),
        *results.missing,
        "## At a glance",
        "\n".join([glance.BEGIN, *glance.table(results), glance.END]),
        "## Words by the million, in C",
        f"Million words a second on one thread, words of {LENGTH} symbols, encrypted / decrypted. "
        "*lanes*: words that are in lanes already, in a ring in the first-level cache. *memory*: "
        "words one after the other in memory, in place. *column*: an Arrow column of text, in "
        "place, one tweak. *tweaks*: the same, each row with a tweak of its own. *loop*: words "
        "one by one, the tweak's sequence at hand. What takes long is measured on fewer rows. "
        '"legacy" is the profile of the first go-fast, of fewer rounds.',
        f"![Words in lanes by radix, with the limits]({plots}/engines.svg)",
        *(block for level in kernels.levels for block in _level(kernels, level)),
        f"![From lanes to columns]({plots}/works.svg)",
        "## Lengths",
        "Million words a second in lanes (portable: in memory), encrypted / decrypted.",
        *(block for level in kernels.levels for block in _lengths(kernels, level)),
        *_limits(results),
        "## Words, columns, start-up, files, AES, hashes, sharing, masked AES, Go, and Spark",
        f"![Values of 16 digits a second, beside the peers]({plots}/peers.svg)",
        f"![Files, beside pyarrow's plain copy]({plots}/files.svg)",
        *(block for section in results.sections for block in _section(section)),
    ]
    return "\n\n".join(blocks) + "\n"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], texts: int = 1) -> str:
    """Return a Markdown table whose first columns are texts, and the others figures."""
    aligned = [*("---" for _ in head[:texts]), *("---:" for _ in head[texts:])]
    lines = [head, *rows]
    text = [f"| {' | '.join(cells)} |" for cells in lines]
    return "\n".join([text[0], f"|{'|'.join(aligned)}|", *text[1:]])


def _name(kind: Kind) -> str:
    profile, radix = kind
    return f"{radix}" if profile == "fast" else f"{radix}, {profile}"


def _millions(pair: Sequence[Measured | None]) -> str:
    return " / ".join(figure(each.rate / 1e6) for each in pair if each)


def _level(kernels: Kernels, level: str) -> list[str]:
    """Return an instruction set's table of all that was done with words of LENGTH."""
    rows = []
    for kind in kernels.kinds:
        loop = [kernels.one_word(kind, decrypt=decrypt) for decrypt in (False, True)]
        works = {
            work: [kernels.get(level, kind, work, decrypt=d) for d in (False, True)]
            for work in (ENGINE, WORDS, COLUMN, TWEAKS)
        }
        best = works[ENGINE][0] or works[WORDS][0]
        ratio = f"{best.rate / loop[0].rate:.3g}" if best and loop[0] else ""
        cells = (_millions(pair) for pair in (*works.values(), loop))
        rows.append([_name(kind), *cells, ratio])
    head = ["radix", "lanes", "memory", "column", "tweaks", "loop", "lanes : loop"]
    if not any(row[1] for row in rows):
        head[-1] = "memory : loop"
    return [f"### {level}", _table(head, rows)]


def _lengths(kernels: Kernels, level: str) -> list[str]:
    rows = []
    for kind in kernels.kinds:
        cells = []
        for length in kernels.lengths:
            for work in (ENGINE, WORDS):
                pair = [
                    kernels.get(level, kind, work, decrypt=d, length=length) for d in (False, True)
                ]
                if any(pair):
                    break
            cells.append(_millions(pair))
        rows.append([_name(kind), *cells])
    return [_table([f"{level}, radix", *(f"length {each}" for each in kernels.lengths)], rows)]


def _limits(results: Results) -> list[str]:
    """Return what the machine allows, and how close the engines are to it."""
    if not results.kernels.limits:
        return [
            "## Limits",
            "Not stated: they need x86-64 Linux and objdump, to count instructions.",
        ]
    return [
        "## Limits",
        "What the machine allows, whatever waits for what: the instructions that an engine "
        "executes in its loops are counted by stepping through it, and each costs what was "
        "measured here. By itself an instruction takes the cycles in the second column; the other "
        "columns say how many it adds in a loop in which one kind of unit is busy already, and so "
        "how much of that unit it takes. *layer* is no instruction: the three loads, two permutes, "
        "addition, subtraction and store of the plainest layer of one vector, in the places where "
        "engines have them, but without waiting for results. These are short runs; *held* says "
        "how the same layer runs for as long as kernels are measured.",
        *(_costs(results, level) for level in results.costs),
        "For a layer of 64 words: byte permutes, all instructions on vectors (without loads and "
        "stores), the least cycles that these allow with the unit that sets them, the cycles "
        f"measured (words of {LENGTH} symbols, at the core's clock just then), and the limit over "
        "the measured. Not in the limit: latency, cache misses, and what keeps units from being "
        "busy all the time.",
        *(
            _closeness(results.kernels, level)
            for level in results.kernels.levels
            if any(engine[0] == level for engine in results.kernels.limits)
        ),
    ]


def _costs(results: Results, level: str) -> str:
    head = [f"{level}", "alone", "among additions", "among permutes", "among minima"]
    return _table(
        head,
        (
            [name, *(f"{x:.2f}" for x in (cost.alone, cost.adds, cost.permutes, cost.minima))]
            for name, cost in results.costs[level].items()
        ),
    )


def _closeness(kernels: Kernels, level: str) -> str:
    head = [
        *(f"{level}, radix", "permutes", "vectors", "least cycles", "set by"),
        *("measured", "limit : measured", "at most, million words/s"),
    ]
    rows = []
    for kind in kernels.kinds:
        for decrypt in (False, True):
            point = Point(level, *kind, LENGTH, ENGINE, decrypt)
            limit, measured = kernels.limits.get(point.engine), kernels.points.get(point)
            close = kernels.closeness(point)
            if limit and measured and close:
                rows.append(
                    [
                        f"{_name(kind)}{', decrypt' if decrypt else ''}",
                        f"{limit.permutes:.3g}",
                        f"{limit.vectors:.3g}",
                        f"{limit.cycles:.2f}",
                        limit.unit,
                        f"{measured.cycles:.2f}",
                        f"{close:.0%}",
                        figure(measured.rate / close / 1e6),
                    ]
                )
    return _table(head, rows)


def _section(section: Section) -> list[str]:
    """Return a section: a line for each timing, behind it how it compares."""
    ratios = any(group.ratios for group in section.groups)
    rows = [
        [
            group.title if number == 0 else "",
            timing.label,
            in_unit(group.unit, timing.median),
            in_unit(group.unit, timing.best),
            str(group.unit),
            *([f"{group.ratio(timing):,.2f}" if group.ratios else ""] if ratios else []),
        ]
        for group in section.groups
        for number, timing in enumerate(group.timings)
    ]
    head = ["", "", "median", "best", "unit", *(["time ratio"] if ratios else [])]
    return [f"### {section.title}", _table(head, rows, texts=2), *section.notes]

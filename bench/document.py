# SPDX-License-Identifier: Apache-2.0
"""docs/reference/benchmarks.md, written from a run's results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from . import glance, goals
from .kernels import COLUMN, KEPT, LANES, LENGTH, TWEAKS, WORDS, Kernels, Measured, Point
from .results import Results, figure, in_unit
from .timing import Section

Kind = tuple[str, int]


def document(results: Results, plots: str) -> str:
    """Return the whole document; `plots` is the folder of the plots, as seen from it."""
    kernels = results.kernels
    warnings = "\n".join(f"- {warning}." for warning in results.warnings)
    blocks = [
        "<!-- Written by `make bench`: changes made by hand are lost. -->",
        "# Benchmarks: how fast is Tallystick?",
        "This page has every figure that `make bench` measures, for "
        "readers who compare it with other tools.",
        "One run makes all figures, on the machine in the first table:\n\n"
        "- Cases that are compared take turns, so that a change of the machine's speed affects all "
        "of them.\n"
        "- The figure is the median of the turns.\n"
        "- Words, kernels, formats, SQL, FF1 and hashes are timed by the CPU time of their thread. "
        "Columns and files are timed by the wall clock.\n"
        "- Every result is checked before it is timed.\n"
        f"- Columns and files have {results.rows:,} rows if a table does not say otherwise.",
        _table(["measured on", ""], list(results.machine.items()), texts=2),
        *results.missing,
        "[Warnings](#warnings) lists the figures that something disturbed." if warnings else "",
        "## At a glance",
        f"![Values of 16 digits a second, beside the peers]({plots}/peers.svg)",
        "\n".join(glance.table(results)),
        "## Goals",
        "The speed that Tallystick aims at on one thread with AVX-512, and the slowest figure of "
        "this run.",
        "\n".join(goals.table(results)),
        goals.idnr(),
        "## Many words, in C",
        f"Million words a second on one thread, words of {LENGTH} symbols, encrypted / decrypted:",
        "- *lanes*: the words are in vector lanes already, in the first-level cache.\n"
        "- *memory*: the words lie side by side in memory and are encrypted in place.\n"
        "- *column*: an Arrow column of text, in place, one tweak.\n"
        "- *tweaks*: the same, with a tweak for each row, all different.\n"
        "- *kept*: the same, with the last four digits kept, which are the tweak.\n"
        "- *loop*: one word a call; the tweak's sequence is cached.\n"
        "- *lanes : memory*, *lanes : column*: how many times as long encryption takes there.",
        'Slow cases are measured on fewer rows. "legacy" is the profile of the first go-fast, '
        "which has fewer rounds.",
        f"![Words in lanes by radix, with the limits]({plots}/lanes.svg)",
        *(block for level in kernels.levels for block in _level(kernels, level)),
        f"![From lanes to columns]({plots}/works.svg)",
        "## Lengths",
        "Million words a second in lanes (portable: in memory), encrypted / decrypted.",
        *(block for level in kernels.levels for block in _lengths(kernels, level)),
        *_limits(results),
        "## Words, formats, columns, SQL, files, ciphers, hashes, sharing, Go, Spark",
        f"![Files, beside pyarrow's plain copy]({plots}/files.svg)",
        *(block for section in results.sections for block in _section(section)),
        "## Warnings" if warnings else "",
        warnings,
        "## Next",
        "- [Why columns are fast](../explanation/why-columns-are-fast.md)\n"
        "- [What is verified, and how](../explanation/verification.md)",
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


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
            for work in (LANES, WORDS, COLUMN, TWEAKS, KEPT)
        }
        best = works[LANES][0] or works[WORDS][0]
        beside = (works[WORDS][0], works[COLUMN][0], loop[0])
        ratios = (f"{best.rate / each.rate:.3g}" if best and each else "" for each in beside)
        cells = (_millions(pair) for pair in (*works.values(), loop))
        rows.append([_name(kind), *cells, *ratios])
    first = "lanes" if any(row[1] for row in rows) else "memory"
    head = ["radix", "lanes", "memory", "column", "tweaks", "kept", "loop"]
    head += [f"{first} : {other}" for other in ("memory", "column", "loop")]
    return [f"### {level}", _table(head, rows)]


def _lengths(kernels: Kernels, level: str) -> list[str]:
    rows = []
    for kind in kernels.kinds:
        cells = []
        for length in kernels.lengths:
            for work in (LANES, WORDS):
                pair = [
                    kernels.get(level, kind, work, decrypt=d, length=length) for d in (False, True)
                ]
                if any(pair):
                    break
            cells.append(_millions(pair))
        rows.append([_name(kind), *cells])
    return [_table([f"{level}, radix", *(f"length {each}" for each in kernels.lengths)], rows)]


def _limits(results: Results) -> list[str]:
    """Return what the machine allows, and how close the kernels are to it."""
    if not results.kernels.limits:
        return [
            "## Limits",
            "Not measured: counting instructions needs x86-64 Linux and objdump.",
        ]
    return [
        "## Limits",
        "The limit is the least number of cycles that the execution units allow. The benchmark "
        "counts the instructions in a kernel's loops by stepping through it. Each instruction "
        "costs the cycles in these tables:",
        "- *alone*: cycles of the instruction by itself.\n"
        "- The other columns: cycles that it adds to a loop that keeps one kind of unit busy. They "
        "say how much of that unit it takes.\n"
        "- The row *layer* is the simplest layer of one vector: three loads, two permutes, an "
        "addition, a subtraction and a store. No instruction waits for a result.\n"
        "- The row *held* is the same layer, run for as long as the kernels are measured.",
        *(_costs(results, level) for level in results.costs),
        "The next tables are about one layer of 64 words. *vectors* counts all vector instructions "
        "but loads and stores. *set by* names the unit that sets the limit. The measured cycles "
        f"are those of words of {LENGTH} symbols, at the core's clock at that moment. The limit "
        "does not include latency, cache misses and idle units.",
        *(
            _closeness(results.kernels, level)
            for level in results.kernels.levels
            if any(kernel[0] == level for kernel in results.kernels.limits)
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
            point = Point(level, *kind, LENGTH, LANES, decrypt)
            limit, measured = kernels.limits.get(point.kernel), kernels.points.get(point)
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

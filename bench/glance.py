# SPDX-License-Identifier: Apache-2.0
"""The few figures that the README states, taken from a run's results."""

from __future__ import annotations

import re
from pathlib import Path

from .kernels import COLUMN, ENGINE, TWEAKS
from .results import Results, duration, figure, find, rate
from .timing import Section, Timing, Unit

BEGIN, END = "<!-- figures: made by make bench -->", "<!-- end of figures -->"

_HEAD = ["| | Tallystick | beside it |", "|---|---|---|"]


def table(results: Results) -> list[str]:
    """Return the lines of a Markdown table; rows that were not measured are left out."""
    rows = [
        *(*_words(results), *_kernels(results), *_columns(results), *_files(results)),
        *_aes(results),
        *_sharing(results),
        *_masked(results),
        *_golang(results),
    ]
    return [*_HEAD, *(f"| {what} | {ours} | {others} |" for what, ours, others in rows)]


def put_in(document: Path, lines: list[str]) -> None:
    """Replace the lines between the marks of a document.

    Raises
    ------
    ValueError
        The document does not have the marks.
    """
    text = document.read_text()
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise ValueError(f"{document.name} has no place for figures: {BEGIN} ... {END}")
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    new = "\n".join([before + BEGIN, *lines, END + after])
    if new != text:
        document.write_text(new)


def taken_from(document: Path) -> list[str]:
    """Return the lines between the marks of a document."""
    found = re.search(
        f"{re.escape(BEGIN)}\n(.*)\n{re.escape(END)}", document.read_text(), re.DOTALL
    )
    return found[1].split("\n") if found else []


Row = tuple[str, str, str]


def _time(section: Section, group: str, label: str) -> str | None:
    found = find(section, group, label)
    return duration(found.median) if found else None


def _beside(section: Section, group: str, labels: tuple[str, ...]) -> str:
    times = ((label, _time(section, group, label)) for label in labels)
    return ", ".join(f"{label} {time}" for label, time in times if time)


def _words(results: Results) -> list[Row]:
    in_c, python = results.words_in_c, results.words_in_python
    rows = (
        ("one word in C, radix 10, 16 symbols", _time(in_c, "radix 10", "encrypt"), ""),
        ("the same, a new tweak each time", _time(in_c, "radix 10", "new tweak"), ""),
        (
            "the first word of a key with its pool, radix 10",
            _time(in_c, "radix 10", "first word"),
            "",
        ),
        (
            "the first word of a key with its pool, radix 256",
            _time(in_c, "radix 256", "first word"),
            "",
        ),
        (
            "the first word of a fresh process in C, radix 10",
            _time(in_c, "radix 10", "cold start"),
            "",
        ),
        (
            "a value of 16 digits from Python",
            _time(python, "value, 16 digits", "Tallystick"),
            f"{_beside(python, 'value, 16 digits', ('ff3', 'pyffx'))} (other ciphers)",
        ),
        (
            "the same FAST word from Python",
            _time(python, "word, radix 10", "Tallystick"),
            _beside(python, "word, radix 10", ("fast-cipher",)),
        ),
    )
    return [(what, ours, beside) for what, ours, beside in rows if ours]


def _kernels(results: Results) -> list[Row]:
    """Words that are in lanes already, for each instruction set, and the loop over single ones."""
    kernels, rows = results.kernels, []
    for level in kernels.levels:
        rates = [
            f"{measured.rate / 1e6:.0f}"
            for radix in (10, 62, 256)
            if (measured := kernels.get(level, ("fast", radix), ENGINE, decrypt=False))
        ]
        loop = kernels.one_word(("fast", 10), decrypt=False)
        if rates and loop:
            rows.append(
                (
                    f"words in lanes, {level}, radix 10, 62, 256",
                    f"{', '.join(rates)} million/s",
                    f"one word after the other, radix 10: {rate(loop.rate)}",
                )
            )
    return rows


def _columns(results: Results) -> list[Row]:
    best = results.kernels.levels[0]
    in_c = results.kernels.get(best, ("fast", 10), COLUMN, decrypt=False)
    tweaks = results.kernels.get(best, ("fast", 10), TWEAKS, decrypt=False)
    rows = []
    if in_c and tweaks:
        rows += [
            (f"a column of 16 digits in C ({best})", rate(in_c.rate), ""),
            ("the same, a tweak for each row", rate(tweaks.rate), ""),
        ]
    group = next(group for group in results.columns.groups if group.title == "16 digits")
    ours, *others = group.timings
    rows.append(
        (
            f"a column of 16 digits from Python ({best})",
            rate(1 / ours.median),
            ", ".join(f"{other.label} {rate(1 / other.median)}" for other in others),
        )
    )
    return rows


def _files(results: Results) -> list[Row]:
    rows = []
    for group in results.files.groups:
        theirs, ours = group.timings[:2]
        rows.append(
            (
                f"a file of {results.rows:,} rows, 4 of 7 columns: {group.title}",
                f"{1e-6 / ours.median:.0f} MB/s",
                f"pyarrow copies it at {1e-6 / theirs.median:.0f} MB/s",
            )
        )
    return rows


_CIPHERED = (
    ("AES-128 encrypt, 16 KiB", "AES-128, blocks, 16 KiB"),
    ("AES-128 CTR, 16 KiB", "AES-128, counter mode, 16 KiB"),
    ("AES-128 CTR, 64 bytes", "the same, 64 bytes"),
)
_PEERS = ("aes (Rust)", "OpenSSL")


def _aes(results: Results) -> list[Row]:
    """AES on the best back end, beside the peers, and without AES instructions."""
    groups = {group.title: group for group in results.aes.groups}
    rows = []
    for title, what in _CIPHERED:
        group = groups.get(title)
        if group is None:
            continue
        own = [t for t in group.timings if t.label not in _PEERS]
        rates = {t.label: f"{figure(1e-9 / t.median)} GB/s" for t in group.timings}
        beside = [*(f"{peer} {rates[peer]}" for peer in _PEERS if peer in rates)]
        if title == _CIPHERED[0][0]:
            sliced = [t.label for t in own if t.label.startswith("bitslice")]
            beside += [f"without AES instructions, {label} {rates[label]}" for label in sliced]
        rows.append((f"{what} ({own[0].label})", rates[own[0].label], ", ".join(beside)))
    return rows


_SHARED = (
    ("split, 1 MB, 2 of 5", "Shamir, 1 MB, 2 of 5: split"),
    ("combine, 1 MB, 2 of 5", "the same: combine"),
    ("split, 32 bytes, 2 of 5", "Shamir, 32 bytes, 2 of 5, entropy included: split"),
    ("combine, 32 bytes, 2 of 5", "the same: combine"),
    ("authentic split, 32 bytes, 3 of 5", "authentic shares, 32 bytes, 3 of 5: split"),
    ("authentic combine, 32 bytes, 3 of 5", "the same: combine"),
    ("Reed-Solomon 10+4, 128 KiB", "Reed-Solomon code 10+4, shards of 128 KiB"),
    ("disperse, 3 of 5", "dispersal in memory, 3 of 5, authentic: disperse"),
    ("recover, 3 of 5", "the same: recover"),
)


def _said(timing: Timing, unit: Unit) -> str:
    """Return a median in words, in its group's unit."""
    if unit is Unit.NANOSECONDS:
        return duration(timing.median)
    if unit is Unit.VALUES_PER_SECOND:
        return rate(1 / timing.median)
    return f"{figure(1e-9 / timing.median)} GB/s"


def _sharing(results: Results) -> list[Row]:
    """Secret sharing on the best back end, beside the peers."""
    groups = {group.title: group for group in results.sharing.groups}
    rows = []
    for title, what in _SHARED:
        group = groups.get(title)
        if group is None:
            continue
        ours = group.timings[0]
        peers = [t for t in group.timings[1:] if "(" in t.label or "pycryptodome" in t.label]
        others = ", ".join(f"{peer.label} {_said(peer, group.unit)}" for peer in peers)
        rows.append((f"{what} ({ours.label})", _said(ours, group.unit), others))
    return rows


def _masked(results: Results) -> list[Row]:
    """Masked AES of order 1: words of C and the widest vectors, randomness free and not."""
    groups = {group.title: group.timings for group in results.masked.groups}
    rows = []
    for when in ("key expanded in each call", "key expanded before"):
        free = groups.get(f"order 1, {when}, a counter for masks", ())
        ours = groups.get(f"order 1, {when}, the generator's masks", ())
        for timing, other in zip(free, ours, strict=True):
            if timing.label == "64 bits" or timing is free[-1]:
                what = f"masked AES-128, order 1, {timing.label}, {when}, a counter for masks"
                beside = f"the generator's masks {rate(1 / other.median)}"
                rows.append((what, f"{rate(1 / timing.median)}", beside))
    return rows


_FROM_GO = (
    (
        "16 bytes, legacy profile, nil tweak",
        "from Go, 16 bytes in the profile of the first go-fast",
    ),
    ("word of 16 digits", "from Go, a word of 16 digits"),
    (
        "batch of 10000, words of 16 digits, in place",
        "from Go, 10,000 words of 16 digits, in place",
    ),
    ("batch of 10000, strings of 16 digits", "from Go, 10,000 strings of 16 digits"),
    ("split, 1 MB, 2 of 5", "from Go, Shamir, 1 MB, 2 of 5: split"),
    ("split, 32 bytes, 3 of 5", "from Go, Shamir, 32 bytes, 3 of 5: split"),
)


def _golang(results: Results) -> list[Row]:
    """Return the Go packages, without cgo, and beside their peers."""
    groups = {group.title: group for group in results.golang.groups}
    rows = []
    for title, what in _FROM_GO:
        group = groups.get(title)
        if group is None:
            continue

        ours, *others = group.timings
        beside = ", ".join(
            f"{timing.label.removeprefix('Tallystick, ')} {_said(timing, group.unit)}"
            for timing in others
        )
        rows.append((what, _said(ours, group.unit), beside))
    return rows

# SPDX-License-Identifier: Apache-2.0
"""Precision and recall of the scanner of text, beside Presidio's patterns and detect-secrets.

``make text-scan`` prints the tables, and the speed on three kinds of text.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from itertools import repeat
from typing import Any

from tallystick._core import ffi, lib
from tallystick.memory import check
from tallystick.scanning import Certainty, Scanner

from .text_scan_corpus import LINES, Corpus

Found = list[list[tuple[str, int, int]]]
TIMES = 7
ROOM = 4096


def ours(texts: list[str], least: Certainty) -> Found:
    """Return what this library finds."""
    scanner = Scanner(least=least)
    return [
        [(one.rule.replace("national_id.", "national_id "), one.start, one.end) for one in found]
        for found in (scanner.scan(text) for text in texts)
    ]


def kind_of(name: str) -> str:
    """Return a kind under one name for all programs."""
    first = name.split(".")[0]
    if first in {"key", "ipv4", "ipv6", "ip"}:
        return "key" if first == "key" else "ip"
    return name.replace("national_id in.", "national_id in_.")


def scores(lines: list[dict[str, Any]], found: Found) -> dict[str, tuple[int, int]]:
    """Return, for each kind, the values that were found and the findings that are none.

    A value is found if a finding of its kind covers it. A finding is none if it overlaps no value
    of its kind.
    """
    hits: Counter[str] = Counter()
    false: Counter[str] = Counter()
    for line, there in zip(lines, found, strict=True):
        kind = None if line["kind"] is None else kind_of(line["kind"])
        own = [(start, end) for name, start, end in there if kind_of(name) == kind]
        hits[line["kind"] or ""] += any(
            (start <= line["start"] and end >= line["end"]) or covers_start(kind, start, end, line)
            for start, end in own
        )
        for name, start, end in there:
            same = kind_of(name) == kind and start < line["end"] and end > line["start"]
            false[kind_of(name)] += not same
    return {kind: (hits[kind], false[kind_of(kind)]) for kind in {*hits, *false} if kind}


def covers_start(kind: str | None, start: int, end: int, line: dict[str, Any]) -> bool:
    """Return whether a program reports a part of these kinds as its custom is."""
    return kind in {"jwt", "pem", "url", "key"} and start < line["end"] and end > line["start"]


def share(part: int, whole: int) -> str:
    """Write a share of a whole."""
    return f"{100 * part / whole:.1f}" if whole else "-"


def table(lines: list[dict[str, Any]], results: dict[str, Found]) -> str:
    """Return precision and recall by kind, for each program that looks for the kind."""
    kinds = [kind for kind in dict.fromkeys(line["kind"] for line in lines) if kind is not None]
    every = {name: scores(lines, found) for name, found in results.items()}
    rows = ["| kind | " + " | ".join(results) + " |", "|---" * (len(results) + 1) + "|"]
    for kind in kinds:
        cells = []
        for name in results:
            hits, false = every[name].get(kind, (0, 0))
            cells.append(f"{share(hits, hits + false)} / {share(hits, LINES)}" if hits else "-")
        shown = {"key.each": "key, of each pattern"}.get(kind, kind.replace("in_.", "in."))
        rows.append(f"| {shown} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def misses(lines: list[dict[str, Any]], results: dict[str, Found]) -> str:
    """Return how many of the lines of each near miss have a finding."""
    names = list(dict.fromkeys(line["miss"] for line in lines if line["kind"] is None))
    rows = ["| near miss | " + " | ".join(results) + " |", "|---" * (len(results) + 1) + "|"]
    for miss in names:
        cells = [
            str(
                sum(
                    bool(f)
                    for line, f in zip(lines, found, strict=True)
                    if line.get("miss") == miss
                )
            )
            for found in results.values()
        ]
        rows.append(f"| {miss} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


SLOW = {"numbers of 9 digits": "123456782 ", "groups of an IBAN": "DE89 3704 0044 0532 "}
SLOW |= {"`xoxb-` again and again": "xoxb-"}
"""Texts that are made to be slow, of those that core/tests/test_scan.c has: a piece of each."""


def texts(corpus: Corpus, size: int) -> dict[str, bytes]:
    """Return logs, prose and JSON of about so many bytes, and texts that are made to be slow."""
    chance = corpus.random
    logs = (
        f"2026-11-23 {chance.randrange(10, 24)}:{chance.randrange(10, 60)}:24,123 INFO "
        f"[worker-{chance.randrange(9)}] {corpus.ipv4()} GET /api/v1/orders/"
        f"{chance.randrange(10**7)}?page={chance.randrange(9)} 200 {chance.randrange(9999)}us\n"
        for _ in iter(int, 1)
    )
    prose = (corpus.filler() + (". " if chance.random() < 0.2 else " ") for _ in iter(int, 1))
    objects = (
        json.dumps(
            {
                "id": chance.randrange(10**9),
                "name": corpus.filler(),
                "time": "2026-11-23T23:56:24Z",
                "amount": chance.random() * 1000,
                "email": corpus.email() if chance.random() < 0.1 else None,
                "tags": [corpus.filler(), corpus.filler()],
            }
        )
        + "\n"
        for _ in iter(int, 1)
    )
    made = {}
    slow = ((name, repeat(piece)) for name, piece in SLOW.items())
    for name, pieces in (("logs", logs), ("prose", prose), ("JSON", objects), *slow):
        text = bytearray()
        while len(text) < size:
            text += next(pieces).encode()
        made[name] = bytes(text)
    return made


def speeds(corpus: Corpus) -> str:
    """Return the speed of one thread, in processor time, the best of some runs."""
    rows = ["| text | MB/s of one thread | findings for each MB |", "|---|---|---|"]
    for name, text in texts(corpus, 1 << 21).items():
        large, best, found = text * 16, float("inf"), 0
        for _ in range(TIMES):
            begin = time.process_time()
            found = count(large)
            best = min(best, time.process_time() - begin)
        rows.append(f"| {name} | {len(large) / best / 1e6:.0f} | {found / len(large) * 1e6:.0f} |")
    return "\n".join(rows)


def count(text: bytes) -> int:
    """Count findings in the core, without an object of Python for each."""
    rules, made = ffi.new("tally_scan_rules **"), ffi.new("tally_scanner **")
    found, problem = ffi.new("tally_scan_finding[]", ROOM), ffi.new("tally_problem *")
    used, some, more = ffi.new("size_t *"), ffi.new("size_t *"), ffi.new("int *", 1)
    check(lib.tally_scan_rules_new(ffi.NULL, b"{}", 2, rules, problem), "rules")
    check(lib.tally_scanner_new(rules[0], made), "a scanner")
    total, at = 0, 0
    data = ffi.from_buffer(text)
    while at < len(text):
        begin = ffi.cast("const uint8_t *", data) + at
        check(
            lib.tally_scanner_update(made[0], begin, len(text) - at, found, ROOM, used, some),
            "a scanner",
        )
        at, total = at + used[0], total + some[0]
    while more[0]:
        check(lib.tally_scanner_final(made[0], found, ROOM, some, more), "a scanner")
        total += some[0]
    lib.tally_scanner_free(made[0])
    lib.tally_scan_rules_free(rules[0])
    return total


def main() -> None:
    """Print the tables. The argument is the Python of the peers' environment."""
    corpus = Corpus()
    lines = list(corpus.lines())
    plain = [line["text"] for line in lines]
    done = subprocess.run(
        [sys.argv[1], "bench/text_scan_peers.py"],
        input=json.dumps(plain).encode(),
        stdout=subprocess.PIPE,
        check=True,
    )
    results: dict[str, Found] = {
        "Tallystick, fair": ours(plain, "fair"),
        "Tallystick, weak": ours(plain, "weak"),
        **json.loads(done.stdout),
    }
    print(f"Precision / recall in percent, {LINES} values of each kind:\n")
    print(table(lines, results))
    print(f"\nLines with a finding, of {LINES} for each near miss:\n")
    print(misses(lines, results))
    print()
    print(speeds(corpus))


if __name__ == "__main__":
    main()

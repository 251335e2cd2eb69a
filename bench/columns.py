# SPDX-License-Identifier: Apache-2.0
"""Columns in memory: an Arrow array into an Arrow array, through `Tokenizer`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import date

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tallystick import FastCipher, FF1Cipher, Tokenizer, formats
from tallystick.tokenizer import tweak_of

from . import data, foreign, peers
from .errors import WrongResultError
from .timing import Case, Group, Section, Unit, side_by_side

KEY = bytes(range(16))
NAMESPACE = "bench"
PEER_ROWS = 2000
"""Peers take a value at a time, so that a few tell as much as a million."""
FOREIGN_ROWS = 20_000
"""The same for those that are faster, being compiled."""


def columns(
    rows: int,
    repetitions: int,
    threads: int,
    others: Sequence[foreign.Peer],
    say: Callable[[str], None],
) -> Section:
    """Measure columns of several formats, and the peers on the one that they can do."""
    random = data.random_numbers()
    numbers = data.digits(random, rows)
    people = data.names(random, rows)
    addresses = data.emails(random, people)
    days = data.dates(random, rows)
    span = formats.date(first=date(1900, 1, 1), last=date(2029, 12, 31))
    by_ff1 = formats.digits().with_cipher("ff1")
    works: dict[str, tuple[formats.Format, pa.Array, pa.Array | None]] = {
        "letters": (formats.letters(), people, None),
        "e-mail, local part": (formats.email(kept_as_tweak=False), addresses, None),
        "e-mail, domain as tweak": (formats.email(), addresses, None),
        "card": (formats.card(), data.cards(random, rows), None),
        "card, the last four digits kept": (
            formats.card(keep_last=4),
            data.cards(random, rows),
            None,
        ),
        "dates": (span, days, None),
        "dates as text": (span, days.cast(pa.string()), None),
        "integers": (formats.integer(min=0, max=10**9 - 1), data.integers(random, rows), None),
        "16 digits, a tweak a row": (formats.digits(), numbers, pa.array(np.arange(rows))),
        "16 digits, 10,000 tweaks": (
            formats.digits(),
            numbers,
            pa.array(random.integers(0, 10_000, rows)),
        ),
        "FF1, column of 16 digits": (by_ff1, numbers, None),
        "FF1, 16 digits with spaces": (by_ff1, _spaced(numbers), None),
        "FF1, 16 digits, the last four kept": (
            formats.digits(keep_last=4).with_cipher("ff1"),
            numbers,
            None,
        ),
        "FF1, 16 digits, a tweak of 8 bytes a row": (
            by_ff1,
            numbers,
            pa.array(np.arange(rows) + 10**7).cast(pa.string()),
        ),
    }
    say("columns: 16 digits, beside the peers")
    groups = [_digits(numbers, others, repetitions), _words(numbers, repetitions)]
    say("columns: 16 digits by FF1, beside the peers")
    groups.append(_ff1_words(numbers, others, repetitions))
    groups.append(_ff1_tweaks(numbers, others, repetitions))
    say("columns: 16 digits, ten times as many")
    groups.append(
        _column(
            f"{10 * rows:,} of 16 digits",
            formats.digits(), data.digits(random, 10 * rows), None, repetitions,
        )
    )  # fmt: skip
    if threads > 1:
        say(f"columns: 16 digits on {threads} threads")
        groups.append(_threads(numbers, threads, repetitions))
    for title, (form, values, tweaks) in works.items():
        say(f"columns: {title}")
        groups.append(_column(title, form, values, tweaks, repetitions))
    return Section(
        f"Columns of {rows:,} values from Python, one thread unless it says so",
        tuple(groups),
        (
            f"Peers take one value at a time, in a loop over {min(rows, PEER_ROWS):,} values of "
            f"the same column ({min(rows, FOREIGN_ROWS):,} in Go, Rust and Java). Their values a "
            "second are extrapolated from these.",
            "fast-cipher's tokens are checked to equal ours. FF1 and FF3 are other ciphers: they "
            "are checked to give the values back. All FF1 are also checked by NIST's sample and "
            "against each other. fastfpe is Rust called from Python.",
        ),
    )


def _digits(values: pa.Array, others: Sequence[foreign.Peer], repetitions: int) -> Group:
    """Measure 16 digits beside the peers."""
    form = formats.digits()
    tokenizer = Tokenizer(form, KEY, namespace=NAMESPACE)
    some = values.slice(0, PEER_ROWS)
    fast = peers.fast_cipher_digits(KEY, 16, tweak_of(form, NAMESPACE, rows=False))
    ff3, pyffx = peers.ff3_digits(KEY), peers.pyffx_digits(KEY, 16)
    if _each(fast, some) != tokenizer.protect(some):
        raise WrongResultError("fast-cipher and Tallystick make different tokens")
    more = values.slice(0, FOREIGN_ROWS).to_pylist()
    foreign.check(others, KEY, more[:PEER_ROWS])
    cases = [
        Case("Tallystick", lambda: tokenizer.protect(values), len(values)),
        Case("fast-cipher", lambda: _each(fast, some), len(some)),
        Case("ff3", lambda: _each(lambda value: ff3(value, peers.NO_TWEAK), some), len(some)),
        Case("pyffx", lambda: _each(pyffx, some), len(some)),
    ]
    with ExitStack() as stack:
        for other in others:
            running = stack.enter_context(foreign.Running(other, KEY, more))
            cases.append(Case(other.label, running.encrypt, len(more)))
        timings = side_by_side(cases, repetitions)
    return Group("16 digits", Unit.VALUES_PER_SECOND, timings)


def _spaced(values: pa.Array) -> pa.Array:
    """Write numbers of 16 digits in groups of four."""
    return pc.replace_substring_regex(values, r"(\d{4})(\d{4})(\d{4})(\d{4})", r"\1 \2 \3 \4")


def _threads(values: pa.Array, threads: int, repetitions: int) -> Group:
    """Measure slices of a column at the same time, each thread with a tokenizer of its own."""
    tokenizers = [Tokenizer(formats.digits(), KEY, namespace=NAMESPACE) for _ in range(threads)]
    step = -(-len(values) // threads)
    slices = [values.slice(at, step) for at in range(0, len(values), step)]
    with ThreadPoolExecutor(threads) as pool:

        def all_at_once() -> list[pa.Array]:
            return list(pool.map(Tokenizer.protect, tokenizers, slices))

        if pa.concat_arrays(all_at_once()) != tokenizers[0].protect(values):
            raise WrongResultError("threads make other tokens than one")
        cases = (
            Case("one thread", lambda: tokenizers[0].protect(values), len(values)),
            Case(f"{threads} threads", all_at_once, len(values)),
        )
        timings = side_by_side(cases, repetitions)
    return Group("16 digits, slices at once", Unit.VALUES_PER_SECOND, timings)


def _each(encrypt: Callable[[str], str], values: pa.Array) -> pa.Array:
    return pa.array([encrypt(value) for value in values.to_pylist()])


def _words(values: pa.Array, repetitions: int) -> Group:
    """Measure the same symbols as words, without a format around them."""
    text = np.frombuffer(values.buffers()[2], np.uint8)[: 16 * len(values)]
    words = text.reshape(len(values), 16) - np.uint8(ord("0"))
    cipher = FastCipher(KEY, 10)
    tokens, back = cipher.encrypt_words(words), np.empty_like(words)
    cases = (
        Case("encrypt_words", lambda: cipher.encrypt_words(words, out=tokens), len(words)),
        Case("decrypt_words", lambda: cipher.decrypt_words(tokens, out=back), len(words)),
    )
    timings = side_by_side(cases, repetitions)
    return Group("16 digits as words", Unit.VALUES_PER_SECOND, timings, ratios=False)


def _ff1_words(values: pa.Array, others: Sequence[foreign.Peer], repetitions: int) -> Group:
    """Measure words of 16 digits by FF1, beside the peers that have it."""
    text = np.frombuffer(values.buffers()[2], np.uint8)[: 16 * len(values)]
    words = text.reshape(len(values), 16) - np.uint8(ord("0"))
    cipher, zero = FF1Cipher(KEY, 10), np.uint8(ord("0"))
    tokens = cipher.encrypt_words(words)
    some = values.slice(0, PEER_ROWS)
    expected = [bytes(row).decode() for row in tokens[:PEER_ROWS] + zero]
    fastfpe = peers.fastfpe_digits(KEY)
    if _each(lambda value: fastfpe(value, b""), some).to_pylist() != expected:
        raise WrongResultError("fastfpe and Tallystick make different tokens by FF1")
    cases = [
        Case("Tallystick", lambda: cipher.encrypt_words(words, out=tokens), len(words)),
        Case("fastfpe", lambda: _each(lambda value: fastfpe(value, b""), some), len(some)),
    ]
    more = values.slice(0, FOREIGN_ROWS).to_pylist()
    with ExitStack() as stack:
        for other in others:
            if other.cipher == "ff1":
                with foreign.Running(other, KEY, some.to_pylist()) as sample:
                    if sample.tokens() != expected:
                        raise WrongResultError(
                            f"{other.label} and Tallystick make different tokens"
                        )
                running = stack.enter_context(foreign.Running(other, KEY, more))
                cases.append(Case(other.label, running.encrypt, len(more)))
        timings = side_by_side(cases, repetitions)
    return Group("16 digits as words, FF1", Unit.VALUES_PER_SECOND, timings)


def _ff1_tweaks(values: pa.Array, others: Sequence[foreign.Peer], repetitions: int) -> Group:
    """Measure digits by FF1 with a tweak of 8 bytes for each row, beside the peers that have it."""
    plain = Tokenizer(formats.digits().with_cipher("ff1", ""), KEY, namespace=NAMESPACE)
    tweaks = pa.array([foreign.each_tweak(row) for row in range(len(values))])
    tokens = plain.protect(values, tweaks)
    cases = [Case("Tallystick", lambda: plain.protect(values, tweaks), len(values))]
    more = values.slice(0, FOREIGN_ROWS).to_pylist()
    with ExitStack() as stack:
        for other in others:
            if other.cipher == "ff1":
                tweak = foreign.each_tweak(0).encode()
                running = stack.enter_context(foreign.Running(other, KEY, more, tweak=tweak))
                running.each()
                if running.made() != tokens[: len(more)].to_pylist():
                    raise WrongResultError(f"{other.label} and Tallystick make different tokens")
                cases.append(Case(other.label, running.each, len(more)))
        timings = side_by_side(cases, repetitions)
    return Group(
        "16 digits by plain FF1, a tweak of 8 bytes a row", Unit.VALUES_PER_SECOND, timings
    )


def _column(
    title: str,
    form: formats.Format,
    values: pa.Array,
    tweaks: pa.Array | None,
    repetitions: int,
) -> Group:
    """Measure both directions of a column, after checking that they undo each other."""
    tokenizer = Tokenizer(form, KEY, namespace=NAMESPACE)
    tokens = tokenizer.protect(values, tweaks)
    if tokens == values or tokenizer.reveal(tokens, tweaks) != values:
        raise WrongResultError(f"{title}: revealing does not undo protecting")
    cases = (
        Case("protect", lambda: tokenizer.protect(values, tweaks), len(values)),
        Case("reveal", lambda: tokenizer.reveal(tokens, tweaks), len(values)),
    )
    timings = side_by_side(cases, repetitions)
    return Group(title, Unit.VALUES_PER_SECOND, timings, ratios=False)

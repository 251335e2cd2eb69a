# SPDX-License-Identifier: Apache-2.0
"""Columns of much work are done in batches, between which signals are handled."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from keyring_support import make_ring
from tallystick import Counts, Protector, Tokenizer, formats
from tallystick import tokenizer as tokenizer_module
from tallystick.formats import Format
from tallystick.in_memory import Call
from tallystick.policy import Policy

KEY = bytes(range(32))
LONGEST = "7" * 2**16


def texts(rows: int, longest: int) -> pa.Array:
    """Return rows of many lengths, some of them null or invalid, that begin inside an array."""
    chance = np.random.default_rng(rows)
    values: list[str | None] = ["7" * int(size) for size in chance.integers(2, longest, rows)]
    values[::7] = [None] * len(values[::7])
    values[3::11] = ["seven"] * len(values[3::11])
    return pa.array(["before", *values, "after"]).slice(1, rows)


@pytest.mark.parametrize("work", [1, 1000, 100_000])
@pytest.mark.parametrize("form", [formats.digits(), formats.ascii(keep_first=1)])
def test_batches_change_nothing(monkeypatch: pytest.MonkeyPatch, form: Format, work: int) -> None:
    tool = Tokenizer(form, KEY, namespace="test", on_invalid="keep")
    values, tweaks = texts(300, 60), pa.array([str(row) for row in range(305)]).slice(5)
    results = []
    for limit in (tokenizer_module._WORK, work):
        monkeypatch.setattr(tokenizer_module, "_WORK", limit)
        counts = Counts()
        made = tool.transform(values, tweaks, decrypt=False, counts=counts)
        whole = tool.protect(pa.chunked_array([values, values]))
        results.append((made.to_pylist(), counts, whole.to_pylist()))
        assert tool.transform(made, tweaks, decrypt=True, counts=Counts()).equals(values)
    assert results[0] == results[1]


def test_batches_of_scripts_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    tool = Tokenizer(formats.unicode(), KEY, namespace="test")
    values = pa.array(["Jürgen", None, "Ελένη", "Анна", "山田"] * 30)
    whole = tool.protect(values)
    monkeypatch.setattr(tokenizer_module, "_WORK", 100)
    assert tool.protect(values).equals(whole)


POLICY = """
unlisted = "keep"
[columns]
"inner.number" = { format = "digits", key = "people:1", namespace = "n" }
number = { format = "digits", key = "people:1", namespace = "n", tweak = "row" }
"""


@pytest.mark.parametrize("kind", ["table", "batch", "reader", "polars"])
def test_batches_of_tables_change_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: str
) -> None:
    numbers = [None if row % 7 == 3 else str(10**6 + row) for row in range(300)]
    table = pa.table(
        {"row": range(300), "number": numbers, "inner": [{"number": n} for n in numbers]}
    )
    makers: dict[str, Callable[[], Any]] = {
        "table": lambda: table,
        "batch": lambda: table.to_batches()[0],
        "reader": lambda: table.to_reader(max_chunksize=200),
        "polars": lambda: pl.from_arrow(table),
    }
    ring = make_ring(tmp_path / "a.keys", "people")
    done = []
    real = Call._transform

    def counted(*arguments: Any) -> Any:  # noqa: ANN401
        done.append(1)
        return real(*arguments)

    monkeypatch.setattr(Call, "_transform", counted)
    made, calls = [], []
    with Protector(Policy.parse(POLICY), ring) as protector:
        for limit in (tokenizer_module._WORK, 100):
            monkeypatch.setattr(tokenizer_module, "_WORK", limit)
            tokens = protector.protect(makers[kind]())
            made.append(pa.table(tokens).to_pydict() if kind != "batch" else tokens.to_pydict())
            calls.append(len(done))
        assert pa.table(protector.reveal(pa.table(made[1]))).to_pydict() == table.to_pydict()
    assert made[0] == made[1] != table.to_pydict()
    assert calls[0] <= 2
    assert calls[1] > 10


@pytest.mark.parametrize("tweaked", [False, True])
def test_a_dictionary_is_done_as_a_whole(monkeypatch: pytest.MonkeyPatch, *, tweaked: bool) -> None:
    """Its indices, once read as offsets, made for parts of few rows, each with all its values."""
    words = pa.array([f"{number:04}" for number in range(300)])
    indices = pa.array([row * 299 % 300 for row in range(5000)], pa.int16())
    values = pa.DictionaryArray.from_arrays(indices, words)
    tweaks = pa.array([str(row) for row in range(5000)]) if tweaked else None
    tool = Tokenizer(formats.digits(), KEY, namespace="test")
    calls = []
    real = Tokenizer._run

    def counted(*arguments: Any) -> Any:  # noqa: ANN401
        calls.append(1)
        return real(*arguments)

    monkeypatch.setattr(Tokenizer, "_run", counted)
    made = tool.protect(values, tweaks)
    assert len(calls) == 1
    assert made.dictionary_decode().equals(tool.protect(values.dictionary_decode(), tweaks))


@pytest.mark.parametrize("form", [formats.digits, formats.unicode])
@pytest.mark.parametrize("chunked", [False, True])
def test_a_signal_ends_a_long_call(
    monkeypatch: pytest.MonkeyPatch,
    form: Any,  # noqa: ANN401
    chunked: bool,
) -> None:
    """Without batches all 16 values are done before Python handles the signal."""
    text = LONGEST if form is formats.digits else "é" * 2**14
    values = pa.array([text] * 16)
    done = []
    real = Tokenizer._run

    def counted(*arguments: Any) -> Any:  # noqa: ANN401
        made = real(*arguments)
        done.append(1)
        return made

    monkeypatch.setattr(Tokenizer, "_run", counted)
    tool = Tokenizer(form(max_length=2**16), KEY, namespace="test")
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(KeyboardInterrupt):
            tool.protect(pa.chunked_array([values]) if chunked else values)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(done) < 16

# SPDX-License-Identifier: Apache-2.0
"""What is counted of values, beside a model that counts them one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.formats import Reason
from tallystick.formats.format import REASONS
from tallystick.report import plots
from tallystick.report.statistics import MOST_ROW_NUMBERS, ColumnStatistics
from tallystick.report.values import ENOUGH_ROWS, ENOUGH_VALUES, LONGEST, Counts, ValueStatistics

TEXTS = st.lists(st.none() | st.text("ab é字😀\0", max_size=9), max_size=60)


def counted(batches: Sequence[pa.Array]) -> ValueStatistics:
    statistics = ValueStatistics()
    for batch in batches:
        statistics.add(batch)
    return statistics


def counts_of(array: Counts) -> dict[int, int]:
    return {int(place): int(array[place]) for place in np.flatnonzero(array)}


def check(statistics: ValueStatistics, values: Sequence[str | None]) -> None:
    """Compare with a model."""
    present = [value for value in values if value is not None]
    lengths = Counter(min(len(value), LONGEST) for value in present)
    assert counts_of(statistics.lengths) == lengths
    symbols = Counter(map(ord, "".join(present)))
    assert counts_of(statistics.symbols) == symbols
    rows = Counter(ord(symbol) for value in present for symbol in set(value))
    found = counts_of(statistics.rows)
    assert found.keys() == rows.keys()
    for symbol, count in found.items():
        assert min(rows[symbol], ENOUGH_ROWS) <= count <= rows[symbol]
    assert statistics.enough == (len(set(present)) >= ENOUGH_VALUES)


@given(st.lists(TEXTS, max_size=4), st.sampled_from([pa.string(), pa.large_string()]))
def test_text_in_batches(batches: list[list[str | None]], kind: pa.DataType) -> None:
    check(
        counted([pa.array(batch, kind) for batch in batches]),
        [value for batch in batches for value in batch],
    )


@given(TEXTS, st.integers(0, 60), st.integers(0, 60))
def test_slices_of_arrays(values: list[str | None], start: int, size: int) -> None:
    array = pa.array(values, pa.string()).slice(start, size)
    check(counted([array]), array.to_pylist())


def test_a_large_batch() -> None:
    values: list[str | None] = [f"{row:07d}" for row in range(20_000)]
    values += ["y" * 20, None, "x" * 400]
    values += ["z"] * (ENOUGH_ROWS - 1)
    check(counted([pa.array(values)]), values)


def test_symbols_of_few_rows_among_many() -> None:
    values: list[str | None] = ["abc"] * 9000
    for row, symbol in ((0, "q"), (300, "q"), (8999, "q"), (5000, "rr")):
        values[row] = symbol
    values[4000:4020] = ["s"] * 20
    check(counted([pa.array(values[:5000]), pa.array(values[5000:])]), values)


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        (pa.array([1, -20, None], pa.int16()), ["1", "-20", None]),
        (pa.array([date(1970, 1, 2), None]), ["1970-01-02", None]),
        (pa.array([Decimal("1.50"), Decimal("-0.01")]), ["1.50", "-0.01"]),
        (pa.array([0], pa.timestamp("s")), ["1970-01-01 00:00:00"]),
    ],
)
def test_values_that_are_no_text(values: pa.Array, texts: list[str | None]) -> None:
    check(counted([values]), texts)


def test_a_type_without_a_text_form() -> None:
    statistics = counted([pa.array([[1]])])
    assert statistics.foreign == pa.list_(pa.int64())
    assert statistics.lengths.sum() == 0


def test_text_that_is_not_utf_8() -> None:
    raw = pa.array([b"a\xff\xfe", b"b"])
    values = pa.Array.from_buffers(pa.string(), 2, raw.buffers())
    statistics = counted([values])
    assert statistics.lengths.sum() == 2
    assert statistics.symbols[ord("a")] == statistics.symbols[ord("b")] == 1


@pytest.mark.parametrize("different", [ENOUGH_VALUES - 1, ENOUGH_VALUES])
def test_different_values_are_counted_and_not_rows(different: int) -> None:
    values = [str(row % different) for row in range(20_000)]
    batches = [pa.array(values[start : start + 5000]) for start in range(0, 20_000, 5000)]
    assert counted(batches).enough == (different >= ENOUGH_VALUES)


@pytest.mark.parametrize(("rows", "read"), [(1000, 1000), (3000, 1024), (32_000, 2000)])
def test_of_large_batches_the_first_rows_are_counted(rows: int, read: int) -> None:
    values = [f"{row:05d}" for row in range(rows)]
    new = [f"{row:06d}" for row in range(rows)]
    statistics = ColumnStatistics(whole=False)
    statistics.add(pa.array(values), pa.array(new), np.zeros(rows, np.uint8), 0)
    check(statistics.before, values[:read])
    check(statistics.after, new[:read])
    assert statistics.before.counted == read


def test_rejected_rows_are_the_first_ones_in_any_order_of_batches() -> None:
    statistics = ColumnStatistics()
    rows = 60
    for batch in (4, 0, 3, 1, 2):
        values = pa.array(["a"] * rows)
        status = np.zeros(rows, np.uint8)
        status[::2] = REASONS.index(Reason.RANGE)
        status[1] = REASONS.index(Reason.CHECK)
        statistics.add(values, values, status, batch * rows)
    assert statistics.rejected[Reason.RANGE] == list(range(0, 2 * MOST_ROW_NUMBERS, 2))
    assert statistics.rejected[Reason.CHECK] == [1, 61, 121, 181, 241]
    assert statistics.rejected.keys() == {Reason.RANGE, Reason.CHECK}


# What plots show of it.


def groups_of(make: object, before: list[str], after: list[str]) -> dict[str, plots.Group]:
    assert callable(make)
    found = make(counted([pa.array(before)]), counted([pa.array(after)]))
    assert len({group.label for group in found}) == len(found)
    for side in ("before", "after"):
        assert sum(getattr(group, side) or 0 for group in found) == pytest.approx(1)
    return {group.label: group for group in found}


def test_lengths_of_few_rows_are_reported_together() -> None:
    few = ["a" * 7] * (ENOUGH_ROWS - 1) + ["a" * 30]
    groups = groups_of(plots.lengths, ["aa"] * 90 + few, ["aaa"] * 100)
    assert groups.keys() == {"2", "3", plots.OTHERS}
    assert groups["2"] == plots.Group("2", 0.9, None)
    assert groups["3"] == plots.Group("3", None, 1.0)
    assert groups[plots.OTHERS].before == pytest.approx(0.1)
    assert groups[plots.OTHERS].after is None
    again = groups_of(plots.lengths, ["aa"] * 90 + ["a" * 7] * ENOUGH_ROWS, ["aaa"] * 100)
    assert again["7"].before == 0.1


def test_symbols_of_few_rows_are_reported_together() -> None:
    """However often they are in these."""
    before = ["ab"] * 95 + ["q" * 100] * (ENOUGH_ROWS - 1)
    groups = groups_of(plots.symbols, before, ["a \u0301\n"] * 100)
    assert groups.keys() == {"a", "b", "␣", "◌\u0301", "U+000A", plots.OTHERS}
    assert groups["b"].before == pytest.approx(95 / (190 + 900))
    assert groups[plots.OTHERS].before == pytest.approx(900 / (190 + 900))
    assert groups[plots.OTHERS].after is None


@pytest.mark.parametrize("rows", [ENOUGH_ROWS - 1, ENOUGH_ROWS])
def test_few_rows_of_one_side_are_not_shown_beside_many_of_the_other(rows: int) -> None:
    values = ["aa"] * 100, ["aa"] * rows + ["b"] * 100
    for make, label in ((plots.lengths, "2"), (plots.symbols, "a")):
        groups = groups_of(make, *values)
        assert groups[label].before == 1
        assert (groups[label].after is None) == (rows < ENOUGH_ROWS)


def test_many_lengths_and_many_symbols() -> None:
    values = ["x" * length for length in range(LONGEST + 50) for _ in range(ENOUGH_ROWS)]
    groups = groups_of(plots.lengths, values, values)
    assert len(groups) <= 40
    assert list(groups)[-1].endswith("+")
    wide = [chr(0x4E00 + code % 200) for code in range(200 * ENOUGH_ROWS)]
    groups = groups_of(plots.symbols, wide, ["a"] * 100)
    assert len(groups) == plots.MOST_GROUPS + 1
    assert groups["a"].after == 1


@given(
    st.lists(
        st.tuples(st.none() | st.floats(1e-9, 1), st.none() | st.floats(1e-9, 1)), max_size=64
    ),
    st.sampled_from([340, 640]),
)
def test_bars_lie_within_the_plot(
    shares: list[tuple[float | None, float | None]], width: int
) -> None:
    groups = [plots.Group(str(n), *pair) for n, pair in enumerate(shares)]
    plot = plots.plot(groups, width)
    assert len(plot.bars) == sum(share is not None for pair in shares for share in pair)
    for bar in plot.bars:
        assert plot.left <= bar.x
        assert bar.x + bar.width <= plot.right
        assert 0 <= bar.y < plot.base
        assert bar.y + bar.height == pytest.approx(plot.base, abs=0.02)
    assert len(plot.labels) == len(groups)
    assert 2 <= len(plot.ticks) <= 6
    tallest = max((bar.share for bar in plot.bars), default=None)
    for bar in plot.bars:
        if bar.share == tallest:
            assert bar.height >= max(other.height for other in plot.bars) - 0.02

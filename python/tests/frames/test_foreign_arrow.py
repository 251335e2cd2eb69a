# SPDX-License-Identifier: Apache-2.0
"""Arrow data of other libraries whose structures lie: errors before pyarrow believes them."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from tallystick import ParameterError, Protector, TallyError, Tokenizer, formats
from tallystick import _core as core
from tallystick.capsules import _pointer

ffi = core.ffi
Lie = Callable[[Any], None]


def structure(capsule: object, name: str, kind: str) -> Any:  # noqa: ANN401
    return ffi.cast(f"struct {kind} *", _pointer(capsule, name.encode()))


class Liar:
    """An array of another library, whose structure is changed on the way."""

    def __init__(self, held: pa.Array | pa.RecordBatch, lie: Lie) -> None:
        self.held, self.lie = held, lie

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        kind, values = self.held.__arrow_c_array__()
        self.lie(structure(values, "arrow_array", "ArrowArray"))
        return kind, values


class LyingStream:
    """A stream of another library, whose second array lies, or which fails."""

    def __init__(self, held: Any, lie: Lie | None, *, lying_type: bool = False) -> None:  # noqa: ANN401
        self.held, self.lie, self.lying_type = held, lie, lying_type
        self.asked = 0

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        capsule = self.held.__arrow_c_stream__()
        stream = structure(capsule, "arrow_array_stream", "ArrowArrayStream")
        real, real_type = stream.get_next, stream.get_schema

        def get_next(own: Any, out: Any) -> int:  # noqa: ANN401
            self.asked += 1
            if self.asked == 2 and self.lie is None:
                return 5
            code = real(own, out)
            if self.asked == 2 and self.lie is not None:
                self.lie(out)
            return int(code)

        def get_schema(own: Any, out: Any) -> int:  # noqa: ANN401
            code = real_type(own, out)
            if self.lying_type:
                out.children = ffi.NULL
            return int(code)

        self.kept = (
            ffi.callback("int(struct ArrowArrayStream *, struct ArrowArray *)", get_next),
            ffi.callback("int(struct ArrowArrayStream *, struct ArrowSchema *)", get_schema),
        )
        stream.get_next, stream.get_schema = self.kept
        return capsule


def set_to(**fields: object) -> Lie:
    def lie(values: Any) -> None:  # noqa: ANN401
        for name, value in fields.items():
            setattr(values, name, value)

    return lie


def without_buffers(values: Any) -> None:  # noqa: ANN401
    for i in range(values.n_buffers):
        values.buffers[i] = ffi.NULL


LIES = {
    "children": set_to(n_children=3),
    "no buffers": set_to(buffers=ffi.NULL),
    "null buffers": without_buffers,
    "offset": set_to(offset=-1),
    "length": set_to(length=-1),
    "far": set_to(length=2**62),
    "nulls": set_to(null_count=77),
    "few buffers": set_to(n_buffers=0),
}
each_lie = pytest.mark.parametrize("lie", LIES.values(), ids=LIES)


def child(lie: Lie) -> Lie:
    """Return the lie of a batch's first column."""
    return lambda values: lie(values.children[0])


@pytest.fixture
def cards() -> Tokenizer:
    return Tokenizer(formats.card(), bytes(16), namespace="n")


@each_lie
def test_a_column_that_lies(cards: Tokenizer, lie: Lie) -> None:
    held = pa.array(["4111111111111111", "5500000000000004"])
    assert cards.reveal(cards.protect(Liar(held, set_to()))).equals(held)
    with pytest.raises(ParameterError, match=r"^a damaged Arrow array: "):
        cards.protect(Liar(held, lie))
    chunks = pa.chunked_array([held, held])
    assert cards.reveal(cards.protect(LyingStream(chunks, set_to()))).equals(chunks)
    with pytest.raises(ParameterError, match=r"^a damaged Arrow array: "):
        cards.protect(LyingStream(chunks, lie))
    gc.collect()


@each_lie
def test_a_table_that_lies(protector: Protector, plain: pa.Table, lie: Lie) -> None:
    batch = plain.combine_chunks().to_batches()[0]
    # A table needs no buffer: it may lack its bitmap.
    for each in [child(lie)] if lie is without_buffers else [lie, child(lie)]:
        with pytest.raises(ParameterError, match=r"^a damaged Arrow array: "):
            protector.protect(Liar(batch, each))
        twice = pa.Table.from_batches([batch, batch])
        stream = protector.protect(LyingStream(twice, each))
        with pytest.raises(pa.ArrowInvalid, match="a damaged Arrow array: "):
            pa.table(stream)  # through the C interface, which has texts of errors alone
    gc.collect()


def test_a_type_that_lies(protector: Protector, plain: pa.Table) -> None:
    with pytest.raises(ParameterError, match=r"^a damaged Arrow array: its children are missing$"):
        protector.protect(LyingStream(plain, set_to(), lying_type=True))


def test_a_stream_that_fails(protector: Protector, plain: pa.Table, cards: Tokenizer) -> None:
    twice = pa.chunked_array([["4111111111111111"], ["4111111111111111"]])
    with pytest.raises(TallyError, match=r"the Arrow stream of another library failed: "):
        cards.protect(LyingStream(twice, None))
    with pytest.raises(ParameterError, match="call protect_column"):
        protector.protect(LyingStream(twice, set_to()))


@pytest.mark.parametrize("given", [(), (1, 2), ("a", None)])
def test_what_are_no_capsules(cards: Tokenizer, given: tuple[object, ...]) -> None:
    class Strange:
        def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, ...]:
            return given

    with pytest.raises(ParameterError, match="Arrow data of another library lacks its arrow_"):
        cards.protect(Strange())

# SPDX-License-Identifier: Apache-2.0
"""The examples of docs/reference/frames.md and sql.md run, each page as one program."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from frames_support import POLICY
from pages import blocks
from tallystick import Protector

DOCS = Path(__file__).parents[3] / "docs" / "reference"


@pytest.fixture
def place(
    directory: Path, protector: Protector, plain: pa.Table, tokens: pa.Table, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Path:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("people.toml").write_text(POLICY)
    shutil.copy(directory / "a.keys", "people.keys")
    shutil.copy(directory / "root.key", "root.key")
    Path("source").mkdir()
    pq.write_table(plain, "source/0.parquet")
    pq.write_table(plain, "people.parquet")
    pq.write_table(tokens, "safe.parquet")
    cards = plain.column("card").slice(0, 5)
    pq.write_table(pa.table({"card": cards, "paid": range(5)}), "payments.parquet")
    return tmp_path


def run(document: str, known: dict[str, object], library: str = "") -> dict[str, object]:
    """Run the examples, those of other libraries than `library` left out if one is named."""
    examples = blocks((DOCS / document).read_text("utf-8"), "python")
    assert len(examples) > 3
    for block in examples:
        if not hasattr(duckdb.DuckDBPyRelation, "to_arrow_reader"):  # DuckDB 1.4
            block = block.replace("to_arrow_reader", "fetch_record_batch")
        other = {"pandas": "polars", "polars": "pandas"}.get(library)
        if other is None or f"tallystick.frames.{other}" not in block:
            exec(block, known)  # noqa: S102 (our own text)
    return known


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames(protector: Protector, place: Path, plain: pa.Table, library: str) -> None:
    frame = pl.from_arrow(plain)
    if library == "pandas":
        frame = plain.to_pandas(types_mapper=pd.ArrowDtype)
    known: dict[str, object] = {"table": plain, "frame": frame, "key": bytes(32)}
    made = run("frames.md", {**known, "protector": protector}, library)
    assert made["rows"] == len(plain)
    assert pq.read_table("back.parquet").equals(plain)
    safe = made["safe"]
    if library == "pandas":
        assert isinstance(safe, pd.DataFrame)
        assert made["cards"].equals(safe["card"])  # type: ignore[attr-defined]
    else:
        assert isinstance(safe, pl.DataFrame)
        assert len(made["some"]) == 10  # type: ignore[arg-type]


def test_sql(protector: Protector, place: Path, plain: pa.Table) -> None:
    made = run("sql.md", {"protector": protector, "key": bytes(32)})
    cards = plain.column("card").slice(0, 5).to_pylist()
    assert made["found"] == [(card, i) for i, card in enumerate(cards) if card is not None]

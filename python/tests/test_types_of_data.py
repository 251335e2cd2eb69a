# SPDX-License-Identifier: Apache-2.0
"""What type checkers conclude: data comes out as what it was."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from mypy import api

STUBS = {
    "pandas": """
from typing import Generic, TypeVar
T = TypeVar("T")
class DataFrame:
    @property
    def iloc(self) -> int: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
class Series(Generic[T]):
    @property
    def iloc(self) -> T: ...
""",
    "pyarrow": """
from typing import Any
class Table:
    schema: int
    def cast(self, target: int) -> Table: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
class RecordBatchReader:
    schema: int
    def cast(self, target: int) -> RecordBatchReader: ...
class RecordBatch:
    schema: int
    def cast(self, target: int) -> RecordBatch: ...
    def __arrow_c_array__(self, schema: object | None = None) -> tuple[object, object]: ...
def __getattr__(name: str) -> Any: ...
""",
    "pyarrow/dataset": """
class Dataset:
    schema: int
    def get_fragments(self) -> list[int]: ...
""",
}
"""A little of what their packages of types say: pandas and pyarrow have none themselves."""

CASES = {
    "polars.DataFrame": "polars.dataframe.frame.DataFrame",
    "polars.LazyFrame": "polars.lazyframe.frame.LazyFrame",
    "polars.Series": "polars.series.series.Series",
    "duckdb.DuckDBPyRelation": "duckdb._relation.DuckDBPyRelation",
    "pandas.DataFrame": "pandas.DataFrame",
    "pandas.Series[str]": "pandas.Series[str]",
    "pyarrow.Table": "pyarrow.Table",
    "pyarrow.RecordBatchReader": "pyarrow.RecordBatchReader",
    "pyarrow.dataset.Dataset": "pyarrow.RecordBatchReader",
    "Own": "tallystick.capsules.ArrowData",
    "OwnTable": "pyarrow.Table",
    "OwnBatch": "pyarrow.RecordBatch",
}


@pytest.mark.slow
def test_data_comes_out_as_what_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config
) -> None:
    for name, text in STUBS.items():
        path = tmp_path / "stubs" / name
        path = path / "__init__.pyi" if "/" not in name else path.with_suffix(".pyi")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    lines = [
        "import duckdb, pandas, polars, pyarrow, pyarrow.dataset",
        "from tallystick import Protector",
        "class Own:",
        "    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...",
        "class OwnTable(Own):",
        "    def __len__(self) -> int: raise NotImplementedError",
        "class OwnBatch:",
        "    def __arrow_c_array__(self, requested_schema: object | None = None)"
        " -> tuple[object, object]: raise NotImplementedError",
        "def made(p: Protector) -> None:",
    ]
    for number, data in enumerate(CASES):
        lines += [f"    def f{number}(data: {data}) -> None:"]
        lines += ["        reveal_type(p.protect(data))", "        reveal_type(p.reveal(data))"]
    lines += ["    p.protect(3)"]
    program = tmp_path / "program.py"
    program.write_text("\n".join(lines), "utf-8")
    root = pytestconfig.rootpath
    monkeypatch.setenv("MYPYPATH", f"{tmp_path / 'stubs'}:{root / 'python'}")
    said, failed, _ = api.run(
        [
            *("--config-file=", "--explicit-package-bases", "--follow-imports=silent"),
            *(f"--cache-dir={root / 'build' / 'mypy-types'}", "--ignore-missing-imports"),
            str(program),
        ]
    )
    assert not failed
    assert re.findall(r'Revealed type is "(.*)"', said) == [
        made for made in CASES.values() for _ in range(2)
    ]
    assert re.findall(r"error: (.*)", said) == [
        'No overload variant of "protect" of "Protector" matches argument type "int"  '
        "[call-overload]"
    ], said

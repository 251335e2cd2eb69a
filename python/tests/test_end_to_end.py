# SPDX-License-Identifier: Apache-2.0
"""Customers with all traps through `inspect`, `check`, `protect` and `reveal`."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

from program import set_defaults
from tallystick.cli.errors import ExitCode
from tallystick.cli.main import run
from tallystick.files import csv_blocks, csv_stretches, sample
from tallystick.policy import Policy
from traps import as_text, customer_table, order_table, with_types

ROWS = 6_000
NOT_SENSITIVE = {
    *("order_date", "product_name", "status", "is_active", "warehouse", "batch"),
    *("country", "order_no", "price", "rating", "rooms[]", "tags{}"),
}
OF_NO_FORMAT = ("pause",)
FILES = ("customers.csv", "customers.parquet", "orders.parquet")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with files and a ring, where a file above 1 MiB counts as a large one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sample, "WHOLE_BYTES", 1 << 20)
    monkeypatch.setattr(sample, "STRETCHES", 16)
    monkeypatch.setattr(csv_blocks, "BLOCK", 1 << 16)
    for module in (sample, csv_stretches):
        monkeypatch.setattr(module, "SIZES", (1 << 14, 1 << 16))
    set_defaults(monkeypatch, "draft.toml", "data.keys")
    assert run(["keyring", "new", "data.keys"]) == ExitCode.OK
    assert run(["keyring", "add", "data.keys", "data"]) == ExitCode.OK
    customers = customer_table(ROWS)
    assert customers.num_columns == 35
    pacsv.write_csv(as_text(customers), "customers.csv")
    pq.write_table(with_types(customers), "customers.parquet", row_group_size=ROWS // 3)
    pq.write_table(order_table(customers), "orders.parquet")
    return tmp_path


def table_of(path: str) -> pa.Table:
    if path.endswith(".parquet"):
        return pq.read_table(path)
    names = pacsv.open_csv(path).schema.names
    types = dict.fromkeys(names, pa.string())
    return pacsv.read_csv(path, convert_options=pacsv.ConvertOptions(column_types=types))


@pytest.mark.slow
@pytest.mark.usefixtures("place")
def test_nothing_passes_in_clear_that_the_policy_does_not_name() -> None:
    assert run(["inspect", *FILES, "--rows", "2000", "--write-policy", "draft.toml"]) == 0
    draft = Path("draft.toml").read_text()
    policy = Policy.load("draft.toml")
    protected = {rule.column for rule in policy.rules}
    assert "ssn" in protected
    assert set(policy.keep) == NOT_SENSITIVE
    assert not any(rule.form.one_way for rule in policy.rules)
    assert run(["check", "customers.csv", "-q", "--ignore-missing"]) == ExitCode.OK
    # Columns that no format takes end a run until somebody decides.
    assert run(["check", "customers.parquet", "-q"]) == ExitCode.POLICY
    assert run(["protect", "customers.parquet", "t-customers.parquet"]) == ExitCode.POLICY
    assert not Path("t-customers.parquet").exists()
    for name in OF_NO_FORMAT:
        draft, count = re.subn(rf'# ("{name}", # )', r"\1", draft)
        assert count == 1
    Path("draft.toml").write_text(draft)
    for name in FILES:
        missing = ["--ignore-missing"] if name != "customers.parquet" else []
        assert run(["check", name, "-q", *missing]) == ExitCode.OK, name
        assert run(["protect", name, f"t-{name}", "-q", *missing]) == ExitCode.OK, name
        assert run(["reveal", f"t-{name}", f"b-{name}", "-q", *missing]) == ExitCode.OK, name
        before, tokens = table_of(name).flatten(), table_of(f"t-{name}").flatten()
        for column in before.column_names:
            pairs = zip(before[column].to_pylist(), tokens[column].to_pylist(), strict=True)
            same = sum(one == other for one, other in pairs if one not in (None, ""))
            if column in protected:
                assert same < ROWS // 50, f"{name}: {column}"
            else:
                assert {column, f"{column}[]", f"{column}{{}}"} & {*NOT_SENSITIVE, *OF_NO_FORMAT}
                assert before[column].equals(tokens[column])
        assert table_of(f"b-{name}").flatten().equals(before)
    assert Path("b-customers.csv").read_bytes() == Path("customers.csv").read_bytes()
    # The tables still join, also text of integers with integers.
    csv, customers, orders = (table_of(f"t-{name}") for name in FILES)
    assert csv["customer_id"].to_pylist() == customers["customer_id"].cast(pa.string()).to_pylist()
    assert orders["customer_id"].equals(customers["customer_id"])
    equal = table_of("orders.parquet")["email"].to_pylist()
    for before, one, other in zip(
        zip(equal, table_of("customers.csv")["email"].to_pylist(), strict=True),
        orders["email"].to_pylist(),
        csv["email"].to_pylist(),
        strict=True,
    ):
        assert (before[0] == before[1]) == (one == other)

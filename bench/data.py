# SPDX-License-Identifier: Apache-2.0
"""Made-up people, the same ones each time: columns, and a table of them as Parquet and CSV.

Names are drawn from short lists; card numbers are random digits behind a 4, with a check digit that
is right; addresses end in domains that are reserved for examples (RFC 2606).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

SEED = 20211171

_GIVEN = (
    "Ada Amina Anna Bao Chen Clara David Elena Emeka Fatima Finn George Hana Hassan Ines Ivan Jane "
    "Jonas Karim Kofi Laura Leila Luca Maria Mei Mohamed Nadia Noah Olga Omar Paula Pedro Priya "
    "Ravi Rosa Sara Sofia Tariq Theo Yuki"
)
_FAMILY = (
    "Abara Ahmed Almeida Becker Bernard Brown Castillo Chaudhary Dubois Eriksen Ferrari Garcia "
    "Green Haddad Hansen Ibrahim Ivanova Jensen Johnson Kaya Kim Kowalska Lopez Martin Mensah "
    "Meyer Nguyen Novak O'Brien Okafor Patel Petrov Rossi Sanchez Sato Schmidt Silva Singh Smith "
    "Suzuki Tanaka Torres Wagner Wang Williams Yilmaz Zhang Zimmermann"
)
_DOMAINS = ["example.com", "example.net", "example.org", "mail.example.com", "corp.example.net"]
_NOTES = [
    "called, no answer",
    "prefers e-mail",
    'asked for "express" delivery',
    "moved; new address is in the order",
    "second card on file, see account",
    "birthday discount sent",
]

Random = np.random.Generator


def random_numbers() -> Random:
    """Return the generator that all data starts from."""
    return np.random.default_rng(SEED)


def digits(random: Random, rows: int, length: int = 16) -> pa.StringArray:
    """Make strings of random decimal digits."""
    return _strings(random.integers(0, 10, (rows, length), np.uint8))


def cards(random: Random, rows: int) -> pa.StringArray:
    """Make numbers of 16 digits whose check digit is valid (Luhn)."""
    symbols = random.integers(0, 10, (rows, 16), np.uint8)
    symbols[:, 0] = 4
    doubled = symbols[:, 0:15:2] * 2
    total = (doubled // 10 + doubled % 10).sum(1) + symbols[:, 1:15:2].sum(1)
    symbols[:, 15] = -total.astype(np.int64) % 10
    return _strings(symbols)


def names(random: Random, rows: int) -> pa.StringArray:
    """Make given and family names, one in three with an initial between."""
    given, family = (_choice(random, each.split(), rows) for each in (_GIVEN, _FAMILY))
    initials = _choice(random, [*"ABCDEFGHIJKLM"], rows, missing=2 / 3)
    return pc.binary_join_element_wise(given, initials, family, " ", null_handling="skip")


def emails(random: Random, people: pa.StringArray) -> pa.StringArray:
    """Make addresses out of names and a number."""
    local = pc.replace_substring(pc.utf8_lower(people), " ", ".")
    numbers = pa.array(random.integers(1, 10_000, len(people))).cast(pa.string())
    return pc.binary_join_element_wise(
        pc.binary_join_element_wise(local, numbers, ""),
        _choice(random, _DOMAINS, len(people)),
        "@",
    )


def dates(random: Random, rows: int) -> pa.Date32Array:
    """Make days of the years 1930 to 2007."""
    first, last = np.datetime64("1930-01-01"), np.datetime64("2007-12-31")
    days = random.integers(first.astype(np.int64), last.astype(np.int64) + 1, rows)
    return pa.array(days.astype(np.int32)).cast(pa.date32())


def integers(random: Random, rows: int) -> pa.Int64Array:
    """Make numbers below 1e9."""
    return pa.array(random.integers(0, 10**9, rows))


def table(rows: int) -> pa.Table:
    """Make a table of people with their cards and orders."""
    random = random_numbers()
    people = names(random, rows)
    return pa.table(
        {
            "id": pa.array(np.arange(100_000, 100_000 + rows)),
            "name": people,
            "email": emails(random, people),
            "card": cards(random, rows),
            "dob": dates(random, rows),
            "amount": pa.array(random.integers(100, 100_000, rows) / 100),
            "notes": _choice(random, _NOTES, rows, missing=0.3),
        }
    )


def files(folder: Path, rows: int) -> tuple[Path, Path]:
    """Return the table as a Parquet and a CSV file, made unless they are there already."""
    folder.mkdir(parents=True, exist_ok=True)
    parquet, csv = (folder / f"people-{rows}.{suffix}" for suffix in ("parquet", "csv"))
    made_by = Path(__file__).stat().st_mtime
    if not all(path.exists() and path.stat().st_mtime > made_by for path in (parquet, csv)):
        people = table(rows)
        pq.write_table(people, parquet)
        pyarrow.csv.write_csv(people, csv)
    return parquet, csv


def _choice(random: Random, choices: list[str], rows: int, missing: float = 0.0) -> pa.StringArray:
    """Draw from a list; a part of the rows is null."""
    taken = random.integers(0, len(choices), rows)
    nulls = random.random(rows) < missing
    return pa.array(choices).take(pa.array(taken, mask=nulls))


def _strings(symbols: npt.NDArray[np.uint8]) -> pa.StringArray:
    """Turn rows of digits into strings of one length."""
    rows, length = symbols.shape
    offsets = np.arange(rows + 1, dtype=np.int32) * np.int32(length)
    text = symbols + np.uint8(ord("0"))
    return pa.StringArray.from_buffers(rows, pa.py_buffer(offsets), pa.py_buffer(text))

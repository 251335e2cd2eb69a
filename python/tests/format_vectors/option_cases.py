# SPDX-License-Identifier: Apache-2.0
"""Cases of options that no other case of their format has; ciphers are in ``models/ciphers.py``."""

from __future__ import annotations

from format_vectors.making import case
from format_vectors.record import Case, Row

_IMEI = ["49-015420-323751-8", "490154203237518", "352099001761481"]


def cases() -> list[Case]:
    """Make all of them."""
    kept: Row = {"keep_first": 2, "keep_last": 1, "kept_as_tweak": False}
    described: list[tuple[Row, list[str]]] = [
        ({"type": "hex", **kept}, ["00ff00ff", "12ff00f3"]),
        ({"type": "alphanumeric", **kept}, ["aB3dE6gH", "xx3dE6g9"]),
        ({"type": "base64url", **kept}, ["SGVsbG8gV29ybGQ=", "xxVsbG8gV29ybGZ"]),
        ({"type": "base64url", "separators": ".= "}, ["SGVs.bG8g V29ybGQ="]),
        ({"type": "ascii", **kept}, ["pa ss~wo!d", "xx ss~wo!e"]),
        (
            {"type": "alphabet", "alphabet": "ACGT", **kept, "min_length": 12, "max_length": 24},
            ["GATTACAGATTACA", "CCTTACAGATTACG", "ACGT" * 6],
        ),
        ({"type": "imei", "min_length": 14, "max_length": 15}, _IMEI),
        ({"type": "imei", "min_length": 3, "allow_tiny_domain": True}, [*_IMEI, "18", "117"]),
    ]
    probes = ["ACGTACGTACG", "ACGT" * 7, "GATTACA", "49015420323751", "4901542032375180", "1234"]
    return [case(form, values, probes=probes, draw=2) for form, values in described]

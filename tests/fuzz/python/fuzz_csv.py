# SPDX-License-Identifier: Apache-2.0
"""A CSV file of any dialect, protected and revealed: the same bytes, or an error and no file."""

import atheris

from harness import fuzz, pieces
from tables import NAMES, QUOTING, Runs, dialect, keyring, policy, protect, reveal
from tallystick.protection import preview_file

WORDS = [
    *("a,b,t\n", "f0", '""', '"', "'", "\r\n", "\r", "\ufeff", "\0", "\n\n", ", ", ";", "\t"),
    *("4111111111111111", "1234567", "Anne O'Neill", "jane@example.org", "2000-02-29", "-999"),
    *("SW1A 1AA", "DE89370400440532013000", "-1.50", "2026-05-04T03:02:01Z", "198.51.100.7"),
    *("2001:db8::7", "390.533.447-05", "Ünal", "भारत", "株式会社"),
]
run = Runs(".csv")


def one(data: bytes) -> None:
    """Protect and reveal what may be a table."""
    typed = atheris.FuzzedDataProvider(data[-16:])
    source = data[:-16]
    csv = dialect(typed)
    rules = policy(typed, csv)
    threads = typed.ConsumeIntInRange(1, 2)
    # Apostrophes of names stay, and where they are quotes, they need quotes themselves.
    names = csv.quote == "'" and b"'" in source
    quoting = names or any(rule.form == QUOTING for rule in rules.rules)
    run.begin(source)
    run.hidden = pieces(source, NAMES)
    if typed.ConsumeBool():
        run(reveal, rules, threads=threads)
        run.begin(source)
    tokens = run(protect, rules, threads=threads)
    if tokens is None:
        return
    preview_file(run.last, rules, keyring, decrypt=True)
    back = run(reveal, rules, threads=threads)
    assert back is not None, "tokens are not revealed"
    if quoting:  # quotes that a token or value needed have come, and stay
        tokens, back = run(protect, rules, threads=1), run(reveal, rules, threads=1)
    else:
        assert back == source, "other bytes come back"
    assert run(protect, rules, threads=3 - threads) == tokens, "other tokens"
    assert run(reveal, rules, threads=3 - threads) == back


if __name__ == "__main__":
    fuzz(one, WORDS)

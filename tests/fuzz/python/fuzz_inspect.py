# SPDX-License-Identifier: Apache-2.0
"""Looking at a CSV file: a draft that is a policy, and nothing said of it that is in the file."""

import atheris

from harness import Folder, fuzz, pieces, refusing
from tallystick.inspection import check_file, inspect_file
from tallystick.inspection.draft import draft_policy
from tallystick.policy import Policy

WORDS = [
    *("ssn", "email", "name", "date of birth", "card", "iban", "phone", "ip", "id", "\n", ",", ";"),
    *("4111111111111111", "078-05-1120", "jane@example.org", "2000-02-29", "198.51.100.7", "\t"),
    *("DE89370400440532013000", "390.533.447-05", "+1 (202) 555-0143", '"', "\r\n", "\0", "\ufeff"),
]
folder = Folder()


def one(data: bytes) -> None:
    """Inspect a file, and check it by the draft."""
    typed = atheris.FuzzedDataProvider(data[-4:])
    content = data[:-4]
    source = folder.file("one.tsv" if typed.ConsumeBool() else "one.csv", content)
    header = (None, None, True, False)[typed.ConsumeIntInRange(0, 3)]
    delimiter = (None, None, ";", ",")[typed.ConsumeIntInRange(0, 3)]
    rows = (10_000, 2)[typed.ConsumeIntInRange(0, 1)]
    first, _, body = content.lstrip(b"\r\n").partition(b"\n")  # columns' names, which messages show
    found = None
    with refusing(pieces(body, first)):
        found = inspect_file(source, rows=rows, delimiter=delimiter, header=header)
    if found is None:
        return
    named = "\n".join(finding.column for finding in found.findings).encode()
    hidden = pieces(content, named)
    text = draft_policy(found, "people:1")
    for value in hidden:
        assert value not in text, "a value in the draft"
    if any(finding.sensitive for finding in found.findings):
        policy = Policy.parse(text)
        with refusing(hidden):
            checked = check_file(source, policy)
            assert checked.rows is None or checked.rows >= found.files[0].rows


if __name__ == "__main__":
    fuzz(one, WORDS)

# SPDX-License-Identifier: Apache-2.0
"""E-mail addresses whose tokens are at a reserved domain."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keyring_support import make_ring
from tallystick import Counts, FormatError, InvalidValueError, Tokenizer, formats
from tallystick.formats import Reason
from tallystick.policy import Policy
from tallystick.protection import protect_file, reveal_file

KEY = bytes(range(16))
AT = "tokens.invalid"
FORM = formats.email(part="all", at=AT)
TOOL = Tokenizer(FORM, KEY, namespace="e-mail")
CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789.!#$%&'*+/?^_`{|}~-"


def reason_of(value: str, *, reveal: bool = False) -> str:
    with pytest.raises(InvalidValueError) as caught:
        (TOOL.reveal if reveal else TOOL.protect)(value)
    return caught.value.reason


@given(st.text(CHARACTERS, max_size=30), st.text(CHARACTERS, max_size=30))
def test_addresses_come_back(local: str, domain: str) -> None:
    address = f"{local}@{domain}"
    if sum(character.isalnum() for character in address) < 2:
        assert reason_of(address) == Reason.SHORT
        return
    token = TOOL.protect(address)
    before, end = token.rsplit("@", 1)
    assert end == AT
    assert "@" not in before
    assert before.count("=") == 1
    assert [len(part) for part in before.split("=")] == [len(local), len(domain)]
    assert TOOL.reveal(token) == address


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("a=b@example.org", Reason.FOREIGN),
        ("ann@exam=ple.org", Reason.FOREIGN),
        ("ann@b@c", Reason.DELIMITER),
        ("ann.example.org", Reason.DELIMITER),
        ("Ann@example.org", Reason.FOREIGN),
        ("é@example.org", Reason.FOREIGN),
        ("@", Reason.SHORT),
    ],
)
def test_what_is_no_address(value: str, reason: Reason) -> None:
    assert reason_of(value) == reason


@pytest.mark.parametrize(
    ("token", "reason"),
    [
        ("ann@example.org", Reason.NOTATION),
        ("ann=example.org", Reason.NOTATION),
        ("ann=example.org@tokens.invalid.org", Reason.NOTATION),
        ("ann=example.org@tokensxinvalid", Reason.NOTATION),
        ("ann.example.org@tokens.invalid", Reason.DELIMITER),
        ("a=n=example.org@tokens.invalid", Reason.DELIMITER),
        ("ann=example.org@tokens.invalid@tokens.invalid", Reason.DELIMITER),
        ("Ann=example.org@tokens.invalid", Reason.FOREIGN),
        ("", Reason.NOTATION),
    ],
)
def test_what_is_no_token(token: str, reason: Reason) -> None:
    assert reason_of(token, reveal=True) == reason


@pytest.mark.parametrize(
    "kind",
    [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())],
)
def test_columns_of_every_type(kind: pa.DataType) -> None:
    values = ["before", "ann@example.org", None, "a=b@c.de", "bob@x", "", "after"]
    column = pa.array(values, pa.string()).cast(kind).slice(1, 5)
    tweaks = pa.array(["1", "2", "3", "4", "5"])
    tool = Tokenizer(FORM, KEY, namespace="e-mail", on_invalid="null")
    counts = Counts()
    made = tool.transform(column, tweaks, decrypt=False, counts=counts)
    assert made.type == kind
    assert counts.invalid == {Reason.FOREIGN: 1, Reason.DELIMITER: 1}
    single = Tokenizer(FORM, KEY, namespace="e-mail")
    bob = single.protect("bob@x", "4")
    assert made.to_pylist() == [single.protect("ann@example.org", "1"), None, None, bob, None]
    back = tool.transform(made, tweaks, decrypt=True, counts=Counts())
    assert back.to_pylist() == ["ann@example.org", None, None, "bob@x", None]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_files(tmp_path: Path, kind: str) -> None:
    ring = make_ring(tmp_path / "a.keys", "people")
    rule = f'{{ type = "email", part = "all", at = "{AT}" }}'
    policy = Policy.parse(
        f'[columns]\nmail = {{ format = {rule}, key = "people:1", namespace = "e-mail" }}\n'
    )
    source, target, back = (tmp_path / f"{name}.{kind}" for name in ("a", "b", "c"))
    mails = [f"person{number}@example{number % 7}.org" for number in range(3000)]
    table = pa.table({"id": range(3000), "mail": mails, "note": ["x"] * 3000})
    if kind == "parquet":
        pq.write_table(table, source)
    else:
        rows = (f"{number},{mail},x\n" for number, mail in enumerate(mails))
        source.write_text("id,mail,note\n" + "".join(rows))
    protect_file(source, target, policy, ring)
    assert b"@example" not in target.read_bytes()
    reveal_file(target, back, policy, ring)
    if kind == "parquet":
        assert pq.read_table(back).equals(table)
    else:
        assert back.read_bytes() == source.read_bytes()


@pytest.mark.parametrize(
    "at", [AT, "a.b.invalid", "x-1.test", "example.com", "mail.example.org", "shop.example"]
)
def test_reserved_domains(at: str) -> None:
    tool = Tokenizer(formats.email(part="all", at=at), KEY, namespace="e-mail")
    assert tool.protect("ann@example.org").endswith(f"@{at}")


@pytest.mark.parametrize(
    "at",
    ["gmail.com", "notexample.com", "a b.invalid", "a@b.invalid", "tokens.invalid.",
     "x" * 64 + ".test", "x." * 124 + "invalid"],
)  # fmt: skip
def test_other_domains_are_refused(at: str) -> None:
    with pytest.raises(FormatError, match="at must be a reserved domain"):
        formats.email(part="all", at=at)


def test_the_character_at_fault_is_reported() -> None:
    for act, value in ((TOOL.protect, "ab=c@d.org"), (TOOL.reveal, "abC=d.org@tokens.invalid")):
        with pytest.raises(
            InvalidValueError, match=r"\((a letter|another character), character 3\)"
        ):
            act(value)


def test_tokens_are_others_than_at_another_domain() -> None:
    """So a marker, and a policy that mixes them, show the difference."""
    others = [formats.email(part="all"), formats.email(part="all", at="other.invalid")]
    identities = {str(form.identity) for form in (FORM, *others)}
    assert len(identities) == 3

# SPDX-License-Identifier: Apache-2.0
"""Signed policies: vectors that Go reads too, rings that demand them, the commands."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from subprocess import PIPE, Popen, TimeoutExpired
from typing import Any

import pyarrow as pa
import pytest

from keyring_support import make_ring
from program import set_defaults
from tallystick import Protector, formats
from tallystick.cli import policy as policy_command
from tallystick.cli.main import run
from tallystick.errors import ParameterError, PolicyError, RootKeyError
from tallystick.files import CsvOptions
from tallystick.inspection import check_file
from tallystick.keyring import FileRoot, KeyId, Keyring
from tallystick.policy import ColumnRule, Policy
from tallystick.policy.signatures import make_key, parse, public_key, sign
from tallystick.protection import preview_file, protect_file, reveal_file
from tallystick.rotation import rotate_file
from tallystick.text import TextPolicy, TextProtector

VECTORS: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "vectors" / "policy_signatures.json").read_text("utf-8")
)
TEXT = '[columns]\nid = { format = "digits", key = "people:1", namespace = "id" }\n'
KEPT = TEXT.replace('"id" }', '"id", on_invalid = "keep" }')


@pytest.mark.parametrize("case", VECTORS["cases"], ids=lambda case: case["source"])
def test_vectors(case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.toml").write_bytes(case["policy"].encode())
    if case["signatures"] is not None:
        Path("p.toml.sig").write_bytes(case["signatures"].encode())
    policy = Policy.load("p.toml")
    if case["refused"] is None:
        policy.check_signed(case["signers"], "RING")
        return
    with pytest.raises(PolicyError) as refused:
        policy.check_signed(case["signers"], "RING")
    assert str(refused.value) == case["refused"]


def test_signing_makes_the_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = {case["source"]: case for case in VECTORS["cases"]}
    found = None
    for name, seed, public in zip(
        ["signed by the only signer", "two signatures, one signer"],
        *(VECTORS["seeds"], VECTORS["public"]),
        strict=True,
    ):
        monkeypatch.setenv("SEED", seed)
        assert public_key("env:SEED") == public
        found = sign(cases[name]["policy"].encode(), "env:SEED", found)
        assert found.decode() == cases[name]["signatures"]
    assert sign(TEXT.encode(), "env:SEED", found).count(b"\n") == 3  # anew, and not twice
    assert sign(b"other", "env:SEED", found).count(b"\n") == 2  # the other holds no more
    monkeypatch.setenv("SEED", "12")
    with pytest.raises(RootKeyError, match="not a signing key"):
        public_key("env:SEED")
    with pytest.raises(ParameterError, match="never write the key") as written:
        public_key(VECTORS["seeds"][0])
    assert VECTORS["seeds"][0] not in str(written.value)


# Rings that demand signatures


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A ring that demands a signature, a policy that has it, and a file."""
    monkeypatch.chdir(tmp_path)
    ring = make_ring(Path("a.keys"), "people", "people")
    ring.set_signers([make_key("sign.key")])
    Path("a.toml").write_text(TEXT)
    Path("a.toml.sig").write_bytes(sign(TEXT.encode(), "file:sign.key"))
    Path("a.csv").write_text("id\n12345678\n87654321\n")
    set_defaults(monkeypatch, "a.toml", "a.keys")
    return tmp_path


def ring() -> Keyring:
    return Keyring.open("a.keys", FileRoot("root.key"))


@pytest.mark.usefixtures("place")
def test_all_ways_to_data_refuse_an_edited_policy() -> None:
    good = Policy.load("a.toml")
    protect_file("a.csv", "b.csv", good, ring())
    reveal_file("b.csv", "c.csv", good, ring())
    assert Path("c.csv").read_text() == Path("a.csv").read_text()
    with Protector.open(good, ring()) as protector:
        token = protector.protect_column("id", pa.array(["12345678"]))
    Path("a.toml").write_text(KEPT.replace("people:1", "people:2"))
    bad = Policy.load("a.toml")
    ways: list[Callable[[], object]] = [
        lambda: protect_file("a.csv", "d.csv", bad, ring()),
        lambda: reveal_file("b.csv", "d.csv", bad, ring()),
        lambda: preview_file("a.csv", bad, ring()),
        lambda: rotate_file("b.csv", "d.csv", [(good, bad)], ring()),
        lambda: rotate_file("b.csv", "d.csv", [(bad, good)], ring()),
        lambda: check_file("a.csv", bad, ring()),
        lambda: Protector.open(bad, ring()),
        lambda: Protector.of_columns(bad, ring(), ["id"]),
        lambda: Protector.open(),
    ]
    for way in ways:
        with pytest.raises(PolicyError, match=r"^a\.toml: was changed after it was signed"):
            way()
    assert not Path("d.csv").exists()
    assert token[0].as_py() in Path("b.csv").read_text()


@pytest.mark.usefixtures("place")
def test_a_policy_that_a_program_changed() -> None:
    good = Policy.load("a.toml")
    rule = good.rules[0]
    changed: list[tuple[Policy, str]] = [
        (replace(good, rules=(replace(rule, on_invalid="keep"),)), "rule of column 'id' is not"),
        (replace(good, rules=(replace(rule, form=formats.hex()),)), "rule of column 'id' is not"),
        (replace(good, rules=(replace(rule, column="other"),)), "rule of column 'other' is not"),
        (replace(good, keep=("name",)), "passes in clear"),
        (replace(good, unlisted="keep"), "passes in clear"),
        (replace(good, mixed_formats=("id",)), "passes in clear"),
        (replace(good, csv=CsvOptions(header=False)), r"\[csv\] is not as it was signed"),
        (replace(good, csv=CsvOptions(delimiter=";")), r"\[csv\] is not as it was signed"),
        (replace(good, signed=None), "was read from no file"),
        (Policy((ColumnRule("id", formats.digits(), KeyId("people", 1), "id"),)), "no file"),
    ]
    for policy, says in changed:
        with pytest.raises(PolicyError, match=says):
            Protector(policy, ring())
    coded = replace(good, csv=CsvOptions(encoding="latin-1"))  # as --encoding does
    for policy in (replace(good, unlisted="error"), replace(good, rules=()), coded, good):
        Protector(policy, ring()).close()


@pytest.mark.usefixtures("place")
def test_rotation_needs_a_signed_new_policy(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["protect", "a.csv", "b.csv"]) == 0
    assert run(["rotate", "b.csv", "c.csv", "--key", "people:1=people:2"]) == 3
    assert "the rule of column 'id' is not the signed one" in capsys.readouterr().err
    Path("new.toml").write_text(TEXT.replace("people:1", "people:2"))
    assert run(["rotate", "b.csv", "c.csv", "--to", "new.toml"]) == 3
    assert run(["policy", "sign", "new.toml", "--key", "file:sign.key"]) == 0
    assert run(["rotate", "b.csv", "c.csv", "--to", "new.toml"]) == 0
    assert run(["reveal", "c.csv", "d.csv", "-p", "new.toml"]) == 0
    assert Path("d.csv").read_text() == Path("a.csv").read_text()


@pytest.mark.usefixtures("place")
def test_signers_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    make_key("two.key")
    make_key("three.key")
    third = Popen(
        [
            sys.executable,
            "-c",
            "input(); from tallystick.cli.main import run; "
            "run(['policy', 'sign', 'a.toml', '--key', 'file:three.key'])",
        ],
        stdin=PIPE,
    )

    def slow(policy: bytes, source: str, known: bytes | None) -> bytes:
        made = sign(policy, source, known)
        with pytest.raises(TimeoutExpired):  # it waits for the lock
            third.communicate(b"\n", timeout=3)
        return made

    monkeypatch.setattr(policy_command, "sign", slow)
    assert run(["policy", "sign", "a.toml", "--key", "file:two.key"]) == 0
    assert third.wait(30) == 0
    assert len(parse(Path("a.toml.sig").read_bytes(), "")) == 3


@pytest.mark.usefixtures("place")
def test_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert (Path("sign.key").stat().st_mode & 0o777) == 0o600
    assert run(["policy", "key", "sign.key"]) == 2
    assert "File exists" in capsys.readouterr().err
    Path("other.key.pub").write_text("another")
    assert run(["policy", "key", "other.key"]) == 2
    assert "other.key.pub: can't make the file: File exists" in capsys.readouterr().err
    assert not Path("other.key").exists()
    assert Path("other.key.pub").read_text() == "another"
    Path("other.key.pub").unlink()
    assert run(["policy", "key", "other.key"]) == 0
    other = capsys.readouterr().out.split("signer: ")[1].strip()
    assert Path("other.key").read_text().strip() not in other
    assert run(["policy", "verify", "a.toml", "--signer", other]) == 3
    assert run(["policy", "sign", "a.toml", "--key", "file:other.key"]) == 0
    assert len(parse(Path("a.toml.sig").read_bytes(), "")) == 2
    assert run(["policy", "verify", "a.toml", "--signer", other]) == 0
    assert run(["policy", "verify", "a.toml", "--signer", "file:other.key.pub"]) == 0
    for text in ("file:other.key.sig", "file:a.toml", "12", f"file:{'ab' * 32}"):
        assert run(["policy", "verify", "a.toml", "--signer", text]) == 2
    assert "abab" not in capsys.readouterr().err
    assert run(["protect", "a.csv", "b.csv"]) == 0
    assert run(["keyring", "signers", "a.keys", "--signer", other]) == 0
    assert run(["keyring", "list", "a.keys"]) == 0
    assert f"takes only policies that {other} signed" in capsys.readouterr().out
    Path("a.toml").write_text(KEPT)
    assert run(["protect", "a.csv", "d.csv"]) == 3
    assert "was changed after it was signed" in capsys.readouterr().err
    assert run(["keyring", "signers", "a.keys", "--none"]) == 0
    assert run(["protect", "a.csv", "d.csv"]) == 0
    for wrong in ([], ["--none", "--signer", other], ["--signer", "12"], ["--signer", other] * 2):
        assert run(["keyring", "signers", "a.keys", *wrong]) == 2
    many = [word for i in range(17) for word in ("--signer", f"{i:064x}")]
    assert run(["keyring", "signers", "a.keys", *many]) == 2
    assert run(["keyring", "signers", "a.keys", *many[:-2]]) == 0


@pytest.mark.usefixtures("place")
def test_text_policies_are_signed_too(capsys: pytest.CaptureFixture[str]) -> None:
    text = "[kinds.email]\nkey = 'people:1'\nnamespace = 'e-mail'\nwords = ['x@y.z']\n"
    Path("t.toml").write_text(text)
    with pytest.raises(PolicyError, match=r"^t\.toml: .*t\.toml\.sig can't be read"):
        TextProtector.open("t.toml", ring())
    assert run(["policy", "sign", "t.toml", "--key", "file:sign.key"]) == 0
    public = Path("sign.key.pub").read_text().strip()
    assert run(["policy", "verify", "t.toml", "--signer", public]) == 0
    with TextProtector.open("t.toml", ring()) as protector:
        assert protector.reveal(protector.protect("to x@y.z")) == "to x@y.z"
    good = TextPolicy.load("t.toml")
    changed = replace(good, frame="ascii")
    for policy, said in (
        (changed, "t.toml: the policy in memory is not the signed one"),
        (TextPolicy.parse(text), "was read from no file"),
    ):
        with pytest.raises(PolicyError, match=said):
            TextProtector(policy, ring())
    Path("t.toml").write_text(text.replace("x@y.z", "none"))
    with pytest.raises(PolicyError, match=r"^t\.toml: was changed after it was signed"):
        TextProtector.open("t.toml", ring())
    capsys.readouterr()
    Path("t.toml.sig").write_text("damaged")
    assert run(["policy", "sign", "t.toml", "--key", "file:sign.key"]) == 3
    assert "t.toml.sig: not a file of signatures; restore it, or remove" in capsys.readouterr().err
    Path("t.toml.sig").unlink()
    assert run(["policy", "verify", "t.toml", "--signer", public]) == 3
    assert "t.toml: a signature is demanded, and t.toml.sig can't" in capsys.readouterr().err
    Path("t.toml").write_text(text + "other = 1\n")
    assert run(["policy", "sign", "t.toml", "--key", "file:sign.key"]) == 3
    assert "kinds.email.other: there is no such key" in capsys.readouterr().err

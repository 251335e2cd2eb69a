# SPDX-License-Identifier: Apache-2.0
"""Wrapping keys: one interface, several roots of a ring, rights of roots and keys."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyrage
import pytest

from keyring_support import PHRASE, Answers, edited, open_bytes
from tallystick import Protector, formats
from tallystick.cli.main import run as command
from tallystick.errors import (
    KeyringError,
    ParameterError,
    PolicyError,
    RootKeyDeniedError,
    RootKeyError,
    RootKeyLostError,
    TallyError,
)
from tallystick.keyring import (
    FileRoot,
    KeyId,
    Keyring,
    Root,
    RootKey,
    SharesRoot,
    WrappingRoot,
    split_root,
)
from tallystick.keyring.credentials import secret
from tallystick.policy import ColumnRule, Policy
from transit_server import TOKEN, Transit, transit

VECTORS = Path(__file__).parents[3] / "vectors" / "roots.json"


class Own:
    """A wrapping key of a user's own: it hides keys well enough for a test."""

    def __init__(self, name: str = "own:1") -> None:
        self.name = name
        self.contexts: list[bytes] = []

    def wrap(self, key: bytes, context: bytes) -> bytes:
        self.contexts.append(context)
        return bytes(byte ^ 0x55 for byte in key)

    def unwrap(self, wrapped: bytes, context: bytes) -> bytes:
        self.contexts.append(context)
        return bytes(byte ^ 0x55 for byte in wrapped)


def private(path: Path, text: str) -> Path:
    path.touch(mode=0o600)
    path.write_text(text)
    return path


@pytest.fixture
def identity(tmp_path: Path) -> Path:
    return private(tmp_path / "id.txt", f"# a comment\n{pyrage.x25519.Identity.generate()}\n")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Transit]:
    for name in ("BAO_TOKEN", "VAULT_ADDR", "VAULT_TOKEN", "BAO_NAMESPACE", "BAO_CACERT"):
        monkeypatch.delenv(name, raising=False)
    with transit() as running:
        monkeypatch.setenv("BAO_ADDR", running.address)
        monkeypatch.setenv("BAO_TOKEN", TOKEN)
        yield running


# The interface


def test_a_root_of_ones_own(tmp_path: Path) -> None:
    path, own = tmp_path / "a.ring", Own()
    assert isinstance(own, Root)
    made = Keyring.create(path, own)
    made.add("people")
    ring = Keyring.open(path, own)
    assert (ring.roots, ring.revision) == (("own:1",), 2)
    assert ring.key("people:1") == made.key("people:1")
    assert set(own.contexts) == {b"tallystick keyring " + ring.id.encode()}
    with pytest.raises(RootKeyError, match=r"comes from a wrapping key, not from own:2; use own:1"):
        Keyring.open(path, Own("own:2"))
    with pytest.raises(RootKeyError, match="not from file:x; use own:1"):
        Keyring.open(path, FileRoot("x"))


@pytest.mark.parametrize("name", ["", "own", ":x", "own:", "Own:x", "own:\n", "o:" + "x" * 1023])
def test_names_that_a_ring_can_not_record(name: str) -> None:
    with pytest.raises(ParameterError, match="wrapping key's name"):
        WrappingRoot(Own(name))


def test_what_a_root_may_return(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, own = tmp_path / "a.ring", Own()
    for size in (0, 4097):
        monkeypatch.setattr(own, "wrap", lambda *_, size=size: bytes(size))
        with pytest.raises(RootKeyError, match=f"returned {size} bytes"):
            Keyring.create(path, own)
    assert not path.exists()
    monkeypatch.setattr(own, "wrap", lambda key, _: key + bytes(4096 - 32))
    Keyring.create(path, own)
    monkeypatch.setattr(own, "unwrap", lambda wrapped, _: wrapped[:32])
    Keyring.open(path, own).add("people")
    for key in (b"", bytes(31), bytes(33)):
        monkeypatch.setattr(own, "unwrap", lambda *_, key=key: key)
        with pytest.raises(RootKeyError, match="not a root key"):
            Keyring.open(path, own)
    monkeypatch.setattr(own, "unwrap", lambda *_: bytes(32))
    with pytest.raises(RootKeyError, match="does not belong to this key ring"):
        Keyring.open(path, own)


# Several roots


def test_each_of_several_roots_opens_alone(tmp_path: Path, root: FileRoot) -> None:
    path = tmp_path / "several.ring"
    roots = [Own(f"own:{number}") for number in range(15)]
    made = Keyring.create(path, root, *roots)
    made.add("people")
    every: list[RootKey | Root] = [root, *roots]
    for one in every:
        assert Keyring.open(path, one).key("people:1") == made.key("people:1")
    with pytest.raises(ParameterError, match="1 to 16 root keys"):
        Keyring.create(tmp_path / "more.ring", root, *roots, Own("own:15"))
    with pytest.raises(ParameterError, match="given twice"):
        Keyring.create(tmp_path / "twice.ring", Own(), Own())
    with pytest.raises(ParameterError, match="two root keys"):
        Keyring.create(tmp_path / "two.ring", root, RootKey.parse("env:ROOT"))


def test_shares_beside_a_root(ring: Keyring, tmp_path: Path) -> None:
    key = ring.key("people:1")
    split = split_root(ring, ["Ann", "Bob", "Cid"], 2, beside=[Own()])
    assert Keyring.open(ring.path, Own()).key("people:1") == key
    shares = SharesRoot(tuple(str(share.path) for share in split.shares[1:]))
    assert Keyring.open(ring.path, shares).key("people:1") == key
    with pytest.raises(ParameterError, match="can't wrap"):
        split_root(ring, ["Ann", "Bob"], 2, tmp_path / "s", beside=[FileRoot("x")])


def test_wrap_replaces_all_roots(ring: Keyring, root: FileRoot) -> None:
    keys, before = [ring.key(info.id) for info in ring.keys()], ring.path.read_bytes()  # noqa: SIM118
    ring.wrap(Own("own:1"), Own("own:2"))
    for name in ("own:1", "own:2"):
        opened = Keyring.open(ring.path, Own(name))
        assert [opened.key(info.id) for info in opened.keys()] == keys  # noqa: SIM118
    with pytest.raises(RootKeyError, match="not from file"):
        Keyring.open(ring.path, root)
    assert Keyring.open(ring.path, Own("own:2")).revision == ring.revision
    assert open_bytes(ring.path.parent, before, root).key("people:1") == keys[0]


def test_a_ring_of_format_1_becomes_format_2_when_it_changes(tmp_path: Path) -> None:
    path = tmp_path / "old.ring"
    case = json.loads(VECTORS.with_name("keyrings.json").read_text())[0]
    path.write_text(case["text"])
    root = FileRoot(str(private(tmp_path / "old.key", case["root_key"])))
    ring = Keyring.open(path, root)
    assert (ring.revision, json.loads(path.read_text())["version"]) == (0, 1)
    ring.add("people")
    assert (ring.revision, json.loads(path.read_text())["version"]) == (1, 2)
    assert Keyring.open(path, root).key("people:1").hex() == case["keys"][0]


def alter(change: dict[str, str], fields: dict[str, Any]) -> None:
    fields["roots"][0].update(change)


def test_an_edit_of_a_record_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.ring"
    Keyring.create(path, WrappingRoot(Own(), "protect"), Own("own:2"))
    for change in ({"rights": "protect reveal"}, {"by": "own:3"}):
        data = edited(path.read_bytes(), partial(alter, change))
        with pytest.raises(KeyringError, match="damaged or edited"):
            open_bytes(tmp_path, data, WrappingRoot(Own("own:2")))


# age


def test_age_identity(tmp_path: Path, identity: Path) -> None:
    path = tmp_path / "a.ring"
    source = RootKey.parse(f"age:{identity}")
    Keyring.create(path, source).add("people")
    assert Keyring.open(path, source).roots == (str(source),)
    recipient = RootKey.parse(str(source))
    with pytest.raises(RootKeyError, match="a recipient only wraps"):
        Keyring.open(path, recipient)
    Keyring.create(tmp_path / "b.ring", recipient)
    Keyring.open(tmp_path / "b.ring", source)


def test_age_identities_that_do_not_open(tmp_path: Path, identity: Path) -> None:
    path, source = tmp_path / "a.ring", RootKey.parse(f"age:{identity}")
    Keyring.create(path, source)
    secret = identity.read_text().split("\n")[1]
    identity.write_text(f"{pyrage.x25519.Identity.generate()}\n")
    with pytest.raises(RootKeyDeniedError, match="does not open the key ring's root key") as caught:
        Keyring.open(path, source)
    assert secret not in str(caught.value)
    with pytest.raises(RootKeyError, match="comes from a wrapping key"):
        Keyring.open(path, RootKey.parse(f"age:{identity}"))
    for text, says in {
        "": "has 0 X25519 identities",
        f"{secret}\n{secret}\n": "has 2 X25519 identities",
        secret[:-1] + ("Q" if secret[-1] != "Q" else "P"): "typing error",
    }.items():
        identity.write_text(text)
        with pytest.raises(RootKeyError, match=says) as refused:
            RootKey.parse(f"age:{identity}")
        assert secret[:30] not in str(refused.value)
    identity.chmod(0o644)
    with pytest.raises(RootKeyError, match="chmod 600"):
        RootKey.parse(f"age:{identity}")
    with pytest.raises(RootKeyError, match="can't read"):
        RootKey.parse(f"age:{tmp_path}")
    identity.unlink()
    with pytest.raises(RootKeyLostError, match=r"no such age identity .*another of its roots"):
        Keyring.open(path, source)
    with pytest.raises(RootKeyLostError, match="no such age identity"):
        RootKey.parse(f"age:{identity}")
    for text in (f"age:{secret}", f"age:{secret.lower()}", f"age:{secret[:40]}", f"file:{secret}"):
        with pytest.raises(ParameterError, match="never write") as written:
            RootKey.parse(text)
        assert text[5:] not in str(written.value)
    with pytest.raises(ParameterError, match="never write") as written:
        RootKey.parse(f"transit:a/{'ab' * 32}")
    assert "abab" not in str(written.value)


@pytest.mark.slow
def test_age_passphrase(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, answers = tmp_path / "a.ring", Answers(PHRASE, PHRASE, PHRASE, "another passphrase")
    source = RootKey.parse("age:passphrase", ask=answers)
    Keyring.create(path, source)
    assert Keyring.open(path, source).roots == ("age:passphrase",)
    with pytest.raises(RootKeyDeniedError, match="type it again"):
        Keyring.open(path, source)
    phrase = private(tmp_path / "phrase", f"{PHRASE}\n")
    monkeypatch.setenv("TALLYSTICK_AGE_PASSPHRASE_FILE", str(phrase))
    assert secret(["TALLYSTICK_AGE_PASSPHRASE"], "passphrase") == PHRASE
    phrase.chmod(0o640)
    with pytest.raises(RootKeyError, match="others may use the passphrase file"):
        Keyring.open(path, RootKey.parse("age:passphrase"))
    monkeypatch.setenv("TALLYSTICK_AGE_PASSPHRASE", "\udcff")
    with pytest.raises(RootKeyError, match=r"variable TALLYSTICK_AGE_PASSPHRASE: .* is not UTF-8"):
        Keyring.open(path, RootKey.parse("age:passphrase"))
    monkeypatch.setenv("TALLYSTICK_AGE_PASSPHRASE", "password1234")
    with pytest.raises(RootKeyError, match="easy to guess"):
        Keyring.create(tmp_path / "weak.ring", RootKey.parse("age:passphrase"))
    asks_for_hours = b"age-encryption.org/v1\n-> scrypt bXDOHMwHH0TLsW44Rknk3w 23\n"
    with pytest.raises(RootKeyError, match="too much work"):
        source.root.unwrap(asks_for_hours, b"")  # type: ignore[attr-defined]


def test_vectors_of_roots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for case in json.loads(VECTORS.read_text()):
        file = private(tmp_path / "secret", case.get("file", ""))
        for name, value in case.get("environment", {}).items():
            monkeypatch.setenv(name, value)
        source = RootKey.parse(case["root"].replace("FILE", str(file)))
        assert isinstance(source, WrappingRoot)
        assert str(source) == case["name"]
        found = source.root.unwrap(bytes.fromhex(case["wrapped"]), case["context"].encode())
        assert found.hex() == case["key"]


# transit


def test_transit(tmp_path: Path, server: Transit) -> None:
    path, source = tmp_path / "a.ring", RootKey.parse("transit:transit/people")
    made = Keyring.create(path, source)
    ring = Keyring.open(path, source)
    assert ring.roots == ("transit:transit/people",)
    assert [where for where, _ in server.asked] == [
        "/v1/transit/encrypt/people",
        "/v1/transit/decrypt/people",
    ]
    other = edited(path.read_bytes(), lambda fields: fields.update(ring="0" * 32))
    with pytest.raises(RootKeyError, match="authentication failed"):
        open_bytes(tmp_path, other, source)
    assert made.id == ring.id


def test_transit_that_refuses(
    tmp_path: Path, server: Transit, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, source = tmp_path / "a.ring", RootKey.parse("transit:transit/people")
    Keyring.create(path, source)

    def refused(kind: type[RootKeyError], says: str) -> None:
        with pytest.raises(RootKeyError, match=says) as caught:
            Keyring.open(path, source)
        assert type(caught.value) is kind
        assert TOKEN not in str(caught.value)

    server.rights.remove("decrypt")
    refused(RootKeyDeniedError, r"is denied \(permission denied\); .*transit/decrypt/people")
    server.rights.add("decrypt")
    monkeypatch.setenv("BAO_TOKEN", "s.other")
    refused(RootKeyDeniedError, "must not have expired")
    monkeypatch.setenv("BAO_TOKEN", TOKEN + "\u00e9\n\nX-Other: 1")
    refused(RootKeyError, "can't reach the server")
    monkeypatch.delenv("BAO_TOKEN")
    monkeypatch.setenv("HOME", str(tmp_path))
    refused(RootKeyError, "set BAO_TOKEN or VAULT_TOKEN in the environment")
    private(tmp_path / ".vault-token", TOKEN)
    Keyring.open(path, source)
    monkeypatch.setenv("BAO_TOKEN_FILE", str(private(tmp_path / "token", f"{TOKEN}\n")))
    Keyring.open(path, source)
    (tmp_path / "token").chmod(0o644)
    refused(RootKeyError, "others may use the token")
    (tmp_path / "token").chmod(0o600)
    server.sealed = True
    refused(RootKeyError, "sealed or in standby")
    server.sealed = False
    del server.keys["people"]
    refused(RootKeyLostError, "no such key .*another of its roots")
    for address, says in {
        "http://bao.example:8200": "unencrypted",
        "bao": "not https",
        "https://host:port": "not https",
        f"https://127.0.0.1:{server.server_address[1]}": "can't reach",
        "http://127.0.0.1:1": "can't reach",
    }.items():
        monkeypatch.setenv("BAO_ADDR", address)
        refused(RootKeyError, says)


def test_shares_open_what_a_kms_has_lost(ring: Keyring, server: Transit) -> None:
    key, kms = ring.key("people:1"), RootKey.parse("transit:transit/people")
    split = split_root(ring, ["Ann", "Bob", "Cid"], 2, beside=[kms])
    assert Keyring.open(ring.path, kms).key("people:1") == key
    del server.keys["people"]
    with pytest.raises(RootKeyLostError, match="another of its roots"):
        Keyring.open(ring.path, kms)
    shares = SharesRoot(tuple(str(share.path) for share in split.shares[1:]))
    assert Keyring.open(ring.path, shares).key("people:1") == key


@pytest.mark.parametrize("text", ["transit:people", "transit:/people", "transit:a/b?c", "transit:"])
def test_transit_names(text: str) -> None:
    with pytest.raises(ParameterError):
        RootKey.parse(text)


# Rights


@pytest.fixture
def policy() -> Policy:
    rule = ColumnRule("id", formats.digits(), KeyId("people", 1), "id")
    return Policy((rule,), unlisted="keep")


def test_rights_of_a_root(tmp_path: Path, policy: Policy) -> None:
    path = tmp_path / "a.ring"
    whole = Keyring.create(path, Own("own:all"), WrappingRoot(Own("own:in"), "protect"))
    whole.add("people")
    token = Protector(policy, whole).protect_column("id", pa.array(["12345678"]))
    ring = Keyring.open(path, Own("own:in"))
    assert (ring.rights("people:1"), whole.rights("people:1")) == ("protect", "protect reveal")
    with Protector(policy, ring) as limited:
        assert limited.protect_column("id", pa.array(["12345678"])) == token
        acts: list[Callable[[], object]] = [
            lambda: limited.reveal_column("id", token),
            lambda: limited.tokenizer("id").reveal(token[0].as_py()),
            lambda: limited.reveal(pa.table({"id": token})),
        ]
        for act in acts:
            with pytest.raises(TallyError, match="can only protect"):
                act()
    changes: list[Any] = [
        lambda: ring.key("people:1"),
        lambda: ring.add("more"),
        lambda: ring.rotate("people"),
        lambda: ring.wrap(Own()),
        lambda: ring.set_rights("people:1", "reveal"),
    ]
    before = path.read_bytes()
    for change in changes:
        with pytest.raises(KeyringError, match="may only protect"):
            change()
    assert path.read_bytes() == before


def test_a_ring_that_demands_signed_policies(tmp_path: Path, policy: Policy) -> None:
    cases = json.loads(VECTORS.with_name("keyrings.json").read_text())
    case = next(case for case in cases if case["source"] == "format 2: rights and signers")
    root = FileRoot(str(private(tmp_path / "a.key", case["root_key"])))
    with pytest.raises(PolicyError, match="demands signed policies"):
        Protector(policy, open_bytes(tmp_path, case["text"].encode(), root))


def test_rights_of_a_key(ring: Keyring, root: FileRoot, policy: Policy) -> None:
    token = Protector(policy, ring).protect_column("id", pa.array(["12345678"]))
    other = Keyring.open(ring.path, root)
    ring.set_rights("people:1", "reveal")
    opened = Keyring.open(ring.path, root)
    assert {str(info.id): info.rights for info in opened.keys()} == {  # noqa: SIM118
        "people:1": "reveal",
        "cards:1": "protect reveal",
        "people:2": "protect reveal",
    }
    with Protector(policy, opened) as reveals:
        assert reveals.reveal_column("id", token).to_pylist() == ["12345678"]
        acts: list[Callable[[], object]] = [
            lambda: reveals.protect_column("id", token),
            lambda: reveals.tokenizer("id").protect("12345678"),
            lambda: reveals.protect(pa.table({"id": token})),
        ]
        for act in acts:
            with pytest.raises(TallyError, match="can only reveal"):
                act()
    with pytest.raises(KeyringError, match="key people:1 may only reveal here"):
        opened.key("people:1")
    other.add("people")  # it sees the changed rights, and keeps them
    assert other.rights("people:1") == "reveal"
    ring = Keyring.open(ring.path, root)
    ring.set_rights("people:1", "protect reveal")
    ring.key("people:1")
    with pytest.raises(KeyringError, match="no key people:9"):
        ring.set_rights("people:9", "protect")


def test_a_root_and_a_key_without_a_right_in_common(tmp_path: Path, policy: Policy) -> None:
    path = tmp_path / "a.ring"
    whole = Keyring.create(path, Own(), WrappingRoot(Own("own:in"), "protect"))
    whole.add("people")
    whole.set_rights("people:1", "reveal")
    ring = Keyring.open(path, Own("own:in"))
    assert ring.rights("people:1") is None
    with Protector(policy, ring) as nothing, pytest.raises(TallyError):
        nothing.protect_column("id", pa.array(["12345678"]))


# The command line


def run(*arguments: str | Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    code = command([str(argument) for argument in arguments])
    out = capsys.readouterr()
    return code, out.out + out.err


def test_commands(
    tmp_path: Path, identity: Path, server: Transit, capsys: pytest.CaptureFixture[str]
) -> None:
    path, age, kms = tmp_path / "a.ring", f"age:{identity}", "transit:transit/people"
    given = ["--root", f"file:{tmp_path}/root.key"]
    assert run("keyring", "new", path, *given, "--beside", kms, capsys=capsys)[0] == 0
    assert run("keyring", "add", path, "people", "--root", kms, capsys=capsys)[0] == 0
    code, out = run("keyring", "wrap", path, "--root", kms, "--by", age, "--to-protect", kms,
                    capsys=capsys)  # fmt: skip
    assert (code, "and with nothing else" in out) == (0, True)
    assert run("keyring", "list", path, *given, capsys=capsys)[0] == 4
    code, out = run("keyring", "list", path, "--root", age, "--json", capsys=capsys)
    listed = json.loads(out)
    assert (listed["revision"], listed["roots"][1]) == (3, kms)
    code, out = run("keyring", "add", path, "more", "--root", kms, capsys=capsys)
    assert code != 0
    assert "may only protect" in out
    assert run("keyring", "rights", path, "people:1", "--may", "reveal", "--root", age,
               capsys=capsys)[0] == 0  # fmt: skip
    assert "reveal" in run("keyring", "list", path, "--root", age, capsys=capsys)[1]
    assert run("keyring", "rights", path, "people:1", "--may", "all", "--root", age,
               capsys=capsys)[0] != 0  # fmt: skip
    assert run("keyring", "wrap", path, "--root", age, "--by", age, "--to-protect", "env:X",
               capsys=capsys)[0] != 0  # fmt: skip
    split = ("keyring", "split", path, "--root", age, "--threshold", "2", "--holder", "Ann")
    code, out = run(*split, "--holder", "Bob", "--beside", age, capsys=capsys)
    gone = [name for name in (kms, age) if f"{name} no longer opens" in out]
    assert (code, gone) == (0, [kms])
    assert server.asked

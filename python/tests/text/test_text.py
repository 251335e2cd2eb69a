# SPDX-License-Identifier: Apache-2.0
"""Tokens in text: vectors, policies, findings, rights, and what fails closed."""

from __future__ import annotations

import html
import json
import pickle
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from email_validator import validate_email

from models import text_tokens as model
from tallystick import (
    FileError,
    KeyringError,
    ParameterError,
    PolicyError,
    Reveal,
    RevealLog,
    TallyError,
)
from tallystick.keyring import KeyId, Keyring, RootKey
from tallystick.policy.rules import tagged
from tallystick.text import Finding, Kind, TextPolicy, TextProtector
from tallystick.text.spans import joined
from text_support import Make
from vectors import load

FRAMES = ("unicode", "ascii")


def test_the_model_agrees_with_the_vectors() -> None:
    assert load("text_tokens") == model.vectors()


@pytest.mark.parametrize("case", load("text_tokens"), ids=lambda case: case["kind"][:9])
def test_tokens_are_those_of_the_vectors(case: dict[str, str], tmp_path: Path, root: Path) -> None:
    ring = Keyring.create(tmp_path / "v.keys", RootKey.parse(f"file:{root}"))
    key = bytes.fromhex(case["key"])
    ring.add("v", len(key), key=key)
    policy = TextPolicy.parse(
        f'frame = "{case["frame"]}"\ncheck_bits = {case["check_bits"]}\n'
        f'[kinds.{case["kind"]}]\nkey = "v:1"\nnamespace = "{case["namespace"]}"\n'
    )
    text = TextProtector(policy, ring, scope=case["scope"])
    token = bytes.fromhex(case["token"])
    value = bytes.fromhex(case["value"])
    assert text.reveal(b"<" + token + b">") == b"<" + value + b">"
    try:
        assert text.token(value.decode(), case["kind"]).encode() == token
    except UnicodeDecodeError:
        with pytest.raises(TallyError, match="not text in UTF-8; give the restorer bytes"):
            text.reveal(token.decode())


def test_the_scanner_finds_kinds_of_a_policy(ring: Keyring) -> None:
    policy = TextPolicy.parse(
        '[kinds.pay]\nkey = "cards:1"\nnamespace = "pay"\nscan = ["card", "iban"]\n'
        '[kinds.who]\nkey = "people:1"\nnamespace = "who"\nscan = ["email"]\nwords = ["Zoë"]\n'
    )
    given = "Zoë, zoe@example.org: DE89 3704 0044 0532 0130 00, 4111 1111 1111 1111, 10.0.0.1"
    assert [given[one.start : one.end] for one in joined(policy.find(given), len(given))] == (
        given.removesuffix(", 10.0.0.1").replace(": ", ", ").split(", ")
    )
    with TextProtector(policy, ring) as text:
        made = text.protect(given)
        assert text.reveal(made) == given
        assert made.count("⟦pay:") == made.count("⟦who:") == 2 and made.endswith(", 10.0.0.1")


@pytest.mark.parametrize("frame", FRAMES)
def test_text_is_protected_and_revealed(make: Make, frame: str) -> None:
    given = "Jane Doe (jane@example.org) paid by 4111 1111 1111 1111; jane@example.org, mailto:root"
    text = make(frame)
    tokens = text.protect(given)
    for value in ("Jane", "jane@", "4111", "root"):
        assert value not in tokens
    assert "paid by" in tokens
    assert tokens.count(text.token("jane@example.org", "email")) == 2
    assert text.reveal(tokens) == given
    assert text.reveal(tokens.encode()) == given.encode()
    assert text.protect(text.reveal(tokens)) == tokens
    other = "ascii" if frame == "unicode" else "unicode"
    assert make(other).reveal(tokens) == given  # both frames are read


def test_addresses_have_tokens_that_are_addresses(make: Make) -> None:
    text = make("email")
    for address in ("jane@example.org", "jane.doe.of.the.long.name@mail.department.example.org"):
        token = text.token(address, "email")
        checked = validate_email(token, check_deliverability=False)
        assert checked.normalized == token and checked.domain.endswith("tly.example")
        assert text.reveal(f"<{token.upper()}>") == f"<{address}>"
        assert make("ascii").reveal(token) == address
    assert text.token("Jane", "name").startswith("tly-name-")
    assert text.token(f"{'j' * 200}@example.org", "email").startswith("tly-email-")


def test_a_match_without_its_group_is_a_value(ring: Keyring) -> None:
    policy = TextPolicy.parse(
        '[kinds.id]\nkey = "people:1"\nnamespace = "id"\n'
        "patterns = ['id=(?P<value>[0-9]*)|ID[0-9]+']\n"
    )
    assert list(policy.find("id=123 ID456 id=")) == [Finding(3, 6, "id"), Finding(7, 12, "id")]
    with TextProtector(policy, ring) as text:
        made = text.protect("id=123 ID456")
        assert made == f"id={text.token('123', 'id')} {text.token('ID456', 'id')}"


def test_findings_come_from_a_list_or_a_callback(make: Make) -> None:
    text = make(find=lambda given: [(given.index("Bob"), given.index("Bob") + 3, "name")])
    tokens = text.protect("ask Bob")
    assert tokens == "ask " + text.token("Bob", "name")
    assert text.protect("ask Bob", [(0, 3, "email")]) == text.token("ask", "email") + " Bob"
    assert text.protect("ask Bob", []) == "ask Bob"
    with pytest.raises(PolicyError, match="it names: email, name, card"):
        text.protect("ask Bob", [(0, 3, "phone")])
    for wrong in ((0, 8, "name"), (-1, 2, "name"), (3, 2, "name")):
        with pytest.raises(ParameterError, match="found in another text"):
            text.protect("ask Bob", [wrong])


def test_findings_that_overlap_leave_nothing_in_clear() -> None:
    assert joined([(4, 9, "a"), (0, 6, "b"), (6, 6, "a"), (9, 10, "a")], 10) == [
        Finding(0, 9, "b"),
        Finding(9, 10, "a"),
    ]
    assert joined([(0, 2, "a"), (1, 9, "b"), (2, 3, "c")], 9) == [Finding(0, 9, "b")]


def test_a_model_that_fails_passes_nothing_on(make: Make) -> None:
    def find(_: str) -> list[tuple[int, int, str]]:
        raise RuntimeError("the model is not there")

    with pytest.raises(RuntimeError):
        make(find=find).protect("Jane Doe")


def test_a_scope_keeps_tokens_of_others_out(make: Make) -> None:
    token = make(scope="tenant 1").token("Jane Doe", "name")
    assert make(scope="tenant 2").reveal(token) == token
    assert make().reveal(token) == token
    assert make(scope="tenant 1").reveal(token) == "Jane Doe"
    make(scope="s" * 256)
    with pytest.raises(ParameterError, match="scope has 257 bytes"):
        make(scope="s" * 257)


def test_values_over_the_limit_become_several_tokens(make: Make) -> None:
    text = make()
    for size in (4095, 4096, 4097, 9000):
        value = "é" + "x" * (size - 3) + "é"
        assert text.reveal(text.token(value, "name")) == value
    assert text.token("x" * 4096, "name").count("⟦") == 1
    assert text.token("x" * 4097, "name").count("⟦") == 2


def test_values_are_escaped_for_their_surroundings(make: Make) -> None:
    text, evil = make(), 'x", "admin": true, "y": "</script>\n\\'
    token = text.token(evil, "name")
    assert json.loads(text.reveal(json.dumps({"a": token}), "json")) == {"a": evil}
    assert (
        json.loads(text.reveal(json.dumps({"a": token}, ensure_ascii=False), "json"))["a"] == evil
    )
    shown = text.reveal(f"<a title='{html.escape(token)}'>", "html")
    assert "<" not in shown[1:]
    assert html.unescape(shown) == f"<a title='{evil}'>"
    with pytest.raises(ParameterError, match="context must be"):
        text.reveal("", "xml")  # type: ignore[arg-type]


def test_rights_of_keys_and_handles_are_obeyed(make: Make, ring: Keyring) -> None:
    token = make().token("Jane", "name")
    only = make(reveal=False)
    assert only.token("Jane", "name") == token
    with pytest.raises(TallyError, match="can only protect"):
        only.reveal(token)
    ring.set_rights("people:1", "protect")
    card = make().token("4111", "card")
    assert make().reveal(token + card) == token + "4111"
    ring.set_rights("cards:1", "reveal")
    with pytest.raises(TallyError, match=r"kinds\.card: it can only reveal"):
        make().token("4111", "card")


def test_keys_are_wiped_and_never_copied(make: Make) -> None:
    text = make()
    token, restorer = text.token("Jane", "name"), text.restorer()
    with pytest.raises(TypeError, match="holds keys"):
        pickle.dumps(text)
    with text:
        pass
    with pytest.raises(TallyError, match="closed"):
        text.protect("Jane")
    with pytest.raises(TallyError, match="closed"):
        text.reveal(token)
    with pytest.raises(TallyError, match="closed"):
        restorer.feed(token)
    assert "Jane" not in repr(text)


def test_keys_last_until_calls_at_work_end(make: Make) -> None:
    """A text that closes the protector when it is read stands for another thread that does."""

    class Closing(str):
        text: TextProtector

        def encode(self, *given: str) -> bytes:
            self.text.close()
            return str.encode(self, *given)

    def closing(value: str, text: TextProtector) -> Closing:
        made = Closing(value)
        made.text = text
        return made

    token, text = make().token("Jane", "name"), make()
    assert text.token(closing("Jane", text), "name") == token
    text = make()
    restorer = text.restorer()
    assert restorer.finish(closing(token, text)) == "Jane"
    with pytest.raises(TallyError, match="closed"):
        restorer.finish(token)


def test_a_restorer_that_failed_stays_failed(make: Make) -> None:
    restorer = make().restorer()
    assert restorer.feed("a t") == "a "
    with pytest.raises((TypeError, ValueError)):
        restorer.feed(None)  # type: ignore[type-var]
    with pytest.raises(TallyError, match="failed before"):
        restorer.finish()


def test_half_a_surrogate_pair_passes_or_is_refused(make: Make) -> None:
    text = make()
    assert text.reveal("\ud800 " + text.token("Jane", "name")) == "\ud800 Jane"
    with pytest.raises(ParameterError, match="surrogate"):
        text.token("\ud800", "name")


def test_a_hook_is_called_before_values_are_returned(make: Make, ring: Keyring) -> None:
    seen: list[Reveal] = []
    text = make(on_reveal=seen.append)
    token = text.token("Jane", "name")
    text.reveal("no token")
    assert seen == []
    restorer = text.restorer()
    assert restorer.feed(f"{token} {token} ") + restorer.finish(token) == "Jane Jane Jane"
    kinds = ("email", "name", "card")
    assert seen == [
        Reveal(kinds, 2, ring.id, ring.revision),
        Reveal(kinds, 1, ring.id, ring.revision),
    ]


def test_nothing_is_revealed_if_the_hook_fails(make: Make) -> None:
    def full(_: Reveal) -> None:
        raise FileError("the log is full")

    text = make(on_reveal=full)
    token = text.token("Jane", "name")
    restorer = text.restorer()
    with pytest.raises(FileError, match="the log is full"):
        restorer.feed(f"{token} ")
    with pytest.raises(TallyError, match="failed before"):
        restorer.finish()


def test_a_log_of_reveals_is_a_hook(make: Make, tmp_path: Path) -> None:
    text = make(on_reveal=RevealLog(tmp_path / "reveals.log"))
    assert text.reveal(text.protect("Jane and Jane Doe")) == "Jane and Jane Doe"
    line = json.loads((tmp_path / "reveals.log").read_text())
    assert (line["event"], line["columns"], line["rows"]) == (
        "reveal",
        ["email", "name", "card"],
        2,
    )


def test_an_older_ring_than_its_anchor_is_refused(
    ring: Keyring, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = TextPolicy.parse('[kinds.name]\nkey = "people:1"\nnamespace = "name"\n')
    anchor, older = tmp_path / "anchor", (tmp_path / "text.keys").read_bytes()
    ring.make_anchor(anchor)
    ring.add("more")
    TextProtector.open(policy, ring.path, f"file:{root}", anchor=anchor).close()
    (tmp_path / "text.keys").write_bytes(older)
    with pytest.raises(KeyringError, match="anchor"):
        TextProtector.open(policy, ring.path, f"file:{root}", anchor=anchor)
    TextProtector.open(policy, ring.path, f"file:{root}").close()
    monkeypatch.setenv("TALLYSTICK_ANCHOR", str(anchor))
    with pytest.raises(KeyringError, match="anchor"):
        TextProtector.open(policy, ring.path, f"file:{root}")


def test_tokens_are_counted(make: Make) -> None:
    text = make()
    token = text.token("Jane", "name")
    restorer = text.restorer()
    restorer.finish(f"{token} {make(scope='x').token('Jane', 'name')} {token}")
    assert (restorer.restored, restorer.refused) == (2, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = ", "not valid TOML"),
        ("version = " + "9" * 5000, "not valid TOML: a number has too many digits"),
        ("a = " + "[" * 100_000, "nested too deep; .*limit is 16"),
        ("a." * 20_000 + "a = 1", "nested too deep; .*limit is 16"),
        ("[kinds.a]\nkey='k:1'\nnamespace='n'\npatterns=['(']", "not a regular expression"),
    ],
)
def test_texts_that_are_no_policies(text: str, message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        TextPolicy.parse(text)


@pytest.mark.parametrize("case", load("text_policies"), ids=lambda case: case["message"][:30])
def test_policies_are_refused_with_the_place(case: dict[str, str]) -> None:
    assert tagged(tomllib.loads(case["toml"])) == json.loads(case["json"])
    if case["message"]:
        with pytest.raises(PolicyError, match=f"^{re.escape(case['message'])}$"):
            TextPolicy.parse(case["toml"])
    else:
        assert TextPolicy.parse(case["toml"]).kinds


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"kinds": ()}, "needs a kind"),
        ({"kinds": [Kind("a", KeyId("k", 1), "n")] * 2}, r"^kinds\.a: is there twice$"),
        ({"frame": "html"}, "^frame: must be 'unicode', 'ascii' or 'email', not 'html'$"),
        ({"check_bits": 41}, "^check_bits: must be 40 to 128, in steps of 8$"),
        ({"kinds": (Kind("A", KeyId("k", 1), "n"),)}, r"^kinds\.A: a kind has"),
        ({"kinds": (Kind("a", KeyId("k", 1), "\ud800"),)}, "surrogate"),
        ({"kinds": (Kind("a", KeyId("k", 1), "n", words=("",)),)}, "must be a list of texts"),
    ],
)
def test_policies_of_a_program_are_checked_too(changed: dict[str, Any], message: str) -> None:
    kinds = (Kind("a", KeyId("k", 1), "n"),)
    with pytest.raises(PolicyError, match=message):
        TextPolicy(**{"kinds": kinds, **changed})


def test_policies_are_files(tmp_path: Path) -> None:
    path = tmp_path / "text.toml"
    with pytest.raises(PolicyError, match="No such file"):
        TextPolicy.load(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(PolicyError, match="not UTF-8"):
        TextPolicy.load(path)
    path.write_text("[kinds.a]\nkey='k:1'\nnamespace='n'\n#" + "x" * (1 << 20))
    with pytest.raises(PolicyError, match="the limit for a policy is 1048576 bytes"):
        TextPolicy.load(path)
    path.write_text("".join(f"[kinds.a{i}]\nkey='k:1'\nnamespace='{i}'\n" for i in range(16)))
    assert len(TextPolicy.load(path).kinds) == 16


@pytest.mark.parametrize("frame", FRAMES)
def test_tokens_in_a_text_stay_as_they_are(frame: str, make: Make) -> None:
    text = make(frame)
    once = text.protect("card of Jane Doe <jane@example.org>: 4111 1111 1111 1111")
    assert text.protect(once) == once
    made = text.protect(f"to {once} today", [(0, 12, "name"), (8, len(once) + 9, "card")])
    assert text.reveal(made) == "to " + text.reveal(once) + " today"
    assert made.count(text.token("Jane Doe", "name")) == 1
    assert "card of" not in made


@pytest.mark.parametrize("frame", FRAMES)
def test_what_follows_a_token_is_protected(frame: str, make: Make) -> None:
    text = make(frame)
    token, long = text.token("Jane", "name"), text.token("v" * 5000, "name")
    for given in (f"{token}0", f"{token}abc", f"{token}t{token}", f"{long}x", f"{token}{long}"):
        made = text.protect(given, [(0, len(given), "name")])
        assert text.reveal(made) == text.reveal(given)
        bare = re.sub("\u27e6name:[0-9a-z]+\u27e7|tly-name-[0-9a-z]+?(?=tly-|$)", "", made)
        assert bare == "" and (given in (token + long)) == (made == given)


@pytest.mark.parametrize("frame", [*FRAMES, "email"])
def test_what_stands_before_the_end_of_a_frame_is_protected(frame: str, make: Make) -> None:
    text, number = make(frame), "4111111111111111"
    token = text.token("jane@example.org", "email")
    domain = "@tly.example" if frame == "email" else ""
    body = token.removesuffix("\u27e7").removesuffix(domain)
    for given in (
        f"{body}{number}\u27e7",
        f"{body}@{number}.tly.example",
        f"{body[:-9]}@{body[-9:]}.{number}.tly.example",
        f"{body}{number}{domain}",
    ):
        start = given.index(number)
        made = text.protect(given, [(start, start + len(number), "card")])
        assert made == given.replace(number, text.token(number, "card"))
        assert number not in text.protect(given, [(0, len(given), "card")])
    split = f"{body[:-9]}@{body[-9:]}.tly.example" if domain else token
    for whole in (token, split):
        assert text.protect(whole, [(0, len(whole), "card")]) == whole


@pytest.mark.parametrize("frame", FRAMES)
def test_what_only_looks_like_a_token_is_protected(frame: str, make: Make) -> None:
    """Neither an invented token nor one of another scope hides what is in it."""
    text, foreign = make(frame), make(frame, scope="other")
    good = text.token("x", "card")
    invented = good[:-6] + ("1" if good[-6] == "0" else "0") + good[-5:]
    for token in (foreign.token("Jane Doe", "name"), invented):
        made = text.protect(token, [(0, len(token), "name")])
        assert token not in made
        assert text.reveal(made) == token


def test_scoped(make: Make) -> None:
    whole = make(reveal=False, find=lambda _: [(0, 4, "name")])
    scoped = whole.scoped("tenant")
    assert scoped.protect("Jane") == make(scope="tenant").token("Jane", "name")
    with pytest.raises(TallyError, match="only protect"):
        scoped.reveal("x")
    whole.close()
    assert scoped.protect("Jane")
    with pytest.raises(TallyError, match="closed"):
        whole.scoped("tenant")

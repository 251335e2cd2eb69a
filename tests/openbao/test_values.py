# SPDX-License-Identifier: Apache-2.0
"""Values and tokens through a real server: batches, errors, roles, key versions, equal tokens."""

from __future__ import annotations

import base64
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from tests.openbao.server import POLICY, RING, RING_ROOT, Answer, Server

from tallystick import Protector
from tallystick.keyring import Keyring, RootKey

SSN = "078-05-1120"
JSON_WITHOUT_VERSION = '{"columns": {"a": {"format": "ssn", "namespace": "a", "key": "people"}}}'


def encode(server: Server, body: object, role: str = "all") -> Answer:
    return server.call("POST", f"tallystick/encode/{role}", body)


def decode(server: Server, body: object, role: str = "all") -> Answer:
    return server.call("POST", f"tallystick/decode/{role}", body)


def imported(server: Server, name: str, key: bytes, **more: object) -> Answer:
    """Import a key as an operator does."""
    public = serialization.load_pem_public_key(
        server.read("tallystick/wrapping_key")["public_key"].encode()
    )
    assert isinstance(public, rsa.RSAPublicKey)
    oaep = padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None)
    wrapped = base64.b64encode(public.encrypt(key, oaep)).decode()
    return server.call("POST", f"tallystick/keys/{name}/import", {"ciphertext": wrapped, **more})


def test_tokens_equal_those_of_python(server: Server, tmp_path: Path) -> None:
    (tmp_path / "root.key").write_text(RING_ROOT.hex())
    (tmp_path / "root.key").chmod(0o600)
    root = RootKey.parse(f"file:{tmp_path / 'root.key'}")
    ring = Keyring.open(RING, root)
    for version in (1, 2):
        made = imported(server, "ring", ring.key(f"people:{version}")).data
        assert made["latest_version"] == version
        assert made["versions"][str(version)]["imported"]
    (tmp_path / "policy.toml").write_text(POLICY)
    policy = POLICY.replace("people:1", "ring:1")
    server.write("tallystick/policies/ring", {"policy": policy})
    server.write("tallystick/roles/ring", {"policy": "ring", "protect": "*", "reveal": "*"})
    rows = {
        "ssn": [f"{n:03}-{n % 99 + 1:02}-{n + 1:04}" for n in range(1, 300)],
        "email": [f"name{n}@example.org" for n in range(1, 300)],
        "card": [f"{n:015}0" for n in range(1, 300)],
        "note": [str(1000 + n) for n in range(1, 300)],
    }
    rows["card"] = [card[:-1] + str(luhn(card[:-1])) for card in rows["card"]]
    customers = [str(n) for n in range(1, 300)]
    with Protector.open(tmp_path / "policy.toml", RING, root, missing="ignore") as protector:
        table = protector.protect(pa.table({**rows, "customer": customers}))
    want = table.to_pydict()
    items = [
        {"value": value, "transformation": column, "reference": f"{column} {row}"}
        | ({"tweak": customers[row]} if column == "card" else {})
        for column, values in rows.items()
        for row, value in enumerate(values)
    ]
    made = encode(server, {"batch_input": items}, "ring").data["batch_results"]
    assert [one["reference"] for one in made] == [item["reference"] for item in items]
    tokens = [one["encoded_value"] for one in made]
    assert tokens == [token for column in rows for token in want[column]]
    back = [item | {"value": token} for item, token in zip(items, tokens, strict=True)]
    made = decode(server, {"batch_input": back}, "ring").data["batch_results"]
    assert [one["decoded_value"] for one in made] == [item["value"] for item in items]


def luhn(digits: str) -> int:
    """Return the check digit of Luhn."""
    total = sum(
        int(d) if i % 2 else sum(divmod(2 * int(d), 10)) for i, d in enumerate(digits[::-1])
    )
    return -total % 10


def test_one_value(server: Server) -> None:
    token = encode(server, {"value": SSN, "transformation": "ssn"}).data
    assert set(token) == {"encoded_value"}
    assert token["encoded_value"] != SSN
    back = decode(server, {"value": token["encoded_value"], "transformation": "ssn"}).data
    assert back == {"decoded_value": SSN}
    assert encode(server, {"value": None, "transformation": "ssn"}).data == {"encoded_value": None}
    assert encode(server, {"value": "?", "transformation": "note"}).data == {"encoded_value": None}
    with_reference = encode(server, {"value": SSN, "transformation": "ssn", "reference": "r"}).data
    assert with_reference["reference"] == "r"


def test_one_column_needs_no_name(server: Server) -> None:
    server.write("tallystick/roles/one", {"policy": "people", "protect": "ssn"})
    named = encode(server, {"value": SSN, "transformation": "ssn"}).data
    assert encode(server, {"value": SSN}, "one").data == named


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ({}, "value is missing"),
        ({"value": 78051120}, "value is not text"),
        ({"value": [SSN]}, "value is not text"),
        ({"value": SSN, "ttl": "1h"}, "an item has a field that is none of"),
        ({"value": SSN, "transformation": 5}, "transformation is not text"),
        ({"value": SSN, "transformation": "email"}, "does not match its format"),
        ({"value": SSN, "transformation": "age"}, "has no transformation of this name to protect"),
        ({"value": SSN, "transformation": ""}, "transformation is missing"),
        ({"value": SSN, "tweak": "5"}, 'the column "ssn" has no tweak'),
        (
            {"value": "4111111111111111", "transformation": "card"},
            'needs a tweak: the value of "cus',
        ),
        ({"value": "4111111111111111", "transformation": "card", "tweak": 5}, "tweak is not text"),
        ({"value": SSN, "reference": 271828183}, "reference is not text"),
        ({"value": SSN, "reference": {"Jane Doe": "1"}}, "reference is not text"),
        ({"value": SSN, "key_version": 1}, "leave key_version out"),
        ({"value": SSN, "key_version": 0.5}, "key_version is not a whole number"),
        ("text", "an item of batch_input is an object"),
    ],
)
def test_bad_items(server: Server, item: object, message: str) -> None:
    """Every bad item has its own error, which quotes nothing, and the others are done."""
    good = {"value": SSN, "transformation": "ssn", "reference": "7"}
    bad: object = {"transformation": "ssn"} | item if isinstance(item, dict) else item
    answer = encode(server, {"batch_input": [good, bad, good]})
    assert answer.status == 400
    first, failed, last = answer.body["data"]["batch_results"]
    assert first == last == {"encoded_value": first["encoded_value"], "reference": "7"}
    assert set(failed) == {"error"}
    assert message in failed["error"]
    assert SSN not in failed["error"]
    answer = encode(server, {"batch_input": [good, bad], "partial_failure_response_code": 207})
    assert answer.status == 207
    answer = encode(server, {"batch_input": [bad, bad], "partial_failure_response_code": 207})
    assert answer.status == 400, "nothing succeeded"
    if isinstance(bad, dict):
        answer = encode(server, bad)
        assert answer.status == 400
        assert message in answer.body["errors"][0]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"batch_input": []}, "1 to 10000 items, not 0"),
        ({"batch_input": "text"}, "a list of objects"),
        ({"batch_input": [{}], "value": SSN}, "batch_input or value, not both"),
        (
            {"batch_input": [{}, {"value": SSN, "transformation": "ssn"}]}
            | {"partial_failure_response_code": "none"},
            "a status of HTTP",
        ),
    ],
)
def test_bad_requests(server: Server, body: dict[str, Any], message: str) -> None:
    answer = encode(server, body)
    assert answer.status == 400
    assert message in answer.body["errors"][0]


def test_the_largest_batch(server: Server) -> None:
    item = {"value": SSN, "transformation": "ssn"}
    made = encode(server, {"batch_input": [item] * 10_000}).data["batch_results"]
    assert len(made) == 10_000
    answer = encode(server, {"batch_input": [item] * 10_001})
    assert "not 10001" in answer.body["errors"][0]


def test_policies_are_checked_by_the_core(server: Server) -> None:
    for text, message in (
        ("[columns]\nssn = {}", "columns.ssn.format: is missing"),
        (JSON_WITHOUT_VERSION, "columns.a.key"),
        ("not TOML", "not valid TOML"),
        ("{", "this is not JSON"),
        (POLICY.replace("people:1", "people:9"), "no such key"),
        (POLICY.replace("people:1", "nobody:1"), "make it by a write to keys/nobody"),
    ):
        answer = server.call("POST", "tallystick/policies/bad", {"policy": text})
        assert answer.status == 400, text
        assert message in answer.body["errors"][0], answer
    assert server.call("GET", "tallystick/policies/bad").status == 404
    assert server.read("tallystick/policies/people") == {"policy": POLICY}, "public, as written"
    rules = {"ssn": {"format": "ssn", "key": "people:1", "namespace": "person id"}}
    server.write("tallystick/policies/json", {"policy": json.dumps({"columns": rules})})
    server.write("tallystick/roles/json", {"policy": "json", "protect": "*"})
    assert encode(server, {"value": SSN}, "json").data == (
        encode(server, {"value": SSN, "transformation": "ssn"}).data
    )


def test_what_is_used_stays(server: Server) -> None:
    for method, path, body, message in (
        ("DELETE", "policies/people", None, "uses the policy people"),
        ("POST", "policies/people", {"policy": POLICY.replace("ssn =", "tin =")}, ""),
        ("POST", "roles/x", {"policy": "none"}, 'there is no policy "none"'),
        ("POST", "roles/x", {"policy": "people", "reveal": "age"}, 'has no column "age"'),
        ("POST", "roles/x", {"policy": "people", "protct": "*"}, "none of name, policy, protect"),
        ("DELETE", "keys/people", None, "deletion_allowed"),
        (
            "POST",
            "keys/people/trim",
            {"min_available_version": 9},
            "min_available_version is 1 to 1",
        ),
        ("POST", "keys/none/rotate", {}, "there is no key none"),
        ("POST", "keys/People", {}, "a policy can't name this key"),
        ("POST", "keys/short", {"size": 8}, "16, 24 or 32"),
        ("POST", "keys/x/import", {"ciphertext": "AAAA"}, "RSA-OAEP"),
        ("POST", "keys/x/import", {"ciphertext": "?"}, "not Base64"),
    ):
        if path == "policies/people" and method == "POST":
            server.write("tallystick/roles/keeper", {"policy": "people", "reveal": "ssn"})
            message = 'the role keeper: the policy people has no column "ssn"'
        answer = server.call(method, f"tallystick/{path}", body)
        assert answer.status == 400, path
        assert message in answer.body["errors"][0], answer


def test_key_versions(server: Server) -> None:
    """A key is rotated, tokens are moved, and old versions end."""
    rule = 'ssn = {{ format = "ssn", key = "moved:{}", namespace = "person id" }}'

    def policy(version: int) -> dict[str, str]:
        return {"policy": "[columns]\n" + rule.format(version)}

    server.write("tallystick/keys/moved")
    server.write("tallystick/policies/moved", policy(1))
    about = {"policy": "moved", "protect": "*", "reveal": "*", "rewrap": "*"}
    server.write("tallystick/roles/moved", about)
    old = encode(server, {"value": SSN}, "moved").data["encoded_value"]
    assert server.write("tallystick/keys/moved/rotate")["latest_version"] == 2
    assert encode(server, {"value": SSN}, "moved").data["encoded_value"] == old, "not before"
    server.write("tallystick/policies/moved", policy(2))
    new = encode(server, {"value": SSN}, "moved").data["encoded_value"]
    assert new != old
    assert decode(server, {"value": old, "key_version": 1}, "moved").data["decoded_value"] == SSN
    assert decode(server, {"value": new}, "moved").data["decoded_value"] == SSN
    items = [{"value": old, "key_version": 1}, {"value": "x", "key_version": 1}, {"value": old}]
    answer = server.call("POST", "tallystick/rewrap/moved", {"batch_input": items})
    moved, invalid, unsaid = answer.body["data"]["batch_results"]
    assert moved == {"encoded_value": new}
    assert "does not match its format" in invalid["error"]
    assert "key_version is missing" in unsaid["error"]

    bad = {"min_decryption_version": 3}
    assert server.call("POST", "tallystick/keys/moved/config", bad).status == 400
    server.write("tallystick/keys/moved/config", {"min_encryption_version": 2})
    server.write("tallystick/policies/moved", policy(1))
    refused = encode(server, {"value": SSN}, "moved")
    assert "below the key's min_encryption_version" in refused.body["errors"][0]
    assert decode(server, {"value": old}, "moved").data["decoded_value"] == SSN
    server.write("tallystick/keys/moved/config", {"min_decryption_version": 2})
    refused = decode(server, {"value": old}, "moved")
    assert "below its min_decryption_version" in refused.body["errors"][0]
    trim = {"min_available_version": 2}
    used = server.call("POST", "tallystick/keys/moved/trim", trim)
    assert "the policy moved names an older version" in used.body["errors"][0]
    server.write("tallystick/policies/moved", policy(2))
    assert set(server.write("tallystick/keys/moved/trim", trim)["versions"]) == {"2"}
    gone = decode(server, {"value": old, "key_version": 1}, "moved")
    assert "does not have this key_version; a read of keys/moved shows" in gone.body["errors"][0]
    for path in ("roles/moved", "policies/moved"):
        assert server.call("DELETE", f"tallystick/{path}").status == 204
    server.write("tallystick/keys/moved/config", {"deletion_allowed": True})
    assert server.call("DELETE", "tallystick/keys/moved").status == 204
    assert server.call("GET", "tallystick/keys/moved").status == 404


def test_imports(server: Server) -> None:
    assert "has 5 bytes" in imported(server, "odd", b"short").body["errors"][0]
    assert imported(server, "later", bytes(16), version=3).data["latest_version"] == 3
    for version in (3, 2**31):
        answer = imported(server, "later", bytes(16), version=version)
        assert "above 3, the latest version of the key, and at most" in answer.body["errors"][0]
    assert server.write("tallystick/keys/later/rotate")["versions"]["4"]["size"] == 16
    listed = server.call("LIST", "tallystick/keys").data["keys"]
    assert {"people", "later"} <= set(listed)


def test_a_role_that_never_reveals(server: Server) -> None:
    """By the server's ACL, and by the role itself."""
    token = server.token_for("protects", protect__all="update")
    body = {"value": SSN, "transformation": "ssn"}
    made = server.call("POST", "tallystick/protect/all", body, token).data
    body["value"] = made["encoded_value"]
    denied = ("encode/all", "reveal/all", "decode/all", "rewrap/all")
    for path in (*denied, "keys/people", "policies/people", "roles/all"):
        answer = server.call("POST", f"tallystick/{path}", body, token)
        assert answer.status == 403, path
    server.write("tallystick/roles/blind", {"policy": "people", "protect": "*", "reveal": "email"})
    both = server.token_for("both", encode__blind="update", decode__blind="update")
    answer = server.call("POST", "tallystick/decode/blind", body, both)
    assert "has no transformation of this name to reveal" in answer.body["errors"][0]


def test_no_path_returns_a_key(server: Server) -> None:
    raw = bytes(range(100, 132))
    assert imported(server, "seen", raw).status == 200
    forms = (base64.b64encode(raw).decode(), raw.hex())
    for path in ("keys/seen", "keys", "policies/people", "roles/all", "wrapping_key"):
        text = json.dumps(server.call("GET", f"tallystick/{path}").body)
        assert not any(form in text for form in forms), path


def test_concurrent_requests_and_writes(server: Server) -> None:
    """Requests go on with what they began with while policies and keys are written."""
    values = [f"{n:03}-05-1120" for n in range(1, 200)]
    items = {"batch_input": [{"value": value, "transformation": "ssn"} for value in values]}
    want = encode(server, items).data

    def ask(n: int) -> Answer:
        if n % 10 == 3:
            return server.call("POST", "tallystick/policies/people", {"policy": POLICY})
        if n % 10 == 7:
            return server.call("POST", "tallystick/keys/people/rotate", {})
        return encode(server, items)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, range(80)))
    for n, answer in enumerate(answers):
        assert answer.status in (200, 204), answer
        assert n % 10 in (3, 7) or answer.data == want

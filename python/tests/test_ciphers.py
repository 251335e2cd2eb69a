# SPDX-License-Identifier: Apache-2.0
"""Formats with FF1 in the place of FAST: tokens by a plain model, the standard, and limits."""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from format_vectors.arrow_types import column, numbers_of
from format_vectors.descriptions import form_of
from format_vectors.record import text_of
from keyring_support import make_ring
from models.ciphers import FF1Tokens, split, vectors
from models.national_kinds import KINDS
from models.ranges import RangeModel
from script_letters import SCRIPTS
from tallystick import (
    FastCipher,
    FormatError,
    InvalidValueError,
    ParameterError,
    Protector,
    Tokenizer,
    formats,
)
from tallystick.cli.main import run
from tallystick.errors import PolicyError
from tallystick.formats import Format, of_description
from tallystick.keyring import Keyring, RootKey
from tallystick.policy import Policy
from vectors import load

KEY = bytes(range(32))
NIST = bytes.fromhex("2B7E151628AED2A6ABF7158809CF4F3C")
CASES = load("tokens_ciphers")


def tokenizer(form: Format, key: bytes = KEY, **options: Any) -> Tokenizer:  # noqa: ANN401
    return Tokenizer(form, key, namespace="n", **options)


def test_the_vectors_are_those_of_the_model() -> None:
    assert list(vectors()) == CASES
    options = [case["format"] for case in CASES]
    assert {one["kind"] for one in options if "kind" in one} == set(KINDS)
    assert {one["script"] for one in options if "script" in one} >= set(SCRIPTS)


@pytest.mark.parametrize("case", CASES, ids=lambda case: json.dumps(case["format"]))
def test_vectors(case: dict[str, Any]) -> None:
    form = of_description(case["format"])
    key, rows = bytes.fromhex(case["key"]), case["tokens"]
    tokens = Tokenizer(form, key, namespace=case["namespace"])
    for row in rows:
        assert tokens.protect(row["value"], row.get("tweak")) == row["token"]
        assert tokens.reveal(row["token"], row.get("tweak")) == row["value"]
    for tweaked in (False, True):
        here = [row for row in rows if ("tweak" in row) == tweaked] * 50
        values, expected = (pa.array([row[name] for row in here]) for name in ("value", "token"))
        tweaks = pa.array([row["tweak"] for row in here]) if tweaked else None
        assert tokens.protect(values, tweaks).equals(expected)
        assert tokens.reveal(expected, tweaks).equals(values)


# The values of all formats, under another cipher than in their vectors.

COVERED = {
    "text": {"alphabet", "digits", "email", "ipv6"},
    "presets": {"card", "imei", "uuid", "phone", "base64url"},
    "numbers": {"l", "L", "i", "tdD", "tdm", "d:38,2", "tss:", "tsu:Europe/Berlin", "ipv4"},
    "grouped": {"integer", "decimal"},
    "layouts": {*KINDS, "pattern", "iban"},
    "plans": {"ssn"},
    "scripts": {*SCRIPTS, "unicode"},
    "names": {"german", "vietnamese"},
}
"""Formats, kinds and scripts, and types of columns, that the test of each file must have met."""


SAID = "needs 100|fewer than .* to encrypt|no such key|allow_tiny_domain can't go with"
"""How a format is refused under a cipher."""


def described(given: str | dict[str, Any], cipher: str) -> dict[str, Any] | None:
    """Return the description with a cipher; None: it takes none, or has too few values."""
    options = {"type": given} if isinstance(given, str) else given
    if form_of(options).cipher is None:
        return None
    for more in ({"allow_tiny_domain": True}, {}) if cipher == "ff1-2016" else ({},):
        try:
            form_of({**options, **more, "cipher": cipher})
        except (FormatError, PolicyError) as error:
            assert re.search(SAID, str(error)), error
        else:
            return {**options, **more, "cipher": cipher}
    return None


def check(
    tool: Tokenizer,
    values: list[Any],
    make: Callable[[list[Any]], pa.Array],
    read: Callable[[pa.Array], list[Any]],
    run: Callable[[Any, FF1Tokens], Any],
) -> None:
    """Compare the tokens of a column with a model's: with no tweak, and with one for each row."""
    for tweaks in ((None,), ("", "1", "12345678")):
        rows = [(value, tweak) for tweak in tweaks for value in values]
        expected = [
            run(value, FF1Tokens(KEY, "n", None if own is None else own.encode(), reveal=False))
            for value, own in rows
        ]
        times = -(-150 // len(rows))  # enough for lanes
        given = make([value for value, _ in rows] * times)
        own = None if None in tweaks else pa.array([tweak for _, tweak in rows] * times)
        tokens = tool.protect(given, own)
        assert read(tokens) == expected * times
        assert tool.reveal(tokens, own).equals(given)


@pytest.mark.parametrize("cipher", ["ff1", "ff1-2016"])
@pytest.mark.parametrize("name", COVERED)
def test_every_format_by_the_model(name: str, cipher: str) -> None:
    met = set()
    for case in load(f"formats_{name}"):
        options = described(case["format"], cipher)
        if options is None:
            continue
        (model, _), tool = split(options), tokenizer(form_of(options))
        tiny = cipher == "ff1-2016" and options.get("allow_tiny_domain")
        least = 100 if tiny else 1_000_000
        texts = [text_of(row) for row in case["values"] if "token" in row]
        values = [
            one for one in texts if isinstance(one, str) and (model.domain(one) or 0) >= least
        ]
        if values:
            check(tool, values, pa.array, pa.Array.to_pylist, model.run)
            tokens = tool.protect(pa.array(values))
            assert tokens.to_pylist() == [tool.protect(value) for value in values]
            met |= {
                options["type"],
                *(options.get(key) for key in ("kind", "script", "repertoire")),
            }
        for given in case.get("columns", ()):
            numbers, kind = [int(row["value"]) for row in given["values"]], given["type"]
            if numbers:
                assert isinstance(model, RangeModel)
                check(
                    tool,
                    numbers,
                    partial(column, kind),
                    numbers_of,
                    partial(model.run_number, kind),
                )
                met.add(kind)
    assert COVERED[name] <= met


def test_a_column_of_many_layouts_by_the_model() -> None:
    form = formats.digits(keep_last=2).with_cipher("ff1")
    model, _ = split({"type": "digits", "keep_last": 2})
    values = [f"{n * 7919 % 10**9:0{8 + n % 13}}"[: 8 + n % 13] for n in range(700)]
    values = [f"{one[:3]} {one[3:]}" if n % 3 else one for n, one in enumerate(values)]
    tweaks = [f"{n % 7}" for n in range(700)]
    found = tokenizer(form).protect(pa.array(values), pa.array(tweaks))
    for value, tweak, token in zip(values, tweaks, found.to_pylist(), strict=True):
        row = FF1Tokens(KEY, "n", tweak.encode(), reveal=False)
        assert model.run(value, row) == token


@pytest.mark.parametrize("symbols", [8, 16, 17, 33])
@pytest.mark.parametrize("width", [10, 19, 30, 36])
def test_a_column_of_one_layout_is_its_values(symbols: int, width: int) -> None:
    """Wherever rows are on lanes, each has the tweak of its own."""
    if symbols > width:
        return
    form = formats.digits(keep_first=1, keep_last=1, max_length=40).with_cipher("ff1")
    tokens = tokenizer(form)
    spaces = " " * (width - symbols)
    values = [f"{n * 7919 % 10**symbols:0{symbols}}" for n in range(1, 600)]
    values = [one[:3] + spaces + one[3:] for one in values]
    tweaks = [f"{n % 7}" for n in range(599)]
    for given in (None, tweaks):
        column = None if given is None else pa.array(given)
        found = tokens.protect(pa.array(values), column)
        single = [
            tokens.protect(value, None if given is None else given[row])
            for row, value in enumerate(values)
        ]
        assert found.to_pylist() == single
        assert tokens.reveal(found, column).to_pylist() == values


def test_the_longest_text() -> None:
    for radix, form in ((10, formats.digits(max_length=65536)), (95, formats.ascii())):
        longest = 65536 if radix == 10 else 1024
        tokens = tokenizer(form.with_cipher("ff1"))
        value = "7" * longest
        token = tokens.protect(value)
        assert token != value
        assert len(token) == longest
        assert tokens.reveal(token) == value


def test_both_profiles_give_one_token() -> None:
    new, old = (tokenizer(formats.digits().with_cipher(name)) for name in ("ff1", "ff1-2016"))
    assert new.protect("123456") == old.protect("123456")
    assert new.protect("123456") != tokenizer(formats.digits()).protect("123456")
    small = formats.digits(allow_tiny_domain=True)
    tiny = tokenizer(small.with_cipher("ff1-2016"))
    assert sorted(tiny.protect(f"{n:02}") for n in range(100)) == [f"{n:02}" for n in range(100)]
    for refused in (old, new, tokenizer(small.with_cipher("ff1"))):
        with pytest.raises(InvalidValueError, match="too few symbols"):
            refused.protect("12345")


def test_the_plain_standard_is_nists() -> None:
    def plain(form: Format, tweak: str, key: bytes = NIST) -> Tokenizer:
        return tokenizer(form.with_cipher("ff1", tweak), key)

    letters = formats.alphabet(alphabet="0123456789abcdefghijklmnopqrstuvwxyz")
    assert plain(formats.digits(), "").protect("0123456789") == "2433477484"
    assert plain(formats.digits(), "39383736353433323130").protect("0123456789") == "6124200773"
    row = plain(formats.digits(), "3938373635").protect("0123456789", b"43210")
    assert row == "6124200773"
    found = plain(letters, "3737373770717273373737").protect("0123456789abcdefghi")
    assert found == "a9tv40mll9kdu509eum"
    kept = formats.digits(keep_last=2, kept_as_tweak=False)
    assert plain(kept, "").protect("012345678977") == "243347748477"


def _text(symbols: list[int]) -> str:
    return "".join(_SYMBOLS[symbol] for symbol in symbols)


_SYMBOLS = "".join(map(chr, range(33, 127)))


def _peers(name: str) -> list[dict[str, Any]]:
    return [case for case in load(name) if 4 <= case["radix"] <= len(_SYMBOLS)]


@pytest.mark.parametrize("cipher", ["ff1", "ff3-1"])
def test_tokens_of_other_programs(cipher: str) -> None:
    cases = [
        case for kind in ("peers", "acvp") for case in _peers(f"{cipher.replace('-', '_')}_{kind}")
    ]
    assert len(cases) > 20
    for case in cases:
        plain, token = _text(case["plaintext"]), _text(case["ciphertext"])
        letters = formats.alphabet(
            alphabet=_SYMBOLS[: case["radix"]], separators="", allow_tiny_domain=True
        )
        key, tweak = bytes.fromhex(case["key"]), case["tweak"]
        used = "ff1-2016" if cipher == "ff1" else cipher  # some of NIST's domains are small
        whole = tokenizer(letters.with_cipher(used, tweak), key)
        by_row = tokenizer(letters.with_cipher(used, tweak[:4]), key)
        own = bytes.fromhex(tweak[4:])
        assert whole.reveal(token) == plain
        assert by_row.reveal(token, own) == plain
        column, tweaks = pa.array([token] * 70), pa.array([own] * 70, pa.binary())
        assert whole.reveal(column).to_pylist() == [plain] * 70
        assert by_row.reveal(column, tweaks).to_pylist() == [plain] * 70
        if cipher == "ff1":
            assert whole.protect(plain) == token
            assert by_row.protect(plain, own) == token


def test_ff3_1_makes_no_tokens_and_knows_the_size_of_its_tweaks() -> None:
    form = formats.digits(max_length=65536).with_cipher("ff3-1", "")
    tokens = tokenizer(form)
    with pytest.raises(ParameterError, match="reveals tokens and makes none"):
        tokens.protect("1234567", b"1234567")
    with pytest.raises(ParameterError, match="reveals tokens and makes none"):
        tokens.protect(pa.array(["1234567"]), pa.array([b"1234567"]))
    assert len(tokens.reveal("7" * 56, b"1234567")) == 56
    with pytest.raises(InvalidValueError, match="more symbols"):
        tokens.reveal("7" * 57, b"1234567")
    for tweak in (b"", b"123456", b"12345678"):
        with pytest.raises(InvalidValueError, match="tweak is null, too long"):
            tokens.reveal("7654321", tweak)
    with pytest.raises(InvalidValueError, match="tweak is null, too long"):
        tokens.reveal("7654321")
    column = pa.array(["7654321"] * 5000)
    with pytest.raises(InvalidValueError, match=r"row 0.*tweak is null, too long"):
        tokens.reveal(column)
    tweaks = pa.array([b"1234567"] * 4999 + [b"12345678"])
    with pytest.raises(InvalidValueError, match=r"row 4999.*tweak is null, too long"):
        tokens.reveal(column, tweaks)


def test_plain_fast_is_fast_on_words() -> None:
    words = FastCipher(KEY, 10)
    form = formats.digits().with_cipher("fast", "00ff")
    assert form.identity[:2] == ("fast", "00ff")
    for tweak in (b"", b"12"):
        word = bytes(map(int, "123456789012"))
        token = "".join(map(str, words.encrypt(word, b"\x00\xff" + tweak)))
        assert tokenizer(form).protect("123456789012", tweak) == token
        assert tokenizer(form).reveal(token, tweak) == "123456789012"


def test_namespaces_change_tokens_but_those_of_the_plain_standard() -> None:
    for form, same in (("ff1", False), ("plain", True)):
        digits = formats.digits().with_cipher("ff1", "" if form == "plain" else None)
        one, other = (Tokenizer(digits, KEY, namespace=name) for name in ("a", "b"))
        assert (one.protect("1234567") == other.protect("1234567")) == same


@pytest.mark.parametrize(
    ("form", "cipher", "tweak", "said"),
    [
        (formats.mask(), "ff1", None, "mask: cipher: there is no such key"),
        (formats.pseudonym(), "ff1", None, "pseudonym: cipher: there is no such key"),
        (formats.digits(), "aes", None, "'fast', 'ff1', 'ff1-2016' or 'ff3-1', not 'aes'"),
        (formats.date(), "ff1", None, "and ff1 needs 1000000 or more"),
        (formats.date(), "ff1-2016", None, "and ff1-2016 needs 1000000 or more"),
        (formats.ipv4(prefix=24), "ff1", None, "only 256 values"),
        (formats.phone(country="US"), "ff1", None, "or more; widen the format, or use FAST$"),
        (formats.digits(), "ff1", "0", "an even number of hexadecimal digits"),
        (formats.digits(), "ff1", "0g", "an even number of hexadecimal digits"),
        (formats.digits(), "ff1", "00" * 257, "512 at most"),
        (formats.digits(keep_last=4), "ff1", "", "set kept_as_tweak = false"),
        (formats.iban(), "ff1", "", "a plain cipher, which replaces the symbols of a text"),
        (formats.email(), "ff1", "", "a plain cipher, which replaces the symbols of a text"),
        (formats.ssn(assignable=True), "fast", "", "a plain cipher, which replaces the symbols"),
        (formats.digits(), "ff3-1", None, "it needs tweak_hex"),
        (formats.digits(), "ff3-1", "00" * 8, "14 hexadecimal digits"),
    ],
)
def test_what_is_refused(form: Format, cipher: str, tweak: str | None, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        form.with_cipher(cipher, tweak)


def test_examples_are_valid_under_ff1() -> None:
    made = (formats.alphabet(alphabet="abcd"), formats.digits(), formats.unicode(script="latin"))
    for form in (*made, formats.card(), formats.iban(), formats.email(), formats.ipv6()):
        tokens = tokenizer(form.with_cipher("ff1"))
        for example in form.with_cipher("ff1").examples:
            assert tokens.reveal(tokens.protect(example)) == example


def test_a_format_knows_its_cipher() -> None:
    digits = formats.digits()
    assert digits.cipher == "fast"
    assert formats.mask().cipher is None
    plain = digits.with_cipher("ff1", "00")
    assert plain.cipher == "ff1"
    assert plain.identity[:2] == ("ff1", "00")
    assert plain.with_cipher() == digits
    assert pickle.loads(pickle.dumps(plain)) == plain  # noqa: S301
    assert plain != digits.with_cipher("ff1")


# Policies

RULE = 'key = "people:1", namespace = "n"'


def parsed(*columns: str, above: str = "") -> Policy:
    lines = (f"{'abc'[i]} = {{ {column} }}" for i, column in enumerate(columns))
    return Policy.parse("\n".join((above, "[columns]", *lines)))


def test_a_cipher_stands_in_a_format_or_beside_it_or_above_all() -> None:
    expected = formats.digits().with_cipher("ff1")
    for policy in (
        parsed(f'format = "digits", cipher = "ff1", {RULE}'),
        parsed(f'format = {{ type = "digits", cipher = "ff1" }}, {RULE}'),
        parsed(f'format = "digits", {RULE}', above='cipher = "ff1"'),
    ):
        assert policy.rules[0].form == expected
    mixed = parsed(
        f'format = "digits", {RULE}',
        f'format = "date", cipher = "fast", {RULE.replace("n", "m")}'.replace(
            "mamespace", "namespace"
        ),
        'format = "mask"',
        above='cipher = "ff1"',
    )
    assert [rule.form.cipher for rule in mixed.rules] == ["ff1", "fast", None]


DIGITS = 'namespace = "n", format = "digits"'


@pytest.mark.parametrize(
    ("columns", "above", "said"),
    [
        ([f'{DIGITS}, cipher = "ff2"'], "", "columns.a.cipher: must be 'fast', 'ff1'"),
        ([DIGITS], 'cipher = "ff3-1"', "cipher: must be 'fast', 'ff1' or 'ff1-2016'"),
        (
            ['namespace = "n", format = { type = "digits", cipher = "ff1" }, cipher = "ff1"'],
            "",
            "given twice",
        ),
        (
            ['namespace = "n", format = "date"'],
            'cipher = "ff1"',
            "columns.a.*the smallest domain has only",
        ),
        (
            [f'{DIGITS}, cipher = "ff1", tweak_hex = ""', 'namespace = "m", format = "hex"'],
            "",
            "key people:1 serves a plain cipher .tweak_hex. in column 'a', and something else in",
        ),
        ([DIGITS, f'{DIGITS}, cipher = "ff1"'], "", "two formats under key"),
        (
            [f'{DIGITS}, cipher = "ff3-1", tweak_hex = ""'],
            "",
            "column 'a': a tweak of ff3-1 has 7 bytes; give tweak_hex 14 digits, or name the",
        ),
        (
            [f'{DIGITS}, cipher = "ff3-1", tweak_hex = "{"00" * 7}", tweak = "row"'],
            "",
            "column 'a': its tweak_hex is a whole tweak of ff3-1, which has 7 bytes; remove tweak",
        ),
    ],
)
def test_policies_that_are_refused(columns: list[str], above: str, said: str) -> None:
    with pytest.raises(PolicyError, match=said):
        parsed(*(f'key = "people:1", {one}' for one in columns), above=above)


def test_a_mask_takes_no_cipher() -> None:
    with pytest.raises(PolicyError, match="it encrypts no words, so it takes no cipher"):
        parsed('format = "mask", cipher = "ff1"')


# Keys of other programs


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    make_ring(tmp_path / "a.keys")
    monkeypatch.setenv("TALLYSTICK_KEYRING", "a.keys")
    monkeypatch.setenv("TALLYSTICK_ROOT", "file:root.key")
    return tmp_path


def test_tokens_of_another_program_move_in_one_pass(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLD_KEY", NIST.hex())
    assert run(["keyring", "add", "a.keys", "old", "--from", "env:OLD_KEY"]) == 0
    assert run(["keyring", "add", "a.keys", "new"]) == 0
    rule = 'namespace = "number", format = "digits"'
    old = f'columns.x = {{ {rule}, key = "old:1", cipher = "ff1", tweak_hex = "" }}'
    (home / "old.toml").write_text(old)
    (home / "new.toml").write_text(f'columns.x = {{ {rule}, key = "new:1" }}')
    (home / "old.csv").write_text("x\n2433477484\n")
    assert run(["rotate", "old.csv", "new.csv", "-p", "old.toml", "--to", "new.toml"]) == 0
    assert run(["reveal", "new.csv", "back.csv", "-p", "new.toml"]) == 0
    assert (home / "back.csv").read_text() == "x\n0123456789\n"
    with Protector.open("new.toml") as protector:
        assert protector.tokenizer("x").protect("0123456789") in (home / "new.csv").read_text()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('cipher = "ff1", tweak_hex = ""', ""),
        ('cipher = "ff3-1", tweak_hex = "00000000000000"', 'cipher = "ff1", tweak_hex = ""'),
        ("", 'cipher = "fast", tweak_hex = ""'),
    ],
)
def test_a_key_of_a_plain_cipher_makes_no_other_tokens(
    home: Path, capsys: pytest.CaptureFixture[str], old: str, new: str
) -> None:
    (home / "old.csv").write_text("x\n2433477484\n")
    assert run(["keyring", "add", "a.keys", "k"]) == 0
    for name, one in (("old.toml", old), ("new.toml", new)):
        rule = ", ".join(filter(None, ['namespace = "n", format = "digits", key = "k:1"', one]))
        (home / name).write_text(f"columns.x = {{ {rule} }}")
    capsys.readouterr()
    assert run(["rotate", "old.csv", "new.csv", "-p", "old.toml", "--to", "new.toml"]) == 3
    assert "column 'x' needs another key for its new tokens: k:1 is" in capsys.readouterr().err
    assert not (home / "new.csv").exists()


def test_a_key_of_ipcrypt_makes_no_other_tokens(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "old.csv").write_text("x,y\n2433477484,192.0.2.1\n")
    assert run(["keyring", "add", "a.keys", "k", "--bits", "128"]) == 0
    assert run(["keyring", "add", "a.keys", "k", "--bits", "128"]) == 0
    assert run(["keyring", "add", "a.keys", "d"]) == 0
    for name, digits, address in (("old.toml", "d:1", "k:1"), ("new.toml", "k:1", "k:2")):
        (home / name).write_text(
            f'columns.x = {{ format = "digits", key = "{digits}", namespace = "n" }}\n'
            f'columns.y = {{ format = "ipcrypt", key = "{address}", namespace = "n" }}\n'
        )
    capsys.readouterr()
    assert run(["rotate", "old.csv", "new.csv", "-p", "old.toml", "--to", "new.toml"]) == 3
    assert "column 'x' needs another key for its new tokens: k:1 is" in capsys.readouterr().err
    assert not (home / "new.csv").exists()


def test_a_plain_cipher_keeps_its_key_for_another_tweak(home: Path) -> None:
    (home / "old.csv").write_text("x\n2433477484\n")
    assert run(["keyring", "add", "a.keys", "k"]) == 0
    rule = 'namespace = "n", format = "digits", key = "k:1"'
    for name, cipher, tweak in (("old.toml", "ff1", "00"), ("new.toml", "ff1-2016", "01")):
        plain = f'cipher = "{cipher}", tweak_hex = "{tweak}"'
        (home / name).write_text(f"columns.x = {{ {rule}, {plain} }}")
    assert run(["rotate", "old.csv", "new.csv", "-p", "old.toml", "--to", "new.toml"]) == 0


def test_keys_in_files(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def added(*arguments: str) -> tuple[int, str]:
        code = run(["keyring", "add", "a.keys", "old", *arguments])
        return code, capsys.readouterr().err

    key = home / "key.hex"
    key.write_text(NIST.hex() + "\n")
    key.chmod(0o644)
    assert "others may use the AES key file" in added("--from", "file:key.hex")[1]
    key.chmod(0o600)
    assert added("--from", "file:key.hex") == (0, "")
    ring = Keyring.open(home / "a.keys", RootKey.parse("file:root.key"))
    assert ring.key("old:1") == NIST
    assert "the ring has this key already: old:1" in added("--from", "file:key.hex")[1]
    assert (
        "--bits is the size of a fresh key" in added("--from", "file:key.hex", "--bits", "128")[1]
    )
    assert "no such key file" in added("--from", "file:no.hex")[1]
    key.write_text("00" * 17)
    assert (
        "not an AES key, which is 32, 48 or 64 hexadecimal digits"
        in added("--from", "file:key.hex")[1]
    )
    code, said = added("--from", NIST.hex())
    assert code != 0
    assert "never write the key itself" in said
    assert NIST.hex() not in said
    with pytest.raises(ParameterError, match="16, 24 or 32 bytes"):
        ring.add("short", key=b"12345")


def test_the_vectors_of_formats_are_those_of_the_model() -> None:
    checked = set()
    for case in load("formats_ciphers"):
        form, key = case["format"], bytes.fromhex(case["key"])
        if not str(form.get("cipher")).startswith("ff1"):
            continue
        model, tweak_hex = split(form)
        for row in case["values"]:
            for name, tweak in (("token", None), ("tweaked", case["tweak"].encode())):
                tokens = FF1Tokens(key, case["namespace"], tweak, tweak_hex=tweak_hex, reveal=False)
                assert model.run(row["value"], tokens) == row[name], (form, row)
                checked.add((form["cipher"], tweak_hex is None))
    assert len(checked) == 4

# SPDX-License-Identifier: Apache-2.0
"""Python beside Go, with cgo and as WebAssembly: the same tokens, or the same refusal.

Policies of one column of any options, words under any key, and shares go to tests/fuzz/golang,
which is compiled in both ways.
"""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

import atheris
import numpy as np
import pyarrow as pa

from harness import RINGS, ROOT, Folder, fuzz, ring, size_of
from rings import sealed
from seeds import GOOD
from tallystick import FastCipher, InvalidValueError, TallyError, Tokenizer, shares
from tallystick.errors import NotEnoughSharesError, ParameterError, ShareError
from tallystick.formats.format import REASONS
from tallystick.keyring import Keyring, RootKey
from tallystick.policy import Policy
from tallystick.shares import authentic

TYPES = (
    *("digits", "hex", "letters", "alphanumeric", "base64url", "ascii", "alphabet", "card", "ssn"),
    *("phone", "email", "uuid", "date", "integer"),
)
OPTIONS: dict[str, tuple[object, ...]] = {
    "separators": ("", " -", '/ _<>&"\\', "0", "é", "@"),
    "keep_first": (0, 1, 2, 6, 64, 65, -1, True),
    "keep_last": (0, 1, 4, 64, 65, 2**31),
    "min_length": (0, 2, 6, 100, -1),
    "max_length": (0, 1, 3, 12, 65536, 65537),
    "kept_as_tweak": (True, False, "true"),
    "allow_tiny_domain": (True, False, 1),
    "alphabet": ("0123456789", "ab", "ACGT", "aab", "<>&\"\\'", "é", "", 5),
    "luhn": ("valid", "invalid", "none", "other"),
    "case": ("keep", "lower", "upper", "mixed", ""),
    "part": ("local", "all", "x"),
    "min": (0, -1000, 5, 2**62, -(2**63), 2**63 - 1, "0", 1.5),
    "max": (5, 999, 100000, 2**62, 2**63 - 1, -5),
    "notation": ("YYYY-MM-DD", "DD.MM.YYYY", "MMDDYYYY", "YY-MM-DD", "MM/DD/YYYY é", ""),
    "first": ("date:1900-01-01", "date:0001-01-01", "date:2099-12-31", "1900-01-01"),
    "last": ("date:2099-12-31", "date:9999-12-31", "date:1900-01-05", "date:2026-02-30"),
    "unknown": (1,),
}
TEXTS = (
    *(
        "5304218",
        "53-042 18",
        "000",
        "12345678901234567890",
        "DEADBEEF",
        "deadbeef",
        "Anne O'Neill",
    ),
    *(
        "4111 1111 1111 1111",
        "378282246310005",
        "078-05-1120",
        "+1 (202) 555-0143",
        "abc@x",
        "ab@c",
    ),
    *("Jane.Doe@Example.org", "f81d4fae-7dec-41d0-a765-00a0c91e6bf6", "2000-02-29", "29.02.2000"),
    *(
        "-1000",
        "100000",
        "-7",
        "GATTACA",
        "Hello, world!",
        "dGFsbHk_c3RpY2s=",
        "",
        "0",
        "Ünal",
        "\0",
    ),
)


class Go:
    """A process of the Go program."""

    def __init__(self, name: str, **environment: str) -> None:
        program = ROOT / "build" / "fuzz" / f"golang-{name}"
        given = {**os.environ, "GOFLAGS": "-mod=readonly", **environment}
        command = ["go", "build", "-o", str(program), "./tests/fuzz/golang"]
        subprocess.run(command, cwd=ROOT, env=given, check=True)
        self._process = subprocess.Popen(
            [program, RINGS / "people.keys"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def ask(self, request: dict[str, object]) -> dict[str, Any]:
        """Return the answer to a request."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "the Go program has ended"
        answer: dict[str, Any] = json.loads(line)
        return answer


def failed(kind: str, row: int = 0, reason: int = 0) -> dict[str, Any]:
    """Return the answer of a failure."""
    return {"failed": kind, "row": row, "reason": reason, "made": None, "verdicts": None}


def made(*texts: bytes | None) -> dict[str, Any]:
    """Return the answer of a success."""
    listed = [None if text is None else text.hex() for text in texts]
    return {"row": 0, "reason": 0, "made": listed, "verdicts": None}


def toml(value: object) -> str:
    """Write a value of an option."""
    if isinstance(value, str) and value.startswith("date:"):
        return value.removeprefix("date:")
    return json.dumps(value, ensure_ascii=False)


def policy_of(typed: atheris.FuzzedDataProvider) -> str:
    """Write a policy of one column."""
    kind = TYPES[typed.ConsumeIntInRange(0, len(TYPES) - 1)]
    options: dict[str, object] = {"type": kind}
    names = list(OPTIONS)
    for _ in range(typed.ConsumeIntInRange(0, 4)):
        name = names[typed.ConsumeIntInRange(0, len(names) - 1)]
        choices = OPTIONS[name]
        chosen = choices[typed.ConsumeIntInRange(0, len(choices) - 1)]
        if typed.ConsumeIntInRange(0, 7) == 0:
            # TOML allows numbers beyond 64 bits, and neither U+0000 nor lone surrogates in text.
            chosen = (typed.ConsumeIntInRange(-70, 70), typed.ConsumeBytes(8).decode("latin-1"))[
                typed.ConsumeBool()
            ]
        options[name] = chosen
    form = ", ".join(f"{name} = {toml(value)}" for name, value in options.items())
    on_invalid = ("", ', on_invalid = "null"', ', on_invalid = "keep"')[
        typed.ConsumeIntInRange(0, 2)
    ]
    namespace = ("d", "Größe 😀", "x" * 256, "x" * 257)[typed.ConsumeIntInRange(0, 3)]
    tweak = ', tweak = "t"' if typed.ConsumeBool() else ""
    key = ("people:1", "people:2", "cards:1", "none:1")[typed.ConsumeIntInRange(0, 3)]
    rule = f'format = {{ {form} }}, key = "{key}", namespace = {toml(namespace)}{tweak}{on_invalid}'
    return f"[columns]\na = {{ {rule} }}\n".replace("\x7f", "\\u007f")


def texts(typed: atheris.FuzzedDataProvider, count: int) -> list[bytes | None]:
    """Choose values."""
    found: list[bytes | None] = []
    for _ in range(count):
        match typed.ConsumeIntInRange(0, 3):
            case 0:
                found.append(typed.ConsumeBytes(typed.ConsumeIntInRange(0, 40)))
            case 1 if typed.ConsumeIntInRange(0, 3) == 0:
                found.append(None)
            case _:
                found.append(TEXTS[typed.ConsumeIntInRange(0, len(TEXTS) - 1)].encode())
    return found


def column(values: list[bytes | None]) -> pa.Array:
    """Make text of bytes that may not be UTF-8."""
    binary = pa.array(values, pa.binary())
    return pa.Array.from_buffers(pa.string(), len(binary), binary.buffers())


def by_policy(request: dict[str, Any], values: list[bytes | None], tweaks: Any) -> dict[str, Any]:  # noqa: ANN401
    """Do in Python what is asked of a policy."""
    try:
        rule = Policy.parse(request["policy"]).rules[0]
        key = None if rule.key is None else keyring.key(rule.key)
        tokenizer = Tokenizer(rule.form, key, namespace=rule.namespace, on_invalid=rule.on_invalid)
    except TallyError:
        return failed("policy")
    call = tokenizer.reveal if request["reveal"] else tokenizer.protect
    if (rule.tweak is None) != (tweaks is None):
        return failed("column")
    try:
        array = call(column(values), None if tweaks is None else column(tweaks))
    except InvalidValueError as error:
        return failed("invalid", error.row, [str(reason) for reason in REASONS].index(error.reason))
    except ParameterError:
        return failed("column")
    binary = pa.Array.from_buffers(pa.binary(), len(array), array.buffers(), -1, array.offset)
    return made(*binary.to_pylist())


def of_policies(typed: atheris.FuzzedDataProvider) -> tuple[dict[str, Any], dict[str, Any]]:
    """Make a request of values under a policy, and Python's answer."""
    policy = policy_of(typed)
    count = typed.ConsumeIntInRange(0, 5)
    values = texts(typed, count)
    tweaks = (
        texts(typed, count)
        if ("tweak" in policy) != (typed.ConsumeIntInRange(0, 20) == 0)
        else None
    )
    listed = [
        None if some is None else [None if one is None else one.hex() for one in some]
        for some in (values, tweaks)
    ]
    request = {
        "policy": policy,
        "values": listed[0],
        "tweaks": listed[1],
        "reveal": typed.ConsumeBool(),
    }
    return request, by_policy(request, values, tweaks)


def of_words(typed: atheris.FuzzedDataProvider) -> tuple[dict[str, Any], dict[str, Any]]:
    """Make a request of words, and Python's answer."""
    key = typed.ConsumeBytes((16, 24, 32, 5)[typed.ConsumeIntInRange(0, 3)])
    radix, length = typed.ConsumeIntInRange(1, 258), typed.ConsumeIntInRange(1, 40)
    reveal, low = typed.ConsumeBool(), typed.ConsumeIntInRange(0, 5)
    tweak = typed.ConsumeBytes(typed.ConsumeIntInRange(0, 40))
    count = typed.ConsumeIntInRange(1, 40)
    words = typed.ConsumeBytes(count * length).ljust(count * length, b"\1")
    if low:
        words = bytes(symbol % min(radix, 256) for symbol in words)
    request = {
        "radix": radix,
        "length": length,
        "key": key.hex(),
        "tweak": tweak.hex(),
        "words": words.hex(),
        "reveal": reveal,
    }
    try:
        cipher = FastCipher(key, radix)
        call = cipher.decrypt_words if reveal else cipher.encrypt_words
        out = call(np.frombuffer(words, np.uint8).reshape(count, length), tweak)
    except ParameterError:
        return request, failed("words")
    return request, made(out.tobytes())


def of_shares(typed: atheris.FuzzedDataProvider) -> tuple[dict[str, Any], dict[str, Any]]:
    """Make a request of shares, and Python's answer."""
    given = []
    for _ in range(typed.ConsumeIntInRange(0, 5)):
        share = bytearray(GOOD[typed.ConsumeIntInRange(0, 2)])
        for _ in range(typed.ConsumeIntInRange(0, 2)):
            share[typed.ConsumeIntInRange(0, len(share) - 1)] = typed.ConsumeIntInRange(0, 255)
        size = typed.ConsumeIntInRange(0, 4 * len(share))
        given.append(bytes(share[: size or 0]) if size < len(share) else bytes(share))
    given += given[:1] * size_of(typed, 1, authentic.MAX_GIVEN + 1 - len(given))
    set_id = ("", shares.read(GOOD[0]).set_id, "00" * 16, "xx")[typed.ConsumeIntInRange(0, 3)]
    request = {"shares": [share.hex() for share in given], "set": set_id}
    try:
        found, error = shares.authentic.check(given, set_id=set_id or None)
    except ParameterError:
        return request, failed("shares")
    answer = failed("shares")
    answer["verdicts"] = [verdict.value for verdict in found.verdicts] or None
    if error is None:
        answer.pop("failed")
        answer["made"] = [shares.combine(given, set_id=set_id or None).secret.hex()]
    elif not isinstance(error, (NotEnoughSharesError, ShareError)):
        raise AssertionError("another error")
    return request, answer


def of_rings(typed: atheris.FuzzedDataProvider) -> tuple[dict[str, Any], dict[str, Any]]:
    """Make a request of a key ring's file, with an edit or two, and Python's answer."""
    text = bytearray(rings[typed.ConsumeIntInRange(0, len(rings) - 1)])
    for _ in range(typed.ConsumeIntInRange(0, 2)):
        at, size = typed.ConsumeIntInRange(0, len(text)), typed.ConsumeIntInRange(0, 3)
        text[at : at + size] = typed.ConsumeBytes(typed.ConsumeIntInRange(0, 3))
    # Not one that is spelled anew: the one spelling is what is to be tested.
    path = folder.file("one.keys", sealed(bytes(text), spelled=False))
    request = {"ring": str(path)}
    try:
        opened = Keyring.open(path, root)
        found = []
        for info in opened.keys():  # noqa: SIM118 (a method of ours)
            found += [str(info.id).encode(), opened.key(info.id)]
    except TallyError:
        return request, failed("ring")
    return request, made(*found)


def one(data: bytes) -> None:
    """Ask all three."""
    typed = atheris.FuzzedDataProvider(data)
    kinds = (of_policies, of_policies, of_words, of_shares, of_rings)
    request, ours = kinds[typed.ConsumeIntInRange(0, len(kinds) - 1)](typed)
    tweaks = request.get("tweaks")
    for name, other in others.items():
        theirs = other.ask(request)
        both_invalid = ours.get("failed") == theirs.get("failed") == "invalid"
        if both_invalid and tweaks and tweaks[ours["row"]] is None:
            ours["reason"] = theirs["reason"]  # neither value nor tweak fits: either may be named
        assert theirs == ours, f"Go with {name} differs: {request} {ours} {theirs}"


if __name__ == "__main__":
    keyring = ring()
    folder, root = Folder(), RootKey.parse("env:FUZZ_ROOT_KEY")
    rings = [path.read_bytes() for path in sorted(RINGS.glob("*.keys"))]
    # Go's function takes the bytes of the root key, whatever kind they come from.
    rings = [text for text in rings if b'"kind": "key"' in text]
    others = {"cgo": Go("cgo", CGO_ENABLED="1"), "WebAssembly": Go("wasm", CGO_ENABLED="0")}
    fuzz(one, TEXTS)

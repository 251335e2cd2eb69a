# SPDX-License-Identifier: Apache-2.0
"""The TOML of policies as the extensions read it, beside Python's tomllib."""

from __future__ import annotations

import json
import subprocess
import tomllib
from random import Random

from tests.sql.places import BUILT, ROOT

from tallystick.policy.rules import tagged

DOCUMENTS = [
    vector["toml"].encode()
    for vector in json.loads((ROOT / "vectors" / "policies.json").read_text())
]
DOCUMENTS += [
    b"a=1979-05-27T07:32:00Z\nb=1979-05-27 07:32:00.999999-07:00\nc=07:32:00.5\nd=1979-05-27\n"
    b"e=inf\nf=-nan\ng=+1.5e-3\nh=0xdead_beef\ni=0o17\nj=-0\nk=1_000\nl=-0.0\nm=0b101",
    b"a.b.c=1\na.b.d=2\n[a.x]\ny=1\n[[q]]\nz=1\n[[q]]\n[q.r]\ns={a.b=1,a.c=2}\n",
    b'a="""\n x\\\n   y""" # c\nb=\'\'\'a\'\'\'\'\'\nc="""\\"""""""\n',
    b"[a]\nb.c=1\n[a.b]\n",
    b"a={b=1}\n[a.c]\n",
    b"a=[1,2,]\n[[a]]\n",
    b"[a.b.c]\nz=9\n[a]\nb.x=1\n[a.b]\n",
    b'"a\\u00e9\\U0001F600"."b c"=true\r\n[ j . "x" ]\r\n',
    b"\xef\xbb\xbfa = '\xc3\xa9'",
    b"a = '\xff'",
    b"a = '\xed\xa0\x80'",
    b"a = 2000-02-30",
]
PIECES = (
    *(b"[", b"]", b"[[", b"]]", b"a", b"b", b"c", b".", b"=", b" ", b"\n", b"\n", b"{", b"}"),
    *(b",", b"1", b'"', b"'", b'"""', b"'''", b"\\", b"#", b"true", b"1979-05-27", b"T", b"\0"),
    *(b"07:32:00", b"-", b"+", b"_", b"e1", b"0x1", b"inf", b"\r\n", b"\r", b"\t", b"\\u00e9"),
    *(b"\xc3\xa9", b"a = 1\n", b"[a]\n", b"[a.b]\n", b"b.c = 2\n", b"[[a]]\n", b'x="y"\n'),
    *(b"a.b = {c = 1}\n", b"b = [1, {a=2}]\n"),
)


def _read(documents: list[bytes]) -> list[str]:
    """Return what the C code makes of documents."""
    given = b"".join(b"%d\n%s" % (len(document), document) for document in documents)
    run = subprocess.run([BUILT / "toml_json"], input=given, capture_output=True, check=False)
    assert run.returncode == 0, run.stderr.decode()
    made, at = [], 0
    while at < len(run.stdout):
        end = run.stdout.index(b"\n", at)
        size = int(run.stdout[at:end])
        made.append(run.stdout[end + 1 : end + 1 + size].decode())
        at = end + 1 + size
    assert len(made) == len(documents)
    return made


def _differs(document: bytes, made: str) -> bool:
    """Tell whether C and Python do not agree on a document."""
    try:
        wanted = json.dumps(tagged(tomllib.loads(document.decode("utf-8-sig"))))
    except (ValueError, RecursionError):
        return not made.startswith("!")
    if made.startswith("!"):
        return "deep" not in made  # for what TOML allows, and a policy does not
    return json.dumps(json.loads(made)) != wanted and "$float" not in wanted  # of 1e999


def test_vectors_and_all_that_toml_has() -> None:
    wrong = [
        (document, made)
        for document, made in zip(DOCUMENTS, _read(DOCUMENTS), strict=True)
        if _differs(document, made)
    ]
    assert not wrong
    assert json.loads(_read([DOCUMENTS[-12]])[0])["e"] == {"$float": "inf"}


def test_damaged_documents() -> None:
    random = Random(1)  # noqa: S311
    documents = []
    for _ in range(20_000):
        if random.random() < 0.6:
            document = b"".join(random.choice(PIECES) for _ in range(random.randrange(1, 14)))
        else:
            document = random.choice(DOCUMENTS)
            for _ in range(random.randrange(1, 4)):
                begin = random.randrange(len(document) + 1)
                end = min(len(document), begin + random.choice([0, 0, 1, 5]))
                document = document[:begin] + random.choice(PIECES) + document[end:]
        documents.append(document)
    made = _read(documents)
    wrong = [pair for pair in zip(documents, made, strict=True) if _differs(*pair)]
    assert not wrong
    assert sum(not text.startswith("!") for text in made) > 1000


def test_a_message_has_the_line() -> None:
    assert _read([b"a = 1\n\nb = [1,\n2 3]\n"]) == ["!line 4: an array has no , or ]"]
    assert _read([b"a = 1\n\n# \xff"])[0].startswith("!line 3: is not UTF-8")

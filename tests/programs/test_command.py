# SPDX-License-Identifier: Apache-2.0
"""``tallystick`` in Go and the Python package's command give the same bytes, messages and codes."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import time
from itertools import product
from pathlib import Path

import pytest
from pyrage import x25519

from peak import measured, peak
from two_commands import KEYS, ONE, Command, Result, both, without_times

POLICY = """
keep = ["order"]
[columns]
ssn = { format = "ssn", key = "people:1", namespace = "person id" }
email = { format = "email", key = "people:1", namespace = "e-mail", on_invalid = "null" }
code = { format = "ascii", key = "people:1", namespace = "code" }
card = { format = { type = "mask", keep_last = 4 } }
[columns.name]
format = "letters"
key = "people:2"
namespace = "name"
tweak = "order"
on_invalid = "keep"
"""
CSV = (
    b"order,ssn,email,name,code,card,extra\r\n"
    b'1,078-05-1120,jane@example.org,Jane,"a,b""c",4111111111111111,x\r\n\r\n'
    b'2,,nobody,O-1,hello world,,"q\nr"\n'
    b'3,"219-09-9999",,Adalbert,zz top9,12345678,'
)
NDJSON = (
    b'\xef\xbb\xbf{"order": 1, "ssn": "078-05-1120", "email": "caf\\u00e9@x.org", "name": "Jane", '
    b'"code": "hello wo\\"rld", "deep": {"a": [1, 2.5e3, true]}}\r\n\n'
    b'  {"ssn": null, "email": "\\ud83d\\ude00@example.org",\n "order": "x", "code": "abcdef hi"}\n'
    b'{"extra": -0.5e+1, "name": "Adalbert", "order": 3, "card": "4111111111111111"}'
)


static_too = pytest.mark.parametrize(
    "programs", [{}, {"CGO_ENABLED": "0"}], ids=["usual", "static"], indirect=True
)


@static_too
@pytest.mark.parametrize(("kind", "data"), [("csv", CSV), ("ndjson", NDJSON)])
def test_the_same_bytes_both_ways(
    kind: str, data: bytes, place: Path, go: Command, python: Command
) -> None:
    Path("p.toml").write_text(POLICY)
    Path(f"a.{kind}").write_bytes(data)
    done = both(go, python, (f"t.{kind}",), "protect", f"a.{kind}", f"t.{kind}", *KEYS)
    assert done.code == 0
    assert "not protected, in clear: " in done.err
    assert b"078-05-1120" not in Path(f"t.{kind}").read_bytes()
    done = both(go, python, (f"b.{kind}",), "reveal", f"t.{kind}", f"b.{kind}", *KEYS)
    assert done.code == 0
    assert b"078-05-1120" in Path(f"b.{kind}").read_bytes()
    done = both(go, python, ("j",), "protect", f"a.{kind}", "j", "--type", kind, "--json", *KEYS)
    assert json.loads(done.out)["rows"] == 3


def test_dialects(place: Path, go: Command, python: Command) -> None:
    generator = random.Random(1)  # noqa: S311
    for header, quote, delimiter, skip in (
        (True, '"', ";", True),
        (False, "'", "|", False),
        (True, "", "\t", False),
    ):
        column = "n" if header else "f1"
        options = f"header = {str(header).lower()}\nquote = {quote!r}\n"
        options += f"delimiter = {delimiter!r}\nskip_initial_space = {str(skip).lower()}"
        rule = f'{column} = {{ format = "ascii", key = "people:1", namespace = "n" }}'
        Path("p.toml").write_text(f"[csv]\n{options}\n[columns]\n{rule}".replace("'''", '"\'"'))
        lines = [f"a{delimiter}n"] if header else []
        for _ in range(200):
            value = "".join(generator.choices("abc \xe9xyz", k=generator.randrange(12)))
            value = value.replace("\xe9", "")
            if quote and generator.random() < 0.3:
                value = f"{quote}{value}{quote}{quote}{delimiter}{quote}"
            lines.append(f"{' ' * skip}x{delimiter}{' ' * skip}{value}")
        text = "".join(line + generator.choice(["\n", "\r\n", "\r"]) for line in lines)
        Path("a.csv").write_bytes(text.encode())
        os.remove("t.csv") if os.path.exists("t.csv") else None
        both(go, python, ("t.csv",), "protect", "a.csv", "t.csv", "--overwrite", *KEYS)


REFUSED: list[tuple[bytes, str, str]] = [
    (b"m,n\n1,2\n2,x7\n", "a.csv", ONE),
    (b'{"n": 1}\n{"n": "x"}', "a.ndjson", ONE),
    (b"n,n\n1,2\n", "a.csv", ONE),
    (b"m\n1\n", "a.csv", ONE),
    (b"N \n1\n", "a.csv", ONE),
    (b"n,m\n1\n", "a.csv", ONE),
    (b'n,m\n1,"x\n', "a.csv", ONE),
    (b'n,m\n1,2\n"x"y,1\n', "a.csv", ONE),
    (b"n\n1\n\xff2\n", "a.csv", ONE),
    (b"", "a.csv", ONE),
    (b"\xff\xfen\x00", "a.ndjson", ONE),
    (b'{"n": 1}\n{"n": 01}\n', "a.ndjson", ONE),
    (b'{"n": 1}\n\n{"n": 1, "n": 2}\n', "a.ndjson", ONE),
    (b'{"n": 1} {"n": 2}\n', "a.ndjson", ONE),
    (b'{"n": NaN}', "a.ndjson", ONE),
    (b'{"n": true}', "a.ndjson", ONE),
    (b'{"n": [1]}', "a.ndjson", ONE),
    (b'{"n": "\\ud800"}', "a.ndjson", ONE),
    (b'{"n": 1', "a.ndjson", ONE),
    (b'{"n" 1}', "a.ndjson", ONE),
    (b'{"n": tru}', "a.ndjson", ONE),
    (b'{"n": 1.5}\n', "a.ndjson", ONE),
    (b"[]", "a.ndjson", ONE),
    (b'{"m": 1}\n', "a.ndjson", ONE),
    (b'{"n": 1, "m": 2}\n', "a.ndjson", 'unlisted = "error"\n' + ONE),
    (b"n,m\n1,2\n", "a.csv", 'unlisted = "error"\n' + ONE),
    (b"n\n1\n", "a.csv", ONE.replace("people:1", "people:9")),
    (b"n\n1\n", "a.csv", ONE.replace('"integer"', '"integr"')),
]


def test_refusals(place: Path, go: Command, python: Command) -> None:
    """Nothing appears, and both commands say the same, without the value."""
    differing = []
    for data, name, policy in REFUSED:
        Path(name).write_bytes(data)
        Path("p.toml").write_text(policy)
        ours, theirs = (
            without_times(call("protect", name, "t", "--type", name[2:], *KEYS))
            for call in (go, python)
        )
        assert not os.path.exists("t")
        assert not list(Path().glob(".t.*"))
        assert theirs.code != 0
        if "UTF-8" in theirs.err:  # of --encoding, which the program in Go has not
            ours, theirs = (
                Result(one.code, one.out, one.err.split(";")[0]) for one in (ours, theirs)
            )
        if ours != theirs:
            differing.append(f"{data!r}:\n{ours}\n{theirs}")
    assert not differing, "\n".join(differing)


def test_files(place: Path, go: Command, python: Command) -> None:
    Path("p.toml").write_text(ONE)
    Path("a.csv").write_text("n\n1\n")
    Path("t.csv").write_text("there")
    for arguments in (
        ("protect", "a.csv", "t.csv", *KEYS),
        ("protect", "missing.csv", "u.csv", *KEYS),
        ("protect", "a.csv", "no/folder.csv", *KEYS),
        ("protect", "a.csv", "u.ndjson", *KEYS),
        ("protect", "a.csv", "u.tsv", *KEYS),
        ("protect", "a.csv", "u.csv", "-p", "none.toml", *KEYS[2:]),
        ("protect", "a.csv", "u.csv", *KEYS[:2], "-k", "none.keys", *KEYS[4:]),
        ("protect", "a.csv", "u.csv", *KEYS[:4], "-r", "file:none.key"),
        ("protect", "a.csv", "-", "--json", *KEYS),
        ("keyring", "add", "r.keys", "people:3", "-r", "file:root.key"),
        ("keyring", "add", "r.keys", "people", "--bits", "100", "-r", "file:root.key"),
        ("keyring", "new", "r.keys", "-r", "file:root.key"),
    ):
        ours, theirs = go(*arguments), python(*arguments)
        assert (ours, Path("t.csv").read_text()) == (theirs, "there")


def test_markers_and_missing_columns(place: Path, go: Command, python: Command) -> None:
    Path("p.toml").write_text(ONE)
    Path("two.toml").write_text(
        ONE + 'm = { format = "digits", key = "people:1", namespace = "m" }'
    )
    Path("a.csv").write_text("n,m\n1,2345678\n")
    assert go("protect", "a.csv", "t.csv", *KEYS).code == 0
    for arguments in (
        ("protect", "t.csv", "again.csv", *KEYS),
        ("reveal", "t.csv", "again.csv", "-p", "two.toml", *KEYS[2:]),
        ("protect", "t.csv", "again.csv", "--ignore-marker", *KEYS),
    ):
        both(go, python, ("again.csv",), *arguments)
        for left in Path().glob("again.csv*"):
            left.unlink()
    Path("p.toml").write_text(Path("two.toml").read_text())
    Path("b.csv").write_text("n\n1\n")
    done = both(go, python, ("u.csv",), "protect", "b.csv", "u.csv", "--ignore-missing", *KEYS)
    assert done.code == 0


def test_a_key_without_the_right(place: Path, go: Command, python: Command) -> None:
    """A run that asks for more than a key may is refused before it begins, with the way out."""
    Path("p.toml").write_text(ONE)
    Path("a.csv").write_text("n\n1\n")
    for command, may in (("reveal", "protect"), ("protect", "reveal")):
        rights = ("keyring", "rights", "r.keys", "people:1", "--may", may, *KEYS[-2:])
        assert go(*rights).code == 0
        done = both(go, python, ("t.csv",), command, "a.csv", "t.csv", *KEYS)
        says = f"key people:1 may only {may} here; to {command}, open the ring with a root that may"
        assert (done.code, says in done.err) == (4, True), done.err


@static_too
def test_rings(place: Path, go: Command, python: Command) -> None:
    """Each reads and changes what the other wrote."""
    root = ("-r", "file:go.key")
    made = go("keyring", "new", "go.keys", *root)
    assert (
        made.out == "made a root key: file:go.key (keep a copy, apart from the key ring)\n"
        "made a key ring: go.keys\n"
    )
    assert os.stat("go.keys").st_mode & 0o777 == os.stat("go.key").st_mode & 0o777 == 0o600
    for call in (go, python, go, python):
        assert call("keyring", "add", "go.keys", "people", *root).code == 0
        assert call("keyring", "rotate", "go.keys", "people", "--bits", "192", *root).code == 0
    assert go("keyring", "rights", "go.keys", "people:2", "--may", "protect", *root).code == 0
    Path("key.hex").write_text("00" * 16)
    os.chmod("key.hex", 0o600)
    given = ("keyring", "add", "go.keys", "other", "--from", "file:key.hex", *root)
    assert go(*given).out == "added key other:1: this is its name in policies\n"
    assert (go(*given), go(*given)) == (python(*given), python(*given))
    listed = go("keyring", "list", "go.keys", "--json", *root)
    assert listed == python("keyring", "list", "go.keys", "--json", *root)
    assert len(json.loads(listed.out)["keys"]) == 9
    assert python("keyring", "anchor", "go.keys", "go.anchor", *root).code == 0
    shutil.copy("go.keys", "older.keys")
    with pytest.MonkeyPatch.context() as context:
        context.setenv("TALLYSTICK_ANCHOR", "go.anchor")
        assert go("keyring", "add", "go.keys", "people", *root).code == 0
        shutil.copy("older.keys", "go.keys")
        add = ("keyring", "add", "go.keys", "people", *root)
        assert "is an older copy" in go(*add).err
        assert go(*add).code == python(*add).code == 4


def test_wrapped_rings(place: Path, go: Command, python: Command) -> None:
    """Either wraps a root key anew, for its own roots alone, and the other opens the ring."""
    public = {name: x25519.Identity.generate() for name in ("one", "two", "three")}
    for name, identity in public.items():
        Path(name).write_text(f"{identity}\n")
        os.chmod(name, 0o600)
    Path("a.csv").write_text("n\n123456\n")
    assert go("protect", "a.csv", "t.csv", *KEYS).code == 0
    for call, source, target in ((go, "file:root.key", "one"), (python, "age:one", "two")):
        wrap = ("keyring", "wrap", "r.keys", "-r", source, "--by", f"age:{target}")
        before = Path("r.keys").read_bytes()
        for wrong in (
            ("--by", f"age:{target}"),
            ("--by", "file:none.key"),
            ("--to-protect", "file:root.key"),
        ):
            assert both(go, python, (), *wrap, *wrong).code in (2, 4)
        assert Path("r.keys").read_bytes() == before
        made = call(*wrap, "--to-protect", "age:three")
        assert made.code == 0, made.err
        first, second = (f"age:{public[name].to_public()}" for name in (target, "three"))
        assert made.out.startswith(f"r.keys opens with {first} or {second}, and with nothing else")
        first, second = (f"age:{name}" for name in (target, "three"))
        for other in (go, python):
            for lost in ("file:root.key", *(["age:one"] if target == "two" else [])):
                assert other("reveal", "t.csv", "b.csv", *KEYS[:4], "-r", lost).code == 4
            by = (*KEYS[:4], "-r", first)
            assert other("reveal", "t.csv", "b.csv", "--overwrite", *by).code == 0
            assert Path("b.csv").read_text() == "n\n123456\n"
            by = (*KEYS[:4], "-r", second)
            assert other("protect", "a.csv", "u.csv", "--overwrite", *by).code == 0
            assert other("reveal", "t.csv", "b.csv", "--overwrite", *by).code in (1, 4)
            assert other("keyring", "add", "r.keys", "people", "-r", second).code == 4
            assert other("keyring", "add", "r.keys", "people", "-r", first).code == 0
    shown = ("keyring", "list", "r.keys", "--json", "-r", "age:two")
    assert go(*shown) == python(*shown)


def test_anchors(place: Path, go: Command, python: Command) -> None:
    """An anchor of one is obeyed by the other, and both write the same."""
    root = ("-r", "file:root.key")
    nowhere = ("keyring", "anchor", "r.keys", "none/a", *root)
    ours, theirs = go(*nowhere), python(*nowhere)
    assert ours.err == theirs.err.replace("No such", "no such")
    assert ours.code == theirs.code == 4
    made = []
    for call in (go, python):
        assert call("keyring", "anchor", "r.keys", "a", *root).code == 0
        assert os.stat("a").st_mode & 0o777 == 0o600
        assert call("keyring", "anchor", "r.keys", "a", *root).code == 4
        assert call("keyring", "anchor", "r.keys", "a", "--overwrite", *root).code == 0
        made.append(Path("a").read_bytes())
        Path("a").unlink()
    assert made[0] == made[1]
    for file in ("r.keys", "root.key"):
        before = Path(file).read_bytes()
        both(go, python, (), "keyring", "anchor", "r.keys", file, "--overwrite", *root)
        assert Path(file).read_bytes() == before
    with pytest.MonkeyPatch.context() as context:
        context.setenv("TALLYSTICK_ANCHOR", "a")
        done = both(go, python, (), "keyring", "list", "r.keys", *root)
        assert "no such anchor" in done.err
        both(go, python, (), "keyring", "anchor", "r.keys", "a", "--json", "--overwrite", *root)


def test_signers(place: Path, go: Command, python: Command) -> None:
    """A ring whose signers one sets is obeyed by the other."""
    Path("p.toml").write_text(ONE)
    Path("a.csv").write_text("n\n1\n")
    root = ("-r", "file:root.key")
    assert python("policy", "key", "sign.key").code == 0
    signer = ("--signer", "file:sign.key.pub", *root)
    both(go, python, (), "keyring", "signers", "r.keys", *signer)
    both(go, python, (), "keyring", "signers", "r.keys", *signer, "--json")
    for call in (go, python):
        assert (
            "can't be read; `tallystick policy sign` makes it"
            in call("protect", "a.csv", "t.csv", *KEYS).err
        )
    assert python("policy", "sign", "p.toml", "--key", "file:sign.key").code == 0
    assert go("protect", "a.csv", "t.csv", *KEYS).code == 0
    many = [part for n in range(17) for part in ("--signer", f"{n:064x}")]
    for wrong in ((), (*signer, "--none"), ("--signer", "AB"), ("--signer", "file:none"), many):
        done = both(go, python, (), "keyring", "signers", "r.keys", *wrong, *root)
        assert done.code == 2
    both(go, python, (), "keyring", "signers", "r.keys", "--none", *root)
    Path("p.toml.sig").unlink()
    assert go("protect", "a.csv", "u.csv", *KEYS).code == 0


@static_too
def test_reveal_log(place: Path, go: Command, python: Command) -> None:
    Path("p.toml").write_text(ONE)
    Path("a.csv").write_text("n\n1\n")
    assert go("protect", "a.csv", "t.csv", *KEYS).code == 0
    assert go("reveal", "t.csv", "b.csv", "--reveal-log", "log", *KEYS).code == 0
    assert python("reveal", "t.csv", "c.csv", "--reveal-log", "log", *KEYS).code == 0
    assert go("reveal", "t.csv", "b.csv", "--reveal-log", "log", *KEYS).code == 6
    assert "6 lines, none is broken" in python("reveals", "verify", "log").out
    lines = [json.loads(line) for line in Path("log").read_text().splitlines()]
    assert [line["event"] for line in lines] == ["begin", "end", "begin", "end", "begin", "failed"]
    for ours, theirs in zip(lines[:2], lines[2:4], strict=True):
        for field in ("who", "columns", "rows", "ring", "revision", "source"):
            assert ours[field] == theirs[field]


def test_no_file_that_the_run_needs_is_replaced(
    place: Path, go: Command, python: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("p.toml").write_text(ONE)
    Path("a.csv").write_text("n\n1\n")
    Path("log").touch(0o600)
    Path("link").symlink_to("root.key")
    Path("anchor").touch()
    monkeypatch.setenv("TALLYSTICK_ANCHOR", "anchor")
    for name, what in {
        **{"r.keys": "key ring", "root.key": "root key", "./link": "root key", "p.toml": "policy"},
        **{"log": "reveal log", "anchor": "anchor"},
    }.items():
        before = Path(name).read_bytes()
        for command, written in product(("reveal", "protect"), ((), ("--report",))):
            run = [command, "a.csv", *(("t.csv", *written) if written else ()), name]
            run += ["--overwrite", "--type", "csv", *KEYS]
            if command == "reveal":
                run += ["--reveal-log", "log"]
            monkeypatch.setenv("TALLYSTICK_REVEAL_LOG", "log" if command == "protect" else "")
            ours, theirs = (call(*run) for call in (go, python))
            assert ours == theirs
            assert (ours.code, Path(name).read_bytes()) == (6, before)
            assert f"would replace the {what}; choose another name" in ours.err


def test_the_ring_is_not_its_root_key(place: Path, go: Command, python: Command) -> None:
    Path("link").symlink_to("x.keys")
    for root in ("file:x.keys", "file:./link"):
        done = both(go, python, (), "keyring", "new", "x.keys", "-r", root)
        assert done.err == "error: x.keys: the key ring would replace the root key; " + (
            "choose another name\n"
        )
    assert not list(Path().glob("*x.keys*"))


def test_a_link_to_nothing_is_written_through(place: Path, go: Command, python: Command) -> None:
    for call, number in ((go, 1), (python, 2)):
        for kind in ("ring", "anchor"):
            Path(f"{kind}{number}").symlink_to(f"d{number}/{kind}")
        assert call("keyring", "anchor", "r.keys", f"anchor{number}", *KEYS[-2:]).code == 4
        Path(f"d{number}").mkdir()
        assert call("keyring", "new", f"ring{number}", *KEYS[-2:]).code == 0
        assert call("keyring", "anchor", f"ring{number}", f"anchor{number}", *KEYS[-2:]).code == 0
        found = {path.name for path in Path(f"d{number}").iterdir()}
        assert found == {"ring", "anchor", ".ring.lock", ".anchor.lock"}
        assert Path(f"ring{number}").is_symlink()
        assert Path(f"anchor{number}").is_symlink()


def test_rows_without_a_tweak_have_the_same_reasons(
    place: Path, go: Command, python: Command
) -> None:
    """Of a row whose value is invalid too, the core chooses the reason."""
    formats = {"a": "letters", "b": "ssn", "c": "date", "d": "phone", "e": "digits", "f": "ascii"}
    rules = [
        f'{name} = {{ format = "{form}", key = "people:1", namespace = "{name}", tweak = "id", '
        'on_invalid = "keep" }\n'
        for name, form in formats.items()
    ]
    Path("p.toml").write_text("[columns]\n" + "".join(rules))
    values = ("x", "1", "Jane Doe", "078-05-1120", "2000-02-29", "+43 660 1234567", "\u00e9")
    rows = [f"{tweak},{','.join([value] * 6)}\n" for tweak in ("", "7") for value in values]
    Path("a.csv").write_text(f"id,{','.join(formats)}\n" + "".join(rows))
    found = []
    for call, name in ((go, "go.csv"), (python, "python.csv")):
        done = call("protect", "a.csv", name, "--json", *KEYS)
        found.append((json.loads(done.out)["columns"], Path(name).read_bytes()))
    assert found[0] == found[1]
    assert all("tweak" in found[0][0][name]["invalid"] for name in formats)


@static_too
def test_values(place: Path, go: Command, python: Command) -> None:
    Path("p.toml").write_text(POLICY)
    Path("a.csv").write_bytes(CSV)
    assert python("protect", "a.csv", "t.csv", *KEYS).code == 0
    given = b"078-05-1120\r\n\n219-09-9999"
    made = go("value", "protect", "ssn", *KEYS, given=given)
    tokens = [line.split(",")[1] for line in Path("t.csv").read_text().splitlines() if "," in line]
    assert made.out == f"{tokens[1]}\n\n{tokens[-1]}".replace('"', "").replace("\n", "\r\n", 1)
    assert "value protect: 3 values" in made.err
    back = go("value", "reveal", "ssn", *KEYS, given=made.out.encode())
    assert back.out.encode() == given
    tweaked = go("value", "protect", "name", "--tweak", "3", *KEYS, given=b"Adalbert\n")
    assert tweaked.out == Path("t.csv").read_text().splitlines()[-1].split(",")[3] + "\n"
    refused = go("value", "protect", "ssn", *KEYS, given=b"078-05-1120\nx7\n")
    assert (refused.code, refused.out) == (5, "")
    assert "standard input: column 'ssn', row 2 (line 2): " in refused.err
    assert go("value", "protect", "name", *KEYS, given=b"Ada\n").code == 2
    assert go("value", "protect", "none", *KEYS, given=b"Ada\n").code == 3


def test_a_run_that_is_ended_leaves_no_target(place: Path, go: Command, programs: Path) -> None:
    Path("p.toml").write_text(ONE)
    arguments = [str(programs / "tallystick"), "protect", "-", "t.csv", *KEYS]
    for number, left in ((signal.SIGTERM, False), (signal.SIGKILL, True)):
        process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        assert process.stdin is not None
        process.stdin.write(b"n\n" + b"123456\n" * 400_000)
        process.stdin.flush()
        until = time.monotonic() + 60
        while not any(one.stat().st_size for one in Path().glob(".t.csv.*.part")):
            assert time.monotonic() < until
            time.sleep(0.01)
        process.send_signal(number)
        said = process.communicate()[1]
        assert process.returncode == (143 if number == signal.SIGTERM else -number), said
        assert not os.path.exists("t.csv")
        assert any(Path().glob(".t.csv.*.part")) == left
    Path("a.csv").write_text("n\n1\n")
    done = go("protect", "a.csv", "t.csv", *KEYS)
    assert done.code == 0
    assert "which a run that was killed had left" in done.err
    assert not list(Path().glob(".t.csv.*"))
    ours, theirs = os.pipe()
    os.close(ours)
    nobody = subprocess.run(
        [programs / "tallystick", "protect", "a.csv", "-", *KEYS], stdout=theirs
    )
    os.close(theirs)
    assert nobody.returncode == 141


def test_a_stream_in_flat_memory(place: Path, programs: Path) -> None:
    Path("p.toml").write_text(ONE)
    stream = ["protect", "-", "-", "--type", "csv", "-q", "-t", "2", *KEYS]
    most = []
    for megabytes in (8, 64):
        process = subprocess.Popen(
            measured([programs / "tallystick", *stream], place / "peak"),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
        )
        assert process.stdin is not None
        process.stdin.write(b"n,note\n")
        part = b"".join(b"%d,something that stays as it is\n" % n for n in range(100_000, 130_000))
        for _ in range(megabytes * 1_000_000 // len(part)):
            process.stdin.write(part)
        process.stdin.close()
        assert process.wait() == 0
        most.append(peak(place / "peak"))
    assert most[1] < most[0] + 40

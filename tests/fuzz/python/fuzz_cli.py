# SPDX-License-Identifier: Apache-2.0
"""The command line, in this process: any arguments and standard input, on files of all its kinds.

The data are arguments, one a line, and behind an empty line standard input. A line of two bytes of
which the first is below 4 is a word of the lists below; others are taken literally, but for what
would lead out of the folder.

The exit code is one that docs/reference/errors.md has, and never that of an unexpected
error; no value of the protected file is shown but by the command that is for it; what is called
JSON is JSON, however the run ends.
"""

import contextlib
import io
import json
import os
import sys

import typer.main

from harness import RINGS, ROOT_KEY, Folder, fuzz
from tallystick import shares
from tallystick.cli.errors import ExitCode
from tallystick.cli.main import run
from tallystick.shares import printed

COMMANDS = (
    *(
        "protect",
        "reveal",
        "rotate",
        "preview",
        "inspect",
        "check",
        "formats",
        "--version",
        "--help",
    ),
    *("keyring new", "keyring add", "keyring rotate", "keyring split", "keyring reshare"),
    *("keyring list", "share split", "share combine", "share verify", "share info"),
)
FILES = (
    *(
        "people.csv",
        "tokens.csv",
        "people.parquet",
        "people.toml",
        "people.keys",
        "root.key",
        "new",
    ),
    *(
        "1.share",
        "2.share",
        "1.txt",
        "2.txt",
        "-",
        ".",
        "none.csv",
        "new.csv",
        "empty.csv",
        "folder",
    ),
)
OPTIONS = (
    *(
        "--policy",
        "--keyring",
        "--root",
        "--overwrite",
        "--type",
        "--threads",
        "--report",
        "--json",
    ),
    *(
        "--quiet",
        "--key",
        "--to",
        "--write-policy",
        "--rows",
        "--reveal",
        "--delimiter",
        "--header",
    ),
    *(
        "--no-header",
        "--shares",
        "--threshold",
        "--label",
        "--holder",
        "--into",
        "--name",
        "--form",
    ),
    *("--qr", "--prompt", "--set", "--show", "--bits", "-p", "-k", "-r", "-t", "-n", "-q", "--"),
)
VALUES = (
    *("file:root.key", "env:FUZZ_ROOT_KEY", "shares:1.txt,2.txt", "shares:.", "shares", "prompt"),
    *("people", "people:1", "people:1=people:2", "people:1=cards:1", "2", "3", "0", "-1", "256"),
    *("csv", "parquet", "text", "binary", ";", "", "a label", "Ana", "99999999999999999999", "1e3"),
)
WORDS = (*COMMANDS, *FILES, *OPTIONS, *VALUES)
KNOWN = {int(code) for code in ExitCode} - {ExitCode.INTERNAL, ExitCode.STOPPED}
SECRETS = ("4012888888881881", "jane.secret@example.org", "Zephyrine", ROOT_KEY.hex())
FLAGS = {
    *("--overwrite", "--json", "--quiet", "--reveal", "--header"),
    *("--no-header", "--qr", "--prompt", "--show", "-q"),
}
"""Options without a value: any other takes even `--json` for its own."""

POLICY = """\
[columns]
card = { format = "card", key = "people:1", namespace = "card", on_invalid = "keep" }
mail = { format = "email", key = "people:1", namespace = "mail", on_invalid = "null" }
name = { format = "letters", key = "people:2", namespace = "name" }
"""
PEOPLE = "card,mail,name,note\n4012888888881881,jane.secret@example.org,Zephyrine,x\n,,,\n"

folder = Folder()
made: dict[str, bytes] = {}


def make() -> None:
    """Make the files that the command line is run on."""
    two = shares.split(b"a secret", shares=3, threshold=2, label="fuzz")
    texts: dict[str, bytes] = {
        "people.csv": PEOPLE.encode(),
        "empty.csv": b"",
        "people.toml": POLICY.encode(),
        "people.keys": (RINGS / "people.keys").read_bytes(),
        "root.key": ROOT_KEY.hex().encode() + b"\n",
        "1.share": two[0],
        "2.share": two[1],
        "1.txt": printed.encode(two[0]).encode(),
        "2.txt": printed.encode(two[2], ["a remark"]).encode(),
    }
    made.update(texts)
    restore()
    import pyarrow.csv
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.csv.read_csv("people.csv"), "people.parquet")
    made["people.parquet"] = (folder.path / "people.parquet").read_bytes()
    code = run(["protect", "people.csv", "tokens.csv"])
    assert code == 0
    made["tokens.csv"] = (folder.path / "tokens.csv").read_bytes()


def restore() -> None:
    """Put the folder in order."""
    for name in folder.names() - made.keys():
        path = folder.path / name
        if path.is_dir():
            path.chmod(0o700)
            for entry in path.iterdir():
                entry.unlink()
            path.rmdir()
        else:
            path.unlink()
    for name, content in made.items():
        path = folder.path / name
        if not path.is_file() or path.read_bytes() != content:
            folder.file(name, content)
    (folder.path / "folder").mkdir()


def arguments_of(data: bytes) -> list[str]:
    """Read arguments, a line each."""
    found: list[str] = []
    for line in data.split(b"\n")[:24]:
        if len(line) == 2 and line[0] < 4:
            words = (COMMANDS, FILES, OPTIONS, VALUES)[line[0]]
            word = words[line[1] % len(words)]
            found += word.split(" ") if words is COMMANDS else [word]
        else:
            found.append(line.decode("utf-8", "replace").replace("/", "_").replace("..", "_"))
    return [word.replace("\0", "_") for word in found]


def wants_json(arguments: list[str]) -> bool:
    """Say whether a run that ends well prints JSON."""
    if {"--help", "--version"} & set(arguments):
        return False
    before = [""]
    for word in arguments:
        last = before[-1]
        if word == "--json" and "--" not in before and (last[:1] != "-" or last in {*FLAGS, "-"}):
            return True
        before.append(word)
    return False


def may_show(arguments: list[str]) -> bool:
    """Say whether values may be printed: by `preview`, and as names where the first record is one.

    The tables of the folder have a header, which `inspect` and `check` may name; the root key's
    file is one line that they take for it.
    """
    asked = set(arguments)
    return "preview" in asked or ("root.key" in asked and bool(asked & {"inspect", "check"}))


def one(data: bytes) -> None:
    """Run a command."""
    head, _, rest = data.partition(b"\n\n")
    arguments = arguments_of(head)
    if any(word.startswith("--thr") or word == "-t" for word in arguments):
        # As many threads as are asked for are begun.
        arguments = ["2" if word.isdigit() and int(word) > 4 else word for word in arguments]
    restore()
    out, error = io.BytesIO(), io.BytesIO()
    sys.stdin = io.TextIOWrapper(io.BytesIO(rest), "utf-8")
    streams = [
        io.TextIOWrapper(stream, "utf-8", errors="backslashreplace") for stream in (out, error)
    ]
    with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
        code = run(arguments)
        for stream in streams:
            stream.flush()
    said, reported = out.getvalue(), error.getvalue()
    assert code in KNOWN, f"exit code {code}: {reported!r}"
    assert b"Traceback" not in said + reported, "a traceback"
    if wants_json(arguments) if code == 0 else "--json" in arguments:
        assert isinstance(json.loads(said), dict)
    shown = reported if may_show(arguments) else said + reported
    for secret in SECRETS:
        if not any(secret in word for word in arguments):
            assert secret.encode() not in shown, "a value or the root key is shown"
    left = {name for name in folder.names() if name.endswith((".part", ".tmp"))}
    assert not left, "a temporary file is left"


def without_terminal() -> None:
    """Leave the terminal, at which the command line would ask."""
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
    os.setsid()


if __name__ == "__main__":
    without_terminal()
    sys.argv[1:] = [
        word if word.startswith("-") else os.path.abspath(word) for word in sys.argv[1:]
    ]
    os.chdir(folder.path)
    os.environ.update(TALLYSTICK_POLICY="people.toml", TALLYSTICK_KEYRING="people.keys")
    os.environ.pop("TALLYSTICK_DEBUG", None)
    make()
    program = sys.modules["tallystick.cli.program"]
    program.app = typer.main.get_command(program.app)  # type: ignore[attr-defined]  # made once
    fuzz(one, WORDS)

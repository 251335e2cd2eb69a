# SPDX-License-Identifier: Apache-2.0
"""``tallystick share``: what it writes, recovers, refuses and says."""

from __future__ import annotations

import io
import json
import os
import random
import re
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import shares_model as model
from full_disk import fail_after
from program import CONTROL_D, NO_ROOM, PROGRAM, into_full_device, on_terminal
from tallystick import shares
from tallystick.cli.errors import ExitCode
from tallystick.cli.main import run
from tallystick.errors import FileError
from tallystick.shares import printed
from tallystick.shares.found import load

SECRET = b"correct horse battery staple"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "key").write_bytes(SECRET)
    return tmp_path


def split(*more: str, source: str = "key", code: int = ExitCode.OK) -> None:
    assert run(["share", "split", source, "--shares", "5", "--threshold", "3", *more]) == code


def names(*indices: int) -> list[str]:
    return [f"key-{index}-of-5.txt" for index in indices]


def spoil(name: str) -> None:
    """Change a character of a printed share, not in its first group."""
    path = Path(name)
    lines = path.read_text().splitlines(keepends=True)
    place = next(number for number, line in enumerate(lines) if line.startswith(("2:", " 2:")))
    at = lines[place].index(":") + 3
    letter = "7" if lines[place][at] != "7" else "8"
    lines[place] = lines[place][:at] + letter + lines[place][at + 1 :]
    path.write_text("".join(lines))


@contextmanager
def open_files(more: int) -> Iterator[None]:
    """Let this process have so many more files open."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    least = os.dup(0)  # the first number that is free
    os.close(least)
    resource.setrlimit(resource.RLIMIT_NOFILE, (least + more, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_more_shares_than_files_may_be_open(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with open_files(30):
        split("--shares", "40", "--qr")
        split("--shares", "40", "--form", "binary", code=ExitCode.FILE)
    says = "Too many open files; raise the limit of open files (ulimit -n)\n"
    assert capsys.readouterr().err.endswith(says)
    assert len(list(folder.glob("key-*-of-40.txt"))) == 40
    assert len(list(folder.glob("key-*-of-40.png"))) == 40


def test_a_name_that_is_no_text(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = os.fsdecode(b"key\xff")
    (folder / "key").rename(folder / name)
    split(source=name, code=ExitCode.USAGE)
    assert "must be UTF-8 and printable; pass another --name\n" in capsys.readouterr().err
    split("--name", "other", source=name)
    assert len(list(folder.glob("other-*-of-5.txt"))) == 5


def test_printed_shares(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    holders = [f"--holder={name}" for name in ("Ann", "Bob", "Cy", "Di", "Ed")]
    split("--label", "root key", *holders, "--qr")
    out, _ = capsys.readouterr()
    assert "share 2 of 5 for Bob: key-2-of-5.txt, and key-2-of-5.png\n" in out
    assert "give each holder one" in out
    text = (folder / "key-2-of-5.txt").read_text()
    assert "# root key\n# share 2 of 5, for Bob; any 3 recover it\n# set " in text
    assert shares.read(printed.decode(text)).index == 2
    assert (folder / "key-5-of-5.png").read_bytes().startswith(b"\x89PNG")
    if os.name == "posix":
        written = [path for path in folder.iterdir() if path.name != "key"]
        assert {path.stat().st_mode & 0o777 for path in written} == {0o600}
    assert run(["share", "combine", *names(5, 1, 3), "--to", "back"]) == ExitCode.OK
    assert (folder / "back").read_bytes() == SECRET
    assert (folder / "back").stat().st_mode & 0o777 == 0o600


def test_too_few_shares(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    split()
    assert run(["share", "combine", *names(1, 2), "--to", "back"]) == ExitCode.SHARES
    assert "and 3 are needed: give 1 more" in capsys.readouterr().err
    assert not (folder / "back").exists()


def test_a_bad_share_is_named_while_others_recover(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    split()
    (folder / "alien").mkdir()
    split("--into", "alien")
    (folder / "not").write_text("no share at all")
    spoil("key-2-of-5.txt")
    given = ["alien/key-1-of-5.txt", "not", *names(2, 1, 3, 4, 4)]
    assert run(["share", "combine", *given, "--to", "back"]) == ExitCode.OK
    assert (folder / "back").read_bytes() == SECRET
    err = capsys.readouterr().err
    assert "refused alien/key-1-of-5.txt: share 1: of another set" in err
    assert "refused not: it is not a share, or its line TALLYSTICK SHARE 1" in err
    assert "refused key-2-of-5.txt: line 2, group 1 has a typing error" in err
    assert "refused key-4-of-5.txt: share 4: given twice" in err
    assert err.count("refused") == 4


def test_a_share_given_very_often_is_one(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    split()
    given = [*names(1) * 257, *names(2, 3)]
    assert run(["share", "combine", *given, "--to", "back"]) == ExitCode.OK
    assert (folder / "back").read_bytes() == SECRET
    assert capsys.readouterr().err.count("share 1: given twice") == 256
    assert run(["share", "combine", *given, *names(1) * 766, "--to", "x"]) == ExitCode.FILE
    assert "1025 shares are too many" in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_no_share_is_the_target(capsys: pytest.CaptureFixture[str]) -> None:
    split()
    given = names(1, 2, 3)
    before = Path(given[0]).read_bytes()
    Path("link").symlink_to(given[0])
    for target in (given[0], "link"):
        assert run(["share", "combine", *given, "--to", target, "--overwrite"]) == ExitCode.USAGE
        assert f"{target} is one of the shares" in capsys.readouterr().err
    assert Path(given[0]).read_bytes() == before


def test_two_whole_sets(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "other").mkdir()
    split()
    split("--into", "other", "--json")
    wanted = json.loads(capsys.readouterr().out.splitlines()[-1])["set"]
    given = [*names(1, 2, 3), *(f"other/{name}" for name in names(1, 2, 3))]
    assert run(["share", "combine", *given, "--to", "back"]) == ExitCode.SHARES
    err = capsys.readouterr().err
    assert "more than one set" in err
    known = shares.read(printed.decode((folder / "key-1-of-5.txt").read_text())).set_id
    assert f"(--set): {known} or {wanted}" in err
    assert run(["share", "combine", *names(1, 2, 3), "--set", wanted, "--to", "b"]) == 7
    assert f"no share of set {wanted[:8]} is good" in capsys.readouterr().err
    assert run(["share", "combine", *given, "--set", wanted, "--to", "back"]) == ExitCode.OK


def test_verify_and_info(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    split("--label", "root key")
    everything = names(1, 2, 3, 4, 5)
    assert run(["share", "verify", *everything]) == ExitCode.OK
    assert "5 good, enough" in capsys.readouterr().out
    assert run(["share", "verify", *everything[:1]]) == ExitCode.OK
    assert run(["share", "verify", *everything[:2]]) == ExitCode.SHARES
    capsys.readouterr()
    spoil("key-3-of-5.txt")
    assert run(["share", "verify", *everything, "--json"]) == ExitCode.SHARES
    looked = json.loads(capsys.readouterr().out)
    assert looked["state"] == "enough"
    assert looked["good"] == 4
    assert [share["verdict"] for share in looked["shares"]].count("good") == 4
    assert "line 2, group 1" in looked["shares"][2]["problem"]
    assert run(["share", "verify", "key-3-of-5.txt"]) == ExitCode.SHARES
    assert run(["share", "info", "key-3-of-5.txt"]) == ExitCode.SHARES
    capsys.readouterr()
    assert run(["share", "info", "key-1-of-5.txt"]) == ExitCode.OK
    out = capsys.readouterr().out
    assert f"share 1 of 5 of a secret of {len(SECRET)} bytes; any 3 recover it" in out
    assert "root key" in out
    assert run(["share", "info", "key-1-of-5.txt", "--json"]) == ExitCode.OK
    assert json.loads(capsys.readouterr().out)["bytes"] == len(SECRET)


def test_a_large_file_is_dispersed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = random.Random(1).randbytes(300_000)  # noqa: S311
    (folder / "big").write_bytes(data)
    split("--label", "archive", source="big")
    paths = [folder / f"big-{index}-of-5.share" for index in range(1, 6)]
    assert all(path.stat().st_size < 110_000 for path in paths)
    with paths[1].open("r+b") as file:
        file.seek(50_000)
        file.write(b"damage")
    given = [str(path) for path in paths]
    assert run(["share", "combine", *given, "--to", "back"]) == ExitCode.OK
    assert (folder / "back").read_bytes() == data
    says = "share 2: 1 of 7 parts damaged, or bytes follow its end; the file is complete"
    assert says in capsys.readouterr().err
    assert run(["share", "verify", *given]) == ExitCode.SHARES
    out, err = capsys.readouterr()
    assert "damaged parts: 1" in out
    assert "warning" not in err
    # A share of another file with the index of the damaged one has no damage of its own.
    split("--name", "other", "-q", source="big")
    assert run(["share", "verify", *given, "other-2-of-5.share"]) == ExitCode.SHARES
    out = capsys.readouterr().out
    assert out.count("damaged parts: 1") == 1
    assert "of another set" in next(line for line in out.splitlines() if "other-2" in line)
    assert run(["share", "verify", given[1]]) == ExitCode.OK
    assert (
        "only the first part of each share was verified; with 3 shares" in capsys.readouterr().err
    )
    for some, checked, code in ((given, True, 7), (given[2:], True, 0), (given[1:2], False, 0)):
        assert run(["share", "verify", *some, "--json"]) == code
        assert json.loads(capsys.readouterr().out)["parts_checked"] is checked
    assert run(["share", "combine", *given[:2], "--to", "none"]) == ExitCode.SHARES
    assert run(["share", "combine", *given[:3], "--to", "none"]) == ExitCode.SHARES
    assert not (folder / "none").exists()
    assert run(["share", "combine", *given, "--to", "-"]) == ExitCode.USAGE
    assert run(["share", "info", given[0]]) == ExitCode.OK
    assert "a dispersed file" in capsys.readouterr().out


@pytest.mark.parametrize("size", [1, 1024, 1025, 100_000])
def test_standard_input_and_output(
    folder: Path, size: int, monkeypatch: pytest.MonkeyPatch, capfdbinary: object
) -> None:
    data = bytes(range(256)) * (size // 256) + bytes(size % 256)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    split(source="-")
    given = sorted(str(path) for path in folder.glob("secret-*"))
    assert len(given) == 5
    assert given[0].endswith(".txt") is (size <= 1024)
    assert run(["share", "combine", *given[2:], "--to", "back"]) == ExitCode.OK
    assert (folder / "back").read_bytes() == data


def test_the_secret_goes_to_a_pipe(folder: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    split("-q")
    assert run(["share", "combine", *names(1, 2, 3), "--to", "-", "-q"]) == ExitCode.OK
    assert capfdbinary.readouterr().out == SECRET


@pytest.mark.parametrize(
    ("more", "code", "reported"),
    [
        (["--threshold", "6"], ExitCode.USAGE, "threshold 6 of 5"),
        (["--threshold", "1"], ExitCode.USAGE, "threshold 1 of 5"),
        (["--shares", "99999999999999999999", "--form", "binary"], ExitCode.USAGE, "at most 255"),
        (["--shares", "-7", "--form", "binary"], ExitCode.USAGE, "threshold 3 of -7"),
        (["--holder", "Ann"], ExitCode.USAGE, "1 time for 5 shares"),
        (["--label", "x" * 256], ExitCode.USAGE, "at most 255 bytes"),
        (["--name", "a/b"], ExitCode.USAGE, "--name"),
        (["--into", "absent"], ExitCode.FILE, "no such folder"),
        (["--prompt"], ExitCode.USAGE, "pass one of: "),
        (["--form", "binary", "--qr"], ExitCode.USAGE, "QR"),
    ],
)
def test_wrong_arguments(
    folder: Path, more: list[str], code: int, reported: str, capsys: pytest.CaptureFixture[str]
) -> None:
    split(*more, code=code)
    assert reported in capsys.readouterr().err
    assert [path.name for path in folder.iterdir()] == ["key"]


def test_other_refusals(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    split()
    before = {path: path.read_bytes() for path in folder.iterdir()}
    split(code=ExitCode.FILE)
    assert "exists" in capsys.readouterr().err
    split(source="absent", code=ExitCode.FILE)
    (folder / "empty").write_bytes(b"")
    split(source="empty", code=ExitCode.USAGE)
    (folder / "long").write_bytes(bytes(1025))
    split("--form", "text", source="long", code=ExitCode.USAGE)
    assert run(["share", "combine", *names(1, 2, 3)]) == ExitCode.USAGE
    assert run(["share", "combine", *names(1, 2, 3), "--to", "key"]) == ExitCode.FILE
    assert run(["share", "combine", "absent", "--to", "new"]) == ExitCode.FILE
    assert run(["share", "combine", *names(1, 2, 3), "--to", "-", "--json"]) == ExitCode.USAGE
    assert run(["share", "verify"]) == ExitCode.USAGE
    now = {path: path.read_bytes() for path in folder.iterdir()}
    assert {path: now[path] for path in before} == before
    assert set(now) - set(before) == {folder / "empty", folder / "long"}
    split("--overwrite")
    assert (folder / "key-1-of-5.txt").read_bytes() != before[folder / "key-1-of-5.txt"]


def test_all_files_of_a_splitting_or_none(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "key-4-of-5.png").write_bytes(b"precious")
    split("--qr", code=ExitCode.FILE)
    assert "key-4-of-5.png exists" in capsys.readouterr().err
    assert sorted(path.name for path in folder.iterdir()) == ["key", "key-4-of-5.png"]
    assert (folder / "key-4-of-5.png").read_bytes() == b"precious"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a full device")
def test_a_full_standard_output_is_an_error_of_files(folder: Path) -> None:
    split("-q")
    assert into_full_device("share", "combine", *names(1, 2, 3), "--to", "-") == NO_ROOM


@pytest.mark.skipif(os.name != "posix", reason="needs pipes")
def test_shares_from_pipes(folder: Path) -> None:
    """As the shell's <(...) gives them; one that nobody writes to is refused at once."""
    split("-q")
    script = '"$1" share combine <(cat "$2") <(sleep 0.1; cat "$3") <(cat "$4") --to - -q'
    done = subprocess.run(
        ["bash", "-c", script, "bash", PROGRAM, *names(1, 2, 3)],
        stdout=subprocess.PIPE,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, (folder / "key").read_bytes())
    os.mkfifo(folder / "pipe")
    with pytest.raises(
        FileError, match="pipe: can't be read: it is a pipe into which nobody writes"
    ):
        load([folder / "pipe"])


@pytest.mark.skipif(os.name != "posix", reason="limits the sizes of files")
def test_a_full_disk_is_an_error_of_files(folder: Path) -> None:
    (folder / "big").write_bytes(bytes(3_000_000))
    split("-q", source="big")
    limited = (
        "import os, resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (100_000,) * 2);"
        "os.execv(sys.argv[1], sys.argv[1:])"
    )
    given = [f"big-{index}-of-5.share" for index in (1, 2, 3)]
    before = sorted(path.name for path in folder.iterdir())
    for arguments in (
        ["split", "big", "--shares", "5", "--threshold", "3", "--name", "new"],
        ["combine", *given, "--to", "back"],
    ):
        done = subprocess.run(
            [sys.executable, "-c", limited, str(PROGRAM), "share", *arguments],
            stderr=subprocess.PIPE,
            check=False,
        )
        assert done.returncode == ExitCode.FILE
        assert b"File too large" in done.stderr
    assert sorted(path.name for path in folder.iterdir()) == before


def test_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    split("--json")
    made = json.loads(capsys.readouterr().out)
    assert made["shares"] == names(1, 2, 3, 4, 5)
    assert run(["share", "combine", *names(2, 3, 4), "--to", "back", "--json"]) == ExitCode.OK
    found = json.loads(capsys.readouterr().out)
    assert (found["set"], found["good"], found["threshold"]) == (made["set"], 3, 3)
    assert run(["share", "combine", *names(2, 3), "--to", "b2", "--json"]) == ExitCode.SHARES
    assert json.loads(capsys.readouterr().out)["error"] == "NotEnoughSharesError"


@pytest.mark.skipif(os.name != "posix", reason="needs a terminal of its own")
def test_a_secret_from_a_prompt_and_shares_typed(folder: Path) -> None:
    arguments = ["share", "split", "--prompt", "--shares", "3", "--threshold", "2"]
    code, shown = on_terminal(arguments, ["a passphrase", "another"])
    assert code == ExitCode.SHARES
    assert "the two entries differ" in shown
    code, shown = on_terminal(arguments, ["a passphrase", "a passphrase"])
    assert code == ExitCode.OK
    assert "a passphrase" not in shown
    texts = [(folder / f"secret-{index}-of-3.txt").read_text() for index in (1, 2, 3)]
    compact = [printed.compact(text) for text in texts]
    wrong = compact[0][:40] + ("7" if compact[0][40] != "7" else "8") + compact[0][41:]
    arguments = ["share", "combine", "--to", "back"]
    code, shown = on_terminal(arguments, [wrong, compact[0], compact[0], compact[2]])
    assert code == ExitCode.OK, shown
    assert (folder / "back").read_bytes() == b"a passphrase"
    for reported in ("typing error", "1 more needed", "was entered already", "that is enough"):
        assert reported in shown
    code, shown = on_terminal(["share", "combine", "--to", "none"], [compact[1], CONTROL_D])
    assert code == ExitCode.SHARES
    assert "give 1 more" in shown
    code, shown = on_terminal(
        ["share", "combine", "secret-1-of-3.txt", "secret-2-of-3.txt", "--to", "-"]
    )
    assert code == ExitCode.USAGE
    assert "a passphrase" not in shown
    code, shown = on_terminal(
        ["share", "combine", "secret-1-of-3.txt", "secret-2-of-3.txt", "--to", "-", "--show"]
    )
    assert code == ExitCode.OK
    assert "a passphrase" in shown


@pytest.mark.skipif(os.name != "posix", reason="needs a terminal of its own")
def test_nobody_types_in_vain(folder: Path) -> None:
    """Errors that can be known before are reported before anything is asked."""
    split("-q", "--name", "secret")
    before = {path: path.read_bytes() for path in folder.iterdir()}
    ask = ["share", "split", "--prompt", "--shares", "5"]
    for arguments, code, reported in (
        ([*ask, "--threshold", "3"], ExitCode.FILE, "exists"),
        ([*ask, "--threshold", "6"], ExitCode.USAGE, "threshold 6 of 5"),
        ([*ask, "--threshold", "3", "--into", "absent"], ExitCode.FILE, "no such folder"),
        (["share", "combine", "--to", "key"], ExitCode.FILE, "exists"),
        (["share", "combine", "--to", "absent/new"], ExitCode.FILE, "can't write to its folder"),
    ):
        got, shown = on_terminal(arguments)
        assert (got, reported in shown) == (code, True), shown
        assert "Secret:" not in shown
        assert "line 1" not in shown
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.skipif(os.name != "posix", reason="needs a terminal of its own")
def test_a_prompt_is_for_a_terminal(folder: Path) -> None:
    arguments = ["share", "split", "--prompt", "--shares", "3", "--threshold", "2"]
    code, shown = on_terminal(arguments, [CONTROL_D])
    assert code == ExitCode.SHARES
    assert "no secret was typed" in shown
    done = subprocess.run(
        [PROGRAM, *arguments],
        input=b"a passphrase\na passphrase\n",
        capture_output=True,
        start_new_session=True,
        check=False,
    )
    assert done.returncode == ExitCode.SHARES
    assert done.stderr.startswith(b"error: no secret was typed; run the command at a terminal")
    assert [path.name for path in folder.iterdir()] == ["key"]


@pytest.mark.parametrize("own", ["file", "secret"])
def test_shares_of_others_do_not_say_what_is_recovered(
    folder: Path, own: str, capsys: pytest.CaptureFixture[str]
) -> None:
    data = bytes(range(256)) * 20
    (folder / "data").write_bytes(data)
    paths = [f"{index}.share" for index in range(5)]
    threshold = 2 if own == "file" else 5
    shares.disperse(Path("data"), [Path(path) for path in paths], threshold=threshold)
    made = shares.split(SECRET, shares=5, threshold=7 - threshold)
    for index, share in enumerate(made):
        Path(f"{index}.secret").write_bytes(share)
    ours, others = (paths, [f"{index}.secret" for index in range(5)])
    if own == "secret":
        ours, others = others, ours
    given = [*others[:4], *ours[:2]]
    assert run(["share", "combine", *given, "--to", "back", "--json"]) == ExitCode.OK
    assert (folder / "back").read_bytes() == (data if own == "file" else SECRET)
    reported = json.loads(capsys.readouterr().out)["shares"]
    assert [share["verdict"] for share in reported] == ["foreign"] * 4 + ["good"] * 2
    # Not all are good, which the code tells; but none that is good is said not to be.
    assert run(["share", "verify", *given, "--json"]) == ExitCode.SHARES
    assert json.loads(capsys.readouterr().out)["state"] == "enough"


def test_damage_is_of_the_copy_that_has_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "data").write_bytes(bytes(5000))
    paths = [Path(f"{index}.share") for index in (1, 2, 3)]
    shares.disperse(Path("data"), paths, threshold=2)
    whole = paths[1].read_bytes()
    Path("damaged").write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    assert run(["share", "verify", "1.share", "damaged", "2.share", "3.share"]) == ExitCode.SHARES
    rows = capsys.readouterr().out.splitlines()
    assert "damaged parts: 1" in next(row for row in rows if "damaged " in row)
    assert "given twice" in next(row for row in rows if "2.share" in row)


@pytest.mark.parametrize("there", ["key-3-of-5.png", "key-3-of-5.txt"])
def test_all_printed_shares_or_none(folder: Path, there: str) -> None:
    (folder / there).write_text("mine")
    split("--qr", code=ExitCode.FILE)
    assert {path.name for path in folder.iterdir()} == {"key", there}
    assert (folder / there).read_text() == "mine"


def test_no_code_of_an_older_set_stays_beside_new_shares(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    split("--qr")
    before = {path: path.read_bytes() for path in folder.iterdir()}
    split("--overwrite", code=ExitCode.FILE)
    assert "key-1-of-5.png: is there beside a share" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in folder.iterdir()} == before
    split("--overwrite", "--qr")
    assert all(path.name == "key" or path.read_bytes() != old for path, old in before.items())


def test_a_full_disk(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    split("--name", "old")
    before = {path: path.read_bytes() for path in folder.iterdir()}
    capsys.readouterr()
    for more in (["--qr"], ["--name", "old", "--overwrite"]):
        with monkeypatch.context() as patch:
            fail_after(3, patch)
            split(*more, code=ExitCode.FILE)
        assert "No space left on device" in capsys.readouterr().err
        assert {path: path.read_bytes() for path in folder.iterdir()} == before
    with monkeypatch.context() as patch:
        fail_after(0, patch)
        given = [f"old-{index}-of-5.txt" for index in (1, 2, 3)]
        assert run(["share", "combine", *given, "--to", "back"]) == ExitCode.FILE
    assert "back: No space left on device" in capsys.readouterr().err


@pytest.mark.skipif(os.name != "posix", reason="needs a terminal of its own")
def test_a_label_does_not_speak_to_the_terminal(folder: Path) -> None:
    made = model.split(b"secret", 2, 2, b"\x1b[8mhidden\xe2\x80\xae", bytes(16))
    codes = [printed.compact(printed.encode(share)) for share in made]
    code, shown = on_terminal(["share", "combine", "--to", "back"], codes)
    assert code == ExitCode.OK
    assert "hidden" in shown
    assert "\x1b[8m" not in shown
    assert "\u202e" not in shown


@pytest.mark.skipif(os.name != "posix", reason="needs a terminal of its own")
def test_typed_shares_of_the_set_that_is_wanted(folder: Path) -> None:
    others = [printed.encode(share) for share in shares.split(b"false", shares=2, threshold=2)]
    ours = [printed.encode(share) for share in shares.split(SECRET, shares=3, threshold=2)]
    file = printed.encode(model.split(bytes(32), 2, 2, b"", bytes(16), kind=1)[0])
    codes = list(map(printed.compact, [*others, file, ours[2], ours[0]]))
    wanted = shares.read(printed.decode(ours[0])).set_id.upper()
    arguments = ["share", "combine", "--to", "back", "--set", wanted]
    code, shown = on_terminal(arguments, codes)
    assert code == ExitCode.OK, shown
    assert (folder / "back").read_bytes() == SECRET
    assert shown.count(f"not of set {wanted[:8].lower()}") == 2
    assert "of a dispersed file; pass the files" in shown
    code, shown = on_terminal(["share", "combine", "--to", "new", "--set", "no set"])
    assert code == ExitCode.USAGE, "before anything is asked for"


def test_the_set_that_split_tells_is_the_one_to_give(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    split()
    reported = re.findall(r"^set ([0-9a-f]{32}): any 3", capsys.readouterr().out, re.MULTILINE)
    arguments = ["share", "combine", *names(1, 2, 3), "--to", "back", "--set"]
    assert run([*arguments, "0" * 32]) == ExitCode.SHARES
    assert run([*arguments, *reported]) == ExitCode.OK

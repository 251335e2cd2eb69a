# SPDX-License-Identifier: Apache-2.0
"""Opening from shares: files, directories, typed ones, and each kind of share that is of no use."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from keyring_support import listing, run_python
from tallystick import shares
from tallystick.errors import ParameterError, RootKeyError, ShareError
from tallystick.keyring import Keyring, RootKey, SharesRoot, Splitting, gather, split_root
from tallystick.keyring.gather import Gathering
from tallystick.shares import printed

HOLDERS = ["Ann", "Bob", "Cid", "Dee", "Eve"]


@pytest.fixture
def done(ring: Keyring, tmp_path: Path) -> Splitting:
    return split_root(ring, HOLDERS, 3, tmp_path / "shares")


def text_of(done: Splitting, index: int) -> str:
    return done.shares[index - 1].path.read_text()


def share_of(done: Splitting, index: int) -> bytes:
    return printed.decode(text_of(done, index))


def gathering(ring: Keyring) -> Gathering:
    assert ring.sharing is not None
    return Gathering(ring.sharing, ring.id)


def opened(ring: Keyring, *places: Path) -> list[str]:
    """Open a ring, and return what it said of bad shares."""
    reported: list[str] = []
    again = Keyring.open(ring.path, SharesRoot(tuple(map(str, places)), tell=reported.append))
    assert again.key("people:1") == ring.key("people:1")
    return reported


# Sources


@pytest.mark.parametrize(
    "text",
    ["shares", "shares:a.txt", "shares:a.txt,b.txt", "shares:/a b/c:d,x", "shares:a.txt,-",
     "shares:TALLYSTICK"],
)  # fmt: skip
def test_source_text_round_trip(text: str) -> None:
    assert str(RootKey.parse(text)) == text


def test_the_same_source_in_other_words() -> None:
    assert str(RootKey.parse("shares:-")) == "shares"
    assert str(RootKey.parse("shares:-,a.txt")) == "shares:a.txt,-"


def test_bad_source_is_not_repeated(done: Splitting) -> None:
    code = printed.compact(text_of(done, 1))
    body = code.split(":")[1]
    pasted = [code, code.lower(), f" {code}", body, f"a.txt,{code}", text_of(done, 1)]
    texts = ["shares:", "shares:,", "shares:a,", "shares:a\0b", "SHARES", "share:a", "share"]
    for text in [*texts, *(f"shares:{share}" for share in pasted)]:
        with pytest.raises(ParameterError, match="shares:FILE,FILE") as caught:
            RootKey.parse(text)
        assert body[:20] not in str(caught.value)


def test_a_new_ring_has_no_shares(tmp_path: Path) -> None:
    with pytest.raises(RootKeyError, match=r"split that root key with .tallystick keyring split"):
        Keyring.create(tmp_path / "b.ring", RootKey.parse("shares:a,b"))
    assert listing(tmp_path) == set()


def test_a_ring_that_is_not_split(ring: Keyring) -> None:
    with pytest.raises(RootKeyError, match=r"a file or a variable, not from shares:a; use file:"):
        Keyring.open(ring.path, RootKey.parse("shares:a"))


# Files


def test_a_directory_and_files(ring: Keyring, done: Splitting, tmp_path: Path) -> None:
    directory = tmp_path / "shares"
    assert opened(ring, directory) == []
    (directory / ".hidden").write_text("no share")
    (directory / "code.PNG").write_bytes(b"an image")
    (directory / "below").mkdir()
    assert opened(ring, directory) == []
    (directory / "notes.txt").write_text("no share\n")
    (said,) = opened(ring, directory)
    assert said.startswith(f"{directory / 'notes.txt'}: ")
    away = tmp_path / "usb"
    away.mkdir()
    done.shares[4].path.rename(away / "mine")
    assert opened(ring, away, done.shares[0].path, done.shares[1].path) == []


def test_shares_that_are_not_printed(ring: Keyring, done: Splitting, tmp_path: Path) -> None:
    places = []
    for index in (1, 2, 3):
        places.append(tmp_path / f"{index}.share")
        places[-1].write_bytes(share_of(done, index))
    assert opened(ring, *places) == []
    for place in places:
        place.write_text(printed.compact(printed.encode(place.read_bytes())))
    assert opened(ring, *places) == []


def test_files_that_can_not_be_read(ring: Keyring, done: Splitting, tmp_path: Path) -> None:
    good = [share.path for share in done.shares[:3]]
    large = tmp_path / "large"
    large.write_bytes(bytes(printed.MAX_CHARACTERS + 1))
    os.mkfifo(tmp_path / "pipe")
    bad = [tmp_path / "none", large, tmp_path / "pipe"]
    reported = opened(ring, *bad, *good)
    assert [text.split(": ")[0] for text in reported] == list(map(str, bad))
    assert all("can't read it: " in text for text in reported)
    with pytest.raises(
        RootKeyError, match=r"0 good shares, .*Of no use: .*none: can't read it: No"
    ):
        opened(ring, *bad)


def test_directories_that_are_no_good(
    ring: Keyring, done: Splitting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gather, "MAX_FILES", 4)
    with pytest.raises(RootKeyError, match=r"shares: has more than 4 files"):
        opened(ring, tmp_path / "shares")
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(RootKeyError, match=r"0 good shares, and 3 are needed: 3 more of"):
        opened(ring, empty)

    def refuse(path: Path) -> Iterator[Path]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refuse)
    with pytest.raises(RootKeyError, match=r"can't list the directory: Permission denied"):
        opened(ring, empty)


def test_damaged_files_are_named_and_the_others_open(
    ring: Keyring, done: Splitting, tmp_path: Path
) -> None:
    whole = text_of(done, 2)
    body = whole.index(" 1: ")
    replaced = "7" if whole[body + 4] != "7" else "8"
    for text, says in [
        (whole[: body + 4] + replaced + whole[body + 5 :], r"line 1, group 1 has a typing error"),
        (whole.replace("\n 4: ", "\n 5: "), r"line 4 is missing"),
        (whole[: whole.index("\n 9: ")] + "\nEND\n", r"line 9 is missing"),
        ("# share 2 of 5, for Bob\n", r"no share in the text"),
    ]:
        done.shares[1].path.write_text(text)
        (reported,) = opened(ring, tmp_path / "shares")
        assert "share-2-Bob.txt: share 2 (Bob): " in reported
        assert says in reported
        assert not any(group in reported for group in whole[body:].split() if len(group) == 5)
        says = (
            r"2 good shares \(share 3 \(Cid\), share 4 \(Dee\)\), and 3 are needed: 1 more of "
            r"share 1 \(Ann\), share 2 \(Bob\), share 5 \(Eve\)\. Of no use: .*share-2-Bob\.txt: "
            rf"share 2 \(Bob\): .*{says}"
        )
        with pytest.raises(RootKeyError, match=says):
            opened(ring, *(done.shares[index].path for index in (1, 2, 3)))
    # A remark that names nobody of this ring.
    for remark in ("# share 6 of 5, for Fay", "# share 999 of 5, for X"):
        done.shares[1].path.write_text(f"{remark}\n1: 00000\n")
        (reported,) = opened(ring, tmp_path / "shares")
        assert f"Bob.txt: {remark.split(' of')[0][2:]}: " in reported


def test_many_problems_are_counted(ring: Keyring, done: Splitting, tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / "shares" / f"x{number:02}").write_text("no share\n")
    assert len(opened(ring, tmp_path / "shares")) == 20
    for share in done.shares[:3]:
        share.path.unlink()
    with pytest.raises(RootKeyError, match=r"; and 12 more$"):
        opened(ring, tmp_path / "shares")


def test_warnings_go_to_the_log(
    ring: Keyring, done: Splitting, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    done.shares[1].path.write_text("no share\n")
    Keyring.open(ring.path, RootKey.parse(f"shares:{tmp_path / 'shares'}"))
    (record,) = caplog.records
    assert record.name == "tallystick.keyring"
    assert "share-2-Bob.txt" in record.getMessage()


# Each share by itself


def test_every_flipped_byte_of_a_share_is_refused(ring: Keyring, done: Splitting) -> None:
    good = share_of(done, 2)
    for at in range(len(good)):
        given = gathering(ring)
        with pytest.raises(ShareError) as caught:
            given.offer(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :])
        if at >= 14:
            assert str(caught.value).startswith("share 2 (Bob): it is damaged or altered")
        assert given.more == 3
        assert [given.offer(share_of(done, index)) for index in (1, 2, 3)] == [
            "share 1 (Ann)", "share 2 (Bob)", "share 3 (Cid)"
        ]  # fmt: skip
        assert given.more == 0


def test_every_truncation_of_a_share_is_refused(ring: Keyring, done: Splitting) -> None:
    good = share_of(done, 2)
    for size in range(len(good)):
        with pytest.raises(ShareError, match=r"not a share, or it is cut short|damaged"):
            gathering(ring).offer(good[:size])
    with pytest.raises(ShareError):
        gathering(ring).offer(good + b"\0")


def test_a_share_given_twice(ring: Keyring, done: Splitting, tmp_path: Path) -> None:
    paths = [done.shares[index].path for index in (0, 1, 1)]
    with pytest.raises(RootKeyError, match=r"2 good shares .*share 2 \(Bob\) was given already"):
        opened(ring, *paths)
    (reported,) = opened(ring, *paths, done.shares[4].path)
    assert reported.endswith("share-2-Bob.txt: share 2 (Bob) was given already")


def test_shares_of_something_else(ring: Keyring, done: Splitting, tmp_path: Path) -> None:
    other = Keyring.create(tmp_path / "b.ring", RootKey.generate_file(tmp_path / "b.key"))
    theirs = split_root(other, HOLDERS, 3, tmp_path / "b")
    again = split_root(ring, HOLDERS, 3, tmp_path / "again")
    key = bytes(range(32))
    label = gather.label(ring.id)
    assert ring.sharing is not None
    for share, says in [
        (share_of(theirs, 1), rf"share 1 of another key ring, '{other.id}'; this one is "
                              rf"'{ring.id}'"),
        (share_of(done, 1), rf"share 1 of set {done.set_id[:8]}, from another split; this key ring "
                            rf"opens with set {again.set_id[:8]}"),
        (shares.split(key, shares=5, threshold=3, label=label)[3], r"share 4 of set"),
        (shares.split(key, shares=5, threshold=3)[3], r"share 4 of something else; give a share"),
        (shares.split(key, shares=9, threshold=3, label="it's Ä")[8], r"share 9 of something else"),
    ]:  # fmt: skip
        with pytest.raises(ShareError, match=says):
            gathering(ring).offer(share)
    # Even if they all are: a whole set of another ring.
    with pytest.raises(RootKeyError, match=r"0 good shares, .*share 3 of another key ring"):
        opened(ring, tmp_path / "b")
    reported = opened(ring, tmp_path / "b", tmp_path / "shares", tmp_path / "again")
    assert len(reported) == 10


def test_a_set_of_a_secret_that_is_no_root_key(ring: Keyring, done: Splitting) -> None:
    """Of the right name and label, as only a forged record can ask for it."""
    assert ring.sharing is not None
    for size in (31, 32, 33):
        share = shares.split(bytes(size), shares=5, threshold=3, label=gather.label(ring.id))[0]
        record = msgspec.structs.replace(ring.sharing, set=shares.read(share).set_id)
        given = Gathering(record, ring.id)
        if size == 32:
            assert given.offer(share) == "share 1 (Ann)"
        else:
            with pytest.raises(ShareError, match="share 1 of set"):
                given.offer(share)


def test_a_set_that_is_no_sharing(
    ring: Keyring, done: Splitting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise ShareError("no splitting made them")

    monkeypatch.setattr(gather, "combine", refuse)
    with pytest.raises(RootKeyError, match=r"a\.ring: no splitting made them"):
        opened(ring, tmp_path / "shares")


# Typed


class Person:
    """Types lines in order, then Ctrl-D for ever."""

    def __init__(self, *texts: str) -> None:
        self.left = [line for text in texts for line in text.splitlines()]
        self.reported: list[str] = []

    def ask(self, prompt: str) -> str:
        if not self.left:
            raise EOFError
        return self.left.pop(0)

    def tell(self, text: str) -> None:
        self.reported.append(text)


def typed(ring: Keyring, person: Person, *places: Path) -> list[str]:
    reported: list[str] = []

    @contextmanager
    def terminal() -> Iterator[Person]:
        yield person

    files = tuple(map(str, places))
    source = SharesRoot(files, typed=True, tell=reported.append, terminal=terminal)
    assert Keyring.open(ring.path, source).key("people:1") == ring.key("people:1")
    return reported


def test_typed_shares(ring: Keyring, done: Splitting) -> None:
    person = Person(*(text_of(done, index) for index in (4, 2, 5)))
    assert typed(ring, person) == []
    needed = "needed; type one as it is printed, line by line (Ctrl-D ends it)"
    assert person.reported == [
        f"3 more shares are {needed}", "share 4 (Dee) is good",
        f"2 more shares are {needed}", "share 2 (Bob) is good",
        f"1 more share is {needed}", "share 5 (Eve) is good",
    ]  # fmt: skip


def test_bad_typed_shares_are_refused_by_name(
    ring: Keyring, done: Splitting, tmp_path: Path
) -> None:
    altered = bytearray(share_of(done, 3))
    altered[-1] ^= 1
    other = printed.encode(shares.split(b"x", shares=2, threshold=2, label="other")[0])
    person = Person(
        text_of(done, 4), text_of(done, 4), printed.encode(bytes(altered)), other,
        printed.encode(b"no share"), text_of(done, 1), text_of(done, 2),
    )  # fmt: skip
    typed(ring, person)
    assert [text for text in person.reported if "needed" not in text] == [
        "share 4 (Dee) is good",
        "refused: share 4 (Dee) was given already",
        "refused: share 3 (Cid): it is damaged or altered; find a good copy of it",
        "refused: it is share 1 of something else, 'other'; give a share of this key ring",
        "refused: it is not a share, or it is cut short; find a good copy of it",
        "share 1 (Ann) is good",
        "share 2 (Bob) is good",
    ]


def test_too_few_typed_shares(ring: Keyring, done: Splitting) -> None:
    with pytest.raises(RootKeyError, match=r"2 good shares .*1 more of share 2 \(Bob\), share 3"):
        typed(ring, Person(text_of(done, 4), text_of(done, 1), text_of(done, 5)[:300]))
    with pytest.raises(RootKeyError, match=r"0 good shares, and 3 are needed"):
        typed(ring, Person())


def test_files_and_then_typed(ring: Keyring, done: Splitting, tmp_path: Path) -> None:
    person = Person(text_of(done, 5))
    reported = typed(ring, person, done.shares[0].path, done.shares[1].path, tmp_path / "none")
    assert person.reported[0].startswith("1 more share is needed")
    assert reported == [f"{tmp_path / 'none'}: can't read it: No such file or directory"]
    nobody = Person()
    typed(ring, nobody, tmp_path / "shares")
    assert nobody.reported == []


def test_no_terminal(ring: Keyring, done: Splitting) -> None:
    script = """
        import sys
        from tallystick.errors import RootKeyError
        from tallystick.keyring import Keyring, RootKey
        try:
            Keyring.open(sys.argv[1], RootKey.parse("shares"))
        except RootKeyError as error:
            print(error)
    """
    result = run_python(script, str(ring.path)).communicate("".join(map(str, range(9))))
    assert "a.ring: there is no terminal to ask for shares" in result[0]


def test_a_file_that_is_no_share_at_all(ring: Keyring, done: Splitting, tmp_path: Path) -> None:
    done.shares[1].path.write_text("id,name\n1,secret\n")
    (reported,) = opened(ring, tmp_path / "shares")
    assert reported.endswith("share-2-Bob.txt: it is not a share, or its line TALLYSTICK SHARE 1 "
                         "is missing and it has typing errors")  # fmt: skip


@pytest.mark.skipif(os.name != "posix", reason="names of files have other limits elsewhere")
@pytest.mark.parametrize("name", ["é" * 200, "/".join(["x" * 200] * 30)])
def test_a_name_that_the_system_refuses(
    ring: Keyring, done: Splitting, name: str, tmp_path: Path
) -> None:
    good = [done.shares[index].path for index in (0, 1, 2)]
    (said,) = opened(ring, tmp_path / name, *good)
    assert "can't read it: File name too long" in said


def test_a_directory_that_may_not_be_entered(
    ring: Keyring, done: Splitting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = [done.shares[index].path for index in (0, 1, 2)]
    share = tmp_path / "closed" / "share"
    calls: dict[Any, Any] = {Path: Path.stat, os: os.open}

    def refusing(owner: Any) -> Any:  # noqa: ANN401
        """As a directory of somebody else's does; root would be let in."""

        def call(path: str | Path, *rest: Any, **named: Any) -> Any:  # noqa: ANN401
            if Path(path) == share:
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
            return calls[owner](path, *rest, **named)

        return call

    monkeypatch.setattr(Path, "stat", refusing(Path))
    monkeypatch.setattr(os, "open", refusing(os))
    (said,) = opened(ring, share, *good)
    assert "can't read it: Permission denied" in said

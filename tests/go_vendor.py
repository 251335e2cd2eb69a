# SPDX-License-Identifier: Apache-2.0
"""Builds a program on the Go module as others do: from its vendor folder, with cgo and without.

`go mod vendor` copies folders of Go packages alone, so the core's sources have to be in one.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MODULE = "github.com/tallystick/tallystick"
PROGRAM = f"""package main

import (
	"fmt"

	"{MODULE}/go/fast"
	"{MODULE}/go/hazmat/shamir"
)

func main() {{
	tokens, err := fast.NewTokenizer(fast.Digits(), make([]byte, 16), "d")
	if err != nil {{
		panic(err)
	}}
	token, err := tokens.Protect("12345678")
	shares, _ := shamir.Split([]byte(token), 3, 2)
	secret, _ := shamir.Combine(shares[1:])
	fmt.Println(token, string(secret) == token, err)
}}
"""


def main() -> int:
    """Make, vendor, build and run."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "main.go").write_text(PROGRAM)

        def go(*arguments: str, **environment: str) -> str:
            done = subprocess.run(
                ["go", *arguments],
                cwd=folder,
                env=os.environ | environment,
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode != 0:
                print(done.stdout, done.stderr, sep="\n")
                raise SystemExit(1)
            return done.stdout

        go("mod", "init", "example.invalid/vendored")
        go("mod", "edit", f"-require={MODULE}@v0.0.0", f"-replace={MODULE}={ROOT}")
        go("mod", "tidy")
        go("mod", "vendor")
        outputs = {cgo: go("run", "-mod=vendor", ".", CGO_ENABLED=cgo) for cgo in ("1", "0")}
    good = outputs["1"] == outputs["0"] and outputs["1"].endswith(" true <nil>\n")
    print(f"vendor: {int(good)} passed, {int(not good)} failed")
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""How the tests of addresses run the program, and look into the server's folder."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from program import PROGRAM
from s3_server import environment

POLICY = """\
unlisted = "error"
keep = ["note"]

[columns]
id = { format = "digits", key = "people:1", namespace = "person id" }
"""
PEOPLE = b"id,note\n" + b"".join(b"%07d,a\r\n" % row for row in range(1_234_567, 1_235_567))


@dataclass(frozen=True)
class Home:
    """A folder with policy and keys, and a bucket.

    Attributes
    ----------
    files : pathlib.Path
        The folder.
    bucket : pathlib.Path
        Where the server keeps the bucket's objects.
    port : int
        The server's.
    """

    files: Path
    bucket: Path
    port: int

    def url(self, key: str) -> str:
        """Return the address of a key."""
        return f"s3://{self.bucket.name}/{key}"

    def variables(self, **more: str) -> dict[str, str]:
        """Return the program's environment."""
        return {
            **environment(self.port),
            "TALLYSTICK_POLICY": "people.toml",
            "TALLYSTICK_KEYRING": "people.keys",
            "TALLYSTICK_ROOT": "file:root.key",
            **more,
        }

    def tally(self, *arguments: str, **more: str) -> subprocess.CompletedProcess[bytes]:
        """Run the program in the folder."""
        return subprocess.run(
            [PROGRAM, *arguments],
            cwd=self.files,
            env=self.variables(**more),
            capture_output=True,
            timeout=60,
        )

    def objects(self) -> set[str]:
        """Return the keys that the bucket has."""
        found = (path.relative_to(self.bucket) for path in self.bucket.rglob("*") if path.is_file())
        return {str(path) for path in found if not path.parts[0].startswith(".")}

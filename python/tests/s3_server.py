# SPDX-License-Identifier: Apache-2.0
"""A real S3 server (versitygw) on this machine, with credentials that are made up."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

BINARY = Path(__file__).parents[2] / "build" / "s3" / "versitygw"
"""`tests/run.py remote` builds it."""
ACCESS = "AKIDMADEUPFORTESTS"
SECRET = "made-up/secret+for=tests"  # noqa: S105
_PATIENCE = 20.0
_KEPT = {"PATH", "LANG", "LC_ALL", "TMPDIR"}


def environment(port: int, *, access: str = ACCESS, secret: str = SECRET) -> dict[str, str]:
    """Return the environment of a program that uses the server."""
    return {
        **{name: value for name, value in os.environ.items() if name in _KEPT},
        "HOME": "/nonexistent",
        "AWS_ACCESS_KEY_ID": access,
        "AWS_SECRET_ACCESS_KEY": secret,
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "NO_PROXY": "127.0.0.1",
        "no_proxy": "127.0.0.1",
    }


@contextmanager
def s3_server(folder: Path) -> Iterator[int]:
    """Serve the folders in a folder as buckets, and give the port."""
    if not BINARY.exists():
        pytest.skip("no S3 server; `tests/run.py remote` builds it")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [BINARY, "--quiet", "--port", f"127.0.0.1:{port}", "posix", folder],
        env={"PATH": os.defpath, "ROOT_ACCESS_KEY_ID": ACCESS, "ROOT_SECRET_ACCESS_KEY": SECRET},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait(process, port)
        yield port
    finally:
        process.kill()
        process.wait(timeout=_PATIENCE)


def _wait(process: subprocess.Popen[bytes], port: int) -> None:
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            assert process.poll() is None, "the S3 server has ended"
            assert time.monotonic() < end, "the S3 server does not answer"
            time.sleep(0.02)
        else:
            return

# SPDX-License-Identifier: Apache-2.0
"""Requests to homes that speak JSON by HTTPS: bounded in time, size and number, not redirected."""

import http.client
import json
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from typing import Any

_LIMIT = 1 << 20  # bytes of an answer
_TIMEOUT = 10  # seconds, of one try
_WAITS = (0.25, 1.0)  # seconds before each further try
_AGAIN = frozenset({429, 500, 502, 503, 504})
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


class _NoRedirection(urllib.request.HTTPRedirectHandler):
    """A redirection would carry the credential elsewhere."""

    def redirect_request(self, *_: object) -> None:
        """Return none: the answer counts as it is."""


def base(address: str) -> str | None:
    """Return ``https://HOST:PORT``; plain HTTP is for this machine alone. None: it is neither.

    Raises `ValueError`: plain HTTP would go to another machine.
    """
    try:
        url = urllib.parse.urlsplit(address)
        host, _ = url.hostname, url.port
    except ValueError:
        return None
    if not host or url.scheme not in ("https", "http") or url.path not in ("", "/") or url.username:
        return None
    if url.scheme == "http" and host not in LOOPBACK:
        raise ValueError(f"{host} would get the credential and the root key unencrypted")
    return f"{url.scheme}://{url.netloc}"


def post(
    url: str, headers: Mapping[str, str], body: object, context: ssl.SSLContext | None = None
) -> tuple[int, Any]:
    """Send a body as JSON, and return the status and the answer from JSON, or None if it is none.

    A busy or unreachable server is tried three times in all.
    Raises `OSError`: it can't be reached. The message has neither headers nor body.
    """
    handlers: list[urllib.request.BaseHandler] = [_NoRedirection()]
    if url.startswith("https:"):
        handlers.append(
            urllib.request.HTTPSHandler(context=context or ssl.create_default_context())
        )
    else:
        handlers.append(urllib.request.ProxyHandler({}))  # it stays on this machine
    opener = urllib.request.build_opener(*handlers)
    given = {"Content-Type": "application/json", **headers}
    request = urllib.request.Request(  # noqa: S310 (`base` checked the scheme)
        url, json.dumps(body).encode(), given, method="POST"
    )
    for wait in (*_WAITS, None):
        try:
            status, data = _once(opener, request)
        except (OSError, http.client.HTTPException, ValueError) as error:
            if wait is None or isinstance(error, ValueError):
                reason = getattr(error, "reason", error)
                # Not chained: a header's error would show the credential.
                raise OSError(type(reason if isinstance(reason, Exception) else error).__name__) \
                    from None  # fmt: skip
        else:
            if wait is None or status not in _AGAIN:
                break
        time.sleep(wait)
    try:
        return status, json.loads(data)
    except ValueError:
        return status, None


def _once(
    opener: urllib.request.OpenerDirector, request: urllib.request.Request
) -> tuple[int, bytes]:
    try:
        with opener.open(request, timeout=_TIMEOUT) as response:
            return response.status, response.read(_LIMIT)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read(_LIMIT)

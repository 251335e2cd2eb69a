# SPDX-License-Identifier: Apache-2.0
"""SQLite: ``tally_protect`` and ``tally_reveal`` for single values."""

import sqlite3

from tallystick.errors import ParameterError, TallyError
from tallystick.protector import Protector
from tallystick.sql.names import Named, find, named, named_errors

Value = str | int | None


def register(
    connection: sqlite3.Connection,
    protector: Protector | None = None,
    *,
    key: bytes | bytearray | None = None,
    namespace: str | None = None,
    reveal: bool = False,
) -> None:
    """Register ``tally_protect(name, value[, tweak])`` and, on request, ``tally_reveal``.

    Values are TEXT or INTEGER; NULL stays NULL. The functions are deterministic, so indexes and
    generated columns can use them.

    Parameters
    ----------
    connection : sqlite3.Connection
        The connection that gets the functions, until it is closed.
    protector : Protector, optional
        With it, names are columns of its policy. Keep it open as long as the connection.
    key, namespace
        Instead of a protector: names are then formats that need no options.
    reveal : bool
        Whether to register ``tally_reveal``: then every query of the connection can reveal. If
        False, a call of ``tally_reveal`` fails, even if an earlier call registered it.

    Raises
    ------
    ParameterError
        Pass either a protector, or key and namespace.
    TallyError
        The protector can only protect.

    Notes
    -----
    SQLite hides exceptions: a query fails with ``user-defined function raised exception``, and
    `sqlite3.enable_callback_tracebacks` shows the exception.
    """
    names = named(protector, key, namespace, reveal=reveal)
    for arguments in (2, 3):
        for name, function in (
            ("tally_protect", _Function(names, decrypt=False)),
            ("tally_reveal", _Function(names, decrypt=True) if reveal else _refuse),
        ):
            connection.create_function(name, arguments, function, deterministic=True)


def _refuse(*arguments: Value) -> Value:
    """Stand where ``tally_reveal`` would: Python can't remove a function from a connection."""
    raise TallyError("tally_reveal was not registered: call register(..., reveal=True)")


class _Function:
    """One of the two functions."""

    def __init__(self, names: dict[str, Named], *, decrypt: bool) -> None:
        self._names = names
        self._decrypt = decrypt
        # What most calls need, looked up once.
        self._acts = {
            name: meant.tokenizer.reveal if decrypt else meant.tokenizer.protect
            for name, meant in names.items()
            if meant.tweak is None
        }

    def __call__(self, name: Value, value: Value, *tweaks: Value) -> Value:
        act = None if tweaks else self._acts.get(name)  # type: ignore[arg-type]
        if act is None or not isinstance(value, str | int):
            return self._checked(name, value, *tweaks)
        try:
            return act(value)
        except TallyError:
            with named_errors(self._names[name], decrypt=self._decrypt):  # type: ignore[index]
                raise

    def _checked(self, name: Value, value: Value, *tweaks: Value) -> Value:
        """Call with a tweak, with NULL, or wrongly."""
        meant = find(self._names, name)
        if value is None:
            return None
        with named_errors(meant, decrypt=self._decrypt):
            if (meant.tweak is None) == bool(tweaks):
                raise ParameterError(
                    "the column has no tweak; leave out the third argument"
                    if meant.tweak is None
                    else f"the third argument must be the tweak, {meant.tweak!r}"
                )
            if not isinstance(value, str | int):
                raise ParameterError("values must be TEXT or INTEGER")
            if tweaks and tweaks[0] is None:  # invalid: on_invalid of the policy decides
                kept: Value = meant.tokenizer.without_tweak(value)
                return kept
            act = meant.tokenizer.reveal if self._decrypt else meant.tokenizer.protect
            return act(value, *tweaks)

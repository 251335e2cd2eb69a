# SPDX-License-Identifier: Apache-2.0
"""Secrets asked for at the terminal."""

import getpass
import warnings


def ask_hidden(prompt: str) -> str:
    """Ask at the terminal without echo; never from a pipe, where it could not be hidden.

    Raises `EOFError`: there is no terminal, or nothing is given (Ctrl-D).
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error", getpass.GetPassWarning)
        try:
            return getpass.getpass(prompt)
        except getpass.GetPassWarning:
            raise EOFError from None

# SPDX-License-Identifier: Apache-2.0
"""Secrets asked for at the terminal."""

import getpass
import warnings

from tallystick.errors import ParameterError


def ask_hidden(prompt: str) -> str:
    """Ask at the terminal without echo; never from a pipe, where it could not be hidden.

    Raises `EOFError`: there is no terminal, or nothing is given (Ctrl-D). `ParameterError`: the
    text is not valid in the terminal's encoding.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error", getpass.GetPassWarning)
        try:
            return getpass.getpass(prompt)
        except getpass.GetPassWarning:
            raise EOFError from None
        except UnicodeDecodeError:  # not chained: it holds the secret
            raise ParameterError(
                "what was typed is not valid text; set the terminal's locale to UTF-8"
            ) from None

# SPDX-License-Identifier: Apache-2.0
"""Signals as the tests rely on them, however the tests were started."""

from __future__ import annotations

import signal
from types import FrameType

_RELIED_ON = (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM)


def let_programs_be_signalled() -> None:
    """Let programs that tests start end at a signal, also under nohup or in a shell's background.

    An ignored signal stays ignored in a program that is started, but a handled one does not. So
    signals that this process ignores get a handler that does nothing.
    """
    for number in _RELIED_ON:
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, _pass)


def _pass(number: int, frame: FrameType | None) -> None:
    pass

# SPDX-License-Identifier: Apache-2.0
"""How a run that fails ends: one line or one JSON object, and an exit code.

Unforeseen errors are reported by type and place only, because their texts could contain values.
"""

import os
import signal
import sys
from enum import IntEnum
from types import FrameType

from tallystick.cli.output import OutputError, discard_output, print_json, say
from tallystick.errors import (
    FileError,
    FormatError,
    InvalidValueError,
    KeyringError,
    ParameterError,
    PolicyError,
    ShareError,
    TallyError,
)


class ExitCode(IntEnum):
    """The exit codes of the program; docs/reference/errors.md explains them."""

    OK = 0
    INTERNAL = 1
    USAGE = 2
    POLICY = 3
    KEYRING = 4
    INVALID_VALUE = 5
    FILE = 6
    SHARES = 7
    FOUND = 8
    STOPPED = 128  # and the number of the signal; 130 is a Ctrl-C
    OUTPUT_CLOSED = 141  # as if SIGPIPE, which is 13, had ended it


_CODES: tuple[tuple[type[TallyError], ExitCode], ...] = (
    (KeyringError, ExitCode.KEYRING),
    (ShareError, ExitCode.SHARES),
    (InvalidValueError, ExitCode.INVALID_VALUE),
    (FileError, ExitCode.FILE),
    (PolicyError, ExitCode.POLICY),
    (FormatError, ExitCode.POLICY),
    (ParameterError, ExitCode.USAGE),
)


class StoppedError(BaseException):
    """A signal asked the program to end; not an `Exception`, as `KeyboardInterrupt` is none."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


_ENDING = ("SIGINT", "SIGTERM", "SIGHUP")
_AGAIN = 0.005
"""Seconds until a signal is raised again that came where nothing may be raised."""


def end_on_signals() -> None:
    """Let the first signal that asks for an end raise `StoppedError`: nothing is left behind then.

    Those after it are ignored: what is made is being removed. One that is ignored from the
    beginning, as under nohup, stays so.
    """
    sys.unraisablehook = _try_again
    for number in _handled(signal.SIG_DFL, signal.default_int_handler):
        signal.signal(number, _stop)


def ignore_signals() -> None:
    """Let no signal disturb the end, which is near."""
    for number in _handled(_stop):
        signal.signal(number, _pass)  # not SIG_IGN, of which Python complains if one is under way


def _handled(*actions: object) -> list[int]:
    numbers = [getattr(signal, name, None) for name in _ENDING]
    return [number for number in numbers if number and signal.getsignal(number) in actions]


def _pass(number: int, frame: FrameType | None) -> None:
    pass


def _stop(number: int, frame: FrameType | None) -> None:
    ignore_signals()
    raise StoppedError(number)


def _try_again(raised: "sys.UnraisableHookArgs") -> None:
    """Stop a little later if it was in a destructor, whose errors Python only prints."""
    error = raised.exc_value
    if not isinstance(error, StoppedError):
        sys.__unraisablehook__(raised)
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise StoppedError(error.number)

    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, stop)
        signal.setitimer(signal.ITIMER_REAL, _AGAIN)


def report(error: BaseException, *, as_json: bool) -> int:
    """Say what went wrong, and return the exit code."""
    code: int
    match error:
        case OutputError():
            name, text, code, as_json = "FileError", str(error), ExitCode.FILE, False
        case StoppedError():
            name, code = "Stopped", ExitCode.STOPPED + error.number
            text = f"stopped by {signal.Signals(error.number).name}"
        case TallyError():
            name, text = type(error).__name__, str(error)
            code = next((c for kind, c in _CODES if isinstance(error, kind)), ExitCode.INTERNAL)
        case _ if _is_usage(error):
            name, text, code = "UsageError", _usage(error), ExitCode.USAGE
        case OSError(errno=int(), strerror=str(), filename=None):  # as of help that has no room
            name, code, as_json = "FileError", ExitCode.FILE, False
            text = f"standard output: {error.strerror}"
            discard_output()
        case OSError(errno=int(), strerror=str()):
            name, text, code = "FileError", f"{error.filename}: {error.strerror}", ExitCode.FILE
        case _:
            if os.environ.get("TALLYSTICK_DEBUG") == "1":
                import traceback

                traceback.print_exception(error)
            name, text, code = type(error).__name__, _unforeseen(error), ExitCode.INTERNAL
    if as_json:
        try:
            print_json({"error": name, "message": text})
        except OutputError:
            say(f"error: {text}")
    elif text:
        say(f"error: {text}")
    return int(code)


_NO_INTEGER = "Input should be a valid integer, unable to parse string as an integer"


def _usage(error: BaseException) -> str:
    """Return typer's words in our form; none if they were the help, which is shown as it is."""
    context = getattr(error, "ctx", None)
    words = str(getattr(error, "format_message", error.__str__)()).strip()
    if words.startswith("Usage:"):
        for line in words.splitlines():
            say(line)
        return ""
    words = (
        words.rstrip(".").replace("Value error, ", "").replace(_NO_INTEGER, "not a whole number")
    )
    path = context.command_path if context is not None else "tallystick"
    return f"{words[0].lower()}{words[1:]}; `{path} --help` shows the usage"


def _is_usage(error: BaseException) -> bool:
    """Say whether typer, if it is loaded, raised this for wrong arguments."""
    typer = sys.modules.get("typer")
    # The class has no public name, but a public heir.
    return typer is not None and isinstance(error, typer.BadParameter.__mro__[1])


def _unforeseen(error: BaseException) -> str:
    # Not for a run that goes well: they take time to load.
    import traceback
    from pathlib import Path

    import tallystick

    package = Path(tallystick.__file__).parent
    places = [
        f"{Path(frame.filename).relative_to(package)} line {frame.lineno}"
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).is_relative_to(package)
    ]
    where = f" in {places[-1]}" if places else ""
    return (
        f"unexpected {type(error).__name__}{where}: this is a bug in tallystick, or "
        "the memory is full; TALLYSTICK_DEBUG=1 prints a traceback, which may show "
        "values"
    )

# SPDX-License-Identifier: Apache-2.0
"""No core dumps of the program: they would have keys and values in them."""

from contextlib import suppress

from tallystick._core import lib

try:
    import resource
except ImportError:  # not a POSIX system
    resource = None  # type: ignore[assignment]


def refuse_dumps() -> None:
    """Let the system write no core dump of this process, whatever ends it.

    On Linux this also holds where dumps are handed to a program, which the limit alone does not
    stop, and no other process of the same user may look into this one's memory.
    """
    if resource is None:
        return
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    lib.tally_refuse_dumps()

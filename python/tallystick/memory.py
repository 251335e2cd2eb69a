# SPDX-License-Identifier: Apache-2.0
"""Memory for the core's objects, and its results as exceptions."""

from abc import abstractmethod
from typing import Any, NoReturn, Self

from tallystick._core import ffi, lib
from tallystick.errors import ParameterError, TallyError

_uncleared = ffi.new_allocator(should_clear_after_alloc=False)


class HoldsKeys:
    """What holds keys or a secret: it is neither copied nor pickled.

    A copy would share the memory that `close` wipes, or keep a secret that was to be overwritten.
    """

    __slots__ = ()

    def __reduce__(self) -> NoReturn:
        """Refuse `copy.copy`, `copy.deepcopy` and `pickle`, which all ask here.

        Raises `TypeError`: always.
        """
        raise TypeError(
            f"a {type(self).__name__} holds keys or a secret and can't be pickled or copied: "
            "make one where it is used"
        )


class ClosesKeys(HoldsKeys):
    """What holds keys until `close`, or the end of a ``with`` block."""

    __slots__ = ()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @abstractmethod
    def close(self) -> None:
        """Wipe the keys."""


def memory(size: int) -> Any:  # noqa: ANN401  # cffi's data has no better type
    """Allocate `size` bytes, whatever is in them."""
    return _uncleared("uint8_t[]", size)


def secret_memory(size: int) -> Any:  # noqa: ANN401
    """Allocate `size` bytes that are wiped before they are released."""
    wipe = lib.tally_wipe  # bound now: at the interpreter's end the module is emptied first
    return ffi.gc(memory(size), lambda held: wipe(held, size), size)


def secret_struct(name: str) -> Any:  # noqa: ANN401
    """Allocate a struct of the core, whatever is in it; it is wiped before it is released."""
    wipe = lib.tally_wipe
    size = ffi.sizeof(name)
    return ffi.gc(_uncleared(f"{name} *"), lambda held: wipe(held, size), size)


FORMAT, TOKENIZER, WORKER = range(3)
"""The kinds of objects of the core that `shared` holds."""


def shared(made: Any, kind: int, needs: Any = ffi.NULL) -> Any:  # noqa: ANN401
    """Hold an object of the core, which is freed after all that needs it; `object` is it."""
    held = lib.tally_hold(made, kind, needs)
    if held == ffi.NULL:
        raise MemoryError
    return ffi.gc(held, lib.tally_let_go)


def flat(given: Any) -> memoryview:  # noqa: ANN401
    """Return all bytes of a bytes-like object, for which ``len`` counts bytes.

    That of an array or a memoryview counts items, which may have several bytes.
    """
    return memoryview(given).cast("B")


def wipe(held: bytearray) -> None:
    """Overwrite bytes with zeros."""
    with ffi.from_buffer(held, require_writable=True) as view:
        lib.tally_wipe(view, len(held))


def check(status: int, what: str) -> None:
    """Raise the error that a core function's result stands for.

    Parameters
    ----------
    status : int
        A ``tally_status``.
    what : str
        What was being done, to begin the message with.

    Raises
    ------
    ParameterError
        If the status is any but ``TALLY_OK``.
    TallyError
        If the operating system gave no entropy.
    """
    if status == lib.TALLY_OK:
        return
    text = ffi.string(lib.tally_status_text(status)).decode("ascii")
    error = TallyError if status == lib.TALLY_ERROR_ENTROPY else ParameterError
    raise error(f"{what}: {text}")

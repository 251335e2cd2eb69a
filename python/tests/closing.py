# SPDX-License-Identifier: Apache-2.0
"""Ciphers of words that are closed: while threads work with them, and what is wiped then."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from tallystick import FastCipher, FF1Cipher
from tallystick._core import ffi, lib
from tallystick.errors import TallyError


def check_closing_while_threads_work(
    make: Callable[[], FastCipher | FF1Cipher], words: npt.NDArray[np.uint8], most: int
) -> None:
    """Check that each call gives right tokens, or within `most` calls the error of a closed one."""
    expected = make().encrypt_words(words)
    for _ in range(20):
        cipher, started = make(), threading.Barrier(4)

        def work(
            cipher: FastCipher | FF1Cipher = cipher, started: threading.Barrier = started
        ) -> int:
            started.wait()
            for done in range(most):
                try:
                    tokens = cipher.encrypt_words(words)
                except TallyError as error:
                    assert "closed" in str(error)
                    return done
                np.testing.assert_array_equal(tokens, expected)
            raise AssertionError("never closed")

        with ThreadPoolExecutor(3) as pool:
            futures = [pool.submit(work) for _ in range(3)]
            started.wait()
            cipher.close()
            for future in futures:
                future.result()


class Wipes:
    """The core, with the sizes of what is wiped noted."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def __getattr__(self, name: str) -> object:
        return getattr(lib, name)

    def tally_wipe(self, memory: object, size: int) -> None:
        lib.tally_wipe(memory, size)
        assert not any(bytes(ffi.buffer(memory, size)))
        self.sizes.append(size)

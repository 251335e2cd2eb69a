# SPDX-License-Identifier: Apache-2.0
"""Keys that stay on an emulated Cortex-M0+: new shares, and modes, beside OpenSSL's; and many
traces under one set of shares."""

import random

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.cmac import CMAC
from embedded.emulator import images, mailbox
from embedded.emulator.board import Board, BoardError
from embedded.emulator.costs import KEY
from embedded.emulator.mailbox import Command
from embedded.leakage import campaign, ttest

from cortex_m0_support import variants

TRACES = 2000
STATE, HEAD = 64, 16
"""Bytes of a state, and of what is before a key's round keys."""


def round_keys(board: Board, size: int) -> np.ndarray:
    """The shares of all round keys: of (round, share, byte)."""
    at = board.emulator.image.symbol("key_memory").address
    states = size // 4 + 7
    data = board.emulator.read(at + HEAD, states * STATE)
    return np.frombuffer(data, np.uint8).reshape(states, 2, STATE // 2)


@pytest.mark.parametrize("variant", variants())
def test_modes_under_a_key_that_is_refreshed(variant: images.Variant) -> None:
    board = Board(images.build(variant))
    source = random.Random(4)  # noqa: S311 (a simulation)
    for key_size in (16, 24, 32):
        key = source.randbytes(key_size)
        board.set_key(key, source.randbytes(key_size))
        for size in (0, 1, 15, 16, 17, 33, 64):
            before = round_keys(board, key_size)
            board.refresh()
            after = round_keys(board, key_size)
            assert (before[:, 0] ^ before[:, 1] == after[:, 0] ^ after[:, 1]).all()
            assert (before != after).any(axis=2).all()
            counter, data = source.randbytes(16), source.randbytes(size)
            theirs = Cipher(algorithms.AES(key), modes.CTR(counter)).encryptor()
            assert board.ctr(counter, data)[0] == theirs.update(data)
            tag = CMAC(algorithms.AES(key))
            tag.update(data)
            assert board.cmac(data)[0] == tag.finalize()
            # The key is as it was: nothing but a refresh changes its shares.
            assert (round_keys(board, key_size) == after).all()


def test_modes_need_a_key_and_room() -> None:
    board = Board(images.build(images.ZIG))
    for command in (Command.REFRESH, Command.CTR, Command.CMAC):
        with pytest.raises(BoardError, match=f"{command.name} ended with status 1"):
            board.ask(command)
    board.set_key(bytes(16), bytes(16))
    for command in (Command.CTR, Command.CMAC):
        with pytest.raises(BoardError, match=f"{command.name} ended with status 1"):
            board.ask(command, size=mailbox.DATA + 1)


@pytest.mark.parametrize(
    "work",
    [campaign.CMAC, campaign.CTR, campaign.REFRESH, *campaign.OF_KEPT],
    ids=lambda work: work.name,
)
def test_without_masks_it_leaks(work: campaign.Work) -> None:
    """With masks, test_leakage.py looks at it."""
    one, two = campaign.runs(images.build(images.ZIG), work, TRACES, masks=False, seed=1)
    assert ttest.above(one, two).sum() > 100


def test_a_kept_key_has_the_same_shares_in_all_traces() -> None:
    image = images.build(images.ZIG)
    at = image.symbol("key_memory").address + HEAD
    found: list[np.ndarray] = []
    for kept in (True, True, False):
        batch = campaign.Batch(image, 8, np.random.default_rng(len(found)), kept=kept)
        batch.set_key(campaign.as_words(KEY))
        found.append(np.array([np.broadcast_to(w, 8) for w in batch.machine.read_words(at, 176)]))
    assert (found[0] == found[0][:, :1]).all()
    assert (found[0] == found[1]).all()
    assert (found[2] != found[2][:, :1]).any(axis=1).all()

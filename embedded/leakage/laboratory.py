# SPDX-License-Identifier: Apache-2.0
"""Write the inputs of a fixed-versus-random measurement of a chip.

`python -m embedded.leakage.laboratory FOLDER` writes inputs.csv, with a line for each trace in the
order in which they are to be taken, and README.txt, which says what to write to the chip, what to
trigger on and where the result is. Nothing is measured here.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import io
import os
import secrets
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.cmac import CMAC
from embedded.emulator import mailbox
from embedded.emulator.mailbox import Command

from .campaign import BLOCKS, FIXED, KEY_SIZE

KEY = bytes.fromhex("0123456789abcdef123456789abcdef0")
"""With `FIXED`, the key and the fixed input that tests of AES-128 by TVLA commonly have."""
SIZE = len(FIXED) * BLOCKS
REFRESH_BLOCKS = 256
"""TALLY_MASKED_REFRESH_BLOCKS of core/include/tallystick/masked_aes.h."""
COLUMNS = (
    *("trace", "class", "key_share_0", "key_share_1", "input", "expected"),
    *("prepare", "measure", "finish"),
)

MAILBOX, STM32L0 = "mailbox", "stm32l0"
FIXED_CLASS, RANDOM_CLASS = "fixed", "random"


class OptionError(ValueError):
    """Options that do not go together; the message says which, and what to do."""


@dataclass(frozen=True, slots=True)
class Operation:
    """What a laboratory measures.

    Attributes
    ----------
    blocks
        Blocks that are encrypted under the key in one call.
    symbol
        The function to trigger on, in the firmware with the mailbox.
    public
        Whether input and output are in the clear within that function.
    """

    command: Command
    blocks: int
    size: int
    symbol: str
    public: bool
    expect: Callable[[bytes, bytes], bytes]


def _encrypt(key: bytes, data: bytes) -> bytes:
    return Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(data)  # noqa: S305


def _decrypt(key: bytes, data: bytes) -> bytes:
    return Cipher(algorithms.AES(key), modes.ECB()).decryptor().update(data)  # noqa: S305


def _cmac(key: bytes, data: bytes) -> bytes:
    tag = CMAC(algorithms.AES(key))
    tag.update(data)
    return tag.finalize()


OPERATIONS = {
    "encrypt-state": Operation(
        Command.ENCRYPT_STATE, BLOCKS, SIZE, "tally_masked_encrypt_state", False, _encrypt
    ),
    "decrypt-state": Operation(
        Command.DECRYPT_STATE, BLOCKS, SIZE, "tally_masked_decrypt_state", False, _decrypt
    ),
    "encrypt-blocks": Operation(
        Command.ENCRYPT_BLOCKS, BLOCKS, SIZE, "tally_masked_encrypt_blocks", True, _encrypt
    ),
    "encrypt-once": Operation(
        Command.ENCRYPT_ONCE, 1, len(FIXED), "tally_masked_encrypt_once", True, _encrypt
    ),
    "cmac": Operation(Command.CMAC, BLOCKS + 1, SIZE, "tally_masked_cmac", True, _cmac),
}
"""A CMAC encrypts a block of zeros besides, for its subkeys."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The options of a measurement; two plans that are equal give the same inputs.

    Attributes
    ----------
    seed
        Of the order of classes, of random inputs, and of shares. Bytes, not a number.
    refresh
        After how many traces the key gets new shares, and 0 for never. None: the most that the
        library allows, where the key is kept.
    same
        Whether both classes have random inputs: a control that must show nothing.
    """

    traces: int
    seed: bytes
    operation: str = "encrypt-state"
    varies: str = "data"
    target: str = MAILBOX
    refresh: int | None = None
    same: bool = False

    def __post_init__(self) -> None:
        """Refuse options that would be ignored.

        Raises
        ------
        OptionError
            An option has no effect with the others.
        """
        if self.traces < 2 or self.traces % 2:
            raise OptionError(
                f"traces is {self.traces}; it must be even and positive, so that both classes have "
                "as many"
            )
        if not self.seed:
            raise OptionError("seed is empty; give at least one byte in hexadecimal")
        if self.operation not in OPERATIONS:
            raise OptionError(f"operation must be one of {', '.join(OPERATIONS)}")
        if self.varies not in ("data", "key"):
            raise OptionError("varies must be data or key")
        if self.target not in (MAILBOX, STM32L0):
            raise OptionError(f"target must be {MAILBOX} or {STM32L0}")
        if self.target == STM32L0 and self.operation != "cmac":
            raise OptionError("the program for an STM32L0 has CMAC alone; take --operation cmac")
        if self.refresh is None:
            return
        if self.refresh < 0:
            raise OptionError("refresh must be 0 (never) or a number of traces")
        if self.target == STM32L0:
            raise OptionError(
                "the program for an STM32L0 gives the key new shares in each call; leave out "
                "--refresh, or take --target mailbox"
            )
        if self.varies == "key":
            raise OptionError(
                "a key that varies has new shares in each trace; leave out --refresh, or take "
                "--varies data"
            )

    @property
    def interval(self) -> int:
        """Traces under one set of shares; 0 if they are never replaced."""
        if self.target == STM32L0 or self.varies == "key":
            return 1
        if self.refresh is None:
            return REFRESH_BLOCKS // OPERATIONS[self.operation].blocks
        return self.refresh


@dataclass(frozen=True, slots=True)
class Trace:
    """A line of inputs.csv.

    Attributes
    ----------
    shares
        Those of the key that are written before this trace or in it; None if none are.
    prepare, measure, finish
        Commands before the trigger, the one that is measured, and the one that gets the result.
    """

    fixed: bool
    shares: tuple[bytes, bytes] | None
    data: bytes
    expected: bytes
    prepare: tuple[str, ...]
    measure: str
    finish: tuple[str, ...]


class _Stream:
    """Bytes of SHAKE256, which are the same in all versions of Python."""

    def __init__(self, seed: bytes, name: str) -> None:
        self._seed = len(seed).to_bytes(8, "big") + seed + name.encode()
        self._blocks = 0
        self._left = b""

    def take(self, size: int) -> bytes:
        while len(self._left) < size:
            block = hashlib.shake_256(self._seed + self._blocks.to_bytes(8, "big"))
            self._left += block.digest(1 << 12)
            self._blocks += 1
        given, self._left = self._left[:size], self._left[size:]
        return given


def order(traces: int, seed: bytes) -> list[bool]:
    """Return which traces are fixed: half of them, in an order by the seed."""
    stream = _Stream(seed, "order")
    places = sorted(range(traces), key=lambda _: stream.take(16))
    fixed = set(places[: traces // 2])
    return [trace in fixed for trace in range(traces)]


def _ask(command: Command, *data: tuple[int, bytes], size: int = 0, count: int = 0) -> str:
    """Return a command of the mailbox as OFFSET:BYTES, its first word last."""
    words = mailbox.header(command, size, count)
    writes = [(4, words[4:]), *data, (0, words[:4])]
    return " ".join(f"{at}:{some.hex()}" for at, some in writes)


def _shares(at: int, step: int, shares: tuple[bytes, bytes]) -> list[tuple[int, bytes]]:
    return [(at, shares[0]), (at + step, shares[1])]


def _mailbox(plan: Plan, trace: Trace, data_shares: tuple[bytes, bytes], refresh: bool) -> Trace:
    """Return the trace with commands of the mailbox."""
    operation = OPERATIONS[plan.operation]
    blocks, size = len(trace.data) // KEY_SIZE, len(trace.data)
    key = [] if trace.shares is None else _shares(mailbox.KEY_AT, mailbox.KEY, trace.shares)
    clear = [(mailbox.DATA_AT, trace.data)]
    prepare, finish = [], []
    writes: list[tuple[int, bytes]] = clear
    if operation.command == Command.ENCRYPT_ONCE:
        writes = [*key, *clear]
    elif key:
        prepare.append(_ask(Command.SET_KEY, *key, size=KEY_SIZE))
    elif refresh:
        prepare.append(_ask(Command.REFRESH))
    if not operation.public:
        shared = _shares(mailbox.DATA_AT, mailbox.DATA, data_shares)
        prepare.append(_ask(Command.SLICE, *shared, count=blocks))
        writes = []
        finish.append(_ask(Command.UNSLICE, count=blocks))
    measure = _ask(operation.command, *writes, size=size, count=blocks)
    return Trace(
        *(trace.fixed, trace.shares, trace.data, trace.expected),
        *(tuple(prepare), measure, tuple(finish)),
    )


def _stm32l0(trace: Trace) -> Trace:
    """Return the trace with calls of the program for an STM32L0."""
    prepare = (
        () if trace.shares is None else (f"stored_key:{b''.join(trace.shares).hex()}", "job_start")
    )
    return Trace(
        *(trace.fixed, trace.shares, trace.data, trace.expected),
        *(prepare, f"job_cmac:{trace.data.hex()}", ()),
    )


def make(plan: Plan) -> Iterator[Trace]:
    """Yield all traces, in the order in which they are to be taken."""
    operation = OPERATIONS[plan.operation]
    inputs, keys, masks = (_Stream(plan.seed, name) for name in ("inputs", "keys", "masks"))
    fixed_input = (FIXED * BLOCKS)[: operation.size]
    once = operation.command == Command.ENCRYPT_ONCE
    shares: tuple[bytes, bytes] | None = None
    for number, fixed in enumerate(order(plan.traces, plan.seed)):
        # All streams advance alike in both classes, whatever is used of them.
        data, other_key = inputs.take(operation.size), keys.take(KEY_SIZE)
        key_mask, data_mask = masks.take(KEY_SIZE), masks.take(operation.size)
        key, chosen = KEY, fixed and not plan.same
        if plan.varies == "data" and chosen:
            data = fixed_input
        if plan.varies == "key" and not chosen:
            key = other_key
        due = plan.interval > 0 and number % plan.interval == 0
        refresh = number > 0 and due
        first = number == 0 or plan.varies == "key"
        if first or (once and refresh):
            shares = (_xor(key, key_mask), key_mask)
        given = shares if first or once else None
        expected = operation.expect(key, data)
        trace = Trace(fixed, given, data, expected, (), "", ())
        if plan.target == STM32L0:
            yield _stm32l0(trace)
        else:
            yield _mailbox(plan, trace, (_xor(data, data_mask), data_mask), refresh)


def _xor(a: bytes, b: bytes) -> bytes:
    return bytes(x ^ y for x, y in zip(a, b, strict=True))


def as_csv(traces: Iterator[Trace]) -> str:
    """Return the text of inputs.csv."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(COLUMNS)
    for number, trace in enumerate(traces):
        shares = ("", "") if trace.shares is None else (share.hex() for share in trace.shares)
        lines.writerow(
            (
                *(number, FIXED_CLASS if trace.fixed else RANDOM_CLASS, *shares),
                *(trace.data.hex(), trace.expected.hex()),
                *(";".join(trace.prepare), trace.measure, ";".join(trace.finish)),
            )
        )
    return text.getvalue()


_NOTATION = {
    MAILBOX: """\
Firmware: embedded/firmware (make firmware), with your chip's source of masks in random.c.
Commands: prepare, measure and finish have commands, with ";" between them. A command is a list
of OFFSET:BYTES: write BYTES (hexadecimal) at OFFSET (decimal) from the symbol `mailbox`, in this
order. The last one, at 0, starts the command. It has ended when the word at 0 is 0. Then the word
at 4 must be 0: success.
""",
    STM32L0: """\
Firmware: embedded/stm32l0 (make stm32l0), with a serial line or a debugger that makes these calls.
Commands: `stored_key:BYTES` writes the 32 BYTES (hexadecimal) at the symbol `stored_key`;
`job_start` calls that function; `job_cmac:BYTES` puts BYTES anywhere in RAM and calls job_cmac with
their address and number. After each call the word at the symbol `status` must be 0: success.
""",
}


def _result(plan: Plan) -> str:
    if plan.target == STM32L0:
        return "16 bytes at the symbol `result`"
    operation = OPERATIONS[plan.operation]
    first, second = mailbox.DATA_AT, mailbox.DATA_AT + mailbox.DATA
    if not operation.public:
        return (
            f"the XOR of the {operation.size} bytes at offsets {first} and {second}, after finish"
        )
    if operation.command == Command.CMAC:
        return f"16 bytes at offset {second}"
    return f"{operation.size} bytes at offset {first}"


def _key_text(plan: Plan) -> str:
    if plan.varies == "key":
        return "new in each trace of the random class; new shares in each trace"
    if plan.target == STM32L0:
        return f"{KEY.hex()} in all traces; the program gives it new shares in each call"
    if plan.interval == 0:
        return f"{KEY.hex()} in all traces, under the same shares"
    return f"{KEY.hex()} in all traces; new shares after each {plan.interval} traces"


def readme(plan: Plan, digest: str) -> str:
    """Return the text of README.txt."""
    operation = OPERATIONS[plan.operation]
    refresh = "" if plan.refresh is None else f" --refresh {plan.refresh}"
    symbol = "job_cmac" if plan.target == STM32L0 else operation.symbol
    if plan.same:
        meaning = (
            "Both classes are random. No point may be above 4.5 in two runs: else the set-up\n"
            "is wrong."
        )
    elif operation.public and plan.varies == "data":
        meaning = (
            "Input and output are public and in the clear within the function. Points near its\n"
            "beginning and its end may show them. For the rest, take --varies key or encrypt-state."
        )
    else:
        meaning = "Nothing that varies is public within the function. No point may show it."
    return f"""\
Inputs of a fixed-versus-random t-test of Tallystick's masked AES-128, two shares.

Trigger: raise a pin right before the function {symbol}.
Lower it right after the function returns, the same way for both classes.
Interrupts must be off between.

{_NOTATION[plan.target]}
Result: {_result(plan)}.
It must be the column `expected` in each trace. If one differs, the set-up is wrong: stop.

Traces: {plan.traces}, half of each class, in random order. Take them in the order of the lines.
The chip must not get the column `class`.
Key: {_key_text(plan)}.
Key shares and masks of states in this folder come from the seed. The masks within AES are the
chip's own.
Evaluation: Welch's t at each point of time, |t| > 4.5. Take a second set with another seed. A
point leaks if it is above 4.5 in both, with the same sign.
{meaning}

Made again by: python -m embedded.leakage.laboratory FOLDER --traces {plan.traces} \\
    --operation {plan.operation} --varies {plan.varies} --target {plan.target}{refresh}\
{" --same" if plan.same else ""} \\
    --seed {plan.seed.hex()}
SHA-256 of inputs.csv: {digest}
What to do in which order, and what a result means: docs/explanation/leakage.md
"""


def write(plan: Plan, folder: Path) -> None:
    """Write both files to a folder that does not exist yet, readable by its owner alone.

    Raises
    ------
    FileExistsError
        The folder exists.
    """
    folder.mkdir(mode=0o700)
    inputs = as_csv(make(plan)).encode()
    digest = hashlib.sha256(inputs).hexdigest()
    for name, content in (
        ("inputs.csv", inputs),
        ("README.txt", readme(plan, digest).encode()),
    ):
        handle = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(content)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the inputs; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m embedded.leakage.laboratory",
        description="Write the inputs of a fixed-versus-random measurement of a chip.",
    )
    parser.add_argument("folder", type=Path, help="a new folder for inputs.csv and README.txt")
    parser.add_argument("--traces", type=int, default=100_000, help="an even number (%(default)s)")
    parser.add_argument(
        "--operation", choices=OPERATIONS, help="encrypt-state; of an STM32L0 cmac, the only one"
    )
    parser.add_argument(
        "--varies", choices=("data", "key"), default="data", help="fixed or random (%(default)s)"
    )
    parser.add_argument("--target", choices=(MAILBOX, STM32L0), default=MAILBOX)
    parser.add_argument(
        "--refresh",
        type=int,
        metavar="TRACES",
        help="new shares of a kept key after so many traces, 0 for never (256 blocks)",
    )
    parser.add_argument("--same", action="store_true", help="a control: both classes are random")
    parser.add_argument("--seed", help="hexadecimal; without it a new one, which is recorded")
    options = parser.parse_args(arguments)
    operation = options.operation or ("cmac" if options.target == STM32L0 else "encrypt-state")
    try:
        seed = secrets.token_bytes(16) if options.seed is None else bytes.fromhex(options.seed)
        plan = Plan(
            *(options.traces, seed, operation, options.varies, options.target),
            *(options.refresh, options.same),
        )
    except OptionError as error:
        parser.error(str(error))
    except ValueError:
        parser.error("--seed must be an even number of hexadecimal digits")
    try:
        write(plan, options.folder)
    except OSError as error:
        parser.error(
            f"can't write {options.folder}: {error.strerror}; give the name of a new folder"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())

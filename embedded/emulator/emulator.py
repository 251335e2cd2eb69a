# SPDX-License-Identifier: Apache-2.0
"""One Cortex-M0+ in Unicorn, with counts of cycles, stack and random words.

Unicorn executes instructions; `timing.py` has their cycles.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import unicorn
from unicorn import arm_const

from . import chip, thumb
from .chip import ChipError
from .elf import Image
from .timing import cycles

REGISTERS = tuple(
    getattr(arm_const, f"UC_ARM_REG_{name}")
    for name in [*(f"R{i}" for i in range(13)), "SP", "LR", "PC"]
)


@dataclass(slots=True)
class Cost:
    """The cost of a call.

    Attributes
    ----------
    cycles, instructions
        As counted, without those of the caller.
    stack
        Bytes below the stack pointer of the caller.
    random_words
        Loads of the register of the random generator.
    visited
        Addresses of the instructions that ran.
    """

    cycles: int = 0
    instructions: int = 0
    stack: int = 0
    random_words: int = 0
    visited: set[int] = field(default_factory=set)

    def code(self, image: Image) -> int:
        """Return the bytes of all functions of which an instruction ran, constants included."""
        return sum(
            function.size
            for function in image.functions()
            if any(function.address <= at < function.address + function.size for at in self.visited)
        )


@dataclass(frozen=True, slots=True)
class Device:
    """A page of 4 KiB whose words are registers.

    Attributes
    ----------
    base
        Its address.
    read, write
        Get an offset, a value to be written, and the cycles so far of all calls.
    """

    base: int
    read: Callable[[int, int], int]
    write: Callable[[int, int, int], None]


class Emulator:
    """A chip with an image in its flash.

    Parameters
    ----------
    image
        The firmware.
    random
        Gives the words of the random generator, from 0 to 2^32 - 1.
    counted
        Whether instructions are watched; else costs have random words alone, and all is faster.
    flash
        The address of the flash.
    devices
        Of a chip with others than the random register. Their time needs `counted`.
    """

    def __init__(
        self,
        image: Image,
        random: Iterator[int],
        *,
        counted: bool = True,
        flash: int = chip.FLASH,
        devices: Sequence[Device] = (),
    ) -> None:
        self._flash, self._before = flash, 0
        self.image = image
        self.watch: Callable[[Emulator, int], None] | None = None
        """Is called with the address of each instruction before it runs."""
        self._random = random
        self._decoded: dict[int, thumb.Instruction] = {}
        self._cost = Cost()
        self._last: thumb.Instruction | None = None
        self._last_at = self._top = 0
        self._machine = unicorn.Uc(
            unicorn.UC_ARCH_ARM, unicorn.UC_MODE_THUMB | unicorn.UC_MODE_MCLASS
        )
        self._machine.ctl_set_cpu_model(arm_const.UC_CPU_ARM_CORTEX_M0)
        self._machine.mem_map(flash, chip.FLASH_SIZE, unicorn.UC_PROT_READ | unicorn.UC_PROT_EXEC)
        self._machine.mem_map(chip.RAM, chip.RAM_SIZE, unicorn.UC_PROT_READ | unicorn.UC_PROT_WRITE)
        self._machine.mmio_map(
            chip.RANDOM_REGISTER, 0x1000, self._draw, None, self._refuse_write, None
        )
        for device in devices:
            self._machine.mmio_map(
                device.base, 0x1000, self._read_device, device, self._write_device, device
            )
        if counted:
            self._machine.hook_add(unicorn.UC_HOOK_CODE, self._step)
        for segment in image.segments:
            self._machine.mem_write(segment.address, segment.data)

    def read(self, address: int, size: int) -> bytes:
        """Return bytes of memory."""
        return bytes(self._machine.mem_read(address, size))

    def write(self, address: int, data: bytes) -> None:
        """Replace bytes of memory."""
        self._machine.mem_write(address, data)

    def registers(self) -> list[int]:
        """Return r0 to r12, sp, lr and pc."""
        return list(self._machine.reg_read_batch(REGISTERS))

    def flags(self) -> tuple[int, int, int, int]:
        """Return N, Z, C and V."""
        state = self._machine.reg_read(arm_const.UC_ARM_REG_XPSR)
        return state >> 31 & 1, state >> 30 & 1, state >> 29 & 1, state >> 28 & 1

    def set_register(self, number: int, value: int) -> None:
        """Set one of r0 to r12, sp or lr."""
        self._machine.reg_write(REGISTERS[number], value)

    def set_flags(self, flags: tuple[int, int, int, int]) -> None:
        """Set N, Z, C and V."""
        n, z, c, v = flags
        state = n << 31 | z << 30 | c << 29 | v << 28
        self._machine.reg_write(arm_const.UC_ARM_REG_XPSR, state | 1 << 24)

    def call(self, name: str, *arguments: int, limit: int = 20_000_000) -> Cost:
        """Call a function with up to four arguments, and return its cost.

        Raises
        ------
        ChipError
            It did something impossible on the chip, or took more than `limit` instructions.
        """
        self.set_register(thumb.SP, chip.STACK_TOP)
        self.set_register(thumb.LR, chip.RETURN | 1)
        for number, argument in enumerate(arguments):
            self.set_register(number, argument)
        return self.run(self.image.symbol(name).address, chip.RETURN, limit)

    def reset(self, until: str, limit: int = 20_000_000) -> Cost:
        """Do as the chip does when it is switched on, until it comes to a function."""
        stack, start = struct.unpack("<II", self.read(self._flash, 8))
        self.set_register(thumb.SP, stack)
        return self.run(start & ~1, self.image.symbol(until).address, limit)

    def run(self, start: int, until: int, limit: int) -> Cost:
        """Run from one address until another; `call` says how it may fail."""
        self._before += self._cost.cycles
        self._cost = Cost()
        self._last = None
        self._top = self.registers()[thumb.SP]
        try:
            self._machine.emu_start(start | 1, until, count=limit)
        except unicorn.UcError as error:
            place = self.image.place(self._last_at)
            raise ChipError(f"at {place}: {error}") from error
        at = self.registers()[thumb.PC]
        if at != until:
            raise ChipError(f"not at {until:#x} after {limit} instructions, but at {at:#x}")
        self._charge(at)
        return self._cost

    def _step(self, machine: unicorn.Uc, address: int, size: int, data: object) -> None:
        self._charge(address)
        instruction = self._decoded.get(address)
        if instruction is None:
            code = self.read(address, 4)
            first, second = struct.unpack("<HH", code)
            self._decoded[address] = instruction = thumb.decode(first, second, address)
        self._last, self._last_at = instruction, address
        self._cost.instructions += 1
        self._cost.visited.add(address)
        if self.watch is not None:
            self.watch(self, address)

    def _charge(self, address: int) -> None:
        """Count the last instruction, after which the program is at an address."""
        last = self._last
        if last is None:
            return
        self._cost.cycles += cycles(last, address != self._last_at + last.size)
        changes = last.name in ("push", "pop") or last.rd == thumb.SP
        if changes:
            depth = self._top - self._machine.reg_read(arm_const.UC_ARM_REG_SP)
            self._cost.stack = max(self._cost.stack, depth)

    def _read_device(self, machine: unicorn.Uc, offset: int, size: int, device: Device) -> int:
        if size != 4:
            raise ChipError(f"{size} bytes of a register at {device.base + offset:#x} were read")
        return device.read(offset, self._before + self._cost.cycles)

    def _write_device(
        self, machine: unicorn.Uc, offset: int, size: int, value: int, device: Device
    ) -> None:
        if size != 4:
            raise ChipError(f"{size} bytes of a register at {device.base + offset:#x} were written")
        device.write(offset, value, self._before + self._cost.cycles)

    def _draw(self, machine: unicorn.Uc, offset: int, size: int, data: object) -> int:
        if offset != 0 or size != 4:
            raise ChipError(f"the random register is one word; {size} bytes at {offset} were read")
        self._cost.random_words += 1
        return next(self._random)

    def _refuse_write(
        self, machine: unicorn.Uc, offset: int, size: int, value: int, data: object
    ) -> None:
        raise ChipError("the random register was written")

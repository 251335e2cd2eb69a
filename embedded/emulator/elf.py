# SPDX-License-Identifier: Apache-2.0
"""A small reader of 32-bit little-endian ELF files (System V ABI)."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

_PT_LOAD, _SHT_SYMTAB, _EM_ARM = 1, 2, 40
_STT_FUNC = 2


class ImageError(ValueError):
    """A file is not an image for a Cortex-M0+, or lacks a symbol; the message says which."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A function or an object: its address (of a function, without the Thumb bit) and bytes."""

    name: str
    address: int
    size: int
    is_function: bool


@dataclass(frozen=True, slots=True)
class Segment:
    """Bytes that are loaded to an address; `size` counts the zeros that follow them, too."""

    address: int
    data: bytes
    size: int


@dataclass(frozen=True)
class Image:
    """A linked program."""

    segments: tuple[Segment, ...]
    symbols: dict[str, Symbol]

    def symbol(self, name: str) -> Symbol:
        """Return a symbol.

        Raises
        ------
        ImageError
            There is none of this name.
        """
        try:
            return self.symbols[name]
        except KeyError:
            raise ImageError(f"the image has no symbol {name}") from None

    def functions(self) -> list[Symbol]:
        """Return all functions, by address."""
        found = (symbol for symbol in self.symbols.values() if symbol.is_function)
        return sorted(found, key=lambda symbol: symbol.address)

    @cached_property
    def _places(self) -> dict[int, str]:
        """What `place` has found."""
        return {}

    def place(self, address: int) -> str:
        """Return the function that has this address, and how far in it is: `reset+0x4`."""
        if address not in self._places:
            self._places[address] = self._find(address)
        return self._places[address]

    def _find(self, address: int) -> str:
        for symbol in self.functions():
            if symbol.address <= address < symbol.address + max(symbol.size, 2):
                return f"{symbol.name}+{address - symbol.address:#x}"
        return f"{address:#x}"


def read(path: Path) -> Image:
    """Read an image.

    Raises
    ------
    ImageError
        The file is not a 32-bit little-endian ELF file for Arm.
    OSError
        It can't be read.
    """
    data = path.read_bytes()
    if len(data) < 52 or data[:6] != b"\x7fELF\x01\x01":
        raise ImageError(f"{path} is not a 32-bit little-endian ELF file")
    machine, _, _, program_at, section_at = struct.unpack_from("<HIIII", data, 18)
    if machine != _EM_ARM:
        raise ImageError(f"{path} is for machine {machine}, not for Arm ({_EM_ARM})")
    program_size, programs, section_size, sections = struct.unpack_from("<HHHH", data, 42)
    segments = []
    for i in range(programs):
        kind, offset, _, physical, stored, size = struct.unpack_from(
            "<6I", data, program_at + i * program_size
        )
        if kind == _PT_LOAD and stored:
            segments.append(Segment(physical, data[offset : offset + stored], size))
    headers = [
        struct.unpack_from("<10I", data, section_at + i * section_size) for i in range(sections)
    ]
    symbols = {}
    for header in headers:
        if header[1] == _SHT_SYMTAB:
            names = headers[header[6]][4]
            for at in range(header[4], header[4] + header[5], 16):
                symbol = _symbol(data, at, names)
                if symbol.name and symbol.name[0] != "$":
                    symbols[symbol.name] = symbol
    return Image(tuple(segments), symbols)


def _symbol(data: bytes, at: int, names: int) -> Symbol:
    name, value, size, info = struct.unpack_from("<IIIB", data, at)
    start = names + name
    text = data[start : data.index(b"\0", start)].decode()
    is_function = info & 15 == _STT_FUNC
    return Symbol(text, value & ~1 if is_function else value, size, is_function)

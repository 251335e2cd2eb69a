# SPDX-License-Identifier: Apache-2.0
"""IPv4 addresses whose network stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tallystick.errors import FormatError
from tallystick.formats.base import Outcome, Reason, status_of
from tallystick.formats.faults import DIGITS, first_outside
from tallystick.formats.numbers import CountedFormat
from tallystick.formats.operation import Operation
from tallystick.formats.strings import Strings

BITS = 32
_OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_ADDRESS = rf"\A{_OCTET}(?:\.{_OCTET}){{3}}\z"

Addresses = npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ipv4Format(CountedFormat):
    """IPv4 addresses as four decimal numbers without leading zeros; the network stays in clear.

    Attributes
    ----------
    prefix : int
        The bits at the beginning that stay, 0..31; the rest is permuted among all its values, apart
        for each network.
    """

    prefix: int = 0
    label: str = field(default="ipv4", compare=False)

    def __post_init__(self) -> None:
        """Refuse a prefix that is none."""
        if not 0 <= self.prefix < BITS:
            raise FormatError(f"ipv4: prefix (the bits that stay) must be 0..{BITS - 1}")
        self.check_domain()

    @property
    def identity(self) -> Sequence[object]:
        """The prefix."""
        return ("ipv4", self.prefix)

    @property
    def size(self) -> int:
        """The addresses of a network."""
        return int(2 ** (BITS - self.prefix))

    @property
    def examples(self) -> tuple[str, ...]:
        """An address for documentation (RFC 5737)."""
        return ("198.51.100.7",)

    def _place_of_fault(self, value: str, reason: Reason) -> int | None:
        del reason
        return first_outside(value, DIGITS + ".")

    def transform(self, values: pa.Array, operation: Operation) -> Outcome:
        """Encrypt or decrypt a column of text."""
        addresses, status = _read(values)
        hosts = (addresses & np.uint32(self.size - 1)).astype(np.uint64)
        networks = addresses - hosts.astype(np.uint32)
        if self.prefix:
            own = _behind_networks(networks, operation.row_tweaks)
            operation = replace(operation, row_tweaks=own)
        rows, small = self._permute_fitting(values, hosts, status, operation)
        hosts[~rows] = 0  # of no meaning
        written = _write(networks + hosts.astype(np.uint32)).cast(values.type)
        return Outcome(pc.if_else(pa.array(rows), written, values), status, small)


def _read(values: pa.Array) -> tuple[Addresses, npt.NDArray[np.uint8]]:
    """Read addresses; where there is none, or null, it is any."""
    Strings.of(values).ascending()
    fits = pc.match_substring_regex(values, _ADDRESS).fill_null(False)
    status = np.zeros(len(values), np.uint8)
    status[~fits.to_numpy(zero_copy_only=False)] = status_of(Reason.NOTATION)
    octets = pc.split_pattern(pc.if_else(fits, values, "0.0.0.1"), ".").flatten()
    numbers = octets.cast(pa.uint8()).to_numpy(zero_copy_only=False)
    return np.ascontiguousarray(numbers).view(">u4").astype(np.uint32), status


def _write(addresses: Addresses) -> pa.Array:
    octets = addresses.astype(">u4").view(np.uint8).reshape(-1, 4)
    parts = [_octets().take(pa.array(octets[:, place])) for place in range(4)]
    return pc.binary_join_element_wise(*parts, ".")


def _behind_networks(networks: Addresses, row_tweaks: pa.Array | None) -> pa.Array:
    """Make tweaks of the networks' bytes, and the row's own behind them."""
    width = pa.binary(BITS // 8)
    held = pa.py_buffer(networks.astype(">u4"))
    own = pa.Array.from_buffers(width, len(networks), [None, held]).cast(pa.large_binary())
    if row_tweaks is None:
        return own
    return pc.binary_join_element_wise(own, row_tweaks.cast(own.type), pa.scalar(b"", own.type))


@cache
def _octets() -> pa.Array:
    return pa.array([str(octet) for octet in range(256)])

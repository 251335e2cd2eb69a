# SPDX-License-Identifier: Apache-2.0
"""Values that are counted: integers, dates, decimals, timestamps, IPv4 addresses."""

from __future__ import annotations

import ipaddress
import re
from abc import abstractmethod
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from models.common import InvalidError, Model, Reason, Tokens
from models.numbers import read_date, write_date

_EPOCH = datetime(1970, 1, 1)
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_UNITS = {"s": "s", "m": "ms", "u": "us", "n": "ns"}


class RangeModel(Model):
    """The integers of a range, which stand for values."""

    first: int
    size: int

    def domain(self, value: str) -> int:
        """Count the range."""
        del value
        return self.size

    def move(self, number: int, tokens: Tokens) -> int:
        """Permute a number of the range."""
        tweak = b""
        wrong = set()
        try:
            tweak = tokens.whole(self.identity_text)
        except InvalidError as error:
            wrong |= error.reasons
        number -= self.first
        if not 0 <= number < self.size:
            wrong.add(Reason.RANGE)
        if wrong:
            raise InvalidError(*wrong)
        while True:
            number = tokens.number(number, self.size, tweak)
            if number < self.size:
                return number + self.first

    def step(self, kind: str) -> int:
        """Return how many of a column type's numbers one of the range is."""
        del kind
        return 1

    def run_number(self, kind: str, number: int, tokens: Tokens) -> int:
        """Replace a number of a column of a type, by its format string."""
        step = self.step(kind)
        if number % step:
            raise InvalidError(Reason.NOTATION)
        return self.move(number // step, tokens) * step

    @abstractmethod
    def read(self, value: str) -> tuple[int, str]:
        """Return the number of a text, and what stays of it."""

    @abstractmethod
    def write(self, number: int, stays: str) -> str:
        """Return the text of a number."""

    def run(self, value: str, tokens: Tokens) -> str:
        """Replace a text."""
        number, stays = self.read(value)
        return self.write(self.move(number, tokens), stays)


class IntegerModel(RangeModel):
    """Integers."""

    def __init__(self, low: int, high: int, grouping_separator: str = "") -> None:
        self.group = grouping_separator
        self.first, self.size = low, high - low + 1
        self.identity = ["integer", low, high]

    def read(self, value: str) -> tuple[int, str]:
        """Read at most 18 digits."""
        if self.group:
            value = _without_groups(value.replace(self.group, "\x01"), "\x01")
        if not re.fullmatch("0|-?[1-9][0-9]{0,17}", value):
            raise InvalidError(Reason.NOTATION)
        return int(value), ""

    def write(self, number: int, stays: str) -> str:
        """Write digits."""
        return f"{number:,}".replace(",", self.group)


def _without_groups(value: str, group: str) -> str:
    """Return a number without what is between its groups, which it must have."""
    whole, point, fraction = value.partition(".")
    pieces = whole.removeprefix("-").split(group) if group else [whole]
    right = 1 <= len(pieces[0]) <= 3 and all(len(piece) == 3 for piece in pieces[1:])
    if group and not right:
        raise InvalidError(Reason.NOTATION)
    return "-" * whole.startswith("-") * bool(group) + "".join(pieces) + point + fraction


class DecimalModel(RangeModel):
    """Decimal numbers, counted in units of their last digit."""

    def __init__(
        self,
        low: str | int,
        high: str | int,
        scale: int,
        decimal_separator: str = ".",
        grouping_separator: str = "",
    ) -> None:
        self.scale, self.point, self.group = scale, decimal_separator, grouping_separator
        self.first, last = (int(Decimal(end).scaleb(scale)) for end in (low, high))
        self.size = last - self.first + 1
        self.identity = ["decimal", self.first, last, scale]

    def read(self, value: str) -> tuple[int, str]:
        """Read a number with all its digits."""
        if self.point != ".":
            if "." in value.replace(self.group or "\0", ""):
                raise InvalidError(Reason.NOTATION)
            swapped = {".": "\x01", self.point: "."}
            value = "".join(swapped.get(one, one) for one in value)
        value = _without_groups(value, "\x01" if self.group == "." else self.group)
        point = rf"\.[0-9]{{{self.scale}}}" if self.scale else ""
        plain = value.replace(".", "").removeprefix("-")
        zero = not plain.strip("0")
        if (
            not re.fullmatch(f"-?(0|[1-9][0-9]*){point}", value)
            or (zero and value.startswith("-"))
            or len(plain.lstrip("0")) > 18
            or len(plain) > 18 + (value.removeprefix("-").startswith("0."))
        ):
            raise InvalidError(Reason.NOTATION)
        return int(value.replace(".", "")), ""

    def write(self, number: int, stays: str) -> str:
        """Write a number with all its digits."""
        plain = f"{Decimal(number).scaleb(-self.scale):,.{self.scale}f}"
        return plain.translate({ord(","): self.group, ord("."): self.point})


class DateModel(RangeModel):
    """Days, counted since 1970."""

    def __init__(
        self, first: str = "1900-01-01", last: str = "2099-12-31", notation: str = "YYYY-MM-DD"
    ) -> None:
        self.notation = notation
        self.first = _days(date.fromisoformat(first))
        self.size = _days(date.fromisoformat(last)) - self.first + 1
        self.identity = ["date", first, last]

    def read(self, value: str) -> tuple[int, str]:
        """Read a day in the notation."""
        try:
            return _days(read_date(self.notation, value)), ""
        except ValueError:
            # Impossible days are no dates, or out of the range.
            raise InvalidError(Reason.NOTATION, Reason.RANGE) from None

    def write(self, number: int, stays: str) -> str:
        """Write a day in the notation."""
        return write_date(self.notation, date(1970, 1, 1) + timedelta(number))

    def step(self, kind: str) -> int:
        """Dates of 64 bits are milliseconds."""
        return 86_400_000 if kind == "tdm" else 1


def _days(day: date) -> int:
    return (day - date(1970, 1, 1)).days


class TimestampModel(RangeModel):
    """Points in time, counted in units of the resolution since 1970."""

    def __init__(
        self,
        first: str = "1970-01-01T00:00:00",
        last: str = "2069-12-31T23:59:59",
        resolution: str = "s",
    ) -> None:
        self.resolution = resolution
        self.unit = _PER_SECOND[resolution]
        ends = []
        for text in (first, last):
            end = datetime.fromisoformat(text)
            if end.tzinfo is not None:
                end = end.astimezone(UTC).replace(tzinfo=None)
            ends.append(self._count(end))
        self.first, self.size = ends[0], ends[1] - ends[0] + 1
        self.identity = ["timestamp", *ends, resolution]

    def _count(self, moment: datetime) -> int:
        return (moment - _EPOCH) // timedelta(microseconds=1) * self.unit // 10**6

    def read(self, value: str) -> tuple[int, str]:
        """Read a time; what stays is the character between its parts, and what follows."""
        digits = {"s": 0, "ms": 3, "us": 6}[self.resolution]
        fraction = rf"\.[0-9]{{{digits}}}" if digits else ""
        found = re.fullmatch(
            r"([0-9]{4}-[0-9]{2}-[0-9]{2})([T ])([0-9]{2}:[0-9]{2}:[0-9]{2}" + fraction + ")"
            r"(Z|[+-](?:0[0-9]|1[0-4])(?::?[0-5][0-9])?)?",
            value,
        )
        if found is None:
            raise InvalidError(Reason.NOTATION)
        try:
            moment = datetime.fromisoformat(f"{found[1]}T{found[3]}")
        except ValueError:
            raise InvalidError(Reason.NOTATION, Reason.RANGE) from None
        return self._count(moment), found[2] + (found[4] or "")

    def write(self, number: int, stays: str) -> str:
        """Write a time, and what stays."""
        seconds, rest = divmod(number, self.unit)
        moment = _EPOCH + timedelta(seconds=seconds, microseconds=rest * 10**6 // self.unit)
        spec = {"s": "seconds", "ms": "milliseconds", "us": "microseconds"}[self.resolution]
        return moment.isoformat(sep=stays[0], timespec=spec) + stays[1:]

    def step(self, kind: str) -> int:
        """Columns may be finer than the resolution."""
        return _PER_SECOND[_UNITS[kind[2]]] // self.unit


class Ipv4Model(Model):
    """IPv4 addresses: the last bits are a number."""

    def __init__(self, prefix: int = 0) -> None:
        self.prefix = prefix
        self.size = 2 ** (32 - prefix)
        self.identity = ["ipv4", prefix]

    def domain(self, value: str) -> int:
        """Count the addresses of the network."""
        del value
        return int(self.size)

    def run(self, value: str, tokens: Tokens) -> str:
        """Replace what follows the network."""
        try:
            address = int(ipaddress.IPv4Address(value))
        except ValueError:
            raise InvalidError(Reason.NOTATION) from None
        network, number = address // self.size * self.size, address % self.size
        tweak = tokens.whole(
            self.identity_text, fixed=network.to_bytes(4, "big") if self.prefix else b""
        )
        while True:
            number = tokens.number(number, self.size, tweak)
            if number < self.size:
                return str(ipaddress.IPv4Address(network + number))

# SPDX-License-Identifier: Apache-2.0
"""What `tally` of frames and series does, whatever their library."""

from typing import Any, Generic, TypeVar

from tallystick.errors import ParameterError
from tallystick.frames.by import By, Column
from tallystick.protector import Protector

Series = TypeVar("Series")
Frame = TypeVar("Frame")


class SeriesAccessor(Generic[Series]):
    """``series.tally``."""

    def __init__(self, series: Series) -> None:
        self._series = series

    def protect(
        self,
        by: By,
        *,
        column: str | None = None,
        tweaks: Series | None = None,
        key: bytes | bytearray | None = None,
        namespace: str | None = None,
    ) -> Series:
        """Replace values with tokens.

        Parameters
        ----------
        by : Protector, Tokenizer, Format or str
            A protector, a tokenizer, or a format (or its name) with `key` and `namespace`.
        column : str, optional
            The column of the policy. By default the series' name.
        tweaks : series, optional
            One tweak per row: equal values with different tweaks have unrelated tokens.
        key, namespace
            As for `tallystick.Tokenizer`.

        Returns
        -------
        series
            The tokens, with the name and type of the values.

        Raises
        ------
        InvalidValueError, PolicyError, ParameterError
            As for `Protector.protect_column` and `Tokenizer.protect`. Rows count by position, from
            0.
        """
        return self._replaced(by, column, tweaks, key, namespace, decrypt=False)

    def reveal(
        self,
        by: By,
        *,
        column: str | None = None,
        tweaks: Series | None = None,
        key: bytes | bytearray | None = None,
        namespace: str | None = None,
    ) -> Series:
        """Return the values of tokens: the inverse of `protect`, with its parameters and errors.

        Raises
        ------
        TallyError
            The protector or tokenizer can only protect.
        """
        return self._replaced(by, column, tweaks, key, namespace, decrypt=True)

    def _replaced(
        self,
        by: By,
        column: str | None,
        tweaks: Series | None,
        key: bytes | bytearray | None,
        namespace: str | None,
        *,
        decrypt: bool,
    ) -> Series:
        if not isinstance(column, str | None):
            raise ParameterError(
                f"column must be the name of a column of the policy, not {type(column).__name__}"
            )
        named = getattr(self._series, "name", None)
        name = named if column is None and isinstance(named, str) else column
        found = Column.of(by, name=name, key=key, namespace=namespace)
        made: Series = found.apply(self._series, tweaks, decrypt=decrypt)
        return made


class FrameAccessor(Generic[Frame]):
    """``frame.tally``."""

    def __init__(self, frame: Frame) -> None:
        self._frame: Any = frame

    def protect(self, protector: Protector) -> Frame:
        """Replace the values of the policy's columns with tokens; see `Protector.protect`.

        Parameters
        ----------
        protector : Protector
            The policy with its keys.

        Returns
        -------
        frame
            A frame with the same columns and types. A lazy one works when the query runs, but the
            names of its columns are checked at once.
        """
        made: Frame = _checked(protector).protect(self._frame)
        return made

    def reveal(self, protector: Protector) -> Frame:
        """Return the values of tokens: the inverse of `protect`; see `Protector.reveal`."""
        made: Frame = _checked(protector).reveal(self._frame)
        return made


def _checked(protector: object) -> Protector:
    """Return the argument if it is a protector.

    Raises `ParameterError`: it is something else.
    """
    if isinstance(protector, Protector):
        return protector
    raise ParameterError(
        f"a frame needs a Protector, which knows its columns, not {type(protector).__name__}; a "
        "Tokenizer or a format protects one column: frame['name'].tally.protect(...)"
    )

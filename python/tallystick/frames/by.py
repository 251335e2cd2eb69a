# SPDX-License-Identifier: Apache-2.0
"""What protects a column: a policy, a tokenizer, or the name of a format with a key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tallystick.adapters import adapter_of
from tallystick.errors import FormatError, ParameterError
from tallystick.formats import PRESETS, Format
from tallystick.protector import Protector
from tallystick.tokenizer import Tokenizer

By = Protector | Tokenizer | Format | str


@dataclass(frozen=True, slots=True)
class Column:
    """One column's way to tokens and back."""

    by: Protector | Tokenizer
    """What holds the key."""
    name: str | None = None
    """The column of the policy, if it is one."""

    @classmethod
    def of(
        cls,
        by: By,
        *,
        name: str | None,
        key: bytes | bytearray | None = None,
        namespace: str | None = None,
    ) -> Column:
        """Read what was given; `key` and `namespace` go with a format or the name of one.

        Raises
        ------
        ParameterError
            Something is missing or too much, or no format has the name.
        """
        if isinstance(by, Protector | Tokenizer):
            if key is not None or namespace is not None:
                raise ParameterError(
                    "key and namespace belong to a format; a protector or tokenizer has its own"
                )
            if isinstance(by, Tokenizer):
                return cls(by)
            if name is None:
                raise ParameterError("pass the column of the policy: column=...")
            by.tokenizer(name)  # or the error that there is none
            return cls(by, name)
        return cls(tokenizer_of(by, key, namespace))

    def apply(
        self,
        values: Any,  # noqa: ANN401
        tweaks: Any,  # noqa: ANN401
        threads: int | None = None,
        *,
        decrypt: bool,
    ) -> Any:  # noqa: ANN401
        """Protect or reveal a column; errors are those of `Protector` or `Tokenizer`."""
        adapter = None if tweaks is None else adapter_of(values)
        if adapter is not None and adapter.takes(tweaks) != "series":
            raise ParameterError(
                "tweaks must be a series of the values' library, with a tweak for each row, not "
                f"{type(tweaks).__name__}"
            )
        if isinstance(self.by, Protector):
            act = self.by.reveal_column if decrypt else self.by.protect_column
            return act(self.name or "", values, tweaks, threads)
        one = self.by.reveal if decrypt else self.by.protect
        return one(values, tweaks, threads=threads)


def tokenizer_of(
    form: Format | str,
    key: bytes | bytearray | None,
    namespace: str | None,
    *,
    reveal: bool = True,
) -> Tokenizer:
    """Make the tokenizer of a format, or of the name of one that needs no options.

    Raises
    ------
    ParameterError
        Key or namespace is missing, or no such format has the name.
    """
    if isinstance(form, str):
        form = preset(form)
    if not isinstance(form, Format):
        raise ParameterError(
            f"pass a Protector, a Tokenizer, a format or the name of one, not {type(form).__name__}"
        )
    if not form.keyed:
        return Tokenizer(form, None, namespace="", reveal=reveal)
    if key is None or namespace is None:
        raise ParameterError("a format needs key=... and namespace=... to make tokens")
    return Tokenizer(form, key, namespace=namespace, reveal=reveal)


def preset(name: str) -> Format:
    """Return the preset of a name, without options.

    Raises
    ------
    ParameterError
        There is none, or it can't be without options.
    """
    try:
        return PRESETS[name]()
    except KeyError:
        raise ParameterError(
            f"there is no format {name!r}; there are: {', '.join(PRESETS)}"
        ) from None
    except (TypeError, FormatError):
        raise ParameterError(
            f"format {name!r} needs options; pass tallystick.formats.{name}(...) instead"
        ) from None

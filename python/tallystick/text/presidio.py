# SPDX-License-Identifier: Apache-2.0
"""Operators for Presidio: its recognizers find values, and a text policy protects them.

Needs the package presidio-anonymizer (the extra ``presidio``). Register the classes with
``AnonymizerEngine.add_anonymizer`` and ``DeanonymizeEngine.add_deanonymizer``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from presidio_anonymizer.entities import InvalidParamError
from presidio_anonymizer.operators import Operator, OperatorType

from tallystick.errors import TallyError

from .protector import TextProtector


class TallystickProtect(Operator):
    """The operator ``tallystick_protect``: a value becomes its token, and such a token stays.

    Parameters of its ``OperatorConfig``: ``protector``, an open `TextProtector`; and ``kind``, the
    kind of the text policy, by default Presidio's type of entity in lower case.
    """

    def operate(self, text: str, params: Mapping[str, Any] | None = None) -> str:
        """Return the token of a value. Raises as `TextProtector.protect`."""
        given = params or {}
        kind = given.get("kind") or str(given.get("entity_type", "")).lower()
        return _protector(given).protect(text, [(0, len(text), kind)])

    def validate(self, params: Mapping[str, Any] | None = None) -> None:
        """Check the parameters. Raises presidio's `InvalidParamError`."""
        _protector(params or {})

    def operator_name(self) -> str:
        """Return the name in an ``OperatorConfig``."""
        return "tallystick_protect"

    def operator_type(self) -> OperatorType:
        """Return that it anonymizes."""
        return OperatorType.Anonymize


class TallystickReveal(Operator):
    """The operator ``tallystick_reveal``: a token becomes its value.

    Its parameter is ``protector``, an open `TextProtector`. Presidio has to say where tokens are.
    `TextProtector.reveal` finds them by itself, as in the answer of a model.
    """

    def operate(self, text: str, params: Mapping[str, Any] | None = None) -> str:
        """Return the value of a token. Raises `TallyError`: the text has no token of these keys."""
        restorer = _protector(params or {}).restorer()
        value = restorer.finish(text)
        if not restorer.restored:
            raise TallyError("tallystick_reveal: the text has no token of the policy's keys")
        return value

    def validate(self, params: Mapping[str, Any] | None = None) -> None:
        """Check the parameters. Raises presidio's `InvalidParamError`."""
        _protector(params or {})

    def operator_name(self) -> str:
        """Return the name in an ``OperatorConfig``."""
        return "tallystick_reveal"

    def operator_type(self) -> OperatorType:
        """Return that it takes tokens back."""
        return OperatorType.Deanonymize


def _protector(params: Mapping[str, Any]) -> TextProtector:
    protector = params.get("protector")
    if not isinstance(protector, TextProtector):
        raise InvalidParamError("pass protector, an open tallystick.text.TextProtector")
    return protector

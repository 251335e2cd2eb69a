# SPDX-License-Identifier: Apache-2.0
"""Operators in Presidio's own engines."""

from __future__ import annotations

import pytest
from presidio_anonymizer import AnonymizerEngine, DeanonymizeEngine
from presidio_anonymizer.entities import (
    InvalidParamError,
    OperatorConfig,
    OperatorResult,
    RecognizerResult,
)

from tallystick import PolicyError, TallyError
from tallystick.text import TextProtector
from tallystick.text.presidio import TallystickProtect, TallystickReveal
from text_support import Make

GIVEN = "Jane Doe pays by 4111 1111 1111 1111, says Jane Doe"
FOUND = [
    RecognizerResult("PERSON", 0, 8, 0.9),
    RecognizerResult("CREDIT_CARD", 17, 36, 1.0),
    RecognizerResult("PERSON", 43, 51, 0.9),
]


def protect(text: TextProtector, **kinds: str | None) -> tuple[str, list[OperatorResult]]:
    engine = AnonymizerEngine()  # type: ignore[no-untyped-call]
    engine.add_anonymizer(TallystickProtect)
    operators = {
        entity: OperatorConfig("tallystick_protect", {"protector": text, "kind": kind})
        for entity, kind in kinds.items()
    }
    made = engine.anonymize(GIVEN, FOUND, operators)
    return str(made.text), list(made.items)


def test_there_and_back(make: Make) -> None:
    text = make()
    made, items = protect(text, PERSON="name", CREDIT_CARD="card")
    person = text.token("Jane Doe", "name")
    assert made == (f"{person} pays by {text.token('4111 1111 1111 1111', 'card')}, says {person}")
    assert text.reveal(made) == GIVEN
    engine = DeanonymizeEngine()  # type: ignore[no-untyped-call]
    engine.add_deanonymizer(TallystickReveal)
    reveals = {"DEFAULT": OperatorConfig("tallystick_reveal", {"protector": text})}
    assert engine.deanonymize(made, items, reveals).text == GIVEN


def test_a_token_that_presidio_takes_for_a_value_stays(make: Make) -> None:
    text = make("email")
    token = text.token("jane@example.org", "email")
    engine = AnonymizerEngine()  # type: ignore[no-untyped-call]
    engine.add_anonymizer(TallystickProtect)
    found = [RecognizerResult("EMAIL", 0, len(token), 1.0)]
    by = {"EMAIL": OperatorConfig("tallystick_protect", {"protector": text})}
    assert engine.anonymize(token, found, by).text == token


def test_the_kind_is_that_of_the_entity_unless_one_is_given(make: Make) -> None:
    with pytest.raises(PolicyError, match="a kind that the text policy does not name"):
        protect(make(), PERSON=None, CREDIT_CARD="card")
    found = [RecognizerResult("NAME", 0, 8, 0.9)]
    text = make()
    engine = AnonymizerEngine()  # type: ignore[no-untyped-call]
    engine.add_anonymizer(TallystickProtect)
    by = {"NAME": OperatorConfig("tallystick_protect", {"protector": text})}
    assert engine.anonymize("Jane Doe", found, by).text == text.token("Jane Doe", "name")


def test_what_is_no_token_is_an_error(make: Make) -> None:
    engine = DeanonymizeEngine()  # type: ignore[no-untyped-call]
    engine.add_deanonymizer(TallystickReveal)
    part = [OperatorResult(0, 8, "PERSON", "Jane Doe", "tallystick_protect")]
    by = {"PERSON": OperatorConfig("tallystick_reveal", {"protector": make()})}
    with pytest.raises(TallyError, match="has no token of the policy's keys"):
        engine.deanonymize("Jane Doe", part, by)


@pytest.mark.parametrize("operator", [TallystickProtect, TallystickReveal])
def test_a_protector_is_needed(
    operator: type[TallystickProtect] | type[TallystickReveal], make: Make
) -> None:
    for params in (None, {}, {"protector": "people.keys"}):
        with pytest.raises(InvalidParamError, match="pass protector"):
            operator().validate(params)
    operator().validate({"protector": make()})

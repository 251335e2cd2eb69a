# SPDX-License-Identifier: Apache-2.0
"""Names that Presidio's analyzer and spaCy find, protected and revealed.

No model of spaCy is in a package registry: a blank pipeline with an `EntityRuler` stands for one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import spacy
from presidio_analyzer import AnalyzerEngine
from presidio_analyzer.nlp_engine import SpacyNlpEngine
from presidio_anonymizer import AnonymizerEngine
from presidio_anonymizer.entities import OperatorConfig

from tallystick.keyring import Keyring, RootKey
from tallystick.text import TextPolicy, TextProtector
from tallystick.text.presidio import TallystickProtect

POLICY = """
[kinds.name]
key = "people:1"
namespace = "name"

[kinds.email]
key = "people:1"
namespace = "e-mail"

[kinds.card]
key = "people:1"
namespace = "card"
"""
KINDS = {"PERSON": "name", "EMAIL_ADDRESS": "email", "CREDIT_CARD": "card"}
GIVEN = "Zoë Grant <zoe.grant@example.com> pays by 4111 1111 1111 1111, says Zoë Grant."


@pytest.fixture
def nlp() -> Any:  # noqa: ANN401
    made = spacy.blank("en")
    made.add_pipe("entity_ruler").add_patterns([{"label": "PERSON", "pattern": "Zoë Grant"}])
    return made


@pytest.fixture
def ring(tmp_path: Path) -> Keyring:
    root = tmp_path / "root.key"
    root.write_text("6b" * 32)
    root.chmod(0o600)
    made = Keyring.create(tmp_path / "text.keys", RootKey.parse(f"file:{root}"))
    made.add("people")
    return made


def test_presidio(nlp: Any, ring: Keyring) -> None:  # noqa: ANN401
    class Loaded(SpacyNlpEngine):  # type: ignore[misc]  # is not typed where it is not installed
        """An engine of Presidio with a pipeline that is there."""

        def __init__(self) -> None:
            super().__init__()
            self.nlp = {"en": nlp}

    found = AnalyzerEngine(nlp_engine=Loaded()).analyze(GIVEN, "en", entities=list(KINDS))
    text = TextProtector(TextPolicy.parse(POLICY), ring)
    engine = AnonymizerEngine()  # type: ignore[no-untyped-call]
    engine.add_anonymizer(TallystickProtect)
    operators = {
        entity: OperatorConfig("tallystick_protect", {"protector": text, "kind": kind})
        for entity, kind in KINDS.items()
    }
    made = engine.anonymize(GIVEN, found, operators).text
    name, email, card = (
        text.token(value, kind)
        for value, kind in (
            ("Zoë Grant", "name"),
            ("zoe.grant@example.com", "email"),
            ("4111 1111 1111 1111", "card"),
        )
    )
    assert made == f"{name} <{email}> pays by {card}, says {name}."
    assert text.reveal(made) == GIVEN


def test_spacy(nlp: Any, ring: Keyring) -> None:  # noqa: ANN401
    def find(given: str) -> list[tuple[int, int, str]]:
        return [(one.start_char, one.end_char, KINDS[one.label_]) for one in nlp(given).ents]

    text = TextProtector(TextPolicy.parse(POLICY), ring, find=find)
    made = text.protect(GIVEN)
    assert made == GIVEN.replace("Zoë Grant", text.token("Zoë Grant", "name"))
    assert text.reveal(made) == GIVEN

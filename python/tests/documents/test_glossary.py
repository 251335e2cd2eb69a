# SPDX-License-Identifier: Apache-2.0
"""The glossary is in order, and leads from the words that people search for to a term."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

GLOSSARY = (Path(__file__).parents[3] / "docs" / "glossary.md").read_text("utf-8")
TERMS = [term for term in re.findall(r"^## (.*)$", GLOSSARY, re.MULTILINE) if term != "Next"]


def entry(term: str) -> str:
    """Return the text of a term, with all blanks as one."""
    match = re.search(rf"^## {re.escape(term)}\n(.*?)(?=^## )", GLOSSARY, re.MULTILINE | re.DOTALL)
    assert match is not None
    return " ".join(match[1].split())


def test_terms_are_in_alphabetical_order() -> None:
    assert sorted(TERMS, key=str.casefold) == TERMS
    assert len(TERMS) == len(set(TERMS))


@pytest.mark.parametrize(
    ("words", "term"),
    [
        ("anonymize", "Anonymisation"), ("mask a column", "Mask"),
        ("pseudonymise", "Pseudonymisation"), ("tokenize card numbers", "Tokenization"),
        ("detokenize", "Reveal"), ("decrypt", "Reveal"), ("encrypt", "Protect"),
        ("redact", "Mask"), ("re-identify", "Reveal"), ("FPE", "Format-preserving encryption"),
        ("Shamir", "Secret sharing"), ("M of N", "Threshold"), ("master key", "Root key"),
        ("envelope encryption", "Wrapping"), ("ciphertext", "Token"), ("HSM", "KMS"),
    ],
)  # fmt: skip
def test_what_people_search_for_is_a_synonym(words: str, term: str) -> None:
    assert words in entry(term)


def test_domain_leads_to_namespace() -> None:
    assert "[namespace](#namespace)" in entry("Domain")

# SPDX-License-Identifier: Apache-2.0
"""The tables of cycles that `make bench` puts into the reference."""

from pathlib import Path

import pytest
from bench import cortex_m0
from embedded.emulator import images

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_tables_of_the_emulator_are_put_into_the_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(images, "has_compiler", lambda variant: variant == images.ZIG)
    text, missing = cortex_m0.tables()
    assert [sentence.partition(")")[0] for sentence in missing] == [
        f"Masked AES on a Cortex-M0+ ({title}"
        for title in ("gcc, masks from a register", "gcc, masks by callback", "gcc, portable C")
    ]
    page = tmp_path / "masked-aes.md"
    page.write_text((ROOT / "docs" / "reference" / "masked-aes.md").read_text())
    cortex_m0.put_in(page, text)
    assert "| cycles, AES-128 | clang, masks by callback |\n" in page.read_text()
    assert text in page.read_text()

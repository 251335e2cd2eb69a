# SPDX-License-Identifier: Apache-2.0
"""Values of formats with layouts, and their tokens by the plain models."""

from __future__ import annotations

import random

from models import model_of
from models.common import Tokens
from models.layouts import Layout, LayoutsModel
from tallystick.formats import Format


def model(form: Format) -> LayoutsModel:
    """Return the model of a format."""
    found = model_of({"type": form.label, **form.options})
    assert isinstance(found, LayoutsModel)
    return found


def layout_for(form: Format, value: str) -> Layout:
    """Return the one layout of a value."""
    (found,) = [layout for layout in model(form).layouts if layout.read(value) is not None]
    return found


def token(form: Format, key: bytes, namespace: str, value: str, own: bytes | None = None) -> str:
    """Return the token of a value that fits."""
    return model(form).run(value, Tokens(key, namespace, own, reveal=False))


def drawn(form: Format, count: int, seed: int = 1) -> list[str]:
    """Return values of a format, of all its layouts in turn."""
    rng = random.Random(seed)  # noqa: S311
    made, found = model(form), list[str]()
    while len(found) < count:
        layout = made.layouts[len(found) % len(made.layouts)]
        digits = [rng.randrange(len(field.choices)) for field in layout.fields]
        checks = made.checks(layout, digits)
        if checks is not None and not made.excludes(layout, digits):
            found.append(layout.write(digits, checks))
    return found

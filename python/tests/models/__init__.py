# SPDX-License-Identifier: Apache-2.0
"""A second opinion: formats and tokens in plain Python, from docs/reference/tokens.md.

One value at a time, in big integers and slow. Of the package they use `FastCipher`, which has tests
of its own; scripts' letters are read from the documentation. ``test_models.py`` runs all vectors.
"""

from __future__ import annotations

from typing import Any

from models.common import Model
from models.layouts import IbanModel, NationalModel, PatternModel
from models.one_way import MaskModel, PseudonymModel
from models.plans import PhoneModel, SsnModel
from models.ranges import DateModel, DecimalModel, IntegerModel, Ipv4Model, TimestampModel
from models.scripts import JapaneseModel, ScriptModel
from models.text import Ipv6Model, text_model


def model_of(described: str | dict[str, Any]) -> Model:
    """Make the model of a description."""
    options = {} if isinstance(described, str) else dict(described)
    name = described if isinstance(described, str) else options.pop("type")
    makers: dict[str, Any] = {
        "date": DateModel,
        "timestamp": TimestampModel,
        "ipv4": Ipv4Model,
        "ipv6": Ipv6Model,
        "pattern": PatternModel,
        "iban": IbanModel,
        "national_id": NationalModel,
        "unicode": ScriptModel,
        "mask": MaskModel,
        "pseudonym": PseudonymModel,
    }
    if name in ("integer", "decimal"):
        options.pop("allow_tiny_domain", None)
        ends = options.pop("min"), options.pop("max")
        made = IntegerModel if name == "integer" else DecimalModel
        return made(*ends, **options)
    if options.get("script") == "japanese":
        del options["script"]
        return JapaneseModel(**options)
    if name in makers:
        options.pop("allow_tiny_domain", None)
        model: Model = makers[name](**options)
        return model
    if "country" in options:
        return PhoneModel(**options)
    if "assignable" in options:
        return SsnModel(**options)
    return text_model(name, options)

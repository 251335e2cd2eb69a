# SPDX-License-Identifier: Apache-2.0
"""Formats: which values are valid, and which tokens they get.

The functions have the names that a policy uses, and its options. ``docs/reference/formats`` has a
page for each.
"""

from collections.abc import Mapping
from typing import Any

from tallystick.errors import FormatError
from tallystick.formats.format import LARGEST_DOMAIN as LARGEST_DOMAIN
from tallystick.formats.format import SMALL_DOMAIN as SMALL_DOMAIN
from tallystick.formats.format import SMALLEST_DOMAIN as SMALLEST_DOMAIN
from tallystick.formats.format import Format as Format
from tallystick.formats.format import Reason as Reason
from tallystick.formats.presets import *  # noqa: F403


def of_description(described: str | Mapping[str, Any]) -> Format:
    """Make the format that a policy describes: a name, or a table with ``type`` and options.

    Raises
    ------
    FormatError
        There is no such format, or it can't have these options.
    """
    options = {} if isinstance(described, str) else dict(described)
    name = described if isinstance(described, str) else options.pop("type", None)
    if not isinstance(name, str):
        raise FormatError("a table of options needs a 'type': the name of the format")
    return Format(name, options)

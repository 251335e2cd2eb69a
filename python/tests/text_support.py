# SPDX-License-Identifier: Apache-2.0
"""A policy for text with three kinds, and what makes protectors by it."""

from collections.abc import Callable

from tallystick.text import TextProtector

Make = Callable[..., TextProtector]
"""Given a frame and options, it makes a protector."""

POLICY = r"""
frame = "FRAME"

[kinds.email]
key = "people:1"
namespace = "e-mail"
patterns = ['[\w.+-]+@[\w-]+(?:\.[\w-]+)+', 'mailto:(?P<value>\S+)']

[kinds.name]
key = "people:1"
namespace = "name"
words = ["Jane Doe", "Jane"]
ignore_case = true

[kinds.card]
key = "cards:1"
namespace = "card"
patterns = ['\d{4}(?:[ -]?\d{4}){3}']
"""

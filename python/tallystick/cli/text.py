# SPDX-License-Identifier: Apache-2.0
"""``tallystick text``: work on text, which has no columns."""

from tallystick.cli.options import group
from tallystick.cli.text_filter import protect, reveal
from tallystick.cli.text_scan import scan

app = group("Protect, reveal and find values in text: prompts, logs, documents.")
app.command()(protect)
app.command()(reveal)
app.command()(scan)

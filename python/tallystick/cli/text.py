# SPDX-License-Identifier: Apache-2.0
"""``tallystick text``: look at text, with no columns."""

from tallystick.cli.options import group
from tallystick.cli.text_scan import scan

app = group("Find sensitive values in text: logs, documents, prompts.")
app.callback()(lambda: None)  # a group, also of one command
app.command()(scan)

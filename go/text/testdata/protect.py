# SPDX-License-Identifier: Apache-2.0
"""Protects texts for the test that compares Go with Python.

Arguments: text policy, key ring, root key's source. Standard input and output are lists in JSON.
"""

import json
import sys

from tallystick.text import TextProtector

with TextProtector.open(sys.argv[1], sys.argv[2], sys.argv[3]) as protector:
    json.dump([protector.protect(text) for text in json.load(sys.stdin)], sys.stdout)

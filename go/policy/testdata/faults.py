# SPDX-License-Identifier: Apache-2.0
"""Says why values are invalid, for the test that compares Go's messages with Python's.

The argument is a policy. Standard input is JSON, {column: [value]}; so is the output,
{column: [message or null]}.
"""

import json
import sys

from tallystick import Tokenizer
from tallystick.errors import InvalidValueError
from tallystick.policy import Policy

given, said = json.load(sys.stdin), {}
for rule in Policy.load(sys.argv[1]).rules:
    tokens = Tokenizer(rule.form, bytes(32), namespace=rule.namespace)
    messages = said[rule.column] = []
    for value in given[rule.column]:
        try:
            tokens.protect(value)
            messages.append(None)
        except InvalidValueError as error:
            messages.append(error.why)
json.dump(said, sys.stdout)

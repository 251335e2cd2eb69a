# SPDX-License-Identifier: Apache-2.0
"""The command line, where `tallystick` is not on the path: ``python -m tallystick``."""

from tallystick.cli import main

if __name__ == "__main__":
    main()

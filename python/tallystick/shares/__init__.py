# SPDX-License-Identifier: Apache-2.0
"""Split secrets and large files among people: any `threshold` shares recover them.

`split` and `combine` are for secrets of up to 16 KiB, `disperse` and `recover` for files of any
size. Shares are authentic: a share that is damaged, altered or of another set is detected, and
recovery continues with the others. ``docs/reference/share-format.md`` has the format to the byte,
and the limits of protection.
"""

from tallystick.shares.authentic import (
    MAX_LABEL,
    MAX_SECRET,
    MAX_SHARES,
    Combined,
    Share,
    Verdict,
    check,
    combine,
    read,
    split,
)
from tallystick.shares.dispersal import Progress, Recovered, disperse, recover, verify

__all__ = [
    "MAX_LABEL",
    "MAX_SECRET",
    "MAX_SHARES",
    "Combined",
    "Progress",
    "Recovered",
    "Share",
    "Verdict",
    "check",
    "combine",
    "disperse",
    "read",
    "recover",
    "split",
    "verify",
]

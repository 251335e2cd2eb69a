# SPDX-License-Identifier: Apache-2.0
"""What the help of each command ends with: command lines that run as they are."""

_RING = "-k people.keys -r file:root.key"
_KEYS = f"-p people.toml {_RING}"

_EXAMPLES = {
    "": (
        "tallystick keyring new people.keys --root file:root.key",
        "tallystick keyring add people.keys data --root file:root.key",
        "tallystick inspect people.csv --write-policy people.toml",
        f"tallystick protect people.csv tokens.csv \\\n    {_KEYS}",
    ),
    "keyring": ("tallystick keyring new people.keys --root file:root.key",),
    "keyring new": (
        "tallystick keyring new people.keys --root file:root.key",
        "tallystick keyring new cards.keys --root env:ROOT_KEY",
    ),
    "keyring add": (
        "tallystick keyring add people.keys data --root file:root.key",
        "tallystick keyring add people.keys cards --bits 128 --root file:root.key",
    ),
    "keyring list": (
        "tallystick keyring list people.keys --root file:root.key",
        "tallystick keyring list people.keys --root file:root.key --json",
    ),
    "inspect": (
        "tallystick inspect people.csv",
        "tallystick inspect people.csv --write-policy draft.toml --key data:1",
    ),
    "check": (
        "tallystick check people.csv -p people.toml",
        f"tallystick check people.csv {_KEYS}",
    ),
    "preview": (
        f"tallystick preview people.csv --rows 3 \\\n    {_KEYS}",
        "export TALLYSTICK_POLICY=people.toml TALLYSTICK_KEYRING=people.keys",
        "export TALLYSTICK_ROOT=file:root.key",
        "tallystick preview people.csv",
    ),
    "protect": (
        f"tallystick protect people.csv tokens.csv \\\n    {_KEYS}",
        f"tallystick protect people.csv again.csv --report run.html \\\n    {_KEYS}",
    ),
    "reveal": (f"tallystick reveal tokens.csv back.csv \\\n    {_KEYS}",),
    "keyring wrap": (
        "tallystick keyring wrap people.keys --root file:root.key \\\n"
        "    --by file:root.key --to-protect \\\n"
        "    age:age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p",
    ),
    "keyring rights": (
        "tallystick keyring rights people.keys data:1 --root file:root.key \\\n"
        "    --may protect --may reveal",
    ),
    "keyring anchor": ("tallystick keyring anchor people.keys people.anchor --root file:root.key",),
    "keyring signers": ("tallystick keyring signers people.keys --root file:root.key --none",),
    "policy": ("tallystick policy key reviewer.key",),
    "policy key": ("tallystick policy key signing.key",),
    "policy sign": ("tallystick policy sign people.toml --key file:signing.key",),
    "policy verify": ("tallystick policy verify people.toml --signer file:signing.key.pub",),
    "reveals": (
        f"tallystick reveal tokens.csv logged.csv --reveal-log reveals.log \\\n    {_KEYS}",
        "tallystick reveals verify reveals.log",
    ),
    "reveals verify": ("tallystick reveals verify reveals.log --anchor reveals.anchor",),
    "keyring rotate": ("tallystick keyring rotate people.keys data --root file:root.key",),
    "rotate": (
        "tallystick rotate tokens.csv new.csv --key data:1=data:2 \\\n"
        f"    --write-policy people-2.toml \\\n    {_KEYS}",
    ),
    "formats": ("tallystick formats",),
    "text": (
        f"tallystick text protect prompt.txt -p text.toml \\\n    {_RING}",
        "tallystick text scan people.csv --kind key --kind jwt",
    ),
    "text protect": (
        f"tallystick text protect prompt.txt -p text.toml \\\n    {_RING}",
        f"tallystick text protect people.csv --lines -p text.toml \\\n    {_RING}",
    ),
    "text reveal": (f"tallystick text reveal answer.txt -p text.toml \\\n    {_RING}",),
    "text scan": (
        "tallystick text scan people.csv --kind key --kind jwt",
        "tallystick text scan secret.txt --pattern invoices=INV-[0-9]{6} --json",
    ),
    "keyring split": (
        "tallystick keyring split people.keys --root file:root.key --threshold 2 \\\n"
        "    --holder Ann --holder Bob --holder Cid --into held",
        "tallystick keyring list people.keys --root shares:held",
    ),
    "keyring reshare": (
        "tallystick keyring reshare people.keys --root shares:held --threshold 2 \\\n"
        "    --holder Ann --holder Bob --holder Dan --into held-anew",
    ),
    "share": ("tallystick share split secret.txt --shares 3 --threshold 2",),
    "share split": (
        "tallystick share split secret.txt --shares 3 --threshold 2",
        "tallystick share split people.csv --shares 5 --threshold 3 --label people",
    ),
    "share info": ("tallystick share info secret.txt-1-of-3.txt",),
    "share verify": ("tallystick share verify secret.txt-1-of-3.txt secret.txt-3-of-3.txt",),
    "share combine": (
        "tallystick share combine secret.txt-1-of-3.txt secret.txt-3-of-3.txt \\\n"
        "    --to back.txt",
    ),
}
"""For each command its examples, in an order in which they can be run one after another."""


def examples(command: str) -> str:
    """Return what the help of a command ends with; nothing if there is no such command."""
    lines = _EXAMPLES.get(command, ())
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines) if lines else ""

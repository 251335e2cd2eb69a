# SPDX-License-Identifier: Apache-2.0
"""What docs/reference/command-line.md says beyond the help of the commands."""

from __future__ import annotations

COMMON = """
## Options of several commands

| option | details |
|---|---|
| SOURCE | [Files](files.md) lists the types; [cloud storage](../how-to/use-cloud-storage.md) has addresses. |
| `--policy` | [Policy](policy.md) describes the file. |
| `--keyring` | [Key rings](keyring.md) describes the file. |
| `--root` | Names the place of the root key, never the key or a share itself. |
| `--root shares:FILE,-` | `-` among the files: the missing shares are typed in. |
| `--overwrite` | The target may be the source. Also replaces the report and the file of `--write-policy`. |
| `--ignore-missing` | Needs a file as the source, because it is read twice. Without it, a missing column is an error. |
| `--threads` | The default is one for each core that the process may use. The result is always the same. |
| `--threads 1` | A single thread does all the work, from beginning to end. |
| `--max-value`, `--max-batch` | Without limits, a small file could be made to take all memory. |
| `--encoding` | [Files](files.md) lists the encodings; UTF-8 needs no option. |
| `--strict` | Does the same as `unlisted = "error"` in the [policy](policy.md), but for `text protect`. |
| `--resume` | A target whose source was changed after it is written again. |
| `--report` | [Make a report](../how-to/make-a-report.md) describes the page. |
| `--no-marker`, `--ignore-marker` | [Markers](markers.md) describes what a marker holds. |
| `--quiet` | Warnings are still printed. |
| `--json` | [JSON results](json.md) describes every field. |

[Set up your shell](../how-to/set-up-your-shell.md) has the environment variables and completion.
[Errors and exit codes](errors.md) has output streams, messages, warnings and exit codes.
"""

_HOLDERS = """\
- Older copies of the ring still open with the old root key or shares. Destroy both.
- The threshold is at least 2. There are at most 255 holders, and at least as many as the threshold.
- Shares go to the holders in the order of `--holder`.
- The default for `--into` is a new folder beside the ring. [Key rings](keyring.md) describes the shares.
"""

NOTES = {
    "protect": """\
- With `--to`, sources may be folders ([many files](../how-to/process-many-files.md)).
""",
    "reveal": """\
- The target has mode 0600. Columns of one-way formats stay as they are.
""",
    "preview": """\
- `--rows` is at most 1000.
""",
    "rotate": """\
- Pass `--key` once for each key that changes, such as `--key people:1=people:2`.
- `--write-policy` goes with `--key`. It never writes over the old policy.
- `--to` takes any policy of the same columns.
- [Rotate a key](../how-to/rotate-a-key.md) is the guide.
""",
    "inspect": """\
- It drafts one policy for all files. [Finding what to protect](inspection.md) describes the result.
- A CSV file's delimiter and header are detected unless you pass them.
- `--write-policy` never writes over a file.
""",
    "check": """\
- It reads all rows, and shows no value. [Finding what to protect](inspection.md) describes the result.
- With `--keyring` and `--root`, it also reports whether the ring has the policy's keys.
""",
    "keyring add": """\
- The first version of a key is `NAME:1`.
""",
    "keyring rotate": """\
- Nothing uses the new version until a policy names it.
- An unknown name is an error. To make a new key, use `keyring add`.
""",
    "keyring split": _HOLDERS,
    "keyring reshare": "- The ring must be split already.\n" + _HOLDERS,
    "share split": """\
- The threshold is at least 2. There are at most 255 shares, and at least as many as the threshold.
- A secret is read from a file, from standard input or typed. It is never an argument.
- Up to 1,024 bytes become printed shares: text that can be typed again.
- Typing errors in printed shares are found, and their place is named.
- A larger file is dispersed: each binary share has about 1/T of its size, where T is the threshold.
- `--form text` fails for more than 1,024 bytes.
- Shares are named `NAME-1-of-5.txt` or `NAME-1-of-5.share`, and have mode 0600.
- Give each holder one share, and leave none where they are.
- The label can't be changed unnoticed. A holder's name is for people; no check covers it.
- [Shares](share-format.md) has the format, and the [threat model](../explanation/threat-model.md) the limits.
""",
    "share combine": """\
- Shares may come in any order and form.
- A share that is damaged, altered, repeated or of another set is refused by name. Recovery continues.
- A damaged part of a dispersed file is replaced from another share or another copy, and counted.
- Shares of a dispersed file must be files. A small share may be a pipe, such as `<(gpg -d ann.gpg)`.
- Combining the shares of a root key prints a warning, because the key is written in clear.
  `--root shares:...` opens the ring without that.
- Typed shares are checked line by line. After each share, the number of missing shares is printed.
- `--set` takes the 32 digits of a set. Shares of other sets are refused, typed ones at once.
- If you noted the digits when you split, pass them. The
  [threat model](../explanation/threat-model.md) has the reason.
""",
    "share verify": """\
- The exit code is 0 if all shares are good and enough, or if a single share is good.
- If a dispersed file has fewer shares than the threshold, only their beginnings are checked.
  The command says so.
""",
}
"""For each command a list that stands under its options."""

# SPDX-License-Identifier: Apache-2.0
"""A draft of a policy from the findings: TOML with comments that name the points to look at."""

import json
from datetime import date, datetime

from tallystick.counting import plain
from tallystick.errors import FileError
from tallystick.files import CsvOptions
from tallystick.formats import SMALL_DOMAIN
from tallystick.inspection.finding import Finding
from tallystick.inspection.inspect import Inspection
from tallystick.inspection.meaning import invalid_text, sample_text, size_text

_HEAD = """\
# A draft: look at each column before you use it. It was made of
# {samples}.
# `tallystick check` reads all rows.
#
# Equal values have equal tokens in columns of the same key, namespace and format. So draft one
# policy for all tables that join: tallystick inspect FILE FILE --write-policy ...
# Replace {key} by a key of your ring, with its version (tallystick keyring list).

# A run refuses a column that is neither in [columns] nor in keep.
unlisted = "error"
"""
_UNDECIDED = """\
    # A run stops at these until you decide. Remove the "#" before a name to let its values pass in
    # clear; or leave the column out of the data, or convert it, and look again.
"""


def draft_policy(found: Inspection, key: str) -> str:
    """Write a policy that protects the columns that look sensitive, and names all others.

    Parameters
    ----------
    key : str
        The data key, with its version, that the columns name.

    Returns
    -------
    str
        TOML. Without a sensitive column it is not a valid policy, because a policy must protect
        at least one column.

    Raises
    ------
    FileError
        The files have several dialects of CSV, and a policy has one.
    """
    samples = "; ".join(f"{sample_text(one)} of {plain(one.source.name)}" for one in found.files)
    parts = [_HEAD.format(samples=samples, key=json.dumps(key)), _keep(found)]
    parts += _csv(_dialect(found))
    parts.append("[columns]\n")
    parts += [_column(one, key) for one in found.findings if one.sensitive]
    return "\n".join(parts)


def _keep(found: Inspection) -> str:
    kept = [one for one in found.findings if not (one.sensitive or one.undecided)]
    undecided = [one for one in found.findings if one.undecided]
    lines = [f"    {_toml(one.column)}, # {one.reason}\n" for one in kept]
    if undecided:
        lines.append(_UNDECIDED)
        lines += [f"    # {_toml(one.column)}, # {plain(_typed(one))}\n" for one in undecided]
    text = f"[\n{''.join(lines)}]" if lines else "[]"
    return f"# These pass in clear.\nkeep = {text}\n"


def _typed(one: Finding) -> str:
    return f"{one.type}: {one.reason}" if one.type else one.reason


def _dialect(found: Inspection) -> CsvOptions | None:
    """Return the dialect of all CSV files; None: there is none."""
    dialects = {one.csv for one in found.files if one.csv is not None}
    if len(dialects) > 1:
        raise FileError(
            "the CSV files have several dialects (delimiter, spaces, header), but a policy has "
            "one; inspect them separately"
        )
    return next(iter(dialects), None)


def _csv(csv: CsvOptions | None) -> list[str]:
    if csv is None:
        return []
    lines = []
    if csv.encoding is not None:
        lines.append(f"encoding = {_toml(csv.encoding)}\n")
    if csv.delimiter is not None:
        lines.append(f"delimiter = {_toml(csv.delimiter)}\n")
    if csv.skip_initial_space:
        lines.append("skip_initial_space = true\n")
    if not csv.header:
        lines.append("header = false # the columns are called f0, f1, ...\n")
    return ["[csv]\n" + "".join(lines)] if lines else []


def _column(found: Finding, key: str) -> str:
    choice, form = found.choice, found.form
    if choice is None or form is None:
        return ""
    score = "" if found.by_name else f"; {found.certainty} ({found.score:.2f})"
    lines = [f"# {choice.title}{score}: {found.reason}"]
    if choice.note:
        lines.append(f"# {choice.note}")
    if choice.type == "email" and "part" not in choice.options:
        lines.append(
            '# tokens keep the domain, so mail to them may reach people; part = "all" '
            "replaces it too"
        )
    if found.smallest is not None and found.smallest < SMALL_DOMAIN:
        lines.append(
            "# some values have a small domain (smallest "
            f"{size_text(found.smallest)}): anyone who can protect values can list its "
            "tokens"
        )
    lines.append(f"[columns.{_toml_key(found.column)}]")
    lines.append(f"format = {_format(choice.type, choice.options)}")
    if form.keyed:
        lines += [f"key = {_toml(key)}", f"namespace = {_toml(found.namespace)}"]
    for reason, (count, first) in sorted(found.invalid_rows.items()):
        lines.append(f"# {invalid_text(found, reason, count, first)}")
    if found.invalid_rows:
        lines.append('# on_invalid = "null" # or "keep" (in clear); otherwise they fail a run')
    return "\n".join(lines) + "\n"


def _format(name: str, options: dict[str, object]) -> str:
    if not options:
        return _toml(name)
    pairs = [f"type = {_toml(name)}", *(f"{k} = {_toml(v)}" for k, v in options.items())]
    return f"{{ {', '.join(pairs)} }}"


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, datetime | date):
        return value.isoformat()
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")


def _toml_key(name: str) -> str:
    plain = name.isascii() and name.replace("_", "a").replace("-", "a").isalnum()
    return name if plain else _toml(name)

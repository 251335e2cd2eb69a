# SPDX-License-Identifier: Apache-2.0
"""A draft of a policy from what was found: TOML with comments that say what to look at."""

from __future__ import annotations

import json
from datetime import date, datetime
from pathlib import Path

from tallystick.files import CsvOptions
from tallystick.formats.base import SMALL_DOMAIN
from tallystick.inspection.inspect import Finding, Inspection
from tallystick.inspection.meaning import misfit_text, sample_text, size_text

_HEAD = """\
# A draft: look at each column before you use it. It was made of
# {sample} of {source}; `tallystick check` reads all of the file.
#
# domain says what values are: give columns whose tokens must be equal for equal values the same
# key, domain and format. Replace {key} by a key of your ring, with its version.
"""


def draft_policy(found: Inspection, source: Path, key: str) -> str:
    """Write a policy that protects the columns that look sensitive.

    Parameters
    ----------
    source : pathlib.Path
        The file, for a comment.
    key : str
        The data key, with its version, that the columns name.

    Returns
    -------
    str
        TOML. Without a sensitive column it is no policy yet, since one protects something.
    """
    sample = sample_text(found)
    parts = [_HEAD.format(sample=sample, source=_comment(source.name), key=json.dumps(key))]
    parts += _csv(found.csv)
    parts.append("[columns]\n")
    parts += [_column(one, key) for one in found.findings if one.sensitive]
    others = [one for one in found.findings if not one.sensitive]
    if others:
        lines = [f"#   {_comment(one.column)}: {one.reason}\n" for one in others]
        parts.append("# These stay as they are:\n" + "".join(lines))
    return "\n".join(parts)


def _comment(text: str) -> str:
    """Make text fit for a comment."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _csv(csv: CsvOptions | None) -> list[str]:
    if csv is None:
        return []
    lines = []
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
    lines = [f"# {choice.title}; {found.certainty} ({found.score:.2f}): {found.reason}"]
    if choice.note:
        lines.append(f"# {choice.note}")
    if found.smallest is not None and found.smallest < SMALL_DOMAIN:
        lines.append(
            f"# some values are of a domain of {size_text(found.smallest)}: whoever may have "
            "values protected can list its tokens"
        )
    lines.append(f"[columns.{_toml_key(found.column)}]")
    lines.append(f"format = {_format(choice.type, choice.options)}")
    if form.keyed:
        lines += [f"key = {_toml(key)}", f"domain = {_toml(choice.kind)}"]
    for reason, (count, first) in sorted(found.misfits.items()):
        lines.append(f"# {misfit_text(found, reason, count, first)}")
    if found.misfits:
        lines.append('# unfit = "null" # or "keep", in clear; else they end a run')
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

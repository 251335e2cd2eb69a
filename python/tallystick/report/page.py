# SPDX-License-Identifier: Apache-2.0
"""The page of a report: the data for the template `page.html`."""

from dataclasses import dataclass
from functools import cache
from math import log2, log10

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from tallystick import __version__
from tallystick.counting import counted, plain
from tallystick.formats import LARGEST_DOMAIN, SMALL_DOMAIN, SMALLEST_DOMAIN, Format
from tallystick.formats.description import descriptions
from tallystick.policy import ColumnRule
from tallystick.report import plots
from tallystick.report.groups import MOST_GROUPS, SIZES
from tallystick.report.run import Outline, Report
from tallystick.report.statistics import MOST_ROW_NUMBERS, ColumnStatistics
from tallystick.report.values import ENOUGH_ROWS, ENOUGH_VALUES
from tallystick.tokenizer import Counts

_DONE = {"protect": "protected", "reveal": "revealed", "rotate": "rotated"}
_FATES = {"null": "became null", "keep": "kept as they are, in clear"}
_WIDTHS = {"length": 340, "symbol": 640}


@dataclass(frozen=True, slots=True)
class Rejected:
    """Invalid rows of a column for one reason: the first ones, counted from 1."""

    reason: str
    count: int
    rows: list[int]


@dataclass(frozen=True, slots=True)
class Figure:
    """A plot with its words; `cut` says whether there were too many groups to show all."""

    name: str
    title: str
    about: str
    what: str
    groups: list[plots.Group]
    others: plots.Group | None
    cut: bool
    plot: plots.Plot


@dataclass(frozen=True, slots=True)
class Column:
    """A column that was changed, as the page shows it."""

    rule: ColumnRule
    form: str
    options: str
    key: str
    counts: Counts
    rejected: list[Rejected]
    figures: list[Figure]
    why_none: str
    counted: int

    @property
    def done(self) -> int:
        """Its rows that have new values."""
        return self.counts.rows - self.counts.nulls - self.counts.invalid.total()

    @property
    def invalid(self) -> int:
        """Its invalid rows."""
        return self.counts.invalid.total()


_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def page(report: Report, outline: Outline) -> str:
    """Return the page of a run as HTML."""
    columns = [
        _column(report, rule, outline.counts[rule.column], number)
        for number, rule in enumerate(report.rules)
        if rule.column in outline.counts
    ]
    named = {rule.column for rule in report.rules}
    seconds = max(outline.seconds, 1e-9)
    return _template().render(
        command=report.command,
        done=_DONE[report.command],
        version=__version__,
        began=report.began,
        run=outline,
        columns=columns,
        two_way=[column for column in columns if not column.rule.form.one_way],
        one_way=[column for column in columns if column.rule.form.one_way],
        left=[
            rule
            for rule in report.rules
            if rule.column not in outline.counts and rule.column in outline.done.columns
        ],
        untouched=[name for name in outline.done.columns if name not in named],
        values=sum(column.done for column in columns),
        nulls=sum(column.counts.nulls for column in columns),
        invalid=sum(column.invalid for column in columns),
        small=sum(column.counts.small for column in columns if report.command != "reveal"),
        megabytes=outline.done.bytes_in / 1e6 / seconds,
        rows_a_second=outline.done.rows / seconds,
        fates=_FATES,
        small_domain=SMALL_DOMAIN,
        enough_rows=ENOUGH_ROWS,
        enough_values=ENOUGH_VALUES,
        most_rows=MOST_ROW_NUMBERS,
        most_groups=MOST_GROUPS,
        group_sizes=SIZES,
    )


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("tallystick.report", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        plain=plain,
        count=_count,
        seconds=_seconds,
        size=_size,
        domain=_domain,
        meaning=_meaning,
        share=_share,
    )
    return environment.get_template("page.html")


def _column(report: Report, rule: ColumnRule, counts: Counts, number: int) -> Column:
    statistics = report.column(rule.column)
    new = report.new_keys.get(rule.column)
    key = "" if rule.key is None else str(rule.key)
    found = statistics.rejected
    rejected = [
        Rejected(str(reason), count, [row + 1 for row in found.get(reason, [])])
        for reason, count in counts.invalid.items()
    ]
    why = _why_none(report, statistics)
    return Column(
        rule,
        rule.form.label,
        _options(rule.form),
        key if new is None or new == rule.key else f"{key} \N{RIGHTWARDS ARROW} {new}",
        counts,
        rejected,
        [] if why else _figures(statistics, f"c{number}"),
        why,
        statistics.before.counted,
    )


def _why_none(report: Report, statistics: ColumnStatistics) -> str:
    """Return the reason why the page shows no plots of a column; empty if it shows them."""
    before, after = statistics.before, statistics.after
    if before.foreign is not None or after.foreign is not None:
        return f"its values are of type {before.foreign or after.foreign}, which has no text form"
    originals = {"protect": (before,), "reveal": (after,), "rotate": (before, after)}
    if not all(side.enough for side in originals[report.command]):
        return (
            f"it has fewer than {ENOUGH_VALUES} different values, so frequencies could reveal them"
        )
    return ""


def _figures(statistics: ColumnStatistics, name: str) -> list[Figure]:
    before, after = statistics.before, statistics.after
    given = (
        ("l", "Length of values", "characters", "length", plots.lengths(before, after)),
        ("s", "Frequency of symbols", "symbol", "symbol", plots.symbols(before, after)),
    )
    figures = []
    for suffix, title, axis, what, groups in given:
        others = groups[-1] if groups and groups[-1].label == plots.OTHERS else None
        shown = groups[:-1] if others else groups
        cut = what == "symbol" and len(shown) == plots.MOST_GROUPS
        plot = plots.plot(shown, _WIDTHS[what], all_labels=what == "symbol")
        figures.append(Figure(name + suffix, title, axis, what, groups, others, cut, plot))
    return figures


def _options(form: Format) -> str:
    """Return the options of a format that are not the usual ones."""
    usual = {option.name: option.default for option in descriptions()[form.label].options}
    changed = ((name, value) for name, value in form.options.items() if value != usual.get(name))
    return "; ".join(
        f"{name} = {str(value).lower() if isinstance(value, bool) else value}"
        for name, value in changed
    )


def _count(number: float) -> str:
    return f"{number:,.0f}"


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f}" if seconds < 100 else f"{seconds:,.0f}"


def _size(size: int) -> str:
    for unit, one in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= one:
            return f"{size / one:,.1f} {unit}"
    return counted(size, "byte")


def _share(share: float | None) -> str:
    return f"fewer than {ENOUGH_ROWS} rows" if share is None else f"{share * 100:.2f} %"


def _domain(size: int | None) -> str:
    if size is None:
        return "\N{EN DASH}"
    if size < 10**9:
        return f"{size:,}"
    if size == LARGEST_DOMAIN:
        return "over 10\N{SUPERSCRIPT ONE}\N{SUPERSCRIPT NINE} (64 bits)"
    power = f"{log10(size):.0f}".translate(_RAISED)
    return f"about 10{power} ({log2(size):.0f} bits)"


def _meaning(size: int | None, rule: ColumnRule, small: int) -> str:
    """Return a sentence about the size of the smallest domain."""
    if size is None and rule.key is None:
        return "no key: anybody can mask guessed values and compare"
    if size is None:
        return "one-way: a holder of the key can try values; without the key they are hidden"
    if size < SMALLEST_DOMAIN:
        return "tiny: a few known pairs list most of its tokens; this hides next to nothing"
    if size < SMALL_DOMAIN:
        if small:
            return "small: anyone who can protect values can list the tokens of such values"
        return "small only for the shortest values; this file has none of them"
    return "its tokens can't be listed with fewer than a million requests"

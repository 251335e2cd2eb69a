# SPDX-License-Identifier: Apache-2.0
"""The printed form of a small share: text to print, to keep in a safe, and to type again.

docs/reference/share-format.md has the format, what it shows of typing errors, and why. A share's
characters are secret and never in a message. They pass through Python strings, which can't be
wiped.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tallystick.counting import counted
from tallystick.errors import ParameterError, ShareTextError
from tallystick.shares import groups
from tallystick.shares.groups import GROUP_SYMBOLS, MAX_BYTES

FIRST = "TALLYSTICK SHARE 1"
LAST = "END"
LINE_GROUPS = 6
MAX_CHARACTERS = 1 << 17
"""A text that is longer is no share; the longest share with its blanks has about 5,500."""

_LINE_SYMBOLS = LINE_GROUPS * GROUP_SYMBOLS
_NAMED = 8
"""How many problems a message tells; more are only counted."""
_WIDE_DIGITS = str.maketrans("OoIiLl", "001111")

# Blanks of all kinds, and what word processors make of hyphens.
_IGNORED = re.compile("[\\s\\-\u00ad\u200b\u2010-\u2015\u2212\ufeff]+")
_FRAME = re.compile("TALLYSTICKSHARE([^:]*)(?::(.*))?", re.IGNORECASE)
_PASTED = re.compile(
    rf"{FIRST}.*|([0-9OIL]{{1,3}}\s*:\s*[0-9A-Z]{{4,}}|(?=.*[0-9])[0-9A-Z]{{5}}\s+[0-9A-Z]{{5}})"
    r"(\s+[0-9A-Z]{1,6})*",
    re.IGNORECASE | re.ASCII,
)
_NUMBERED = re.compile("([0-9OoIiLl]{1,3}):(.*)")


def encode(data: bytes, remarks: Sequence[str] = ()) -> str:
    """Write a share in its printed form.

    `data`: 1 to 2000 bytes.
    `remarks`: lines for people, which a reader ignores: a label, a holder, how many shares are
    needed. They are not secret, and nothing protects them.
    Raises `ParameterError`: `data` has another length, or a remark is not one line of printable
    characters.

    Returns
    -------
    str
        Lines of ASCII (but for the remarks), each with a newline at its end.
    """
    for number, remark in enumerate(remarks, 1):
        if not remark.isprintable():
            raise ParameterError(
                f"remark {number} is not one line of printable characters; give each line by itself"
            )
    written = _written(data)
    lines = [written[at : at + LINE_GROUPS] for at in range(0, len(written), LINE_GROUPS)]
    width = len(str(len(lines)))
    numbered = [f"{number:{width}}: {' '.join(line)}" for number, line in enumerate(lines, 1)]
    return "".join(
        f"{line}\n"
        for line in [FIRST, *(f"# {remark}".rstrip() for remark in remarks), *numbered, LAST]
    )


def compact(text: str) -> str:
    """Return a share's text as one line without blanks, as a QR code holds it.

    `text`: anything that `decode` reads. Remarks are left out.
    Raises `ShareTextError`: as of `decode`.

    Returns
    -------
    str
        ``TALLYSTICK SHARE 1:`` and all groups: only characters of a QR code's alphanumeric mode.
    """
    return f"{FIRST}:{''.join(_written(decode(text)))}"


def decode(text: str) -> bytes:
    """Read a share from its printed form.

    Case, blanks, hyphens, empty lines, remarks and line ends don't matter; O is read as 0, I and L
    as 1. The first line, the last and the line numbers may be left out; numbered lines may be in
    any order.

    `text`: what was typed, or what a QR code holds.
    Raises `ShareTextError`: the text has typing errors or is not whole. The message names what to
    look at.

    Returns
    -------
    bytes
        The share, as it was given to `encode`.
    """
    typed = _typed_lines(text)
    if not typed:
        raise ShareTextError("there is no share in the text; give its lines as they are printed")
    if 2 * sum(line.number is not None for line in typed) >= len(typed):
        symbols, problems = _read_numbered(typed)
    else:
        symbols = [symbol for line in typed for symbol in line.unnumbered]
        problems = list(_run_problems(symbols, 1, _announced(symbols), "the text"))
    if problems and _only_header_wrong(symbols):
        problems = [_at(1, _SEVERAL)]
    if not problems and _announced(symbols) is None:
        problems = [_at(1, f"{_SEVERAL}, or is of a newer version of Tallystick")]
    if problems:
        raise _error(problems)
    return _whole(_words(symbols))


def is_framed(text: str) -> bool:
    """Return whether a text has the first line of a printed share; without it, it may be any."""
    return any(_FRAME.fullmatch(_IGNORED.sub("", line)) for line in text.splitlines())


def is_pasted(text: str) -> bool:
    """Return whether a text looks like a share or lines of one, with typing errors or not."""
    return any(_PASTED.fullmatch(line.strip()) for line in text.splitlines())


def check_line(number: int, text: str, first: str | None = None) -> str:
    """Check one line as soon as it is typed.

    `number`: which line it should be, from 1.
    `text`: the line, with or without its number.
    `first`: line 1, which says how many lines there are and how long the last one is. Without it a
    line may be shorter than it should be.
    Raises `ShareTextError`: the line is another one, or has typing errors. Two of them in one group
    may remain unseen here; `decode` sees them. `ParameterError`: `number` is not positive.

    Returns
    -------
    str
        The line without its number, for `decode`; empty if it holds nothing of the share: a
        remark, an empty line, the first line or the last.
    """
    if number < 1:
        raise ParameterError("line numbers begin with 1")
    if len(text.splitlines()) > 1:
        raise ShareTextError("give one line at a time", line=number)
    typed = _typed_lines(text)
    if not typed:
        return ""
    (line,) = typed
    if line.number is not None and line.number != number:
        raise ShareTextError(f"this is line {line.number}; type line {number}", line=line.number)
    symbols = line.symbols if line.number is not None else line.unnumbered
    head = symbols if number == 1 else [] if first is None else _symbols_of_line(first)
    count = _announced(head)
    begin = LINE_GROUPS * (number - 1)
    if count is not None and count <= begin:
        raise ShareTextError(
            f"there is no line {number}: by line 1 the share has {counted(_lines(count), 'line')}",
            line=number,
        )
    problems = list(_line_problems(symbols, number, count, is_last=True))
    if not problems and number == 1 and count is None:
        problems = [_at(1, f"{_SEVERAL}, or is of a newer version of Tallystick")]
    if problems:
        raise _error(problems)
    return " ".join(
        "".join(groups.ALPHABET[symbol] for symbol in symbols[at : at + GROUP_SYMBOLS])
        for at in range(0, len(symbols), GROUP_SYMBOLS)
    )


def line_count(first: str) -> int:
    """Return how many lines a share has, by its line 1.

    `first`: line 1, with or without its number.
    Raises `ShareTextError`: the text is not line 1, or it has typing errors.

    Returns
    -------
    int
        The number of lines with groups.
    """
    count = _announced(_symbols_of_line(check_line(1, first)))
    if count is None:
        raise ShareTextError("type line 1 first: the first line with groups", line=1)
    return _lines(count)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that holds symbols; -1 is a character that stands for none."""

    number: int | None
    symbols: list[int] = field(repr=False)
    unnumbered: list[int] = field(repr=False)
    """The symbols, if what looks like a number is none."""


@dataclass(frozen=True, slots=True)
class _Problem:
    what: str
    line: int | None = None
    groups: tuple[int, ...] = ()
    """Numbers in the whole share, from 1."""


_TYPING = "has a typing error"
_SEVERAL = "has several typing errors"


def _written(data: bytes) -> list[str]:
    if not 1 <= len(data) <= MAX_BYTES:
        raise ParameterError(
            f"{len(data)} bytes can't be printed as a share; it has 1 to {MAX_BYTES}"
        )
    return list(groups.characters(groups.pack(data)))


def _typed_lines(text: str) -> list[_Line]:
    if len(text) > MAX_CHARACTERS:
        raise ShareTextError("the text is too long for a share; give one share by itself")
    lines: list[_Line] = []
    framed = ended = False
    for raw in text.splitlines():
        line = _IGNORED.sub("", raw)
        if not line or line.startswith("#"):
            continue
        if ended:
            raise ShareTextError("something follows END; give one share by itself")
        ended = line.upper() == LAST
        frame = _FRAME.fullmatch(line)
        if frame:
            if lines or framed:
                raise ShareTextError("this is more than one share; give one share by itself")
            if frame[1].translate(_WIDE_DIGITS) != "1":
                raise ShareTextError(
                    f"the first line should be {FIRST}; if it names another version, it is for a "
                    "newer version of Tallystick"
                )
            framed = True
            if frame[2]:
                symbols = _symbols(frame[2])
                lines.append(_Line(None, symbols, symbols))
        elif not ended:
            lines.append(_line(line))
    return lines


def _line(line: str) -> _Line:
    unnumbered = _symbols(line)
    numbered = _NUMBERED.fullmatch(line)
    if not numbered:
        return _Line(None, unnumbered, unnumbered)
    return _Line(int(numbered[1].translate(_WIDE_DIGITS)), _symbols(numbered[2]), unnumbered)


def _symbols(characters: str) -> list[int]:
    return [groups.VALUES.get(character, -1) for character in characters]


def _symbols_of_line(text: str) -> list[int]:
    typed = _typed_lines(text)
    return typed[0].symbols if len(typed) == 1 else []


def _words(symbols: Sequence[int]) -> list[int]:
    return [
        groups.word_of(symbols[at : at + GROUP_SYMBOLS])
        for at in range(0, len(symbols), GROUP_SYMBOLS)
    ]


def _lines(count: int) -> int:
    return -(-count // LINE_GROUPS)


def _announced(symbols: Sequence[int]) -> int | None:
    """Return how many groups the first one says there are; None if it is wrong."""
    head = symbols[:GROUP_SYMBOLS]
    if not groups.fits(1, head):
        return None
    size = groups.header_size(groups.word_of(head))
    return None if size is None else groups.group_count(size)


def _read_numbered(typed: Sequence[_Line]) -> tuple[list[int], list[_Problem]]:
    """Put numbered lines together; give their symbols, and what is wrong with them."""
    lines: dict[int, list[int]] = {}
    problems = []
    before = "the first line"
    for line in typed:
        if line.number is None:
            problems.append(_Problem(f"the line after {before} has no number before it"))
            continue
        before = f"line {line.number}"
        if line.number in lines:
            problems.append(_Problem(f"line {line.number} is there twice", line.number))
        lines[line.number] = line.symbols
    count = _announced(lines.get(1, []))
    last = max(lines) if count is None else _lines(count)
    # A line without a number may be the one that seems to be missing.
    if all(line.number is not None for line in typed):
        missing = [number for number in range(1, last + 1) if number not in lines]
        problems += [_Problem(f"line {number} is missing", number) for number in missing]
    for number, symbols in sorted(lines.items()):
        if 1 <= number <= last:
            problems += _line_problems(symbols, number, count, is_last=number == last)
        else:
            problems.append(_Problem(f"line {number} is not one of the share's {last}", number))
    return [symbol for number in sorted(lines) for symbol in lines[number]], problems


def _line_problems(
    symbols: Sequence[int], number: int, count: int | None, *, is_last: bool
) -> Iterator[_Problem]:
    """Check one line of a share of `count` groups; None if that is not known."""
    begin = LINE_GROUPS * (number - 1)
    here: int | None = LINE_GROUPS
    if count is not None:
        here = min(LINE_GROUPS, count - begin)
    elif is_last and len(symbols) <= _LINE_SYMBOLS:
        here = None
    yield from _run_problems(symbols, begin + 1, here, f"line {number}")


def _run_problems(
    symbols: Sequence[int], first: int, count: int | None, where: str
) -> Iterator[_Problem]:
    """Check symbols that should be `count` groups, the first of them with the number `first`."""
    whole, rest = divmod(len(symbols), GROUP_SYMBOLS)
    length = GROUP_SYMBOLS * (whole if count is None else count)
    if len(symbols) == length:
        for number in range(first, first + whole):
            if not groups.fits(number, _group(symbols, number - first)):
                yield _at(number, _TYPING)
        return
    # Up to a place where something is missing or too many, groups fit when counted from the
    # beginning; after it, when counted from the end.
    left = 0
    while left < whole and groups.fits(first + left, _group(symbols, left)):
        left += 1
    if count is None:
        yield _between(first + left, first + whole, f"{where} has {rest} characters after its "
                       f"last group of {GROUP_SYMBOLS}")  # fmt: skip
        return
    left = min(left, count)
    right = count
    while right > 0:
        at = len(symbols) - GROUP_SYMBOLS * (count - right + 1)
        if at < 0 or not groups.fits(first + right - 1, symbols[at : at + GROUP_SYMBOLS]):
            break
        right -= 1
    low, high = sorted((min(left, count - 1), max(right - 1, 0)))
    what = f"{where} has {counted(len(symbols), 'character')} instead of {length}"
    yield _between(first + low, first + high, what)


def _group(symbols: Sequence[int], index: int) -> Sequence[int]:
    return symbols[GROUP_SYMBOLS * index : GROUP_SYMBOLS * (index + 1)]


def _only_header_wrong(symbols: Sequence[int]) -> bool:
    """Return whether all would be well if the first group announced what is there."""
    count, rest = divmod(len(symbols), GROUP_SYMBOLS)
    if rest or count < groups.group_count(1):
        return False
    return (
        all(groups.fits(number + 1, _group(symbols, number)) for number in range(count))
        and groups.wrong_group(_words(symbols)) == 1
    )


def _whole(words: Sequence[int]) -> bytes:
    wrong = groups.wrong_group(words)
    if wrong is None:
        raise ShareTextError(
            "each group is valid, but the whole share is not: several groups have several typing "
            "errors each, or lines of another share are mixed in; compare all groups with the paper"
        )
    if wrong:
        raise _error([_at(wrong, f"{_SEVERAL}, or is from another share")])
    data = groups.unpack(words)
    if data is None:
        raise ShareTextError("the last data group ends with bits that are not zero: Tallystick "
                             "did not write this text")  # fmt: skip
    return data


def _place(number: int) -> tuple[int, int]:
    line, group = divmod(number - 1, LINE_GROUPS)
    return line + 1, group + 1


def _at(number: int, what: str) -> _Problem:
    line, group = _place(number)
    return _Problem(f"line {line}, group {group} {what}", line, (number,))


def _between(low: int, high: int, what: str) -> _Problem:
    line, group = _place(low)
    look = f"at line {line}, group {group}"
    if high > low:
        look = "from line {}, group {} to line {}, group {}".format(line, group, *_place(high))
    return _Problem(f"{what}: look {look}", line, tuple(range(low, high + 1)))


def _error(problems: Sequence[_Problem]) -> ShareTextError:
    parts = [problem.what for problem in problems[:_NAMED]]
    if len(problems) > _NAMED:
        parts.append(f"there are {len(problems) - _NAMED} more")
    places = [_place(number) for problem in problems for number in problem.groups]
    first = problems[0]
    return ShareTextError(
        f"{'; '.join(parts)}. Compare this with the paper",
        line=first.line,
        group=_place(first.groups[0])[1] if first.groups else None,
        places=tuple(places),
    )

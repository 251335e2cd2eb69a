# SPDX-License-Identifier: Apache-2.0
"""The printed form of a share: as documented, and every promise about typing errors."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable, Iterator
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

import vectors
from tallystick.errors import ParameterError, ShareTextError, TallyError
from tallystick.shares import groups, printed
from tallystick.shares.printed import check_line, compact, decode, encode, line_count


def seeded(seed: int | str) -> random.Random:
    """Return random numbers that are the same each time."""
    return random.Random(seed)  # noqa: S311


ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
SMALL = seeded(60).randbytes(60)
"""27 groups on 5 lines."""
LARGE = seeded(200).randbytes(200)
"""83 groups on 14 lines, so that some groups have the same number modulo 31."""
DIFFERENCES = range(1, 32)


def places_of(text: str) -> tuple[tuple[int, int], ...]:
    """Return what the error names; it must be refused, and the message must give nothing away."""
    with pytest.raises(ShareTextError) as caught:
        decode(text)
    error = caught.value
    assert error.__cause__ is None
    assert error.__context__ is None
    if error.places:
        assert (error.line, error.group) in (error.places[0], (error.line, None))
    said = str(error)
    typed = set(re.findall(r"\b[0-9A-Z]{5}\b", text.upper())) - {"SHARE"}
    assert not typed & set(re.split(r"\W+", said))
    return error.places


def place(index: int) -> tuple[int, int]:
    """Return the place of a group, from 0."""
    return index // 6 + 1, index % 6 + 1


def joined(groups_: list[str]) -> str:
    """Return groups as a numbered text."""
    lines = [groups_[at : at + 6] for at in range(0, len(groups_), 6)]
    return "\n".join(f"{number}: {' '.join(line)}" for number, line in enumerate(lines, 1))


def split(data: bytes) -> list[str]:
    """Return the groups of a share's printed form."""
    characters = compact(encode(data)).partition(":")[2]
    return [characters[at : at + 5] for at in range(0, len(characters), 5)]


def changed(text: str, index: int, difference: int) -> str:
    """Return the text with another symbol at a place."""
    wrong = ALPHABET[ALPHABET.index(text[index]) ^ difference]
    return text[:index] + wrong + text[index + 1 :]


def data_places(text: str) -> Iterator[tuple[int, int]]:
    """Give where each character of the groups is in a text, and its group's index."""
    count = 0
    begin = 0
    for line in text.splitlines(keepends=True):
        if ":" in line:
            for offset in range(line.index(":") + 1, len(line)):
                if line[offset] in ALPHABET:
                    yield begin + offset, count // 5
                    count += 1
        begin += len(line)


# A second implementation, as docs/reference/share-format.md says it, with plain field arithmetic.


def times(a: int, b: int, polynomial: int) -> int:
    product = 0
    for bit in range(b.bit_length()):
        product ^= (a << bit) * (b >> bit & 1)
    while product.bit_length() >= polynomial.bit_length():
        product ^= polynomial << (product.bit_length() - polynomial.bit_length())
    return product


def power(base: int, exponent: int, polynomial: int) -> int:
    result = 1
    for bit in bin(exponent)[2:]:
        result = times(result, result, polynomial)
        if bit == "1":
            result = times(result, base, polynomial)
    return result


def documented(data: bytes) -> str:
    bits = "".join(f"{byte:08b}" for byte in data)
    bits += "0" * (-len(bits) % 20)
    bits = f"{1:05b}{len(data):015b}{bits}"
    words = [int(bits[at : at + 20], 2) for at in range(0, len(bits), 20)]
    total = weighted = 0
    for place, word in enumerate(reversed(words)):
        total ^= word
        weighted ^= times(power(2, place, 0x100009), word, 0x100009)
    text = ""
    for number, word in enumerate([*words, total, weighted], 1):
        symbols = [word >> 15, word >> 10 & 31, word >> 5 & 31, word & 31]
        check = number % 31
        for weight, symbol in zip((16, 8, 4, 2), symbols, strict=True):
            check ^= times(weight, symbol, 0x25)
        text += "".join(ALPHABET[symbol] for symbol in [*symbols, check])
    return text


@given(st.binary(min_size=1, max_size=300))
def test_what_is_written_is_what_is_documented(data: bytes) -> None:
    text = encode(data, ["a remark"])
    assert compact(text) == f"TALLYSTICK SHARE 1:{documented(data)}"
    first, remark, *lines, last = text.splitlines()
    assert (first, remark, last) == ("TALLYSTICK SHARE 1", "# a remark", "END")
    assert [int(line.partition(":")[0]) for line in lines] == list(range(1, len(lines) + 1))
    bare = [line.partition(": ")[2] for line in lines]
    assert all(re.fullmatch(r"\w{5}( \w{5}){5}", line) for line in bare[:-1])
    assert re.fullmatch(r"\w{5}( \w{5}){0,5}", bare[-1])
    assert "".join(bare).replace(" ", "") == documented(data)


@pytest.mark.parametrize("size", [*range(1, 130), 1677, 1678, 1999, 2000])
@pytest.mark.parametrize("byte", [0, 255, None])
def test_every_length_comes_back(size: int, byte: int | None) -> None:
    data = seeded(size).randbytes(size) if byte is None else bytes([byte]) * size
    assert decode(encode(data)) == data
    assert decode(compact(encode(data))) == data


@pytest.mark.parametrize("vector", vectors.load("share_printed"))
def test_vectors(vector: dict[str, object]) -> None:
    data, remarks, text = bytes.fromhex(str(vector["data"])), vector["remarks"], vector["printed"]
    assert isinstance(remarks, list)
    assert isinstance(text, str)
    assert encode(data, remarks) == text
    assert compact(text) == vector["compact"]
    assert decode(text) == data == decode(str(vector["compact"]))
    refused = vector["refused"]
    assert isinstance(refused, list)
    for case in refused:
        assert places_of(case["printed"]) == tuple(map(tuple, case["places"])), case["why"]


# The two codes.


def test_x_generates_both_fields() -> None:
    for bits, polynomial, primes in ((5, 0x25, [31]), (20, 0x100009, [3, 5, 11, 31, 41])):
        order = 2**bits - 1
        assert power(2, order, polynomial) == 1
        assert all(power(2, order // prime, polynomial) != 1 for prime in primes)


@pytest.mark.parametrize("number", range(1, 33))
def test_a_check_symbol_shows_what_it_should(number: int) -> None:
    word = seeded(number).getrandbits(20)
    good = [*(word >> shift & 31 for shift in (15, 10, 5, 0)), groups.check_symbol(number, word)]
    assert groups.fits(number, good)
    for other in range(1, 70):
        assert groups.fits(other, good) == (other % 31 == number % 31)
    for place, difference in itertools.product(range(5), DIFFERENCES):
        bad = list(good)
        bad[place] ^= difference
        assert not groups.fits(number, bad)
    for one, two in itertools.combinations(range(5), 2):
        bad = list(good)
        bad[one], bad[two] = bad[two], bad[one]
        assert groups.fits(number, bad) == (good[one] == good[two])
        unseen = 0
        for first, second in itertools.product(DIFFERENCES, DIFFERENCES):
            bad = list(good)
            bad[one] ^= first
            bad[two] ^= second
            seen = not groups.fits(number, bad)
            unseen += not seen
            assert seen or first != second, "the same error twice is always seen"
        assert unseen == 31, "1 of 31"


@pytest.mark.parametrize("size", [1, 60, 200, 2000])
def test_check_groups_name_the_one_that_is_wrong(size: int) -> None:
    draw = seeded(size)
    words = groups.pack(draw.randbytes(size))
    assert groups.wrong_group(words) == 0
    for index in range(len(words)):
        for error in (1, 0xFFFFF, draw.randrange(1, 1 << 20)):
            bad = list(words)
            bad[index] ^= error
            assert groups.wrong_group(bad) == index + 1


@given(st.data())
def test_check_groups_show_whatever_happens_to_two(data: st.DataObject) -> None:
    words = groups.pack(data.draw(st.binary(min_size=1, max_size=400)))
    places = st.integers(0, len(words) - 1)
    one, two = data.draw(st.lists(places, min_size=2, max_size=2, unique=True))
    errors = st.integers(1, (1 << 20) - 1)
    words[one] ^= data.draw(errors)
    words[two] ^= data.draw(errors)
    assert groups.wrong_group(words) != 0


def test_three_wrong_groups_can_remain_unseen() -> None:
    """What is promised ends here."""
    words = groups.pack(SMALL)
    for index, error in (
        (5, 0b1),
        (6, 0b11),
        (7, 0b10),
    ):  # 1, x + 1, x: also weighted they add to 0
        words[index] ^= error
    text = "".join(groups.characters(words))
    assert decode(text) != SMALL


# Single errors.


@pytest.mark.parametrize("form", [encode, lambda data: compact(encode(data))])
def test_every_wrong_character_is_named(form: Callable[[bytes], str]) -> None:
    text = form(SMALL)
    found = list(data_places(text))
    assert len(found) == 27 * 5
    for index, group in found:
        for difference in DIFFERENCES:
            assert places_of(changed(text, index, difference)) == (place(group),)


def test_a_colon_among_digits_makes_no_line_number() -> None:
    lines = [line.partition(": ")[2] for line in encode(bytes(60)).splitlines()[1:-1]]
    assert lines[1].startswith("000")
    lines[1] = "00:" + lines[1][3:]
    assert places_of("\n".join(lines)) == ((2, 1),)


@pytest.mark.parametrize("wrong", ["U", "u", "!", "#", ":", "=", "é", "\u017f", "\u0663", "\u0000"])
def test_a_character_that_no_share_has_is_named(wrong: str) -> None:
    text = encode(LARGE)
    for index, group in data_places(text):
        assert places_of(text[:index] + wrong + text[index + 1 :]) == (place(group),)


def test_every_swap_of_neighbours_is_named() -> None:
    text = encode(LARGE)
    found = list(data_places(text))
    for (one, group), (two, next_group) in itertools.pairwise(found):
        if text[one] != text[two]:
            bad = list(text)
            bad[one], bad[two] = bad[two], bad[one]
            wanted = {place(group), place(next_group)}
            assert set(places_of("".join(bad))) == wanted


@pytest.mark.parametrize("form", [encode, lambda data: compact(encode(data))])
@pytest.mark.parametrize("kind", ["lost", "blank", "twice", "extra"])
def test_a_lost_or_extra_character_is_placed(form: Callable[[bytes], str], kind: str) -> None:
    text = form(LARGE)
    instead = {"lost": "", "blank": " ", "twice": None, "extra": None}[kind]
    draw = seeded(kind)
    counts = []
    for index, group in data_places(text):
        here = text[index]
        if instead is None:
            instead_here = here + (here if kind == "twice" else draw.choice(ALPHABET))
        else:
            instead_here = instead
        places = places_of(text[:index] + instead_here + text[index + 1 :])
        assert place(group) in places
        # Without group 1 a reader does not know how many there are.
        assert max(places) <= place(82 if group else 83)
        counts.append(len(places))
    # An extra character may as well belong to the group beside it.
    near = sum(count <= (1 if kind in ("lost", "blank") else 2) for count in counts)
    assert near > len(counts) * 7 // 8


# Double errors.


def unseen_in_one_group() -> Iterator[tuple[int, int, int, int]]:
    """Give every double error that a check symbol does not show, for the first group."""
    symbols = [0, 0, 0, 0, groups.check_symbol(0, 0)]
    for one, two in itertools.combinations(range(5), 2):
        for first, second in itertools.product(DIFFERENCES, DIFFERENCES):
            bad = list(symbols)
            bad[one], bad[two] = first, second
            if groups.fits(0, bad):
                yield one, two, first, second


@pytest.mark.parametrize("index", [0, 1, 12, 24, 25, 26])
@pytest.mark.parametrize("numbered", [True, False])
def test_every_double_error_in_a_group_is_named(index: int, numbered: bool) -> None:
    good = split(SMALL)
    unseen = list(unseen_in_one_group())
    assert len(unseen) == 10 * 31
    draw = seeded(index)
    seen = [
        (*sorted(draw.sample(range(5), 2)), draw.choice(DIFFERENCES), draw.choice(DIFFERENCES))
        for _ in range(200)
    ]
    for one, two, first, second in [*unseen, *seen]:
        bad = list(good)
        bad[index] = changed(changed(bad[index], one, first), two, second)
        text = joined(bad) if numbered else " ".join(bad)
        assert places_of(text) == (place(index),)


def test_any_errors_in_one_group_are_named() -> None:
    good = split(LARGE)
    draw = seeded(1)
    for index in range(1, len(good)):
        for _ in range(20):
            bad = list(good)
            bad[index] = "".join(draw.choices(ALPHABET, k=5))
            if bad[index] != good[index]:
                assert places_of(joined(bad)) == (place(index),)


def test_any_errors_in_the_first_group_are_refused() -> None:
    """It may then announce another length, which every character seems to contradict."""
    good = split(LARGE)
    draw = seeded(2)
    named = 0
    for _ in range(2000):
        first = "".join(draw.choices(ALPHABET, k=5))
        if first != good[0]:
            named += place(0) in places_of(joined([first, *good[1:]]))
    assert named == 2000


def test_double_errors_in_two_groups_are_both_named() -> None:
    good = split(LARGE)
    draw = seeded(3)
    for _ in range(1000):
        one, two = sorted(draw.sample(range(len(good)), 2))
        bad = list(good)
        for index in (one, two):
            bad[index] = changed(bad[index], draw.randrange(5), draw.choice(DIFFERENCES))
        assert places_of(joined(bad)) == (place(one), place(two))


# Groups and lines.


@pytest.mark.parametrize("numbered", [True, False])
def test_a_group_left_out_or_doubled_is_placed(numbered: bool) -> None:
    lines = encode(LARGE).splitlines()[1:-1]
    good = split(LARGE)
    for index in range(len(good)):
        for times_ in (0, 2):
            if numbered:
                line = lines[index // 6].split()
                line[index % 6 + 1 : index % 6 + 2] *= times_
                text = "\n".join([*lines[: index // 6], " ".join(line), *lines[index // 6 + 1 :]])
            else:
                text = " ".join([*good[:index], *[good[index]] * times_, *good[index + 1 :]])
            if numbered and times_ == 0 and index == len(good) - 1 and len(good) % 6 == 1:
                continue  # the last line is then empty
            assert place(index) in places_of(text)


def test_two_groups_in_each_others_places_are_refused() -> None:
    good = split(LARGE)
    for one, two in itertools.combinations(range(len(good)), 2):
        bad = list(good)
        bad[one], bad[two] = bad[two], bad[one]
        places = places_of(" ".join(bad))
        if (one - two) % 31 and one:
            assert places == (place(one), place(two))


@pytest.mark.parametrize("numbered", [True, False])
def test_a_line_left_out_doubled_or_moved_is_refused(numbered: bool) -> None:
    lines = encode(LARGE).splitlines()[1:-1]
    if not numbered:
        lines = [line.partition(":")[2] for line in lines]
    for one in range(len(lines)):
        rest = lines[:one] + lines[one + 1 :]
        places_of("\n".join(rest))
        places_of("\n".join([*lines[: one + 1], *lines[one:]]))
        for two in range(one):
            bad = list(lines)
            bad[one], bad[two] = bad[two], bad[one]
            if numbered:
                assert decode("\n".join(bad)) == LARGE, "their numbers say where they belong"
                bad = [f"{number}:{line.partition(':')[2]}" for number, line in enumerate(bad, 1)]
            places_of("\n".join(bad))


@pytest.mark.parametrize("apart", [1, 16, 30, 31, 32, 62, 93, 124])
def test_lines_far_apart_under_each_others_numbers_are_refused(apart: int) -> None:
    lines = encode(seeded(1).randbytes(2000)).splitlines()[1:-1]
    bare = [line.partition(":")[2] for line in lines]
    for one in range(0, len(bare) - apart - 1, 3):
        bad = list(bare)
        bad[one], bad[one + apart] = bad[one + apart], bad[one]
        places = places_of("\n".join(f"{number}:{line}" for number, line in enumerate(bad, 1)))
        assert len(places) >= 12 or apart % 31 == 0


def test_which_line_is_missing_is_said() -> None:
    lines = encode(LARGE).splitlines()
    for number in range(1, 15):
        text = "\n".join(lines[:number] + lines[number + 1 :])
        with pytest.raises(ShareTextError, match=f"^line {number} is missing") as caught:
            decode(text)
        assert caught.value.line == number
        assert caught.value.group is None


def test_a_line_of_another_share_is_refused() -> None:
    other = encode(seeded(5).randbytes(200)).splitlines()
    lines = encode(LARGE).splitlines()
    for number in range(2, 15):
        text = "\n".join([*lines[:number], other[number], *lines[number + 1 :]])
        assert places_of(text) in ((), (place(13 * 6 + 4),))


def test_ends_cut_off_are_refused() -> None:
    text = "\n".join(encode(SMALL).splitlines()[:-1])
    for length in range(len(text)):
        places_of(text[:length])


# What a message says.


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda t: changed(t, t.index("2:") + 4, 3), r"^line 2, group 1 has a typing error\."),
        (lambda t: t.replace("2: ", "2: Z", 1), "line 2 has 31 characters instead of 30: look at "
         r"line 2, group 1\."),
        (lambda t: t.replace("\n2: ", "\n", 1), "the line after line 1 has no number before it"),
        (lambda t: t.replace("\n2: ", "\n22: ", 1), "line 2 is missing; line 22 is not one of the "
         "share's 5"),
        (lambda t: t.replace("\n2: ", "\n3: ", 1), "line 3 is there twice; line 2 is missing"),
        (lambda t: t.replace("SHARE 1", "SHARE 2"), "newer version"),
        (lambda t: t + t, "something follows END"),
        (lambda t: t.replace("END\n", "") + t, "more than one share"),
        (lambda t: t + "1: 00000", "something follows END"),
        (lambda t: "", "there is no share in the text"),
        (lambda t: "TALLYSTICK SHARE 1\nEND", "there is no share in the text"),
        (lambda t: "0" * 200_000, "too long"),
        (lambda t: re.sub(r"(\n.: )", r"\1Z", t), r"line 5 has .*\. Compare this with the paper$"),
    ],
)  # fmt: skip
def test_messages(edit: Callable[[str], str], said: str) -> None:
    with pytest.raises(ShareTextError, match=said) as caught:
        decode(edit(encode(SMALL)))
    assert isinstance(caught.value, TallyError)


def test_a_message_does_not_grow_without_end() -> None:
    good = split(LARGE)
    bad = [changed(group, 2, 1) for group in good]
    with pytest.raises(ShareTextError, match=r"there are 75 more\.") as caught:
        decode(joined(bad))
    assert len(str(caught.value)) < 500
    assert len(caught.value.places) == len(good)


def crafted(words: list[int]) -> str:
    """Return a text whose check groups and check symbols are right."""
    return "".join(groups.characters([*words, *groups._check_words(words)]))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([2 << 15 | 1, 255 << 12], "newer version"),
        ([1 << 15, 0], "newer version"),
        ([1 << 15], "several typing errors|newer version"),
        ([1 << 15 | 2001, *[0] * 801], "newer version"),
        ([1 << 15 | 1, 255 << 12 | 1], "bits that are not zero"),
        ([1 << 15 | 1, 255 << 12 | 1 << 11], "bits that are not zero"),
    ],
)
def test_texts_that_are_not_written_so_are_refused(words: list[int], said: str) -> None:
    assert decode(crafted([1 << 15 | 1, 255 << 12])) == b"\xff"
    with pytest.raises(ShareTextError, match=said):
        decode(crafted(words))


# What does not matter.


@pytest.mark.parametrize(
    "edit",
    [
        str.lower,
        lambda t: t.replace("\n", "\r\n"),
        lambda t: t.replace("\n", "\n\n \n"),
        lambda t: t.replace(" ", "  "),
        lambda t: t.replace(" ", "\u00a0"),
        lambda t: re.sub(r"(\w{5}) ", r"\1-", t),
        lambda t: re.sub(r"(\w{5}) ", "\\1 \u2013 ", t),
        lambda t: re.sub(r"(\w{5}) ", r"\1", t),
        lambda t: re.sub(r"(\n *\d+: \w\w)", r"\1 ", t),
        lambda t: "\ufeff" + t,
        lambda t: t.partition("\n")[2],
        lambda t: t.replace("END\n", ""),
        lambda t: t.replace("END\n", "end\n\n# another remark\n"),
        lambda t: t.replace("1: ", "1:").replace("2: ", " 2 :  "),
        lambda t: t.replace("1: ", "l: ").replace("\n1", "\nI").replace("0: ", "o: "),
        lambda t: re.sub(r"\n *\d+: ", "\n", t),
        lambda t: re.sub(r"\n *\d+: ", " ", t.partition("recover")[2]).replace("END\n", ""),
        lambda t: t.replace("0", "O").replace("SHARE 1", "share i"),
        lambda t: "\n".join(line.replace("1", "L") if ":" in line else line
                            for line in t.splitlines()),
        lambda t: re.sub(r"(?m)^# .*\n", "", t),
        lambda t: "# first of all\n" + t,
        lambda t: "\n".join(sorted(t.splitlines()[3:-1], reverse=True)),
    ],
)  # fmt: skip
def test_what_does_not_matter(edit: Callable[[str], str]) -> None:
    for data in (SMALL, LARGE):
        text = encode(data, ["label: customers root key", "share 2 of 5, any 3 recover"])
        assert edit(text) != text
        assert decode(edit(text)) == data


# Remarks and sizes.


def test_remarks_stand_below_the_first_line() -> None:
    remarks = ["customers root key", "", "for Zoë: share 2 of 5, any 3 recover", "# END"]
    lines = encode(SMALL, remarks).splitlines()
    assert lines[1:5] == ["# customers root key", "#", "# for Zoë: share 2 of 5, any 3 recover",
                          "# # END"]  # fmt: skip
    assert decode("\n".join(lines)) == SMALL


@pytest.mark.parametrize(
    "remark", ["a\nEND", "a\r", "\t", "\x1b[2J", "\u2028", "\u202e", "\x85", "\ud800"]
)
def test_a_remark_is_one_line_of_printable_characters(remark: str) -> None:
    with pytest.raises(ParameterError, match="remark 2 is not one line") as caught:
        encode(SMALL, ["fine", remark])
    assert remark not in str(caught.value)


@pytest.mark.parametrize("size", [0, 2001])
def test_sizes_are_checked(size: int) -> None:
    with pytest.raises(ParameterError, match=f"{size} bytes .* 1 to 2000"):
        encode(bytes(size))


# Line by line.


@pytest.mark.parametrize("data", [SMALL, LARGE, b"x", bytes(2000)])
@pytest.mark.parametrize("numbered", [True, False])
def test_lines_are_checked_as_they_are_typed(data: bytes, numbered: bool) -> None:
    lines = encode(data).splitlines()[1:-1]
    if not numbered:
        lines = [line.partition(":")[2] for line in lines]
    assert line_count(lines[0]) == len(lines)
    typed = [check_line(n, line.lower(), lines[0]) for n, line in enumerate(lines, 1)]
    assert typed == [line.partition(": ")[2] or line[1:] for line in lines]
    assert decode("\n".join(typed)) == data
    assert [check_line(n, line) for n, line in enumerate(lines, 1)] == typed
    assert check_line(1, lines[0], typed[0]) == typed[0]
    with pytest.raises(ShareTextError, match=f"there is no line {len(lines) + 1}:"):
        check_line(len(lines) + 1, "00000", lines[0])


@pytest.mark.parametrize("text", ["", "  ", "# a remark", "TALLYSTICK SHARE 1", " end"])
def test_lines_that_hold_nothing(text: str) -> None:
    assert check_line(3, text) == ""


def test_every_wrong_character_of_a_line_is_named_at_once() -> None:
    lines = encode(LARGE).splitlines()[1:-1]
    for index, group in data_places("\n".join(lines)):
        line = lines[group // 6]
        within = index - sum(len(before) + 1 for before in lines[: group // 6])
        with pytest.raises(ShareTextError, match="has a typing error") as caught:
            check_line(group // 6 + 1, changed(line, within, 9), lines[0] if group > 5 else None)
        assert (caught.value.line, caught.value.group) == place(group)
        with pytest.raises(ShareTextError) as caught:
            check_line(group // 6 + 1, line[:within] + line[within + 1 :], lines[0])
        assert place(group) in caught.value.places


@pytest.mark.parametrize(
    ("number", "edit", "said"),
    [
        (3, lambda lines: lines[3], "this is line 4; type line 3"),
        (3, lambda lines: lines[3].partition(":")[2], "line 3, group 1 has a typing error"),
        (3, lambda lines: lines[2] + "00000", "line 3 has 35 characters instead of 30"),
        (3, lambda lines: lines[2][:-6], "line 3 has 25 characters instead of 30"),
        (3, lambda lines: "\n".join(lines), "one line at a time"),
        (3, lambda lines: "TALLYSTICK SHARE 2", "newer version"),
        (14, lambda lines: lines[13][:-6], "line 14 has 20 characters instead of 25"),
    ],
)
def test_messages_of_a_line(number: int, edit: Callable[[list[str]], str], said: str) -> None:
    lines = encode(LARGE).splitlines()[1:-1]
    with pytest.raises(ShareTextError, match=said):
        check_line(number, edit(lines), lines[0])


def test_a_line_that_is_too_long_is_refused_without_line_1() -> None:
    line = encode(LARGE).splitlines()[3]
    with pytest.raises(ShareTextError, match="line 3 has 35 characters instead of 30"):
        check_line(3, line + " 00000")


def test_line_1_must_be_line_1() -> None:
    with pytest.raises(ShareTextError, match=r"line 1, group 1 has several .* newer version"):
        check_line(1, crafted([2 << 15 | 1, 0]))
    lines = encode(LARGE).splitlines()[1:-1]
    for text in ("", "# remark", lines[1], lines[0][:-1], crafted([2 << 15 | 1, 0])):
        with pytest.raises(ShareTextError):
            line_count(text)
    with pytest.raises(ParameterError, match="begin with 1"):
        check_line(0, lines[0])


# Whatever comes.


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    for read in (decode, compact, line_count, partial(check_line, 1), partial(check_line, 7)):
        try:
            read(text)
        except ShareTextError as error:
            assert str(error)


@given(st.data())
def test_a_share_that_is_edited_at_random_is_read_or_refused(data: st.DataObject) -> None:
    text = encode(SMALL, ["remark"])
    for _ in range(data.draw(st.integers(1, 3))):
        begin = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(begin, min(len(text), begin + 40)))
        instead = data.draw(st.text(ALPHABET + ALPHABET.lower() + ":# -\nIOLU", max_size=12))
        text = text[:begin] + instead + text[end:]
    try:
        assert decode(text) == SMALL
    except ShareTextError as error:
        assert len(str(error)) < 1000


def test_nothing_is_shown_of_what_was_typed() -> None:
    (line,) = printed._typed_lines("1: 0G4XK")
    assert repr(line) == "_Line(number=1)"

# SPDX-License-Identifier: Apache-2.0
"""What tokens in text survive: changes that programs and language models make, with rates.

``python -m bench.text_tokens`` prints the table of docs/reference/text-tokens.md. The values, the
texts around them and the changes are generated from a fixed seed.
"""

import base64
import html
import json
import quopri
import random
import re
import tempfile
import textwrap
import unicodedata
import urllib.parse
from collections.abc import Callable
from pathlib import Path

from tallystick.keyring import Keyring, RootKey
from tallystick.text import TextPolicy, TextProtector
from tallystick.text.policy import FRAMES

TRIALS = 300
Change = Callable[[str, random.Random], str]


def _every(text: str, step: int, put: str) -> str:
    return put.join(text[at : at + step] for at in range(0, len(text), step))


def _wrapped(text: str, width: int, prefix: str) -> str:
    return "\n".join(prefix + line for line in textwrap.wrap(text, width, break_on_hyphens=True))


def _references(text: str, form: str) -> str:
    return "".join(c if c.isalnum() or c == " " else form.format(ord(c)) for c in text)


def _markdown(text: str, _: random.Random) -> str:
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", text)


SURVIVED: dict[str, Change] = {
    "upper case": lambda text, _: text.upper(),
    "lower case": lambda text, _: text.lower(),
    "random case": lambda text, draw: "".join(draw.choice((c, c.swapcase())) for c in text),
    "bold, code, quotes": lambda text, _: text.replace("[[", '**`"').replace("]]", '"`**'),
    "Markdown, all punctuation escaped": _markdown,
    "HTML, escaped": lambda text, _: html.escape(text),
    "HTML, decimal references": lambda text, _: _references(text, "&#{};"),
    "HTML, hexadecimal, escaped twice": lambda text, _: html.escape(_references(text, "&#x{:x};")),
    "HTML, line breaks inside": lambda text, _: _every(text, 9, "<br/>\n"),
    "JSON": lambda text, _: json.dumps(text),
    "JSON in JSON": lambda text, _: json.dumps(json.dumps(text)),
    "JSON in JSON in JSON": lambda text, _: json.dumps(json.dumps(json.dumps(text))),
    "percent-encoded": lambda text, _: urllib.parse.quote(text),
    "percent-encoded twice": lambda text, _: urllib.parse.quote(urllib.parse.quote(text)),
    "quoted-printable": lambda text, _: quopri.encodestring(text.encode()).decode(),
    "lines of 72, quoted by >": lambda text, _: _wrapped(text, 72, "> "),
    "lines of 20, quoted twice": lambda text, _: _wrapped(text, 20, "> > "),
    "lines of 40 in a comment (#, //, *)": lambda text, draw: _wrapped(
        text, 40, draw.choice(("# ", "// ", " * "))
    ),
    "soft hyphens, zero-width spaces": lambda text, draw: _every(
        text, 5, draw.choice(("\u00ad", "\u200b", "&shy;"))
    ),
    "hyphens and colons of typography": lambda text, _: text.replace("-", "\u2011").replace(
        ":", "\uff1a"
    ),
    "normal form NFKC": lambda text, _: unicodedata.normalize("NFKC", text),
    "said three times": lambda text, _: text * 3,
    "between other openings": lambda text, _: text.replace("[[", "tly-a-0\u27e6b:1").replace(
        "]]", "tly-\u27e6"
    ),
}
"""Changes after which every token is revealed; tests check that."""

OTHERS: dict[str, Change] = {
    "closing bracket lost": lambda text, _: text.replace("\u27e7", ""),
    "kind translated, with an accent": lambda text, _: text.replace(
        "email", "correo_electr\u00f3nico"
    ),
    "kind of two words": lambda text, _: text.replace("email", "e-mail"),
    "brackets as [ and ]": lambda text, _: text.replace("\u27e6", "[").replace("\u27e7", "]"),
    "what is not ASCII removed": lambda text, _: text.encode("ascii", "ignore").decode(),
    "only the body is left": lambda text, _: re.sub(
        "(\u27e6|tly-)email[:.-]([0-9a-z]*)(\u27e7|@[0-9a-z.]*tly.example)?", r"\2", text
    ),
    "line numbers before lines of 40": lambda text, _: "\n".join(
        f"{number}: {line}" for number, line in enumerate(textwrap.wrap(text, 40), 1)
    ),
    "a character changed": lambda text, draw: _edited(
        text, draw, lambda body, at: body[:at] + ("7" if body[at] != "7" else "8") + body[at + 1 :]
    ),
    "a character lost": lambda text, draw: _edited(
        text, draw, lambda body, at: body[:at] + body[at + 1 :]
    ),
    "two neighbors swapped": lambda text, draw: _edited(
        text, draw, lambda body, at: body[:at] + body[at : at + 2][::-1] + body[at + 2 :]
    ),
    "cut short": lambda text, draw: _edited(text, draw, lambda body, at: body[:at]),
    "base64 of the text": lambda text, _: base64.b64encode(text.encode()).decode(),
}
"""Changes that tokens survive in part, or not."""


def _edited(text: str, draw: random.Random, edit: Callable[[str, int], str]) -> str:
    """Change the body of the token in a text somewhere."""
    start, end = next(re.finditer("email[:.-]([0-9a-z]+)", text)).span(1)
    return text[:start] + edit(text[start:end], draw.randrange(end - start - 1)) + text[end:]


def protector(frame: str, folder: Path) -> TextProtector:
    """Return a protector with a key ring of its own in a folder."""
    root = folder / "root.key"
    root.write_text("5a" * 32)
    root.chmod(0o600)
    ring = Keyring.create(folder / "text.keys", RootKey.parse(f"file:{root}"))
    ring.add("text")
    policy = f'frame = "{frame}"\n[kinds.email]\nkey = "text:1"\nnamespace = "e-mail"\n'
    return TextProtector(TextPolicy.parse(policy), ring)


def value_of(draw: random.Random) -> str:
    """Return a value like an address, of 8 to 60 characters."""
    name = "".join(draw.choices("abcdefghijklmnopqrstuvwxyz0123456789._", k=draw.randint(2, 40)))
    return name + draw.choice(("@example.org", "@mail.example.com"))


def survives(text: TextProtector, change: Change, draw: random.Random) -> bool:
    """Say whether a token is revealed after a change of the text around it."""
    value = value_of(draw)
    before, behind = draw.choice((("", ""), ("Write to [[", "]], please."), ("x", "y")))
    changed = change(before + text.token(value, "email") + behind, draw)
    restorer = text.restorer()
    return value in restorer.finish(changed) and restorer.restored >= 1


def rates(change: Change) -> list[float]:
    """Return the share of tokens that survive a change, in each frame."""
    found = []
    for frame in FRAMES:
        draw = random.Random(26)  # noqa: S311 (the same texts each time)
        with tempfile.TemporaryDirectory() as folder:
            text = protector(frame, Path(folder))
            found.append(sum(survives(text, change, draw) for _ in range(TRIALS)) / TRIALS)
    return found


def main() -> None:
    """Print the table."""
    print("| change | `⟦email:…⟧` | `tly-email-…` | `tly-email.…@tly.example` |\n|---|--:|--:|--:|")
    for name, change in (SURVIVED | OTHERS).items():
        print(f"| {name} | " + " | ".join(f"{rate:.1%}" for rate in rates(change)) + " |")


if __name__ == "__main__":
    main()

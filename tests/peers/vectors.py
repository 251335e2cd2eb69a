# SPDX-License-Identifier: Apache-2.0
"""Vectors of FF1 and FF3-1: NIST's, and what several peers agree on.

``python -m tests.peers.vectors`` writes those of the peers; all of them must be there.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from bench import foreign
from bench.errors import WrongResultError
from tests.peers import peers
from tests.peers.peers import Case, Cipher, Peer, Word

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "peers"


def path(cipher: Cipher, of: str) -> Path:
    """Return the file with the vectors of NIST ("acvp") or of the "peers"."""
    return ROOT / "vectors" / f"{cipher.replace('-', '_')}_{of}.json"


def read(cipher: Cipher, of: str) -> Iterator[tuple[Case, Word]]:
    """Yield each vector as a case of one word, and its token."""
    for one in json.loads(path(cipher, of).read_text()):
        key, tweak = bytes.fromhex(one["key"]), bytes.fromhex(one["tweak"])
        yield (
            Case(cipher, key, one["radix"], tweak, (tuple(one["plaintext"]),)),
            tuple(one["ciphertext"]),
        )


def chosen(cipher: Cipher) -> Iterator[Case]:
    """Yield some words of some cases: a size of the tweak for each radix and size of a key."""
    every = 7 if cipher == "ff1" else 1
    for serial, case in enumerate(peers.cases(cipher)):
        if serial % every == serial // every % every:
            count = len(case.words)
            places = {0, count // 2, (5 * serial + 1) % count}
            if case.radix == 10:
                places |= {at for at, word in enumerate(case.words) if len(word) == 16}
            yield replace(case, words=tuple(case.words[at] for at in sorted(places)))


def agreed(cipher: Cipher, of: Mapping[str, Peer]) -> Iterator[dict[str, object]]:
    """Yield vectors, each with the peers that give the same token.

    Raises
    ------
    WrongResultError
        Two peers differ.
    """
    for case in chosen(cipher):
        tokens: dict[Word, Word] = {}
        whose: dict[Word, list[str]] = {}
        for name, peer in of.items():
            part = peers.part_for(name, case)
            if part is None or not part.words:
                continue
            for word, token in zip(part.words, peer.encrypt(part), strict=True):
                whose.setdefault(word, []).append(name)
                if tokens.setdefault(word, token) != token:
                    raise WrongResultError(f"{whose[word]} differ at radix {case.radix}")
        for word in case.words:
            several = len(whose[word]) > 1
            yield {
                "source": f"{'equal tokens' if several else 'token'} of {', '.join(whose[word])}",
                "radix": case.radix,
                "key": case.key.hex(),
                "tweak": case.tweak.hex(),
                "plaintext": word,
                "ciphertext": tokens[word],
            }


def text(made: Iterable[dict[str, object]]) -> str:
    """Return the text of a file of vectors, one a line."""
    return "[\n" + ",\n".join(json.dumps(one, separators=(",", ":")) for one in made) + "\n]\n"


def main() -> int:
    """Write the vectors of the peers."""
    BUILD.mkdir(parents=True, exist_ok=True)
    programs, missing = foreign.build(BUILD, print)
    if missing:
        print(*missing, sep="\n", file=sys.stderr)
        return 1
    ciphers: tuple[Cipher, ...] = ("ff1", "ff3-1")
    for cipher in ciphers:
        with ExitStack() as stack:
            of = {}
            for name in (name for name, has in peers.NAMES.items() if cipher in has):
                opened = peers.open_peer(name, cipher, programs, stack)
                if isinstance(opened, str):
                    print(opened, file=sys.stderr)
                    return 1
                of[name] = opened
            path(cipher, "peers").write_text(text(agreed(cipher, of)))
    return 0


if __name__ == "__main__":
    sys.exit(main())

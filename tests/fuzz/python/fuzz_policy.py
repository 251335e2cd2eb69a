# SPDX-License-Identifier: Apache-2.0
"""A policy's text: it is refused, or its columns work, and another key changes the key alone."""

import harness
from harness import KEY, NEW, OLD, Folder, fuzz, refusing
from tallystick.formats import PRESETS
from tallystick.policy import Policy, policy_text
from tallystick.policy.rotation import check_rotatable, text_with_keys, with_keys
from tallystick.tokenizer import Tokenizer

WORDS = [
    *(
        "[columns]",
        "[columns.",
        "[csv]",
        "format",
        "key",
        "namespace",
        "tweak",
        "on_invalid",
        "version = 1",
    ),
    *("cipher", "fast", "ff1", "ff1-2016", "ff3-1", "tweak_hex"),
    *("type", "people:1", "people:2", "error", "null", "keep", "separators", "keep_first", "case"),
    *("keep_last", "min_length", "max_length", "kept_as_tweak", "allow_tiny_domain", "alphabet"),
    *(
        "luhn",
        "valid",
        "invalid",
        "none",
        "part",
        "all",
        "at",
        "tokens.invalid",
        "local",
        "lower",
        "upper",
        "mixed",
    ),
    *(
        "first",
        "last",
        "notation",
        "YYYY-MM-DD",
        "min",
        "max",
        "pattern",
        "kind",
        "script",
        "scale",
    ),
    *("resolution", "prefix", "character", "width", "length", "delimiter", "quote", "header"),
    *("skip_initial_space", "true", "false", "2020-02-29", "1970-01-01T00:00:00Z", '"""', "'''"),
    *("days", "origin", "top", "edges", "unit", "quarter", "label", "low", "characters"),
    *(
        "decimals",
        "br.cpf",
        "devanagari",
        "[A-HJ-NP-Z]",
        "(9)",
        "\\u0041",
        "= {",
        "}\n",
        " = 18",
        *PRESETS,
    ),
]
folder = Folder()
ring = harness.ring()
held = {str(info.id) for info in ring.keys()}  # noqa: SIM118 (a method of ours)


def one(data: bytes) -> None:
    """Read, use and rewrite a policy."""
    path = folder.file("policy.toml", data)
    with refusing():
        policy = Policy.load(path)
        text = policy_text(path)
        for rule in policy.rules:
            tokenizer = Tokenizer(
                rule.form,
                KEY if rule.form.keyed else None,
                namespace=rule.namespace,
                on_invalid=rule.on_invalid,
            )
            tweak = "of a person" if rule.form.label == "date_shift" else None
            reads = rule.form.cipher == "ff3-1"  # and makes no tokens
            for value in () if reads else rule.form.examples:
                token = tokenizer.protect(value, tweak)
                if not rule.form.one_way and tokenizer.reveal(token, tweak) != value:
                    raise AssertionError("an example does not come back")
            tokenizer.close()
        keys = {OLD: NEW}
        wanted = with_keys(policy, keys)
        changed = Policy.parse(text_with_keys(text, keys, "policy"))
        if not any(rule.form.one_way for rule in policy.rules):
            check_rotatable(policy, changed, ("old", "new"))
        if changed != wanted:
            raise AssertionError("the text with other keys is another policy")


if __name__ == "__main__":
    fuzz(one, WORDS)

# SPDX-License-Identifier: Apache-2.0
"""The page for trying, in a browser: it works from disk, and asks the network for nothing."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python" / "tests"))

import chromium  # noqa: E402
import firefox  # noqa: E402
from program import set_defaults  # noqa: E402
from tab import Tab  # noqa: E402
from tallystick.cli.main import run  # noqa: E402
from tallystick.keyring import Keyring, RootKey  # noqa: E402
from tallystick.shares import printed, split  # noqa: E402

PAGE = ROOT / "build" / "js" / "page" / "index.html"
AXE = ROOT / "build" / "js" / "node_modules" / "axe-core" / "axe.min.js"
READY = "document.querySelectorAll('#preview tbody tr').length > 0"
SHARES = json.loads((ROOT / "vectors" / "share_printed.json").read_text(encoding="utf-8"))
CONTROLS = "[...document.querySelectorAll('input, select, textarea, button')]"


def texts_of(selector: str) -> str:
    """Return an expression for the texts of elements."""
    return f"[...document.querySelectorAll({json.dumps(selector)})].map((one) => one.textContent)"


TOKENS = texts_of("#preview .token")
CSV = "document.getElementById('csv').value"
VERDICTS = texts_of("#shares tbody td:nth-child(2)")


@pytest.fixture(scope="module", params=[chromium, firefox], ids=["chromium", "firefox"])
def shared(request: pytest.FixtureRequest) -> Iterator[Tab]:
    if request.param.PROGRAM is None:
        pytest.skip(f"no {request.param.__name__}")
    with request.param.Browser() as found:
        yield found


@pytest.fixture
def page(shared: Tab) -> Tab:
    shared.size(1280, 900)
    shared.open(PAGE)
    shared.wait(READY)
    return shared


def set_value(page: Tab, selector: str, value: str, event: str = "input") -> None:
    """Do what typing or choosing does."""
    page.evaluate(
        f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.value = "
        f"{json.dumps(value)}; e.dispatchEvent(new Event('{event}')); }})()"
    )


def text(page: Tab, selector: str) -> Any:  # noqa: ANN401
    return page.evaluate(f"document.querySelector({json.dumps(selector)}).textContent")


def choose(page: Tab, column: str, name: str) -> None:
    set_value(page, f'[aria-label="Format of column {column}"]', name, "change")


def drop(page: Tab, control: str, files: dict[str, bytes]) -> None:
    """Do what dropping files on the label of a control does."""
    given = json.dumps({name: [*data] for name, data in files.items()})
    page.evaluate(
        "(() => { const data = new DataTransfer(); "
        f"for (const [name, bytes] of Object.entries({given})) "
        "data.items.add(new File([Uint8Array.from(bytes)], name)); "
        f"const label = document.querySelector({json.dumps(control)}).closest('label'); "
        "for (const type of ['dragenter', 'dragover', 'drop']) label.dispatchEvent("
        "new DragEvent(type, {dataTransfer: data, cancelable: true, bubbles: true})); })()"
    )


def test_files_are_dropped_and_chosen(page: Tab, tmp_path: Path) -> None:
    names = f"{texts_of('#columns tbody th')}.join()"
    drop(page, "#file", {"people.csv": b"uid;mail\n7;zoe@example.org\n"})
    page.wait(f"{names} === 'uid,mail'")
    assert page.evaluate("document.querySelectorAll('.over').length") == 0
    assert page.evaluate("document.getElementById('csv').value").startswith("uid;mail")
    assert 'delimiter = ";"' in page.evaluate("document.getElementById('policy').value")
    (tmp_path / "other.csv").write_text("card\n4111111111111111\n", encoding="utf-8")
    page.choose_files("#file", [tmp_path / "other.csv"])
    page.wait(f"{names} === 'card'")
    own = split(b"secret", shares=3, threshold=2)
    drop(page, "#share-files", {"a": own[0], "b": printed.encode(own[2]).encode()})
    page.wait("document.querySelectorAll('#shares tbody tr').length === 2")
    assert page.evaluate(VERDICTS) == ["good", "good"]


def test_an_example_is_the_first_token_or_a_valid_value(page: Tab) -> None:
    examples = texts_of("#columns tbody th + td + td")
    found = dict(zip(("id", "name", "ssn"), page.evaluate(examples), strict=False))
    assert found["id"] == ""
    assert found["ssn"] == page.evaluate(TOKENS)[0]
    choose(page, "name", "iban")
    assert page.evaluate(examples)[1].startswith("valid: ")


def test_the_policy_is_copied(page: Tab) -> None:
    copied = "document.getElementById('copied').textContent"
    for write, said in (
        ("(text) => { window.taken = text; return Promise.resolve() }", "Copied."),
        ("() => Promise.reject(new Error())", "It is selected: press Ctrl+C."),
    ):
        page.evaluate(
            "Object.defineProperty(navigator, 'clipboard', "
            f"{{value: {{writeText: {write}}}, configurable: true}}) && 0"
        )
        page.evaluate("document.getElementById('copy').click()")
        page.wait(f"{copied} === {json.dumps(said)}")
    policy = page.evaluate("document.getElementById('policy').value")
    assert page.evaluate("window.taken") == policy
    assert page.evaluate("getSelection().toString()") in (policy, "")
    assert page.evaluate("document.getElementById('policy').selectionEnd") == len(policy)


def test_it_loads_nothing_and_complains_of_nothing(page: Tab) -> None:
    page.evaluate(
        "addEventListener('securitypolicyviolation', () => { window.violated = true }) || 0"
    )
    drop(page, "#file", {"people.csv": b"id,mail\n7,zoe@example.org\n"})
    page.wait(f"{texts_of('#columns tbody th')}.join() === 'id,mail'")
    choose(page, "id", "integer")
    set_value(page, '[aria-label="Options of column id"]', "min = 0, max = 9999999")
    for button in ("key", "copy", "theme"):
        page.evaluate(f"document.getElementById('{button}').click()")
    drop(page, "#share-files", {"a": split(b"secret", shares=2, threshold=2)[0]})
    page.wait("document.querySelectorAll('#shares tbody tr').length === 1")
    page.evaluate("document.getElementById('forget').click()")
    assert set(page.asked) == {PAGE.as_uri()}
    assert page.evaluate("window.violated") is None
    for attempt, directive in (
        ("fetch('https://pixel.invalid/').catch(() => 0)", "connect-src"),
        ("Object.assign(new Image(), {src: 'https://pixel.invalid/a.png'})", "img-src"),
        ("Object.assign(document.createElement('script'), {textContent: '1'})", "script-src-elem"),
    ):
        found = page.evaluate(
            "new Promise((done) => { addEventListener('securitypolicyviolation', "
            f"(event) => done(event.effectiveDirective)); document.body.append({attempt}) }})"
        )
        assert found == directive


def test_columns_are_recognized_and_protected(page: Tab) -> None:
    chosen = "[...document.querySelectorAll('select[aria-label^=Format]')]"
    assert page.evaluate(f"{chosen}.map((one) => one.value).join()") == ",,ssn,email,date,card"
    tokens = page.evaluate(TOKENS)
    assert len(tokens) == 12
    assert tokens[3].endswith("1111")
    assert "jane.doe" not in " ".join(tokens)
    page.evaluate("document.getElementById('key').click()")
    assert page.evaluate(TOKENS) != tokens


def test_what_is_not_protected_is_named(page: Tab) -> None:
    warnings = text(page, "#warnings")
    assert "id: choose a format, or keep it in clear" in warnings
    assert "birth: small domain" in warnings
    choose(page, "id", "keep")
    assert "id stays in clear." in text(page, "#warnings")
    choose(page, "name", "digits")
    assert "name: 3 of 3 values are invalid" in text(page, "#warnings")
    assert page.evaluate("document.querySelectorAll('#preview .bad').length") == 3
    choose(page, "name", "mask")
    assert "name: tokens of mask can't be revealed" in text(page, "#warnings")


NOTES = "['preview-note', 'policy-note'].map((id) => document.getElementById(id).innerText)"


@pytest.mark.parametrize(
    ("field", "wrong", "right", "event"),
    [
        ("Options", "keep_lost = 4", "keep_last = 6", "input"),
        ("Namespace", "", "cards", "input"),
        ("Tweak column", "id", "", "input"),
    ],
)
def test_a_mistake_is_announced_at_its_field(
    page: Tab, field: str, wrong: str, right: str, event: str
) -> None:
    if field == "Tweak column":
        choose(page, "card", "mask")
    place = f'[aria-label="{field} of column card"]'
    set_value(page, place, wrong, event)
    said = text(page, "#columns .bad")
    assert said
    if field == "Options":
        assert "keep_last" in said
    invalid = "[...document.querySelectorAll('[aria-invalid=true]')]"
    assert page.evaluate(f"{invalid}.map((one) => one.ariaLabel)") == [f"{field} of column card"]
    assert (
        page.evaluate(
            f"document.getElementById({invalid}[0].getAttribute('aria-describedby')).textContent"
        )
        == said
    )
    warning = page.evaluate("document.querySelector('#warnings[aria-live] li').textContent")
    assert warning.startswith(f"card: {said}")
    assert "not protected" in warning
    notes = page.evaluate(NOTES)
    assert all("Not protected" in note and "card" in note for note in notes), notes
    policy = page.evaluate("document.getElementById('policy').value")
    assert '# "card" is not protected' in policy
    assert "card" not in tomllib.loads(policy)["columns"]
    set_value(page, place, right, event)
    assert page.evaluate(f"{invalid}.length") == 0
    assert page.evaluate("document.querySelectorAll('#columns .bad').length") == 0
    assert page.evaluate(NOTES) == ["", ""]


@pytest.mark.parametrize(
    ("csv", "said"),
    [
        ("a,b\n1,2\n7654321\n", "row 2 has 1 field, not 2"),
        ("a,b\n1,2,7654321\n", "row 1 has 3 fields, not 2"),
        ('a,b\n\n1,"7654321"8\n', "row 1 has text after a closing quote"),
        ('a,b\n1,"7654321\n', "row 1 has a quote that is never closed"),
        ('a,"b"7654321\n1,2\n', "the header has text after a closing quote"),
    ],
)
def test_a_table_that_a_run_refuses_is_named(page: Tab, csv: str, said: str) -> None:
    set_value(page, "#csv", csv)
    notes = [*page.evaluate(NOTES), text(page, "#table-note[role=status]")]
    assert notes == [f"A run refuses this table: {said}. Correct it."] * 3
    set_value(page, "#csv", "a,b\n1,2\n")
    assert page.evaluate(NOTES) == ["", ""]
    assert text(page, "#table-note") == "2 columns and 1 rows."


def test_without_webassembly_or_scripts_the_page_says_so(shared: Tab, tmp_path: Path) -> None:
    whole = PAGE.read_text(encoding="utf-8")
    (tmp_path / "page.html").write_text(whole.replace("'wasm-unsafe-eval' ", ""), encoding="utf-8")
    shared.open(tmp_path / "page.html")
    shared.wait("document.querySelector('#failed[role=alert]').innerText.includes('WebAssembly')")
    assert shared.evaluate("document.getElementById('csv').offsetParent") is None
    (noscript,) = re.findall(r"<noscript>(.*?)</noscript>", whole, re.DOTALL)
    assert "This page needs JavaScript." in noscript


def test_keys_are_enough(page: Tab) -> None:
    formats = "document.querySelector('[aria-label=\"Format of column id\"]')"
    page.evaluate(f"{formats}.focus()")
    page.press("ArrowDown")
    page.wait(f"{formats}.value === 'keep'")
    assert "id stays in clear." in text(page, "#warnings")
    for key in "mask":
        page.press(key)
    page.wait("document.getElementById('warnings').textContent.includes('id: tokens of mask')")
    page.press("Tab")
    for key in "characters":
        page.press(key)
    assert text(page, "#columns .bad")
    theme = "document.documentElement.dataset.theme"
    before = page.evaluate(theme)
    for key in (" ", "Enter"):
        page.evaluate("document.getElementById('theme').focus()")
        page.press(key)
        page.wait(f"({theme} === {json.dumps(before)}) === {json.dumps(key == 'Enter')}")
        page.evaluate("document.getElementById('copied').textContent = ''")
        page.evaluate("document.getElementById('copy').focus()")
        page.press(key)
        page.wait("document.getElementById('copied').textContent !== ''")


def test_the_policy_protects_the_same_table(
    page: Tab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("a.b", 'c "d"', "e[].g", "f{}", "phone")
    header = ";".join('"' + name.replace('"', '""') + '"' for name in names)
    (tmp_path / "given.csv").write_text(f"{header}\n1;x;y;z;+43 660 1234567\n", encoding="utf-8")
    set_value(page, "#csv", (tmp_path / "given.csv").read_text(encoding="utf-8"))
    choose(page, "a.b", "keep")
    for name in names[1:4]:
        choose(page, name.replace('"', '\\"'), "mask")
    set_value(page, '[aria-label="Tweak column of column phone"]', "a.b")
    policy = page.evaluate("document.getElementById('policy').value")
    assert tomllib.loads(policy)["csv"] == {"delimiter": ";"}
    (tmp_path / "page.toml").write_text(policy, encoding="utf-8")
    root = RootKey.generate_file(tmp_path / "root.key")
    Keyring.create(tmp_path / "page.keys", root).add("people")
    monkeypatch.chdir(tmp_path)
    set_defaults(monkeypatch, "page.toml", "page.keys")
    assert run(["protect", "given.csv", "made.csv"]) == 0
    kept, *masked, phone = (tmp_path / "made.csv").read_text("utf-8").splitlines()[1].split(";")
    assert (kept, masked) == ("1", ["*", "*", "*"])
    assert re.fullmatch(r"\+[\d ]+", phone)
    assert phone != "+43 660 1234567"


def test_shares(page: Tab, tmp_path: Path) -> None:
    own, other = (split(b"secret", shares=3, threshold=2) for _ in range(2))
    texts = [printed.encode(one) for one in own]
    set_value(page, "#share-text", texts[0])
    assert page.evaluate(VERDICTS) == ["good"]
    assert "recover" not in text(page, "#share-note").split("needed")[0]
    set_value(page, "#share-text", "\n".join([texts[2], "# remark", texts[0].lower()]))
    assert page.evaluate(VERDICTS) == ["good", "good"]
    assert text(page, "#share-note") == "These shares recover the secret: 2 good, and 2 are needed."
    set_value(page, "#share-text", "".join([*texts[:2], printed.encode(other[0]), texts[0]]))
    assert page.evaluate(VERDICTS) == ["good", "good", "foreign", "repeated"]
    set_value(page, "#share-text", texts[0].replace("1: 1", "1: 2"))
    assert page.evaluate(VERDICTS)[0].startswith("malformed: line 1, group 1 is wrong")
    assert text(page, "#share-note") == "No share is good."
    assert "secret" not in page.evaluate("document.querySelector('#shares').textContent")

    damaged = bytearray(own[1])
    damaged[-1] ^= 1
    for name, data in (("a", own[1]), ("b", bytes(damaged)), ("c", texts[2].encode())):
        (tmp_path / name).write_bytes(data)
    page.evaluate("document.getElementById('forget').click()")
    page.choose_files("#share-files", [tmp_path / name for name in "abc"])
    page.wait("document.querySelectorAll('#shares tbody tr').length === 3")
    assert page.evaluate(VERDICTS) == ["good", "damaged", "good"]
    page.evaluate("document.getElementById('forget').click()")
    assert page.evaluate("document.getElementById('shares').hidden")


@pytest.mark.parametrize("case", SHARES)
def test_printed_shares_are_read_as_the_specification_says(page: Tab, case: Any) -> None:  # noqa: ANN401
    row = "document.querySelector('#shares tbody td').textContent"
    for given in (case["printed"], case["compact"]):
        set_value(page, "#share-text", given)
        assert page.evaluate(row) == "malformed"  # as a share: its text has no error
    for one in case["refused"]:
        set_value(page, "#share-text", one["printed"])
        assert page.evaluate(row).startswith("malformed: "), one["why"]
        if one["why"] == "a wrong character":
            ((line, group),) = one["places"]
            assert f"line {line}, group {group} is wrong" in page.evaluate(row)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [1280, 390])
def test_anyone_can_use_it(page: Tab, width: int, dark: bool) -> None:
    """No finding of axe-core; nothing is wider than the window; controls are reached by keys."""
    page.size(width, 900)
    theme = "document.documentElement.dataset.theme"
    if page.evaluate(theme) != ("dark" if dark else "light"):
        page.evaluate("document.getElementById('theme').click()")
    set_value(page, "#share-text", SHARES[0]["printed"])
    set_value(page, '[aria-label="Options of column card"]', "keep_lost = 4")
    set_value(page, "#csv", f"{page.evaluate(CSV)}4\n")
    assert all("row 4" in note and "card" in note for note in page.evaluate(NOTES))
    page.run(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run().then((found) => JSON.stringify(found.violations, null, 1))")
    assert found == "[]"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.picture(PAGE.parent / f"{page.name}-{width}-{'dark' if dark else 'light'}.png")
    controls = page.evaluate(f"{CONTROLS}.length")
    seen = set()
    for _ in range(2 * controls + 10):
        page.press("Tab")
        seen.add(page.evaluate(f"{CONTROLS}.indexOf(document.activeElement)"))
    assert seen >= set(range(controls))

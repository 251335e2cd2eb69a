# SPDX-License-Identifier: Apache-2.0
"""A policy with its keys opened: the tokens of files, errors that say where, keys that go."""

from __future__ import annotations

import gc
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest

from frames_support import POLICY
from tallystick import (
    Counts,
    InvalidValueError,
    KeyringError,
    ParameterError,
    PolicyError,
    Protector,
    TallyError,
    Tokenizer,
)
from tallystick.files.marker import with_marker
from tallystick.keyring import Keyring, RootKey
from tallystick.policy import Policy


def test_tokens_are_those_of_files(protector: Protector, plain: pa.Table, tokens: pa.Table) -> None:
    assert protector.columns == ("card", "name", "born", "points")
    assert protector.protect(plain).equals(tokens)
    assert protector.reveal(tokens).equals(plain)
    assert tokens.column("id").equals(plain.column("id"))
    for name in protector.columns:
        assert not tokens.column(name).equals(plain.column(name))


def test_a_batch_and_a_reader(protector: Protector, plain: pa.Table, tokens: pa.Table) -> None:
    batch = plain.to_batches()[0]
    assert protector.protect(batch).equals(tokens.combine_chunks().to_batches()[0])
    reader = protector.protect(plain.to_reader(max_chunksize=300))
    assert isinstance(reader, pa.RecordBatchReader)
    assert protector.reveal(reader).read_all().equals(plain)


@pytest.mark.parametrize("inside", [False, True])
def test_metadata_of_a_field_keeps_no_values(ring: Keyring, *, inside: bool) -> None:
    """Polars lists the values of an Enum there; all else stays."""
    kind = pl.Enum(["alice", "bob", "unused"])
    frame = pl.DataFrame({"name": pl.Series(["alice", "bob"], dtype=kind), "other": [1, 2]})
    column = "whole.name" if inside else "name"
    table = pl.DataFrame({"whole": frame.to_struct()}) if inside else frame
    rule = f'[columns]\n"{column}" = {{ format = "letters", key = "people:1", namespace = "n" }}\n'
    policy = Policy.parse(f'unlisted = "keep"\n{rule}')
    given = table.to_arrow()
    assert b"_PL_ENUM_VALUES" in given.schema.serialize().to_pybytes()
    made = Protector(policy, ring).protect(given)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, made.schema) as writer:
        writer.write_table(made)
    shown = sink.getvalue().to_pybytes()
    assert b"unused" not in shown
    assert pa.ipc.open_stream(shown).read_all().num_rows == 2


def test_a_reader_is_read_only_as_far_as_asked(protector: Protector, plain: pa.Table) -> None:
    taken = []

    def batches() -> object:
        for batch in plain.to_batches(max_chunksize=10):
            taken.append(len(batch))
            yield batch

    reader = protector.protect(pa.RecordBatchReader.from_batches(plain.schema, batches()))
    reader.read_next_batch()
    assert len(taken) < 5


def test_columns_one_by_one(protector: Protector, plain: pa.Table, tokens: pa.Table) -> None:
    card, name, row = plain.column("card"), plain.column("name"), plain.column("id")
    assert protector.protect_column("card", card).equals(tokens.column("card"))
    assert protector.protect_column("name", name, row).equals(tokens.column("name"))
    assert protector.reveal_column("name", tokens.column("name"), row).equals(name)
    with pytest.raises(ParameterError, match=r"needs the tweaks of 'id'"):
        protector.protect_column("name", name)
    with pytest.raises(ParameterError, match=r"has no tweak"):
        protector.protect_column("card", card, row)
    with pytest.raises(ParameterError, match=r"no column 'cart'; its columns are: 'card', 'name'"):
        protector.protect_column("cart", card)


def test_metadata_stays(protector: Protector, plain: pa.Table) -> None:
    field = plain.schema.field("card").with_metadata({"of": "field"})
    schema = plain.schema.set(1, field).with_metadata({"of": "table"})
    table = protector.protect(plain.cast(schema))
    assert with_marker(table.schema, None).equals(schema, check_metadata=True)
    assert protector.reveal(table).schema.equals(schema, check_metadata=True)


def test_dictionaries(protector: Protector, plain: pa.Table, tokens: pa.Table) -> None:
    encoded = plain.set_column(1, "card", plain.column("card").dictionary_encode())
    made = protector.protect(encoded)
    assert made.schema == encoded.schema
    assert made.column("card").cast(pa.string()).equals(tokens.column("card"))


@pytest.mark.parametrize("kind", [pa.large_string(), pa.string_view()])
def test_other_text(protector: Protector, plain: pa.Table, tokens: pa.Table, kind: object) -> None:
    schema = pa.schema([(f.name, kind if f.type == pa.string() else f.type) for f in plain.schema])
    made = protector.protect(plain.cast(schema))
    assert made.schema == schema
    assert made.cast(tokens.schema).equals(tokens)
    row = plain.column("id").cast(pa.string()).cast(kind)
    names = protector.protect_column("name", plain.column("name"), row)
    assert names.equals(tokens.column("name"))


def test_short_views_inside_others(ring: Keyring) -> None:
    """Of a cast from short text pyarrow 18 has views without a buffer, which it can't export."""
    views = pa.array(["anne", None, "bob"]).cast(pa.string_view())
    keys, offsets = pa.array(["k"] * 3), pa.array([0, 1, 2, 3], pa.int32())
    batch = pa.RecordBatch.from_arrays(
        [
            pa.StructArray.from_arrays([views], ["inner"]),
            pa.ListArray.from_arrays(offsets, views),
            pa.MapArray.from_arrays(offsets, keys, views),
            pa.DictionaryArray.from_arrays(pa.array([2, 0, 1]), views),
            views,
        ],
        ["struct", "list", "map", "dictionary", "views"],
    )
    rule = '"{}" = {{ format = "letters", key = "people:1", namespace = "name" }}'
    rules = [rule.format(path) for path in ("struct.inner", "list[]", "map{}", "views")]
    text = "\n".join(['keep = ["dictionary"]', "[columns]", *rules])
    protector = Protector(Policy.parse(text), ring)
    tool = protector.tokenizer("views")
    made = protector.protect(batch)
    assert made.schema == batch.schema
    assert made.column("views").to_pylist() == tool.protect(pa.array(views.to_pylist())).to_pylist()
    assert made.column("dictionary").to_pylist() == batch.column("dictionary").to_pylist()
    assert protector.reveal(made).to_pydict() == batch.to_pydict()


def test_a_value_that_does_not_fit_is_named_by_row_and_not_shown(
    protector: Protector, ring: Keyring
) -> None:
    batch = pa.record_batch({"card": ["4111111111111111", "41111x1111111111"]})
    with Protector(protector.policy, ring, missing="ignore") as lenient:
        reader = pa.RecordBatchReader.from_batches(batch.schema, [batch.slice(0, 1), batch])
        with pytest.raises(InvalidValueError, match=r"^column 'card', row 1: .*; correct") as first:
            lenient.protect(batch)
        with pytest.raises(InvalidValueError, match=r"row 2: .*; correct"):
            lenient.protect(reader).read_all()
        with pytest.raises(InvalidValueError, match=r"it can't be a token of this policy"):
            lenient.reveal(batch)
    assert "41111x" not in str(first.value)
    assert first.value.row == 1


def test_missing_and_double_columns(protector: Protector, ring: Keyring, plain: pa.Table) -> None:
    less = plain.drop_columns(["born"])
    with pytest.raises(
        ParameterError, match=r"no column 'born', unless missing='ignore'; its columns"
    ):
        protector.protect(less)
    with Protector(protector.policy, ring, missing="ignore") as lenient:
        assert lenient.reveal(lenient.protect(less)).equals(less)
        with pytest.raises(
            ParameterError, match=r"no column 'id', the tweak of 'name'; its columns are"
        ):
            lenient.protect(less.drop_columns(["id"]))
        with pytest.raises(ParameterError, match=r"2 columns are named 'card'"):
            lenient.protect(less.append_column("card", less.column("card")))
    with pytest.raises(ParameterError, match=r"missing must be"):
        Protector(protector.policy, ring, missing="drop")  # type: ignore[arg-type]


def test_types_that_do_not_go(protector: Protector, plain: pa.Table) -> None:
    table = plain.set_column(1, "card", pa.array(range(len(plain))))
    with pytest.raises(PolicyError, match=r"^column 'card': format 'card' can't be used"):
        protector.protect(table)
    with pytest.raises(ParameterError, match=r"not dict"):
        protector.protect({"card": []})  # type: ignore[call-overload]


def test_a_null_in_a_field_that_has_none(ring: Keyring) -> None:
    lenient = Policy.parse(
        '[columns]\na = { format = "ssn", key = "people:1", namespace = "a", on_invalid = "null" }'
    )
    schema = pa.schema([pa.field("a", pa.string(), nullable=False)])
    with Protector(lenient, ring) as p:
        with pytest.raises(PolicyError, match=r"column 'a' must not have nulls"):
            p.protect(pa.table({"a": ["no number"]}, schema))
        assert p.protect(pa.table({"a": ["no number"]})).column("a").null_count == 1


def test_what_is_not_given_is_in_the_environment(
    directory: Path,
    ring: Keyring,
    plain: pa.Table,
    tokens: pa.Table,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    policy = directory / "people.toml"
    policy.write_text(POLICY)
    for name in ("POLICY", "KEYRING", "ROOT"):
        monkeypatch.delenv(f"TALLYSTICK_{name}", raising=False)
    with pytest.raises(ParameterError, match=r"no policy: pass it, or set TALLYSTICK_POLICY"):
        Protector.open()
    with pytest.raises(ParameterError, match=r"no keyring: .*TALLYSTICK_KEYRING"):
        Protector.open(policy)
    with pytest.raises(ParameterError, match=r"no root: .*TALLYSTICK_ROOT"):
        Protector.open(policy, directory / "a.keys")
    root = f"file:{directory / 'root.key'}"
    with Protector.open(str(policy), directory / "a.keys", root) as given:
        assert given.protect(plain).equals(tokens)
    with Protector.open(Policy.parse(POLICY), ring) as objects:
        assert objects.protect(plain).equals(tokens)
    with Protector.open(policy, directory / "a.keys", RootKey.parse(root)) as mixed:
        assert mixed.protect(plain).equals(tokens)
    monkeypatch.setenv("TALLYSTICK_POLICY", str(policy))
    monkeypatch.setenv("TALLYSTICK_KEYRING", str(directory / "a.keys"))
    monkeypatch.setenv("TALLYSTICK_ROOT", root)
    with Protector.open() as found:
        assert found.protect(plain).equals(tokens)


def test_a_protector_that_can_only_protect(
    ring: Keyring, plain: pa.Table, tokens: pa.Table
) -> None:
    with Protector.open(Policy.parse(POLICY), ring, reveal=False) as protector:
        assert protector.protect(plain).equals(tokens)
        tokenizer, cards = protector.tokenizer("card"), tokens["card"]
        reader = tokens.to_reader()
        for reveal in (
            lambda: protector.reveal(tokens),
            lambda: protector.reveal(reader),
            lambda: protector.reveal_column("card", cards),
            lambda: tokenizer.reveal(cards),
            lambda: tokenizer.reveal(cards.chunk(0)),
            lambda: tokenizer.reveal("4111111111111111"),
            lambda: tokenizer.transform(cards.chunk(0), decrypt=True, counts=Counts()),
            lambda: tokenizer.outcome(cards.chunk(0), decrypt=True),
        ):
            with pytest.raises(TallyError, match="can only protect: it was made with reveal=False"):
                reveal()


def test_after_closing_nothing_is_left(ring: Keyring, plain: pa.Table) -> None:
    protector = Protector(Policy.parse(POLICY), ring)
    tokenizer = protector.tokenizer("card")
    protector.close()
    protector.close()
    with pytest.raises(TallyError, match=r"closed"):
        protector.protect(plain)
    with pytest.raises(TallyError, match=r"closed"):
        tokenizer.protect("4111111111111111")


def test_without_a_key_of_the_policy_those_before_it_are_closed(
    ring: Keyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[Tokenizer] = []
    monkeypatch.setattr(Tokenizer, "close", lambda self: closed.append(self))
    rules = '[columns]\na = {{ format = "digits", key = "people:1", namespace = "a" }}\n{}'
    other = 'b = { format = "digits", key = "people:99", namespace = "b" }'
    with pytest.raises(KeyringError, match=r"column 'b'"):
        Protector(Policy.parse(rules.format(other)), ring)
    assert len(closed) == 1


def test_a_tokenizer_outlives_its_protector(ring: Keyring) -> None:
    protector = Protector(Policy.parse(POLICY), ring, reveal=False)
    tokenizer = protector.tokenizer("card")
    del protector
    gc.collect()
    assert tokenizer.protect("4111111111111111")
    with pytest.raises(TallyError, match="can only protect"):
        tokenizer.reveal("4111111111111111")

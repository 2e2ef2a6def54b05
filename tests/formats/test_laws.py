"""Every format passes every law, on its samples, on random entries and on damaged bytes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from talktree.files import Source, load
from talktree.formats import get_format
from talktree.formats.engine import DocumentOrigin, read_document
from talktree.formats.format import Record
from talktree.model.message import Message
from talktree.model.parts import Text
from talktree.testing import contract
from talktree.testing.strategies import any_text, damage_bytes
from tests.formats.cases import SLUGS, all_samples, in_memory, messages, name, sources

every_sample = pytest.mark.parametrize(("slug", "path"), all_samples(), ids=name)
good_samples = pytest.mark.parametrize(("slug", "path"), all_samples("good"), ids=name)
every_format = pytest.mark.parametrize("slug", SLUGS)


@every_sample
def test_unchanged_document_writes_identical_bytes(slug: str, path: Path) -> None:
    contract.check_unchanged_document_writes_identical_bytes(get_format(slug), load(path))


@every_sample
def test_records_know_their_places(slug: str, path: Path) -> None:
    contract.check_record_positions(get_format(slug), load(path))


@every_sample
def test_putting_back_changes_nothing(slug: str, path: Path) -> None:
    contract.check_put_get(get_format(slug), load(path))


@every_sample
def test_detection_picks_it(slug: str, path: Path) -> None:
    contract.check_detection(get_format(slug), load(path))


@every_sample
def test_edit_changes_one_record(slug: str, path: Path) -> None:
    contract.check_edit_changes_one_record(get_format(slug), load(path), text="changed\nü")


@good_samples
def test_good_samples_have_no_findings(slug: str, path: Path) -> None:
    found = read_document(load(path), get_format(slug)).findings
    assert [each for each in found if each.severity != "note"] == []


@every_format
def test_there_are_good_and_bad_samples(slug: str) -> None:
    assert sources(slug, "good")
    assert sources(slug, "bad")


@every_format
@given(data=st.data())
def test_new_entry_reads_back(slug: str, data: st.DataObject) -> None:
    contract.check_new_entry_reads_back(get_format(slug), data.draw(messages(slug)))


@every_format
@given(data=st.data())
def test_appended_entry_is_read(slug: str, data: st.DataObject) -> None:
    source = data.draw(st.sampled_from(sources(slug, "good")))
    contract.check_appended_entry(get_format(slug), source, data.draw(messages(slug)))


@every_format
@given(data=st.data())
def test_reading_sees_what_was_put(slug: str, data: st.DataObject) -> None:
    format = get_format(slug)
    source = data.draw(st.sampled_from(sources(slug, "good")))
    record = data.draw(st.sampled_from(_message_records(source, slug)))
    text = data.draw(any_text)
    entry = format.get(record)
    assert isinstance(entry, Message)
    parts = tuple(
        replace(part, text=text) if isinstance(part, Text) else part for part in entry.parts
    )
    contract.check_get_put(format, replace(entry, parts=parts), record)


def _message_records(source: Source, slug: str) -> list[Record]:
    document = read_document(source, get_format(slug))
    origin = document.origin
    assert isinstance(origin, DocumentOrigin)
    return [
        origin.record(number, *conversation.names(position))
        for conversation in document.conversations
        for position, number in enumerate(conversation.members)
        if conversation.skeleton.traits[position]
    ]


@every_format
@given(data=st.data())
def test_damaged_bytes_get_an_answer(slug: str, data: st.DataObject) -> None:
    source = data.draw(st.sampled_from(sources(slug)))
    files = source.as_bytes()
    path = data.draw(st.sampled_from(sorted(files)))
    files[path] = data.draw(damage_bytes(files[path]))
    broken = contract.make_source(files, folder=source.folder)
    contract.check_any_bytes(get_format(slug), broken)


@every_format
@given(raw=st.binary(max_size=300))
def test_random_bytes_get_an_answer(slug: str, raw: bytes) -> None:
    contract.check_any_bytes(get_format(slug), Source.of_bytes(raw, name="random.jsonl"))


def test_samples_in_memory_equal_samples_on_disk() -> None:
    for slug, path in all_samples():
        assert in_memory(load(path)).as_bytes() == load(path).as_bytes(), slug

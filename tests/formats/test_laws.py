"""Every format passes every law, on its samples, on random entries and on damaged bytes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from talktree.files import Source, load
from talktree.formats import by_slug
from talktree.formats.engine import Origin, read
from talktree.formats.format import Record
from talktree.model.message import Message
from talktree.model.parts import Text
from talktree.testing import contract
from talktree.testing.strategies import any_text, damaged
from tests.formats.cases import SLUGS, all_samples, in_memory, messages, name, sources

every_sample = pytest.mark.parametrize(("slug", "path"), all_samples(), ids=name)
good_samples = pytest.mark.parametrize(("slug", "path"), all_samples("good"), ids=name)
every_format = pytest.mark.parametrize("slug", SLUGS)


@every_sample
def test_unchanged_document_writes_identical_bytes(slug: str, path: Path) -> None:
    contract.unchanged_document_writes_identical_bytes(by_slug(slug), load(path))


@every_sample
def test_records_know_their_places(slug: str, path: Path) -> None:
    contract.records_know_their_places(by_slug(slug), load(path))


@every_sample
def test_putting_back_changes_nothing(slug: str, path: Path) -> None:
    contract.putting_back_changes_nothing(by_slug(slug), load(path))


@every_sample
def test_detection_picks_it(slug: str, path: Path) -> None:
    contract.detection_picks_it(by_slug(slug), load(path))


@every_sample
def test_edit_changes_one_record(slug: str, path: Path) -> None:
    contract.edit_changes_one_record(by_slug(slug), load(path), text="changed\nü")


@good_samples
def test_good_samples_have_no_findings(slug: str, path: Path) -> None:
    found = read(load(path), by_slug(slug)).findings
    assert [each for each in found if each.severity != "note"] == []


@every_format
def test_there_are_good_and_bad_samples(slug: str) -> None:
    assert sources(slug, "good")
    assert sources(slug, "bad")


@every_format
@given(data=st.data())
def test_new_entry_reads_back(slug: str, data: st.DataObject) -> None:
    contract.new_entry_reads_back(by_slug(slug), data.draw(messages(slug)))


@every_format
@given(data=st.data())
def test_appended_entry_is_read(slug: str, data: st.DataObject) -> None:
    source = data.draw(st.sampled_from(sources(slug, "good")))
    contract.appended_entry_is_read(by_slug(slug), source, data.draw(messages(slug)))


@every_format
@given(data=st.data())
def test_reading_sees_what_was_put(slug: str, data: st.DataObject) -> None:
    format = by_slug(slug)
    source = data.draw(st.sampled_from(sources(slug, "good")))
    record = data.draw(st.sampled_from(_message_records(source, slug)))
    text = data.draw(any_text)
    entry = format.get(record)
    assert isinstance(entry, Message)
    parts = tuple(
        replace(part, text=text) if isinstance(part, Text) else part for part in entry.parts
    )
    contract.reading_sees_what_was_put(format, replace(entry, parts=parts), record)


def _message_records(source: Source, slug: str) -> list[Record]:
    document = read(source, by_slug(slug))
    origin = document.origin
    assert isinstance(origin, Origin)
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
    files[path] = data.draw(damaged(files[path]))
    broken = contract.source_of(files, folder=source.folder)
    contract.any_bytes_get_an_answer(by_slug(slug), broken)


@every_format
@given(raw=st.binary(max_size=300))
def test_random_bytes_get_an_answer(slug: str, raw: bytes) -> None:
    contract.any_bytes_get_an_answer(by_slug(slug), Source.of_bytes(raw, name="random.jsonl"))


def test_samples_in_memory_equal_samples_on_disk() -> None:
    for slug, path in all_samples():
        assert in_memory(load(path)).as_bytes() == load(path).as_bytes(), slug

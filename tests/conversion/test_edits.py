"""An edit made in another format reaches the source's own record, and nothing else changes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from talktree.api import to_bytes
from talktree.conversion.convert import apply_edits
from talktree.conversion.embed_read import index_embedded_sources
from talktree.errors import TalktreeError, UsageError
from talktree.formats import get_format
from talktree.formats.engine import DocumentOrigin, read_document
from talktree.formats.studio.hashing import detect_algorithm
from talktree.model import edit
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.message import Message
from talktree.model.parts import Part, Text
from tests.conversion.trips import (
    PAIRS,
    SLUGS,
    Files,
    golden,
    into,
    made,
    native_files,
    random_source,
)

ADDED = " and so they said"


class Twin(NamedTuple):
    """A message in its source and in another format."""

    here: Conversation
    position: int
    there: Conversation
    there_position: int


def twins(source: Document, other: Document) -> Iterator[Twin]:
    """Yield the messages that are in both."""
    origin = source.origin
    assert isinstance(origin, DocumentOrigin)
    where = {
        number: (conversation, position)
        for conversation in source.conversations
        for position, number in enumerate(conversation.members)
    }
    for index in index_embedded_sources(other):
        for (sheet, at), place in sorted(index.places.items()):
            if place.unattached < 0:
                here, position = where[origin.firsts[sheet] + at]
                there = other.conversations[place.conversation]
                yield Twin(here, position, there, place.position)


def longer(part: Part, text: str) -> Part:
    """Return a part with a longer text."""
    if not isinstance(part, Text) or part.text.count(text) != 1:
        return part
    return Text(part.text.replace(text, text + ADDED), part.extra)


def edits(source: Document, other: Document) -> Iterator[tuple[Twin, int, Document]]:
    """Yield texts that occur in the other format, each with the document in which it is longer."""
    for twin in twins(source, other):
        mine, theirs = twin.here.entry(twin.position), twin.there.entry(twin.there_position)
        if not isinstance(mine, Message) or not isinstance(theirs, Message):
            continue
        for number, part in enumerate(mine.parts):
            if not isinstance(part, Text) or not part.text.strip():
                continue
            parts = tuple(longer(each, part.text) for each in theirs.parts)
            if sum(one is not two for one, two in zip(parts, theirs.parts, strict=True)) == 1:
                changed = replace(theirs, parts=parts)
                conversation = edit.replace(twin.there, theirs.id, changed)
                yield twin, number, other.with_conversation(conversation)
                break


def edited(source: Document, twin: Twin, number: int) -> Document:
    """Return the source with the same edit made in it directly."""
    message = twin.here.entry(twin.position)
    assert isinstance(message, Message)
    part = message.parts[number]
    assert isinstance(part, Text)
    new = replace(part, text=part.text + ADDED)
    parts = (*message.parts[:number], new, *message.parts[number + 1 :])
    changed = edit.replace(twin.here, message.id, replace(message, parts=parts))
    return source.with_conversation(changed)


def hash_is_wrong(twin: Twin, source: Document) -> bool:
    """Whether the record has a hash that does not match its text; such a hash stays unchanged."""
    origin = source.origin
    assert isinstance(origin, DocumentOrigin)
    value = origin.record_as_read(twin.here.members[twin.position]).value
    if not isinstance(value, dict) or "contentHash" not in value:
        return False
    hash, text = value["contentHash"], value.get("content")
    return not (isinstance(hash, str) and isinstance(text, str) and detect_algorithm(hash, text))


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_an_edit_arrives_as_if_it_were_made_in_the_source(source: str, target: str) -> None:
    tried = 0
    for name, files in golden(source, "good"):
        document = read_document(files, get_format(source))
        there = into(document, target)
        for twin, number, changed in islice(edits(document, there.read_as(target)), 4):
            try:
                wanted = to_bytes(edited(document, twin, number))
            except TalktreeError:
                continue
            if hash_is_wrong(twin, document):
                continue
            again = Files(to_bytes(changed), there.folder).read_as(target)
            assert into(again, source).files == wanted, (
                name,
                twin.here.skeleton.ids[twin.position],
            )
            tried += 1
    assert tried


@pytest.mark.parametrize("source", SLUGS)
@given(data=native_files(), choice=st.data())
def test_an_edit_of_a_random_conversation_changes_one_record(
    source: str, data: bytes, choice: st.DataObject
) -> None:
    target = choice.draw(st.sampled_from([slug for slug in SLUGS if slug != source]))
    files = random_source(data, source)
    document = files.read_as(source)
    there = into(document, target)
    for twin, _, changed in islice(edits(document, there.read_as(target)), 2):
        try:
            again = Files(to_bytes(changed), there.folder).read_as(target)
        except TalktreeError:
            continue
        back = into(again, source).files
        after = Files(back, files.folder).read_as(source)
        number = twin.here.members[twin.position]
        assert_only_this_record_differs(document, after, number)


def assert_only_this_record_differs(before: Document, after: Document, number: int) -> None:
    """Assert that every record but one has its old bytes."""
    one, two = before.origin, after.origin
    assert isinstance(one, DocumentOrigin)
    assert isinstance(two, DocumentOrigin)
    assert one.count == two.count
    old = [sheet.record(at).raw for sheet in one.sheets for at in range(len(sheet))]
    new = [sheet.record(at).raw for sheet in two.sheets for at in range(len(sheet))]
    differing = [at for at, raw in enumerate(old) if raw != new[at]]
    assert differing == [number]
    said = [each for one in after.conversations for each in one.messages()]
    assert sum(ADDED in each.text for each in said) == 1


WITHOUT_BRANCHES = {"web-export.json", "legacy-session.json"}
"""Files with messages in one list, though their format has branches elsewhere."""
BRANCHED = [slug for slug in SLUGS if get_format(slug).can.branches]


@pytest.mark.parametrize("target", SLUGS)
@pytest.mark.parametrize("source", BRANCHED)
def test_an_edit_can_become_a_branch_of_the_source(source: str, target: str) -> None:
    if source == target:
        return
    for name, files in golden(source, "good"):
        document = read_document(files, get_format(source))
        there = into(document, target)
        for twin, _, changed in islice(edits(document, there.read_as(target)), 1):
            again = Files(to_bytes(changed), there.folder).read_as(target)
            if name in WITHOUT_BRANCHES:
                with pytest.raises(UsageError):
                    apply_edits(document, again)
                continue
            back = made(apply_edits(document, again)).read_as(source, files.name)
            old, new = raws(document), raws(back)
            assert len(new) == len(old) + 1
            assert set(old) <= {*new, *without_replies(old, new)}
            said = [each for one in back.conversations for each in one.messages()]
            assert sum(ADDED in each.text for each in said) == 1
            message = next(each for each in said if ADDED in each.text)
            assert message.parent == twin.here.names(twin.position)[1]


def raws(document: Document) -> list[bytes]:
    """Return the bytes of all records."""
    origin = document.origin
    assert isinstance(origin, DocumentOrigin)
    return [sheet.record(at).raw for sheet in origin.sheets for at in range(len(sheet))]


def without_replies(old: list[bytes], new: list[bytes]) -> list[bytes]:
    """Return the changed records that had no children slot: they only got one for replies."""
    return [raw for raw in old if raw not in new and b"children" not in raw]

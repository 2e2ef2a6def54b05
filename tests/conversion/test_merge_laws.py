"""Merging does not depend on the order of the files, on steps, or on repetition."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import permutations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from talktree.conversion.merge import merge_documents
from talktree.files import Source
from talktree.formats import get_format
from talktree.formats.engine import read_document
from talktree.model.document import Document
from tests.conversion.histories import (
    GOLDEN,
    Row,
    data_of,
    details,
    shape,
    uuid,
)
from tests.conversion.trips import golden


@pytest.mark.parametrize(("slug", "name"), GOLDEN)
def test_one_file_merged_is_that_file_and_twice_is_once(slug: str, name: str) -> None:
    (source,) = [each for other, each in golden(slug) if other == name]
    document = read_document(source, get_format(slug))
    alone = merge_documents([document])
    assert shape(alone) == shape(document)
    twice = merge_documents([document, document])
    assert shape(twice) == shape(document)
    assert len(twice.conversations) == len(alone.conversations)
    assert shape(merge_documents([alone, document])) == shape(document)
    assert details(twice) == []


@st.composite
def histories(draw: st.DrawFn) -> list[Document]:
    """Generate copies of parts of one history, some with other ids, some with changes."""
    timed, named = draw(st.booleans()), draw(st.booleans())
    size = draw(st.integers(1, 7))
    parents = [draw(st.integers(-1 if at == 0 else 0, at - 1)) for at in range(size)]
    documents = []
    for number in range(draw(st.integers(1, 3))):
        kept = [0]
        for at in range(1, size):
            if parents[at] in kept and draw(st.booleans()):
                kept.append(at)
        if named:
            changed = {at for at in kept[1:] if draw(st.integers(0, 9)) == 0}
            renamed = timed and draw(st.booleans())
            documents.append(
                named_copy(parents, kept, number, changed, timed=timed, renamed=renamed)
            )
        else:
            documents.append(nameless_copy(parents, kept, number, timed=timed))
    return documents


def named_copy(
    parents: Sequence[int],
    kept: Sequence[int],
    number: int,
    changed: set[int],
    *,
    timed: bool,
    renamed: bool,
) -> Document:
    """Return messages with ids: the original ones, or new ones in each copy."""
    names = {at: uuid(100 * (number + 1) * renamed * (at not in changed) + at) for at in kept}
    rows: list[Row] = [{"talktree": {"version": 1}}, {"conversation": {"id": f"copy-{number}"}}]
    for at in kept:
        row: Row = {
            "id": names[at],
            "role": "user" if at % 2 else "assistant",
            "parts": [{"part": "text", "text": f"{at}, {number}" if at in changed else str(at)}],
            "session": f"session-{number}",
        }
        if parents[at] >= 0:
            row["parent"] = names[parents[at]]
        if timed:
            row["time"] = 1_700_000_000_000_000_000 + at * 1_000_000_000
        rows.append({"message": row})
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    return read_document(Source.of_bytes(data, name=f"copy-{number}.jsonl"), get_format("native"))


def nameless_copy(
    parents: Sequence[int], kept: Sequence[int], number: int, *, timed: bool
) -> Document:
    """Return comments without ids, which only their place distinguishes."""
    comments: dict[int, Row] = {}
    for at in kept:
        comment: Row = {"userId": "mara", "type": "user", "content": str(at), "children": []}
        if timed:
            comment["timestamp"] = 1_700_000_000_000 + at * 1000
        if parents[at] >= 0:
            comments[parents[at]]["children"].append(comment)
        comments[at] = comment
    data = json.dumps([comments[0]]).encode()
    return read_document(Source.of_bytes(data, name=f"copy-{number}.json"), get_format("studio"))


@given(documents=histories())
def test_the_order_of_the_files_makes_no_difference(documents: list[Document]) -> None:
    found = {data_of(merge_documents(order)) for order in permutations(documents)}
    assert len(found) == 1


@given(documents=histories())
def test_merging_in_steps_makes_no_difference(documents: list[Document]) -> None:
    assume(len(documents) == 3)
    one, two, three = documents
    at_once = shape(merge_documents(documents))
    assert shape(merge_documents([merge_documents([one, two]), three])) == at_once
    assert shape(merge_documents([one, merge_documents([two, three])])) == at_once
    assert shape(merge_documents([merge_documents(documents), two])) == at_once


@given(documents=histories())
def test_everything_is_there_and_nothing_twice(documents: list[Document]) -> None:
    ways = {way for document in documents for rows in shape(document) for way in rows}
    found = [way for rows in shape(merge_documents(documents)) for way in rows]
    assert sorted(found) == sorted(ways)

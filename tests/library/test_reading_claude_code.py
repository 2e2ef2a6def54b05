"""The fast reader of lines extracts the same as the general reader, from any lines in any
batches."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from talktree.files import Source, load
from talktree.formats.claude_code import FORMAT
from talktree.library.extract import claude_code, from_model
from talktree.library.extract.duplicate_records import make_reader
from talktree.library.extract.facts import FOLLOWS, ExtractedFacts, Heading
from talktree.library.extract.packed_tree import PackedTree
from talktree.library.extract.resolved_links import resolve_tree
from tests.cases import examples
from tests.library import made
from tests.library.reading_sessions import HEADER, broken_sessions, sessions
from tests.random_sessions import random_session
from tests.session_lines import to_bytes

DATA = Path(__file__).parent.parent / "data" / "claude-code"
FILES = [
    path
    for path in sorted(DATA.rglob("*.jsonl"))
    if path.stat().st_size and path.stem != "pretty-printed"
]


def bare(facts: ExtractedFacts, data: bytes | None = None) -> dict[str, Any]:
    """Return everything that was extracted, without positions; `data` is what was read as lines."""
    shape = PackedTree().with_links(facts.links, None if data is None else make_reader(data))
    shape.habits = facts.habits
    nodes = resolve_tree(shape)
    return {
        "pieces": [each._replace(at=0) for each in facts.pieces],
        "replies": [each._replace(at=0) for each in facts.replies],
        "calls": [each._replace(at=0) for each in facts.calls],
        "outcomes": facts.outcomes,
        "measures": facts.measures,
        # With copies the importer reads the id from the model, and the last record may be one.
        "head": replace(facts.head, native=None, leaf=None) if shape.copies else facts.head,
        "parents": list(nodes.parents),
        "bits": [each & ~FOLLOWS for each in nodes.records.bits],
        "groups": list(nodes.records.groups),
        "stamps": list(nodes.records.stamps),
        "states": bytes(
            state for number, state in enumerate(shape.states) if number not in shape.copies
        ),
    } | ({} if shape.copies else {"roles": facts.roles})


def generally(source: Source) -> ExtractedFacts:
    """Extract with the general reader; a file that names no session does not get its name as the
    id."""
    reported = from_model.extract_source(source, FORMAT)
    if reported.head.native == "input":
        reported.head = replace(reported.head, native=None)
    return reported


def in_batches(data: bytes, cuts: list[int]) -> ExtractedFacts:
    """Extract the same lines in batches and join the results."""
    ends = {data.rfind(b"\n", 0, cut + 1) + 1 for cut in cuts} | {0, len(data)}
    bounds = sorted(ends)
    whole = claude_code.extract_claude_code(b"")
    for start, stop in pairwise(bounds):
        part = claude_code.extract_claude_code(data[start:stop], start, whole.head)
        assert part.taken == stop - start
        for name in ("pieces", "replies", "calls", "outcomes", "measures", "links", "marks"):
            getattr(whole, name).extend(getattr(part, name))
        for role, count in part.roles.items():
            whole.roles[role] = whole.roles.get(role, 0) + count
        whole.head = part.head
    return whole


def compare(data: bytes, model: ExtractedFacts) -> None:
    """Assert that the fast reader agrees with the model; copies count in no role, as in the
    model."""
    found, expected = bare(claude_code.extract_claude_code(data), data), bare(model)
    if "roles" not in found:
        expected["head"] = replace(expected["head"], native=None, leaf=None)
    assert found == {name: expected[name] for name in found}


@given(sessions)
def test_both_readers_extract_the_same(data: bytes) -> None:
    compare(data, generally(Source.of_bytes(data)))


@given(st.integers(0, 1 << 31))
@examples(300)
def test_both_readers_extract_the_same_from_random_trees(seed: int) -> None:
    data = to_bytes(random_session(seed))
    compare(data, generally(Source.of_bytes(data)))


@given(broken_sessions)
def test_both_readers_extract_the_same_from_broken_lines(data: bytes) -> None:
    compare(HEADER + data, generally(Source.of_bytes(HEADER + data)))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_both_readers_extract_the_same_from_files(path: Path) -> None:
    data = path.read_bytes()
    whole = data if data.endswith(b"\n") else data + b"\n"
    compare(whole, from_model.extract_source(load(path), FORMAT))


def test_both_readers_extract_the_same_from_a_history(tmp_path: Path) -> None:
    for path in made.history(tmp_path).files:
        compare(path.read_bytes(), from_model.extract_source(load(path), FORMAT))


@given(sessions | broken_sessions, st.lists(st.integers(0, 2000), max_size=4))
def test_ranges_extract_the_same_as_the_whole(data: bytes, cuts: list[int]) -> None:
    whole, joined = claude_code.extract_claude_code(data), in_batches(data, cuts)
    for name in (
        "pieces",
        "replies",
        "calls",
        "outcomes",
        "measures",
        "roles",
        "links",
        "marks",
        "head",
    ):
        assert getattr(joined, name) == getattr(whole, name)


@given(st.binary(max_size=300) | broken_sessions)
def test_any_bytes_are_reported(data: bytes) -> None:
    reported = claude_code.extract_claude_code(data)
    assert reported.taken == data.rfind(b"\n") + 1
    for piece in reported.pieces:
        piece.text.encode()
        piece.files.encode()
        piece.tags.encode()
        assert (piece.text and not piece.text.isspace()) or piece.files
    for reply in reported.replies:
        assert all(0 <= count < 2**53 for count in reply[4:9])
    PackedTree().with_links(reported.links).states  # noqa: B018


def test_a_line_without_its_end_is_left_for_later() -> None:
    line = b'{"type":"user","uuid":"u","message":{"content":"word"}}'
    assert claude_code.extract_claude_code(line) == claude_code.extract_claude_code(b"")
    reported = claude_code.extract_claude_code(line + b"\n" + line)
    assert len(reported.pieces) == 1
    assert reported.taken == len(line) + 1


def test_places_are_where_lines_begin(tmp_path: Path) -> None:
    session = made.small(tmp_path)
    data = session.bytes()
    starts = [0] + [place + 1 for place, byte in enumerate(data) if byte == 0x0A]
    reported = claude_code.extract_claude_code(b"\xef\xbb\xbf" + data)
    assert {link.at - 3 for link in reported.links} <= set(starts)
    later = claude_code.extract_claude_code(data, 1000, Heading())
    assert [piece.at - 1000 for piece in later.pieces] == [
        piece.at - 3 for piece in reported.pieces
    ]

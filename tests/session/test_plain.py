"""The fast way of writing plain lines gives the same as the format's writer."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from talktree.formats.format import Record
from talktree.formats.sage import FORMAT
from talktree.formats.sage.write import make_strict
from talktree.model.message import (
    NO_FLAGS,
    SIDECHAIN,
    Context,
    Message,
    ThinkingSetting,
    Todo,
    Usage,
)
from talktree.model.parts import Event, Text, ToolCall, ToolResult
from talktree.session.recording.recorder import MessageLines
from talktree.text.json.encode import encode_new
from talktree.text.times import MILLI
from tests.cases import examples

words = st.text(st.characters(), max_size=20)
"""Including lone surrogates."""
counts = st.integers(0, 2**70)
texts = st.builds(Text, words)
parts = st.one_of(
    st.tuples(texts),
    st.tuples(texts, st.builds(ToolCall, words, st.dictionaries(words, words), words)),
    st.tuples(st.builds(ToolResult, st.tuples(texts), words, words, st.booleans())),
    st.tuples(st.builds(Event, st.sampled_from(["summary", "title"]), words)),
)
contexts = st.builds(
    Context,
    cwd=words,
    git_branch=st.none() | words,
    platform=words,
    user_type=st.none() | words,
    version=words,
)
messages = st.builds(
    Message,
    id=words,
    parent=st.none() | words,
    role=st.sampled_from(["user", "assistant", "system", "tool"]),
    parts=parts,
    time_ns=st.integers(0, 4_000_000_000_000).map(lambda ms: ms * MILLI),
    session=words,
    flags=st.sampled_from([NO_FLAGS, frozenset({SIDECHAIN}), frozenset({"error"})]),
    usage=st.none() | st.builds(Usage, counts, counts, counts, counts),
    context=contexts,
    todos=st.lists(st.builds(Todo, words, words, st.none() | words), max_size=2).map(tuple),
    thinking=st.none()
    | st.builds(
        ThinkingSetting,
        level=st.none() | words,
        disabled=st.booleans(),
        triggers=st.lists(words, max_size=2).map(tuple),
    ),
    extra=st.dictionaries(st.sampled_from(["model", "note"]), words, max_size=1),
)


@examples(100)
@given(st.lists(messages, min_size=1, max_size=4))
def test_every_line_is_the_formats_own(several: list[Message]) -> None:
    lines = MessageLines()
    for message in several:
        line = lines.format_line(message)
        assert line == encode_new(FORMAT.lens.put(make_strict(message), None))
        value = json.loads(line)
        assert b"\n" not in line
        FORMAT.get(Record(value))

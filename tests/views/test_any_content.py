"""Whatever a conversation holds, every view of it is safe to print and complete."""

from __future__ import annotations

import json
from unicodedata import category

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from talktree.model.conversation import Conversation
from talktree.model.message import Message
from talktree.model.statistics import Tally
from talktree.testing.strategies import messages
from talktree.views.lines import Line
from talktree.views.outline import outline_lines
from talktree.views.shapes import conversations_text, document_text
from talktree.views.statistics import statistics_lines, statistics_shape
from talktree.views.terminal import as_text
from talktree.views.transcript import Look, Transcript, own_positions
from tests.talk import talk

ACTING = {"Cc", "Cf", "Cs", "Zl", "Zp"}


@st.composite
def conversations(draw: st.DrawFn) -> Conversation:
    """Random messages, mostly hanging on one another."""
    made: list[Message] = []
    for message in draw(st.lists(messages, max_size=8)):
        parents = [None, message.parent, *(each.id for each in made)]
        made.append(replace(message, parent=draw(st.sampled_from(parents))))
    return talk(made)


looks = st.builds(
    Look,
    tools=st.booleans(),
    thinking=st.booleans(),
    full=st.booleans(),
    width=st.none() | st.integers(1, 200),
)


def assert_harmless(lines: list[Line]) -> None:
    for line in lines:
        plain = as_text(line)
        assert not any(category(char) in ACTING and char != "\t" for char in plain), plain
        painted = as_text(line, color=True)
        assert painted.count("\x1b") == 2 * painted.count("\x1b[0m")


@given(conversations(), looks)
def test_transcripts_are_harmless(conversation: Conversation, look: Look) -> None:
    transcript = Transcript(conversation, look)
    for branch in conversation.branches():
        assert_harmless(list(transcript.branch(own_positions(conversation, branch))))


@given(conversations())
def test_the_branches_together_show_every_message_once(conversation: Conversation) -> None:
    shown = [
        position
        for branch in conversation.branches()
        for position in own_positions(conversation, branch)
    ]
    assert sorted(shown) == sorted(conversation.tree.order)


@given(conversations(), st.booleans(), st.none() | st.integers(1, 200))
def test_outlines_are_harmless(conversation: Conversation, all: bool, width: int | None) -> None:
    assert_harmless(list(outline_lines(conversation, all=all, width=width)))


@given(conversations())
def test_statistics_are_harmless_and_standard_json(conversation: Conversation) -> None:
    tally = Tally()
    tally.add(conversation)
    assert_harmless(list(statistics_lines(tally)))
    told = json.loads(document_text(statistics_shape(tally)))
    assert told["totals"]["messages"] == len(conversation.tree)


@given(conversations())
def test_json_is_standard_harmless_and_complete(conversation: Conversation) -> None:
    shown = [(conversation, conversation.messages())]
    text = "".join(conversations_text(shown, tail={"findings": 0}))
    assert not any(category(char) in ACTING and char != "\n" for char in text)
    told = json.loads(text, parse_constant=lambda name: 1 / 0)
    listed = told["conversations"][0]["messages"]
    assert len(listed) == len(conversation.tree)
    assert all(
        len(each["parts"]) == len(message.parts)
        for each, message in zip(listed, conversation.messages(), strict=True)
    )

"""Every view of any conversation is safe to print and complete."""

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
from talktree.views.outline import format_outline_lines
from talktree.views.shapes import format_conversations, format_document
from talktree.views.statistics import build_statistics_shape, format_statistics_lines
from talktree.views.terminal import to_text
from talktree.views.transcript import Transcript, TranscriptOptions, find_own_positions
from tests.talk import talk

ACTING = {"Cc", "Cf", "Cs", "Zl", "Zp"}


@st.composite
def conversations(draw: st.DrawFn) -> Conversation:
    """Generate random messages, most of them children of one another."""
    made: list[Message] = []
    for message in draw(st.lists(messages, max_size=8)):
        parents = [None, message.parent, *(each.id for each in made)]
        made.append(replace(message, parent=draw(st.sampled_from(parents))))
    return talk(made)


looks = st.builds(
    TranscriptOptions,
    tools=st.booleans(),
    thinking=st.booleans(),
    full=st.booleans(),
    width=st.none() | st.integers(1, 200),
)


def assert_harmless(lines: list[Line]) -> None:
    for line in lines:
        plain = to_text(line)
        assert not any(category(char) in ACTING and char != "\t" for char in plain), plain
        painted = to_text(line, color=True)
        assert painted.count("\x1b") == 2 * painted.count("\x1b[0m")


@given(conversations(), looks)
def test_transcripts_are_harmless(conversation: Conversation, look: TranscriptOptions) -> None:
    transcript = Transcript(conversation, look)
    for branch in conversation.branches():
        assert_harmless(list(transcript.format_branch(find_own_positions(conversation, branch))))


@given(conversations())
def test_the_branches_together_show_every_message_once(conversation: Conversation) -> None:
    shown = [
        position
        for branch in conversation.branches()
        for position in find_own_positions(conversation, branch)
    ]
    assert sorted(shown) == sorted(conversation.tree.order)


@given(conversations(), st.booleans(), st.none() | st.integers(1, 200))
def test_outlines_are_harmless(conversation: Conversation, all: bool, width: int | None) -> None:
    assert_harmless(list(format_outline_lines(conversation, all=all, width=width)))


@given(conversations())
def test_statistics_are_harmless_and_standard_json(conversation: Conversation) -> None:
    tally = Tally()
    tally.add_conversation(conversation)
    assert_harmless(list(format_statistics_lines(tally)))
    reported = json.loads(format_document(build_statistics_shape(tally)))
    assert reported["totals"]["messages"] == len(conversation.tree)


@given(conversations())
def test_json_is_standard_harmless_and_complete(conversation: Conversation) -> None:
    shown = [(conversation, conversation.messages())]
    text = "".join(format_conversations(shown, tail={"findings": 0}))
    assert not any(category(char) in ACTING and char != "\n" for char in text)
    reported = json.loads(text, parse_constant=lambda name: 1 / 0)
    listed = reported["conversations"][0]["messages"]
    assert len(listed) == len(conversation.tree)
    assert all(
        len(each["parts"]) == len(message.parts)
        for each, message in zip(listed, conversation.messages(), strict=True)
    )

"""Messages on one line: plain words, never the name of a class."""

from __future__ import annotations

import pytest

from talktree.model.message import Message
from talktree.model.parts import (
    Artifact,
    Attachment,
    Event,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    UnknownPart,
)
from talktree.web.documents.neighbours import LABEL, make_label


@pytest.mark.parametrize(
    ("parts", "label"),
    [
        ((Text("Hello\nthere"), ToolCall("Bash")), "Hello there"),
        ((Thinking("Hm."),), "thinking: Hm."),
        ((ToolResult((Text("a\nb"),)),), "tool result: a b"),
        ((ToolResult(error=True),), "failed tool result"),
        ((ToolResult(), ToolResult()), "tool result"),
        ((Attachment(), Attachment("a.png")), "attachment, a.png"),
        ((Artifact(title="Chart"),), "Chart"),
        ((Event("compacted", "Conversation compacted"),), "compacted"),
        ((Event("command", data={"name": "/clear", "args": ""}),), "/clear"),
        ((Event("command_output", "done"),), "output of a command: done"),
        ((Event("hook_failed", "no"),), "hook failed: no"),
        ((UnknownPart("serverToolUse"),), "server tool use"),
        ((), "empty message"),
        ((Text(" \n"), Text("")), "empty message"),
        ((Text(""), Attachment("a.png")), "a.png"),
        ((Attachment(media_type="image/png"),), "image"),
        ((Thinking(""),), "thinking"),
        ((Event("command_output", ""),), "output of a command"),
    ],
)
def test_a_message_in_plain_words(parts: tuple[Part, ...], label: str) -> None:
    assert make_label(Message(id="m", role="user", parts=parts)) == label


def test_a_label_is_short_and_on_one_line() -> None:
    for parts in ((Text("word\n" * 900),), tuple(UnknownPart(f"k{n}") for n in range(200))):
        made = make_label(Message(id="m", role="user", parts=parts))
        assert 0 < len(made) <= LABEL
        assert "\n" not in made

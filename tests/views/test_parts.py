"""Parts on one line: their visible content, without its wrapping."""

from __future__ import annotations

import pytest

from talktree.model.parts import Event, Part, Thinking
from talktree.views.parts import format_part
from talktree.views.terminal import to_text


@pytest.mark.parametrize(
    ("part", "shown"),
    [
        (Thinking("First the tests."), "thinking: First the tests."),
        (Thinking("", signature="EqQB"), "thinking: not kept"),
        (Event("command", "x", {"name": "/model", "args": "opus"}), "[/model opus]"),
        (
            Event(
                "command_output", "<local-command-stdout>\x1b[1mok\x1b[22m</local-command-stdout>"
            ),
            "command output: ok",
        ),
        (Event("turn_duration"), "turn duration"),
        (Event("note", "a <b>bold</b> word"), "note: a <b>bold</b> word"),
    ],
)
def test_a_part_is_reported_in_its_own_words(part: Part, shown: str) -> None:
    assert to_text(format_part(part)) == shown

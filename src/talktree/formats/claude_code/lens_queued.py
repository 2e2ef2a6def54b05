"""Prompts typed while Claude Code was working.

It adds them to the running turn as lines of type `attachment`; no user line repeats them. Messages
of other sessions and notes of finished tasks are recorded in the same way, but they were not typed
by the user and stay what they are.
"""

from __future__ import annotations

from typing import TypeGuard

from talktree.formats.blocks import make_blocks, parse_blocks
from talktree.formats.lens import Object
from talktree.model.message import Message
from talktree.model.parts import Attachment, Part, Text
from talktree.text.json.value import Json

LINE = "attachment"
"""The type of such lines, and the member that holds the prompt."""
KIND = "queued_command"
ROLE = "user"
PROMPT = "prompt"


def is_prompt(found: Json) -> TypeGuard[Object]:
    """Whether an attachment is a prompt that the user typed."""
    if not isinstance(found, dict) or found.get("type") != KIND or found.get("isMeta") is True:
        return False
    origin = found.get("origin")
    by = origin.get("kind") if isinstance(origin, dict) else origin
    return (
        found.get("commandMode", PROMPT) == PROMPT
        and by in (None, "human")
        and _is_said(found.get(PROMPT))
    )


def _is_said(prompt: Json) -> bool:
    """Whether a value is text, or blocks of text and images: prompts hold nothing else."""
    if not isinstance(prompt, list):
        return isinstance(prompt, str)
    return all(isinstance(part, Text | Attachment) for part in parse_blocks(prompt))


def take_prompt(left: Object) -> tuple[Part, ...]:
    """Return the text of such a line; other members of the attachment stay."""
    found = left[LINE]
    assert isinstance(found, dict)
    left[LINE] = {key: item for key, item in found.items() if key != PROMPT}
    said = found[PROMPT]
    return (Text(said),) if isinstance(said, str) else parse_blocks(said)  # type: ignore[arg-type]


def make_attachment(message: Message) -> Object | None:
    """Return the attachment of such a line; None if the message is written in the usual way."""
    rest = message.extra.get(LINE)
    if message.role != ROLE or not isinstance(rest, dict):
        return None
    value: Object = {**rest, PROMPT: _write_prompt(message.parts)}
    return value if is_prompt(value) else None


def _write_prompt(parts: tuple[Part, ...]) -> Json:
    match parts:
        case (Text(text=text, extra=extra),) if not extra:
            return text
        case _:
            return make_blocks(parts)

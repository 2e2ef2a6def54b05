"""Repairs of content blocks that the API would refuse.

Each function processes all blocks of a line and changes those that need it, so the number and the
order of the findings do not matter.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from talktree.formats.blocks import parse_block
from talktree.formats.claude_code.adopt_parts import (
    KINDS,
    NOTHING_SAID,
    make_call_id,
    normalize_arguments,
)
from talktree.formats.claude_code.lens import describe_part
from talktree.formats.claude_code.rule_support import get_api_message, get_object, with_api
from talktree.formats.lens import Object
from talktree.formats.rule import Diagnostic
from talktree.formats.rule_context import RuleRecord
from talktree.text.json.value import Json

NO_OUTPUT = "(no output)"
"""The text that replaces the output of a tool without output."""
is_call_id = re.compile(r"[A-Za-z0-9_-]+", re.ASCII).fullmatch
is_tool_name = re.compile(r"[A-Za-z0-9_-]{1,128}", re.ASCII).fullmatch
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]", re.ASCII)
NAMES = {"jpg": "jpeg"}
"""Other names of image types, and the proper ones."""

Block = Callable[[Object], Json]
"""From a block to its replacement; None to remove the block."""


def is_blank(text: Json) -> bool:
    """Whether a text is blank; decided at its first letter."""
    return isinstance(text, str) and (not text or text.isspace())


def repair_blocks(repair: Block) -> Callable[[RuleRecord, Diagnostic], Json]:
    """Return a repair of each block of a line's message; if none is left, the message says so."""

    def _make(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
        value = get_object(seen)
        content = get_api_message(value).get("content")
        if not isinstance(content, list):
            return value
        new = _repair_each(content, repair) or [{"type": "text", "text": NOTHING_SAID}]
        return with_api(value, content=new)

    return _make


def _repair_each(content: list[Json], repair: Block) -> list[Json]:
    made = (repair(block) if isinstance(block, dict) else block for block in content)
    return [block for block in made if block is not None]


# texts


def without_blanks(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    """Return the line without blank texts; a blank message or output gets a placeholder."""
    value = get_object(seen)
    if is_blank(get_api_message(value).get("content")):
        return with_api(value, content=NOTHING_SAID)
    return repair_blocks(_without_blank)(seen, diagnostic)


def _without_blank(block: Object) -> Json:
    match block:
        case {"type": "text", "text": text} if is_blank(text):
            return None
        case {"type": "tool_result", "content": list(output)}:
            left = _repair_each(output, _without_blank)
            if len(left) == len(output):
                return block
            return {**block, "content": left or [{"type": "text", "text": NO_OUTPUT}]}
        case _:
            return block


# thoughts


def without_thinking(
    is_wrong: Callable[[Object], bool],
) -> Callable[[RuleRecord, Diagnostic], Json]:
    """Return a repair that removes matching thinking blocks from the line."""
    return repair_blocks(
        lambda block: None if block.get("type") == "thinking" and is_wrong(block) else block
    )


# tools


def with_call_id(block: Object) -> Json:
    """Return a call or result with an id that the API accepts, made from the old one for both."""
    key = {"tool_use": "id", "tool_result": "tool_use_id"}.get(str(block.get("type")))
    id = block.get(key) if key else None
    if key is None or not isinstance(id, str) or not id or is_call_id(id):
        return block
    return {**block, key: make_call_id(id, "", 0)}


def with_sound_call(block: Object) -> Json:
    """Return a call with a name and arguments that the API accepts."""
    if block.get("type") != "tool_use":
        return block
    name, given = block.get("name"), block.get("input")
    if isinstance(name, str) and not is_tool_name(name):
        block = {**block, "name": _NOT_IN_NAMES.sub("_", name)[:128] or "tool"}
    return block if isinstance(given, dict) else {**block, "input": normalize_arguments(given)}


# files


def is_refused(kind: Json, media: Json) -> bool:
    """Whether the API refuses a file of this type in a block of this kind."""
    return not isinstance(media, str) or KINDS.get(media) != kind


def with_sound_file(block: Object) -> Json:
    """Return an image with its right type, or text in place of a refused block."""
    match block:
        case {"type": "tool_result", "content": list(output)}:
            made = _repair_each(output, with_sound_file)
            changed = any(new is not old for new, old in zip(made, output, strict=True))
            return {**block, "content": made} if changed else block
        case {"type": "image" | "document", "source": {"type": "base64"}}:
            return _repair_source(block)
        case _:
            return block


def _repair_source(block: Object) -> Json:
    source = block["source"]
    assert isinstance(source, dict)
    media = source.get("media_type")
    head, _, name = str(media).lower().partition("/")
    right = f"{head}/{NAMES.get(name, name)}"
    if is_blank(source.get("data")) or is_refused(block["type"], right):
        return {"type": "text", "text": describe_part(parse_block(block))}
    return block if media == right else {**block, "source": {**source, "media_type": right}}


# anything else

SHAPED = frozenset({"text", "thinking", "tool_use", "tool_result"})
"""Kinds of blocks that must have their defining members."""


def without_odd_blocks(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    """Return the line without values that are not blocks, and without incomplete blocks."""
    value = get_object(seen)
    content = get_api_message(value).get("content")
    if not isinstance(content, list):
        return value
    left = [block for block in content if not is_odd(block)]
    return with_api(value, content=left or [{"type": "text", "text": NOTHING_SAID}])


def is_odd(block: Json) -> bool:
    """Whether a value is not a block, or a known kind of block without its members."""
    if not isinstance(block, dict) or not isinstance(block.get("type"), str):
        return True
    return block["type"] in SHAPED and type(parse_block(block)).__name__ == "UnknownPart"

"""Parts of a message as readable Markdown, for formats that hold only text.

Not for terminals: that is `views`. The text is exact, so that `parse_rendered` can read it back:
texts are in a fence or a quote line by line, everything else is JSON. Ids, signatures and other
data that is not for readers is left out.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import assert_never

from talktree.conversion.parse_rendered import (
    ERROR,
    FENCED_THINKING,
    KEY,
    NO_CONTENT,
    NO_INPUT,
    NO_OUTPUT,
    QUOTED_THINKING,
    RESULT,
    Single,
    parse_part,
)
from talktree.conversion.surrogates import is_whole
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
from talktree.text.escape import escape_json
from talktree.text.json.encode import PRETTY, Style, encode_json, encode_string
from talktree.text.json.value import Json

__all__ = ["parse_part", "render_part"]

_is_key = lru_cache(maxsize=256)(re.compile(KEY).fullmatch)
_NOT_IN_NAMES = re.compile(r"[*`\\()\[\]<>]")
_BARE_URL = re.compile(r'[^\s()<>"\\]+')
_NOT_IN_ANGLES = re.compile(r"[<>\\]")
_LONG_TICKS = re.compile("`{3,}")
_ONE_LINE = Style(item=", ", colon=": ")
_LONGEST_NAME = 80
_LONGEST_STRING = 60
_LONGEST_LINE = 80
_DEEPEST = 20
"""Indenting deeper values would make more spaces than text."""


def render_part(part: Part) -> str:
    """Return readable text for any part; empty only for an empty text."""
    match part:
        case Text():
            return part.text
        case ToolResult():
            return _render_result(part)
        case _:
            return _render_single(part)


def _render_single(part: Single) -> str:
    match part:
        case Thinking():
            return _render_thinking(part.text)
        case ToolCall():
            return f"**Call: {_render_name(part.name)}**\n{_render_input(part.input)}"
        case Attachment():
            return _render_attachment(part)
        case Artifact():
            return _render_artifact(part)
        case Event():
            return _render_event(part)
        case UnknownPart():
            return f"**Unknown: {_render_name(part.kind)}**\n{_fence_json(part.value)}"
        case _:
            assert_never(part)


def _render_thinking(text: str) -> str:
    if not is_whole(text):
        return f"{FENCED_THINKING}\n{_fence_block(text)}"
    return f"{QUOTED_THINKING}\n{_quote_lines(text)}" if text else QUOTED_THINKING


def _render_input(value: Json) -> str:
    if value == {}:
        return NO_INPUT
    if not isinstance(value, dict) or not all(map(_is_key, value)):
        return _fence_json(value)
    return "\n".join(f"- {key}:{_render_member(item)}" for key, item in value.items())


def _render_member(value: Json) -> str:
    if isinstance(value, str):
        if len(value) > _LONGEST_STRING or "\n" in value:
            return "\n" + _fence_block(value)
        return " " + encode_string(value)
    if value is None or isinstance(value, (bool, int, float)):
        literal = encode_json(value).decode()
        if len(literal) <= _LONGEST_LINE:
            return " " + literal
    return "\n" + _fence_json(value)


def _render_result(part: ToolResult) -> str:
    shown = [
        _fence_block(each.text) if isinstance(each, Text) else _quote_lines(_render_single(each))
        for each in part.output
    ]
    # Without the empty line, two quotes in a row would be one.
    return f"{ERROR if part.error else RESULT}\n" + ("\n\n".join(shown) or NO_OUTPUT)


def _render_attachment(part: Attachment) -> str:
    name = "" if part.name is None else f": {_render_name(part.name)}"
    # Data URLs are content, not a place, and are not readable.
    held = part.url is None or part.url[:5].lower() == "data:"
    link = "" if part.url is None or held else f"({_render_url(part.url)})"
    return f"[Attachment{name}{_render_media_type(part.media_type)}]{link}"


def _render_artifact(part: Artifact) -> str:
    title = "" if part.title is None else f": {_render_name(part.title)}"
    content = NO_CONTENT if part.content is None else _fence_block(part.content)
    return f"**Artifact{title}**{_render_media_type(part.media_type)}\n{content}"


def _render_event(part: Event) -> str:
    head = f"*Event: {_render_name(part.kind)}*"
    if part.text is None:
        return head
    return f"{head}\n{_quote_lines(part.text) if is_whole(part.text) else _fence_block(part.text)}"


# names, on one line


def _render_media_type(media_type: str | None) -> str:
    return "" if media_type is None else f" ({_render_name(media_type)})"


@lru_cache(maxsize=256)
def _render_name(name: str) -> str:
    plain = 0 < len(name) <= _LONGEST_NAME and name.isprintable() and name.strip() == name
    if plain and name[0] != '"' and not _NOT_IN_NAMES.search(name):
        return name
    # An asterisk would end the header's bold face, even inside quotes.
    return escape_json(encode_string(name)).replace("*", "\\u002a")


def _render_url(url: str) -> str:
    if url.isprintable():
        if _BARE_URL.fullmatch(url):
            return url
        if url and not _NOT_IN_ANGLES.search(url):
            return f"<{url}>"
    return escape_json(encode_string(url))


# texts and values, on many lines


def _quote_lines(text: str) -> str:
    return "> " + text.replace("\n", "\n> ")


def _fence_block(text: str) -> str:
    return (
        _wrap_in_fence(text, "text")
        if is_whole(text)
        else _wrap_in_fence(encode_string(text), "json")
    )


def _fence_json(value: Json) -> str:
    text = encode_json(value, _ONE_LINE).decode()
    if len(text) > _LONGEST_LINE and not _is_deep(value):
        text = encode_json(value, PRETTY).decode()
    return _wrap_in_fence(text, "json")


def _wrap_in_fence(inside: str, language: str) -> str:
    ticks = "```"
    if ticks in inside:
        ticks = "`" * (1 + max(map(len, _LONG_TICKS.findall(inside))))
    return f"{ticks}{language}\n{inside}\n{ticks}"


def _is_deep(value: Json) -> bool:
    level = [value]
    for _ in range(_DEEPEST):
        inner: list[Json] = []
        for each in level:
            if isinstance(each, dict):
                inner.extend(each.values())
            elif isinstance(each, list):
                inner.extend(each)
        level = inner
    return bool(level)

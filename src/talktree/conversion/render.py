"""Parts of a message as readable Markdown, for formats that hold nothing but text.

Not for terminals: that is `views`. What is shown here is shown exactly, so that `unrender` can read
it back: texts stand line by line in a fence or a quote, everything else is JSON. Ids, signatures
and other things nobody reads are left out.
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
    parsed,
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
    Unknown,
)
from talktree.text.escape import visible_json
from talktree.text.json.encode import PRETTY, Style, encode, encode_string
from talktree.text.json.value import Json

__all__ = ["parsed", "rendered"]

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


def rendered(part: Part) -> str:
    """Readable text for any part; empty only for a text that is."""
    match part:
        case Text():
            return part.text
        case ToolResult():
            return _result(part)
        case _:
            return _single(part)


def _single(part: Single) -> str:
    match part:
        case Thinking():
            return _thinking(part.text)
        case ToolCall():
            return f"**Call: {_name(part.name)}**\n{_input(part.input)}"
        case Attachment():
            return _attachment(part)
        case Artifact():
            return _artifact(part)
        case Event():
            return _event(part)
        case Unknown():
            return f"**Unknown: {_name(part.kind)}**\n{_fenced_json(part.value)}"
        case _:
            assert_never(part)


def _thinking(text: str) -> str:
    if not is_whole(text):
        return f"{FENCED_THINKING}\n{_fenced(text)}"
    return f"{QUOTED_THINKING}\n{_quoted(text)}" if text else QUOTED_THINKING


def _input(value: Json) -> str:
    if value == {}:
        return NO_INPUT
    if not isinstance(value, dict) or not all(map(_is_key, value)):
        return _fenced_json(value)
    return "\n".join(f"- {key}:{_member(item)}" for key, item in value.items())


def _member(value: Json) -> str:
    if isinstance(value, str):
        if len(value) > _LONGEST_STRING or "\n" in value:
            return "\n" + _fenced(value)
        return " " + encode_string(value)
    if value is None or isinstance(value, (bool, int, float)):
        literal = encode(value).decode()
        if len(literal) <= _LONGEST_LINE:
            return " " + literal
    return "\n" + _fenced_json(value)


def _result(part: ToolResult) -> str:
    shown = [
        _fenced(each.text) if isinstance(each, Text) else _quoted(_single(each))
        for each in part.output
    ]
    # Two quotes in a row would be one without the empty line.
    return f"{ERROR if part.error else RESULT}\n" + ("\n\n".join(shown) or NO_OUTPUT)


def _attachment(part: Attachment) -> str:
    name = "" if part.name is None else f": {_name(part.name)}"
    # Data URLs are content, not a place: nobody can read them.
    held = part.url is None or part.url[:5].lower() == "data:"
    link = "" if part.url is None or held else f"({_url(part.url)})"
    return f"[Attachment{name}{_media(part.media_type)}]{link}"


def _artifact(part: Artifact) -> str:
    title = "" if part.title is None else f": {_name(part.title)}"
    content = NO_CONTENT if part.content is None else _fenced(part.content)
    return f"**Artifact{title}**{_media(part.media_type)}\n{content}"


def _event(part: Event) -> str:
    head = f"*Event: {_name(part.kind)}*"
    if part.text is None:
        return head
    return f"{head}\n{_quoted(part.text) if is_whole(part.text) else _fenced(part.text)}"


# names, on one line


def _media(media_type: str | None) -> str:
    return "" if media_type is None else f" ({_name(media_type)})"


@lru_cache(maxsize=256)
def _name(name: str) -> str:
    plain = 0 < len(name) <= _LONGEST_NAME and name.isprintable() and name.strip() == name
    if plain and name[0] != '"' and not _NOT_IN_NAMES.search(name):
        return name
    # An asterisk would end the header's bold face, even inside quotes.
    return visible_json(encode_string(name)).replace("*", "\\u002a")


def _url(url: str) -> str:
    if url.isprintable():
        if _BARE_URL.fullmatch(url):
            return url
        if url and not _NOT_IN_ANGLES.search(url):
            return f"<{url}>"
    return visible_json(encode_string(url))


# texts and values, on many lines


def _quoted(text: str) -> str:
    return "> " + text.replace("\n", "\n> ")


def _fenced(text: str) -> str:
    return _fence(text, "text") if is_whole(text) else _fence(encode_string(text), "json")


def _fenced_json(value: Json) -> str:
    text = encode(value, _ONE_LINE).decode()
    if len(text) > _LONGEST_LINE and not _deep(value):
        text = encode(value, PRETTY).decode()
    return _fence(text, "json")


def _fence(inside: str, language: str) -> str:
    ticks = "```"
    if ticks in inside:
        ticks = "`" * (1 + max(map(len, _LONG_TICKS.findall(inside))))
    return f"{ticks}{language}\n{inside}\n{ticks}"


def _deep(value: Json) -> bool:
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

"""The parts that texts made by `render` stand for.

More forgiving than `render` is strict: a text that somebody edited is read as long as it is clear
what it says. Anything else is prose, and nothing is guessed about it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

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
from talktree.text.json.decode import decode
from talktree.text.json.value import Json, Token

Single: TypeAlias = Thinking | ToolCall | Attachment | Artifact | Event | Unknown
"""The parts with a look of their own that may also stand inside a result."""

QUOTED_THINKING = "> **Thinking**"
FENCED_THINKING = "**Thinking**"
RESULT = "**Result**"
ERROR = "**Error**"
NO_INPUT = "*(no input)*"
NO_OUTPUT = "*(empty result)*"
NO_CONTENT = "*(no content)*"
KEY = r"[\w$@.-](?:[\w $@./-]{0,78}[\w$@./-])?"
"""Names of inputs that need no quotes."""

_STRING = r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"'
_NAME = rf"({_STRING}|[^*\n\"][^*\n]*)"
_BRACKETED = rf"({_STRING}|[^()\[\]\n\"][^()\[\]\n]*?)"
_MEDIA = rf"(?: \({_BRACKETED}\))?"
_CALL = re.compile(rf"\*\*Call: {_NAME}\*\*\n")
_UNKNOWN = re.compile(rf"\*\*Unknown: {_NAME}\*\*\n")
_ARTIFACT = re.compile(rf"\*\*Artifact(?:: {_NAME})?\*\*{_MEDIA}\n")
_EVENT = re.compile(rf"\*Event: {_NAME}\*(?:\n|\Z)")
_ATTACHMENT = re.compile(
    rf"\[Attachment(?:: {_BRACKETED})?{_MEDIA}\](?:\(({_STRING}|<[^<>\n]*>|[^()\s]+)\))?"
)
_MEMBER = re.compile(rf"- ({KEY}):[ ]?([^\n]*)(?:\n|\Z)")
_FENCE = re.compile("(`{3,})(text|json)\n")
_QUOTE = re.compile(r">[^\n]*(?:\n>[^\n]*)*")
_QUOTE_MARK = re.compile(r"^> ?", re.MULTILINE)
_END = re.compile(r"\Z")
_NEXT_MEMBER = re.compile(rf"\n+(?=- {KEY}:)|\Z")
_NEXT_OUTPUT = re.compile(r"\n+(?=>|`{3,}(?:text|json)\n)|\Z")
_HARMLESS = frozenset({"number", "surrogate"})
"""Oddities of JSON values that are written on one line; words that are no JSON are prose there."""


class _Prose(Exception):
    """The text is not what `render` makes of a part."""


def parsed(text: str) -> Part | None:
    """The part a rendered text stands for, also after an edit; None if it is just a text."""
    text = text.strip("\n")
    try:
        if text.startswith((RESULT, ERROR)):
            return _result(text)
        return _single(text)
    except _Prose:
        return None


def _single(text: str) -> Single:
    for start, reader in _READERS.items():
        if text.startswith(start):
            return reader(text)
    raise _Prose


def _result(text: str) -> ToolResult:
    head, _, body = text.partition("\n")
    if head not in (RESULT, ERROR) or not body:
        raise _Prose
    output: list[Text | Single] = []
    at = 0 if body != NO_OUTPUT else len(body)
    while at < len(body):
        quote = _QUOTE.match(body, at)
        if quote:
            output.append(_single(_unquoted(quote.group())))
            at = _matched(_NEXT_OUTPUT, body, quote.end()).end()
        else:
            said, at = _fenced_text(body, at, _NEXT_OUTPUT)
            output.append(Text(said))
    return ToolResult(tuple(output), error=head == ERROR)


def _quoted_thinking(text: str) -> Thinking:
    if text == QUOTED_THINKING:
        return Thinking("")
    head, _, body = text.partition("\n")
    if head != QUOTED_THINKING:
        raise _Prose
    return Thinking(_unquoted(body))


def _fenced_thinking(text: str) -> Thinking:
    return Thinking(_text(text, len(FENCED_THINKING) + 1))


def _call(text: str) -> ToolCall:
    head = _matched(_CALL, text)
    return ToolCall(_name(head[1]), _input(text, head.end()))


def _input(text: str, at: int) -> Json:
    if text.startswith("`", at):
        return _value(text, at)
    members: dict[str, Json] = {}
    if text[at : at + len(NO_INPUT) + 1] == NO_INPUT:
        return members
    while at < len(text):
        found = _matched(_MEMBER, text, at)
        key, literal = found.groups()
        if key in members:
            raise _Prose
        if literal:
            members[key], at = _json(literal, harmless=_HARMLESS), found.end()
        else:
            language, inside, at = _fence(text, found.end(), _NEXT_MEMBER)
            members[key] = inside if language == "text" else _json(inside)
    if not members:
        raise _Prose
    return members


def _unknown(text: str) -> Unknown:
    head = _matched(_UNKNOWN, text)
    return Unknown(_name(head[1]), _value(text, head.end()))


def _artifact(text: str) -> Artifact:
    head = _matched(_ARTIFACT, text)
    title, media = map(_maybe_name, head.groups())
    empty = text[head.end() : head.end() + len(NO_CONTENT) + 1] == NO_CONTENT
    content = None if empty else _text(text, head.end())
    return Artifact(media_type=media, title=title, content=content)


def _event(text: str) -> Event:
    head = _matched(_EVENT, text)
    kind, at = _name(head[1]), head.end()
    if at == len(text):
        return Event(kind)
    return Event(kind, _unquoted(text[at:]) if text[at] == ">" else _text(text, at))


def _attachment(text: str) -> Attachment:
    found = _ATTACHMENT.fullmatch(text)
    if not found:
        raise _Prose
    name, media, url = found.groups()
    url = url[1:-1] if url and url[0] == "<" else _maybe_name(url)
    return Attachment(_maybe_name(name), _maybe_name(media), url)


_READERS: dict[str, Callable[[str], Single]] = {
    QUOTED_THINKING: _quoted_thinking,
    FENCED_THINKING + "\n": _fenced_thinking,
    "**Call: ": _call,
    "**Unknown: ": _unknown,
    "**Artifact": _artifact,
    "*Event: ": _event,
    "[Attachment": _attachment,
}
"""What a part's text begins with, and what reads it."""


# names, on one line


def _matched(pattern: re.Pattern[str], text: str, at: int = 0) -> re.Match[str]:
    found = pattern.match(text, at)
    if found is None:
        raise _Prose
    return found


def _maybe_name(shown: str | None) -> str | None:
    return None if shown is None else _name(shown)


def _name(shown: str) -> str:
    if not shown.startswith('"'):
        return shown
    value = _json(shown, harmless=_HARMLESS)
    if not isinstance(value, str):
        raise _Prose
    return value


# texts and values, on many lines


def _unquoted(lines: str) -> str:
    breaks = lines.count("\n")
    if lines.startswith("> ") and lines.count("\n> ") == breaks:
        return lines[2:].replace("\n> ", "\n")
    # Editors like to take spaces from the ends of lines, and people leave them out.
    if lines.startswith(">") and lines.count("\n>") == breaks:
        return _QUOTE_MARK.sub("", lines)
    raise _Prose


def _text(text: str, at: int) -> str:
    said, _ = _fenced_text(text, at, _END)
    return said


def _fenced_text(text: str, at: int, then: re.Pattern[str]) -> tuple[str, int]:
    language, inside, end = _fence(text, at, then)
    if language == "text":
        return inside, end
    value = _json(inside)
    if not isinstance(value, str):
        raise _Prose
    return value, end


def _value(text: str, at: int) -> Json:
    language, inside, _ = _fence(text, at, _END)
    if language != "json":
        raise _Prose
    return _json(inside)


def _fence(text: str, at: int, then: re.Pattern[str]) -> tuple[str, str, int]:
    """The language of the fence that begins here, what it holds, and where the next thing begins.

    An edit may have put a fence into the text, so a line closes the fence only if after it comes
    what has to come then.
    """
    opened = _matched(_FENCE, text, at)
    closing = "\n" + opened[1]
    found = text.find(closing, opened.end() - 1)
    while found >= 0:
        end = found + len(closing)
        follows = then.match(text, end)
        if follows:
            return opened[2], text[opened.end() : found], follows.end()
        found = text.find(closing, end)
    raise _Prose


def _json(text: str, *, harmless: frozenset[str] | None = None) -> Json:
    try:
        found = decode(text.encode())
    except UnicodeEncodeError:
        raise _Prose from None
    odd = harmless is not None and any(each.code not in harmless for each in found.problems)
    # A word that is no JSON value stands for itself; it was rendered like that.
    if odd or not (found.usable or isinstance(found.value, Token)):
        raise _Prose
    return found.value

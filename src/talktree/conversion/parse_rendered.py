"""Parsing texts made by `render` back into parts.

It accepts more than `render` writes: an edited text is read as long as its meaning is clear.
Anything else is prose, and is not interpreted.
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
    UnknownPart,
)
from talktree.text.json.decode import decode
from talktree.text.json.value import Json, Token

Single: TypeAlias = Thinking | ToolCall | Attachment | Artifact | Event | UnknownPart
"""The parts with a form of their own that may also be inside a result."""

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
"""Problems of JSON values on one line that are accepted; a word that is not JSON is prose there."""


class _Prose(Exception):
    """The text is not a rendered part."""


def parse_part(text: str) -> Part | None:
    """Return the part that a rendered text represents, even if edited; None if it is only text."""
    text = text.strip("\n")
    try:
        if text.startswith((RESULT, ERROR)):
            return _parse_result(text)
        return _parse_single(text)
    except _Prose:
        return None


def _parse_single(text: str) -> Single:
    for start, reader in _READERS.items():
        if text.startswith(start):
            return reader(text)
    raise _Prose


def _parse_result(text: str) -> ToolResult:
    head, _, body = text.partition("\n")
    if head not in (RESULT, ERROR) or not body:
        raise _Prose
    output: list[Text | Single] = []
    at = 0 if body != NO_OUTPUT else len(body)
    while at < len(body):
        quote = _QUOTE.match(body, at)
        if quote:
            output.append(_parse_single(_unquote_lines(quote.group())))
            at = _require_match(_NEXT_OUTPUT, body, quote.end()).end()
        else:
            said, at = _parse_fenced_text(body, at, _NEXT_OUTPUT)
            output.append(Text(said))
    return ToolResult(tuple(output), error=head == ERROR)


def _parse_quoted_thinking(text: str) -> Thinking:
    if text == QUOTED_THINKING:
        return Thinking("")
    head, _, body = text.partition("\n")
    if head != QUOTED_THINKING:
        raise _Prose
    return Thinking(_unquote_lines(body))


def _parse_fenced_thinking(text: str) -> Thinking:
    return Thinking(_parse_text(text, len(FENCED_THINKING) + 1))


def _parse_call(text: str) -> ToolCall:
    head = _require_match(_CALL, text)
    return ToolCall(_parse_name(head[1]), _parse_input(text, head.end()))


def _parse_input(text: str, at: int) -> Json:
    if text.startswith("`", at):
        return _parse_value(text, at)
    members: dict[str, Json] = {}
    if text[at : at + len(NO_INPUT) + 1] == NO_INPUT:
        return members
    while at < len(text):
        found = _require_match(_MEMBER, text, at)
        key, literal = found.groups()
        if key in members:
            raise _Prose
        if literal:
            members[key], at = _parse_json(literal, harmless=_HARMLESS), found.end()
        else:
            language, inside, at = _parse_fence(text, found.end(), _NEXT_MEMBER)
            members[key] = inside if language == "text" else _parse_json(inside)
    if not members:
        raise _Prose
    return members


def _parse_unknown(text: str) -> UnknownPart:
    head = _require_match(_UNKNOWN, text)
    return UnknownPart(_parse_name(head[1]), _parse_value(text, head.end()))


def _parse_artifact(text: str) -> Artifact:
    head = _require_match(_ARTIFACT, text)
    title, media = map(_parse_optional_name, head.groups())
    empty = text[head.end() : head.end() + len(NO_CONTENT) + 1] == NO_CONTENT
    content = None if empty else _parse_text(text, head.end())
    return Artifact(media_type=media, title=title, content=content)


def _parse_event(text: str) -> Event:
    head = _require_match(_EVENT, text)
    kind, at = _parse_name(head[1]), head.end()
    if at == len(text):
        return Event(kind)
    return Event(kind, _unquote_lines(text[at:]) if text[at] == ">" else _parse_text(text, at))


def _parse_attachment(text: str) -> Attachment:
    found = _ATTACHMENT.fullmatch(text)
    if not found:
        raise _Prose
    name, media, url = found.groups()
    url = url[1:-1] if url and url[0] == "<" else _parse_optional_name(url)
    return Attachment(_parse_optional_name(name), _parse_optional_name(media), url)


_READERS: dict[str, Callable[[str], Single]] = {
    QUOTED_THINKING: _parse_quoted_thinking,
    FENCED_THINKING + "\n": _parse_fenced_thinking,
    "**Call: ": _parse_call,
    "**Unknown: ": _parse_unknown,
    "**Artifact": _parse_artifact,
    "*Event: ": _parse_event,
    "[Attachment": _parse_attachment,
}
"""The beginning of each part's text, and its parser."""


# names, on one line


def _require_match(pattern: re.Pattern[str], text: str, at: int = 0) -> re.Match[str]:
    found = pattern.match(text, at)
    if found is None:
        raise _Prose
    return found


def _parse_optional_name(shown: str | None) -> str | None:
    return None if shown is None else _parse_name(shown)


def _parse_name(shown: str) -> str:
    if not shown.startswith('"'):
        return shown
    value = _parse_json(shown, harmless=_HARMLESS)
    if not isinstance(value, str):
        raise _Prose
    return value


# texts and values, on many lines


def _unquote_lines(lines: str) -> str:
    breaks = lines.count("\n")
    if lines.startswith("> ") and lines.count("\n> ") == breaks:
        return lines[2:].replace("\n> ", "\n")
    # Editors often remove trailing spaces, and people omit them.
    if lines.startswith(">") and lines.count("\n>") == breaks:
        return _QUOTE_MARK.sub("", lines)
    raise _Prose


def _parse_text(text: str, at: int) -> str:
    said, _ = _parse_fenced_text(text, at, _END)
    return said


def _parse_fenced_text(text: str, at: int, then: re.Pattern[str]) -> tuple[str, int]:
    language, inside, end = _parse_fence(text, at, then)
    if language == "text":
        return inside, end
    value = _parse_json(inside)
    if not isinstance(value, str):
        raise _Prose
    return value, end


def _parse_value(text: str, at: int) -> Json:
    language, inside, _ = _parse_fence(text, at, _END)
    if language != "json":
        raise _Prose
    return _parse_json(inside)


def _parse_fence(text: str, at: int, then: re.Pattern[str]) -> tuple[str, str, int]:
    """Return a fence's language, its content, and where the next item begins.

    An edit may have added a fence to the text, so a line closes the fence only if the expected item
    follows it.
    """
    opened = _require_match(_FENCE, text, at)
    closing = "\n" + opened[1]
    found = text.find(closing, opened.end() - 1)
    while found >= 0:
        end = found + len(closing)
        follows = then.match(text, end)
        if follows:
            return opened[2], text[opened.end() : found], follows.end()
        found = text.find(closing, end)
    raise _Prose


def _parse_json(text: str, *, harmless: frozenset[str] | None = None) -> Json:
    try:
        found = decode(text.encode())
    except UnicodeEncodeError:
        raise _Prose from None
    odd = harmless is not None and any(each.code not in harmless for each in found.problems)
    # A word that is not a JSON value is a plain string, as it was rendered.
    if odd or not (found.usable or isinstance(found.value, Token)):
        raise _Prose
    return found.value

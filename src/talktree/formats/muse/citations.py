"""The sources of an answer, written as readable footnotes.

The program puts sources into the text between boundaries, and marks footnotes in three ways. All of
them become Markdown footnotes, with the title, the address and the reason in one place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from talktree.model.message import Message
from talktree.model.parts import Text
from talktree.text.json.value import Json

_SIGNS = ("boundary-", "[^", "↩")
"""A text with citations contains at least one of these."""
_CITED = re.compile(
    r"[ \t]*--boundary-([0-9A-Za-z]{1,64})\s*(\{[^{}]{0,4000}\})\s*boundary-\1[ \t]*"
)
_MARK = re.compile(r"\[\^([\w-]{1,20})\^?\]|[ \t]?\b([0-9]{1,3})↩")
_ADDRESS = re.compile(r"https?://[^\s<>]+")
_MANY_BREAKS = re.compile(r"\n{3,}")


def make_citations_readable(message: Message) -> Message:
    """Return a message whose texts list their sources at the end; unchanged if there are none."""
    if not any(type(part) is Text and _can_have_citations(part.text) for part in message.parts):
        return message
    footnotes = message.extra.get("footnotes")
    notes = footnotes if isinstance(footnotes, Mapping) else {}
    parts = tuple(
        replace(part, text=_describe_notes(part.text, notes)) if type(part) is Text else part
        for part in message.parts
    )
    return replace(message, parts=parts)


def _can_have_citations(text: str) -> bool:
    return any(sign in text for sign in _SIGNS)


def _describe_notes(text: str, notes: Mapping[str, Json]) -> str:
    sources = _Sources(notes)
    words = _MARK.sub(sources.replace_mark, _CITED.sub(sources.replace_source, text))
    if not sources.marks and not sources.reasons:
        return text
    footnotes = [f"[^{mark}]: {sources.make_note(mark)}" for mark in sources.marks]
    others = [f"- {_format_source('', source, why)}" for source, why in sources.reasons.items()]
    blocks = (_MANY_BREAKS.sub("\n\n", words).rstrip(), "\n".join(others), "\n".join(footnotes))
    return "\n\n".join(filter(None, blocks))


class _Sources:
    """Collects the sources of a text while their marks are replaced."""

    def __init__(self, notes: Mapping[str, Json]) -> None:
        self._notes = notes
        self.marks: dict[str, None] = {}
        """The marked footnotes, in order."""
        self.reasons: dict[str, str] = {}
        """Why each source was used; the reasons of footnotes are shown with them."""

    def replace_source(self, found: re.Match[str]) -> str:
        """Return the replacement of a source between boundaries: nothing, if it can be read."""
        value = _decode_object(found.group(2)) or {}
        source, reason = value.get("source"), value.get("reason")
        if not isinstance(source, str):
            return found.group()
        self.reasons.setdefault(source, reason if isinstance(reason, str) else "")
        return ""

    def replace_mark(self, found: re.Match[str]) -> str:
        """Return the mark of a footnote in Markdown."""
        mark = found.group(1) or found.group(2)
        if mark not in self._notes:
            return found.group()
        self.marks[mark] = None
        return f"[^{mark}]"

    def make_note(self, mark: str) -> str:
        """Return the text of a footnote."""
        note = self._notes[mark]
        if not isinstance(note, Mapping):
            return _to_one_line(note if isinstance(note, str) else "")
        title, source = note.get("title"), note.get("url")
        address = source if isinstance(source, str) else ""
        reason = self.reasons.pop(address, "")
        return _format_source(title if isinstance(title, str) else "", address, reason)


def _decode_object(data: str) -> dict[str, Json] | None:
    try:
        value = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return None
    return value if isinstance(value, dict) else None


def _format_source(title: str, source: str, reason: str) -> str:
    title, source, reason = map(_to_one_line, (title, source, reason))
    if _ADDRESS.fullmatch(source):
        bare = title.replace("[", "(").replace("]", ")")
        place = f"<{source}>" if "(" in source or ")" in source else source
        shown = f"[{bare}]({place})" if title else f"<{source}>"
    else:
        shown = ", ".join(filter(None, (title, source)))
    return f"{shown}: {reason}" if reason else shown


def _to_one_line(text: str) -> str:
    return " ".join(text.split())

"""Where an element of text ends, whatever the text is.

One exporter writes ids and names without escaping them, so a `<` inside is text until the end tag
comes. Only what shows that the end tag is missing, the start or end of a comment, stops the search.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

from talktree.formats.studio_xml.elements import (
    CHILDREN,
    COMMENT,
    CONTENT,
    EXTRA,
    FIELDS,
    ITEMS,
    KNOWN,
)

CDATA = b"<![CDATA["
_END_NAME = re.compile(rb"</([\w.:\x80-\xff-]++)\s*+>")
_TURN = re.compile(rb"<(?:(" + f"{COMMENT}|{CHILDREN}".encode() + rb")(?=[\s/>])|/)")
_WORDS = frozenset({CONTENT, EXTRA, "title", "info", "command"})
"""The fields in which people may write tags."""
_FIELD = re.compile(
    rb"<(?:(" + "|".join(FIELDS[COMMENT]).encode() + rb")(?:\s[^<>]*+)?+>[^<]*+<(?:/\1>|!)"
    rb"|(?:" + "|".join(ITEMS).encode() + rb")[\s/>])"
)
"""The start of a field that is not the text of another one, because its own end follows."""
_SKIPPED = ((b"<!--", b"-->"), (b"<?", b"?>"))


class LeafEnd(NamedTuple):
    """Where the end tag of an element starts and stops; not closed: where it must have ended."""

    end: int
    stop: int
    closed: bool


class Leaves:
    """Finds the ends of text elements in one file, in one pass over it all told."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self._missing: dict[bytes, int] = {}
        self._torn_until: dict[str, tuple[int, int]] = {}
        self._tags: dict[str, tuple[int, int, bool]] = {}

    @cached_property
    def last_section(self) -> int:
        """Where the last section ends; -1 if there is none."""
        return self.text.rfind(b"]]>")

    @cached_property
    def ended(self) -> frozenset[str]:
        """The names that have an end tag anywhere, and those that we may write ourselves."""
        found = _END_NAME.findall(self.text)
        return KNOWN | {name.decode(errors="replace") for name in found}

    def find(self, mark: bytes, start: int) -> int:
        """Where a mark stands next, or -1; what was not found once is not looked for again."""
        if self._missing.get(mark, len(self.text) + 1) <= start:
            return -1
        found = self.text.find(mark, start)
        if found < 0:
            self._missing[mark] = start
        return found

    def end(self, name: str, start: int, is_open: Mapping[str, int]) -> LeafEnd:
        """The end of the element whose text starts here."""
        text, at = self.text, self._without_end(name, start)
        while (at := text.find(b"<", at)) >= 0:
            turn = _TURN.match(text, at)
            if turn is None:
                at = self._behind(name, at)
                if at < 0:
                    break
                continue
            tag = _END_NAME.match(text, at)
            ended = None if tag is None else tag.group(1).decode(errors="replace")
            if tag is not None and ended == name:
                return LeafEnd(at, tag.end(), closed=True)
            shows = turn.group(1) is not None or bool(ended and is_open.get(ended))
            if shows and not self._ends_before_it_starts(name, at):
                return self._torn(name, start, at)
            at += 1
        return self._torn(name, start, len(text))

    def _without_end(self, name: str, start: int) -> int:
        """Where to look for an end tag: not where one was looked for already and not found."""
        since, stop = self._torn_until.get(name, (0, 0))
        return stop if since <= start < stop else start

    def _torn(self, name: str, start: int, stop: int) -> LeafEnd:
        """Where an element without an end tag must have ended: where the next field starts.

        Only words may hold tags, so only they go on until the comment ends.
        """
        self._torn_until[name] = (start, stop)
        found = _FIELD.search(self.text, start, stop) if name not in _WORDS else None
        at = stop if found is None else found.start()
        return LeafEnd(at, at, closed=False)

    def _behind(self, name: str, at: int) -> int:
        """The place behind a section, comment or instruction, or behind a `<` that is text."""
        text = self.text
        if text.startswith(CDATA, at):
            stop = self.find(b"]]>", at + len(CDATA))
            other = text.find(CDATA, at + len(CDATA), max(0, stop))
            end = text.find(f"</{name}>".encode(), at, other) if other >= 0 else -1
            if end >= 0:
                # It ended with its element; what was found is the end of another section.
                return end
            # A section without an end must have ended with its element.
            return stop + 3 if stop >= 0 else text.find(f"</{name}>".encode(), at)
        for mark, ending in _SKIPPED:
            if text.startswith(mark, at):
                stop = self.find(ending, at + len(mark))
                return stop + len(ending) if stop >= 0 else at + 1
        return at + 1

    def _ends_before_it_starts(self, name: str, at: int) -> bool:
        """Whether the next tag of this name is an end tag: then what comes before it is text."""
        since, found, ends = self._tags.get(name, (0, -1, False))
        if not since <= at <= found:
            tag = re.compile(rb"<(/?)" + re.escape(name.encode()) + rb"(?=[\s/>])")
            match = tag.search(self.text, at)
            found = len(self.text) if match is None else match.start()
            ends = match is not None and bool(match.group(1))
            self._tags[name] = (at, found, ends)
        return ends

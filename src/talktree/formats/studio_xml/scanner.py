"""The exact, tolerant, iterative reader of tags.

Well-formed files are read as XML says. What is not well-formed is reported as a `Problem` and
reading goes on: a stray `<` or `&` in a name is text, a missing end tag ends where the next
comment shows that it must. Declarations of document types and entities are refused, not read.

Where an element of text ends, whatever the text is.

One exporter writes ids and names without escaping them, so a `<` inside is text until the end tag
comes. Only what shows that the end tag is missing, the start or end of a comment, stops the search.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from math import inf
from typing import NamedTuple

from talktree.errors import Refused
from talktree.formats.studio_xml.elements import (
    CHILDREN,
    COMMENT,
    COMMENTS,
    CONTENT,
    EXTRA,
    FIELDS,
    ITEMS,
    KNOWN,
    Element,
    Kind,
)
from talktree.formats.studio_xml.parse_common_fields import take_fields
from talktree.text.json.scanner import MOST_PROBLEMS, Problem

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


_NAME = rb"[A-Za-z_\x80-\xff][\w.:\x80-\xff-]*+"
_TAG = re.compile(
    rb"<(" + _NAME + rb")(?:\s++[^\s=<>\"'/]++\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'))*+\s*+(/?)>"
)
_LOOSE_TAG = re.compile(rb"<(" + _NAME + rb")(?=[\s/>\"'=])[^<>]*+>")
_TORN_TAG = re.compile(rb"<(?:/?" + _NAME + rb"[^<>]*+)?+\Z")
_SIMPLE = re.compile(rb"<([A-Za-z]++)>(?:([^<]*+)</\1>|<!\[CDATA\[)")
_END = re.compile(rb"</(" + _NAME + rb")\s*+>")
_DECLARATION = re.compile(rb"<!(?:DOCTYPE|ENTITY|ELEMENT|ATTLIST|NOTATION)\b", re.IGNORECASE)
_CLOSED_BY = ((b"<!--", b"-->"), (b"<![CDATA[", b"]]>"), (b"<?", b"?>"))
_STRUCTURE = frozenset({COMMENT, COMMENTS, CHILDREN})


class Scan(NamedTuple):
    """The outcome: the records at the top, the lists, and everything that was odd."""

    records: list[Element]
    lists: list[Element]
    problems: list[Problem]
    misnested: bool
    """Whether end tags of comments are missing or in excess somewhere before the end."""


class _Scanner:
    def __init__(self, text: bytes, start: int, exact: float) -> None:
        self.text = text
        self.at = start
        self.exact = exact
        """The number of comments whose fields are all taken apart."""
        self.open: list[Element] = []
        self.names: Counter[str] = Counter()
        """How often each name is open, so that an end tag in excess is seen at once."""
        self.comments: list[Element] = []
        self.records: list[Element] = []
        self.lists: list[Element] = []
        self.problems: list[Problem] = []
        self.misnested = False
        self.leaves = Leaves(text)

    def run(self) -> Scan:
        """Go through the whole text once."""
        text, size = self.text, len(self.text)
        while (at := text.find(b"<", self.at)) >= 0:
            self._between(at)
            self.at = at
            self._step()
        self._between(size)
        if self.open:
            self.problem("torn", f"the file ends inside <{self.open[-1].name}>", at=size)
        while self.open:
            self._close(size, size)
        return Scan(self.records, self.lists, self.problems, self.misnested)

    def _between(self, stop: int) -> None:
        """Report text where only elements should be."""
        between = self.text[self.at : stop]
        if not between or between.isspace() or (self.open and self.open[-1].kind is Kind.OTHER):
            return
        shown = between.strip()[:30].decode("utf-8", "replace")
        self.problem("syntax", f"{shown!r} stands between elements")

    def _step(self) -> None:
        text, at = self.text, self.at
        mark = text[at + 1 : at + 2]
        if mark == b"/":
            self._end_tag()
        elif mark in (b"!", b"?"):
            self._special()
        elif not self._simple_leaf():
            found = _TAG.match(text, at)
            if found is None:
                self._odd_tag()
            else:
                self._start_tag(
                    found.group(1).decode(errors="replace"), found.end(), bare=bool(found.group(2))
                )

    def _simple_leaf(self) -> bool:
        """Take an element of nothing but text at once; most elements are that."""
        top = self.open[-1] if self.open else None
        if top is None or top.kind not in (Kind.COMMENT, Kind.ITEM):
            return False
        found = _SIMPLE.match(self.text, self.at)
        if found is None:
            return False
        name = found.group(1).decode()
        if not _holds_text(top, name):
            return False
        inside, end, stop = found.end(1) + 1, found.end(2), found.end()
        if end < 0:
            end = self.leaves.find(b"]]>", stop) + 3
            stop = end + len(name) + 3
            if end == 2 or self.text[end:stop] != b"</" + found.group(1) + b">":
                return False
            if self.text.find(CDATA, found.end(), end) >= 0:
                # Perhaps the end of this section is missing, and it is that of another one.
                return False
        element = Element(name, Kind.LEAF, self.at, inside, bare=False)
        element.holder, element.owner, element.closed = top, top.owner, True
        element.end, element.stop = end, stop
        top.children.append(element)
        self.at = stop
        return True

    # what is no element

    def _special(self) -> None:
        text, at = self.text, self.at
        if _DECLARATION.match(text, at):
            raise Refused(
                "the XML declares a document type or entities, which are never read",
                hint="a file of comments needs none; take the <!DOCTYPE ...> out if you trust it",
            )
        for start, stop in _CLOSED_BY:
            if text.startswith(start, at):
                end = self.leaves.find(stop, at + len(start))
                if end >= 0:
                    self.at = end + len(stop)
                    return
        self._stray("a markup declaration that has no end")

    def _odd_tag(self) -> None:
        loose = _LOOSE_TAG.match(self.text, self.at)
        if loose is not None:
            name = loose.group(1).decode(errors="replace")
            self.problem("syntax", f"the tag <{name[:40]}> is not well-formed")
            self._start_tag(name, loose.end(), bare=loose.group().endswith(b"/>"))
        elif _TORN_TAG.match(self.text, self.at):
            self.problem("torn", "the file ends inside a tag")
            self.at = len(self.text)
        else:
            self._stray("a stray '<'")

    def _stray(self, what: str) -> None:
        if not self.open or self.open[-1].kind is not Kind.OTHER:
            self.problem("syntax", what)
        self.at += 1

    # elements

    def _start_tag(self, name: str, inside: int, *, bare: bool) -> None:
        kind = self._kind(name, inside)
        if kind is Kind.COMMENT:
            self._tear()
        elif kind is Kind.OTHER and not bare and name not in self.leaves.ended:
            self._stray(f"<{name[:40]}> has no end")
            self.at = inside
            return
        element = Element(name, kind, self.at, inside, bare=bare)
        holder = element.holder = self.open[-1] if self.open else None
        if holder is not None:
            holder.children.append(element)
            if kind in (Kind.ITEM, Kind.LEAF):
                element.owner = ITEMS.get(holder.name, holder.owner)
        self.at = inside
        if kind is Kind.LIST:
            self.lists.append(element)
        elif kind is Kind.COMMENT:
            self._below().append(element)
        if holder is not None and kind in (Kind.LIST, Kind.COMMENT):
            holder.filled = True
        if bare:
            self._closed(element)
        elif kind is Kind.LEAF:
            self._leaf(element)
        else:
            self._push(element)
            if kind is Kind.COMMENT:
                self._take_fields(element)

    def _take_fields(self, comment: Element) -> None:
        """Read the fields of a comment at once, unless they are wanted one by one."""
        self.exact -= 1
        has_attributes = comment.inside - comment.start > len(f"<{COMMENT}>")
        if self.exact >= 0 or has_attributes:
            return
        found = take_fields(self.text, self.at, sections=self.at < self.leaves.last_section)
        if found is not None:
            comment.fields, comment.taken = found
            self.at = comment.taken

    def _kind(self, name: str, inside: int) -> Kind:
        top = self.open[-1] if self.open else None
        if name == COMMENT:
            return Kind.COMMENT
        if name == COMMENTS:
            return Kind.LIST
        match top.kind if top is not None else None:
            case Kind.COMMENT if name == CHILDREN:
                return Kind.LIST
            case Kind.COMMENT if name in ITEMS:
                return Kind.ITEMS
            case Kind.COMMENT | Kind.ITEM if top is not None and _holds_text(top, name):
                return Kind.LEAF
            case Kind.ITEMS:
                marked = self.text.find(b"encoding=", self.at, inside) >= 0
                return Kind.LEAF if marked else Kind.ITEM
            case _:
                return Kind.OTHER

    def _leaf(self, element: Element) -> None:
        found = self.leaves.end(element.name, element.inside, self.names)
        element.end, element.stop, element.closed = found
        self.at = element.stop
        if not element.closed:
            self.problem("torn", f"<{element.name}> has no end", at=element.start)
            if self.comments:
                self.comments[-1].torn = True

    def _push(self, element: Element) -> None:
        self.open.append(element)
        self.names[element.name] += 1
        if element.kind is Kind.COMMENT:
            self.comments.append(element)

    def _end_tag(self) -> None:
        found = _END.match(self.text, self.at)
        if found is None:
            self._odd_tag()
            return
        name = found.group(1).decode(errors="replace")
        if not self.names[name]:
            self.problem("syntax", f"</{name[:40]}> ends nothing")
            self.misnested = self.misnested or name in _STRUCTURE
            self.at = found.end()
            return
        while self.open[-1].name != name:
            self._close_early(self.at)
        self.at = found.end()
        self.open[-1].closed = True
        self._close(found.start(), found.end())

    def _tear(self) -> None:
        """A comment that starts inside an attachment shows that the one before it is torn."""
        while self.open and self.open[-1].kind in (Kind.ITEM, Kind.ITEMS):
            self._close_early(self.at)
        if self.comments and self.open[-1] is self.comments[-1] and self.comments[-1].torn:
            self._close_early(self.at)

    def _close_early(self, stop: int) -> None:
        top = self.open[-1]
        self.problem("syntax", f"<{top.name[:40]}> has no end", at=top.start)
        if top.kind in (Kind.ITEM, Kind.ITEMS) and self.comments:
            self.comments[-1].torn = True
        self.misnested = self.misnested or top.kind in (Kind.COMMENT, Kind.LIST)
        self._close(stop, stop)

    def _close(self, end: int, stop: int) -> None:
        element = self.open.pop()
        self.names[element.name] -= 1
        element.end, element.stop = end, stop
        if element.kind is Kind.COMMENT:
            self.comments.pop()
        self._closed(element)

    def _closed(self, element: Element) -> None:
        """An element nobody knows that stands among comments is a record of its own."""
        holder = element.holder
        if element.kind is not Kind.OTHER:
            return
        if element.filled and holder is not None:
            holder.filled = True
        elif not element.filled and (holder is None or holder.kind is Kind.LIST):
            self._below().append(element)

    def _below(self) -> list[Element]:
        return self.comments[-1].nested if self.comments else self.records

    def problem(self, code: str, what: str, *, at: int | None = None) -> None:
        """Note what is not as it should be."""
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(Problem(code, self.at if at is None else at, what))


def _holds_text(holder: Element, name: str) -> bool:
    return name == EXTRA or name in FIELDS[holder.owner]


def scan(text: bytes, start: int = 0, *, exact: float = inf) -> Scan:
    """All comments in a text.

    So many of them have all their fields as elements. Of others, only what they say may be known.
    """
    return _Scanner(text, start, exact).run()

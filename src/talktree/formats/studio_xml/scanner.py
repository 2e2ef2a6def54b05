"""The exact, tolerant, iterative scanner of tags.

Well-formed files are read as XML defines. Anything else is reported as a `Problem` and reading
continues: a stray `<` or `&` in a name is text, and a missing end tag is assumed where the next
comment shows that it must be. Declarations of document types and entities are refused, not read.

Ends of text elements are found for any text. One exporter writes ids and names without escaping
them, so a `<` inside is text until the end tag. Only the start or end of a comment, which shows
that the end tag is missing, stops the search.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from math import inf
from typing import NamedTuple

from talktree.errors import RefusedInput
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
    ElementKind,
)
from talktree.formats.studio_xml.parse_common_fields import take_fields
from talktree.text.json.scanner import MOST_PROBLEMS, Problem

CDATA = b"<![CDATA["
_END_NAME = re.compile(rb"</([\w.:\x80-\xff-]++)\s*+>")
_TURN = re.compile(rb"<(?:(" + f"{COMMENT}|{CHILDREN}".encode() + rb")(?=[\s/>])|/)")
_WORDS = frozenset({CONTENT, EXTRA, "title", "info", "command"})
"""The fields in which users may write tags."""
_FIELD = re.compile(
    rb"<(?:(" + "|".join(FIELDS[COMMENT]).encode() + rb")(?:\s[^<>]*+)?+>[^<]*+<(?:/\1>|!)"
    rb"|(?:" + "|".join(ITEMS).encode() + rb")[\s/>])"
)
"""The start of a field that is not the text of another one, because its own end follows."""
_SKIPPED = ((b"<!--", b"-->"), (b"<?", b"?>"))


class LeafEnd(NamedTuple):
    """The start and the end of an element's end tag; if not closed, where it must have ended."""

    end: int
    stop: int
    closed: bool


class LeafFinder:
    """Finds the ends of text elements in one file, in a single pass over the file in total."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self._missing: dict[bytes, int] = {}
        self._truncated_until: dict[str, tuple[int, int]] = {}
        self._tags: dict[str, tuple[int, int, bool]] = {}

    @cached_property
    def last_section(self) -> int:
        """The offset of the last end of a section; -1 if there is none."""
        return self.text.rfind(b"]]>")

    @cached_property
    def closed_names(self) -> frozenset[str]:
        """The names that have an end tag anywhere, and those that we may write ourselves."""
        found = _END_NAME.findall(self.text)
        return KNOWN | {name.decode(errors="replace") for name in found}

    def find_mark(self, mark: bytes, start: int) -> int:
        """Return the next offset of a mark, or -1; missing marks are not searched again."""
        if self._missing.get(mark, len(self.text) + 1) <= start:
            return -1
        found = self.text.find(mark, start)
        if found < 0:
            self._missing[mark] = start
        return found

    def find_end(self, name: str, start: int, is_open: Mapping[str, int]) -> LeafEnd:
        """Return the end of the element whose text starts here."""
        text, at = self.text, self._without_end(name, start)
        while (at := text.find(b"<", at)) >= 0:
            turn = _TURN.match(text, at)
            if turn is None:
                at = self._skip_markup(name, at)
                if at < 0:
                    break
                continue
            tag = _END_NAME.match(text, at)
            ended = None if tag is None else tag.group(1).decode(errors="replace")
            if tag is not None and ended == name:
                return LeafEnd(at, tag.end(), closed=True)
            shows = turn.group(1) is not None or bool(ended and is_open.get(ended))
            if shows and not self._has_end_tag_first(name, at):
                return self._find_truncated_end(name, start, at)
            at += 1
        return self._find_truncated_end(name, start, len(text))

    def _without_end(self, name: str, start: int) -> int:
        """Return where to search for an end tag, after ranges in which none was found."""
        since, stop = self._truncated_until.get(name, (0, 0))
        return stop if since <= start < stop else start

    def _find_truncated_end(self, name: str, start: int, stop: int) -> LeafEnd:
        """Return where an element without an end tag must have ended: where the next field starts.

        Only text fields may hold tags, so only they continue until the comment ends.
        """
        self._truncated_until[name] = (start, stop)
        found = _FIELD.search(self.text, start, stop) if name not in _WORDS else None
        at = stop if found is None else found.start()
        return LeafEnd(at, at, closed=False)

    def _skip_markup(self, name: str, at: int) -> int:
        """Return the offset after a section, comment or instruction, or a `<` that is text."""
        text = self.text
        if text.startswith(CDATA, at):
            stop = self.find_mark(b"]]>", at + len(CDATA))
            other = text.find(CDATA, at + len(CDATA), max(0, stop))
            end = text.find(f"</{name}>".encode(), at, other) if other >= 0 else -1
            if end >= 0:
                # It ended with its element; what was found is the end of another section.
                return end
            # A section without an end must have ended with its element.
            return stop + 3 if stop >= 0 else text.find(f"</{name}>".encode(), at)
        for mark, ending in _SKIPPED:
            if text.startswith(mark, at):
                stop = self.find_mark(ending, at + len(mark))
                return stop + len(ending) if stop >= 0 else at + 1
        return at + 1

    def _has_end_tag_first(self, name: str, at: int) -> bool:
        """Whether the next tag of this name is an end tag: then the text before it is content."""
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
_TRUNCATED_TAG = re.compile(rb"<(?:/?" + _NAME + rb"[^<>]*+)?+\Z")
_SIMPLE = re.compile(rb"<([A-Za-z]++)>(?:([^<]*+)</\1>|<!\[CDATA\[)")
_END = re.compile(rb"</(" + _NAME + rb")\s*+>")
_DECLARATION = re.compile(rb"<!(?:DOCTYPE|ENTITY|ELEMENT|ATTLIST|NOTATION)\b", re.IGNORECASE)
_CLOSED_BY = ((b"<!--", b"-->"), (b"<![CDATA[", b"]]>"), (b"<?", b"?>"))
_STRUCTURE = frozenset({COMMENT, COMMENTS, CHILDREN})


class XmlScan(NamedTuple):
    """The result: the records at the top, the lists, and all oddities."""

    records: list[Element]
    lists: list[Element]
    problems: list[Problem]
    misnested: bool
    """Whether end tags of comments are missing or unmatched somewhere before the end."""


class _Scanner:
    def __init__(self, text: bytes, start: int, exact: float) -> None:
        self.text = text
        self.at = start
        self.exact = exact
        """The number of comments whose fields are all parsed as elements."""
        self.open: list[Element] = []
        self.names: Counter[str] = Counter()
        """How often each name is open, so that an unmatched end tag is detected quickly."""
        self.comments: list[Element] = []
        self.records: list[Element] = []
        self.lists: list[Element] = []
        self.problems: list[Problem] = []
        self.misnested = False
        self.leaves = LeafFinder(text)

    def run(self) -> XmlScan:
        """Scan the whole text once."""
        text, size = self.text, len(self.text)
        while (at := text.find(b"<", self.at)) >= 0:
            self._report_stray_text(at)
            self.at = at
            self._scan_next()
        self._report_stray_text(size)
        if self.open:
            self.add_problem("torn", f"the file ends inside <{self.open[-1].name}>", at=size)
        while self.open:
            self._pop_element(size, size)
        return XmlScan(self.records, self.lists, self.problems, self.misnested)

    def _report_stray_text(self, stop: int) -> None:
        """Report text where only elements should be."""
        between = self.text[self.at : stop]
        if (
            not between
            or between.isspace()
            or (self.open and self.open[-1].kind is ElementKind.OTHER)
        ):
            return
        shown = between.strip()[:30].decode("utf-8", "replace")
        self.add_problem("syntax", f"{shown!r} stands between elements")

    def _scan_next(self) -> None:
        text, at = self.text, self.at
        mark = text[at + 1 : at + 2]
        if mark == b"/":
            self._end_tag()
        elif mark in (b"!", b"?"):
            self._skip_special()
        elif not self._take_simple_leaf():
            found = _TAG.match(text, at)
            if found is None:
                self._scan_odd_tag()
            else:
                self._start_tag(
                    found.group(1).decode(errors="replace"), found.end(), bare=bool(found.group(2))
                )

    def _take_simple_leaf(self) -> bool:
        """Read an element that holds only text in one step; most elements are like that."""
        top = self.open[-1] if self.open else None
        if top is None or top.kind not in (ElementKind.COMMENT, ElementKind.ITEM):
            return False
        found = _SIMPLE.match(self.text, self.at)
        if found is None:
            return False
        name = found.group(1).decode()
        if not _has_text(top, name):
            return False
        inside, end, stop = found.end(1) + 1, found.end(2), found.end()
        if end < 0:
            end = self.leaves.find_mark(b"]]>", stop) + 3
            stop = end + len(name) + 3
            if end == 2 or self.text[end:stop] != b"</" + found.group(1) + b">":
                return False
            if self.text.find(CDATA, found.end(), end) >= 0:
                # Perhaps the end of this section is missing, and this is the end of another one.
                return False
        element = Element(name, ElementKind.LEAF, self.at, inside, bare=False)
        element.holder, element.owner, element.closed = top, top.owner, True
        element.end, element.stop = end, stop
        top.children.append(element)
        self.at = stop
        return True

    # not elements

    def _skip_special(self) -> None:
        text, at = self.text, self.at
        if _DECLARATION.match(text, at):
            raise RefusedInput(
                "the XML declares a document type or entities, which are never read",
                hint="a file of comments needs none; take the <!DOCTYPE ...> out if you trust it",
            )
        for start, stop in _CLOSED_BY:
            if text.startswith(start, at):
                end = self.leaves.find_mark(stop, at + len(start))
                if end >= 0:
                    self.at = end + len(stop)
                    return
        self._report_stray("a markup declaration that has no end")

    def _scan_odd_tag(self) -> None:
        loose = _LOOSE_TAG.match(self.text, self.at)
        if loose is not None:
            name = loose.group(1).decode(errors="replace")
            self.add_problem("syntax", f"the tag <{name[:40]}> is not well-formed")
            self._start_tag(name, loose.end(), bare=loose.group().endswith(b"/>"))
        elif _TRUNCATED_TAG.match(self.text, self.at):
            self.add_problem("torn", "the file ends inside a tag")
            self.at = len(self.text)
        else:
            self._report_stray("a stray '<'")

    def _report_stray(self, what: str) -> None:
        if not self.open or self.open[-1].kind is not ElementKind.OTHER:
            self.add_problem("syntax", what)
        self.at += 1

    # elements

    def _start_tag(self, name: str, inside: int, *, bare: bool) -> None:
        kind = self._find_kind(name, inside)
        if kind is ElementKind.COMMENT:
            self._close_truncated()
        elif kind is ElementKind.OTHER and not bare and name not in self.leaves.closed_names:
            self._report_stray(f"<{name[:40]}> has no end")
            self.at = inside
            return
        element = Element(name, kind, self.at, inside, bare=bare)
        holder = element.holder = self.open[-1] if self.open else None
        if holder is not None:
            holder.children.append(element)
            if kind in (ElementKind.ITEM, ElementKind.LEAF):
                element.owner = ITEMS.get(holder.name, holder.owner)
        self.at = inside
        if kind is ElementKind.LIST:
            self.lists.append(element)
        elif kind is ElementKind.COMMENT:
            self._current_list().append(element)
        if holder is not None and kind in (ElementKind.LIST, ElementKind.COMMENT):
            holder.filled = True
        if bare:
            self._close_element(element)
        elif kind is ElementKind.LEAF:
            self._scan_leaf(element)
        else:
            self._push_element(element)
            if kind is ElementKind.COMMENT:
                self._take_fields(element)

    def _take_fields(self, comment: Element) -> None:
        """Read the fields of a comment together, unless they are wanted one by one."""
        self.exact -= 1
        has_attributes = comment.inside - comment.start > len(f"<{COMMENT}>")
        if self.exact >= 0 or has_attributes:
            return
        found = take_fields(self.text, self.at, sections=self.at < self.leaves.last_section)
        if found is not None:
            comment.fields, comment.taken = found
            self.at = comment.taken

    def _find_kind(self, name: str, inside: int) -> ElementKind:
        top = self.open[-1] if self.open else None
        if name == COMMENT:
            return ElementKind.COMMENT
        if name == COMMENTS:
            return ElementKind.LIST
        match top.kind if top is not None else None:
            case ElementKind.COMMENT if name == CHILDREN:
                return ElementKind.LIST
            case ElementKind.COMMENT if name in ITEMS:
                return ElementKind.ITEMS
            case ElementKind.COMMENT | ElementKind.ITEM if top is not None and _has_text(top, name):
                return ElementKind.LEAF
            case ElementKind.ITEMS:
                marked = self.text.find(b"encoding=", self.at, inside) >= 0
                return ElementKind.LEAF if marked else ElementKind.ITEM
            case _:
                return ElementKind.OTHER

    def _scan_leaf(self, element: Element) -> None:
        found = self.leaves.find_end(element.name, element.inside, self.names)
        element.end, element.stop, element.closed = found
        self.at = element.stop
        if not element.closed:
            self.add_problem("torn", f"<{element.name}> has no end", at=element.start)
            if self.comments:
                self.comments[-1].truncated = True

    def _push_element(self, element: Element) -> None:
        self.open.append(element)
        self.names[element.name] += 1
        if element.kind is ElementKind.COMMENT:
            self.comments.append(element)

    def _end_tag(self) -> None:
        found = _END.match(self.text, self.at)
        if found is None:
            self._scan_odd_tag()
            return
        name = found.group(1).decode(errors="replace")
        if not self.names[name]:
            self.add_problem("syntax", f"</{name[:40]}> ends nothing")
            self.misnested = self.misnested or name in _STRUCTURE
            self.at = found.end()
            return
        while self.open[-1].name != name:
            self._close_early(self.at)
        self.at = found.end()
        self.open[-1].closed = True
        self._pop_element(found.start(), found.end())

    def _close_truncated(self) -> None:
        """Close the comment before a comment that starts inside an attachment: it is truncated."""
        while self.open and self.open[-1].kind in (ElementKind.ITEM, ElementKind.ITEMS):
            self._close_early(self.at)
        if self.comments and self.open[-1] is self.comments[-1] and self.comments[-1].truncated:
            self._close_early(self.at)

    def _close_early(self, stop: int) -> None:
        top = self.open[-1]
        self.add_problem("syntax", f"<{top.name[:40]}> has no end", at=top.start)
        if top.kind in (ElementKind.ITEM, ElementKind.ITEMS) and self.comments:
            self.comments[-1].truncated = True
        self.misnested = self.misnested or top.kind in (ElementKind.COMMENT, ElementKind.LIST)
        self._pop_element(stop, stop)

    def _pop_element(self, end: int, stop: int) -> None:
        element = self.open.pop()
        self.names[element.name] -= 1
        element.end, element.stop = end, stop
        if element.kind is ElementKind.COMMENT:
            self.comments.pop()
        self._close_element(element)

    def _close_element(self, element: Element) -> None:
        """Close an element; an unknown element among comments is a record of its own."""
        holder = element.holder
        if element.kind is not ElementKind.OTHER:
            return
        if element.filled and holder is not None:
            holder.filled = True
        elif not element.filled and (holder is None or holder.kind is ElementKind.LIST):
            self._current_list().append(element)

    def _current_list(self) -> list[Element]:
        return self.comments[-1].nested if self.comments else self.records

    def add_problem(self, code: str, what: str, *, at: int | None = None) -> None:
        """Add a problem."""
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(Problem(code, self.at if at is None else at, what))


def _has_text(holder: Element, name: str) -> bool:
    return name == EXTRA or name in FIELDS[holder.owner]


def scan_comments(text: bytes, start: int = 0, *, exact: float = inf) -> XmlScan:
    """Return all comments in a text.

    For the first `exact` of them all fields are read as elements. For others, only the values of
    the fields may be known.
    """
    return _Scanner(text, start, exact).run()

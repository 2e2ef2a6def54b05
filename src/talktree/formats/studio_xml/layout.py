"""How a file is laid out, learnt from the file itself, so that what is added looks alike."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from talktree.formats.studio_xml.characters import CDATA
from talktree.formats.studio_xml.elements import (
    CHILDREN,
    COMMENT,
    EXTRA,
    FIELDS,
    ITEMS,
    Element,
    Kind,
    attributes,
)

DEEPEST = 32
"""Lines are indented no further, or a deep chain would be nothing but blanks."""
LEARNT_FROM = 20


class Layout(NamedTuple):
    """Lines and blanks."""

    newline: bytes = b"\n"
    """Empty if everything stands on one line."""
    first: bytes = b"  "
    """Before a comment at the top."""
    unit: bytes = b"  "
    """One level more."""
    flat: bool = False
    """Whether each comment at the top is one line."""

    def line(self, level: int) -> bytes:
        """What stands before an element at a level; 1 is a comment at the top."""
        if not self.newline or (self.flat and level > 1):
            return b""
        if level == 0:
            return self.newline
        return self.newline + self.first + self.unit * (min(level, DEEPEST) - 1)


class Habits(NamedTuple):
    """Which of the ways to write a comment a file uses."""

    order: tuple[str, ...] = (*FIELDS[COMMENT], *ITEMS, EXTRA, CHILDREN)
    attributes: frozenset[str] = frozenset()
    """Members of a comment that stand in its start tag."""
    sections: frozenset[str] = frozenset({"comment/content", "artifact/content"})
    """Elements whose text is one section, by owner and name."""
    omitted: frozenset[str] = frozenset()
    """Lists that are left out when they are empty."""


def learn_layout(text: bytes, records: Iterable[Element], root: Element | None) -> Layout:
    """The lines and blanks of a file, as its first comment shows them."""
    newline = b"\r\n" if b"\r\n" in text[:4096] else b"\n"
    first = next((each for each in records if each.kind is Kind.COMMENT), None)
    if first is None:
        return Layout(newline)
    before = _blanks(text, first.start)
    inner = _blanks(text, first.children[0].start) if first.children else None
    if root is None:
        # A comment that is the whole file is no deeper than the file.
        unit = inner if inner is not None else b"  "
        return Layout(newline, unit, unit) if inner or not first.children else Layout(b"")
    if before is None:
        return Layout(b"")
    if inner is None:
        return Layout(newline, before, before or b"  ", flat=bool(first.children))
    return Layout(newline, before, inner.removeprefix(before) or b"  ")


def _blanks(text: bytes, at: int) -> bytes | None:
    """The blanks between the start of a line and an element; None if more stands there."""
    start = at
    while start and text[start - 1] in b" \t":
        start -= 1
    return text[start:at] if text[start - 1 : start] == b"\n" else None


def learn_habits(text: bytes, comments: Iterable[Element]) -> Habits:
    """The ways of a file, as its first comments show them."""
    seen: dict[str, None] = {}
    named: set[str] = set()
    sections: set[str] = set()
    empty: set[str] = set()
    count = 0
    for comment in islice(comments, LEARNT_FROM):
        count += 1
        named |= {each.name for each in attributes(text, comment)}
        for child in comment.children:
            seen.setdefault(child.name)
            if child.kind in (Kind.ITEMS, Kind.LIST) and not child.children:
                empty.add(child.name)
            for leaf in (child, *(inner for item in child.children for inner in item.children)):
                if leaf.kind is Kind.LEAF and text.startswith(CDATA, leaf.inside):
                    sections.add(_way(leaf))
    if not count:
        return Habits()
    usual = Habits()
    return Habits(
        _order(seen, usual.order),
        frozenset(named) & frozenset(FIELDS[COMMENT]),
        frozenset(sections) | (usual.sections - {f"{COMMENT}/{name}" for name in seen}),
        frozenset({*ITEMS, CHILDREN} - empty),
    )


def _order(seen: Iterable[str], usual: tuple[str, ...]) -> tuple[str, ...]:
    """The names in the order of the file; those it does not show behind their usual neighbours."""
    order = [name for name in seen if name in usual and name not in (EXTRA, CHILDREN)]
    at = 0
    for name in usual:
        if name not in order:
            order.insert(len(order) if name in (EXTRA, CHILDREN) else at, name)
        at = order.index(name) + 1
    return tuple(order)


def _way(leaf: Element) -> str:
    holder = leaf.holder
    return f"{COMMENT if holder is None else holder.owner}/{leaf.name}"

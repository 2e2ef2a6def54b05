"""A scanned file cut into pieces: each comment with its own bytes, its replies left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from talktree.formats.nested_file import Piece
from talktree.formats.studio_xml.elements import CONTENT, EXTRA, Element, Kind
from talktree.formats.studio_xml.lens import NOWHERE, Reading, Span, leaf, read
from talktree.formats.studio_xml.scan import Scan
from talktree.text import utf8
from talktree.text.json import decode
from talktree.text.json.scanner import Problem
from talktree.text.json.value import Json


class Cut(NamedTuple):
    """A record and where it was found."""

    element: Element
    gap_from: int
    depth: int
    first: bool


def cuts(top: Sequence[Element], start: int) -> Iterator[Cut]:
    """All records in file order, each with where the bytes before it start."""
    pending = _row(top, start, 0)
    while pending:
        cut = pending.pop()
        yield cut
        nested = cut.element.nested
        if nested:
            pending += _row(nested, place_of_replies(cut.element).start, cut.depth + 1)


def _row(records: Sequence[Element], start: int, depth: int) -> list[Cut]:
    row = []
    for number, element in enumerate(records):
        row.append(Cut(element, start, depth, number == 0))
        start = element.stop
    row.reverse()
    return row


def place_of_replies(comment: Element) -> Span:
    """The stretch of a comment that holds its replies; `NOWHERE` if there is no place for any."""
    if not comment.nested:
        lists = [each for each in comment.children if each.kind is Kind.LIST and not each.bare]
        return Span(lists[-1].inside, lists[-1].end) if lists else NOWHERE
    first, last = comment.nested[0], comment.nested[-1]
    assert first.holder is not None
    assert last.holder is not None
    start = first.holder.inside if first.holder is not comment else _before(comment, first)
    return Span(start, last.holder.end if last.holder is not comment else last.stop)


def _before(comment: Element, first: Element) -> int:
    """Where the element before the first reply stops, if replies stand right in the comment."""
    stop = comment.taken
    for child in comment.children:
        if child is first:
            break
        stop = child.stop
    return stop


def is_readable(comment: Element) -> bool:
    """Whether all that is a comment's own could be read, or its words, or a place for replies."""
    if comment.closed and not comment.torn:
        return True
    return place_of_replies(comment) is not NOWHERE or has_words(comment)


def has_words(comment: Element) -> bool:
    """Whether the text of a comment is whole, whatever else of it is missing."""
    if comment.fields is not None and CONTENT in comment.fields:
        return True
    return any(
        each.name == CONTENT and each.kind is Kind.LEAF and each.closed for each in comment.children
    )


def piece(text: bytes, cut: Cut) -> tuple[Piece, list[Problem]]:
    """The bytes and the value of a record, and what was odd."""
    element = cut.element
    made = Piece(
        None,
        b"",
        gap=text[cut.gap_from : element.start],
        depth=cut.depth,
        first=cut.first,
        usable=element.closed,
        closed=element.closed or element.stop < len(text),
    )
    place = place_of_replies(element)
    # A deep comment is long: its bytes are copied only without those of its replies.
    made.raw = text[element.start : place.start or element.stop]
    if element.kind is not Kind.COMMENT:
        made.value, problems = other(text, element)
        return made, problems
    made.usable = is_readable(element)
    if not made.usable:
        return made, []
    found = read(text, element, without=place if element.nested else NOWHERE)
    made.value = found.value
    if place is not NOWHERE:
        made.hole = place.start - element.start
        made.raw += text[place.stop : element.stop]
        made.empty = not element.nested
        made.tail = text[element.nested[-1].stop if element.nested else place.start : place.stop]
    return made, found.problems


def other(text: bytes, element: Element) -> tuple[Json, list[Problem]]:
    """What stands among comments and is none: our own mark for bare values, or anything."""
    if element.name == EXTRA and element.closed:
        found = Reading({}, {}, [])
        words = leaf(text, element, found)
        decoded = decode.decode(utf8.encode(words)) if isinstance(words, str) else None
        if decoded is not None and decoded.usable and not isinstance(decoded.value, dict):
            return decoded.value, found.problems
    what = f"<{element.name[:40]}> is not a comment"
    problems = [Problem("unknown-record", element.start, what)]
    return utf8.decode(text[element.start : element.stop]), problems


def is_odd(found: Scan) -> bool:
    """Whether the records hang together in a way that would not survive being moved about."""
    if found.misnested or len({id(each.holder) for each in found.records}) > 1:
        return True
    pending = [each for each in found.records if each.nested]
    while pending:
        comment = pending.pop()
        if len({id(each.holder) for each in comment.nested}) > 1 or comment.torn:
            return True
        pending += [each for each in comment.nested if each.nested]
    return False

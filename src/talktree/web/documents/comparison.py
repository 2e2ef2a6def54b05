"""Two branches side by side: what they share, and how they continue after the fork."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from talktree.conversion.diff import find_differing_fields
from talktree.conversion.merge_conversations import iter_words
from talktree.model.message import Message
from talktree.model.skeleton import NO_TIME
from talktree.views.html.rendering import render_words_diff
from talktree.web.documents.neighbours import make_label
from talktree.web.documents.open_conversation import OpenConversation
from talktree.web.documents.row_list import RowList, to_milliseconds
from talktree.web.schemas.segments import BranchComparison, ComparedRow, ComparedSide

MOST_ROWS = 1_000
MOST_READ = 4_000
"""Maximum number of rows compared on each side; rows after that are only counted."""
MOST_WORDS = 20_000


class _Brief(NamedTuple):
    id: str
    position: int
    label: str
    key: int
    """Equal for messages with the same text."""
    role: str
    tokens: int


def compare_branches(
    opened: OpenConversation, a: str, b: str, names: dict[str, str]
) -> BranchComparison:
    """Return what two branches share, and the rest of both, row by row."""
    one, two = opened.get_rows(a), opened.get_rows(b)
    shared = _common_prefix_length(one, two)
    first = _summarize_rows(opened, one, shared)
    second = _summarize_rows(opened, two, shared)
    pairs = list(_align_rows(first, second))
    rows = [_build_row(opened, *pair) for pair in pairs[:MOST_ROWS]]
    ids = opened.conversation.skeleton.ids
    return BranchComparison(
        ancestor=ids[one.positions[shared - 1]] if shared else None,
        shared=shared,
        a=_build_side(opened, one, shared, first, names),
        b=_build_side(opened, two, shared, second, names),
        rows=tuple(rows),
        total=len(pairs) + max(0, len(one) - shared - MOST_READ, len(two) - shared - MOST_READ),
    )


def _common_prefix_length(one: RowList, two: RowList) -> int:
    """Return how many rows are equal from the beginning."""
    count = 0
    for a, b in zip(one.positions, two.positions, strict=False):
        if a != b:
            break
        count += 1
    return count


def _summarize_rows(opened: OpenConversation, rows: RowList, shared: int) -> list[_Brief]:
    positions = rows.positions[shared : shared + MOST_READ]
    entries = opened.conversation.entries_at(positions)
    ids = opened.conversation.skeleton.ids
    return [
        _Brief(
            ids[position],
            position,
            make_label(entry),
            _hash_content(entry),
            entry.role,
            _count_tokens(entry),
        )
        for position, entry in zip(positions, entries, strict=True)
        if isinstance(entry, Message)
    ]


def _hash_content(message: Message) -> int:
    return hash((message.role, *(f"{kind}\0{words}" for kind, words in iter_words(message.parts))))


def _count_tokens(message: Message) -> int:
    return 0 if message.usage is None else message.usage.output


def _align_rows(
    one: Sequence[_Brief], two: Sequence[_Brief]
) -> Iterator[tuple[_Brief | None, _Brief | None]]:
    """Align rows with the same text; between them, align rows with the same role."""
    matcher = SequenceMatcher(
        None, [each.key for each in one], [each.key for each in two], autojunk=False
    )
    for _, a, a_end, b, b_end in matcher.get_opcodes():
        left, right = list(one[a:a_end]), list(two[b:b_end])
        while left or right:
            if left and right and left[0].role == right[0].role:
                yield left.pop(0), right.pop(0)
            elif left and (not right or len(left) >= len(right)):
                yield left.pop(0), None
            else:
                yield None, right.pop(0)


def _build_row(opened: OpenConversation, a: _Brief | None, b: _Brief | None) -> ComparedRow:
    if a is None or b is None:
        return ComparedRow(
            kind="added" if a is None else "removed",
            a=None if a is None else a.id,
            b=None if b is None else b.id,
            a_label="" if a is None else a.label,
            b_label="" if b is None else b.label,
        )
    if a.key == b.key:
        return ComparedRow(kind="same", a=a.id, b=b.id, a_label=a.label, b_label=b.label)
    old, new = opened.conversation[a.id], opened.conversation[b.id]
    return ComparedRow(
        kind="changed",
        a=a.id,
        b=b.id,
        a_label=a.label,
        b_label=b.label,
        html="" if old.text == new.text else _render_words_diff(old.text, new.text),
        what=find_differing_fields(old, new),
    )


def _render_words_diff(old: str, new: str) -> str:
    """Return how two texts differ, by words."""
    return render_words_diff(old[:MOST_WORDS], new[:MOST_WORDS])


def _build_side(
    opened: OpenConversation,
    rows: RowList,
    shared: int,
    briefs: Sequence[_Brief],
    names: dict[str, str],
) -> ComparedSide:
    times = opened.conversation.skeleton.times
    own = [times[each] for each in rows.positions[shared:] if times[each] != NO_TIME]
    return ComparedSide(
        leaf=rows.leaf,
        name=names.get(rows.leaf, ""),
        messages=len(rows) - shared,
        tokens=sum(each.tokens for each in briefs),
        first=to_milliseconds(min(own)) if own else None,
        last=to_milliseconds(max(own)) if own else None,
    )

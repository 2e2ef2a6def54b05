"""Differences within lines: removed and added words."""

from __future__ import annotations

import re

from talktree.views.html.diffs.matching import DiffSpan, match_lines
from talktree.views.html.highlight import escape_between_tags

_PIECES = re.compile(r"\w+|\s+|[^\w\s]")
LONGEST = 2000
"""Maximum number of characters of a line whose words are compared."""
ALIKE = 0.35
"""The share of two lines that must be equal for marks to be useful."""
CONTAINED = 0.8
"""The share of the shorter text that must be in the other one, for it to count as extended."""


def mark_differing_words(old: str, new: str) -> tuple[str, str] | None:
    """Return both lines as HTML with differing words marked; None if they have little in common."""
    if len(old) > LONGEST or len(new) > LONGEST:
        return None
    before, after = _PIECES.findall(old), _PIECES.findall(new)
    least = ALIKE * max(len(old.strip()), len(new.strip()), 1)
    known = set(after)
    if sum(len(piece) for piece in before if piece in known) < least:
        # Too different even if all their words were in the best order.
        return None
    found = match_lines(before, after)
    if sum(len(before[at]) for each in found if each.same for at in each.old) < least:
        return None
    gone = [("" if each.same else "del", before[each.old.start : each.old.stop]) for each in found]
    come = [("" if each.same else "ins", after[each.new.start : each.new.stop]) for each in found]
    return _render_pieces(gone), _render_pieces(come)


def _render_pieces(pieces: list[tuple[str, list[str]]]) -> str:
    return "".join(
        f"<{tag}>{escape_between_tags(''.join(words))}</{tag}>"
        if tag and words
        else escape_between_tags("".join(words))
        for tag, words in pieces
    )


def render_words_diff(old: str, new: str, *, limit: int = 20_000) -> str:
    """Return two texts as one, with removed and added words marked.

    Texts that share only a few scattered words would become an unreadable mix: then all of the old
    one is removed and all of the new one added.
    """
    before, after = _PIECES.findall(old[:limit]), _PIECES.findall(new[:limit])
    found = match_lines(before, after)
    if not _is_other_wording(before, after, found):
        pieces = _render_pieces([("del", before), ("ins", after)])
        return f'<div class="tt-words tt-apart">{pieces}</div>'
    shown = [
        escape_between_tags("".join(before[each.old.start : each.old.stop]))
        if each.same
        else _render_pieces([("del", before[each.old.start : each.old.stop]),
                    ("ins", after[each.new.start : each.new.stop])])
        for each in found
    ]  # fmt: skip
    return f'<div class="tt-words">{"".join(shown)}</div>'


def _is_other_wording(before: list[str], after: list[str], found: list[DiffSpan]) -> bool:
    """Whether two texts are the same with other words, or one extends the other."""
    kept = _count_letters([before[at] for each in found if each.same for at in each.old])
    less, more = sorted((_count_letters(before), _count_letters(after)))
    return kept >= ALIKE * more or kept >= CONTAINED * less


def _count_letters(pieces: list[str]) -> int:
    """Return the total length of the words; whitespace is equal in all texts."""
    return sum(len(each) for each in pieces if not each.isspace())

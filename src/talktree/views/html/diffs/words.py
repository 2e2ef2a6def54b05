"""What differs within lines: the words that went and the words that came."""

from __future__ import annotations

import re

from talktree.views.html.diffs.matching import DiffSpan, match_lines
from talktree.views.html.highlight import escape_between_tags

_PIECES = re.compile(r"\w+|\s+|[^\w\s]")
LONGEST = 2000
"""Characters of a line within which words are compared."""
ALIKE = 0.35
"""The share of two lines that must be the same for marks to tell anything."""
CONTAINED = 0.8
"""The share of the shorter of two texts that must be in the other for it to have only grown."""


def mark_differing_words(old: str, new: str) -> tuple[str, str] | None:
    """Both lines as HTML with their differing words marked; None if they have little in common."""
    if len(old) > LONGEST or len(new) > LONGEST:
        return None
    before, after = _PIECES.findall(old), _PIECES.findall(new)
    least = ALIKE * max(len(old.strip()), len(new.strip()), 1)
    known = set(after)
    if sum(len(piece) for piece in before if piece in known) < least:
        # Not even with all their words in the best order.
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
    """Two texts as one, with the words marked that went and came.

    Texts that share but a few words here and there would become a mix that nobody can read: then
    all of the one went and all of the other came.
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
    """Whether two texts are the same one in other words, or the one with more around it."""
    kept = _count_letters([before[at] for each in found if each.same for at in each.old])
    less, more = sorted((_count_letters(before), _count_letters(after)))
    return kept >= ALIKE * more or kept >= CONTAINED * less


def _count_letters(pieces: list[str]) -> int:
    """How long the words are together; blanks are the same in all texts."""
    return sum(len(each) for each in pieces if not each.isspace())

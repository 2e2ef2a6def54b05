"""What differs within lines: the words that went and the words that came."""

from __future__ import annotations

import re

from talktree.views.html.diffs.matching import stretches
from talktree.views.html.highlight import bare

_PIECES = re.compile(r"\w+|\s+|[^\w\s]")
LONGEST = 2000
"""Characters of a line within which words are compared."""
ALIKE = 0.35
"""The share of two lines that must be the same for marks to tell anything."""


def marked(old: str, new: str) -> tuple[str, str] | None:
    """Both lines as HTML with their differing words marked; None if they have little in common."""
    if len(old) > LONGEST or len(new) > LONGEST:
        return None
    before, after = _PIECES.findall(old), _PIECES.findall(new)
    found = stretches(before, after)
    common = sum(len(before[at]) for each in found if each.same for at in each.old)
    if common < ALIKE * max(len(old.strip()), len(new.strip()), 1):
        return None
    gone = [("" if each.same else "del", before[each.old.start : each.old.stop]) for each in found]
    come = [("" if each.same else "ins", after[each.new.start : each.new.stop]) for each in found]
    return _html(gone), _html(come)


def _html(pieces: list[tuple[str, list[str]]]) -> str:
    return "".join(
        f"<{tag}>{bare(''.join(words))}</{tag}>" if tag and words else bare("".join(words))
        for tag, words in pieces
    )


def words_diff(old: str, new: str, *, limit: int = 20_000) -> str:
    """Two texts as one, with the words marked that went and came."""
    before, after = _PIECES.findall(old[:limit]), _PIECES.findall(new[:limit])
    shown = [
        bare("".join(before[each.old.start : each.old.stop]))
        if each.same
        else _html([("del", before[each.old.start : each.old.stop]),
                    ("ins", after[each.new.start : each.new.stop])])
        for each in stretches(before, after)
    ]  # fmt: skip
    return f'<div class="tt-words">{"".join(shown)}</div>'

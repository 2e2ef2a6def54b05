"""Which of the titles that a source gives its conversation is the one to show.

What a person called it goes before what a program made up; of equals the later one counts.
"""

from __future__ import annotations

from talktree.model.entries import Head

BEST = 8
"""A title that a person gave."""
NAMED = 6
"""Any title of which nothing more is known."""
_RANKS = {"custom-title": BEST, "ai-title": 7, "agent-name": 5}


def rank(head: Head) -> int:
    """How good the title of a head is; more is better."""
    return _RANKS.get(head.kind, NAMED)

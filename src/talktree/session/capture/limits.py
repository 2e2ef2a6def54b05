"""How much a session looks at and keeps; what lies outside is told as not covered."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1 << 20
GIB = 1 << 30


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The bounds of looking at files; each is the largest value that is still covered."""

    largest_file: int = 2 * GIB
    """Bytes of one file."""
    entries: int = 100_000
    """Files, links and folders one scan goes through."""
    new_bytes: int = GIB
    """Bytes one scan reads of files it does not know yet."""
    seconds: float = 30.0
    """How long one scan may take."""
    racy_seconds: float = 2.0
    """A file that was changed so shortly before it was read is read again the next time: a second
    change in the same tick of the clock would not show in its times."""
    skipped: frozenset[bytes] = frozenset({b".git", b".hg", b".svn", b".jj"})
    """Names that are never looked at nor touched; the root of the store is not, either."""
    reported_uncovered: int = 1000
    """How many single paths a line lists as not covered; more are counted."""


LIMITS = Limits()

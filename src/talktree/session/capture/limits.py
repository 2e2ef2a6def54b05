"""Limits of what a session reads and stores; anything beyond them is reported as not covered."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1 << 20
GIB = 1 << 30


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The limits for reading files; each is the largest value that is still covered."""

    largest_file: int = 2 * GIB
    """Bytes of one file."""
    entries: int = 100_000
    """Files, links and folders that one scan visits."""
    new_bytes: int = GIB
    """Bytes of unknown files that one scan reads."""
    seconds: float = 30.0
    """Maximum duration of one scan."""
    racy_seconds: float = 2.0
    """A file that was changed less than this before it was read is read again the next time: a
    second change in the same tick of the clock would not show in its times."""
    skipped: frozenset[bytes] = frozenset({b".git", b".hg", b".svn", b".jj"})
    """Names that are never read or changed; neither is the root of the store."""
    reported_uncovered: int = 1000
    """Maximum number of single paths that a line lists as not covered; more are counted."""


LIMITS = Limits()

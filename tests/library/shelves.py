"""A shelf of pieces in memory, in front of a real index on the disk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from talktree.library.extract.facts import SearchPiece
from talktree.library.fulltext.index import FullText, PieceAddress
from talktree.library.fulltext.tokenizer import tag_words
from talktree.library.search.backend import HitConversation, RecordState
from talktree.library.search.compile import RecordRange
from talktree.library.search.match import matches
from talktree.library.search.query import Query
from talktree.library.search.run import Candidate


class Kept(NamedTuple):
    """A piece and what a library would report about its record."""

    piece: SearchPiece
    source: int = 1
    state: str = "current"


def piece(
    text: str,
    *,
    at: int = 0,
    kind: str = "text",
    role: str = "user",
    time: int | None = None,
    files: str = "",
    tags: str = "",
    **named: str,
) -> SearchPiece:
    """Return a piece with its tags: `tool="Bash"` and the like."""
    fields = {"kind": kind, "role": role, **named}
    words = [word for name, value in fields.items() for word in tag_words(name, value)]
    return SearchPiece(at, kind, role, text, time, " ".join([*words, *tags.split()]), files)


class Held:
    """A shelf in memory; source n is the conversation `session-n`."""

    def __init__(self, root: Path, kept: Sequence[Kept]) -> None:
        self.kept = kept
        self.fulltext = FullText.recreate(root)
        with self.fulltext.writer() as writer:
            for each in kept:
                writer.add(each.source, each.piece)
            writer.commit()

    def ahead(self, places: Sequence[PieceAddress]) -> None:
        """Do nothing: all pieces are in memory."""

    def pieces(self, source: int, at: int) -> list[SearchPiece]:
        """Return the pieces of a record."""
        return [x.piece for x in self.kept if x.source == source and x.piece.at == at]

    def about(self, source: int, at: int) -> HitConversation:
        """Return the conversation of a source."""
        return HitConversation(conversation(source), b"/x", "claude-code", f"title {source}", None)

    def where(self, source: int, at: int) -> RecordState:
        """Return the state of a record."""
        state = next(x.state for x in self.kept if x.source == source and x.piece.at == at)
        return RecordState(f"m{at}", state)

    def sessions(self, beginning: str) -> list[RecordRange]:
        """Return the sources whose conversation ids begin like this."""
        return [
            RecordRange(source)
            for source in sorted({x.source for x in self.kept})
            if conversation(source).startswith(beginning)
        ]

    def expected(self, query: Query) -> set[tuple[int, int]]:
        """Return the matches of the query, piece by piece: the oracle."""
        return {
            (x.source, x.piece.at)
            for x in self.kept
            if matches(query, Candidate(self, PieceAddress(x.source, x.piece.at, 0)))
        }


def conversation(source: int) -> str:
    """Return the id of a source's conversation."""
    return f"session-{source}"

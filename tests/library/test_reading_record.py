"""A record that is extracted again gives the same as before."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given

from talktree.library.extract import claude_code
from talktree.library.extract.facts import SearchPiece
from talktree.library.extract.record import extract_pieces, read_line_at, read_record_id
from tests.library import made
from tests.library.reading_sessions import broken_sessions, sessions


def bare(piece: SearchPiece) -> SearchPiece:
    """Return a piece without the tags that depend on other lines."""
    return piece._replace(tags=" ".join(t for t in piece.tags.split() if not t.startswith("tool=")))


@given(sessions | broken_sessions)
def test_pieces_are_made_again_from_their_line(data: bytes) -> None:
    reported = claude_code.extract_claude_code(data)
    places: dict[int, list[SearchPiece]] = {}
    for piece in reported.pieces:
        places.setdefault(piece.at, []).append(piece)
    for at, pieces in places.items():
        again = extract_pieces(read_line_at(lambda start, size: data[start : start + size], at), at)
        # A list of tasks that did not change is extracted from its record, not from the whole file.
        assert list(map(bare, again))[: len(pieces)] == list(map(bare, pieces))
        assert {piece.kind for piece in again[len(pieces) :]} <= {"todo"}


def test_a_line_is_read_as_far_as_it_goes() -> None:
    asked: list[int] = []

    def read(at: int, size: int) -> bytes:
        asked.append(size)
        return data[at : at + size]

    data = b"x" * 700_000 + b"\nrest"
    assert read_line_at(read, 10) == b"x" * 699_990 + b"\n"
    assert len(asked) == 3
    assert read_line_at(read, 700_001) == b"rest"
    assert read_line_at(read, 800_000) == b""


def test_the_id_of_a_record(tmp_path: Path) -> None:
    session = made.small(tmp_path)
    data = session.bytes()
    link = claude_code.extract_claude_code(data).links[1]
    assert read_record_id(data[link.at :].split(b"\n")[0]) == session.lines[1]["uuid"]
    assert read_record_id(b"{broken") is None
    assert extract_pieces(b"", 5) == []

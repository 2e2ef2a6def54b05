"""The pieces of sources that are read as a whole, kept so that one sentence can be shown alone.

Pieces of line formats are not kept: their record is one line of the archive.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from talktree.library.archive.codec import packed, unpacked
from talktree.library.database.connection import Database
from talktree.library.reading.told import Piece

GROUP = 64 << 10
"""How many characters are compressed together, about."""

_ADD = "INSERT INTO pieces (source, first, data) VALUES (?, ?, ?)"
_AT = "SELECT data FROM pieces WHERE source = ? AND first <= ? ORDER BY first DESC LIMIT 1"
_ALL = "SELECT data FROM pieces WHERE source = ? ORDER BY first"
_PACK = msgspec.msgpack.Encoder()
_UNPACK = msgspec.msgpack.Decoder(list[Piece])


def keep_pieces(db: Database, source: int, pieces: Iterable[Piece]) -> None:
    """Keep the pieces of a source, which has none."""
    db.many(_ADD, ((source, group[0].at, packed(_PACK.encode(group))) for group in _groups(pieces)))


def pieces_at(db: Database, source: int, at: int) -> list[Piece]:
    """The pieces of one record of a source."""
    row = db.one(_AT, (source, at))
    found = [] if row is None else _UNPACK.decode(unpacked(row[0]))
    return [piece for piece in found if piece.at == at]


def kept_pieces(db: Database, source: int) -> Iterator[Piece]:
    """All pieces of a source, in order."""
    for (data,) in db.rows(_ALL, (source,)):
        yield from _UNPACK.decode(unpacked(data))


def _groups(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    """Pieces in groups; those of one record stay together."""
    group: list[Piece] = []
    size = 0
    for piece in pieces:
        if size > GROUP and piece.at != group[-1].at:
            yield group
            group, size = [], 0
        group.append(_encodable(piece))
        size += len(piece.text)
    if group:
        yield group


def _encodable(piece: Piece) -> Piece:
    """A piece without halves of characters, which UTF-8 cannot hold."""
    if piece.text.isascii() and piece.files.isascii():
        return piece
    return piece._replace(text=_whole(piece.text), files=_whole(piece.files))


def _whole(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")

"""The pieces of sources that are read as a whole, kept so that one sentence can be shown alone.

Pieces of line formats are not kept: their record is one line of the archive.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import msgspec

from talktree.library.archive.codec import packed, unpacked
from talktree.library.database.connection import Database
from talktree.library.extract.told import Piece

GROUP = 64 << 10
"""How many characters are compressed together, about."""

_ADD = "INSERT INTO pieces (source, first, data) VALUES (?, ?, ?)"
_AT = "SELECT data FROM pieces WHERE source = ? AND first <= ? ORDER BY first DESC LIMIT 1"
_ALL = "SELECT first, data FROM pieces WHERE source = ? ORDER BY first"
_PACK = msgspec.msgpack.Encoder()


class _Group(NamedTuple):
    """Pieces that are compressed together, and the ids of their records."""

    pieces: list[Piece]
    ids: dict[int, str]


_UNPACK = msgspec.msgpack.Decoder(_Group)


def keep_pieces(db: Database, source: int, pieces: Iterable[Piece], ids: Mapping[int, str]) -> None:
    """Keep the pieces of a source, which has none, and the ids of their records."""
    db.many(_ADD, ((source, group[0].at, _packed(group, ids)) for group in _groups(pieces)))


def _packed(group: list[Piece], ids: Mapping[int, str]) -> bytes:
    named = {piece.at: _whole(ids[piece.at]) for piece in group if piece.at in ids}
    return packed(_PACK.encode(_Group(group, named)))


def pieces_at(db: Database, source: int, at: int) -> list[Piece]:
    """The pieces of one record of a source."""
    return [piece for piece in _group(db, source, at).pieces if piece.at == at]


def read_pieces(db: Database, source: int) -> list[tuple[int, object]]:
    """All that is kept of the pieces of a source; an error if some of it is damaged."""
    return [(first, _UNPACK.decode(unpacked(data))) for first, data in db.read(_ALL, (source,))]


def id_at(db: Database, source: int, at: int) -> str | None:
    """The id of one record of a source."""
    return _group(db, source, at).ids.get(at)


def _group(db: Database, source: int, at: int) -> _Group:
    row = db.one(_AT, (source, at))
    return _Group([], {}) if row is None else _UNPACK.decode(unpacked(row[0]))


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

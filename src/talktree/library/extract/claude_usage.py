"""The tokens in the lines of one file; lines without any are not even decoded."""

from __future__ import annotations

from collections.abc import Iterator
from sys import intern
from typing import Annotated, NamedTuple, TypeAlias

import msgspec
from msgspec import Meta, Raw, Struct

from talktree.model.replies import MOST_TOKENS, reply_name
from talktree.text.json.value import REFUSALS
from talktree.text.times import from_iso, to_iso

USAGE = b'"usage"'
"""Inside text, the quotes would be escaped."""
BLOCK = 32 << 20
UTC = "Z"
DAY = len("2026-03-02")
NOTHING = Raw()
Count: TypeAlias = Annotated[int, Meta(ge=0, lt=MOST_TOKENS)]


class ReplyRow(NamedTuple):
    """A reply as one record reports it."""

    day: str
    model: str | None
    project: str | None
    session: str | None
    input: int
    output: int
    cache_write: int
    cache_read: int


class _Cache(Struct, gc=False):
    ephemeral_5m_input_tokens: Count = 0
    ephemeral_1h_input_tokens: Count = 0


class _Used(Struct, gc=False):
    input_tokens: Count
    output_tokens: Count
    cache_creation_input_tokens: Count = 0
    cache_read_input_tokens: Count = 0
    cache_creation: _Cache | None = None


class _Api(Struct, gc=False):
    id: str | None = None
    model: str | None = None
    usage: _Used | None = None


class _Line(Struct, gc=False):
    timestamp: str | None = None
    requestId: str | None = None
    sessionId: str | None = None
    cwd: str | None = None
    isSidechain: bool | None = None
    message: _Api | None = None
    data: Raw = NOTHING


class _Progress(Struct, gc=False):
    """The part of a line that reports a sub-agent's message."""

    message: _Line | None = None


_decode = msgspec.json.Decoder(_Line).decode
_decode_progress = msgspec.json.Decoder(_Progress).decode


class ReplyCounts:
    """The replies seen so far, each once, with the highest token counts reported for it."""

    def __init__(self) -> None:
        self.own: dict[str, ReplyRow] = {}
        """By their names."""
        self.side: dict[str, ReplyRow] = {}
        """Replies that only sub-agents reported, by their names."""
        self.nameless: list[ReplyRow] = []

    def add_record(self, name: str, entry: ReplyRow, *, side: bool) -> None:
        """Add one record."""
        if not name:
            self.nameless.append(entry)
            return
        books = self.side if side else self.own
        known = books.get(name)
        if known is None or sum(entry[4:]) > sum(known[4:]):
            books[name] = entry

    def merge(self, other: ReplyCounts) -> None:
        """Add the replies of files that come later."""
        for name, entry in other.own.items():
            self.add_record(name, entry, side=False)
        for name, entry in other.side.items():
            self.add_record(name, entry, side=True)
        self.nameless += other.nameless

    def entries(self) -> Iterator[ReplyRow]:
        """Yield all replies, each once."""
        yield from self.own.values()
        yield from (entry for name, entry in self.side.items() if name not in self.own)
        yield from self.nameless


def count_file(books: ReplyCounts, path: str | bytes) -> None:
    """Add the replies of a file, which is read in blocks that end at a line."""
    with open(path, "rb", buffering=0) as file:
        rest = b""
        while block := file.read(BLOCK):
            data = rest + block if rest else block
            end = data.rfind(b"\n") + 1
            rest = data[end:]
            if end:
                _count_lines(books, data, end)
        if rest:
            _count_lines(books, rest, len(rest))


def _count_lines(books: ReplyCounts, data: bytes, end: int) -> None:
    view, find, rfind = memoryview(data), data.find, data.rfind
    at = find(USAGE, 0, end)
    while at >= 0:
        start = rfind(b"\n", 0, at) + 1
        stop = find(b"\n", at, end) + 1 or end
        try:
            line = _decode(view[start:stop])
            if line.message is not None and line.message.usage is not None:
                _count_line(books, line, line)
            elif line.data is not NOTHING:
                inner = _decode_progress(line.data).message
                if inner is not None:
                    _count_line(books, inner, line)
        except REFUSALS:
            pass
        at = find(USAGE, stop, end)


def _count_line(books: ReplyCounts, line: _Line, around: _Line) -> None:
    api, stamp = line.message, line.timestamp
    used = None if api is None else api.usage
    if api is None or used is None or stamp is None:
        return
    time = from_iso(stamp)
    if time is None:
        return
    cache, model, cwd = used.cache_creation, api.model, around.cwd
    written = used.cache_creation_input_tokens
    if cache is not None:
        written = cache.ephemeral_5m_input_tokens + cache.ephemeral_1h_input_tokens
    session = around.sessionId
    entry = ReplyRow(
        intern(stamp[:DAY] if stamp.endswith(UTC) else to_iso(time)[:DAY]),
        None if model is None else intern(model),
        None if cwd is None else intern(cwd),
        None if session is None else intern(session),
        used.input_tokens,
        used.output_tokens,
        written,
        used.cache_read_input_tokens,
    )
    # An answer that no model gave, such as an error message, has no tokens.
    if any(entry[4:]):
        books.add_record(reply_name(api.id, line.requestId), entry, side=line.isSidechain is True)

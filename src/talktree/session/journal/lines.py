"""Reading the lines of a log, forwards and backwards, without a lock and without holding the file.

A reader returns complete lines only: an unfinished line is returned when it is complete.

Seals of lines belong to the format, whose rules verify them, too.

A newline that was lost, overwritten or changed joins two lines. NULs, which a file system may leave
where a block never reached the disk, do the same. A part that is provably a complete line is
returned as one; the rest stays together unchanged.

The end of a log is checked before anything is appended to it: appending to a partial line would
lose two lines instead of one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from talktree.formats.sage.checksum import (
    LONGEST,
    SEAL,
    Verdict,
    read_number_at_end,
    seal_line,
    verify_seal,
)

__all__ = [
    "LONGEST",
    "SEAL",
    "JournalLine",
    "Verdict",
    "read_last_lines",
    "read_lines",
    "read_number_at_end",
    "seal_line",
    "verify_seal",
]


BLANK = b" \t\r\n\0"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_NULS = re.compile(rb"\0+")
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])


class JournalLine(NamedTuple):
    """One line: its offset in its file, and its bytes without newline and surrounding blanks."""

    start: int
    raw: bytes


def is_complete_line(raw: bytes) -> bool:
    """Whether some bytes are a complete line: a prefix of an object is never an object."""
    return verify_seal(raw).state == "good" or _is_object(raw)


def _is_object(raw: bytes) -> bool:
    try:
        _OBJECT.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return True


def split_lines(start: int, raw: bytes) -> Iterator[JournalLine]:
    """Yield the lines in what is between two newlines; nothing if it is blank."""
    line = _trim_line(start, raw)
    if not line.raw:
        return
    if b"\0" in line.raw:
        for each in _split_at_nuls(line):
            yield from _split_at_seals(each)
    else:
        yield from _split_at_seals(line)


def find_complete_lines(start: int, raw: bytes) -> list[JournalLine]:
    """Return the complete lines in what no newline follows: a writer may still write the rest."""
    found = [*split_lines(start, raw)]
    while found and not is_complete_line(found[-1].raw):
        found.pop()
    return found


def _trim_line(start: int, raw: bytes) -> JournalLine:
    bare = raw.lstrip(BLANK)
    if bare.startswith(_BYTE_ORDER_MARK):
        bare = bare[len(_BYTE_ORDER_MARK) :]
    return JournalLine(start + len(raw) - len(bare), bare.rstrip(BLANK))


def _split_at_nuls(line: JournalLine) -> Iterator[JournalLine]:
    """Yield objects separated by NULs; NULs inside a line are damage and stay in it."""
    at = stop = 0
    edges = [match.span() for match in _NULS.finditer(line.raw)]
    for (_, begin), (end, _) in zip([(0, 0), *edges], [*edges, (len(line.raw),) * 2], strict=True):
        if is_complete_line(line.raw[begin:end]):
            if at < stop:
                yield JournalLine(line.start + at, line.raw[at:stop])
            yield JournalLine(line.start + begin, line.raw[begin:end])
            at = stop = end
        elif at == stop:
            at, stop = begin, end
        else:
            stop = end
    if at < stop:
        yield JournalLine(line.start + at, line.raw[at:stop])


def _split_at_seals(line: JournalLine) -> Iterator[JournalLine]:
    """Yield the parts of a line; a valid seal inside it is the end of another line."""
    ends = [match.end() for match in SEAL.finditer(line.raw)]
    if not ends or ends == [len(line.raw)]:
        yield line
        return
    at = before = 0
    for end in ends:
        begin = _find_line_start(line.raw, at, before, end)
        if begin is not None:
            if line.raw.find(b"{", at, begin) >= 0:
                yield JournalLine(line.start + at, line.raw[at:begin])
            yield JournalLine(line.start + begin, line.raw[begin:end])
            at = end
        before = end
    if line.raw.find(b"{", at) >= 0 or at == 0:
        yield _trim_line(line.start + at, line.raw[at:])


def _find_line_start(raw: bytes, at: int, before: int, end: int) -> int | None:
    """Return the start of the line that ends here: after the last line or seal."""
    for candidate in dict.fromkeys((raw.find(b"{", at, end), raw.find(b"{", before, end))):
        if candidate >= 0 and verify_seal(raw[candidate:end]).state == "good":
            return candidate
    return None


BLOCK = 1 << 20


def read_lines(fd: int, start: int = 0, stop: int | None = None) -> Iterator[JournalLine]:
    """Yield the lines that begin in a range of a file, in order; blanks and NULs are skipped."""
    held: list[bytes] = []
    at = read = start
    while stop is None or read < stop:
        block = os.pread(fd, BLOCK if stop is None else min(BLOCK, stop - read), read)
        if not block:
            break
        read += len(block)
        pieces = block.split(b"\n")
        if len(pieces) > 1:
            held.append(pieces[0])
            first = b"".join(held)
            yield from split_lines(at, first)
            at += len(first) + 1
            for raw in pieces[1:-1]:
                if _is_plain(raw):
                    yield JournalLine(at, raw)
                else:
                    yield from split_lines(at, raw)
                at += len(raw) + 1
            held = []
        rest = pieces[-1]
        if not held:
            # NULs are not kept in memory, no matter how many there are.
            bare = rest.lstrip(BLANK)
            at += len(rest) - len(bare)
            rest = bare
        if rest:
            held.append(rest)
    yield from find_complete_lines(at, b"".join(held))


def _is_plain(raw: bytes) -> bool:
    """Whether a quick check shows that this is one of our lines and nothing else."""
    return (
        raw[:1] == b"{"
        and raw[-2:] == b'"}'
        and raw[-19:-18] == b"-"
        and b"\0" not in raw
        and raw.find(b'"seal":"', 0, -LONGEST) < 0
    )


def read_last_lines(fd: int, stop: int | None = None) -> Iterator[JournalLine]:
    """Yield the lines of a file from its end backwards."""
    for start, raw, ended in read_segments(fd, os.fstat(fd).st_size if stop is None else stop):
        yield from reversed(
            [*split_lines(start, raw)] if ended else find_complete_lines(start, raw)
        )


def read_segments(fd: int, stop: int) -> Iterator[tuple[int, bytes, bool]]:
    """Yield what is between newlines, backwards: offset, bytes, and whether a newline follows."""
    held: list[bytes] = []
    ended = False
    at = stop
    while at > 0:
        size = min(BLOCK if held else 1 << 16, at)
        block = _read_exactly(fd, at - size, size)
        at -= size
        edge = len(block)
        while (newline := block.rfind(b"\n", 0, edge)) >= 0:
            held.append(block[newline + 1 : edge])
            raw = b"".join(reversed(held))
            if raw or ended:
                yield at + newline + 1, raw, ended
            held, ended, edge = [], True, newline
        held.append(block[:edge])
    raw = b"".join(reversed(held))
    if raw or ended:
        yield 0, raw, ended


def _read_exactly(fd: int, start: int, size: int) -> bytes:
    """Return that many bytes; if the file was cut meanwhile, the missing ones are NULs."""
    found = os.pread(fd, size, start)
    while len(found) < size:
        more = os.pread(fd, size - len(found), start + len(found))
        if not more:
            return found.ljust(size, b"\0")
        found += more
    return found


_BLOCK = 1 << 20


class LogTail(NamedTuple):
    """The end of a log."""

    length: int
    """The length of the complete lines; the rest must be cut."""
    number: int
    """The number of the last line."""
    open: bool = False
    """Whether the last line is complete but for its newline."""


def read_fresh_tail(fd: int, size: int) -> LogTail | None:
    """Return the end of a log that our own writers have just used; None if it looks different."""
    end = os.pread(fd, LONGEST, max(0, size - LONGEST))
    number = read_number_at_end(end[:-1]) if end.endswith(b"\n") else None
    return None if number is None else LogTail(size, number)


def read_tail(fd: int, size: int) -> LogTail:
    """Return the end of a log in an unknown state."""
    length = _find_length_without_nuls(fd, size)
    is_open = False
    for start, raw, ended in read_segments(fd, length):
        if ended and raw.strip(BLANK):
            break
        if ended and b"\0" in raw:
            # A line of NULs at the very end never was a line.
            length = start
        elif not ended:
            kept = find_complete_lines(start, raw)
            is_open = bool(kept)
            length = kept[-1].start + len(kept[-1].raw) if kept else start
            if kept:
                break
    return LogTail(length, _find_last_number(fd, length), is_open)


def _find_length_without_nuls(fd: int, size: int) -> int:
    """Return the length of a file without the NULs at its end."""
    while size > 0:
        begin = max(0, size - _BLOCK)
        block = os.pread(fd, size - begin, begin)
        kept = len(block.rstrip(b"\0"))
        if kept or not block:
            return begin + kept
        size = begin
    return 0


def _find_last_number(fd: int, length: int) -> int:
    """Return the number of the last line: the last valid seal's, plus the lines since."""
    since = 0
    for line in read_last_lines(fd, length):
        verdict = verify_seal(line.raw)
        if verdict.state == "good" and verdict.number is not None:
            return verdict.number + since
        since += 1
    return since

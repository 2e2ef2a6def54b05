"""Lines that ran together, told apart again.

A newline that was lost, overwritten or turned into another byte makes one line of two. NULs, which
a file system may leave where a block never reached the disk, do the same. Whatever is provably a
whole line of its own is served as one; the rest stays together, as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from talktree.session.journal.seal import SEAL, judged

BLANK = b" \t\r\n\0"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_NULS = re.compile(rb"\0+")
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])


class Line(NamedTuple):
    """One line: where it starts in its file, and its bytes without newline and blanks around it."""

    start: int
    raw: bytes


def whole(raw: bytes) -> bool:
    """Whether some bytes are a complete line: no beginning of an object is an object."""
    return judged(raw).state == "good" or _is_object(raw)


def _is_object(raw: bytes) -> bool:
    try:
        _OBJECT.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return True


def apart(start: int, raw: bytes) -> Iterator[Line]:
    """What stands between two newlines, as the lines it is made of; nothing if it is blank."""
    line = _trimmed(start, raw)
    if not line.raw:
        return
    if b"\0" in line.raw:
        for each in _between_nuls(line):
            yield from _between_seals(each)
    else:
        yield from _between_seals(line)


def begun(start: int, raw: bytes) -> list[Line]:
    """The whole lines in what no newline follows: a writer may be at work on the rest."""
    found = [*apart(start, raw)]
    while found and not whole(found[-1].raw):
        found.pop()
    return found


def _trimmed(start: int, raw: bytes) -> Line:
    bare = raw.lstrip(BLANK)
    if bare.startswith(_BYTE_ORDER_MARK):
        bare = bare[len(_BYTE_ORDER_MARK) :]
    return Line(start + len(raw) - len(bare), bare.rstrip(BLANK))


def _between_nuls(line: Line) -> Iterator[Line]:
    """Objects that NULs part are lines; NULs inside of a line are damage and stay in it."""
    at = stop = 0
    edges = [match.span() for match in _NULS.finditer(line.raw)]
    for (_, begin), (end, _) in zip([(0, 0), *edges], [*edges, (len(line.raw),) * 2], strict=True):
        if whole(line.raw[begin:end]):
            if at < stop:
                yield Line(line.start + at, line.raw[at:stop])
            yield Line(line.start + begin, line.raw[begin:end])
            at = stop = end
        elif at == stop:
            at, stop = begin, end
        else:
            stop = end
    if at < stop:
        yield Line(line.start + at, line.raw[at:stop])


def _between_seals(line: Line) -> Iterator[Line]:
    """A seal that fits and stands inside of a line is the end of another one."""
    ends = [match.end() for match in SEAL.finditer(line.raw)]
    if not ends or ends == [len(line.raw)]:
        yield line
        return
    at = before = 0
    for end in ends:
        begin = _beginning(line.raw, at, before, end)
        if begin is not None:
            if line.raw.find(b"{", at, begin) >= 0:
                yield Line(line.start + at, line.raw[at:begin])
            yield Line(line.start + begin, line.raw[begin:end])
            at = end
        before = end
    if line.raw.find(b"{", at) >= 0 or at == 0:
        yield _trimmed(line.start + at, line.raw[at:])


def _beginning(raw: bytes, at: int, before: int, end: int) -> int | None:
    """Where the line begins that ends here: behind what was served, or behind the last seal."""
    for candidate in dict.fromkeys((raw.find(b"{", at, end), raw.find(b"{", before, end))):
        if candidate >= 0 and judged(raw[candidate:end]).state == "good":
            return candidate
    return None

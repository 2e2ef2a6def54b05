"""Archive bombs, and documents in archives that run macros.

Only a bounded amount is unpacked: declared sizes are trusted if they are large; small ones are
compared with the first bytes of the members.
"""

from __future__ import annotations

import bz2
import lzma
import re
import zipfile
import zlib
from io import BytesIO
from typing import NamedTuple

HEAVY = 64 << 20
"""No archive below this size is a bomb, however well it is compressed."""
RATIO = 200
"""Maximum ratio of an archive's content to its size; JSON rarely reaches 50."""
DEEPEST = 4
"""Maximum nesting of archives; programs that unpack all of them stop here or do not stop."""
MOST_INFLATED = 16 << 20
"""Maximum number of bytes unpacked of all members together."""
_CHUNK = 1 << 16
ZIP = b"PK\x03\x04"
_LOCAL = 30
"""Length of a member's header without its name."""
_MACROS = re.compile(
    r"(?:\A|/)vbaproject\.bin\Z|(?:\A|/)xl/macrosheets/|\Abasic/[^/]+/(?!script-l[bc]\.xml)[^/]+\.xml\Z",
    re.IGNORECASE,
)


class ArchiveFacts(NamedTuple):
    """What is known of an archive."""

    bomb: str | None = None
    """Why it is a bomb."""
    macros: str | None = None
    """The document member that contains macros."""
    starts: tuple[bytes, ...] = ()
    """The first bytes of its members."""


class _Budget:
    """How much may still be unpacked."""

    def __init__(self, outer: int) -> None:
        self.left = MOST_INFLATED
        self.outer = outer
        """Size of the outermost archive."""


def scan_zip(data: bytes) -> ArchiveFacts:
    """Scan an archive and the archives in it."""
    return _scan_nested_zip(data, _Budget(len(data)), 1)


def _scan_nested_zip(data: bytes, budget: _Budget, depth: int) -> ArchiveFacts:
    if depth > DEEPEST:
        return ArchiveFacts(f"archives nested more than {DEEPEST} deep")
    try:
        members = zipfile.ZipFile(BytesIO(data)).infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, IndexError):
        return ArchiveFacts()
    declared = sum(each.file_size for each in members)
    if _is_bomb(declared, budget.outer):
        return ArchiveFacts(f"unpacks to {declared:,} bytes from {budget.outer:,}")
    macros = next((each.filename for each in members if _MACROS.search(each.filename)), None)
    starts = []
    for member in members:
        if budget.left <= 0:
            break
        inside = _read_member(data, member, min(member.file_size + 1, budget.left))
        budget.left -= len(inside)
        if len(inside) > member.file_size:
            return ArchiveFacts("a member is larger than it declares", macros)
        starts.append(inside[:128])
        if inside.startswith(ZIP):
            found = _scan_nested_zip(inside, budget, depth + 1)
            macros = macros or found.macros
            if found.bomb:
                return ArchiveFacts(found.bomb, macros)
            starts += found.starts
    return ArchiveFacts(None, macros, tuple(starts))


def _is_bomb(unpacked: int, packed: int) -> bool:
    return unpacked > HEAVY and unpacked > RATIO * packed


def _read_member(data: bytes, member: zipfile.ZipInfo, most: int) -> bytes:
    """Return the first bytes of a member; empty if they cannot be read."""
    at = member.header_offset
    head = data[at : at + _LOCAL]
    if head[:4] != ZIP or len(head) < _LOCAL or member.flag_bits & 1:
        return b""
    start = at + _LOCAL + int.from_bytes(head[26:28], "little")
    start += int.from_bytes(head[28:30], "little")
    packed = memoryview(data)[start : start + member.compress_size]
    if member.compress_type == zipfile.ZIP_STORED:
        return bytes(packed[:most])
    return inflate(packed, most, raw=True) if member.compress_type == zipfile.ZIP_DEFLATED else b""


def inflate(packed: bytes | memoryview, most: int, *, raw: bool = False) -> bytes:
    """Return the first bytes of deflated data, as far as it is valid."""
    made = zlib.decompressobj(-15 if raw else 15)
    out: list[bytes] = []
    size = 0
    for at in range(0, len(packed), _CHUNK):
        todo: bytes | memoryview = packed[at : at + _CHUNK]
        while todo and size < most:
            try:
                out.append(made.decompress(todo, most - size))
            except zlib.error:
                return b"".join(out)
            size += len(out[-1])
            todo = made.unconsumed_tail
        if size >= most or made.eof:
            break
    return b"".join(out)


def describe_stream_bomb(data: bytes) -> str | None:
    """Return why a compressed stream (gzip, bzip2, xz) is a bomb; None if it is not."""
    if data.startswith(b"\x1f\x8b\x08"):
        return _describe_growth(_Deflated(), data)
    if data.startswith(b"BZh"):
        return _describe_growth(bz2.BZ2Decompressor(), data)
    if data.startswith(b"\xfd7zXZ\x00"):
        return _describe_growth(lzma.LZMADecompressor(memlimit=HEAVY), data)
    return None


class _Deflated:
    """Gzip with the interface of the other decompressors."""

    def __init__(self) -> None:
        self._made = zlib.decompressobj(31)

    @property
    def eof(self) -> bool:
        """Whether the stream has ended."""
        return self._made.eof

    @property
    def needs_input(self) -> bool:
        """Whether all input is used up."""
        return not self._made.unconsumed_tail

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """Decompress some more input."""
        return self._made.decompress(self._made.unconsumed_tail + data, max_length)


def _describe_growth(
    made: _Deflated | bz2.BZ2Decompressor | lzma.LZMADecompressor, data: bytes
) -> str | None:
    """Decompress until the answer is known; the output is not kept."""
    size = at = 0
    try:
        while not made.eof and size <= HEAVY:
            chunk = b""
            if made.needs_input:
                chunk = data[at : at + _CHUNK]
                at += len(chunk)
                if not chunk:
                    return None
            size += len(made.decompress(chunk, _CHUNK * 16))
    except (zlib.error, OSError, EOFError, lzma.LZMAError):
        return None
    if _is_bomb(size, at):
        return f"the first {at:,} bytes unpack to more than {HEAVY:,}"
    return None
